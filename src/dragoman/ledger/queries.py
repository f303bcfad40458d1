"""Named SQL: reads the `.sql` file beside a part once and hands out its statements by name.

A block starts with `-- name: some_name`; the comment lines after it say in a sentence what the statement does.
Nobody writes SQL in a Python string.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from importlib import resources
from typing import Final

_MARK: Final = "-- name: "


@cache
def queries(part: str) -> dict[str, str]:
    """The statements of `<part>.sql`, by name."""
    text = resources.files("dragoman.ledger").joinpath(f"{part}.sql").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for block in text.split(_MARK)[1:]:
        name, _, body = block.partition("\n")
        found[name.strip()] = body.strip()
    return found


@cache
def schema() -> tuple[str, ...]:
    """The statements that make an empty ledger of version 1; `migrations` make the later ones of it."""
    return _statements(resources.files("dragoman.ledger").joinpath("schema.sql").read_text(encoding="utf-8"))


@cache
def migrations() -> dict[int, tuple[str, ...]]:
    """Statements by the version that they make of the one before, in order: `migrations/0002.sql` makes version 2."""
    folder = resources.files("dragoman.ledger").joinpath("migrations")
    scripts = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return {int(file.name.removesuffix(".sql")): _statements(file.read_text(encoding="utf-8")) for file in scripts}


def _statements(script: str) -> tuple[str, ...]:
    """A script cut into its statements, so that they run inside a transaction of the caller's.

    Raises:
        ValueError: the script ends inside a statement.
    """
    found, open_lines = [], ""
    for line in script.splitlines(keepends=True):
        open_lines += line
        if sqlite3.complete_statement(open_lines):
            found.append(open_lines.strip())
            open_lines = ""
    if open_lines.strip():
        raise ValueError("a script ends inside a statement")
    return tuple(found)
