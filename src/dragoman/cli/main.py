"""The command `dragoman`: finds the part that owns a command, and turns errors into exit codes (DESIGN §6).

Exit codes: 0 done, decisions included · 1 a failed validate, verify or lint · 2 bad input · 3 cannot run. With `--json`
an error is one JSON object on standard output with `code`, `message`, `where`, `detail`, `fix`; without it, the same
for people on standard error. A part's file is imported only when one of its commands is asked for.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any, Final

import click
import typer
from typer.core import TyperGroup
from typer.main import get_command

from dragoman import __version__
from dragoman.cli.output import emit, fail
from dragoman.errors import DragomanError, Exit

PARTS: Final[dict[str, tuple[str, str]]] = {
    "demo": ("dragoman.cli.demo", "Watch Dragoman do its main job, on loopback, with a real model."),
    "doctor": ("dragoman.cli.receiver", "List all that is not ready, with its fix; calls no model, sends nothing."),
    "probe": ("dragoman.cli.receiver", "Really run the handler and the notifier once; contacts nobody."),
    "run": ("dragoman.cli.receiver", "Serve every channel of the configuration until stopped."),
    "once": ("dragoman.cli.receiver", "One cycle, for a scheduler every 30 seconds."),
    "status": ("dragoman.cli.receiver", "What waits for the owner, what was spent, what stands."),
    "resolve": ("dragoman.cli.receiver", "Enter the owner's confirmed decision."),
    "pause": ("dragoman.cli.receiver", "Stop answering, everywhere or at one target, before the next send."),
    "resume": ("dragoman.cli.receiver", "Answer again."),
    "why": ("dragoman.cli.receiver", "Explain the last decision, or any, in words."),
    "drafts": ("dragoman.cli.receiver", "List, show, approve or reject filed drafts."),
    "export": ("dragoman.cli.receiver", "Write the packets of one contact."),
    "gate": ("dragoman.cli.gate", "Check one event, or one text, against a policy; sends nothing."),
    "hub": ("dragoman.cli.hub", "Serve a hub, or speak to one as an owner's agent."),
    "packet": ("dragoman.cli.packet", "Make, validate, seal and verify evidence packets."),
}
"""Every top-level command: the file that owns it, and its line in `dragoman --help`."""


class Parts(TyperGroup):
    """The top-level group, which imports a part only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of the table."""
        return list(PARTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command from the file that owns it, or None for an unknown name."""
        return load(cmd_name) if cmd_name in PARTS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help page, without importing a single part."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in PARTS.items()])


def load(name: str) -> click.Command:
    """Import the owning file and pick its command.

    A file exposes `app`, a group, or `register(app)`, which adds several top-level commands.
    """
    module: Any = importlib.import_module(PARTS[name][0])
    if hasattr(module, "register"):
        app = typer.Typer()
        app.callback()(_nothing)
        module.register(app)
        group = get_command(app)
        assert isinstance(group, click.Group)
        return group.commands[name]
    command = get_command(module.app)
    command.name = name
    return command


def _nothing() -> None:
    """The callback that keeps a single command a group."""


@click.command(cls=Parts, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dragoman")
def dragoman() -> None:
    """Let an agent deal with outsiders under an owner's bounded authority."""


def main(argv: list[str] | None = None) -> None:
    """Run one command and exit with its documented code."""
    words = sys.argv[1:] if argv is None else argv
    as_json = "--json" in words or "json" in words
    try:
        code = dragoman.main(args=words, prog_name="dragoman", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except DragomanError as error:
        sys.exit(fail(error, as_json=as_json))
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "dragoman"
        fix = f"see `{where} --help`"
        sys.exit(fail(DragomanError("usage", error.format_message(), where=where, fix=fix), as_json=as_json))
    except BrokenPipeError:
        sys.exit(Exit.OK)
    except ModuleNotFoundError as error:
        missing = DragomanError(
            "extra_missing",
            f"the Python package `{error.name}` is not installed",
            fix="install the extra that needs it, such as `pip install 'dragoman[hub,matrix,demo]'`",
        )
        sys.exit(fail(missing, as_json=as_json))


__all__ = ["dragoman", "emit", "load", "main"]


if __name__ == "__main__":
    main()
