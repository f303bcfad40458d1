"""Where in the policy file does a key stand? Key path → line, for those who must find it to mend it.

1. It reads the text of a file that already parsed, by line: headers `[[targets]]`, keys at the start of a statement.
2. Strings and brackets over several lines are followed, so that a key inside them is nobody's key.
3. A path that has no line of its own gets the line of what holds it: the row, then the table, then nothing (0).

It judges nothing, and a spelling that it does not know costs a line number, never an error. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_HEADER: Final = re.compile(r"\s*\[\[?\s*([A-Za-z0-9_.-]+)\s*\]\]?\s*(?:#.*)?")
_KEY: Final = re.compile(r"\s*([A-Za-z0-9_-]+)\s*=(.*)", re.DOTALL)
_TOKEN: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"""|\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|\#[^\n]*|[\[\]{}]', re.DOTALL
)
_STEP: Final = re.compile(r"(?:\.[^.\[]+|\[[^\]]*\])$")


def line_numbers(text: str) -> dict[str, int]:
    """Key path (`targets[0].audience`) → line, counted from 1."""
    found: dict[str, int] = {}
    rows: dict[str, int] = {}
    prefix = ""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        start = at
        statement = lines[at]
        while _open(statement) and at + 1 < len(lines):
            at += 1
            statement += "\n" + lines[at]
        at += 1
        if header := _HEADER.fullmatch(statement):
            table = header[1]
            if statement.lstrip().startswith("[["):
                rows[table] = rows.get(table, -1) + 1
                prefix = f"{table}[{rows[table]}]"
                found.setdefault(table, start + 1)
            else:
                prefix = table
            found[prefix] = start + 1
        elif key := _KEY.fullmatch(statement):
            found[f"{prefix}.{key[1]}" if prefix else key[1]] = start + 1
    return found


def line_of(lines: Mapping[str, int], path: str) -> int:
    """The line of `path`, or of the nearest thing around it; 0 when nothing is known."""
    while path:
        if path in lines:
            return lines[path]
        shorter = _STEP.sub("", path)
        path = "" if shorter == path else shorter
    return 0


def _open(statement: str) -> bool:
    """Whether a string or a bracket of this statement is still open."""
    depth = 0
    for mark in _TOKEN.findall(statement):
        if mark in ('"""', "'''"):
            return True
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
    return depth > 0
