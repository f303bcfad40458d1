"""`dragoman policy init`: three questions, one private policy, and a command that shows it at work.

Every answer can be an option instead, for scripts: with `--yes` nothing is asked, and what is missing is an error.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, cast

import typer

from dragoman.cli.beside import AsJson
from dragoman.cli.output import emit, line
from dragoman.cli.policy_files import write_new
from dragoman.errors import DragomanError, Exit
from dragoman.gate.policy import Language
from dragoman.gate.workbench.lint.lint import fails, lint
from dragoman.gate.workbench.start import Answers, start
from dragoman.gate.workbench.text import policy_text
from dragoman.identity import parse_target

_SENT: Final = 1_790_000_000_000
_NOW: Final = "2026-09-21T14:13:25Z"
"""The examples' message was written five seconds before."""
_SOMEBODY: Final = "somebody"
_OURS: Final = "internal"


def init_command(
    policy: Annotated[Path, typer.Argument(help="A new file.")] = Path("policy.toml"),
    platform: Annotated[str | None, typer.Option(help="matrix, slack, discord, telegram ...")] = None,
    workspace: Annotated[str | None, typer.Option(help="The workspace, or our own account there.")] = None,
    channel: Annotated[list[str] | None, typer.Option(help="A channel's exact id; may be repeated.")] = None,
    counterparty: Annotated[str | None, typer.Option(help="Who is there: a short name of an outside party.")] = None,
    internal: Annotated[bool, typer.Option("--internal", help="Only our own people are there.")] = False,
    operator: Annotated[str | None, typer.Option(help="The account that may command the agent and approve.")] = None,
    language: Annotated[str, typer.Option(help="Of the fixed sentences: en or zh.")] = "en",
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing.")] = False,
    as_json: AsJson = False,
) -> int:
    """Write a first policy from three answers; never over a file that is there."""
    if policy.exists() or policy.is_symlink():
        fix = "name another file, or move this one away first"
        raise DragomanError("conflict", "is there already, and is never overwritten", where=str(policy), fix=fix)
    if language not in ("en", "zh"):
        raise DragomanError("usage", f"no language `{language}`", where="--language", fix="use en or zh")
    if internal and counterparty is not None:
        raise DragomanError("usage", "a counterparty's place is not internal", where="--internal", fix="keep one")
    asks = not yes and sys.stdin is not None and sys.stdin.isatty()
    given = _where(platform, workspace, channel, asks)
    answers = Answers(
        platform=given[0],
        workspace=given[1],
        channels=given[2],
        counterparty=_who(counterparty, internal, asks),
        operator=_operator(operator, asks),
        language=cast(Language, language),
    )
    file, notes = start(answers)
    text = policy_text(file, notes)
    findings = lint(text.encode(), _SENT)
    if fails(findings):  # `start` refuses what would: this is the second lock
        raise DragomanError("input_invalid", findings[0].detail, where=findings[0].where, fix=findings[0].fix)
    write_new(policy, text)
    checks = examples(answers, policy)
    if as_json:
        emit({"file": str(policy), "policy": text, "findings": findings, "checks": checks})
    else:
        _told(policy, checks)
    return Exit.OK


def _told(policy: Path, checks: list[dict[str, str]]) -> None:
    name = shlex.quote(str(policy))
    line(f"written: {policy}, readable by you alone. `dragoman policy explain {name}` says it in words.")
    line("Nothing is listening yet. See what the gate would do, in bash:")
    for check in checks:
        line("")
        line(f"# {check['expect']}")
        line(check["command"])


def _where(
    platform: str | None, workspace: str | None, channels: list[str] | None, asks: bool
) -> tuple[str, str, tuple[str, ...]]:
    if platform and workspace and channels:
        return platform, workspace, tuple(channels)
    missing = next(name for name, value in _named(platform, workspace, channels) if not value)
    if not asks:
        raise DragomanError("usage", f"`--{missing}` is missing", where="dragoman policy init", fix="see `--help`")

    def target(text: str) -> tuple[str, str, tuple[str, ...]] | None:
        found = parse_target(text)
        return (found.platform, found.workspace, (found.channel,)) if found.known else None

    question = "1. Where? PLATFORM/OUR ACCOUNT OR WORKSPACE/CHANNEL, exact ids (`/` inside one is `%2F`)"
    return cast(tuple[str, str, tuple[str, ...]], _asked(question, target, "three parts with `/` between them"))


