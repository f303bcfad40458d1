"""What `doctor` and `status` can find about a receiver: each finding with its fix, in English and Chinese.

A key is stable and stands in `--json` as `finding`; sentences may change. Places in braces are filled with facts that
were read here (numbers, ids, paths), never with words of a counterparty. A finding that needs no fix has none.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from dragoman.errors import DragomanError


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at. `state` is `ok`, `blocker`, `note` or `not_checked`.

    `detail` and `fix` are English; `finding` is the key of the table that has both languages, with `values` in its
    places. It is empty for what an error said elsewhere.
    """

    name: str
    state: str
    detail: str = ""
    code: str = ""
    where: str = ""
    fix: str = ""
    finding: str = ""
    values: dict[str, str] = {}


def check(name: str, state: str, finding: str, *, code: str = "", where: str = "", **values: object) -> Check:
    """One finding of the table."""
    filled = {key: str(value) for key, value in values.items()}
    return Check(
        name=name,
        state=state,
        detail=detail(finding, "en", filled),
        code=code,
        where=where,
        fix=fix(finding, "en", filled),
        finding=finding,
        values=filled,
    )


def blocked(name: str, error: DragomanError) -> Check:
    """A blocker in the words of the error that it is."""
    return Check(name=name, state="blocker", code=error.code, where=error.where, detail=error.detail, fix=error.fix)


class Words(NamedTuple):
    """One finding in both languages; empty fixes where nothing is to be mended."""

    en: str
    zh: str
    fix_en: str = ""
    fix_zh: str = ""


