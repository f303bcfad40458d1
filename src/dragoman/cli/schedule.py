"""`dragoman schedule print`: what makes a machine run the receiver, as text. Nothing is installed or started.

The text alone goes to standard output, so that it can be put into a file; what to do with it goes to standard error.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from dragoman.cli.beside import AsJson
from dragoman.cli.language import configured
from dragoman.cli.output import emit
from dragoman.cli.phrases import told
from dragoman.errors import DragomanError
from dragoman.shown import shown

app = typer.Typer(help="Print what a scheduler wants; install nothing.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Print what a scheduler wants; install nothing."""


@app.command("print")
def print_(
    scheduler: Annotated[str, typer.Argument(help="`systemd`, `launchd`, `cron` or `windows`.")],
    config: Annotated[Path, typer.Option("--config", help="The private configuration file.")],
    mode: Annotated[
        str, typer.Option("--mode", help="`run`, one lasting process, or `once` every 30 seconds.")
    ] = "run",
    as_json: AsJson = False,
) -> None:
    """Print the text of one scheduler for one configuration."""
    from dragoman.receiver.config import load_config
    from dragoman.receiver.schedule import Mode, Plan, Scheduler, printed

    if scheduler not in set(Scheduler):
        fix = "accepted values: systemd, launchd, cron, windows"
        raise DragomanError("usage", f"no scheduler `{scheduler[:40]}`", where="dragoman schedule print", fix=fix)
    if mode not in set(Mode):
        raise DragomanError("usage", f"no mode `{mode[:40]}`", where="--mode", fix="accepted values: run, once")
    loaded = load_config(config)
    configured(loaded.file.spoken)
    plan = Plan(
        program=_program(),
        config=loaded.path,
        mode=Mode(mode),
        handler_seconds=loaded.file.handler.timeout_seconds,
        wsl=os.environ.get("WSL_DISTRO_NAME", ""),
    )
    files = printed(Scheduler(scheduler), plan)
    if as_json:
        emit({"scheduler": scheduler, "mode": mode, "files": [msgspec.to_builtins(each) for each in files]})
        return
    for number, file in enumerate(files):
        if len(files) > 1:
            sys.stdout.write(("\n" if number else "") + f"# {file.place}\n")
        sys.stdout.write(file.text)
    sys.stdout.flush()
    notes = ["one_only"]
    notes += {"launchd": ["login_only"], "windows": ["wsl_only"], "cron": ["cron_minute"]}.get(scheduler, [])
    said = [f"# {told(note)}" for note in notes]
    said += [f"# {file.place}" for file in files] if len(files) == 1 else []
    for name, commands in (("install", files[-1].install), ("remove", files[-1].remove)):
        said += [f"# {told(name)}", *(f"#   {command}" for command in commands)]
    sys.stderr.write("".join(f"{shown(each)}\n" for each in said))
    sys.stderr.flush()


def _program() -> tuple[str, ...]:
    """How this very installation is called, whatever the scheduler's PATH is."""
    beside = Path(sys.executable).with_name("dragoman")
    return (str(beside),) if beside.exists() else (sys.executable, "-m", "dragoman.cli")
