"""Does the target's authorisation record state what a text claims? (spec 1 §4 step 5, §11.8)

1. A record is the operator's own sentences for one target; what they state is collected once, by the same reader
   that reads the outgoing text. The counterparty's words, the model's and the handler's never enter it. Without a
   record nothing is verified.
2. A claim is verified by an equal statement of the record, by one that says more (`statements`), or by the same value
   as people write it otherwise (`record_equal`). A dated claim needs the same year or a fact without year.
3. Of two readings (`6/10`, `1.200`) both must be stated, or the same pair; a fact with two readings states neither. Of
   `two o'clock` one is enough.
4. `tomorrow`, `Friday`, `the 6th` (the coming one), `下周五` are resolved against `now` in UTC; `next Friday` has two
   readings until they fall on one day. What does not resolve is verified only by the very same words in a fact.
5. A sentence that turns a fact around is unverified though its figures are stated: "closed" for open, "after" for
   before, "not" (`record_sides`).
6. A question for the outsider's wish, and the outsider's own words in quotation marks, state no day and no small count.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Final

import msgspec

from dragoman.gate.claims import Claim, ClaimKind, claims
from dragoman.gate.reading import record_equal, record_sides, record_values
from dragoman.gate.reading.properties import named, properties
from dragoman.gate.reading.record_asked import asked
from dragoman.gate.reading.statements import key, stated

__all__ = ["Claim", "ClaimKind", "Record", "claims", "compile_record", "unverified"]


class Record(msgspec.Struct, frozen=True):
    """One target's authorised facts, and what they state. Made by `compile_record` only."""

    facts: tuple[str, ...]
    stated: frozenset[str] = frozenset()
    values: record_values.Values = record_values.Values()
    sides: tuple[record_sides.Clause, ...] = ()
    properties: frozenset[str] = frozenset()


_NOTHING = Record(())
_MOST: Final = 2_000
"""Claims that are held against the record; no honest message has more, and the rest is unverified."""


def compile_record(facts: tuple[str, ...]) -> Record:
    """Collects what the facts' own texts state."""
    return Record(
        facts,
        frozenset(each for fact in facts for each in stated(fact)),
        record_values.values(facts, tuple(claims(fact) for fact in facts)),
        tuple(record_sides.clauses(facts)),
        named(facts),
    )


def unverified(text: str, record: Record | None, now: int) -> tuple[Claim, ...]:
    """The claims of `text` that the record does not state; `now` in milliseconds UTC. No record verifies nothing."""
    known = record or _NOTHING
    today = known.values.today or datetime.fromtimestamp(now / 1000, UTC).date()
    values = msgspec.structs.replace(known.values, today=today)
    stated = claims(text)
    found = [
        claim
        for at, claim in enumerate(stated)
        if not (at < _MOST and _verified(claim, text, msgspec.structs.replace(known, values=values), today))
    ]
    found += [
        Claim(ClaimKind.SPECIFICATION, f"!{id}", start, end)
        for id, start, end in properties(text)
        if id not in known.properties
    ]
    found += [claim for claim in record_sides.turned(text, stated, known.sides) if claim not in found]
    return tuple(sorted(found, key=lambda claim: (claim.start, claim.end)))


def _verified(claim: Claim, text: str, known: Record, today: date) -> bool:
    if key(claim.kind, claim.value) in known.stated and "@" not in claim.value:
        return True
    # of `two o'clock` one reading is enough: nobody takes the office's hour for the one twelve hours away
    enough = any if claim.kind is ClaimKind.TIME else all
    if enough(_reading_stated(claim.kind, reading, known.stated, today) for reading in claim.value.split("|")):
        return True
    return asked(claim, text) or record_equal.equal(claim, text, known.values)


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
    if word == "last":
        gone = today - timedelta(days=(today.isoweekday() - int(weekday) - 1) % 7 + 1)
        return (gone, of_week[-1])
    if word == "next":
        coming = today + timedelta(days=(int(weekday) - today.isoweekday() - 1) % 7 + 1)
        return (coming, of_week[1])
    return (of_week[0],) if word == "this" and of_week[0] >= today else ()