FINDINGS: Final[dict[str, Words]] = {
    "config_read": Words("{path}", "{path}"),
    "needs_config": Words("needs a configuration", "需先有配置"),
    "channel_says": Words("{en}", "{zh}", "{fix_en}", "{fix_zh}"),
    "policy_read": Words("version {version}", "版本 {version}"),
    "policy_none": Words("none given: everything is external", "未指定：一切视为对外"),
    "ledger_none": Words("none yet; the first run makes it", "尚无；首次运行时建立"),
    "ledger_intact": Words("{count} journal records, chain intact", "{count} 条日志，链完整"),
    "storage_private": Words("configuration, state and keys are closed to others", "配置、状态与密钥均不对他人开放"),
    "storage_open": Words(
        "`{path}` is open to others or not yours",
        "`{path}` 对他人开放，或不属于您",
        "chmod 700 folders and 600 files, owned by you",
        "目录权限 700，文件 600，属于您本人",
    ),
    "handler_endpoint": Words("an endpoint; its requests name no tools", "为网络端点；请求不带工具"),
    "handler_command": Words(
        "authorised by path and hash; sees {seen} of the environment; its own tools are not controlled here",
        "按路径与哈希授权；可见环境变量：{seen}；其自身工具不由此处控制",
    ),
    "handler_cli": Words(
        "`{kind}`, authorised with its whole argument list; tools left on: {tools}, all others off",
        "`{kind}`，按完整参数授权；保留的工具：{tools}，其余均关闭",
    ),
    "notifier_none": Words(
        "no notifier: the owner is never told, summaries stay in `status`",
        "未配置通知器：不会通知主人，摘要只保存在 `status`",
        "add `notifier` to be told",
        "加上 `notifier` 以接收通知",
    ),
    "notifier_command": Words("command: authorised by path and hash", "命令：按路径与哈希授权"),
    "notifier_desktop": Words(
        "desktop: the session bus answers; whether a desktop shows it is for `dragoman probe`",
        "桌面：会话总线有应答；桌面能否显示，请执行 `dragoman probe`",
    ),
    "notifier_email": Words(
        "email: `{server}` answers, logged in: {logged_in}", "电子邮件：`{server}` 有应答，已登录：{logged_in}"
    ),
    "notifier_webhook": Words("webhook: `{host}` listens, secret readable", "webhook：`{host}` 可连接，密钥可读"),
    "notifier_channel": Words(
        "channel: `{target}` is {audience} at this moment", "聊天：`{target}` 此刻的受众为 {audience}"
    ),
    "wall_endpoint": Words("the handler is no process of this machine's", "处理器不是本机进程"),
    "wall_same_user": Words(
        "the handler runs as the same user: it could read the keys and the token, write the ledger and the policy, "
        "reach the network, and end the receiver; only its answer on standard output is taken",
        "处理器以同一用户运行：它能读取密钥与令牌、改写账本与策略、访问网络并终止接收器；仅采用其标准输出的答复",
        "give it no tools; run it in a sandbox, or the receiver under a user of its own",
        "不给它工具；在沙箱中运行，或让接收器使用独立用户",
    ),
    "hub_none": Words("no hub configured", "未配置平台"),
    "hub_logged_in": Words("logged in as `{role}`, generation {generation}", "已以 `{role}` 登录，代次 {generation}"),
    "hub_reached": Words(
        "the hub sees this receiver as: {level}, by its own report", "平台据其自报判定本接收器为：{level}"
    ),
    "hub_misses": Words(
        "the hub sees this receiver as: {level}; missing there: {missing}",
        "平台据其自报判定本接收器为：{level}；平台缺少：{missing}",
        "each is named in `dragoman status`; `run` reports itself every minute",
        "各项见 `dragoman status`；`run` 每分钟自报一次",
    ),
    "hub_https": Words("the hub is spoken to over HTTPS", "与平台之间使用 HTTPS"),
    "hub_loopback": Words("plain HTTP, on this machine only", "明文 HTTP，仅限本机"),
    "hub_plain": Words("plain HTTP off this machine", "对本机以外使用明文 HTTP", "use `https://`", "请使用 `https://`"),
    "hub_protocol": Words(
        "protocol {found}, expected {expected}", "协议版本 {found}，应为 {expected}", "upgrade", "请升级"
    ),
    "client_too_old": Words(
        "the hub wants at least version {minimum}, this is {version}",
        "平台要求版本至少 {minimum}，当前为 {version}",
        "upgrade; see how-to/backup-and-upgrade",
        "请升级；见 how-to/backup-and-upgrade",
    ),
    "release_published": Words(
        "this is release {version} as the hub publishes it", "本客户端与平台公布的 {version} 版一致"
    ),
    "release_other": Words(
        "the files of this {version} are of no release that the hub publishes",
        "本客户端（{version}）的文件与平台公布的任何版本都不一致",
        "compare it with the published release, unless it was changed on purpose",
        "如非有意修改，请与公布的版本核对",
    ),
    "versions": Words(
        "dragoman {dragoman}, Python {python}, SQLite {sqlite}, protocol {protocol}",
        "dragoman {dragoman}，Python {python}，SQLite {sqlite}，协议 {protocol}",
    ),
    "clock_right": Words("{skew} ms off the hub", "与平台相差 {skew} 毫秒"),
    "clock_off": Words("{skew} ms off the hub", "与平台相差 {skew} 毫秒", "set the clock", "请校准时钟"),
    "not_primary": Words(
        "another instance of this role is the primary one",
        "该角色的主实例是另一个实例",
        "stop the other instance, then `dragoman hub login --takeover`",
        "请停止另一实例，再执行 `dragoman hub login --takeover`",
    ),
    "scope_attended": Words(
        "attended: what comes by the hub is fetched and shown, not answered; chats follow the policy",
        "有人值守模式：平台来信只取不答；聊天按策略处理",
        "add `autonomy` with what the owner granted",
        "请按主人授权加上 `autonomy`",
    ),
    "grant_expired": Words(
        "the grant has expired",
        "授权已到期",
        "ask the owner; a new grant has a new `grant_id`",
        "请询问主人；新的授权使用新的 `grant_id`",
    ),
    "grant_changed": Words(
        "instruction, limits, contacts, commands, identity or generation changed under the same grant id",
        "同一授权编号下，指令、限额、会话、命令、身份或代次已改变",
        "restore the text, or ask the owner and use a new `grant_id`",
        "请恢复原文，或询问主人并使用新的 `grant_id`",
    ),
    "scope_needs_hub": Words("needs the hub", "需连接平台"),
    "grant_valid": Words("grant `{grant}`", "授权 `{grant}`"),
    "background_seen": Words("observed; boots seen: {boots}", "已观察到；经历的开机次数：{boots}"),
    "background_unseen": Words(
        "no two successful cycles 25 to 120 seconds apart in this boot",
        "本次开机后尚无相隔 25 至 120 秒的两个成功周期",
        "start `dragoman run` under a service, or `dragoman once` every 30 seconds: `dragoman schedule print`",
        "请以服务运行 `dragoman run`，或每 30 秒执行 `dragoman once`：见 `dragoman schedule print`",
    ),
    "background_ends": Words(
        "cycles are seen, but this user's services end with the last log-in and do not start with the machine",
        "已观察到周期，但该用户的服务在最后一次登出时结束，也不会随开机启动",
        "run `loginctl enable-linger` once",
        "请执行一次 `loginctl enable-linger`",
    ),
    "background_crowded": Words(
        "cycles less than 25 seconds apart: two schedulers seem to drive one receiver",
        "周期间隔不足 25 秒：似有两个调度同时驱动同一接收器",
        "keep one of `run` and `once`",
        "`run` 与 `once` 只保留其一",
    ),
    "probe_none": Words(
        "no fresh passed probe", "近期没有通过的探针", "run `dragoman probe`", "请执行 `dragoman probe`"
    ),
    "probe_handler_changed": Words(
        "the handler has changed since the probe",
        "处理器在探针之后已改变",
        "run `dragoman probe`",
        "请执行 `dragoman probe`",
    ),
    "probe_notifier_changed": Words(
        "the notifier has changed since the probe",
        "通知器在探针之后已改变",
        "run `dragoman probe`",
        "请执行 `dragoman probe`",
    ),
    "probe_passed": Words("the handler answered a probe", "处理器已答复探针"),
    "real_peer_verified": Words(
        "a full exchange with a test contact is on record, {date}", "与测试对象的完整往来已有记录，{date}"
    ),
    "real_peer_unverified": Words(
        "no full exchange with an owner-authorised test contact is on record: message, handler, reply, notification",
        "尚无与主人授权的测试对象之间的完整往来记录：来信、处理、答复、通知",
        "name one in `test_contact_ids` and let it write; never a stranger",
        "请在 `test_contact_ids` 中指明测试对象并由其来信；不可用陌生人",
    ),
    # --- schedulers ---
    "host": Words(
        "systemd {systemd}, cron {cron}, started by systemd {started_by_systemd}",
        "systemd：{systemd}，cron：{cron}，由 systemd 启动：{started_by_systemd}",
    ),
    "linger_on": Words("this user's services run without a log-in", "该用户的服务无需登录即可运行"),
    "linger_off": Words(
        "lingering is off: this user's services end at log-out and are absent after a reboot",
        "未启用 linger：该用户的服务登出即停，重启后不会启动",
        "run `loginctl enable-linger` once",
        "请执行一次 `loginctl enable-linger`",
    ),
    "linger_unknown": Words(
        "whether this user's services outlive a log-out is not known here",
        "此处无法得知该用户的服务能否在登出后继续",
    ),
    "unit_enabled": Words("`{unit}` is there and enabled", "`{unit}` 已存在并启用"),
    "unit_disabled": Words(
        "`{unit}` is there but not enabled: it will not start with the machine",
        "`{unit}` 已存在但未启用：不会随开机启动",
        "run `systemctl --user enable --now {unit}`",
        "请执行 `systemctl --user enable --now {unit}`",
    ),
    "unit_absent": Words(
        "no unit `{unit}` of this user",
        "该用户没有单元 `{unit}`",
        "see `dragoman schedule print systemd`",
        "见 `dragoman schedule print systemd`",
    ),
    "unit_unknown": Words(
        "whether a unit drives this configuration is not known: `systemctl` is missing or does not answer",
        "无法得知是否有单元驱动此配置：`systemctl` 缺失或无应答",
    ),
    "login_session_only": Words(
        "login session only: a LaunchAgent starts when this user logs in on the screen, and not before the disk is "
        "unlocked",
        "仅限登录会话：LaunchAgent 在该用户图形登录后才启动，磁盘解锁之前不会启动",
        "accept that, or install it as a LaunchDaemon with `UserName`",
        "接受此限制，或以带 `UserName` 的 LaunchDaemon 安装",
    ),
    # --- what a level still lacks ---
    "poll": Words(
        "no successful cycle within two minutes", "两分钟内没有成功的周期", "start the receiver", "请启动接收器"
    ),
    "notification": Words(
        "no notifier has passed a probe within seven days",
        "七天内没有通过探针的通知器",
        "configure a notifier and run `dragoman probe`",
        "请配置通知器并执行 `dragoman probe`",
    ),
    "handler": Words(
        "the handler has not passed a probe within seven days",
        "七天内处理器没有通过探针",
        "run `dragoman probe`",
        "请执行 `dragoman probe`",
    ),
    "scope": Words(
        "no valid grant",
        "没有有效的授权",
        "ask the owner; put what was granted into `autonomy`",
        "请询问主人，并将授权写入 `autonomy`",
    ),
    "background": Words(
        "no background cycles observed",
        "未观察到后台周期",
        "see `dragoman schedule print`",
        "见 `dragoman schedule print`",
    ),
    "reply_authority": Words(
        "the policy lets nothing out now: it is broken or in shadow mode",
        "策略目前不允许发送：已损坏或处于影子模式",
        "see `dragoman policy lint`",
        "见 `dragoman policy lint`",
    ),
}
"""Every finding."""

