"""Which texts of a packet are its sender's own words? A closed schema tells, once for each profile.

1. Asked only of a packet that fits its schema: names, types, bounds and depth are proven then and not looked at again.
2. What a schema fixes (one of some words, a time, a digest, a signature) says nothing; every other text is free.
3. Where the schema is open and something stands (an extension, a corrected body), or a number is a float, there is no
   answer: such a packet is surveyed value by value (`read.survey`).
4. A number without bounds within ±(2^53-1) counts as open. Unknown is never a yes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import itemgetter
from typing import Any, Final

from dragoman.packets.read import MAX_INTEGER

FreeTexts = Callable[[dict[str, Any]], list[str] | None]
"""A packet that fits its schema → every free text, or None (law 3)."""

Gather = Callable[[Any, list[Any], list[Any]], None]
"""Adds the free texts and the numbers of a value to two lists."""

FIXED: Final = frozenset({"^sha256:[0-9a-f]{64}$", "^[A-Za-z0-9_-]{86}$"})
"""The patterns of digests and of signatures."""


_OR_NULL: Final = {("string", "null"): "string", ("integer", "null"): "integer"}
"""What may be null beside; anything else that may be is open."""


class _Open(Exception):
    """Something stands where the schema says nothing of it."""


def free_texts(schema: dict[str, Any], envelope: dict[str, Any]) -> FreeTexts:
    """The function that gives every free text of a packet that fits `schema`, or None (law 3).

    Args:
        schema: of a profile: `$ref` to the envelope, and `properties` of its own.
        envelope: the schema of the envelope, with the `$defs` of both.
    """
    whole = {**envelope, "properties": envelope["properties"] | schema["properties"]}
    gather = _gather(whole, envelope["$defs"]) or _open

    def look(packet: dict[str, Any]) -> list[str] | None:
        texts: list[Any] = []
        numbers: list[Any] = []
        try:
            gather(packet, texts, numbers)
        except _Open:
            return None
        return None if float in map(type, numbers) else texts

    return look


def _gather(node: dict[str, Any], defs: dict[str, Any]) -> Gather | None:
    """How a value of this schema is gathered; None if there is nothing in it."""
    if "$ref" in node:
        return _gather(defs[node["$ref"].rpartition("/")[2]], defs)
    if "enum" in node or "const" in node or node.get("format") == "date-time" or node.get("pattern") in FIXED:
        return None
    kinds = node.get("type", ())
    match kinds if isinstance(kinds, str) else _OR_NULL.get(tuple(kinds)):
        case "boolean":
            return None
        case "string":
            return _text
        case "integer" if abs(node.get("minimum", math.inf)) <= MAX_INTEGER >= node.get("maximum", math.inf):
            return _number
        case "array" if isinstance(node.get("items"), dict):
            return _array(_gather(node["items"], defs))
        case "object" if node.get("additionalProperties") is False:
            fields = {name: found for name, each in node["properties"].items() if (found := _gather(each, defs))}
            return _object(fields, frozenset(node.get("required", ())))
    return _open


def _text(value: Any, texts: list[Any], _: list[Any]) -> None:
    if value is not None:
        texts.append(value)


def _number(value: Any, _: list[Any], numbers: list[Any]) -> None:
    numbers.append(value)


def _open(value: Any, _texts: list[Any], _numbers: list[Any]) -> None:
    if value is not None and value != {}:
        raise _Open


def _array(each: Gather | None) -> Gather | None:
    if each is None:
        return None

    def gather(value: Any, texts: list[Any], numbers: list[Any]) -> None:
        for item in value:
            each(item, texts, numbers)

    return gather


def _object(fields: dict[str, Gather], required: frozenset[str]) -> Gather:
    """Texts and numbers that are always there are fetched together, what lies deeper or may be missing one by one."""
    texts_of = _values([name for name, each in fields.items() if each is _text and name in required])
    numbers_of = _values([name for name, each in fields.items() if each is _number and name in required])
    inner = [(name, each) for name, each in fields.items() if name in required and each not in (_text, _number)]
    optional = [(name, each) for name, each in fields.items() if name not in required]
    size = len(required)

    def gather(box: Any, texts: list[Any], numbers: list[Any]) -> None:
        if texts_of is not None:
            texts += texts_of(box)
        if numbers_of is not None:
            numbers += numbers_of(box)
        for name, each in inner:
            each(box[name], texts, numbers)
        if len(box) > size:
            for name, each in optional:
                if name in box:
                    each(box[name], texts, numbers)

    return gather


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]] | None:
    """Fetches the values of these names at once; None for no names."""
    if len(names) == 1:
        return lambda box: (box[names[0]],)
    return itemgetter(*names) if names else None
