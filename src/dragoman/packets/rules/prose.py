"""What a packet says in words, in whatever field: once in one text, and once with places.

1. Every text counts, in extensions and undeclared fields too. A name that no schema declares is a text, read together
   with the text behind it, so that `"x-password": ...` is seen for what it is; also where the text stands deeper
   (`"x-password": {"value": ...}`, a list) or is named beside it (`"name": "x-password", "value": ...`).
2. Digests and ids of the forms that this house writes are random, and so are a signature and the id of its key, each in
   its own place: they hold no words.
3. In the one text all are kept apart by white space. It is only asked what might be in it: what is found in it is
   never believed before it is found in one of its texts by itself.
4. One text is made for the many packets with nothing to find: `asked_of` says of it which dear questions are worth
   asking at all, and only behind a hit is `places_of` asked.
5. Of a packet that fits its schema the free texts (`texts.py`) are all its words: what the schema fixes is harmless.
"""

from __future__ import annotations

import functools
import re
from typing import Any, Final

from dragoman.leaks import Caught, Sieve
from dragoman.packets.claims.needles import NEEDLES
from dragoman.packets.profiles import declared_names
from dragoman.packets.read import Seen
from dragoman.packets.texts import KEY_ID, Words

Place = tuple[str | int, ...]

RANDOM: Final = re.compile(
    r"(?:idem-)?(?:msg|corr|task|blocker|proposal|grant)-[0-9a-f-]{1,36}|sha256:[0-9a-f]{64}"
    r"|[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}",
    re.ASCII,
)
"""Digests, ids and trace contexts: random by construction."""

_HAN: Final = re.compile("[\u3400-\u9fff]")
GAP: Final = "\n" * 8

_random: Final = RANDOM.fullmatch
_all_random: Final = re.compile(rf"(?:(?:{RANDOM.pattern})(?:\n|\Z))*", re.ASCII).fullmatch
_SHORT: Final = 16
_VALUES: Final = frozenset({"value", "values", "val", "data", "content", "text", "plain", "raw", "current", "default"})
"""Names that say nothing of what stands behind them."""
_LABELS: Final = ("name", "key", "label", "field", "header", "variable")
"""Names behind which another field's name stands."""
_LONGEST_NAME: Final = 64
"""Characters of a name that is said of more than the text behind it."""
_NAMED_BESIDE: Final = frozenset({"name", "value"})
"""The one pair of these that schemas declare; in none of them together."""
_SIGNATURE: Final = ("integrity", "signature", "value")
_KEY: Final = ("integrity", "signature", "key_id")


def prose_of_words(words: Words) -> str:
    """The words of a packet in one text, random ids left out."""
    texts, ids = words
    if not _all_random("\n".join(filter(None, ids))):
        texts = [*texts, *(each for each in ids if each and not _random(each))]
    return GAP.join(texts)


def asked_of(prose: str) -> Caught:
    """What is worth looking for in these words: a secret, a claim. A no is a proof."""
    caught = _sieve().caught(prose)
    return caught if caught.word or prose.isascii() else caught._replace(word=_HAN.search(prose) is not None)


@functools.cache
def _sieve() -> Sieve:
    return Sieve(NEEDLES)


def prose_of(packet: dict[str, Any], seen: Seen) -> str:
    """Every word of the packet in one text; `seen` is what the reader saw of it. Never recurses."""
    if not declared_names().issuperset(seen.names) or seen.names >= _NAMED_BESIDE:
        return GAP.join([text for _, text in places_of(packet)])
    return GAP.join([each for each in seen.texts if len(each) < _SHORT or " " in each or not _random(each)])


def places_of(packet: dict[str, Any]) -> list[tuple[Place, str]]:
    """Every text with its place, behind the name that says what it is (law 1). Never recurses."""
    known = declared_names()
    found: list[tuple[Place, str]] = []
    waiting: list[tuple[Place, str, Any]] = [((), "", packet)]
    while waiting:
        place, above, node = waiting.pop()
        named = type(node) is dict
        beside = _label(node) if named else ""
        pairs: Any = node.items() if named else enumerate(node)
        for key, item in pairs:
            kind = type(item)
            name = above
            if named:
                name = "" if key in known else key
                if key in _VALUES:
                    name = beside or above or name
            if kind is str:
                found.append(((*place, key), f"{name}: {item}" if name else item))
                continue
            if named and key not in known:
                found.append((place, key))
            if kind is dict or kind is list:
                waiting.append(((*place, key), name if len(name) <= _LONGEST_NAME else "", item))
    return [pair for pair in found if not _is_random(*pair)]


def _label(box: dict[str, Any]) -> str:
    """What an object says its value is, if it does so shortly."""
    for key in _LABELS:
        label = box.get(key)
        if type(label) is str and len(label) <= _LONGEST_NAME:
            return label
    return ""


def _is_random(place: Place, text: str) -> bool:
    return place == _SIGNATURE or _random(text) is not None or (place == _KEY and KEY_ID.fullmatch(text) is not None)