_PLAIN: Final = {"yes": "是", "no": "否"}

NAMES: Final[dict[str, tuple[str, str]]] = {
    "config": ("config", "配置"),
    "policy": ("policy", "策略"),
    "ledger": ("ledger", "账本"),
    "storage": ("storage", "存储"),
    "handler": ("handler", "处理器"),
    "notification": ("notification", "通知"),
    "hub": ("hub", "平台"),
    "channel": ("channel", "渠道"),
    "hub_readiness": ("hub_readiness", "平台所见"),
    "https": ("https", "HTTPS"),
    "versions": ("versions", "版本"),
    "release": ("release", "发布版"),
    "clock": ("clock", "时钟"),
    "primary_instance": ("primary_instance", "主实例"),
    "scope": ("scope", "范围"),
    "background": ("background", "后台"),
    "handler_wall": ("handler_wall", "隔离"),
    "probe": ("probe", "探针"),
    "scheduler": ("scheduler", "调度"),
    "real_peer": ("real_peer", "真实对端"),
}
"""What the checks are called."""

STATES: Final[dict[str, tuple[str, str]]] = {
    "ok": ("ok", "正常"),
    "blocker": ("blocker", "阻碍"),
    "note": ("note", "提示"),
    "not_checked": ("not_checked", "未检查"),
}
"""What a check came to."""


def detail(finding: str, language: str, values: dict[str, str]) -> str:
    """The sentence of a finding with its facts."""
    words = FINDINGS[finding]
    if language == "zh":
        return words.zh.format(**{key: _PLAIN.get(value, value) for key, value in values.items()})
    return words.en.format(**values)


def fix(finding: str, language: str, values: dict[str, str]) -> str:
    """How to mend it; empty when there is nothing to mend."""
    words = FINDINGS[finding]
    return (words.fix_zh if language == "zh" else words.fix_en).format(**values)
