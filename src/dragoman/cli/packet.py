"""`dragoman packet`: make, validate, seal and verify packets; explain what a finding means (spec 3 §3).

Nothing here sends, executes or grants anything. Exit codes: 0 pass, 1 a packet or chain fails, 2 the input cannot be
used. `-` reads standard input. Packets go to standard output and are never written over a file.
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from dragoman.cli import packet_conformance, packet_forms, packet_inbox, packet_signing
from dragoman.cli.beside import AsJson, ConfigPath
from dragoman.cli.output import emit, line, read_file, read_stdin
from dragoman.cli.packet_formats import FORMATS, Judged, github, in_utf8, sarif
from dragoman.cli.packet_forms import print_packet
from dragoman.cli.packet_signing import TrustFile, trust_in
from dragoman.clock import SystemClock, parse_rfc3339
from dragoman.errors import DragomanError, Exit
from dragoman.packets.chain import ChainVerdict, validate_chain
from dragoman.packets.examples import answer, example
from dragoman.packets.profiles import Profile, profile, profiles
from dragoman.packets.read import DEFAULT_LIMITS
from dragoman.packets.registry import published
from dragoman.packets.rules import CATALOG, Rule, explain
from dragoman.packets.validate import judge, validate
from dragoman.packets.verdict import NOTE, Finding, Result, Verdict

app = typer.Typer(no_args_is_help=True, help="Make, validate, seal, export and verify evidence packets.")

_STDIN: Final = "-"
_MAX_FILES: Final = 10_000
_MAX_PACKETS: Final = 200_000
_MAX_LINE: Final = DEFAULT_LIMITS.max_bytes + 2

Json = Annotated[bool, typer.Option("--json", help="Write one JSON value.")]


@app.command("validate")
def validate_command(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Packet files; `-` reads standard input.")],
    format: Annotated[str, typer.Option(help="`text`, `json`, `github` or `sarif`.")] = "text",
    at: Annotated[str, typer.Option(metavar="RFC3339", help="Judge at this time instead of now.")] = "",
    trust: TrustFile = None,
    as_json: Json = False,
) -> None:
    """Judge each packet on its own: shape, policy, checksum and, with `--trust`, signature, at one moment."""
    if format not in FORMATS:
        known = ", ".join(f"`{each}`" for each in FORMATS)
        raise DragomanError("usage", f"unknown format `{format}`", where="--format", fix=f"use one of {known}")
    moment, trusted = _moment(at), trust_in(trust)
    judged: list[Judged] = []
    unread: list[tuple[str, DragomanError]] = []
    for path in paths:
        try:
            raw = _read(path)
        except DragomanError as error:
            unread.append((path, error))
        else:
            judged.append(Judged(path, raw, validate(raw, now=moment, trust=trusted)))
    if len(unread) == len(paths) == 1:
        raise unread[0][1]
    verdicts = [(each.path, each.verdict) for each in judged]
    failed = bool(unread) or any(verdict.result is Result.FAIL for _, verdict in verdicts)
    if format == "github":
        for row in github(judged):
            sys.stdout.write(row + "\n")
    elif format == "sarif":
        emit(sarif(judged))
    if format in ("github", "sarif"):
        if unread:
            raise unread[0][1]
        _end(failed)
        return
    if as_json or format == "json":
        body: dict[str, Any] = {"result": Result.FAIL if failed else Result.PASS}
        body["packets"] = [_row(*pair) for pair in verdicts]
        emit(body | ({"unread": [_unread(*pair) for pair in unread]} if unread else {}))
    else:
        for path, missed in unread:
            line(f"{path}: {missed.code}: {missed.detail}" + (f" (fix: {missed.fix})" if missed.fix else ""))
        for path, verdict in verdicts:
            _say_verdict(path, verdict)
        typer.echo(f"note: {NOTE}")
    if unread:
        raise typer.Exit(Exit.BAD_INPUT)
    _end(failed)


@app.command("verify")
def verify_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Holds the packets: *.json, and *.jsonl by the line.")],
    at: Annotated[
        str, typer.Option(metavar="RFC3339", help="Judge a running conversation at this time; default: an archive.")
    ] = "",
    trust: TrustFile = None,
    as_json: Json = False,
) -> None:
    """Judge a folder of packets as one conversation, and every `task-N` in it, as `export` writes them, as one more."""
    now, trusted = _moment(at) if at else None, trust_in(trust)
    verdicts = [
        (name, validate_chain(_counted(_packets_in(each), each), now=now, trust=trusted))
        for name, each in _conversations(folder)
    ]
    failed = any(verdict.result is Result.FAIL for _, verdict in verdicts)
    if as_json and len(verdicts) == 1:
        emit(verdicts[0][1])
    elif as_json:
        rows = [{"folder": name, **msgspec.to_builtins(verdict)} for name, verdict in verdicts]
        emit({"result": Result.FAIL if failed else Result.PASS, "conversations": rows})
    else:
        for name, verdict in verdicts:
            if len(verdicts) > 1:
                line(f"{name}:")
            _say_chain(verdict)
    _end(failed)


@app.command("export")
def export_command(
    config: ConfigPath,
    contact: Annotated[str, typer.Option("--contact", help="A contact id, or a whole target.")],
    out: Annotated[Path, typer.Option("--out", help="A private folder; made when missing.")],
    as_json: AsJson = False,
) -> None:
    """Write the packets that the receiver left for one contact."""
    from dragoman.cli.owner import export

    export(config, contact, out, as_json=as_json)


@app.command("new")
def new_command(
    profile_id: Annotated[str, typer.Argument(metavar="PROFILE")],
    answers: Annotated[str, typer.Option(metavar="PATH", help="The packet that it answers; `-` reads it.")] = "",
    sequence: Annotated[
        int | None, typer.Option(min=0, help="How many packets its source has written before; with `--answers`.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print a valid example packet of a profile, to start from. With `--json` in one line."""
    now = SystemClock().now()
    if answers:
        packet = _whole(answers)
        made = answer(profile_id, packet, now=now, new_id=_new_id, sequence=sequence)
    elif sequence is not None:
        raise DragomanError("usage", "the first packet has number 0", where="--sequence", fix="give `--answers` too")
    else:
        made = example(profile_id, now=now, new_id=_new_id)
    print_packet(made, as_json=as_json)


