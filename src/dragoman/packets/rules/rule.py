"""What a rule is: one question about one packet, with its reason and its remedy beside it (spec 3 §3).

1. A rule looks at a `Subject` and yields hits; it changes nothing and knows no other rule.
2. It is asked about any JSON object, also one that fits no schema: it says nothing where its field is not there,
   unless the missing field is what it asks about.
3. A hit names a place and says a fixed sentence. No value of the packet enters it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from dragoman.packets.verdict import Severity, Stage

Hit = tuple[str, str]
"""A JSON Pointer and a sentence."""


Check = Callable[["Subject"], Iterator[Hit]]
"""The function of a rule."""


class Subject(msgspec.Struct, frozen=True):
    """What rules are asked about.

    `now` is the moment of judgement in milliseconds, or None for an archived packet, which is not judged for age.
    `plain` is false when a number of the packet is a float or a key is not ASCII. `prose` is every word of the packet
    in one text (`prose.prose_of`), gathered once.
    """

    packet: dict[str, Any]
    profile: str
    now: int | None
    plain: bool
    prose: str

    @property
    def body(self) -> Any:
        """The body, whatever it is; None if there is none."""
        return self.packet.get("body")


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table; `profiles` None means every profile, `check` None that a stage decides it."""

    id: str
    reason: str
    fix: str
    check: Check | None = None
    severity: Severity = Severity.FAILURE
    profiles: frozenset[str] | None = None
    stage: Stage | str = Stage.RULES
