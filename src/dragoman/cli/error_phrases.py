"""Errors in Chinese: the safe sentence of every code, and every fix that stands in a table.

English stands where the error is raised (`errors.CODES`, `fix=`). A fix with something filled in is looked up by its
pattern; one that is in no table is shown in English, because a fix that cannot be read is worse than one in the other
language. `tests/cli/test_phrases.py` holds every code, and every fix of the files that an owner meets.
"""

from __future__ import annotations

import re
from typing import Final

from dragoman.errors import CODES, DragomanError

SAFE: Final[dict[str, str]] = {
    "usage": "无法理解该命令",
    "config_missing": "找不到配置文件",
    "config_unreadable": "无法读取配置文件",
    "config_invalid": "配置无效",
    "config_not_private": "配置可被他人读取或修改",
    "example_values": "配置仍含示例值",
    "policy_invalid": "策略无效",
    "input_invalid": "输入无效",
    "input_too_large": "输入过大",
    "not_found": "没有此项",
    "conflict": "与当前状态不符",
    "not_implemented": "尚未实现",
    "extra_missing": "缺少一个可选组件",
    "state_locked": "另一个进程正占用此状态",
    "ledger_missing": "该授权对应的账本缺失或较旧",
    "ledger_broken": "账本无法使用",
    "journal_altered": "日志与写入时不一致",
    "grant_changed": "同一授权编号下的范围已被修改",
    "store_broken": "平台的存储无法使用",
    "generation_changed": "另一实例已接管该角色",
    "hub_unreachable": "无法连接平台",
    "hub_refused": "平台拒绝了请求",
    "channel_unreachable": "无法连接聊天平台",
    "channel_refused": "聊天平台拒绝了请求",
    "inbox_broken": "平台推送的内容无法保存",
    "key_invalid": "角色密钥无法使用",
    "ungated_send": "有代码试图绕过网关发言，已被阻止",
    "handler_failed": "处理器没有给出可用的答复",
    "notifier_failed": "通知器没有确认",
    "not_ready": "有事项须先处理",
    "internal": "内部错误",
}
"""The safe sentence of each code."""

