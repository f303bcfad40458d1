"""`dragoman journal show|verify|checkpoint|key|export|paths|shadow`: what was decided, and does it stand? (spec 1 §9)

`docs/explanation/journal.md` says what a verified journal shows, and what it cannot show.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from dragoman.cli.beside import AsJson, MaybeConfig, StateFolder, open_records, say
from dragoman.cli.output import decode_once, emit, line, read_file
from dragoman.clock import SystemClock, rfc3339
from dragoman.errors import DragomanError

if TYPE_CHECKING:
    from dragoman.ledger.chain import Checkpoint, Head
    from dragoman.receiver.config import ConfigFile

app = typer.Typer(name="journal", help="Read the journal, check its chain, list what was exercised.")


KINDS = ("event", "output", "life", "notice", "operator")
"""The kinds of records."""


@app.command()
def show(
    correlation_id: Annotated[
        str | None, typer.Argument(help="All records of this id; the newest when left out.")
    ] = None,
    newest: Annotated[int, typer.Option(min=1, max=10_000, help="How many, from the newest back.")] = 50,
    kind: Annotated[str, typer.Option(help="event, output, life, notice or operator; default: every kind.")] = "",
    config: MaybeConfig = None,
    state: StateFolder = None,
    as_json: AsJson = False,
) -> None:
    """Records, oldest first: no bodies, no ids in clear."""
    if kind not in ("", *KINDS):
        fix = f"use one of: {', '.join(KINDS)}"
        raise DragomanError("usage", f"no kind `{kind}`", where="--kind", fix=fix)
    with open_records(config, state) as kept:
        found = kept.journal.newest(newest, kind) if correlation_id is None else kept.journal.of(correlation_id)
    if correlation_id is not None:
        found = [record for record in found if kind in ("", record.kind)]
        if not found:
            raise DragomanError("not_found", "no such record", where=correlation_id, fix="see `dragoman journal show`")
    if as_json:
        emit({"records": found})
        return
    for record in found:
        words = f"{rfc3339(record.time)}  {record.correlation_id}  {record.consumer or record.kind}: {record.outcome}"
        line(f"{words} ({record.reason}, {record.audience})")


@app.command()
def verify(
    file: Annotated[
        Path | None, typer.Argument(help="An exported journal; without it, the ledger of `--config`.")
    ] = None,
    config: MaybeConfig = None,
    state: StateFolder = None,
    checkpoint: Annotated[list[Path] | None, typer.Option(help="A checkpoint that was kept elsewhere.")] = None,
    key: Annotated[Path | None, typer.Option(help="The public key of the journal, kept elsewhere.")] = None,
    as_json: AsJson = False,
) -> None:
    """Check the chain from the first record to the newest, and against checkpoints; exit 1 when it does not hold."""
    if (file is None) == (config is None and state is None):
        fix = "name an exported file, or `--config`, or `--state`"
        raise DragomanError("usage", "one journal is verified", where="dragoman journal verify", fix=fix)
    if checkpoint and key is None:
        fix = "add `--key FILE`: who can make a checkpoint anew can put another key in it"
        raise DragomanError("usage", "a checkpoint proves nothing without the key", where="--checkpoint", fix=fix)
    public = "" if key is None else _public_key(key)
    kept = [_genuine(_checkpoint(path), public) for path in checkpoint or ()]
    if file is not None:
        head, last = _walked(file, kept)
        kept += [_genuine(last, public)] if public else []
    else:
        with open_records(config, state) as records:
            head = records.journal.verify(kept)
    _tell(head, kept, as_json)


@app.command("checkpoint")
def make_checkpoint(
    config: MaybeConfig = None,
    state: StateFolder = None,
    out: Annotated[Path | None, typer.Option(help="A new file for it; standard output when left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """Sign the newest record's hash. Keep it where the ledger's keeper cannot change it."""
    with open_records(config, state) as kept:
        made = kept.journal.checkpoint(SystemClock().now())
    if out is None:
        emit(made)
        return
    _new_file(out, msgspec.json.encode(made) + b"\n")
    say({"file": str(out), "checkpoint": made}, as_json, f"checkpoint of record {made.seq} in {out}")


@app.command("key")
def show_key(
    config: MaybeConfig = None,
    state: StateFolder = None,
    out: Annotated[Path | None, typer.Option(help="A new file for it; standard output when left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """The public key of the journal's checkpoints: what `verify --key` wants, kept elsewhere."""
    from dragoman.ledger.checkpoint import public_key

    with open_records(config, state) as kept:
        found = public_key(kept.folder)
    if out is not None:
        _new_file(out, f"{found}\n".encode())
    say({"public_key": found, "file": str(out or "")}, as_json, found)


