"""No secret in a packet, in whatever field and encoding (seed, memory boundary).

The shapes are those of `leaks`, one table for the whole house. One pass over all words of a packet (`prose.asked_of`)
mostly shows that there is none; else each text is scanned by itself.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Final

from dragoman.leaks import Guard, Terms
from dragoman.leaks.guarded import TEXT_LIMIT
from dragoman.packets.profiles import shown
from dragoman.packets.rules.prose import asked_of, places_of
from dragoman.packets.rules.rule import Hit, Rule, Subject


def secret_present(subject: Subject) -> Iterable[Hit]:
    """No key, token, password, private key or the like stands anywhere in the packet."""
    return _places(subject) if subject.asked.secret else ()


def _places(subject: Subject) -> Iterator[Hit]:
    for place, text in places_of(subject.packet):
        if len(text) > TEXT_LIMIT:
            yield shown(place), "is too long to be checked for secrets"
        elif asked_of(text).secret and _secret(text):
            yield shown(place), "holds what looks like a secret"


def _secret(text: str) -> bool:
    return _guard().holds_secret(text)


@functools.cache
def _guard() -> Guard:
    return Guard(Terms({}))


RULES: Final = (
    Rule(
        id="secret_present",
        reason="Private keys, API credentials, session and write tokens are never part of a portable record.",
        fix="remove the secret, revoke it, and refer to where it is kept",
        check=secret_present,
    ),
)
