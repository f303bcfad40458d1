"""What a rule is: one question about one packet, with its reason and its remedy beside it (spec 3 §3).

1. A rule looks at a `Subject` and gives hits, or `()` for none; it changes nothing and knows no other rule.
2. It is asked about any JSON object, also one that fits no schema: it says nothing where its field is not there,
   unless the missing field is what it asks about.
3. A hit names a place and says a fixed sentence. No value of the packet enters it.
4. A row marked `proven` never speaks of a packet that fits its profile's schema and holds no control characters: only
   other packets are asked. It stands for those, to say more than the schema does (a test holds each mark to that).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from dragoman.leaks import Caught
from dragoman.packets.moment import moment
from dragoman.packets.rules.prose import asked_of
from dragoman.packets.verdict import Severity, Stage

Hit = tuple[str, str]
"""A JSON Pointer and a sentence."""


Check = Callable[["Subject"], Iterable[Hit]]
"""The function of a rule. One that is asked of every packet gives `()` rather than an iterator that is empty."""

NO_FIELDS: Final[dict[str, Any]] = {}


class Subject(msgspec.Struct, frozen=True):
    """What rules are asked about.

    `now` is the moment of judgement in milliseconds, or None for an archived packet, which is not judged for age.
    `plain` is false when a number of the packet is a float or a key is not ASCII. `asked` says what is worth looking
    for in its words, which are gathered in one text for that (`prose.prose_of`). Of four objects of the packet the
    fields are at hand, none where there is no such object; `issued` and `expires` are moments, or None where there is
    no time that can be read.
    """

    packet: dict[str, Any]
    profile: str
    now: int | None
    plain: bool
    asked: Caught
    body: dict[str, Any]
    conversation: dict[str, Any]
    delivery: dict[str, Any]
    provenance: dict[str, Any]
    issued: int | None
    expires: int | None

    @classmethod
    def of(cls, packet: dict[str, Any], profile: str, now: int | None, *, plain: bool, prose: str) -> Subject:
        """The subject that a packet is."""
        body, conversation = _fields(packet, "body"), _fields(packet, "conversation")
        delivery, provenance = _fields(packet, "delivery"), _fields(packet, "provenance")
        return cls(
            packet,
            profile,
            now,
            plain,
            asked_of(prose),
            body,
            conversation,
            delivery,
            provenance,
            moment(provenance.get("issued_at")),
            moment(delivery.get("expires_at")),
        )


def _fields(packet: dict[str, Any], name: str) -> dict[str, Any]:
    found = packet.get(name)
    return found if type(found) is dict else NO_FIELDS


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table; `profiles` None means every profile, `check` None that a stage decides it."""

    id: str
    reason: str
    fix: str
    check: Check | None = None
    severity: Severity = Severity.FAILURE
    profiles: frozenset[str] | None = None
    stage: Stage | str = Stage.RULES
    proven: bool = False
