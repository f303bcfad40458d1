"""The slow reader: one token after the other, with a stack of its own, so that it can say where and why (spec 3 §1).

1. Broken grammar ends the reading: what follows cannot be trusted to be where it seems.
2. A repeated key, a lone surrogate and a number out of range are noted and the reading goes on: all of them are told.
3. Depth and the number of values are bounded while reading; nothing recurses.
4. A problem names line, column and pointer, never what stood there.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from typing import Any, Final

import msgspec

from dragoman.packets.verdict import pointer


class Limits(msgspec.Struct, frozen=True):
    """Bounds on one packet: bytes, levels of nesting, values in all."""

    max_bytes: int = 1_048_576
    max_depth: int = 64
    max_values: int = 20_000


class Problem(msgspec.Struct, frozen=True):
    """Why bytes are not a strict JSON document: a rule id, a JSON Pointer, and a sentence without any value."""

    rule: str
    path: str
    message: str


_SPACE: Final = re.compile(r"[ \t\n\r]*")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
_LITERAL: Final = re.compile(r"true|false|null")
_LITERALS: Final = {"true": True, "false": False, "null": None}
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_MAX_INTEGER: Final = 2**53 - 1
_MAX_DIGITS: Final = 400
_MOST_POINTERS: Final = 8_000_000
_MAX_PROBLEMS: Final = 50


def writable(number: float) -> bool:
    """Whether a float has a canonical form that is read back as the same number.

    From 2^53 up to 1e21 RFC 8785 writes floats as integers, which would be out of range; NaN it cannot write.
    """
    return number - number == 0.0 and not _MAX_INTEGER < abs(number) < 1e21


class _Broken(Exception):
    """The grammar ends here."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.problem = (rule, message)


def read_strictly(raw: bytes, limits: Limits) -> tuple[Any, tuple[Problem, ...]]:
    """The value and no problem, or None and every problem in the order of the input."""
    if raw.startswith(b"\xef\xbb\xbf"):
        return None, (Problem("encoding_invalid", "", "starts with a byte order mark"),)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return None, (Problem("encoding_invalid", "", f"byte {error.start} is not UTF-8"),)
    reader = _Reader(text, limits)
    try:
        value = reader.document()
    except _Broken as broken:
        reader.note(*broken.problem)
        value = None
    problems = tuple(reader.problems)
    return (None, problems) if problems else (value, ())


def places(raw: bytes, limits: Limits) -> dict[str, tuple[int, int]]:
    """Where every value of a strict document begins: JSON Pointer → line and column, both from 1; columns count
    characters. Empty for bytes that are no strict JSON; once the pointers are `_MOST_POINTERS` characters together, no
    more are given."""
    found: dict[str, int] = {}
    try:
        text = raw.decode("utf-8")
        _Reader(text, limits, found).document()
    except (UnicodeDecodeError, _Broken):
        return {}
    ends = [at for at, char in enumerate(text) if char == "\n"]
    lines = {path: bisect_left(ends, at) for path, at in found.items()}
    return {path: (line + 1, found[path] - (ends[line - 1] if line else -1)) for path, line in lines.items()}