FIXES: Final[dict[str, str]] = {
    # the command line
    "see `dragoman --help`": "见 `dragoman --help`",
    "say `--lang en` or `--lang zh`": "请写 `--lang en` 或 `--lang zh`",
    "give exactly one": "只给其中一个",
    "leave `--at-once` out": "请去掉 `--at-once`",
    "name the file": "请指明文件",
    "write one JSON object per line": "每行写一个 JSON 对象",
    "pipe the input in": "请通过管道输入",
    "check the path": "请检查路径",
    "give valid JSON": "请给出有效的 JSON",
    "give strict JSON, each key once": "请给出严格的 JSON，每个键只出现一次",
    "report it with this place and the command": "请附上此位置和所用命令报告问题",
    "look at the platform, then say `--delivered` or `--not-delivered`": (
        "请到平台核对，再用 `--delivered` 或 `--not-delivered` 说明"
    ),
    "approve one id, or leave `--sha256` out": "只批准一个编号，或不写 `--sha256`",
    "ask the owner, then `dragoman resolve` under the same id": "请询问主人，再以同一编号执行 `dragoman resolve`",
    "run it by hand with a probe request": "请手工用自检请求运行它",
    "see `dragoman journal show`": "见 `dragoman journal show`",
    "look at it with `dragoman status` and answer that": "请用 `dragoman status` 查看后再答复",
    "see `dragoman status`": "见 `dragoman status`",
    "write `platform/workspace/channel`": "请写成 `platform/workspace/channel`",
    # hubs and their operators
    "use the newest key file of this role, or recover it with `dragoman hub key recover`": (
        "请使用该角色最新的密钥文件，或用 `dragoman hub key recover` 恢复"
    ),
    "recover the role with `dragoman hub key recover`": "请用 `dragoman hub key recover` 恢复该角色",
    "ask the hub's operator for an invitation, then `dragoman hub register --invitation FILE`": (
        "请向平台运营者索取邀请，再执行 `dragoman hub register --invitation FILE`"
    ),
    "ask the hub's operator for another invitation": "请向平台运营者索取新的邀请",
    "use the recovery key that was named, or ask the hub's operator for a code": (
        "请使用事先登记的恢复密钥，或向平台运营者索取恢复码"
    ),
    "ask the hub's operator": "请联系平台运营者",
    "try again in a moment": "请稍后重试",
    "try again when the hub is back": "请待平台恢复后重试",
    "say `--yes` when it is meant": "确实如此时请写 `--yes`",
    "name the store that `dragoman hub serve` made": "请指明 `dragoman hub serve` 所建的存储",
    "restore into a database of its own": "请恢复到一个单独的数据库",
    "move it away first": "请先将其移走",
    "move it away": "请将其移走",
    "see `dragoman hub roles`": "见 `dragoman hub roles`",
    "make it with `dragoman hub tenants`": "请用 `dragoman hub tenants` 建立",
    "use 1 to 64 of a-z, 0-9 and `-`": "请使用 1 至 64 个 a-z、0-9 和 `-`",
    "install PostgreSQL's client programs": "请安装 PostgreSQL 的客户端程序",
    # drafts
    "see `dragoman drafts list`": "见 `dragoman drafts list`",
    "see `dragoman drafts list` for those that wait": "仍在等待的见 `dragoman drafts list`",
    "answer by `dragoman resolve`": "请用 `dragoman resolve` 答复",
    "reject it, then answer by `dragoman resolve`": "请先拒绝，再用 `dragoman resolve` 答复",
    "show it again, then approve": "请重新查看后再批准",
    # values of a wrong type
    "give a whole number": "请给出整数",
    "give a number": "请给出数字",
    "give true or false": "请给出 true 或 false",
    "give a text": "请给出文本",
    "give a list": "请给出列表",
    "give base64": "请给出 base64",
    # the ways to tell the owner
    "keep one; there is one way to tell the owner": "只保留一种；通知主人只有一种方式",
    "remove it": "请删去",
    "use an `https://` address": "请使用 `https://` 地址",
    "give both, or neither": "两项都写，或都不写",
    "write `platform/workspace/channel`, as in the policy": "请写成 `platform/workspace/channel`，与策略一致",
    "name the SMTP server, without port or scheme": "请写 SMTP 服务器名，不含端口与协议",
    'use "tls" or "starttls"': '请使用 "tls" 或 "starttls"',
    "write `name@example.org`: ASCII, without a name, quotes or brackets": (
        "请写成 `name@example.org`：仅 ASCII，不含姓名、引号与括号"
    ),
    "see `channels`": "见 `channels`",
    "let nobody from outside be in there, and the platform say so": "请确保其中没有外部成员，且平台能够证明",
    'list it under `[[targets]]` of the policy with `audience = "internal"` or `"operator"`': (
        '请在策略的 `[[targets]]` 中列出它，并设 `audience = "internal"` 或 `"operator"`'
    ),
    "run it inside the desktop session, or as its user's service (`systemctl --user`)": (
        "请在桌面会话中运行，或作为该用户的服务运行（`systemctl --user`）"
    ),
    "check server, port, security, account and password file": "请检查服务器、端口、加密方式、账号与密码文件",
    "see that it listens, and that its certificate is its own": "请确认它在监听，且证书属于它",
    "write 32 random hex characters": "请写入 32 个随机十六进制字符",
    "name a PEM file of certificates": "请指定一个 PEM 证书文件",
    "install this system's certificates, or name `ca_file`": "请安装系统证书，或指定 `ca_file`",
    # configuration
    "chmod 600 the file and 700 its folder, owned by you": "文件权限 600，所在目录 700，属于您本人",
    "write one; see `dragoman doctor --schema`": "请编写一个；格式见 `dragoman doctor --schema`",
    "check the path and its owner; no symlinks": "请检查路径及其属主；不可为符号链接",
    "mend the syntax at that place": "请修正该处语法",
    "keep the one that the owner meant": "只保留主人要的那一个",
    "keep one": "只保留一个",
    "write `{...}`": "请写成 `{...}`",
    "add `hub`, or one of `channels`": "请加上 `hub` 或 `channels` 之一",
    "add `hub`, or set it to null": "请加上 `hub`，或将其设为 null",
    "write purpose, what may be answered and disclosed, when to ask, when it is done": (
        "请写明目的、可回答与披露的范围、何时询问、何时完成"
    ),
    "name a contact": "请指明一个会话",
    "put in what the owner actually granted": "请填入主人实际授权的内容",
    "put the file beside the policy and name it without a folder": "请将文件放在策略旁，只写文件名",
    "check the path and its mode": "请检查路径及权限",
    "split the terms": "请拆分词条",
    # state
    "restore the state folder; or start with the owner's new grant under a new `grant_id`": (
        "请恢复状态目录；或由主人给出新的授权，使用新的 `grant_id`"
    ),
    "restore the state folder": "请恢复状态目录",
    "restore the state folder from a backup; do not delete it": "请从备份恢复状态目录；不要删除它",
    "restore the state folder, or use the release that wrote it": "请恢复状态目录，或使用写入它的版本",
    "restore the ledger beside it, or use a new folder": "请恢复旁边的账本，或使用新的目录",
    "check the path; if it is right, restore the state folder": "请检查路径；如无误，请恢复状态目录",
    "open it instead": "请直接打开它",
    "another process keeps the ledger busy; try again": "另一进程占用账本；请重试",
    "chmod 700 the folder and 600 its files, owned by you": "目录权限 700，文件 600，属于您本人",
    "see that the disk has room and can be written; nothing was done that is not written down": (
        "请确认磁盘有空间且可写；没有任何未记录的操作"
    ),
    "free disk space and see that the folder can be written; nothing was asked of the handler": (
        "请腾出磁盘空间并确认目录可写；处理器未被调用"
    ),
    "keep the file as it is; compare it with an exported copy, and restore from a backup": (
        "请原样保留文件；与导出的副本比对，并从备份恢复"
    ),
    "use `run` or `once`, not both": "`run` 与 `once` 只用其一",
    "chmod 700, owned by you, on a disk that can be written": "权限 700，属于您本人，磁盘可写",
    "chmod 700, owned by you, on a disk with room": "权限 700，属于您本人，磁盘有空间",
    "chmod 700, owned by you": "权限 700，属于您本人",
    "chmod 600, owned by you": "权限 600，属于您本人",
    "chmod 600": "权限改为 600",
    "one receiver per role: stop the other one, or use its state": (
        "每个角色只有一个接收器：请停止另一个，或使用它的状态"
    ),
    "chmod o-w that folder": "请对该目录执行 chmod o-w",
    # backup and restore
    "choose a name that is free": "请换一个未占用的文件名",
    "choose a folder that exists, with room": "请选择已存在且有空间的目录",
    "give a file that `dragoman backup` wrote": "请给出由 `dragoman backup` 写出的文件",
    "move the present state folder away first; nothing is overwritten": "请先移走现有的状态目录；不会覆盖任何内容",
    "stop the receiver first": "请先停止接收器",
    "leave `--with-key` out": "请去掉 `--with-key`",
    "name it in `autonomy.contact_ids` too, when the owner granted it": (
        "主人若已授权，请同时写入 `autonomy.contact_ids`"
    ),
    # schedule
    "accepted values: systemd, launchd, cron, windows": "可用值：systemd、launchd、cron、windows",
    "accepted values: run, once": "可用值：run、once",
    "use a path without it": "请换用不含它的路径",
    "choose another path": "请换一个路径",
    # the hub
    "stop that instance, then `dragoman hub login --takeover`": (
        "请停止该实例，再执行 `dragoman hub login --takeover`"
    ),
    "run here only after `dragoman hub login --takeover` and the owner's new grant id": (
        "须先执行 `dragoman hub login --takeover` 并取得主人的新授权编号，才可在此运行"
    ),
    "restore the text, or ask the owner and use a new `grant_id`; `dragoman doctor` says what is wrong": (
        "请恢复原文，或询问主人并使用新的 `grant_id`；`dragoman doctor` 会说明问题"
    ),
    "restore the role key, or make one with `dragoman hub keygen`": (
        "请恢复角色密钥，或用 `dragoman hub keygen` 新建一个"
    ),
    "mend `hub.role_id`": "请改正 `hub.role_id`",
    "use `https://`": "请使用 `https://`",
    "write `https://host`, or `http://` for this machine": "请写 `https://host`；仅本机可用 `http://`",
    "chown, chmod, or name it by its full path": "请修正属主或权限，或写出完整路径",
    # resolve
    "ask the owner first": "请先询问主人",
    "contact_id + decision, reply_id + reply_delivered, or notification_id + notification_delivered": (
        "contact_id + decision、reply_id + reply_delivered 或 notification_id + notification_delivered"
    ),
    "reply_delivered": "请先用 reply_delivered 确认该答复",
    "export elsewhere": "请导出到别处",
}
"""Whole fixes, English to Chinese."""

