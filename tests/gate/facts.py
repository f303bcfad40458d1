"""Every fact of the admission decision with every value it can take, and walks over the whole product.

The decision is `door` first, and `asked` only where the door lets the event pass; so walking both records whole is
walking the whole decision space. A stride thins a walk: a prime that divides no size still meets every value of a fact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice, product
from math import prod
from typing import Any, Final

from dragoman.gate.admit import Verdict
from dragoman.gate.asked import (
    Access,
    Addressed,
    Asked,
    Author,
    Commanded,
    Door,
    Form,
    Hold,
    Identity,
    Substance,
)
from dragoman.gate.ports import SeenState
from dragoman.words import Audience, Fact

NO_OR_YES: Final = (False, True)

DOOR_FACTS: Final[dict[str, tuple[Any, ...]]] = {
    "authenticated": tuple(Fact),
    "seen": tuple(SeenState),
    "form": tuple(Form),
    "hold": tuple(Hold),
    "identity": tuple(Identity),
    "access": tuple(Access),
    "author": tuple(Author),
    "granted": NO_OR_YES,
}

ASKED_FACTS: Final[dict[str, tuple[Any, ...]]] = {
    "author": tuple(Author),
    "explicit_only": NO_OR_YES,
    "granted": NO_OR_YES,
    "audience": tuple(Audience),
    "direct": NO_OR_YES,
    "addressed": tuple(Addressed),
    "mention": NO_OR_YES,
    "command": tuple(Commanded),
    "reply": NO_OR_YES,
    "substance": tuple(Substance),
    "listed": NO_OR_YES,
    "open_question": NO_OR_YES,
    "operator_messages": NO_OR_YES,
    "mention_free": NO_OR_YES,
    "burst_open": NO_OR_YES,
}

CHATTER: Final = Asked(
    author=Author.HUMAN,
    explicit_only=False,
    granted=False,
    audience=Audience.EXTERNAL,
    direct=False,
    addressed=Addressed.NOBODY_ELSE,
    mention=False,
    command=Commanded.NONE,
    reply=False,
    substance=Substance.TEXT,
    listed=True,
    open_question=False,
    operator_messages=False,
    mention_free=False,
    burst_open=False,
)
"""Somebody talks in a group, not to us: what silence looks like once the door is open."""


def size(facts: Mapping[str, tuple[Any, ...]]) -> int:
    """How many combinations a table of facts has."""
    return prod(map(len, facts.values()))


def doors(stride: int = 1, start: int = 0) -> Iterator[Door]:
    """Every `Door`, or every `stride`-th."""
    names = tuple(DOOR_FACTS)
    for values in islice(product(*DOOR_FACTS.values()), start, None, stride):
        yield Door(**dict(zip(names, values, strict=True)))


def askeds(stride: int = 1, start: int = 0) -> Iterator[Asked]:
    """Every `Asked`, or every `stride`-th."""
    names = tuple(ASKED_FACTS)
    for values in islice(product(*ASKED_FACTS.values()), start, None, stride):
        yield Asked(**dict(zip(names, values, strict=True)))


def at_the_door(decide: Callable[[Door, Asked], Verdict], loud: Asked) -> Callable[[Door], Verdict | None]:
    """What the door alone says, seen from outside: its verdict, or None where it lets the event pass.

    Two events that differ once inside (`CHATTER` and `loud`, which names us) are told the same only by the door.
    """

    def verdict(door: Door) -> Verdict | None:
        quiet_verdict, loud_verdict = decide(door, CHATTER), decide(door, loud)
        return quiet_verdict if quiet_verdict == loud_verdict else None

    return verdict
