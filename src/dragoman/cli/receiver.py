"""`dragoman run` and `dragoman once`: the receiver as a process, until it is asked to stop or for one cycle.

Both work without a terminal; with `--json` an answer is one JSON object on standard output. Failures are coded errors,
which `cli.main` turns into exit codes. `run` ends with 0 only when it was asked to stop.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from dragoman.cli import error_phrases
from dragoman.cli.beside import AsJson, ConfigPath, say
from dragoman.cli.language import configured, language
from dragoman.cli.output import emit
from dragoman.cli.phrases import told
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError
from dragoman.shown import shown

if TYPE_CHECKING:
    from dragoman.clock import Clock
    from dragoman.receiver.desk import Checkpoint


def register(app: typer.Typer) -> None:
    """Add both commands to the main app."""
    app.command()(run)
    app.command()(once)


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
    configured(loaded.file.spoken)

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
            patient=not single,
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
                say({"running": started_by}, as_json, told("running"))
                await serving(receiver.cycles, receiver.notices, stop)
            except Superseded as error:
                language = receiver.mandate.language
                ended = superseded(receiver.books, receiver.notices, clock, language, receiver.generation)
                await receiver.notices.deliver()
                raise ended from error
        return {"stopped": started_by}

    with StateLock(loaded.state_dir, started_by):
        answer = asyncio.run(work())
    words = told("cycle", fetched=answer["fetched"], sent=answer["sent"]) if "sent" in answer else told("stopped")
    say(answer, as_json, words)
    if answer.get("errors"):
        raise DragomanError("not_ready", ", ".join(answer["errors"]), where="cycle", fix="see `dragoman status`")


def _started_by(words: str) -> str:
    """What the cycles of this process are told to be of: a service of a user's own manager ends with his log-in."""
    if "INVOCATION_ID" not in os.environ:
        return words
    try:
        mine = "/user@" in Path("/proc/self/cgroup").read_text()
    except OSError:
        mine = True
    return f"{words} (systemd user)" if mine else f"{words} (systemd)"


def _warn(error: DragomanError, as_json: bool) -> None:
    """What goes wrong while it runs: a line for people, one object for a program that waits for the owner's word."""
    if as_json:
        if error.code in ("grant_changed", "policy_invalid", "hub_unreachable"):
            emit({"waiting": error.code, "where": error.where, "fix": error.fix})
        if error.code != "input_invalid":  # what was left out is told in any case; standard output stays one answer
            return
    spoken = language()
    mend = error_phrases.fix(error.fix, spoken)
    words = f"dragoman: {error.code}: {error_phrases.safe(error, spoken)}: {shown(error.detail)}"
    sys.stderr.write(f"{words} ({told('fix', fix=shown(mend))})\n" if mend else f"{words}\n")
    sys.stderr.flush()
