"""Words that were written down in one language, or as a code, for whoever reads them now.

1. The ledger keeps what the owner was told in the language of that day. A first line that is one of our own sentences
   is said again in the reader's language; what a handler said beneath it is nobody's to translate.
2. The journal keeps codes. Those of a message's life and of operators have their words here; those of the gate have
   theirs in `gate/why.py`. A code without words is shown as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from dragoman.receiver import sentences

LIFE: Final[dict[str, tuple[str, str]]] = {
    # kinds of records
    "event": ("event", "事件"),
    "output": ("output", "输出"),
    "life": ("life", "处理过程"),
    "operator": ("operator", "操作员"),
    # what happened
    "decided": ("decided", "已得出答复"),
    "parked": ("parked", "已搁置"),
    "gave_up": ("given up", "已放弃"),
    "kept": ("kept", "已保留"),
    "given_back": ("given back", "已退回"),
    "readmitted": ("admitted again", "重新准入"),
    "turn_failed": ("a turn failed", "一次处理失败"),
    "turn_ended": ("the turn ended", "本次处理结束"),
    "stopped": ("stopped", "已停止"),
    "draft_approved": ("draft approved", "草稿已批准"),
    "draft_rejected": ("draft rejected", "草稿已拒绝"),
    "draft_confirmed": ("draft confirmed", "草稿已确认送达"),
    "draft_not_delivered": ("draft not delivered", "草稿未送达"),
    "draft_expired": ("draft expired", "草稿已过期"),
    "paused": ("paused", "已暂停"),
    "resumed": ("resumed", "已恢复"),
    "resolved": ("resolved", "已由主人决定"),
    "reply_resolved": ("reply resolved", "答复已由主人确认"),
    "notification_resolved": ("notification resolved", "通知已由主人确认"),
    "contact_accepted": ("contact taken on", "已接待会话"),
    "probe_passed": ("probe passed", "探针通过"),
    "probe_failed": ("probe failed", "探针未通过"),
    "packet_not_written": ("packet not written", "包未写出"),
    "policy_changed": ("policy changed", "策略已更换"),
    "trade_event": ("a trade event", "交易事件"),
    "told_owner": ("the owner was told", "已告知主人"),
    "policy_refused": ("policy refused", "策略未被采用"),
    # why
    "reply": ("the handler replied", "处理器给出答复"),
    "waiting_owner": ("the owner is asked", "询问主人"),
    "completed": ("completed", "已完成"),
    "no_reply": ("nothing to say", "无需答复"),
    "courtesies": ("only courtesies were left", "只剩客套话"),
    "command_line": ("by command line", "经命令行"),
    "accept_inbound": ("`accept_inbound` allows it", "`accept_inbound` 允许"),
    "handler": ("the handler", "处理器"),
    "notifier": ("the notifier", "通知器"),
    "stop": ("an operator's stop", "操作员停止"),
    "grant_expired": ("the grant has expired", "授权已到期"),
    "turn_limit": ("the turns are used up", "次数已用完"),
    "daily_limit": ("today's budget is used up", "今日次数已用完"),
    "grant_changed": ("the scope was changed", "范围已被修改"),
    "generation_changed": ("another instance took over", "另一实例已接管"),
    "reply_limited": ("the hub's reply limit", "平台回复限额"),
    "not_in_scope": ("outside the task", "任务范围之外"),
    "contact_closed": ("the contact is closed", "会话已关闭"),
    "uncertain_send": ("perhaps sent, perhaps not", "不确定是否送达"),
    # faults of a handler
    "cannot_start": ("the command cannot be started", "命令无法启动"),
    "command_changed": ("the command's file has changed", "命令文件已改变"),
    "exit_code": ("the command failed", "命令失败"),
    "timeout": ("too late", "超时"),
    "unreachable": ("cannot be reached", "无法连接"),
    "http_status": ("the endpoint refused", "端点拒绝"),
    "output_too_large": ("too much output", "输出过多"),
    "not_utf8": ("not UTF-8", "不是 UTF-8"),
    "not_json": ("not JSON", "不是 JSON"),
    "duplicate_key": ("a key stands twice", "键重复"),
    "unknown_key": ("an unknown key", "未知的键"),
    "wrong_schema": ("not the agreed form", "格式不符"),
    "complete_without_reply": ("`complete` without a reply", "没有答复却带 `complete`"),
    "empty_message": ("an empty message", "空的消息"),
    "message_too_large": ("the message is too long", "消息过长"),
    "probe_answer": ("no answer to a probe", "不是对探针的答复"),
    "tool_call": ("a tool was called", "调用了工具"),
    "host_error": ("the host reported an error", "宿主报错"),
}
"""Codes of the journal that are not the gate's, English beside Chinese."""


def life(code: str, language: str) -> str:
    """One code in words; as it is when it has none."""
    pair = LIFE.get(code)
    return code.replace("_", " ") if pair is None else pair[language == "zh"]


def retold(words: str, language: str) -> str:
    """What was written down, with its first line in the reader's language if it is a sentence of ours."""
    first, _, rest = words.partition("\n")
    pair = _known().get(first)
    if pair is None:
        return words
    again = pair[language == "zh"]
    return f"{again}\n{rest}" if rest else again


@cache
def _known() -> dict[str, tuple[str, str]]:
    return {text: pair for pair in _pairs(vars(sentences).values()) for text in pair}


def _pairs(values: Iterable[object]) -> Iterator[tuple[str, str]]:
    """Every pair of sentences in the module, in tables too."""
    for value in values:
        if isinstance(value, dict) and not any(isinstance(key, str) and key.startswith("__") for key in value):
            yield from _pairs(value.values())
        elif isinstance(value, tuple) and len(value) == 2 and all(isinstance(text, str) for text in value):
            yield value
