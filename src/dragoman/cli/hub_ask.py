"""What the commands of `dragoman hub` share that speak to a hub: their options, one request, its answer or error."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.output import emit, read_file, read_stdin
from dragoman.clock import SECOND, SystemClock
from dragoman.errors import DragomanError

if TYPE_CHECKING:
    from dragoman.channels.hub.client import HubClient

Url = Annotated[str, typer.Option("--url", help="The hub's address; HTTPS, or HTTP on loopback.")]
KeyFile = Annotated[Path, typer.Option("--key", help="The role key file (mode 0600).")]
ContactId = Annotated[str, typer.Option("--contact", help="A contact id.")]
After = Annotated[int, typer.Option("--after", min=0, help="Go on after this `next_after`.")]
AsJson = Annotated[bool, typer.Option("--json", help="Errors as JSON too; answers always are.")]
PasswordFile = Annotated[
    Path | None, typer.Option("--db-password-file", help="The password of PostgreSQL, in a file of mode 0600.")
]


def ask(
    url: str,
    key_file: Path,
    verb: Callable[[HubClient], Awaitable[Any]],
    *,
    role: str | None = None,
    repeat: str = "",
    patience: int = 0,
) -> None:
    """One request to the hub, its answer on stdout.

    Args:
        repeat: the option that makes a second try the same write.
        patience: for how many seconds a `verb` that is safe to repeat is asked again.
    """
    import random

    from dragoman.channels.hub.again import again
    from dragoman.channels.hub.client import HubClient, HubError
    from dragoman.channels.hub.keys import read_key

    key = read_key(key_file)
    if role is not None and role != key.role_id:
        raise DragomanError("input_invalid", f"the key is of `{key.role_id}`", where="--role")

    async def work() -> Any:
        async with HubClient(url, key, SystemClock()) as client:
            return await again(
                lambda: verb(client),
                clock=SystemClock(),
                sleep=asyncio.sleep,
                chance=random.random,
                skew_ms=lambda: client.skew_ms or 0,
                within_ms=patience * SECOND,
            )

    try:
        emit(asyncio.run(work()))
    except HubError as error:
        if error.code == "hub_unreachable":
            error.where = url
        if error.uncertain and repeat:
            error.fix = f"it may have happened: repeat it with `{repeat}`"
        raise


def password_in(file: Path | None) -> str | None:
    """The first line of a private file.

    Raises:
        DragomanError: `config_invalid`.
    """
    from dragoman.ledger.files import read_private

    if file is None:
        return None
    try:
        return read_private(file, 1024).decode("utf-8").splitlines()[0]
    except (OSError, ValueError, IndexError) as error:
        detail = error.strerror or "" if isinstance(error, OSError) else "not a private file of one line"
        fix = "write the password into a file of your own with mode 0600"
        raise DragomanError("config_invalid", detail, where="--db-password-file", fix=fix) from None


def raw_of(name: str) -> bytes:
    """The bytes of a file, or of stdin for `-`.

    Raises:
        DragomanError: `input_invalid`, `input_too_large`.
    """
    return read_stdin() if name == "-" else read_file(Path(name))


def text_of(name: str) -> str:
    """The text of a file or of stdin, without the newline that ends its last line.

    Raises:
        DragomanError: `input_invalid`, `input_too_large`.
    """
    try:
        return raw_of(name).decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError as error:
        raise DragomanError("input_invalid", "not UTF-8", where="--text-file") from error