@app.command()
def export(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")],
    config: MaybeConfig = None,
    state: StateFolder = None,
    as_json: AsJson = False,
) -> None:
    """Write the whole journal as JSON lines; its last line is a signed checkpoint."""
    with open_records(config, state) as kept:
        made = kept.journal.export(out, SystemClock().now())
    say({"file": str(out), "checkpoint": made}, as_json, f"{made.seq} records in {out}")


@app.command()
def paths(config: MaybeConfig = None, state: StateFolder = None, as_json: AsJson = False) -> None:
    """Every consumer path (adapter and operation): how often and when last, and those never exercised."""
    with open_records(config, state) as kept:
        found, known = kept.journal.paths(), declared(kept.config.file) if kept.config is not None else []
    exercised = {path["consumer"] for path in found}
    never = [path for path in known if path not in exercised]
    if as_json:
        emit({"paths": found, "never": never})
        return
    for path in found:
        line(f"{path['consumer']}: {path['times']} times, last {rfc3339(path['last'])}")
    for name in never:
        line(f"{name}: never")


def declared(file: ConfigFile) -> list[str]:
    """Every consumer path of the configured channels: what comes in, and each operation of the adapter's table."""
    from dragoman.cli.platforms import operations_of

    channels = [platform for platform, _ in file.channels.accounts()]
    platforms = [*(["hub"] if file.hub is not None else []), *channels]
    return sorted(
        path
        for platform in platforms
        for path in (f"{platform}.receive", *(f"{platform}.{operation}" for operation in operations_of(platform)))
    )


def _tell(head: Head, genuine: list[Checkpoint], as_json: bool) -> None:
    if as_json:
        emit({"records": head.seq, "head": head, "checkpoints": [{"seq": kept.seq, "at": kept.at} for kept in genuine]})
        return
    line(f"{head.seq} records, head {head.hash}")
    for kept in genuine:
        line(f"genuine checkpoint of {rfc3339(kept.at)}: records 1 to {kept.seq} are what they were then")
    if not genuine:
        line("no checkpoint was given: a cut-off end, or a journal made anew, would not show")


def _walked(file: Path, watched: list[Checkpoint]) -> tuple[Head, Checkpoint]:
    from dragoman.ledger.exported import walked

    return walked(file, watched)


def _genuine(checkpoint: Checkpoint, public: str) -> Checkpoint:
    from dragoman.ledger.chain import altered
    from dragoman.ledger.checkpoint import genuine

    if not genuine(checkpoint, public):
        raise altered(f"the checkpoint at record {checkpoint.seq} was not signed with this key")
    return checkpoint


def _checkpoint(path: Path) -> Checkpoint:
    from dragoman.ledger.chain import Checkpoint

    found: Checkpoint = decode_once(read_file(path), Checkpoint, str(path))
    return found


def _public_key(path: Path) -> str:
    found = read_file(path).strip()
    if len(found) != 64 or not all(byte in b"0123456789abcdef" for byte in found):
        fix = "give the file that `dragoman journal key --out FILE` wrote"
        raise DragomanError("input_invalid", "not a public key of 64 hex", where=str(path), fix=fix)
    return found.decode()


def _new_file(path: Path, body: bytes) -> None:
    from dragoman.ledger.files import create_private

    try:
        create_private(path, body)
    except OSError as error:
        fix = "choose a path that does not exist, in a folder that does"
        raise DragomanError("input_invalid", error.strerror or "", where=str(path), fix=fix) from error


@app.command()
def shadow(config: MaybeConfig = None, state: StateFolder = None, as_json: AsJson = False) -> None:
    """What the gate would have stopped while it only looked on, and why (`mode = "shadow"` in the policy)."""
    from dragoman.gate.shadow import shadow_report
    from dragoman.gate.why import in_words

    with open_records(config, state) as kept:
        found = shadow_report(kept.journal.every())
    if as_json:
        emit(found)
        return
    line(f"would have stopped {found.stopped} of {found.outputs} outputs")
    for reason, times in found.reasons.items():
        line(f"{times:>5}  {reason}: {in_words(reason)}")
    line(f"would not have answered {found.silent} of {found.events} events")
    for reason, times in found.silences.items():
        line(f"{times:>5}  {reason}: {in_words(reason)}")
