"""What a rule is: one question about one packet, with its reason and its remedy beside it (spec 3 §3).

1. A rule looks at a `Subject` and yields hits; it changes nothing and knows no other rule.
2. It is asked about any JSON object, also one that fits no schema: it says nothing where its field is not there,
   unless the missing field is what it asks about.
3. A hit names a place and says a fixed sentence. No value of the packet enters it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from dragoman.packets.profiles import declared_names
from dragoman.packets.verdict import Severity, Stage

Hit = tuple[str, str]
"""A JSON Pointer and a sentence."""


RANDOM: Final = re.compile(
    r"sha256:[0-9a-f]{64}|(?:idem-)?(?:msg|corr|task|blocker|proposal|grant)-[0-9a-f-]{1,36}",
    re.ASCII,
)
"""Digests and ids that are random by construction; they hold no words and no secret."""

_SIGNATURE: Final = ("integrity", "signature", "value")
_GAP: Final = "\n" * 8


class Said(msgspec.Struct, frozen=True):
    """Every text of a packet with its place, and all of them in one, far enough apart that no pattern spans two."""

    places: tuple[tuple[tuple[str | int, ...], str], ...]
    prose: str


class Subject(msgspec.Struct, frozen=True):
    """What rules are asked about.

    `now` is the moment of judgement in milliseconds, or None for an archived packet, which is not judged for age.
    `plain` is false when a number of the packet is a float or a key is not ASCII. `said` is its words, gathered once.
    """

    packet: dict[str, Any]
    profile: str
    now: int | None
    plain: bool
    said: Said

    @property
    def body(self) -> Any:
        """The body, whatever it is; None if there is none."""
        return self.packet.get("body")


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table; `profiles` None means every profile, `check` None that a stage decides it."""

    id: str
    reason: str
    fix: str
    check: Callable[[Subject], Iterator[Hit]] | None = None
    severity: Severity = Severity.FAILURE
    profiles: frozenset[str] | None = None
    stage: Stage | str = Stage.RULES


def words_of(packet: dict[str, Any]) -> Said:
    """What the packet says in words, in any field.

    A name that no schema declares is a text too, read together with the text behind it, so that `"x-password": ...` is
    seen for what it is. Ids and digests of the forms that this house writes are random and
    left out, and so is the signature. Never recurses.
    """
    known = declared_names()
    found: list[tuple[tuple[str | int, ...], str]] = []
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), packet)]
    while waiting:
        place, node = waiting.pop()
        pairs = node.items() if type(node) is dict else enumerate(node)
        for key, item in pairs:
            kind = type(item)
            declared = key in known or type(key) is int
            if kind is str:
                found.append(((*place, key), item if declared else f"{key}: {item}"))
            elif not declared:
                found.append((place, str(key)))
            if kind is dict or kind is list:
                waiting.append(((*place, key), item))
    kept = tuple(pair for pair in found if RANDOM.fullmatch(pair[1]) is None and pair[0] != _SIGNATURE)
    return Said(kept, _GAP.join(text for _, text in kept))
