"""How a page for people is put on their screen: styled on a terminal, plain everywhere else.

1. A row is a text and a meaning; colours follow the meaning, and no information is in a colour alone.
2. Colours need a terminal that wants them (`NO_COLOR`, `TERM=dumb`); a pipe or a file gets the same rows without a
   single control character. Lines are never wrapped by us, so that a command can be copied whole.
3. Columns are counted in cells: a Chinese character takes two. Bars are plain ASCII, because the width of block
   characters depends on the terminal.
4. Words of others go through `shown` before they become part of a row.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable
from typing import Final, NamedTuple

from dragoman.clock import MINUTE, rfc3339
from dragoman.gate.command_words import age
from dragoman.shown import shown

STYLES: Final[dict[str, str]] = {
    "": "",
    "head": "bold",
    "urgent": "bold red",
    "good": "green",
    "warn": "yellow",
    "command": "cyan",
    "dim": "dim",
}
"""What each meaning looks like."""

BAR_CELLS: Final = 20


class Row(NamedTuple):
    """One line of a page."""

    text: str
    style: str = ""


def show(rows: Iterable[Row]) -> None:
    """Write a page to standard output."""
    if not sys.stdout.isatty():
        sys.stdout.write("".join(f"{shown(row.text)}\n" for row in rows))
        sys.stdout.flush()
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False, soft_wrap=True)
    for row in rows:
        console.print(Text(shown(row.text), style=STYLES[row.style]))


def cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(_cells(character) for character in text)


def pad(text: str, width: int) -> str:
    """A text with spaces up to `width` columns."""
    return text + " " * max(0, width - cells(text))


def bar(used: int, most: int) -> str:
    """`used` of `most` as a bar; anything used shows, and only all of it is full."""
    filled = 0 if most <= 0 else min(BAR_CELLS, used * BAR_CELLS // most)
    if used > 0 and not filled:
        filled = 1
    return f"[{'#' * filled}{'.' * (BAR_CELLS - filled)}] {used}/{most}"


def moment(ms: int) -> str:
    """A time to the minute, in UTC."""
    return rfc3339(ms // MINUTE * MINUTE).replace("T", " ").replace(":00Z", " UTC")


def span(ms: int, language: str) -> str:
    """How long, in words."""
    return age(max(0, ms), language)


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
