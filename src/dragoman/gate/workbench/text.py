"""How is a policy written down? Typed entries in, the text of a policy file out (docs/reference/policy.md).

1. Only what differs from its default is written, so that the file says what its owner decided and nothing else.
2. Every text is quoted and escaped by TOML's own rules: no value can end its string or start another key.
3. A note is a comment of one line; line breaks and control characters in it are escaped.

What is written reads back as exactly the entries that went in (a property test). Pure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from dragoman.gate.policy_keys import PolicyFile
from dragoman.shown import shown

_TABLES: Final = ("targets", "operators", "counterparties", "records", "grants")


def policy_text(file: PolicyFile, notes: Mapping[str, str] | None = None) -> str:
    """The file as TOML. `notes` holds a comment for a key path (`targets[0]`); the path `` is the head of the file."""
    notes = notes or {}
    blocks = [[*_note(notes, ""), f"version = {file.version}"]]
    for name, value in _told(file):
        if name not in (*_TABLES, "version"):
            blocks[0] += [*_note(notes, name), f"{name} = {_value(value)}"]
    for table in _TABLES:
        for index, row in enumerate(getattr(file, table)):
            where = f"{table}[{index}]"
            block = [*_note(notes, where), f"[[{table}]]"]
            for name, value in _told(row):
                block += [*_note(notes, f"{where}.{name}"), f"{name} = {_value(value)}"]
            blocks.append(block)
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _told(entry: msgspec.Struct) -> list[tuple[str, Any]]:
    """The keys of an entry that say something: required ones, and those that differ from their default."""
    told = []
    for field in msgspec.structs.fields(type(entry)):
        value = getattr(entry, field.name)
        if value is not None and (field.required or value != field.default):
            told.append((field.name, value))
    return told


def _note(notes: Mapping[str, str], where: str) -> list[str]:
    return [f"# {shown(line)}".rstrip() for line in notes.get(where, "").split("\n")] if where in notes else []


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, msgspec.Struct):
        return "{ " + ", ".join(f"{name} = {_value(inner)}" for name, inner in _told(value)) + " }"
    items = [_value(each) for each in value]
    short = "[" + ", ".join(items) + "]"
    return short if len(short) <= 100 else "[\n" + "".join(f"  {item},\n" for item in items) + "]"
