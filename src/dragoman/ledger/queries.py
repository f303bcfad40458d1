"""Named SQL: reads the `.sql` file beside a part once and hands out its statements by name.

A block starts with `-- name: some_name`; the comment lines after it say in a sentence what the statement does.
Nobody writes SQL in a Python string.
"""

from __future__ import annotations

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
def schema() -> str:
    """The script that makes an empty ledger."""
    return resources.files("dragoman.ledger").joinpath("schema.sql").read_text(encoding="utf-8")
