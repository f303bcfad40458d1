"""The receiver's commands: `doctor probe run once status resolve drafts why pause resume export`, all with `--config`.

Every command works without a terminal; with `--json` an answer is one JSON object on standard output. Failures are
coded errors, which `cli.main` turns into exit codes. `run` ends with 0 only when it was asked to stop.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from dragoman.cli.beside import (
    AsJson,
    ConfigPath,
    MaybeConfig,
    StateFolder,
    note_operator,
    open_config,
    open_records,
    say,
)
from dragoman.cli.drafts import drafts
from dragoman.cli.output import decode_once, emit, line, read_file, read_stdin
from dragoman.clock import SystemClock, rfc3339
from dragoman.errors import DragomanError, Exit
from dragoman.shown import shown

if TYPE_CHECKING:
    from dragoman.clock import Clock
    from dragoman.identity import Target
    from dragoman.receiver.desk import Checkpoint


def register(app: typer.Typer) -> None:
    """Add the receiver's commands to the main app."""
    for command in (doctor, probe, run, once, status, resolve, pause, resume, why, export):
        app.command(name=command.__name__)(command)
    app.add_typer(drafts)


# --- running ---------------------------------------------------------------------------------------------------------


def run(config: ConfigPath, as_json: AsJson = False) -> None:
    """Serve every channel of the configuration until SIGTERM or SIGINT."""
    serve(config, started_by=_started_by("run"), as_json=as_json)


def once(config: ConfigPath, as_json: AsJson = False) -> None:
    """One cycle, for a scheduler every 30 seconds."""
    serve(config, started_by=_started_by("once"), as_json=as_json, single=True)


def serve(
    config: Path,
    *,
    started_by: str,
    as_json: bool = False,
    single: bool = False,
    checkpoint: Checkpoint | None = None,
    clock: Clock | None = None,
) -> None:
    """`run` or `once`, whole; `checkpoint` is told of every arrow of a message's life."""
    from dragoman.receiver.config import load_config
    from dragoman.receiver.cycle import scope_changed, superseded, tell_changed
    from dragoman.receiver.cycle import serve as serving
    from dragoman.receiver.cycle import single as one_cycle
    from dragoman.receiver.desk import no_checkpoint
    from dragoman.receiver.lock import StateLock
    from dragoman.receiver.source import Superseded
    from dragoman.receiver.wiring import opened

    os.umask(0o077)
    loaded, clock = load_config(config), clock or SystemClock()

    async def work() -> dict[str, Any]:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        async with opened(
            loaded,
            clock=clock,
            started_by=started_by,
            stop=stop,
            checkpoint=checkpoint or no_checkpoint,
            report=lambda error: _warn(error, as_json),
        ) as receiver:
            try:
                if single:
                    before = receiver.books.turns.counts().get("sent", 0)
                    outcomes = await one_cycle(receiver.cycles, receiver.notices, stop)
                    if stop.is_set():
                        return {"stopped": started_by}
                    if (changed := scope_changed(receiver.mandate)) is not None:
                        tell_changed(receiver.notices, receiver.mandate)
                        await receiver.notices.deliver()
                        raise changed
                    failed = [code for outcome in outcomes for code in outcome.errors]
                    sent = receiver.books.turns.counts().get("sent", 0) - before
                    return {"fetched": sum(each.fetched for each in outcomes), "sent": sent, "errors": failed}
                say({"running": started_by}, as_json, "running")
                await serving(receiver.cycles, receiver.notices, stop)
            except Superseded as error:
                language = receiver.mandate.language
                ended = superseded(receiver.books, receiver.notices, clock, language, receiver.generation)
                await receiver.notices.deliver()
                raise ended from error
        return {"stopped": started_by}

    with StateLock(loaded.state_dir, started_by):
        answer = asyncio.run(work())
    words = f"{answer['fetched']} messages fetched, {answer['sent']} replies sent" if "sent" in answer else "stopped"
    say(answer, as_json, words)
    if answer.get("errors"):
        raise DragomanError("not_ready", ", ".join(answer["errors"]), where="cycle", fix="see `dragoman status`")


def doctor(
    config: Annotated[Path | None, typer.Option("--config", help="The private configuration file.")] = None,
    as_json: AsJson = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the configuration's JSON Schema.")] = False,
) -> None:
    """List all that is not ready, with its fix; calls no model, sends nothing."""
    from dragoman.receiver import doctor as room
    from dragoman.receiver.config import json_schema

    if schema:
        emit(json_schema())
        return
    if config is None:
        raise DragomanError("usage", "missing option `--config`", where="dragoman doctor", fix="name the file")
    report = asyncio.run(room.doctor(config, SystemClock()))
    if as_json:
        emit({"blockers": report.blockers, **msgspec.structs.asdict(report)})
    else:
        for check in report.checks:
            words = f"{check.state:<12} {check.name}: {f'{check.where}: ' if check.where else ''}{check.detail}"
            line(words + (f"  (fix: {check.fix})" if check.fix else ""))
    if not report.ready:
        raise typer.Exit(_exit_of(report.blockers[0].code))


