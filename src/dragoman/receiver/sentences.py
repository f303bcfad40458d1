"""What the owner reads: one fixed sentence per stop and event, in English and Chinese. Nothing is interpolated.

The counterparty never sees any of these. What a handler says for the owner (`owner_summary`) travels beside them.
"""

from __future__ import annotations

from typing import Final

from dragoman.words import DraftState, StopReason

STOP: Final[dict[StopReason, tuple[str, str]]] = {
    StopReason.GRANT_EXPIRED: (
        "The task's time is over; nothing more is processed or sent until a new grant.",
        "任务期限已到；在新的授权之前不再处理或发送。",
    ),
    StopReason.TURN_LIMIT: (
        "The turns for this conversation are used up; new messages are left waiting.",
        "该会话的次数已用完；新消息保留等待。",
    ),
    StopReason.DAILY_LIMIT: (
        "Today's number of handler calls is used up; messages are looked at again on the next UTC day.",
        "今日处理次数已用完；下一个 UTC 日重新检查。",
    ),
    StopReason.WAITING_OWNER: ("This conversation waits for your decision.", "该会话等待您的决定。"),
    StopReason.COMPLETED: ("This conversation is completed.", "该会话已完成。"),
    StopReason.GRANT_CHANGED: (
        "The task's scope was changed under the same grant id; nothing is done until it is restored or gets a new id.",
        "任务范围在同一授权编号下被修改；恢复原文或使用新编号之前不再处理。",
    ),
    StopReason.GENERATION_CHANGED: (
        "Another instance has taken over this role; this one has stopped.",
        "另一实例已接管该角色；本实例已停止。",
    ),
    StopReason.REPLY_LIMITED: (
        "The hub's reply limit is reached; the reply is sent when it allows it.",
        "平台回复限额已到；允许后再发送。",
    ),
    StopReason.NOT_IN_SCOPE: (
        "A contact outside the task wrote; it was not answered and nothing was spent.",
        "任务范围之外的联系人来信；未答复，未消耗次数。",
    ),
    StopReason.CONTACT_CLOSED: ("The contact is closed.", "会话已关闭。"),
    StopReason.UNCERTAIN_SEND: (
        "It cannot be proven whether a reply was delivered; it is not sent again until you say so.",
        "无法证明答复是否送达；在您确认之前不会重发。",
    ),
}

STRANGERS: Final = (
    "More contacts outside the task wrote today; none was answered and nothing was spent. They are in the status.",
    "今日还有任务范围之外的联系人来信；均未答复，未消耗次数；详见状态。",
)
PARKED: Final = (
    "The handler failed repeatedly on a message; its text is kept here and waits for you.",
    "处理器多次失败；消息文本已保存，等待您处理。",
)
HELD: Final = ("A reply is held for your approval.", "一条答复等待您的批准。")
REJECTED: Final = (
    "The held reply was rejected; it is not sent. You decide how to go on (`dragoman resolve`).",
    "待批答复已被拒绝，不会发送；请您决定如何继续（`dragoman resolve`）。",
)
OVERDUE: Final = (
    "The held reply was not approved in time; it is not sent. You decide how to go on (`dragoman resolve`).",
    "待批答复未在期限内获得批准，不会发送；请您决定如何继续（`dragoman resolve`）。",
)
DROPPED: Final = {DraftState.REJECTED: REJECTED, DraftState.EXPIRED: OVERDUE}
"""What is said of a held reply that will not be sent."""
REMINDER: Final = (
    "No answer has come to our last message within the time you set; nothing was sent to the other side.",
    "在您设定的时间内尚未收到对方答复；未向对方发送任何内容。",
)
EXPIRED: Final = (
    "The other side did not fetch a message of ours in time; the hub has dropped it. Nothing was sent again.",
    "对方未在期限内取走我方的一条消息，平台已将其移除；未重新发送。",
)
DRAFT_WAITS: Final = (
    "A draft still waits for your approval (`dragoman drafts list`).",
    "一条草稿仍在等待您的批准（`dragoman drafts list`）。",
)
LAPSED: Final = (
    "A draft was not decided on in time; it is not sent.",
    "一条草稿未在期限内得到决定，不会发送。",
)
ROLE_ENDED: Final = (
    "The receiver of this role has ended and is tried again by itself; `dragoman status` says how to mend it. Cause:",
    "该角色的接收器已结束，会自动重试；处理方法见 `dragoman status`。原因：",
)
SENT: Final = ("A reply was sent.", "已发送一条答复。")
ENDED: Final = ("The conversation ended without a reply.", "会话已结束，未发送答复。")


def said(pair: tuple[str, str], language: str, summary: str = "") -> str:
    """The sentence in the owner's language, and after it what the handler wanted the owner to know."""
    sentence = in_language(pair, language)
    return f"{sentence}\n{summary}" if summary else sentence


def in_language(pair: tuple[str, str], language: str) -> str:
    """One sentence of a pair, English first."""
    return pair[1] if language == "zh" else pair[0]
