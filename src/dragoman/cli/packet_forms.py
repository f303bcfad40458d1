"""`dragoman packet show|keyless`: one packet in the form that is wanted; nothing is judged, nothing is changed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from dragoman.cli.output import emit, line, read_file, read_stdin
from dragoman.errors import DragomanError
from dragoman.packets.envelope import MISSING, arranged, at
from dragoman.packets.forms import keyless
from dragoman.packets.profiles import profile
from dragoman.packets.seal import keyed_of
from dragoman.packets.verdict import NOTE
from dragoman.shown import json_shown

PacketPath = Annotated[str, typer.Argument(metavar="PATH", help="A packet file; `-` reads standard input.")]
Json = Annotated[bool, typer.Option("--json", help="Write one JSON value.")]

_SEE = "see `dragoman packet validate`"


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("show")(show_command)
    app.command("keyless")(keyless_command)


def show_command(path: PacketPath, as_json: Json = False) -> None:
    """Say what a packet records, for a person; with `--json` the packet with named fields, whatever its form was."""
    packet = _packet(path)
    if as_json:
        chosen = profile(packet.get("profile"))
        emit(arranged(packet, chosen.body_order if chosen else ()))
        return
    for row in _rows(packet):
        line(row)


def keyless_command(path: PacketPath, as_json: Json = False) -> None:
    """Print the packet without names, as an array in field order."""
    try:
        made = keyless(_packet(path))
    except DragomanError as error:
        where = error.where if error.where.startswith(path) else f"{path}{error.where}"
        raise DragomanError(error.code, error.detail, where=where, fix=error.fix or _SEE) from None
    print_packet(msgspec.json.encode(made), as_json=as_json)


def print_packet(raw: bytes, *, as_json: bool) -> None:
    """Write JSON for a person, or in one line; the same value, with what a terminal would obey escaped."""
    text = (raw if as_json else msgspec.json.format(raw, indent=2)).decode()
    sys.stdout.write("\n".join(map(json_shown, text.split("\n"))) + "\n")


def _packet(path: str) -> dict[str, Any]:
    try:
        return keyed_of(read_stdin() if path == "-" else read_file(Path(path)))
    except DragomanError as error:
        where = error.where if error.where == path else f"{path}{error.where}"
        raise DragomanError(error.code, error.detail, where=where, fix=error.fix or _SEE) from None


def _rows(packet: dict[str, Any]) -> Iterator[str]:
    def said(*way: str) -> str:
        return _words(at(packet, *way))

    belongs, follows = said("conversation", "correlation_id"), said("conversation", "parent_message_id")
    yield f"{said('profile')}  {said('message_id')}"
    yield f"  from:     {said('source', 'agent_id')} ({said('source', 'role_lane')})"
    yield f"  who:      {said('source', 'authority_boundary')}"
    yield f"  to:       {said('target', 'agent_id')} ({said('target', 'role_lane')})"
    yield f"  belongs:  {belongs}, number {said('conversation', 'sequence')}, follows {follows}"
    yield f"  state:    {said('conversation', 'lifecycle_state')}"
    yield f"  issued:   {said('provenance', 'issued_at')}, expires {said('delivery', 'expires_at')}"
    body = packet.get("body", MISSING)
    for name, value in body.items() if type(body) is dict else [("body", body)]:
        yield f"  {name}: {_words(value)}"
    signed = at(packet, "integrity", "signature", "key_id")
    yield f"  sealed:   {said('integrity', 'checksum')}" + (
        f", signed by {_words(signed)}" if signed else ", not signed"
    )
    yield f"note: not judged here; see `dragoman packet validate`. {NOTE}"


def _words(value: Any) -> str:
    """A value in one line; a text as it is, what is missing as a dash."""
    if value is MISSING:
        return "—"
    return value if type(value) is str else msgspec.json.encode(value).decode()
