"""Which letters has a folded text, and where do they stand? Its word characters in a row, in lower case, as UTF-8.

A place in the squeezed text leads back to one in the text: both have the same word characters in the same order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from itertools import compress, count, islice
from typing import Final

from dragoman.leaks.fold import is_word
from dragoman.leaks.spelling import GAP_LIMIT

PAD: Final = "\n\n"
"""What stands before and after a text, so that every character has two neighbours."""

_SEPARATORS: Final = bytes(code for code in range(128) if not chr(code).isalnum())
_IS_WORD: Final = bytes(0 if code in _SEPARATORS else 1 for code in range(256))
_CONTINUATION: Final = bytes(range(0x80, 0xC0))
_NO_LETTER: Final = _SEPARATORS + _CONTINUATION
_BEGINS: Final = bytes(0 if 0x80 <= code < 0xC0 else 1 for code in range(256))
_LOWER: Final = bytes(range(128)).lower() + bytes(range(128, 256))
# ASCII (lowered by then) and the lead bytes of U+3000..U+9FFF, where no letter has a case
_CASELESS: Final = bytes(range(0xC0)) + bytes(range(0xE3, 0xEA))


def squeezed_of(raw: bytes) -> bytes:
    """Folded text in lower case without its separators."""
    squeezed = raw.translate(_LOWER, _SEPARATORS)
    if not squeezed.isascii() and squeezed.translate(None, _CASELESS):
        return squeezed.decode("utf-8").lower().encode("utf-8")
    return squeezed


def locator(text: str, raw: bytes, squeezed: bytes, *, few: bool) -> Callable[[int, int], list[int]]:
    """From the bytes `first:last` of a squeezed text to the positions of their characters in the text.

    Args:
        text: the folded text.
        raw: the same in UTF-8 (letters in any case).
        squeezed: its squeezed form.
        few: whether only a few places will be asked for, so that it does not pay to look at all characters.
    """
    if few:
        return lambda first, last: _places_from(text, raw, squeezed, first, last)
    # without continuation bytes, UTF-8 has one byte for each character
    places = list(compress(range(len(text)), text.encode("utf-8").translate(_IS_WORD, _CONTINUATION)))
    if squeezed.isascii():
        return lambda first, last: places[first:last]
    starts = list(compress(range(len(squeezed)), squeezed.translate(_BEGINS)))
    return lambda first, last: places[bisect_left(starts, first) : bisect_left(starts, last)]


def _places_from(text: str, raw: bytes, squeezed: bytes, first: int, last: int) -> list[int]:
    before = len(squeezed[:first].translate(None, _CONTINUATION))
    size = len(squeezed[first:last].translate(None, _CONTINUATION))
    begin = bisect_left(range(len(raw)), before + 1, key=lambda end: len(raw[:end].translate(None, _NO_LETTER))) - 1
    place = len(raw[:begin].translate(None, _CONTINUATION))
    return list(islice((at for at in count(place) if is_word(text[at])), size))


def tail(text: str, most: int) -> list[int]:
    """The positions of the last `most` word characters, back to the first run of separators that is too long."""
    places: list[int] = []
    gap = 0
    for place in range(len(text) - 1, len(PAD) - 1, -1):
        if is_word(text[place]):
            if len(places) >= most:
                break
            places.append(place)
            gap = 0
        else:
            gap += 1
            if gap > GAP_LIMIT:
                break
    places.reverse()
    return places
