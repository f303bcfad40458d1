"""What the receiver's commands say to people: one row per sentence, English beside Chinese.

Places in braces are the same in both. Stops and events have their sentences in `receiver/sentences.py`, findings theirs
in `receiver/findings.py`, reasons in `gate/why.py`; this table is the rest. Whatever machines read is not here.
"""

from __future__ import annotations

from typing import Final

from dragoman.cli.language import pick

PHRASES: Final[dict[str, tuple[str, str]]] = {
    # run, once
    "running": ("running", "运行中"),
    "stopped": ("stopped", "已停止"),
    "cycle": ("{fetched} messages fetched, {sent} replies sent", "取信 {fetched} 条，发送答复 {sent} 条"),
    # many roles
    "roles_running": ("{count} roles", "角色 {count} 个"),
    "role_running": ("{role}: running", "{role}：运行中"),
    "role_again": ("{role}: ended; tried again in {seconds} s", "{role}：已结束；{seconds} 秒后重试"),
    "role_cycle": (
        "{role}: {fetched} messages fetched, {sent} replies sent",
        "{role}：取信 {fetched} 条，发送答复 {sent} 条",
    ),
    "roles_wait": ("Roles: {count}; in need of you: {waiting}", "角色：{count}；需要您处理：{waiting}"),
    "role_stands": (
        "{role}: waits for you: {waiting}; conversations: {tasks}, stopped: {stopped}; today {today}",
        "{role}：等待您处理 {waiting}；会话 {tasks}，已停止 {stopped}；今日 {today}",
    ),
    "role_ended": ("ended since {since} ({span}): {code} {where}", "自 {since} 起已结束（{span}）：{code} {where}"),
    # doctor, probe
    "fix": ("fix: {fix}", "处理：{fix}"),
    "ready": ("Ready: nothing blocks.", "就绪：没有阻碍。"),
    "not_ready": ("Not ready; blockers: {count}.", "未就绪；阻碍 {count} 项。"),
    "no_calls": ("No model was called, nothing was sent.", "未调用模型，未发送任何内容。"),
    "probe_handler": ("handler: {said}", "处理器：{said}"),
    "probe_notifier_none": ("notifier: none is configured", "通知器：未配置"),
    "probe_notifier_ok": ("notifier: it confirmed a notification", "通知器：已确认一条通知"),
    "probe_proves": (
        "proves: the handler and the notifier work here; nothing about a real peer",
        "证明：处理器与通知器在此可用；不证明真实对端已接通",
    ),
    # status: headings
    "needs_you": ("Waits for you: {count}", "等待您处理：{count}"),
    "nothing_waits": ("Nothing waits for you.", "没有事项等待您处理。"),
    "uncertain": ("Perhaps sent, perhaps not: {count}", "不确定是否送达：{count}"),
    "drafts": ("Drafts to approve: {count}", "待批草稿：{count}"),
    "tasks": ("Conversations: {count}", "会话：{count}"),
    "untold": ("Not told to you: {count}", "未通知到您：{count}"),
    "paused": ("Paused", "已暂停"),
    "stands": ("How it stands", "运行情况"),
    # status: rows
    "contact": ("{contact}, since {since} ({span})", "{contact}，自 {since}（{span}）"),
    "since": ("since {since} ({span})", "自 {since}（{span}）"),
    "peer_wrote": ("the other side: {text}", "对方：{text}"),
    "our_reply": ("our reply: {text}", "我方答复：{text}"),
    "draft_text": ("text: {text}", "文字：{text}"),
    "more_lines": ("… {count} more", "……另有 {count} 条"),
    "do_continue": ("let it go on", "让它继续"),
    "do_close": ("end the conversation", "结束会话"),
    "do_answer": (
        'or say more: add "note":"…" to the first; or {form} to answer yourself',
        '或补充说明：在前一条加 "note":"…"；或用 {form} 由您亲自答复',
    ),
    "do_show": ("read it whole", "查看全文"),
    "do_approve": ("send exactly this text", "按此文字发送"),
    "do_reject": ("never send it", "不发送"),
    "do_delivered": ("it arrived", "已送达"),
    "do_not_delivered": ("it did not; try again", "未送达；再试一次"),
    "expires": ("expires in {span}", "{span}后到期"),
    "expired": ("expired", "已到期"),
    "reject_only": ("reject only", "只能拒绝"),
    "going_on": ("going on", "进行中"),
    "turns": ("turns", "次数"),
    "today": ("today, all contacts", "今日（全部会话）"),
    "time_left": ("time left", "剩余时间"),
    "until": ("{span}, until {until}", "{span}，至 {until}"),
    "everywhere": ("everywhere", "全部"),
    "mode": ("mode", "模式"),
    "attended": (
        "attended: what comes by the hub is fetched and shown, not answered; chats follow the policy",
        "有人值守：平台来信只取不答；聊天按策略处理",
    ),
    "autonomous": ("within the grant", "在授权范围内自动处理"),
    "level": ("readiness", "就绪程度"),
    "reported": ("{level} (this machine's own word)", "{level}（本机自报）"),
    "at_hub": ("at the hub", "平台所见"),
    "hub_said": ("{level}, by our report of {when}", "{level}（据 {when} 的自报）"),
    "lacks": ("lacks: {what}", "缺少：{what}"),
    "background": ("background", "后台"),
    "background_yes": ("cycles observed; boots seen: {boots}", "已观察到周期；经历开机次数：{boots}"),
    "background_no": ("no cycles observed in this boot", "本次开机尚未观察到周期"),
    "last_cycle": ("last cycle", "最近周期"),
    "cycle_ok": ("{when}, well", "{when}，成功"),
    "cycle_on": ("{when}, under way", "{when}，进行中"),
    "cycle_bad": ("{when}, not well", "{when}，未成功"),
    "never": ("never", "从未"),
    "real_peer": ("real peer", "真实对端"),
    "verified": ("verified with {contact} on {when}", "已与 {contact} 于 {when} 验证"),
    "unverified": (
        "unverified: no full exchange with an owner-authorised test contact",
        "尚未验证：没有与主人授权的测试对象之间的完整往来",
    ),
    "messages": ("messages", "来信"),
    "replies": ("replies", "答复"),
    "none": ("none", "无"),
    # resolve, pause, resume, export
    "resolved": ("done: {what}", "已登记：{what}"),
    "repeated": ("this was entered before; nothing changed", "此前已登记；没有变化"),
    "paused_at": ("paused: {where}", "已暂停：{where}"),
    "resumed_at": ("resumed: {where}", "已恢复：{where}"),
    "was_not_paused": ("was not paused: {where}", "原本未暂停：{where}"),
    "exported": ("{count} packets in {folder}", "已写出 {count} 个包，位于 {folder}"),
    # why
    "decision": (
        "{what}: {outcome} to {audience}: {meaning} (`{reason}`)",
        "{what}：{outcome}，对{audience}：{meaning}（`{reason}`）",
    ),
    "shadow": ("(shadow: without it {would}) {meaning}", "（影子模式：否则为 {would}）{meaning}"),
    "kept_until": ("{kind}, kept until {until}:", "{kind}，保留至 {until}："),
    "no_evidence": ("no evidence is kept of it", "没有为此保留的证据"),
    # drafts
    "draft_head": ("sha256 {sha256}\nexpires {expires}", "sha256 {sha256}\n到期 {expires}"),
    "draft_is": ("{id}: {state}", "{id}：{state}"),
    "pinged": ("pinged", "已提醒"),
    # backup, restore, schedule
    "backed_up": (
        "backup: {file}, {bytes} bytes, checked. It holds everything but the role key: keep that safe yourself.",
        "备份：{file}，{bytes} 字节，已校验。其中不含角色密钥：请另行妥善保存。",
    ),
    "backed_up_key": (
        "backup: {file}, {bytes} bytes, checked. It holds the role key: whoever has the file is this role.",
        "备份：{file}，{bytes} 字节，已校验。其中含角色密钥：持有此文件者即可冒用该角色。",
    ),
    "restored": ("restored: {files}", "已恢复：{files}"),
    "restored_older": (
        "This state is older than what was used here: nothing is refunded, and the receiver will not start with a "
        "grant that was used. Restore a newer state, or ask the owner for a new grant under a new `grant_id`.",
        "此状态早于此处已有的使用记录：次数不退还，接收器不会在已用过的授权下启动。"
        "请恢复较新的状态，或由主人给出使用新 `grant_id` 的授权。",
    ),
    "install": ("to install, by yourself:", "请自行安装："),
    "remove": ("to remove; the state folder stays:", "移除（状态目录保留）："),
    "one_only": ("use one of `run` and `once`, never both", "`run` 与 `once` 只用其一"),
    "login_only": (
        "login session only: it starts when you log in on the screen and ends at log-out",
        "仅限登录会话：图形登录后启动，登出即停止",
    ),
    "wsl_only": (
        "the receiver is a Linux program: on Windows it runs inside WSL, while you are logged in",
        "接收器是 Linux 程序：在 Windows 上运行于 WSL 内，且仅在您登录期间",
    ),
    "cron_minute": (
        "once a minute is the least that cron knows; in `run` mode nothing starts it again when it fails",
        "cron 最短间隔为一分钟；`run` 模式下失败后不会自动重启",
    ),
}
"""Every sentence of these commands."""

