"""The command `dragoman`: finds the part that owns a command, and turns errors into exit codes (DESIGN §6).

Exit codes: 0 done, decisions included · 1 a failed validate, verify or lint · 2 bad input · 3 cannot run. With `--json`
an error is one JSON object on standard output with `code`, `message`, `where`, `detail`, `fix`; without it, the same
for people on standard error. A part's file is imported only when one of its commands is asked for.
"""

from __future__ import annotations

import importlib
import io
import signal
import sys
from typing import Any, Final, NoReturn

from dragoman import __version__
from dragoman.cli.language import without_flag
from dragoman.cli.output import fail
from dragoman.errors import DragomanError, Exit, unforeseen

PARTS: Final[dict[str, tuple[str, str]]] = {
    "demo": ("dragoman.cli.demo", "Watch Dragoman do its main job, on loopback, with a real model."),
    "doctor": ("dragoman.cli.checks", "List all that is not ready, with its fix; calls no model, sends nothing."),
    "probe": ("dragoman.cli.checks", "Really run the handler and the notifier once; contacts nobody."),
    "run": ("dragoman.cli.receiver", "Serve every channel of the configuration until stopped."),
    "once": ("dragoman.cli.receiver", "One cycle, for a scheduler every 30 seconds."),
    "status": ("dragoman.cli.owner", "What waits for the owner, what was spent, what stands."),
    "resolve": ("dragoman.cli.owner", "Enter the owner's confirmed decision."),
    "pause": ("dragoman.cli.owner", "Stop answering, everywhere or at one target, before the next send."),
    "resume": ("dragoman.cli.owner", "Answer again."),
    "why": ("dragoman.cli.why", "Explain the last decision, or any, in words."),
    "drafts": ("dragoman.cli.drafts", "List, show, approve or reject filed drafts."),
    "export": ("dragoman.cli.owner", "Write the packets of one contact."),
    "schedule": ("dragoman.cli.schedule", "Print what a scheduler wants to run the receiver; install nothing."),
    "backup": ("dragoman.cli.backup", "Write a receiver's private state into one file."),
    "restore": ("dragoman.cli.backup", "Put a backup in place; nothing is overwritten, nothing is refunded."),
    "journal": ("dragoman.cli.journal", "Read the journal, check its chain, list what was exercised."),
    "gate": ("dragoman.cli.gate", "Check one event, or one text, against a policy; sends nothing."),
    "policy": ("dragoman.cli.policy", "Begin, check, explain, import and compare policies; changes nothing that runs."),
    "hub": ("dragoman.cli.hub", "Serve a hub, or speak to one as an owner's agent."),
    "packet": ("dragoman.cli.packet", "Make, validate, seal, export and verify evidence packets."),
}
"""Every top-level command: the file that owns it, and its line in `dragoman --help`."""


EXTRAS: Final = {
    "httpx2": "receiver",
    "nacl": "receiver",
    "litestar": "hub",
    "uvicorn": "hub",
    "structlog": "hub",
    "prometheus_client": "hub",
    "nio": "matrix",
    "ircstates": "irc",
    "irctokens": "irc",
    "aiosmtplib": "mail",
    "imap_tools": "mail",
    "slixmpp": "xmpp",
    "telegram": "telegram",
    "microsoft_teams": "teams",
    "jwt": "teams",
    "aiohttp": "matrix",
    "slack_sdk": "slack",
    "discord": "discord",
    "xllamacpp": "demo",
    "yaml": "import",
    "json5": "import",
}
"""Which extra brings an optional package."""


def main(argv: list[str] | None = None) -> NoReturn:
    """Run one command and exit with its documented code."""
    words = sys.argv[1:] if argv is None else argv
    as_json = "--json" in words
    if isinstance(sys.stdout, io.TextIOWrapper):
        # JSON is UTF-8 whatever the locale says
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        words = without_flag(words)
        sys.exit(_run(words))
    except DragomanError as error:
        sys.exit(fail(error, as_json=as_json))
    except BrokenPipeError:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        sys.exit(Exit.OK)
    except KeyboardInterrupt:
        sys.exit(130)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("dragoman"):
            missing = DragomanError("not_implemented", f"`{words[0]}` is not built yet")
        else:
            extra = EXTRAS.get((error.name or "").split(".")[0], "hub,matrix,demo")
            fix = f"pip install 'dragoman[{extra}]'"
            missing = DragomanError("extra_missing", f"the package `{error.name}` is not installed", fix=fix)
        sys.exit(fail(missing, as_json=as_json))
    except Exception as error:  # noqa: BLE001  the outermost door: whatever was not foreseen still ends in a code
        sys.exit(fail(unforeseen(error), as_json=as_json))
    finally:
        if argv is None:
            _end_by_itself()


def _end_by_itself() -> None:
    """A served process that was told to stop ends with its own code, whatever it is told after that: Python takes a
    handler away while it goes down, but leaves what is ignored. Asked only for our own process, not for whoever calls
    `main` in his."""
    if callable(signal.getsignal(signal.SIGTERM)):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _run(words: list[str]) -> int:
    first = words[0] if words else "--help"
    if first in ("-h", "--help", "help"):
        sys.stdout.write(help_page())
        return Exit.OK
    if first == "--version":
        sys.stdout.write(f"dragoman {__version__}\n")
        return Exit.OK
    if first not in PARTS:
        raise DragomanError("usage", f"no command `{first}`", where="dragoman", fix="see `dragoman --help`")
    return _run_part(first, words[1:])


def _run_part(name: str, words: list[str]) -> int:
    """Import the file that owns the command and run it.

    A file exposes `app`, a group of its own, or `register(app)`, which adds several top-level commands.
    """
    import typer
    from typer.main import get_command

    module: Any = importlib.import_module(PARTS[name][0])
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    if hasattr(module, "register"):
        module.register(app)
    else:
        app.add_typer(module.app, name=name)
    app.callback()(_group)
    usage_error: type[Exception] = typer.BadParameter.__bases__[0]
    try:
        code = get_command(app).main(args=[name, *words], prog_name="dragoman", standalone_mode=False)
    except typer.Exit as error:
        return int(error.exit_code)
    except typer.Abort:
        return 130
    except SystemExit as end:
        # the toolkit's own way to end when the reader of its output went away, which is no failure
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        return Exit.OK
    except usage_error as error:
        where = getattr(getattr(error, "ctx", None), "command_path", "dragoman")
        detail = error.format_message() if hasattr(error, "format_message") else str(error)
        raise DragomanError("usage", detail, where=where, fix=f"see `{where} --help`") from None
    return code if isinstance(code, int) else Exit.OK


def _group() -> None:
    """Let an agent deal with outsiders under an owner's bounded authority."""


def help_page() -> str:
    """`dragoman --help`, printed from the table without importing a part."""
    width = max(map(len, PARTS)) + 2
    lines = [
        "Usage: dragoman COMMAND [OPTIONS]",
        "",
        "Let an agent deal with outsiders under an owner's bounded authority.",
        "",
        *(f"  {name:<{width}}{line}" for name, (_, line) in PARTS.items()),
        "",
        "`dragoman COMMAND --help` says more. Every command has --json; --lang en|zh chooses the language.",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
