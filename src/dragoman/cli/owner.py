"""The owner's commands on a receiver's ledger: `status resolve pause resume export`, all with `--config`.

They work beside whoever runs there, or without one; a running receiver finds what they wrote at its next look. Nothing
is sent here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.beside import AsJson, ConfigPath, MaybeConfig, RolesFolder, note_operator, one_of, open_config, say
from dragoman.cli.output import decode_once, emit, read_file, read_stdin
from dragoman.cli.phrases import told, word
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError

if TYPE_CHECKING:
    from dragoman.identity import Target


def register(app: typer.Typer) -> None:
    """Add these commands to the main app."""
    for command in (status, resolve, pause, resume, export):
        app.command(name=command.__name__)(command)


def status(config: MaybeConfig = None, roles: RolesFolder = None, as_json: AsJson = False) -> None:
    """What waits for the owner, what was spent, what stands."""
    if (folder := one_of(config, roles)) is not None:
        from dragoman.cli.roles import status_roles

        status_roles(folder, as_json=as_json)
        return
    assert config is not None
    from dragoman.receiver.status import status as standing

    with open_config(config) as (loaded, books):
        found = standing(books, loaded, SystemClock().now())
    if as_json:
        emit(found)
        return
    from dragoman.cli.screen import show
    from dragoman.cli.standing import Page

    show(Page(found, str(config)).rows())


def resolve(
    config: ConfigPath,
    resolution: Annotated[str, typer.Option("--resolution", help="A JSON file, or `-` for standard input.")],
    as_json: AsJson = False,
) -> None:
    """Enter the owner's confirmed decision."""
    from dragoman.receiver.policy import policy_of
    from dragoman.receiver.resolve import Resolution, Resolver
    from dragoman.receiver.wiring import new_id

    raw = read_stdin() if resolution == "-" else read_file(Path(resolution))
    said: Resolution = decode_once(raw, Resolution, "resolution")
    with open_config(config) as (loaded, books):
        answer = Resolver(books, policy_of(loaded), SystemClock().now(), new_id).resolve(said)
    say(answer, as_json, _entered(answer))


def pause(
    config: ConfigPath,
    target: Annotated[str, typer.Argument(help="`platform/workspace/channel`; everywhere when left out.")] = "*",
    as_json: AsJson = False,
) -> None:
    """Stop answering, everywhere or at one target, before the next send."""
    where = _place(target)
    with open_config(config) as (_, books), books.ledger.write():
        books.seen.pause(where, SystemClock().now())
        note_operator(books, "pause", "paused")
    say({"paused": _named(where)}, as_json, told("paused_at", where=_shown(where)))


def resume(
    config: ConfigPath,
    target: Annotated[str, typer.Argument(help="`platform/workspace/channel`; everywhere when left out.")] = "*",
    as_json: AsJson = False,
) -> None:
    """Answer again."""
    where = _place(target)
    with open_config(config) as (_, books), books.ledger.write():
        changed = books.seen.resume(where)
        note_operator(books, "pause", "resumed")
    words = told("resumed_at" if changed else "was_not_paused", where=_shown(where))
    say({"resumed": _named(where), "changed": changed}, as_json, words)


def export(
    config: ConfigPath,
    contact: Annotated[str, typer.Option("--contact", help="A contact id, or a whole target.")],
    out: Annotated[Path, typer.Option("--out", help="A private folder; made when missing.")],
    as_json: AsJson = False,
) -> None:
    """Write the packets of one contact."""
    from dragoman.receiver.export import export as write_out

    with open_config(config) as (_, books):
        written = write_out(books, contact, out)
    words = told("exported", count=len(written), folder=out)
    say({"packets": [str(path) for path in written]}, as_json, words)


def _entered(answer: dict[str, Any]) -> str:
    if answer.get("repeated"):
        return told("repeated")
    named = next(str(answer[name]) for name in ("contact_id", "reply_id", "notification_id") if name in answer)
    return told("resolved", what=f"{named}: {word(str(answer['state']))}")


def _place(text: str) -> Target | None:
    from dragoman.identity import parse_target

    target = None if text == "*" else parse_target(text)
    if target is not None and not target.known:
        raise DragomanError("input_invalid", "not a target", where=text, fix="write `platform/workspace/channel`")
    return target


def _named(target: Target | None) -> str:
    return "*" if target is None else str(target)


def _shown(target: Target | None) -> str:
    return told("everywhere") if target is None else str(target)