def _named(*values: object) -> list[tuple[str, object]]:
    return list(zip(("platform", "workspace", "channel"), values, strict=True))


def _who(counterparty: str | None, internal: bool, asks: bool) -> str | None:
    if internal or counterparty is not None:
        return None if internal else counterparty
    if not asks:
        fix = "name the outside party, or say that only our own people are there"
        raise DragomanError(
            "usage", "`--counterparty` or `--internal` is missing", where="dragoman policy init", fix=fix
        )
    question = f"2. Who is there? A short name of the outside party, or `{_OURS}` for our own people only"
    found = _asked(question, lambda text: text or None, "a name")
    return None if found == _OURS else cast(str, found)


def _operator(operator: str | None, asks: bool) -> str | None:
    if operator is not None or not asks:
        return operator
    question = "3. Which account there is the operator's? Its exact id, or `none`"
    found = _asked(question, lambda text: text or None, "an id, or `none`")
    return None if found == "none" else cast(str, found)


def _asked(question: str, read: Callable[[str], Any], expected: str) -> Any:
    """One question, until it is answered."""
    while True:
        found = read(typer.prompt(question).strip())
        if found is not None:
            return found
        line(f"expected {expected}")


def examples(answers: Answers, policy: Path) -> list[dict[str, str]]:
    """Commands that show the new policy at work, with what they answer."""
    file, channel = shlex.quote(str(policy)), answers.channels[0]
    events = {"memory": _memory_events, "matrix": _matrix_events}.get(answers.platform)
    if events is None:
        target = "/".join(part.replace("%", "%25").replace("/", "%2F") for part in _identity(answers))
        return [
            {
                "expect": "what holds there, in words",
                "command": f"dragoman policy explain {file} --target {shlex.quote(target)}",
            }
        ]
    agent, state, said, asked = events(answers, channel)
    base = (
        f"dragoman gate check --policy {file} --platform {answers.platform} --now {_NOW} --agent <(echo {_json(agent)})"
    )
    base += f" --state <(echo {_json(state)})" if state is not None else ""
    return [
        {"expect": "not addressed to it: silent, not_requested", "command": f"{base} <<< {_json(said)}"},
        {"expect": "mentioned: respond, agent_mentioned", "command": f"{base} <<< {_json(asked)}"},
    ]


def _identity(answers: Answers) -> tuple[str, str, str]:
    return answers.platform, answers.workspace, answers.channels[0]


def _json(value: object) -> str:
    return shlex.quote(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


_Events = tuple[object, object | None, object, object]


def _memory_events(answers: Answers, channel: str) -> _Events:
    agent = {"workspace": answers.workspace, "id": "agent"}
    said = {
        "kind": "message",
        "id": "m1",
        "channel": channel,
        "author": _SOMEBODY,
        "bot": False,
        "direct": False,
        "shared": False,
        "text": "which dates are open?",
    }
    return agent, None, said, {**said, "mentions": ["agent"]}


def _matrix_events(answers: Answers, channel: str) -> _Events:
    agent = {"user_id": answers.workspace}
    author = f"@{_SOMEBODY}:elsewhere.example"
    state = {"lookup": {"joined_members": [answers.workspace, author, "@another:elsewhere.example"]}}
    content = {"msgtype": "m.text", "body": "which dates are open?"}
    said = {
        "type": "m.room.message",
        "event_id": "$1",
        "room_id": channel,
        "sender": author,
        "origin_server_ts": _SENT,
        "content": content,
    }
    mentioned = {**content, "m.mentions": {"user_ids": [answers.workspace]}}
    return agent, state, said, {**said, "content": mentioned}
