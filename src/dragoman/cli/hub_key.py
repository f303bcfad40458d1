"""`dragoman hub key`: a role's key over its life. The new key is on disk before the hub hears of it.

1. `rotate` writes the new key beside the old one (`FILE.next`), asks the hub, and puts it in the old one's place only
   after the hub's yes. Repeated after a lost answer it uses the same new key, and the hub says `replayed`.
2. What nothing undoes (`revoke`, `erase`) wants `--yes`.
3. A code is read from a file or standard input, never from an argument.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.hub_ask import AsJson, KeyFile, Url, ask, text_of
from dragoman.clock import HOUR
from dragoman.errors import DragomanError

if TYPE_CHECKING:
    from dragoman import wire
    from dragoman.channels.hub.client import HubClient
    from dragoman.channels.hub.keys import RoleKey

app = typer.Typer(name="key", help="Rotate, revoke and recover a role's key; erase the role.", no_args_is_help=True)

Sure = Annotated[bool, typer.Option("--yes", help="Say that it is meant.")]


@app.command()
def rotate(
    url: Url,
    key: KeyFile,
    grace_hours: Annotated[
        int, typer.Option("--grace-hours", min=0, max=168, help="How long other installations may still log in.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Put a new key in the place of the one in this file, at the hub and on disk."""
    from dragoman.channels.hub.keys import read_key, replace_key

    beside = key.with_name(f"{key.name}.next")
    new = _next_of(read_key(key), beside)

    async def work(client: HubClient) -> wire.KeyState:
        state = await client.key_life.rotate(new, grace_ms=grace_hours * HOUR)
        replace_key(key, beside)
        return state

    ask(url, key, work, repeat="the same command")


@app.command()
def revoke(url: Url, key: KeyFile, yes: Sure = False, as_json: AsJson = False) -> None:
    """End this key and every token at once; only `recover` leads back."""
    _meant(yes)
    ask(url, key, lambda client: client.key_life.revoke())


@app.command()
def recovery(
    url: Url,
    key: KeyFile,
    recovery_key: Annotated[Path, typer.Option("--recovery-key", help="A key file of `dragoman hub keygen`.")],
    former: Annotated[Path | None, typer.Option("--former", help="The recovery key that it replaces.")] = None,
    as_json: AsJson = False,
) -> None:
    """Name the key that may put a new one in place; keep its file somewhere else."""
    from dragoman.channels.hub.keys import read_key

    named, replaced = read_key(recovery_key), read_key(former) if former is not None else None
    ask(url, key, lambda client: client.key_life.name_recovery(named, replaced))


@app.command()
def recover(
    url: Url,
    role: Annotated[str, typer.Option("--role", help="The role's id.")],
    out: Annotated[Path, typer.Option("--out", help="Where the new key is; made when it is missing.")],
    recovery_key: Annotated[Path | None, typer.Option("--recovery-key", help="The key named beforehand.")] = None,
    code_file: Annotated[str | None, typer.Option("--code-file", help="The operator's code; `-` for stdin.")] = None,
    as_json: AsJson = False,
) -> None:
    """Put a new key in the place of all others, by the recovery key or the operator's code."""
    from dragoman.channels.hub.keys import create_key, read_key

    if (recovery_key is None) == (code_file is None):
        raise DragomanError("usage", "`--recovery-key` or `--code-file`", fix="give exactly one")
    by_key = read_key(recovery_key) if recovery_key is not None else None
    code = text_of(code_file).strip() if code_file is not None else None
    new = read_key(out) if out.exists() else create_key(out, role_id=role)
    if new.role_id != role:
        raise DragomanError("key_invalid", f"the key is of `{new.role_id}`", where=str(out), fix="choose another path")
    ask(url, out, lambda client: client.key_life.recover(by_key, code), repeat="the same command")


@app.command()
def erase(url: Url, key: KeyFile, yes: Sure = False, as_json: AsJson = False) -> None:
    """Erase the role, its words and all it has at the hub, for good."""
    _meant(yes)
    ask(url, key, lambda client: client.key_life.erase())


def _next_of(key: RoleKey, beside: Path) -> RoleKey:
    """The key that is to come: the one that an earlier try left beside the old one, or a new one."""
    from dragoman.channels.hub.keys import create_key, read_key

    if not beside.exists():
        return create_key(beside, role_id=key.role_id, instance_id=key.instance_id)
    new = read_key(beside)
    if (new.role_id, new.instance_id) != (key.role_id, key.instance_id):
        raise DragomanError("key_invalid", "is the next key of another role", where=str(beside), fix="move it away")
    return new


def _meant(yes: bool) -> None:
    if not yes:
        raise DragomanError("usage", "nothing undoes it", where="--yes", fix="say `--yes` when it is meant")