def _whole(path: str) -> dict[str, Any]:
    """The packet in a file, with named fields, whatever its age."""
    verdict, packet = judge(_read(path), now=None)
    if verdict.result is Result.FAIL or packet is None:
        said = ", ".join(sorted({finding.rule for finding in verdict.findings}))
        fix = "`dragoman packet validate` says where, and how to mend it"
        raise DragomanError("input_invalid", f"no valid packet: {said}", where=path, fix=fix)
    return packet


@app.command("explain")
def explain_command(
    rule: Annotated[str, typer.Argument(metavar="RULE", help="A rule id, as findings name it.")],
    as_json: Json = False,
) -> None:
    """Say what a finding means, why the rule exists, and how to mend it."""
    rows = explain(rule)
    if not rows:
        known = ", ".join(sorted({row.id for row in CATALOG}))
        raise DragomanError("not_found", f"no rule `{rule}`", fix=f"use one of {known}")
    if as_json:
        emit([_rule(row) for row in rows])
        return
    for row in rows:
        typer.echo(f"{row.id} ({row.severity}, {row.stage})")
        typer.echo(f"  asks: {_question(row)}")
        typer.echo(f"  why:  {row.reason}")
        typer.echo(f"  fix:  {row.fix}")
        if row.profiles is not None:
            typer.echo(f"  for:  {', '.join(sorted(row.profiles))}")


@app.command("schema")
def schema_command(
    profile_id: Annotated[str, typer.Argument(metavar="PROFILE")],
    as_json: Json = False,
) -> None:
    """Print the JSON Schema of a profile, self-contained. With `--json` in one line."""
    print_packet(msgspec.json.encode(_profile(profile_id).schema), as_json=as_json)


@app.command("profiles")
def profiles_command(as_json: Json = False) -> None:
    """List the profiles that are built."""
    rows = profiles()
    if as_json:
        emit([{"id": row.id, "title": row.title, "terminal": row.terminal, "body": row.body_order} for row in rows])
        return
    for row in rows:
        typer.echo(f"{row.id:30} {row.title}")


@app.command("registry")
def registry_command(as_json: Json = False) -> None:
    """Print the registry: profiles, schemas, field orders, vectors, error codes. With `--json` in one line."""
    print_packet(msgspec.json.encode(published()), as_json=as_json)


def _profile(profile_id: str) -> Profile:
    found = profile(profile_id)
    if found is None:
        known = ", ".join(row.id for row in profiles())
        raise DragomanError("not_found", f"no profile `{profile_id}`", fix=f"use one of {known}")
    return found


def _moment(text: str) -> int:
    if not text:
        return SystemClock().now()
    try:
        return parse_rfc3339(text)
    except ValueError as error:
        raise DragomanError("usage", str(error), where="--at", fix="write `2026-10-06T09:00:00Z`") from None


