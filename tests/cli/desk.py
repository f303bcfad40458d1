"""The command line as a program sees it: words and bytes in, an exit code and two streams out.

`run` calls the command in this process, for tables; `process` runs the installed command, for the truth. `Desk` is a
folder with a policy and an agent file, and asks `dragoman gate` about them.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from dragoman.cli.main import main

NOW = "2026-09-21T14:13:20Z"
COMMAND = str(Path(sys.executable).with_name("dragoman"))


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


class Launch(Protocol):
    """`run` or `process`."""

    def __call__(self, *words: str, stdin: bytes = b"") -> Done:
        """Run `dragoman WORDS` with these bytes on standard input."""
        ...


@contextmanager
def _streams(stdin: bytes) -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    before = sys.stdin, sys.stdout, sys.stderr
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(stdin), "utf-8"), out, err
    try:
        yield out, err
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


def run(*words: str, stdin: bytes = b"") -> Done:
    """The command in this process, with streams of its own."""
    with _streams(stdin) as (out, err):
        try:
            main(list(words))
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        return Done(code, _text(out), _text(err))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


def process(*words: str | bytes, stdin: bytes = b"", **env: str) -> Done:
    """The installed command, as a process of its own without a terminal."""
    done = subprocess.run(
        [COMMAND, *words], input=stdin, capture_output=True, timeout=60, check=False, env={**os.environ, **env}
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def told(done: Done) -> dict[str, Any]:
    """The one JSON object of a command that must succeed."""
    assert (0, "") == (done.code, done.err), done
    return one_object(done.out)


def refused(done: Done, code: str, exit_code: int = 2) -> dict[str, str]:
    """The one JSON error of a command that must fail with this code."""
    assert (exit_code, "") == (done.code, done.err), done
    body = one_object(done.out)
    assert ["error"] == list(body)
    error: dict[str, str] = body["error"]
    assert code == error["code"], error
    assert set(error) <= {"code", "message", "where", "detail", "fix"}
    return error


def one_object(out: str) -> dict[str, Any]:
    """Standard output as exactly one line that is one JSON object."""
    assert 1 == out.count("\n")
    assert out.endswith("\n")
    found = json.loads(out)
    assert isinstance(found, dict)
    return found


POLICY = """
version = 1
unknown_targets = "explicit_requests"
agent_names = ["Desk"]
command_prefixes = ["/"]
commands = ["help"]
denied_senders = ["memory/desk/mallory"]

[[targets]]
platform = "memory"
workspace = "desk"
channel = "EXT"
audience = "external"
counterparty = "acme"
takeover_seconds = 600

[[targets]]
platform = "memory"
workspace = "desk"
channel = "INT"
audience = "internal"

[[targets]]
platform = "memory"
workspace = "desk"
channel = "OPS"
audience = "operator"

[[targets]]
platform = "memory"
workspace = "desk"
channel = "DM1"
audience = "external"
counterparty = "acme"

[[operators]]
platform = "memory"
workspace = "desk"
id = "oper"

[[counterparties]]
id = "acme"
terms = ["Project Falcon"]

[[counterparties]]
id = "zenith"
terms = ["Northwind depot", "Kestrel-7"]

[[records]]
counterparty = "acme"
facts = ["Open start dates are 6 October 2026 and 13 October 2026."]

[[grants]]
id = "weekly"
purpose = "schedule"
targets = [
  { platform = "memory", workspace = "desk", channel = "EXT" },
  { platform = "memory", workspace = "desk", channel = "ELSEWHERE" },
]
given_by = "oper"
expires_at = "2026-10-21T14:13:20Z"
max_total = 2

[[grants]]
id = "old"
purpose = "schedule"
targets = [{ platform = "memory", workspace = "desk", channel = "EXT" }]
given_by = "oper"
expires_at = "2026-01-01T00:00:00Z"

[[grants]]
id = "peer"
purpose = "bot"
targets = [{ platform = "memory", workspace = "desk", channel = "EXT" }]
given_by = "oper"
admits = "memory/desk/B2"
expires_at = "2026-10-21T14:13:20Z"
max_total = 3
"""
AGENT = {"workspace": "desk", "id": "desk"}


class Desk:
    """A folder with a policy and an agent, and the two questions that `dragoman gate` answers about them."""

    def __init__(self, folder: Path, policy: str = POLICY, agent: object = AGENT) -> None:
        self.folder = folder
        self.policy = self.write("policy.toml", policy)
        self.agent = self.write("agent.json", json.dumps(agent))

    def write(self, name: str, text: str | bytes) -> str:
        """A file in the folder; its path."""
        path = self.folder / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)

    def check(
        self,
        event: object,
        *words: str,
        platform: str = "memory",
        agent: object = None,
        state: object = None,
        now: str = NOW,
        launch: Launch = run,
    ) -> Done:
        """`gate check`; whatever is not bytes is written as JSON."""
        agent_file = self.agent if agent is None else self.write("other-agent.json", _json(agent))
        extra = [] if state is None else ["--state", self.write("state.json", _json(state))]
        flags = ["--policy", self.policy, "--platform", platform, "--agent", agent_file, "--now", now]
        return launch("gate", "check", *flags, *extra, "--json", *words, stdin=_json(event))

    def release(
        self,
        text: str | bytes | Sequence[str],
        *words: str,
        target: str = "memory/desk/EXT",
        output_class: str = "final",
        now: str = NOW,
        launch: Launch = run,
    ) -> Done:
        """`gate release`; a list of texts goes in as `--chunks`."""
        flags = ["--policy", self.policy, "--target", target, "--class", output_class, "--now", now, "--json", *words]
        if isinstance(text, bytes):
            stdin = text
        elif isinstance(text, str):
            stdin = text.encode()
        else:
            flags.append("--chunks")
            stdin = "".join(json.dumps(chunk) + "\n" for chunk in text).encode()
        return launch("gate", "release", *flags, stdin=stdin)


def _json(value: object) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def said(text: str = "which start dates are open?", **changes: object) -> dict[str, Any]:
    """A message of a person in a group, addressed to nobody; `mentions=["desk"]` addresses the agent."""
    event: dict[str, Any] = {
        "kind": "message",
        "id": "m1",
        "channel": "EXT",
        "author": "buyer",
        "bot": False,
        "direct": False,
        "shared": False,
        "other_bots": False,
        "text": text,
    }
    return {**event, **changes}


def asked(text: str = "which start dates are open?", **changes: object) -> dict[str, Any]:
    """The same, with a mention of the agent that the platform set."""
    return said(text, **{"mentions": ["desk"], **changes})


def visible(sent: list[dict[str, str]]) -> str:
    """What stands in the channel after these operations: an edit replaces the one message of a stream."""
    texts = [""]
    for operation in sent:
        if operation["operation"] == "edit":
            texts[-1] = operation["text"]
        else:
            texts.append(operation["text"])
    return "".join(texts)
