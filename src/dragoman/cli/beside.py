"""What commands share that work on a ledger beside whoever runs it: options, opening, the operator's record."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from dragoman.cli.language import configured
from dragoman.cli.output import emit, lines
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError

if TYPE_CHECKING:
    from dragoman.ledger.evidence import EvidenceStore
    from dragoman.ledger.journal import LedgerJournal
    from dragoman.receiver.books import Books
    from dragoman.receiver.config import Config

ConfigPath = Annotated[Path, typer.Option("--config", help="The private configuration file.")]
MaybeConfig = Annotated[Path | None, typer.Option("--config", help="The private configuration file.")]
StateFolder = Annotated[
    Path | None, typer.Option("--state", help="Instead of `--config`: the state folder of a gate of your own bot.")
]
RolesFolder = Annotated[
    Path | None, typer.Option("--roles", help="Instead of `--config`: a folder with a folder for each role.")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]


@contextlib.contextmanager
def open_config(path: Path) -> Iterator[tuple[Config, Books]]:
    """The configuration and its open ledger, beside whoever runs it."""
    from dragoman.receiver.books import open_books, side_file
    from dragoman.receiver.config import load_config

    os.umask(0o077)
    loaded = load_config(path)
    configured(loaded.file.spoken)
    water = side_file(loaded.path)
    books = open_books(loaded.state_dir, water, may_create=False, grant_id=loaded.grant_id)
    with contextlib.closing(books):
        yield loaded, books


def one_of(config: Path | None, roles: Path | None, at_once: int | None = None) -> Path | None:
    """The roles folder, or None when one configuration was named; `at_once` belongs to a folder only.

    Raises:
        DragomanError: `usage` unless exactly one of both is given.
    """
    if config is not None and at_once is not None:
        raise DragomanError("usage", "`--at-once` is of `--roles`", where="options", fix="leave `--at-once` out")
    if (config is None) == (roles is None):
        raise DragomanError("usage", "name one of `--config` and `--roles`", where="options", fix="give exactly one")
    return roles


class Records(NamedTuple):
    """What can be read of a ledger without a configuration; `config` is there when one was given."""

    folder: Path
    journal: LedgerJournal
    evidence: EvidenceStore
    config: Config | None


@contextlib.contextmanager
def open_records(config: Path | None, state: Path | None) -> Iterator[Records]:
    """The records of a receiver's configuration, or of a state folder, beside whoever writes them.

    Raises:
        DragomanError: `usage` unless exactly one of both is given.
    """
    if (config is None) == (state is None):
        raise DragomanError("usage", "name one of `--config` and `--state`", where="options", fix="give exactly one")
    if config is not None:
        with open_config(config) as (loaded, books):
            yield Records(loaded.state_dir, books.journal, books.evidence, loaded)
        return
    from dragoman.ledger.evidence import EvidenceStore
    from dragoman.ledger.journal import LedgerJournal
    from dragoman.ledger.store import open_ledger

    assert state is not None
    os.umask(0o077)
    with contextlib.closing(open_ledger(state)) as ledger:
        yield Records(state, LedgerJournal(ledger), EvidenceStore(ledger), None)


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
