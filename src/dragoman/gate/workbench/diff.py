"""What would another policy change? The keys that differ, and the journal's decisions that would fall otherwise.

1. Rows of the two files are matched by what they name (a target, an account, an id), never by their place in the file.
2. Decisions are replayed under both policies, so that what counts is the policies' difference, not that of the day on
   which a record was written; where a record says something else than the old policy says now, that is counted apart.
3. What one of the two cannot replay is not compared, and told with why. A hub message that the receiver's autonomy
   admitted is not compared: that grant is made by its configuration, not by a policy file.
4. Protected terms and facts are counted, never shown.

Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from dragoman.gate.policy import Policy
from dragoman.gate.policy_keys import PolicyFile
from dragoman.gate.replay import NOT_REPLAYABLE, Pseudonym, Record, Replayed, replayed
from dragoman.words import Reason

_HIDDEN: Final = frozenset({"terms", "facts"})
_BY_NAME: Final[dict[str, Callable[[Any], str]]] = {
    "targets": lambda row: f"{row.platform}/{row.workspace}/{row.channel}",
    "operators": lambda row: f"{row.platform}/{row.workspace}/{row.id}",
    "counterparties": lambda row: str(row.id),
    "grants": lambda row: str(row.id),
}


class KeyChange(msgspec.Struct, frozen=True):
    """One key that differs: where (`targets{slack/T0/C0}.audience`), and both values as text; empty is absent."""

    where: str
    old: str
    new: str


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """One event that the two policies decide otherwise; `recorded` is what was decided then."""

    correlation_id: str
    recorded: tuple[str, str]
    old: tuple[str, str]
    new: tuple[str, str]


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """The journal under both policies."""

    events: int
    same: int
    changed: tuple[Changed, ...]
    recorded_otherwise: int
    """Events of which the old policy now says something else than the record: another policy was in force then."""
    not_replayable: dict[str, int]
    """Records that cannot be compared, by why."""

    @property
    def moves(self) -> list[tuple[tuple[str, str], tuple[str, str], int]]:
        """From which outcome and reason to which, how often; the most frequent first."""
        counted = Counter((each.old, each.new) for each in self.changed)
        return [(old, new, times) for (old, new), times in counted.most_common()]


def compared(records: Sequence[Record], old: Policy, new: Policy, pseudonym: Pseudonym) -> Compared:
    """Every event of `records` under both policies."""
    autonomous = {
        record.correlation_id
        for record in records
        if record.kind == "event" and record.reason == Reason.OPERATOR_REQUESTED and record.consumer.startswith("hub.")
    }
    pairs = zip(replayed(records, old, pseudonym), replayed(records, new, pseudonym), strict=True)
    changed: list[Changed] = []
    why: Counter[str] = Counter()
    events = same = otherwise = 0
    for before, after in pairs:
        if (reason := _incomparable(before, after, autonomous)) is not None:
            why[reason] += 1
            continue
        events += 1
        first, second = (before.after, before.reason_after), (after.after, after.reason_after)
        recorded = (before.before, before.reason_before)
        otherwise += recorded != first
        if first == second:
            same += 1
        else:
            changed.append(Changed(correlation_id=before.correlation_id, recorded=recorded, old=first, new=second))
    return Compared(
        events=events,
        same=same,
        changed=tuple(changed),
        recorded_otherwise=otherwise,
        not_replayable=dict(sorted(why.items())),
    )


def _incomparable(before: Replayed, after: Replayed, autonomous: set[str]) -> str | None:
    for each in (before, after):
        if each.after == NOT_REPLAYABLE:
            return each.reason_after
    return "autonomy_grant" if before.correlation_id in autonomous else None


def key_changes(old: PolicyFile, new: PolicyFile) -> tuple[KeyChange, ...]:
    """Every key that differs between two files."""
    return tuple(_struct("", old, new))


def _struct(where: str, old: Any, new: Any) -> Iterator[KeyChange]:
    for field in msgspec.structs.fields(type(old)):
        before, after = getattr(old, field.name), getattr(new, field.name)
        path = f"{where}.{field.name}" if where else field.name
        if field.name in _BY_NAME and not where:
            yield from _rows(path, before, after, _BY_NAME[field.name])
        elif before != after:
            hidden = field.name in _HIDDEN or field.name == "records"
            yield KeyChange(path, _told(before, hidden), _told(after, hidden))


def _rows(path: str, old: Iterable[Any], new: Iterable[Any], name: Callable[[Any], str]) -> Iterator[KeyChange]:
    before, after = {name(row): row for row in old}, {name(row): row for row in new}
    for key in dict.fromkeys([*before, *after]):
        where = f"{path}{{{key}}}"
        if key not in after:
            yield KeyChange(where, "listed", "")
        elif key not in before:
            yield KeyChange(where, "", "listed")
        else:
            yield from _struct(where, before[key], after[key])


def _told(value: Any, hidden: bool) -> str:
    if hidden:
        return f"{len(value)} entries"
    if isinstance(value, tuple):
        return (
            ", ".join(str(each) if not isinstance(each, msgspec.Struct) else _name(each) for each in value) or "nobody"
        )
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _name(entry: Any) -> str:
    return "/".join(str(getattr(entry, name)) for name in ("platform", "workspace", "channel"))
