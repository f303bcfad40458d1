"""`dragoman packet inbox`: take packets in, each piece of work once (`packets/inbox.py` has the law).

The inbox is a private folder with a file for each piece of work, made whole or not at all, and never written over: two
programs that take the same packet at once get one result. An acknowledgement is a file of its own beside it.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from dragoman.cli.output import emit, line, read_file, read_stdin
from dragoman.cli.packet_signing import TrustFile, trust_in
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError, Exit
from dragoman.ledger.files import NotPrivate, create_private, private_folder, read_private
from dragoman.packets import build
from dragoman.packets.build import Agent, Origin, Stamp
from dragoman.packets.inbox import Kept, Taken, acknowledges, again, first, kept_of, place_of
from dragoman.packets.validate import judge
from dragoman.packets.verdict import Result as Judgement

_LIMIT = 4 * 1024 * 1024
_BOUNDARY = "answers for what it took in; executes nothing"

State = Annotated[
    Path, typer.Option("--state", metavar="FOLDER", help="The inbox; a private folder, made when missing.")
]
Json = Annotated[bool, typer.Option("--json", help="Write one JSON value.")]

inbox = typer.Typer(no_args_is_help=True, help="Take packets in, each piece of work once; say what is due an answer.")


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.add_typer(inbox, name="inbox")


@inbox.command("take")
def take_command(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A packet file; `-` reads standard input.")],
    state: State,
    trust: TrustFile = None,
    as_json: Json = False,
) -> None:
    """Take a packet in. Taken or taken before: exit 0, with the first result; a conflict or a failed packet: exit 1."""
    raw, now = read_stdin() if path == "-" else read_file(Path(path)), SystemClock().now()
    verdict, packet = judge(raw, now=now, trust=trust_in(trust))
    if verdict.result is Judgement.FAIL or packet is None:
        if as_json:
            emit({"outcome": "refused", "verdict": verdict})
        else:
            line(f"refused: {', '.join(dict.fromkeys(verdict.rules))}; see `dragoman packet validate`")
        raise typer.Exit(Exit.FAILED_CHECK)
    taken = _take(_folder(state), packet, now)
    if as_json:
        emit(taken)
    else:
        due = "; it is due an acknowledgement" if taken.result.acknowledgement_due and taken.outcome == "taken" else ""
        line(f"{taken.outcome}: {taken.result.message_id}, first taken at {taken.result.taken_at}{due}")
    if taken.outcome == "conflict":
        raise typer.Exit(Exit.FAILED_CHECK)


@inbox.command("due")
def due_command(state: State, as_json: Json = False) -> None:
    """List what is due an acknowledgement, oldest first."""
    rows = [each.result for each in _due(_folder(state))]
    if as_json:
        emit({"due": rows})
        return
    for row in rows:
        line(f"{row.taken_at}  {row.message_id}  {row.profile}  {row.source}")
    line(f"{len(rows)} due")


@inbox.command("ack")
def ack_command(
    message_id: Annotated[str, typer.Argument(metavar="MESSAGE_ID", help="What is acknowledged.")],
    state: State,
    status: Annotated[
        str, typer.Option(help="`accepted`, `rejected`, `deferred`, `blocked` or `human_review`.")
    ] = "accepted",
    reason: Annotated[str, typer.Option(help="Why; needed for all but `accepted`.")] = "",
    as_json: Json = False,
) -> None:
    """Print the acknowledgement of a packet that is due one; the same one each time it is asked for again."""
    folder = _folder(state)
    kept = next((each for each in _all(folder) if each.result.message_id == message_id), None)
    if kept is None:
        raise DragomanError("not_found", f"no packet `{message_id}` was taken", fix="see `dragoman packet inbox due`")
    if not kept.result.acknowledgement_due:
        raise DragomanError("conflict", f"`{message_id}` asks for no acknowledgement", fix="send none")
    file = folder / (place_of(kept.packet) + ".ack")
    if not file.exists():
        with contextlib.suppress(FileExistsError):
            create_private(file, _ack(kept, status, reason))
    made = read_private(file, _LIMIT)
    typer.echo((made if as_json else msgspec.json.format(made, indent=2)).decode())


def _take(folder: Path, packet: dict[str, Any], now: int) -> Taken:
    file, kept = folder / (place_of(packet) + ".json"), kept_of(packet, now)
    try:
        create_private(file, msgspec.json.encode(kept))
    except FileExistsError:
        return again(packet, _read(file))
    except OSError as error:
        raise DragomanError("ledger_broken", error.strerror or "", where=str(folder), fix="free the disk") from None
    if (named := acknowledges(packet)) is not None:
        _settle(folder, named, packet)
    return first(kept)


def _settle(folder: Path, named: str, packet: dict[str, Any]) -> None:
    """An acknowledgement that came in by itself (written by another program of ours) ends the duty."""
    for kept in _all(folder):
        if kept.result.message_id == named and kept.result.acknowledgement_due:
            with contextlib.suppress(FileExistsError):
                create_private(folder / (place_of(kept.packet) + ".ack"), msgspec.json.encode(packet))


def _ack(kept: Kept, status: str, reason: str) -> bytes:
    asked = kept.packet
    origin = Origin(
        source=_agent(asked["target"]),
        target=_agent(asked["source"]),
        correlation_id=kept.result.correlation_id,
        fallback_directive="stop and ask the owner",
        channel=asked["trust"]["channel"],
    )
    id = f"msg-{uuid.uuid4().hex}"
    stamp = Stamp(message_id=id, now=SystemClock().now(), sequence=0, parent_message_id=kept.result.message_id)
    return build.ack(
        origin, stamp, acknowledged_message_id=kept.result.message_id, status=status, reason=reason or None
    )


def _agent(party: dict[str, Any]) -> Agent:
    return msgspec.convert(party, Agent)


def _due(folder: Path) -> Iterator[Kept]:
    rows = [each for each in _all(folder) if each.result.acknowledgement_due]
    for kept in sorted(rows, key=lambda each: (each.result.taken_at, each.result.message_id)):
        if not (folder / (place_of(kept.packet) + ".ack")).exists():
            yield kept


def _all(folder: Path) -> Iterator[Kept]:
    for file in sorted(folder.glob("*.json")):
        yield _read(file)


def _read(file: Path) -> Kept:
    try:
        return msgspec.json.decode(read_private(file, _LIMIT), type=Kept)
    except (NotPrivate, ValueError, OSError, msgspec.DecodeError) as error:
        raise DragomanError(
            "ledger_broken", str(error), where=str(file), fix="restore the inbox from a backup"
        ) from None


def _folder(state: Path) -> Path:
    try:
        private_folder(state)
    except (NotPrivate, OSError) as error:
        raise DragomanError("config_not_private", str(error), where=str(state), fix=f"chmod 700 {state}") from None
    return state
