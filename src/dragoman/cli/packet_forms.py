"""`dragoman packet show|keyless`: one packet in the form that is wanted; nothing is judged, nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from dragoman.cli.output import emit, line, read_file, read_stdin
from dragoman.packets.envelope import arranged, at, text_at
from dragoman.packets.forms import keyless
from dragoman.packets.profiles import profile
from dragoman.packets.seal import keyed_of
from dragoman.packets.verdict import NOTE

PacketPath = Annotated[str, typer.Argument(metavar="PATH", help="A packet file; `-` reads standard input.")]
Json = Annotated[bool, typer.Option("--json", help="Write one JSON value.")]


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
    made = msgspec.json.encode(keyless(_packet(path)))
    typer.echo(made.decode() if as_json else msgspec.json.format(made, indent=2).decode())


def _packet(path: str) -> dict[str, Any]:
    return keyed_of(read_stdin() if path == "-" else read_file(Path(path)))


def _rows(packet: dict[str, Any]) -> Iterator[str]:
    def said(*way: str) -> str:
        found = at(packet, *way)
        return found if type(found) is str else msgspec.json.encode(found if found is not None else None).decode()

    belongs, follows = said("conversation", "correlation_id"), said("conversation", "parent_message_id")
    yield f"{text_at(packet, 'profile')}  {text_at(packet, 'message_id')}"
    yield f"  from:     {said('source', 'agent_id')} ({said('source', 'role_lane')})"
    yield f"  who:      {said('source', 'authority_boundary')}"
    yield f"  to:       {said('target', 'agent_id')} ({said('target', 'role_lane')})"
    yield f"  belongs:  {belongs}, number {said('conversation', 'sequence')}, follows {follows}"
    yield f"  state:    {said('conversation', 'lifecycle_state')}"
    yield f"  issued:   {said('provenance', 'issued_at')}, expires {said('delivery', 'expires_at')}"
    for name, value in (packet.get("body") or {}).items():
        yield f"  {name}: {value if type(value) is str else msgspec.json.encode(value).decode()}"
    signed = at(packet, "integrity", "signature", "key_id")
    yield f"  sealed:   {said('integrity', 'checksum')}" + (f", signed by {signed}" if signed else ", not signed")
    yield f"note: not judged here; see `packet validate`. {NOTE}"
