"""Bytes to a JSON value, or findings that say where the bytes stop being strict JSON (spec 3 §1).

1. UTF-8 only; no byte order mark, no trailing data, no NaN or Infinity, no lone surrogate.
2. No object has the same key twice, however the key is spelled.
3. Integers lie within ±(2^53-1); a float that has no exact canonical form is refused.
4. Size, depth and the number of values are bounded before anything else is believed.
5. No Unicode normalisation: two spellings of one letter are two texts.
6. Whatever the bytes are, the answer is a `Document` or findings; nothing is raised, nothing of the input is quoted.

Three ways, each proving what the one before could not. `orjson` gives the value; writing it back to the very same
bytes (or, in `glance`, to as many) proves that no key was lost. Where white space or escapes prevent that, the standard
library's parser looks for repeated keys. Where either says no, `strict.py` reads token by token and says why, with
line, column and pointer.
"""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn

import msgspec
import orjson

from dragoman.packets.strict import Limits, Problem, read_strictly, writable
from dragoman.packets.verdict import pointer

__all__ = ["DEFAULT_LIMITS", "MAX_INTEGER", "Document", "Limits", "Problem", "glance", "read"]

MAX_INTEGER: Final = 2**53 - 1
DEFAULT_LIMITS: Final = Limits()


class Seen(msgspec.Struct):
    """What one walk over a value saw: every text that stands as a value, and every name of a field."""

    texts: list[str] = []
    names: set[str] = set()


class Document(msgspec.Struct, frozen=True):
    """A value that was read. `plain` is true when orjson's sorted output is its RFC 8785 form (see `canonical.py`)."""

    value: Any
    plain: bool
    seen: Seen


def read(raw: bytes, limits: Limits = DEFAULT_LIMITS) -> Document | tuple[Problem, ...]:
    """The value of `raw`, or every problem found, in the order of the input.

    Args:
        raw: the bytes as they came.
        limits: size in bytes, depth of nesting, number of values.
    """
    if len(raw) > limits.max_bytes:
        return (Problem("too_large", "", f"more than {limits.max_bytes} bytes"),)
    value = _quickly(raw)
    if value is not _DOUBT:
        seen = Seen()
        found = survey(value, limits, seen)
        if isinstance(found, bool):
            return Document(value, found, seen)
    read_value, problems = read_strictly(raw, limits)
    if problems:
        return problems
    seen = Seen()
    found = survey(read_value, limits, seen)
    return Document(read_value, found, seen) if isinstance(found, bool) else (found,)


def survey(value: Any, limits: Limits, seen: Seen) -> bool | Problem:
    """Whether every key is ASCII and no number is a float; or the first bound that the value breaks. Never recurses.
    `seen` gathers texts and names meanwhile."""
    keep, name = seen.texts.append, seen.names.update
    plain = True
    count = 0
    level: list[tuple[tuple[str | int, ...], Any]] = (
        [((), value)] if isinstance(value, (dict, list)) else [((), [value])]
    )
    for _ in range(limits.max_depth):
        below: list[tuple[tuple[str | int, ...], Any]] = []
        for path, box in level:
            count += len(box)
            if type(box) is dict:
                pairs: Any = box.items()
                name(box)
            else:
                pairs = enumerate(box)
            for key, item in pairs:
                kind = type(item)
                if kind is str:
                    keep(item)
                    continue
                if kind is dict or kind is list:
                    below.append(((*path, key), item))
                elif kind is int:
                    if not -MAX_INTEGER <= item <= MAX_INTEGER:
                        return Problem("number_out_of_range", pointer((*path, key)), "an integer beyond 2^53-1")
                elif kind is float:
                    plain = False
                    if not writable(item):
                        return Problem("number_out_of_range", pointer((*path, key)), "a number that is not exact")
                elif kind is not bool and item is not None:
                    plain = False
        if count > limits.max_values:
            return Problem("too_large", "", f"more than {limits.max_values} values")
        if not below:
            return plain and "".join(seen.names).isascii()
        level = below
    return Problem("too_deep", "", f"nested deeper than {limits.max_depth} levels")


def glance(raw: bytes, limits: Limits) -> tuple[Any, bytes] | None:
    """The value and its bytes with sorted keys, of bytes that prove by themselves to be strict JSON without repeated
    keys or control characters (but line ends and tabs), smaller than every bound but that on depth; else None.

    The proof is the length: nothing is written shorter than `orjson` writes it, so bytes of the same length have no
    white space, no key twice and no other spelling. It holds only where no number is a float (`1e9`), which the caller
    has to see to; nothing of the value is looked at here.
    """
    if len(raw) > limits.max_bytes or len(raw) > limits.max_values or (b"\\" in raw and b"\\u00" in raw):
        return None
    try:
        value = orjson.loads(raw)
        written = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (ValueError, RecursionError, TypeError):
        return None
    return (value, written) if len(written) == len(raw) else None


_DOUBT: Final[Any] = object()
"""No value: read it the long way."""


def _quickly(raw: bytes) -> Any:
    """The value if two fast parsers prove that no key repeats, else `_DOUBT`."""
    try:
        value = orjson.loads(raw)
        if orjson.dumps(value) == raw:
            return value
        return json.loads(raw.decode("utf-8"), object_pairs_hook=_each_once, parse_constant=_refuse)
    except (ValueError, RecursionError, TypeError):
        return _DOUBT


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key repeats")
    return made


def _refuse(_: str) -> NoReturn:
    raise ValueError("not JSON")
