"""`dragoman backup` and `dragoman restore`: a receiver's private state as one file, and back. Nothing is refunded."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from dragoman.cli.beside import AsJson, ConfigPath, say
from dragoman.cli.language import configured
from dragoman.cli.phrases import told
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError


def register(app: typer.Typer) -> None:
    """Add both commands to the main app."""
    app.command()(backup)
    app.command()(restore)


def backup(
    config: ConfigPath,
    out: Annotated[Path, typer.Option("--out", help="A new file; readable by you alone.")],
    with_key: Annotated[
        bool, typer.Option("--with-key", help="Also the role key: whoever has the file is this role then.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write the private state of a receiver into one file, while it runs or not."""
    from dragoman.receiver.backup import take

    os.umask(0o077)
    _speak(config)
    taken = take(config, out, SystemClock().now(), with_key=with_key)
    words = told("backed_up_key" if with_key else "backed_up", file=taken.file, bytes=taken.bytes)
    say(msgspec.to_builtins(taken), as_json, words)


def restore(
    config: ConfigPath,
    source: Annotated[Path, typer.Option("--from", help="A file that `dragoman backup` wrote.")],
    as_json: AsJson = False,
) -> None:
    """Put a backup in place, where nothing is; the receiver must not run."""
    from dragoman.receiver.backup import restore as put

    os.umask(0o077)
    _speak(config)
    done = put(config, source)
    words = told("restored", files=", ".join(done.files))
    say(msgspec.to_builtins(done), as_json, f"{words}\n{told('restored_older')}" if done.older else words)


def _speak(path: Path) -> None:
    """The configuration's language, as far as it can be read; what is wrong with it is told by what needs it."""
    from dragoman.receiver.config import load_config

    with contextlib.suppress(DragomanError):
        configured(load_config(path).file.spoken)
