"""Which texts of a packet are its sender's own words? A closed schema tells, once for each profile.

1. Asked only of a packet that fits its schema: names, types, bounds and depth are proven then and not looked at again.
2. What a schema fixes (one of some words, a time, a digest, a signature) says nothing; every other text is free.
3. Ids of records stand apart: most of them are random and hold no words (`rules/prose.py`).
4. Where the schema is open and something stands (an extension, a corrected body), or a number is a float, there is no
   answer: such a packet is surveyed value by value (`read.survey`).
5. A number without bounds within ±(2^53-1) counts as open. Unknown is never a yes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from dragoman.packets.read import MAX_INTEGER

Words = tuple[list[str], list[str | None]]
"""Every free text of a packet, and the ids of records among them apart; an id that may be null stands as None."""

FreeTexts = Callable[[dict[str, Any]], Words | None]
"""A packet that fits its schema → its words, or None (law 4)."""

FIXED: Final = frozenset({"^sha256:[0-9a-f]{64}$", "^[A-Za-z0-9_-]{86}$"})
"""The patterns of digests and of signatures."""

RECORDS: Final = frozenset(
    {"messageId", "correlationId", "idempotencyKey", "taskId", "blockerId", "proposalId", "grantRef"}
)
"""The definitions of ids that name a record, not somebody."""
TRACE: Final = "^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$"
"""The pattern of a trace context."""

KEY_ID: Final = re.compile("key-[0-9a-f]{32}", re.ASCII)
"""The ids that we give to keys (`signature.key_id_of`): random where the id of a key stands, and a secret elsewhere."""

_OR_NULL: Final = {("string", "null"): "string", ("integer", "null"): "integer"}
"""What may be null beside; anything else that may be is open."""


_Bag = tuple[list[Any], list[Any], list[Any]]
"""What is gathered: texts, ids, numbers."""

_Gather = Callable[[Any, _Bag], None]
"""Puts what is in a value into a bag."""


class _Open(Exception):
    """Something stands where the schema says nothing of it."""


def free_texts(schema: dict[str, Any], envelope: dict[str, Any]) -> FreeTexts:
    """The function that gives the words of a packet that fits `schema`, or None (law 4).

    Args:
        schema: of a profile: `$ref` to the envelope, and `properties` of its own.
        envelope: the schema of the envelope, with the `$defs` of both.
    """
    whole = {**envelope, "properties": envelope["properties"] | schema["properties"]}
    gather = _gather(whole, envelope["$defs"]) or _open

    def look(packet: dict[str, Any]) -> Words | None:
        bag: _Bag = ([], [], [])
        try:
            gather(packet, bag)
        except _Open:
            return None
        texts, ids, numbers = bag
        return None if float in map(type, numbers) else (texts, ids)

    return look


def _gather(node: dict[str, Any], defs: dict[str, Any]) -> _Gather | None:
    """How a value of this schema is gathered; None if there is nothing in it."""
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        return _id if name in RECORDS else _key if name == "keyId" else _gather(defs[name], defs)
    if "enum" in node or "const" in node or node.get("format") == "date-time" or node.get("pattern") in FIXED:
        return None
    kinds = node.get("type", ())
    pattern = node.get("pattern")
    if pattern == TRACE or (kinds == ["string", "null"] and pattern == defs["messageId"]["pattern"]):
        return _id
    match kinds if isinstance(kinds, str) else _OR_NULL.get(tuple(kinds)):
        case "boolean":
            return None
        case "string":
            return _text if kinds == "string" else _maybe_text
        case "integer" if abs(node.get("minimum", math.inf)) <= MAX_INTEGER >= node.get("maximum", math.inf):
            return _number
        case "array" if isinstance(node.get("items"), dict):
            return _array(_gather(node["items"], defs))
        case "object" if _closed(node):
            return _object(node, defs)
    return _open


def _closed(node: dict[str, Any]) -> bool:
    return node.get("type") == "object" and node.get("additionalProperties") is False


def _text(value: Any, bag: _Bag) -> None:
    bag[0].append(value)


def _maybe_text(value: Any, bag: _Bag) -> None:
    if value is not None:
        bag[0].append(value)


def _texts(value: Any, bag: _Bag) -> None:
    bag[0].extend(value)


def _id(value: Any, bag: _Bag) -> None:
    bag[1].append(value)


def _ids(value: Any, bag: _Bag) -> None:
    bag[1].extend(value)


def _key(value: Any, bag: _Bag) -> None:
    if KEY_ID.fullmatch(value) is None:
        bag[0].append(value)


def _number(value: Any, bag: _Bag) -> None:
    bag[2].append(value)


def _open(value: Any, _: _Bag) -> None:
    if value is not None and value != {}:
        raise _Open


_ALL: Final[dict[_Gather | None, _Gather]] = {_text: _texts, _id: _ids}
"""How a list of such values is gathered at once."""


def _array(each: _Gather | None) -> _Gather | None:
    if each is None or each in _ALL:
        return _ALL.get(each)

    def gather(value: Any, bag: _Bag) -> None:
        for item in value:
            each(item, bag)

    return gather


class _Field(NamedTuple):
    """A field of one of the boxes, and whether it is always there."""

    box: int
    name: str
    each: _Gather
    always: bool


def _object(node: dict[str, Any], defs: dict[str, Any]) -> _Gather:
    """The object and those that are always in it (its boxes), gathered by one function whose source is written from
    the schema: two dozen fields fetched by a call each would take longer than all rules."""
    sizes, lines, fields = _boxes(node, defs)
    for bag, kind in (("texts", _text), ("ids", _id), ("numbers", _number)):
        values = [_at(field) for field in fields if field.always and field.each is kind]
        lines += [f"{bag} += ({', '.join(values)},)"] if values else []
    for bag, kind in (("texts", _texts), ("ids", _ids)):
        lines += [f"{bag} += {_at(field)}" for field in fields if field.always and field.each is kind]
    fetched = (_text, _id, _number, _texts, _ids)
    rest = [(f"each{at}", field) for at, field in enumerate(fields) if field.each not in fetched]
    lines += [f"{each}({_at(field)}, bag)" for each, field in rest if field.always]
    for at, size in enumerate(sizes):
        more = [(f"each{n}", field) for n, field in enumerate(fields) if field.box == at and not field.always]
        lines += [f"if len(box{at}) > {size}:"] if more else []
        lines += [f"    if {field.name!r} in box{at}: {each}({_at(field)}, bag)" for each, field in more]
    source = "\n    ".join(("def gather(box0, bag):", "texts, ids, numbers = bag", *lines))
    made: dict[str, Any] = {f"each{at}": field.each for at, field in enumerate(fields)}
    exec(source, made)  # noqa: S102 - nothing but names of our own schemas, quoted
    gather: _Gather = made["gather"]
    return gather


def _at(field: _Field) -> str:
    return f"box{field.box}[{field.name!r}]"


def _boxes(node: dict[str, Any], defs: dict[str, Any]) -> tuple[list[int], list[str], list[_Field]]:
    """How many fields each box has at least, the lines that fetch one from another, and every field that is no box."""
    boxes, lines, fields = [node], [], []
    for at, box in enumerate(boxes):  # grows meanwhile
        required = frozenset(box.get("required", ()))
        for name, child in box["properties"].items():
            inner = _resolved(child, defs)
            if name in required and _closed(inner):
                lines.append(f"box{len(boxes)} = box{at}[{name!r}]")
                boxes.append(inner)
            elif (found := _gather(child, defs)) is not None:
                fields.append(_Field(at, name, found, name in required))
    return [len(box.get("required", ())) for box in boxes], lines, fields


def _resolved(node: dict[str, Any], defs: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        node = defs[node["$ref"].rpartition("/")[2]]
    return node
