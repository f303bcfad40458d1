"""Does the target's authorisation record state what a text claims? (spec 1 §4 step 5, §11.8)

1. A record is the operator's own sentences for one target; what they state is collected once, by the same reader that
   reads the outgoing text. The counterparty's words, the model's and the handler's never enter it. Without a record
   nothing is verified.
2. A claim is verified only by an equal statement of the record, or by one that says more: `6 October` by a fact
   `2026-10-06` of any year, `October` by its days, `$40` by `USD 40`, `15:00` by `15:00 UTC`, and more (`statements`).
   A dated claim needs the same year or a fact without year. Never the other way round, and never number alone for
   number with noun.
3. Of two readings (`6/10`, `1.200`) both must be stated, or the same pair; a fact with two readings states neither. Of
   `two o'clock` one is enough.
4. `tomorrow`, `Friday`, `the 6th` (the coming one), `下周五` are resolved against `now` in UTC; `next Friday` has two
   readings until they fall on one day. What does not resolve is unverified. A fact states nothing relative: nobody
   knows when it was written. `weekdays` states a stretch and its `Mondays`, but no single Monday.

The check compares statements one by one: it does not see that a verified date is joined to the wrong thing or denied.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import msgspec

from dragoman.gate.claims import Claim, ClaimKind, claims
from dragoman.gate.statements import key, stated

__all__ = ["Claim", "ClaimKind", "Record", "claims", "compile_record", "unverified"]


class Record(msgspec.Struct, frozen=True):
    """One target's authorised facts, and the keys of what they state. Made by `compile_record` only."""

    facts: tuple[str, ...]
    stated: frozenset[str] = frozenset()


def compile_record(facts: tuple[str, ...]) -> Record:
    """Collects what the facts' own texts state."""
    return Record(facts, frozenset(each for fact in facts for each in stated(fact)))


def unverified(text: str, record: Record | None, now: int) -> tuple[Claim, ...]:
    """The claims of `text` that the record does not state; `now` in milliseconds UTC. No record verifies nothing."""
    known = record.stated if record else frozenset[str]()
    today = datetime.fromtimestamp(now / 1000, UTC).date()
    return tuple(claim for claim in claims(text) if not _verified(claim, known, today))


def _verified(claim: Claim, stated: frozenset[str], today: date) -> bool:
    if key(claim.kind, claim.value) in stated and "@" not in claim.value:
        return True
    # of `two o'clock` one reading is enough: nobody takes the office's hour for the one twelve hours away
    enough = any if claim.kind is ClaimKind.TIME else all
    return enough(_reading_stated(claim.kind, reading, stated, today) for reading in claim.value.split("|"))


def _reading_stated(kind: ClaimKind, value: str, stated: frozenset[str], today: date) -> bool:
    if kind is not ClaimKind.DATE:
        return key(kind, value) in stated
    if value.startswith(("rel:", "wd:")):
        days = _resolved(value, today)
        literal = value.startswith("wd:") and (key(kind, value) in stated or key(kind, f"every:{value[3:]}") in stated)
        return literal or (bool(days) and all(_day_stated(day.isoformat(), "", stated) for day in days))
    if value.startswith("every:") and key(kind, f"each:{value[6:]}") in stated:
        return True
    plain, _, weekday = value.partition("@")
    if plain.startswith("---"):
        coming = _coming(int(plain[3:]), today)
        return coming is not None and _day_stated(coming.isoformat(), weekday, stated)
    if plain[:1].isdigit() and len(plain) == 10:
        return _day_stated(plain, weekday, stated)
    return key(kind, value) in stated


def _day_stated(day: str, weekday: str, stated: frozenset[str]) -> bool:
    """A full date: by the same day, or by a fact without year; a weekday said with it must be right."""
    if weekday and date.fromisoformat(day).isoweekday() != int(weekday):
        return False
    return key(ClaimKind.DATE, day) in stated or key(ClaimKind.DATE, f"*-{day[5:]}") in stated


def _coming(day: int, today: date) -> date | None:
    """The next day of this number, today included; None when neither this month nor the next has it."""
    ahead = (today.replace(day=1) + timedelta(days=31)).replace(day=1)
    for first in (today.replace(day=1), ahead):
        try:
            found = first.replace(day=day)
        except ValueError:
            continue
        if found >= today:
            return found
    return None


def _resolved(value: str, today: date) -> tuple[date, ...]:
    """The days a relative date may mean, all of them; none when it cannot be told."""
    form, _, rest = value.partition(":")
    if form == "wd":
        ahead = (int(rest) - today.isoweekday()) % 7
        coming = today + timedelta(days=ahead)
        return (coming,) if ahead else (coming, coming + timedelta(days=7))
    if rest[:1] in "+-" and rest[1:].isdigit():
        return (today + timedelta(days=int(rest)),)
    word, _, weekday = rest.partition(":")
    if not weekday:
        return ()
    monday = today - timedelta(days=today.weekday())
    of_week = {weeks: monday + timedelta(days=7 * weeks + int(weekday) - 1) for weeks in (-1, 0, 1, 2)}
    if word.startswith("week"):
        return (of_week[int(word[4:])],)
    if word == "next":
        coming = today + timedelta(days=(int(weekday) - today.isoweekday() - 1) % 7 + 1)
        return (coming, of_week[1])
    return (of_week[0],) if word == "this" and of_week[0] >= today else ()
