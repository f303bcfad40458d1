"""Are two agents only exchanging courtesies? (spec 2 §2, Loops)

Three alternating turns in which nothing new was said: every one of the last six texts, theirs and ours in turn, is
either an acknowledgement without substance or nearly the same as the one before it on its side. Compared without case,
spaces and punctuation; of a long text its beginning and its end, since a comparison takes time by the square of the
length and the counterparty chooses the length. Then the owner decides; a counterparty's single repetition or
thanks never counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final

from dragoman.gate.live_text import substantive

TURNS: Final = 3
ALIKE: Final = 0.9
_COMPARED: Final = 20_000
_PIECE: Final = 200


def only_courtesies(texts: Sequence[tuple[str, str]]) -> bool:
    """Whether the newest `TURNS` exchanges say nothing.

    Args:
        texts: pairs of who (`peer` or `agent`) and what, oldest first.
    """
    last = list(texts)[-2 * TURNS :]
    if len(last) < 2 * TURNS or any(one[0] == two[0] for one, two in pairwise(last)):
        return False
    return all(_says_nothing(index, last) for index in range(len(last)))


def _says_nothing(index: int, texts: list[tuple[str, str]]) -> bool:
    text = texts[index][1]
    if not substantive(text):
        return True
    other = index - 2 if index >= 2 else index + 2
    return _alike(text, texts[other][1])


def _alike(one: str, two: str) -> bool:
    first, second = _plain(one), _plain(two)
    if first == second:
        return True
    if min(len(first), len(second)) < ALIKE * max(len(first), len(second)):
        return False
    return all(
        SequenceMatcher(None, first[piece], second[piece], autojunk=False).ratio() >= ALIKE
        for piece in (slice(_PIECE), slice(-_PIECE, None))
    )


def _plain(text: str) -> str:
    return "".join(char for char in text[:_COMPARED].casefold() if char.isalnum())
