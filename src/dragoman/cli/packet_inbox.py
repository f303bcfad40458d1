"""`dragoman packet inbox`: take packets in, each piece of work once (`packets/inbox.py` has the law).

The inbox is a private folder with a file for each piece of work, made whole or not at all, and never written over: two
programs that take the same packet at once get one result. An acknowledgement is a file of its own beside it.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from dragoman.cli.output import emit, line, read_file, read_stdin
from dragoman.cli.packet_forms import print_packet
from dragoman.cli.packet_signing import TrustFile, trust_in
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError, Exit
from dragoman.ledger.files import NotPrivate, create_private, private_folder, read_private, sync_folder
from dragoman.packets import build
from dragoman.packets.build import Agent, Origin, Stamp
from dragoman.packets.envelope import text_at
from dragoman.packets.inbox import Kept, Taken, acknowledges, again, expired, first, kept_of, place_of, settles
from dragoman.packets.validate import judge
from dragoman.packets.verdict import Result as Judgement

_LIMIT = 4 * 1024 * 1024
FINAL = ("accepted", "rejected")
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
        str, typer.Option(help="`accepted` (default), `rejected`, `deferred`, `blocked` or `human_review`.")
    ] = "",
    reason: Annotated[str, typer.Option(help="Why; needed for all but `accepted`.")] = "",
    source: Annotated[str, typer.Option(metavar="AGENT", help="Whose packet, where two have one message id.")] = "",
    sequence: Annotated[
        int | None,
        typer.Option(min=0, help="Its number among your packets in this conversation; default: as counted here."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the acknowledgement of a packet that is due one; the same one each time it is asked for again. What was
    deferred, blocked or sent to a person can be accepted or rejected once."""
    folder = _folder(state)
    kept = _named(folder, message_id, source)
    if not kept.result.acknowledgement_due:
        raise DragomanError("conflict", f"`{message_id}` asks for no acknowledgement", fix="send none")
    made = _answer(folder, kept)
    said = _status(made)
    if made is None or (status not in ("", said) and said not in FINAL and status in FINAL):
        status = status or "accepted"
        if status == "accepted" and expired(kept.packet, SystemClock().now()):
            fix = "reject it with a reason, and ask its source for a new packet"
            raise DragomanError("conflict", f"`{message_id}` is past its expiry", fix=fix)
        number = _answers_in(folder, kept) if sequence is None else sequence
        file = _answer_files(folder, kept)[0 if made is None else 1]
        with contextlib.suppress(FileExistsError):
            _put(file, _ack(kept, status, reason, number))
        made = _answer(folder, kept)
        said = _status(made)
    assert made is not None
    if status not in ("", said):
        fix = "leave `--status` away to print it" if said in FINAL else "accept or reject it, or leave `--status` away"
        raise DragomanError("conflict", f"`{message_id}` was acknowledged as `{said}` before", fix=fix)
    print_packet(made, as_json=as_json)


def _named(folder: Path, message_id: str, source: str) -> Kept:
    """What was taken under this message id; message ids of two sources may be the same."""
    found = [
        each for each in _all(folder) if each.result.message_id == message_id and source in ("", each.result.source)
    ]
    if not found:
        raise DragomanError("not_found", f"no packet `{message_id}` was taken", fix="see `dragoman packet inbox due`")
    if len(found) > 1:
        sources = ", ".join(sorted(each.result.source for each in found))
        raise DragomanError("conflict", f"`{message_id}` is of more than one packet", fix=f"name one of: {sources}")
    return found[0]


def _answer_files(folder: Path, kept: Kept) -> tuple[Path, Path]:
    """Where the first acknowledgement is kept, and the final one after a first that left it open."""
    place = place_of(kept.packet)
    return folder / (place + ".ack"), folder / (place + ".final.ack")


def _answer(folder: Path, kept: Kept) -> bytes | None:
    """The last acknowledgement that was given, or None."""
    for file in reversed(_answer_files(folder, kept)):
        with contextlib.suppress(FileNotFoundError):
            return _bytes_of(file)
    return None


def _status(ack: bytes | None) -> str:
    return "" if ack is None else text_at(msgspec.json.decode(ack), "body", "ack_status")


