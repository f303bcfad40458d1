"""What commands share that work on a ledger beside whoever runs it: options, opening, the operator's record."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.output import emit, lines
from dragoman.clock import SystemClock

if TYPE_CHECKING:
    from dragoman.receiver.books import Books
    from dragoman.receiver.config import Config

ConfigPath = Annotated[Path, typer.Option("--config", help="The private configuration file.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]


@contextlib.contextmanager
def open_config(path: Path) -> Iterator[tuple[Config, Books]]:
    """The configuration and its open ledger, beside whoever runs it."""
    from dragoman.receiver.books import open_books, side_file
    from dragoman.receiver.config import load_config

    os.umask(0o077)
    loaded = load_config(path)
    books = open_books(loaded.state_dir, side_file(loaded.path), may_create=False)
    with contextlib.closing(books):
        yield loaded, books


def note_operator(books: Books, correlation_id: str, outcome: str) -> None:
    """Write down what an operator did at the command line."""
    from dragoman.gate.ports import Entry

    books.journal.record(
        Entry(
            correlation_id=correlation_id,
            kind="operator",
            outcome=outcome,
            reason="command_line",
            time=SystemClock().now(),
        )
    )


def say(value: Any, as_json: bool, words: str) -> None:
    """One JSON object for machines, or words for people."""
    if as_json:
        emit(value)
    else:
        lines(words)