LEVELS: Final[dict[str, tuple[str, str]]] = {
    "none": ("nothing reported", "未自报"),
    "configured": ("configured", "已配置"),
    "reachable": ("reachable", "可联系"),
    "attended": ("attended", "有人值守"),
    "autonomous_reported": ("autonomous (reported)", "可自动办事（自报）"),
}
STATES: Final[dict[str, tuple[str, str]]] = {
    "open": ("open", "进行中"),
    "waiting_owner": ("waits for you", "等待您"),
    "completed": ("completed", "已完成"),
    "closed": ("closed", "已关闭"),
    # messages
    "in_turn": ("being handled", "处理中"),
    "deferred": ("resting", "暂放"),
    "kept": ("kept for you", "为您保留"),
    "done": ("done", "已处理"),
    "silent": ("not answered", "未答复"),
    # replies
    "saved": ("saved", "已保存"),
    "sending": ("being sent", "发送中"),
    "sent": ("sent", "已发送"),
    "uncertain": ("uncertain", "不确定"),
    "held": ("held", "待批"),
    "denied": ("denied", "被拒"),
    "stopped": ("stopped", "已中止"),
    # drafts
    "filed": ("filed", "待批"),
    "approved": ("approved", "已批准"),
    "claimed": ("claimed", "发送中"),
    "delivered": ("delivered", "已送达"),
    "rejected": ("rejected", "已拒绝"),
    "expired": ("expired", "已过期"),
    # notifications
    "queued": ("queued", "排队中"),
    "failed": ("failed", "失败"),
    "local_only": ("kept here, no notifier", "仅本地，无通知器"),
    # outcomes
    "respond": ("respond", "答复"),
    "defer": ("defer", "暂缓"),
    "send": ("send", "发送"),
    "replace": ("replace", "替换"),
    "hold": ("hold", "扣留"),
    "deny": ("deny", "拒绝"),
    # audiences
    "external": ("external", "外部"),
    "internal": ("internal", "内部"),
    "operator": ("operator", "操作员"),
}
"""States of rows, for eyes; a word that is not here is shown as it is."""


def told(name: str, **values: object) -> str:
    """One sentence of the table, in the language that holds."""
    return pick(PHRASES[name], **values)


def word(state: str) -> str:
    """One state in words."""
    return pick(STATES[state]) if state in STATES else state
