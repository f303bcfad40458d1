"""Claims of what no packet does: no text of it may make one (seed, support boundary; spec 3 §5.4).

What a claim is, `dragoman.packets.claims` knows. It is asked only of texts in which one can be (`prose.asked_of`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from dragoman.packets.claims.claimed import claims
from dragoman.packets.profiles import shown
from dragoman.packets.rules.prose import asked_of, places_of
from dragoman.packets.rules.rule import Hit, Rule, Subject

MOST_READ: Final = 200_000
"""Most characters that are read for claims in one packet: a second or two of work. More is no pass."""


def unsupported_claim(subject: Subject) -> Iterable[Hit]:
    """No text of the packet, in whatever field, claims what the model does not do."""
    return _places(subject) if subject.asked.word else ()


def _places(subject: Subject) -> Iterator[Hit]:
    read = 0
    for place, text in places_of(subject.packet):
        if not asked_of(text).word:
            continue
        read += len(text)
        if read > MOST_READ:
            yield shown(place), "is more than is read for claims in one packet"
            return
        if claims(text):
            yield shown(place), "claims a capability that no packet has"


RULES: Final = (
    Rule(
        id="unsupported_claim",
        reason="No automatic sync, hosted messaging, runtime orchestration, official adapters, repository writes, "
        "certification or hosted import comes with a packet; runtimes execute elsewhere.",
        fix="remove the claim, deny it, or name the runtime that does it",
        check=unsupported_claim,
    ),
)