class _Reader:
    """One pass over one text. The stack holds the open objects and arrays, `path` the way to the value being read."""

    def __init__(self, text: str, limits: Limits, places: dict[str, int] | None = None) -> None:
        self.places = places
        self.room = _MOST_POINTERS
        self.text = text
        self.limits = limits
        self.at = 0
        self.count = 0
        self.path: list[str | int] = []
        self.stack: list[dict[str, Any] | list[Any]] = []
        self.problems: list[Problem] = []

    def note(self, rule: str, message: str) -> None:
        """Write down a problem at the present place; after `_MAX_PROBLEMS` the rest is left out."""
        if len(self.problems) >= _MAX_PROBLEMS:
            return
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - self.text.rfind("\n", 0, self.at)
        self.problems.append(Problem(rule, pointer(tuple(self.path)), f"{message} (line {line}, column {column})"))

    def document(self) -> Any:
        """The one value that the text holds."""
        root: list[Any] = []
        value = self._value()
        while True:
            opened = isinstance(value, (dict, list)) and self._open(value)
            if not opened:
                while self.stack and not self._more():
                    value = self.stack.pop()
                    self.path.pop()
                    self._keep(value)
                if not self.stack:
                    root.append(value)
                    break
            value = self._value()
            if not isinstance(value, (dict, list)):
                self._keep(value)
        self._skip()
        if self.at != len(self.text):
            raise _Broken("json_invalid", "data after the end of the document")
        return root[0]

    def _open(self, box: dict[str, Any] | list[Any]) -> bool:
        """Enter `box`; false if it closes at once."""
        if len(self.stack) >= self.limits.max_depth:
            raise _Broken("too_deep", f"nested deeper than {self.limits.max_depth} levels")
        closing = "}" if isinstance(box, dict) else "]"
        self._skip()
        if self.text.startswith(closing, self.at):
            self.at += 1
            if self.stack:
                self._keep(box)
            return False
        self.stack.append(box)
        self.path.append(0)
        if isinstance(box, dict):
            self._key(box)
        return True

    def _more(self) -> bool:
        """Whether the open container goes on after a value; closes it otherwise."""
        box = self.stack[-1]
        self._skip()
        sign = self.text[self.at : self.at + 1]
        if sign == ",":
            self.at += 1
            if isinstance(box, dict):
                self._key(box)
            else:
                self.path[-1] = len(box)
            return True
        if sign == ("}" if isinstance(box, dict) else "]"):
            self.at += 1
            return False
        raise _Broken("json_invalid", "expected a comma or the end of the object or array")

    def _key(self, box: dict[str, Any]) -> None:
        self._skip()
        self.path.pop()
        match = _STRING.match(self.text, self.at)
        if match is None:
            raise _Broken("json_invalid", "expected a key in double quotes")
        key = self._string(match)
        self.path.append(key)
        if key in box:
            self.note("duplicate_key", "the object has this key more than once")
        self.at = match.end()
        self._skip()
        if not self.text.startswith(":", self.at):
            raise _Broken("json_invalid", "expected a colon after the key")
        self.at += 1

    def _keep(self, value: Any) -> None:
        if not self.stack:
            return
        box = self.stack[-1]
        if isinstance(box, dict):
            box[str(self.path[-1])] = value
        else:
            box.append(value)

    def _value(self) -> Any:
        """The next scalar, or a new empty container whose opening sign has been passed."""
        self.count += 1
        if self.count > self.limits.max_values:
            raise _Broken("too_large", f"more than {self.limits.max_values} values")
        self._skip()
        if self.places is not None and self.room > 0:
            where = pointer(tuple(self.path))
            self.room -= len(where)
            self.places[where] = self.at
        sign = self.text[self.at : self.at + 1]
        if sign == "{" or sign == "[":
            self.at += 1
            return {} if sign == "{" else []
        if sign == '"' and (match := _STRING.match(self.text, self.at)):
            value: Any = self._string(match)
        elif match := _LITERAL.match(self.text, self.at):
            value = _LITERALS[match.group()]
        elif match := _NUMBER.match(self.text, self.at):
            value = self._number(match)
        else:
            raise _Broken("json_invalid", "expected a value" if sign else "the document ends too early")
        self.at = match.end()
        return value

    def _string(self, match: re.Match[str]) -> str:
        text: str = json.loads(match.group())
        if _SURROGATE.search(text):
            self.note("lone_surrogate", "a text holds half of a surrogate pair")
            text = _SURROGATE.sub("\ufffd", text)
        return text

    def _number(self, match: re.Match[str]) -> int | float:
        text = match.group()
        if len(text) > _MAX_DIGITS:
            self.note("number_out_of_range", "a number with too many digits")
            return 0
        if match.group(1) is None and match.group(2) is None:
            whole = int(text)
            if not -_MAX_INTEGER <= whole <= _MAX_INTEGER:
                self.note("number_out_of_range", "an integer beyond 2^53-1")
            return whole
        number = float(text)
        if not writable(number):
            self.note("number_out_of_range", "a number that other programs may not hold exactly")
        return number

    def _skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        if match:
            self.at = match.end()
