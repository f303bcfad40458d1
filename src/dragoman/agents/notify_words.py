"""What a person reads of a notification: the milestone in words, the summary, and where to answer. Pure.

`title` holds only words of ours, so that a subject line or a lock screen never shows what a counterparty wrote.
`first_line` is the fixed sentence of the event; what follows it may quote the handler. `body` is the whole.
"""

from __future__ import annotations

from typing import Final

from dragoman.agents.notifier import Notification
from dragoman.words import Milestone

TITLES: Final[dict[Milestone, tuple[str, str]]] = {
    Milestone.DECISION_NEEDED: ("Your decision is needed", "需要您决定"),
    Milestone.COMPLETED: ("The matter is completed", "事项已完成"),
    Milestone.LIMIT_HIT: ("A limit was reached", "已达到限额"),
    Milestone.WAIT_REMINDER: ("No answer yet", "尚未收到答复"),
    Milestone.TRADE: ("A trade event", "交易事件"),
    Milestone.RESULT: ("A reply was sent", "已发送答复"),
    Milestone.PROBE: ("Self-check of the notifier", "通知自检"),
}
_CONTACT: Final = ("Contact", "联系")
_ANSWER: Final = (
    "See `dragoman status`; answer with `dragoman resolve`. Do not answer this message.",
    "请查看 `dragoman status`，并用 `dragoman resolve` 答复；请勿直接回复本消息。",
)
_CUT: Final = (" (more in `dragoman status`)", "（更多内容见 `dragoman status`）")


def title(milestone: Milestone, language: str) -> str:
    """Why the owner is told, on one line."""
    return _in(TITLES[milestone], language)


def first_line(notification: Notification) -> str:
    """The fixed sentence of the event, without what the handler added."""
    return notification.summary.partition("\n")[0]


def body(notification: Notification, language: str) -> str:
    """The summary, whom it is about, and where the owner answers."""
    lines = [notification.summary]
    if notification.contact_id:
        lines.append(f"{_in(_CONTACT, language)}: {notification.contact_id}")
    if not notification.probe:
        lines.append(_in(_ANSWER, language))
    return "\n\n".join(lines)


def cut(text: str, length: int, language: str) -> str:
    """`text`, at most `length` characters; that something is missing is said."""
    note = _in(_CUT, language)
    return text if len(text) <= length else text[: length - len(note)].rstrip() + note


def _in(pair: tuple[str, str], language: str) -> str:
    return pair[1] if language == "zh" else pair[0]