def probe(config: ConfigPath, as_json: AsJson = False) -> None:
    """Really run the handler and the notifier once; contacts nobody."""
    from dragoman.receiver.books import open_books, side_file
    from dragoman.receiver.config import load_config
    from dragoman.receiver.notify import Notices
    from dragoman.receiver.probe import probe as probing
    from dragoman.receiver.wiring import handler_of, new_id, notifier_of

    os.umask(0o077)
    loaded, clock = load_config(config), SystemClock()
    handler, notifier = handler_of(loaded), notifier_of(loaded)
    books = open_books(loaded.state_dir, side_file(loaded.path), may_create=True)
    with contextlib.closing(books):
        probed = asyncio.run(
            probing(
                handler.answer,
                Notices(books, notifier, clock, new_id),
                books,
                clock,
                instruction=loaded.file.owner_instruction or "",
                language=loaded.file.language,
                commands=(handler.fingerprint(), notifier.fingerprint() if notifier else ""),
                has_notifier=notifier is not None,
                probe_id=new_id("prb"),
            )
        )
    if not probed.handler_ok:
        raise DragomanError(
            "handler_failed", probed.handler, where="handler", fix="run it by hand with a probe request"
        )
    if not probed.ok:
        fix = "ask the owner, then `dragoman resolve` under the same id"
        raise DragomanError(
            "notifier_failed", f"{probed.notifier}: {probed.notifier_detail}", where=probed.notification_id, fix=fix
        )
    told = "none is configured" if probed.notifier is None else "it confirmed a notification"
    say(msgspec.to_builtins(probed), as_json, f"handler: {probed.handler}\nnotifier: {told}\nproves: {probed.proves}")


# --- the owner's side ------------------------------------------------------------------------------------------------


def status(config: ConfigPath, as_json: AsJson = False) -> None:
    """What waits for the owner, what was spent, what stands."""
    from dragoman.receiver.status import status as standing

    with open_config(config) as (loaded, books):
        found = standing(books, loaded, SystemClock().now())
    if as_json:
        emit(found)
        return
    for task in found["autonomy"]:
        stop = task["stop_reason"] or "going on"
        state = stop if stop == task["state"] else f"{task['state']}, {stop}"
        line(f"{task['contact_id']}: {state}, {task['turns_used']} turns used, {task['turns_left']} left")
    for waiting in found["waiting_owner"]:
        line(f"waiting: {waiting['target']}: {' | '.join(waiting['summary'].splitlines())}")
    for draft in found["drafts"]:
        line(f"draft: {draft['id']} ({draft['reason']})")
    for place in found["paused"]:
        line(f"paused: {'everywhere' if place == '*' else place}")
    for name in ("messages", "replies"):
        counts = ", ".join(f"{number} {state}" for state, number in found[name].items()) or "none"
        line(f"{name}: {counts}")
    line(f"exchange with a real peer: {found['real_peer']}")


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
    say(answer, as_json, ", ".join(f"{name}: {value}" for name, value in answer.items()))


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
    say({"paused": _named(where)}, as_json, f"paused: {_named(where)}")


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
    say({"resumed": _named(where), "changed": changed}, as_json, f"resumed: {_named(where)}")


def why(
    correlation_id: Annotated[str | None, typer.Argument(help="A correlation id; the newest when left out.")] = None,
    evidence: Annotated[bool, typer.Option("--evidence", help="Also errors and refused texts, while kept.")] = False,
    config: MaybeConfig = None,
    state: StateFolder = None,
    as_json: AsJson = False,
) -> None:
    """Explain the last decision, or any, in words."""
    from dragoman.gate.why import in_words

    with open_records(config, state) as records:
        found = records.journal.why(correlation_id)
        kept = records.evidence.of(found[0].correlation_id, SystemClock().now()) if evidence and found else []
        language = records.config.file.language if records.config is not None else "en"
    if not found:
        where, fix = correlation_id or "journal", "see `dragoman journal show`"
        raise DragomanError("not_found", "no such decision", where=where, fix=fix)
    pieces = [
        {
            "kind": piece.kind,
            "kept_at": piece.kept_at,
            "until": piece.until,
            "text": piece.body.decode("utf-8", "replace"),
        }
        for piece in kept
    ]
    if as_json:
        emit({"records": found, **({"evidence": pieces} if evidence else {})})
        return
    for record in found:
        what = record.consumer or record.kind
        meaning = in_words(record.reason, language)
        if would := record.facts.get("shadow"):
            meaning = f"(shadow: without it {would}) {meaning}"
        line(f"{rfc3339(record.time)}  {what}: {record.outcome} to {record.audience}: {meaning} (`{record.reason}`)")
    for piece in kept:
        line(f"{rfc3339(piece.kept_at)}  {piece.kind}, kept until {rfc3339(piece.until)}:")
        for words in piece.body.decode("utf-8", "replace").splitlines():
            line(f"    {words}")
    if evidence and not kept:
        line("no evidence is kept of it")


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
    say({"packets": [str(path) for path in written]}, as_json, f"{len(written)} packets in {out}")


def _place(text: str) -> Target | None:
    from dragoman.identity import parse_target

    target = None if text == "*" else parse_target(text)
    if target is not None and not target.known:
        raise DragomanError("input_invalid", "not a target", where=text, fix="write `platform/workspace/channel`")
    return target


def _named(target: Target | None) -> str:
    return "*" if target is None else str(target)


def _started_by(words: str) -> str:
    return f"{words} (systemd)" if "INVOCATION_ID" in os.environ else words


def _exit_of(code: str) -> int:
    return int(DragomanError(code).exit) if code else int(Exit.CANNOT_RUN)


def _warn(error: DragomanError, as_json: bool) -> None:
    if as_json and error.code in ("grant_changed", "policy_invalid"):
        emit({"waiting": error.code, "where": error.where, "fix": error.fix})
    sys.stderr.write(
        f"dragoman: {error.code}: {error.safe}: {shown(error.detail)}{_mend(error)}\n" if not as_json else ""
    )
    sys.stderr.flush()


def _mend(error: DragomanError) -> str:
    return f" (fix: {shown(error.fix)})" if error.fix else ""


__all__ = ["AsJson", "ConfigPath", "open_config", "register", "serve"]