PATTERNS: Final[tuple[tuple[str, str], ...]] = (
    ("accepted keys: {}", "可用的键：{}"),
    ("accepted values: {}", "可用值：{}"),
    ("see `{} --help`", "见 `{} --help`"),
    ("add `{}`", "请加上 `{}`"),
    ("configured accounts: {}", "已配置的账号：{}"),
    ("pip install 'dragoman[{}]'", "pip install 'dragoman[{}]'"),
    ("show it again (`dragoman drafts show {}`), then approve", "请重新查看（`dragoman drafts show {}`）后再批准"),
    ("chown it to you and run `chmod o-w {}`", "请将属主改为您本人并执行 `chmod o-w {}`"),
)
"""Fixes with one place filled in; `{}` is that place."""

_LABELS: Final[dict[str, str]] = {"where": "位置", "detail": "详情", "fix": "处理"}
_COMPILED: Final = tuple((re.compile(re.escape(en).replace(r"\{\}", "(.+)"), re.DOTALL), zh) for en, zh in PATTERNS)


def safe(error: DragomanError, language: str) -> str:
    """The safe sentence of an error."""
    return SAFE[error.code if error.code in CODES else "internal"] if language == "zh" else error.safe


def fix(text: str, language: str) -> str:
    """How to mend it; in English where no table has it."""
    if language != "zh" or text in FIXES:
        return FIXES[text] if language == "zh" else text
    for pattern, chinese in _COMPILED:
        if found := pattern.fullmatch(text):
            return chinese.replace("{}", found[1])
    return text


def label(name: str, language: str) -> str:
    """The name of a part of an error."""
    return _LABELS[name] if language == "zh" else name
