"""When: every time is UTC, and a packet past its expiry is not used (seed, loop step 4; spec 3 §1, §5.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from dragoman.clock import MINUTE
from dragoman.packets.envelope import MISSING
from dragoman.packets.moment import moment
from dragoman.packets.rules.rule import Hit, Rule, Subject
from dragoman.packets.verdict import Severity

SKEW: Final = 5 * MINUTE
"""How far the clock of a sender may run ahead before it is remarked, in milliseconds."""


_NO_TIME: Final = "is no RFC 3339 time in UTC with `Z`"


def timestamp_not_utc(subject: Subject) -> Iterable[Hit]:
    """Every time that is there is RFC 3339 in UTC with `Z`."""
    update = subject.body.get("next_update_at")
    times = (
        ("/delivery/expires_at", subject.delivery.get("expires_at", MISSING)),
        ("/provenance/issued_at", subject.provenance.get("issued_at", MISSING)),
        ("/body/next_update_at", MISSING if update is None else update),
    )
    return [(place, _NO_TIME) for place, found in times if found is not MISSING and moment(found) is None]


def packet_expired(subject: Subject) -> Iterable[Hit]:
    """The expiry lies after the moment of judgement. What cannot be read is told by `timestamp_not_utc`."""
    if subject.expires is not None and subject.now is not None and subject.expires <= subject.now:
        return [("/delivery/expires_at", "the packet is past its expiry")]
    return ()


def issued_after_expiry(subject: Subject) -> Iterable[Hit]:
    """A packet is issued before it expires."""
    if subject.issued is not None and subject.expires is not None and subject.issued >= subject.expires:
        return [("/provenance/issued_at", "issued at or after its own expiry")]
    return ()


def issued_in_future(subject: Subject) -> Iterable[Hit]:
    """A packet from the future hints at a wrong clock."""
    if subject.issued is not None and subject.now is not None and subject.issued > subject.now + SKEW:
        return [("/provenance/issued_at", "issued more than five minutes from now")]
    return ()


RULES: Final = (
    Rule(
        id="timestamp_not_utc",
        reason="Times are compared across machines; only UTC with `Z` has one reading.",
        fix="write `YYYY-MM-DDTHH:MM:SSZ`, upper case, at most six fraction digits",
        check=timestamp_not_utc,
        proven=True,
    ),
    Rule(
        id="packet_expired",
        reason="The sender bounded how long the packet may be used.",
        fix="ask the source for a new packet; do not change the expiry of this one",
        check=packet_expired,
    ),
    Rule(
        id="issued_after_expiry",
        reason="A packet that was never valid cannot be evidence of anything in time.",
        fix="set `expires_at` after `issued_at`",
        check=issued_after_expiry,
    ),
    Rule(
        id="issued_in_future",
        reason="A wrong clock makes every expiry of that sender doubtful.",
        fix="check the clock of the source",
        check=issued_in_future,
        severity=Severity.WARNING,
    ),
)
