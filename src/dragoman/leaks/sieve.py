"""Can this text hold a secret, or one of the caller's own words? One pass whose no is a proof, and whose yes is none.

For the many texts with nothing to find: `guarded` and the caller's own search are asked only where the sieve says that
they could find something. Secrets stand here by their signs, with what hints at a slower look (`secrets`); words in any
case, as `fold` writes them. A run too long to be checked counts as a secret, as it does in `guarded`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from dragoman.leaks.engines import Engine, Patterns
from dragoman.leaks.fold import fold, folded_bytes
from dragoman.leaks.random_runs import SIGN as RANDOM
from dragoman.leaks.secrets import BASE64, SHAPES, WRITTEN, wide
from dragoman.leaks.shape import RUN_LIMIT, Kind
from dragoman.leaks.squeeze import PAD
from dragoman.leaks.views import may_be_encoded

_RAW_PAD: Final = PAD.encode()
_ROOM: Final = RUN_LIMIT - 2 * len(_RAW_PAD)


class Caught(NamedTuple):
    """What a text may hold."""

    secret: bool
    word: bool


_CLEAN: Final = Caught(secret=False, word=False)


class Sieve:
    """The signs of secrets, and some words.

    Args:
        words: literal texts; a line feed stands for the beginning of a line.
        engine: as in `engines`.
    """

    __slots__ = ("_base64_at", "_match", "_words_at")

    def __init__(self, words: Iterable[str] = (), *, engine: Engine | None = None) -> None:
        secrets = [shape for shape in SHAPES if shape.kind is Kind.SECRET]
        hints = [BASE64, RANDOM, WRITTEN]
        written = "|".join(re.escape(fold(word).cased) for word in words)
        own = [f"(?i){written}"] if written else []
        self._base64_at = len(secrets)
        self._words_at = len(secrets) + len(hints)
        self._match = Patterns(
            [shape.pattern for shape in secrets] + hints + own,
            [wide(shape.sign or shape.pattern) for shape in secrets] + hints + own,
            engine=engine,
        )

    def caught(self, text: str) -> Caught:
        """What `text` (of any length) may hold."""
        raw = folded_bytes(text)
        found = self._match.match(_RAW_PAD + raw + _RAW_PAD)
        if not found and len(raw) <= _ROOM:
            return _CLEAN
        word = self._words_at in found
        secret = len(found) - word
        if secret == 1 and self._base64_at in found:
            secret = may_be_encoded(raw)
        return Caught(bool(secret) or len(raw) > _ROOM, word)