def _answers_in(folder: Path, kept: Kept) -> int:
    """How many acknowledgements the target of `kept` has given in its conversation, by what is kept here."""
    mine = text_at(kept.packet, "target", "agent_id")
    return sum(
        file.exists()
        for each in _all(folder)
        if each.result.correlation_id == kept.result.correlation_id
        and text_at(each.packet, "target", "agent_id") == mine
        for file in _answer_files(folder, each)
    )


def _take(folder: Path, packet: dict[str, Any], now: int) -> Taken:
    file, kept = folder / (place_of(packet) + ".json"), kept_of(packet, now)
    try:
        _put(file, msgspec.json.encode(kept))
        taken = first(kept)
    except FileExistsError:
        taken = again(packet, _read(file))
    if taken.outcome != "conflict" and acknowledges(packet) is not None:
        _settle(folder, packet)  # also when repeated: the program may have ended between the two
    return taken


def _settle(folder: Path, ack: dict[str, Any]) -> None:
    """An acknowledgement that came in by itself (written by another program of ours) ends the duty."""
    for kept in _all(folder):
        if settles(ack, kept):
            first_file, final_file = _answer_files(folder, kept)
            final = text_at(ack, "body", "ack_status") in FINAL
            open_before = first_file.exists() and _status(_bytes_of(first_file)) not in FINAL
            with contextlib.suppress(FileExistsError):
                _put(final_file if final and open_before else first_file, msgspec.json.encode(ack))


def _put(file: Path, body: bytes) -> None:
    """Make a file whole or not at all, durable, and never over another: written beside, then linked to its name.

    Raises:
        FileExistsError: it is there.
        DragomanError: `ledger_broken`, the disk is full or the like.
    """
    beside = file.with_name(f"{uuid.uuid4().hex}.new")
    try:
        try:
            create_private(beside, body)
            os.link(beside, file, follow_symlinks=False)
        finally:
            beside.unlink(missing_ok=True)
        sync_folder(file.parent)
    except FileExistsError:
        raise
    except OSError as error:
        fix = "free the disk, then try again: nothing was kept"
        raise DragomanError("ledger_broken", error.strerror or "", where=str(file.parent), fix=fix) from None


def _ack(kept: Kept, status: str, reason: str, sequence: int) -> bytes:
    asked = kept.packet
    origin = Origin(
        source=_agent(asked["target"]),
        target=_agent(asked["source"]),
        correlation_id=kept.result.correlation_id,
        fallback_directive="stop and ask the owner",
        channel=asked["trust"]["channel"],
    )
    id = f"msg-{uuid.uuid4().hex}"
    stamp = Stamp(message_id=id, now=SystemClock().now(), sequence=sequence, parent_message_id=kept.result.message_id)
    return build.ack(
        origin, stamp, acknowledged_message_id=kept.result.message_id, status=status, reason=reason or None
    )


def _agent(party: dict[str, Any]) -> Agent:
    return msgspec.convert(party, Agent)


def _due(folder: Path) -> Iterator[Kept]:
    rows = [each for each in _all(folder) if each.result.acknowledgement_due]
    for kept in sorted(rows, key=lambda each: (each.result.taken_at, each.result.message_id)):
        if not any(file.exists() for file in _answer_files(folder, kept)):
            yield kept


def _all(folder: Path) -> Iterator[Kept]:
    for file in sorted(folder.glob("*.json")):
        yield _read(file)


def _read(file: Path) -> Kept:
    try:
        return msgspec.json.decode(_bytes_of(file), type=Kept)
    except msgspec.DecodeError as error:
        raise _broken(file, error) from None


def _bytes_of(file: Path) -> bytes:
    try:
        return read_private(file, _LIMIT)
    except FileNotFoundError:
        raise
    except (NotPrivate, ValueError, OSError) as error:
        raise _broken(file, error) from None


def _broken(file: Path, error: Exception) -> DragomanError:
    return DragomanError("ledger_broken", str(error), where=str(file), fix="restore the inbox from a backup")


def _folder(state: Path) -> Path:
    if state.is_symlink() or (state.exists() and not state.is_dir()):
        fix = "name a folder of your own, or one that is yet to be made; a link is not followed"
        raise DragomanError("input_invalid", "is no folder", where=str(state), fix=fix)
    try:
        private_folder(state)
    except NotPrivate as error:
        raise DragomanError("config_not_private", str(error), where=str(state), fix=f"chmod 700 {state}") from None
    except OSError as error:
        raise DragomanError(
            "input_invalid", error.strerror or "", where=str(state), fix="name a folder that is yours"
        ) from None
    return state
