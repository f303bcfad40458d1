"""`dragoman run` and `dragoman once`: the receiver as a process, until it is asked to stop or for one cycle.

Both work without a terminal; with `--json` an answer is one JSON object on standard output. Failures are coded errors,
which `cli.main` turns into exit codes. `run` ends with 0 only when it was asked to stop.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.beside import AsJson, MaybeConfig, RolesFolder, one_of, say
from dragoman.cli.language import configured
from dragoman.cli.phrases import told
from dragoman.cli.serving import stopped_by_signals, warn
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError

if TYPE_CHECKING:
    from dragoman.clock import Clock
    from dragoman.receiver.desk import Checkpoint
    from dragoman.receiver.wiring import Receiver

AtOnce = Annotated[
    int | None,
    typer.Option("--at-once", min=1, max=1000, help="With `--roles`: how many handlers run at once, over all roles."),
]


def register(app: typer.Typer) -> None:
    """Add both commands to the main app."""
    app.command()(run)
    app.command()(once)


def run(config: MaybeConfig = None, roles: RolesFolder = None, at_once: AtOnce = None, as_json: AsJson = False) -> None:
    """Serve every channel of the configuration, or every role of a folder, until SIGTERM or SIGINT."""
    if (folder := one_of(config, roles, at_once)) is not None:
        from dragoman.cli.roles import run_roles

        run_roles(folder, started_by=_started_by("run"), at_once=at_once, as_json=as_json)
        return
    assert config is not None
    serve(config, started_by=_started_by("run"), as_json=as_json)


def once(
    config: MaybeConfig = None, roles: RolesFolder = None, at_once: AtOnce = None, as_json: AsJson = False
) -> None:
    """One cycle, for a scheduler every 30 seconds."""
    if (folder := one_of(config, roles, at_once)) is not None:
        from dragoman.cli.roles import once_roles

        once_roles(folder, started_by=_started_by("once"), at_once=at_once, as_json=as_json)
        return
    assert config is not None
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
    from dragoman.receiver.cycle import for_good
    from dragoman.receiver.desk import no_checkpoint
    from dragoman.receiver.ended import forgotten, told_owner
    from dragoman.receiver.serving import Served, serving

    os.umask(0o077)
    loaded = load_config(config)
    configured(loaded.file.spoken)

    def ready(receiver: Receiver) -> None:
        forgotten(receiver.books)
        if not single:
            say({"running": started_by}, as_json, told("running"))

    async def work() -> Served:
        stop = stopped_by_signals()
        try:
            return await serving(
                loaded,
                clock=clock or SystemClock(),
                started_by=started_by,
                stop=stop,
                single=single,
                report=lambda error: warn(error, as_json),
                ready=ready,
                checkpoint=checkpoint or no_checkpoint,
            )
        except DragomanError as error:
            if for_good(error):  # nobody may be looking at a service; the owner hears of it once
                await told_owner(loaded, error, clock or SystemClock())
            raise

    served = asyncio.run(work())
    if served.stopped:
        say({"stopped": started_by}, as_json, told("stopped"))
        return
    answer = {"fetched": served.fetched, "sent": served.sent, "errors": served.errors}
    say(answer, as_json, told("cycle", fetched=served.fetched, sent=served.sent))
    if served.errors:
        raise DragomanError("not_ready", ", ".join(served.errors), where="cycle", fix="see `dragoman status`")


def _started_by(words: str) -> str:
    """What the cycles of this process are told to be of: a service of a user's own manager ends with his log-in."""
    if "INVOCATION_ID" not in os.environ:
        return words
    try:
        mine = "/user@" in Path("/proc/self/cgroup").read_text()
    except OSError:
        mine = True
    return f"{words} (systemd user)" if mine else f"{words} (systemd)"
