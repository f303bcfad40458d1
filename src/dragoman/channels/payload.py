"""What does this untrusted JSON object hold? Typed reading for every platform's facts. Pure; nothing here raises.

1. Missing and null are the same: not known. `has` tells whether something stands there at all.
2. What stands there with a wrong type, or beyond a bound, is not known either, and its path is named in `malformed`
   once. No number is read from a text, no text from a number, no boolean from either.
3. An id is taken byte for byte, or not at all (`identity.well_formed`).
4. Reading below something that is no object gives nothing, at any depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from dragoman.identity import well_formed
from dragoman.words import Fact

TEXT_LIMIT: Final = 262_144
"""Characters of a text that are read; more than any platform lets anybody write."""
MOST_ITEMS: Final = 1_000
"""Items of a list that are read; a longer one is malformed."""
_WHOLE_LIMIT: Final = 2**63
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Payload:
    """One object of a payload.

    Args:
        raw: whatever was decoded; anything but an object holds nothing (and is malformed, unless it is None).
        path: where it stands, for `malformed`.
        bad: the shared list of what is malformed.
    """

    def __init__(self, raw: object, path: str = "", bad: list[str] | None = None) -> None:
        self._bad: list[str] = [] if bad is None else bad
        self._path = path
        if raw is not None and not isinstance(raw, Mapping):
            self._wrong("")
        self.raw: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}

    def __bool__(self) -> bool:
        return bool(self.raw)

    @property
    def malformed(self) -> tuple[str, ...]:
        """Every path that was read and holds the wrong type, in the order of reading."""
        return tuple(self._bad)

    def wrong(self, key: str) -> None:
        """Name one key as malformed, for a law of the platform that types do not say."""
        self._wrong(key)

    def has(self, key: str) -> bool:
        """Whether anything but null stands there."""
        return self.raw.get(key) is not None

    def text(self, key: str) -> str:
        """A text, or an empty one."""
        value = self.raw.get(key)
        if value is None:
            return ""
        if type(value) is str and len(value) <= TEXT_LIMIT and not _SURROGATE.search(value):
            return value
        self._wrong(key)
        return ""

    def id(self, key: str, *, needed: bool = False) -> str:
        """An id as the platform wrote it, or an empty text; `needed` names a missing one as malformed too."""
        value = self.raw.get(key)
        if well_formed(value):
            return str(value)
        if needed or value is not None:
            self._wrong(key)
        return ""

    def number_id(self, key: str, *, needed: bool = False) -> str:
        """An id that the platform writes as a whole number, in decimal digits; else as `id`."""
        if needed and not self.has(key):
            self._wrong(key)
        value = self.whole(key)
        return "" if value is None else str(value)

    def whole(self, key: str) -> int | None:
        """A whole number of at most 63 bits, never a boolean."""
        value = self.raw.get(key)
        if value is None:
            return None
        if type(value) is int and -_WHOLE_LIMIT <= value < _WHOLE_LIMIT:
            return value
        self._wrong(key)
        return None

    def flag(self, key: str) -> Fact:
        """A boolean as a fact: YES, NO, or UNKNOWN where none stands."""
        value = self.raw.get(key)
        if value is None:
            return Fact.UNKNOWN
        if type(value) is bool:
            return Fact.YES if value else Fact.NO
        self._wrong(key)
        return Fact.UNKNOWN

    def inside(self, key: str) -> Payload:
        """The object there, or an empty one."""
        return Payload(self.raw.get(key), self._at(key), self._bad)

    def objects(self, key: str) -> list[Payload]:
        """The objects of the list there; an item that is none is named, and left out."""
        return [Payload(item, at, self._bad) for at, item in self._items(key) if self._is(item, Mapping, at)]

    def texts(self, key: str) -> list[str]:
        """The texts of the list there; an item that is none is named, and left out."""
        return [item for at, item in self._items(key) if self._is(item, str, at)]

    def _items(self, key: str) -> Iterator[tuple[str, Any]]:
        value = self.raw.get(key)
        if value is None:
            return
        if type(value) is not list or len(value) > MOST_ITEMS:
            self._wrong(key)
            return
        for number, item in enumerate(value):
            yield f"{self._at(key)}.{number}", item

    def _is(self, item: Any, kind: type[Any], at: str) -> bool:
        right = isinstance(item, kind)
        if not right and at not in self._bad:
            self._bad.append(at)
        return right

    def _at(self, key: str) -> str:
        return ".".join(filter(None, (self._path, key)))

    def _wrong(self, key: str) -> None:
        if (at := self._at(key)) not in self._bad:
            self._bad.append(at)
