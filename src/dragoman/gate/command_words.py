"""What an operator reads after a control command: one fixed sentence in English and Chinese (spec 1 §11.2).

Whatever did nothing carries its code, so that it can be looked up. `status` alone tells more: counts, and the drafts
that wait with their age; the target of each only where the surface is the operator's own. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from dragoman.clock import DAY, HOUR, MINUTE
from dragoman.gate.commands import Said
from dragoman.gate.ports import Filed
from dragoman.words import Audience

MOST: Final = 10
"""How many waiting drafts one status names."""

ANSWERS: Final[dict[Said, tuple[str, str]]] = {
    Said.STOPPED: ("Stopped.", "已停止。"),
    Said.NOTHING_RUNS: ("Nothing was running here.", "此处没有正在进行的处理。"),
    Said.PAUSED_HERE: ("Paused here; nothing more is sent here.", "已在此处暂停；此处不再发送任何内容。"),
    Said.PAUSED_EVERYWHERE: ("Paused everywhere; nothing more is sent.", "已全部暂停；不再发送任何内容。"),
    Said.RESUMED_HERE: ("Going on here.", "已在此处恢复。"),
    Said.RESUMED_EVERYWHERE: (
        "Going on; single places that were paused stay so.",
        "已恢复；单独暂停的地方仍然暂停。",
    ),
    Said.NOT_PAUSED: ("There was no such pause.", "没有这样的暂停。"),
    Said.STILL_PAUSED: ("Going on here as soon as the pause everywhere ends.", "此处已恢复；全部暂停结束后继续。"),
    Said.APPROVED: ("Approved; it goes out once, if every check still passes.", "已批准；各项检查仍通过时发送一次。"),
    Said.DELIVERED: ("Approved and delivered.", "已批准并送达。"),
    Said.UNCERTAIN: (
        "Approved and sent; whether it arrived is not known. It is not sent again.",
        "已批准并发送；是否送达不明。不会重发。",
    ),
    Said.KEPT_BACK: ("Approved, but it did not leave: a check refused it.", "已批准，但未发送：检查未通过。"),
    Said.REJECTED: ("Rejected; it is not sent.", "已拒绝；不会发送。"),
    Said.UNKNOWN: ("No draft has this id.", "没有此编号的草稿。"),
    Said.DECIDED: ("This draft does not wait any more.", "该草稿已不在等待。"),
    Said.EXPIRED: ("This draft has expired.", "该草稿已过期。"),
    Said.NOT_APPROVABLE: (
        "This kind of hold cannot be approved, only rejected.",
        "此类扣留不能批准，只能拒绝。",
    ),
    Said.OTHER_TEXT: ("The hash is not that of this draft's text.", "校验值与该草稿的文字不符。"),
    Said.STALE: ("The policy has changed since this draft was filed.", "该草稿提交之后策略已改变。"),
    Said.UNCLEAR: ("That command was not understood; nothing was done.", "无法理解该命令；未做任何操作。"),
    Said.NOT_HERE: ("That command does not count here.", "该命令在此处无效。"),
}
"""The answers in English and Chinese."""

ACTED: Final = frozenset(
    {
        *(Said.STOPPED, Said.PAUSED_HERE, Said.PAUSED_EVERYWHERE, Said.RESUMED_HERE, Said.RESUMED_EVERYWHERE),
        *(Said.STILL_PAUSED, Said.STATUS, Said.APPROVED, Said.DELIVERED, Said.REJECTED),
    }
)
"""What did as it was told; every other answer names its code."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What a status tells of. `running` counts the turns at that target."""

    paused_here: bool
    paused_everywhere: bool
    running: int
    waiting: Sequence[Filed]
    uncertain: int
    now: int


def answer(said: Said, language: str) -> str:
    """The fixed sentence, with its code when nothing was done."""
    sentence = ANSWERS[said][language == "zh"]
    return sentence if said in ACTED else f"{sentence} ({said})"


def status_words(standing: Standing, language: str, audience: Audience) -> str:
    """Counts, and the oldest waiting drafts: id, reason, age; where they would go for the operator's eyes only."""
    chinese = language == "zh"
    lines = [_counts_zh(standing) if chinese else _counts_en(standing)]
    for draft in standing.waiting[:MOST]:
        row = [draft.id, str(draft.reason), age(standing.now - draft.filed_at, language)]
        if not draft.approvable:
            row.append("只能拒绝" if chinese else "reject only")
        if audience is Audience.OPERATOR:
            row.append(str(draft.target))
        lines.append("  ".join(row))
    more = len(standing.waiting) - MOST
    if more > 0:
        lines.append(f"另有 {more} 条" if chinese else f"and {more} more")
    return "\n".join(lines)


def age(ms: int, language: str = "en") -> str:
    """How long something has waited, in the largest whole unit."""
    chinese = language == "zh"
    for unit, english, other in ((DAY, "d", "天"), (HOUR, "h", "小时"), (MINUTE, "min", "分钟")):
        if ms >= unit:
            return f"{ms // unit} {other if chinese else english}"
    return "不到 1 分钟" if chinese else "under 1 min"


def _counts_en(standing: Standing) -> str:
    where = "everywhere" if standing.paused_everywhere else "here" if standing.paused_here else ""
    paused = f"Paused {where}." if where else "Not paused."
    return (
        f"{paused} Turns running here: {standing.running}. "
        f"Drafts waiting: {len(standing.waiting)}, uncertain: {standing.uncertain}."
    )


def _counts_zh(standing: Standing) -> str:
    paused = "已全部暂停。" if standing.paused_everywhere else "已在此处暂停。" if standing.paused_here else "未暂停。"
    return (
        f"{paused}此处正在处理：{standing.running}。待批草稿：{len(standing.waiting)}，结果不明：{standing.uncertain}。"
    )