def _read(path: str) -> bytes:
    if path == _STDIN:
        return read_stdin()
    if Path(path).is_dir():
        fix = "judge a folder as one conversation by `dragoman packet verify`, or name its files"
        raise DragomanError("input_invalid", "is a folder", where=path, fix=fix)
    return read_file(Path(path))


def _packets_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of every packet of a folder, in the order of names; a line of a JSONL file is one packet."""
    if not folder.is_dir():
        raise DragomanError("not_found", "is no folder", where=str(folder), fix="name a folder that holds packets")
    files = sorted(path for path in folder.iterdir() if path.suffix in (".json", ".jsonl") and path.is_file())
    if len(files) > _MAX_FILES:
        raise DragomanError("input_too_large", f"more than {_MAX_FILES} files", where=str(folder))
    for file in files:
        if file.suffix == ".json":
            yield in_utf8(file.name), read_file(file)
            continue
        for number, each in enumerate(_lines(file), start=1):
            if each.strip():
                yield f"{in_utf8(file.name)}:{number}", each


def _lines(file: Path) -> Iterator[bytes]:
    """The lines of a file, one at a time; of a line that is too large as much as shows that it is."""
    try:
        with file.open("rb") as lines:
            while each := lines.readline(_MAX_LINE):
                yield each.rstrip(b"\r\n")
                while len(each) == _MAX_LINE and not each.endswith(b"\n"):
                    each = lines.readline(_MAX_LINE)
    except OSError as error:
        raise DragomanError("input_invalid", error.strerror or "", where=str(file), fix="check the path") from None


def _counted(packets: Iterator[tuple[str, bytes]], folder: Path) -> Iterator[tuple[str, bytes]]:
    for number, each in enumerate(packets):
        if number >= _MAX_PACKETS:
            fix = "verify each conversation in a folder of its own"
            raise DragomanError("input_too_large", f"more than {_MAX_PACKETS} packets", where=str(folder), fix=fix)
        yield each


def _conversations(folder: Path) -> list[tuple[str, Path]]:
    """The folder, and the folders of further tasks that an export made in it; each is one conversation."""
    further = (
        sorted(folder.glob("task-[0-9]*"), key=lambda each: (len(each.name), each.name)) if folder.is_dir() else []
    )
    return [(".", folder), *((each.name, each) for each in further if each.is_dir())]


def _new_id(kind: str) -> str:
    return f"{kind}-{uuid.uuid4().hex}"


def _row(path: str, verdict: Verdict) -> dict[str, Any]:
    return {"path": in_utf8(path), **msgspec.to_builtins(verdict)}


def _unread(path: str, error: DragomanError) -> dict[str, Any]:
    return {"path": in_utf8(path), "code": error.code, "detail": error.detail, "fix": error.fix}


def _rule(row: Rule) -> dict[str, Any]:
    return {
        "id": row.id,
        "severity": row.severity,
        "stage": row.stage,
        "question": _question(row),
        "reason": row.reason,
        "fix": row.fix,
        "profiles": None if row.profiles is None else sorted(row.profiles),
    }


def _question(row: Rule) -> str:
    """What the rule asks: the first line of its function, or where it is decided."""
    if row.check is None:
        return f"decided in the {row.stage} stage"
    return (row.check.__doc__ or row.id).strip().splitlines()[0]


def _say_verdict(path: str, verdict: Verdict) -> None:
    line(f"{path}: {verdict.result}" + (f" ({verdict.profile})" if verdict.profile else ""))
    for found in verdict.findings:
        _say_finding(found)
    line(f"  not checked: {', '.join(verdict.not_checked) or 'nothing left out'}")


def _say_finding(found: Finding) -> None:
    line(f"  {found.severity} {found.rule} at {found.path or 'the document'}: {found.message}")
    line(f"    fix: {found.fix}")


def _say_chain(verdict: ChainVerdict) -> None:
    count = len(verdict.packets)
    line(f"{verdict.result}: {count} packet{'' if count == 1 else 's'}, state {verdict.state or 'unknown'}")
    for packet in verdict.packets:
        if packet.verdict.findings:
            _say_verdict(packet.name, packet.verdict)
    for name, group in groupby(verdict.findings, key=lambda each: each.packet):
        line(f"{name or 'the conversation'}:")
        for found in group:
            _say_finding(found.finding)
    line(f"not checked: {', '.join(verdict.not_checked)}")
    line(f"note: {verdict.note}")


for _part in (packet_signing, packet_forms, packet_inbox, packet_conformance):
    _part.register(app)


def _end(failed: bool) -> None:
    if failed:
        raise typer.Exit(Exit.FAILED_CHECK)
