"""The only ways in which a case may be tried: the public command, a real receiver, a real bot that embeds the gate.

1. A test asks with the fixtures `desk`, `daemon` and `bot`; each counts how often it was used, and a test that used
   none fails when it ends (`conftest`). What comes back is what anybody sees: an answer on standard output, an exit
   code, what arrived on the platform, what the handler was handed, what the journal says.
2. `Desk` is `dragoman gate`. `Daemon` is `dragoman once` and `run` on the fake platform in a folder, with a handler
   that is a process and counts. `Bot` is `a_bot.py`, a process with a state on disk.
3. Nothing in here, nor in any case, imports what decides (`test_coverage` looks).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from dragoman.cli.receiver import serve
from dragoman.clock import SECOND, SystemClock
from tests import born
from tests.cli.desk import AGENT, POLICY, Done, Launch, run
from tests.cli.desk import Desk as OneDesk

HERE = Path(__file__).parent
HANDLER = """
import json, pathlib, sys, time
here = pathlib.Path(__file__).parent
asked = json.load(sys.stdin)
with open(here / "calls.jsonl", "a") as calls:
    calls.write(json.dumps(asked) + "\\n")
answer = json.loads((here / "answer").read_text())
for word, other in answer.pop("by_word", {}).items():
    if any(word in message["text"] for message in asked["messages"][-1:]):
        answer = other
time.sleep(answer.pop("sleep", 0))
sys.stderr.write(answer.pop("stderr", ""))
code = answer.pop("exit", 0)
sys.stdout.write(answer.pop("raw", None) or json.dumps(answer))
sys.exit(code)
"""
NOTIFIER = """
import json, pathlib, sys
told = json.load(sys.stdin)
with open(pathlib.Path(__file__).parent / "told.jsonl", "a") as out:
    out.write(json.dumps(told) + "\\n")
print(json.dumps({"schema_version": 1, "delivered": True, "notification_id": told["notification_id"]}))
"""
SAFE = "I could not complete that just now. Please try again."
"""The fixed sentence for a turn that failed."""


WORLD = (
    POLICY.replace("2026-10-21T14:13:20Z", "2099-10-21T14:13:20Z").replace(
        "version = 1", "version = 1\nburst_quiet_seconds = 0.3\nburst_cap_seconds = 1.2"
    )
    + """
[[targets]]
platform = "memory"
workspace = "desk"
channel = "DM2"
audience = "external"
counterparty = "zenith"
"""
)
"""The world of `tests.cli.desk` for a machine's own clock, with a second one-to-one, of zenith."""


class Passages:
    """How often a test went through a door."""

    def __init__(self) -> None:
        self.count = 0


class Desk(OneDesk):
    """A folder with a policy, and `dragoman gate check` and `release` about it."""

    def __init__(self, passages: Passages, folder: Path, policy: str = POLICY, agent: object = AGENT) -> None:
        super().__init__(folder, policy, agent)
        self._passages = passages

    def check(self, *words: Any, **flags: Any) -> Done:
        """`gate check`."""
        self._passages.count += 1
        return super().check(*words, **flags)

    def release(self, *words: Any, **flags: Any) -> Done:
        """`gate release`."""
        self._passages.count += 1
        return super().release(*words, **flags)

    def command(self, *words: str, launch: Launch = run, stdin: bytes = b"") -> Done:
        """Any other command, such as `policy lint`."""
        self._passages.count += 1
        return launch(*words, stdin=stdin)


class Desks:
    """Makes a desk, or several, in folders of their own."""

    def __init__(self, passages: Passages, folder: Path) -> None:
        self._passages, self._folder, self._number = passages, folder, 0

    def __call__(self, policy: str = POLICY, agent: object = AGENT) -> Desk:
        """A desk with this policy, as this agent."""
        self._number += 1
        folder = self._folder / f"desk{self._number}"
        folder.mkdir()
        return Desk(self._passages, folder, policy, agent)


class Platform:
    """The fake platform in a folder: what people write, who is there, and what arrived."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True)
        (folder / "inbox.jsonl").touch(0o600)
        self._written = 0

    def write(self, text: str = "which start dates are open?", **facts: Any) -> str:
        """Somebody writes; the message's id. `EXT`, by `buyer`, addressed to nobody, unless said otherwise."""
        self._written += 1
        event: dict[str, Any] = {
            "kind": "message",
            "id": f"m{self._written}",
            "channel": "EXT",
            "author": "buyer",
            "bot": False,
            "direct": False,
            "other_bots": False,
            "text": text,
        }
        if facts.get("channel") in INSIDE:
            event["shared"] = False
        event |= facts
        with (self.folder / "inbox.jsonl").open("a") as inbox:
            inbox.write(json.dumps(event) + "\n")
        return str(event["id"])

    def ask(self, text: str = "which start dates are open?", **facts: Any) -> str:
        """Somebody writes and mentions the agent."""
        return self.write(text, **{"mentions": ["desk"], **facts})

    def fire(self, grant: str | None, channel: str = "EXT", **facts: Any) -> str:
        """An event of our own: a schedule, a sub-agent, a restart."""
        given = {} if grant is None else {"grant_id": grant}
        return self.write("", kind="synthetic", author=None, channel=channel, **given, **facts)

    def there(self, **shared: bool) -> None:
        """Who is in the channels: `OPS=False` means that nobody from outside is."""
        (self.folder / "presence.json").write_text(
            json.dumps({name: {"shared": each} for name, each in shared.items()})
        )

    @property
    def arrived(self) -> list[dict[str, Any]]:
        """Every operation that reached the platform, in order."""
        return lines(self.folder / "outbox.jsonl")

    def texts(self, channel: str | None = None) -> list[str]:
        """The texts that arrived, of one channel or of all."""
        return [each["text"] for each in self.arrived if channel in (None, each["target"]["channel"])]


INSIDE = ("INT", "OPS")
"""Where only our own people are, unless `there` says otherwise."""


class Daemon:
    """A receiver on the fake platform, with a policy, a handler and a notifier; it runs while a test lets it."""

    def __init__(self, passages: Passages, folder: Path) -> None:
        self._passages = passages
        self.folder = folder
        folder.mkdir(mode=0o700)
        self.platform = Platform(folder / "chat")
        self.platform.there(INT=False, OPS=False)
        self.config = folder / "dragoman.json"
        self._scripts = {name: self._private(f"{name}.py", text) for name, text in SCRIPTS.items()}
        self.answers("Good morning.")
        self.policy(WORLD)
        self.write()

    def write(self, **changed: Any) -> None:
        """The configuration, with what a test changes; None leaves a key out."""
        body: dict[str, Any] = {
            "version": 1,
            "state_dir": "state",
            "policy": "policy.toml",
            "handler": {"command": [sys.executable, "-S", str(self._scripts["handler"])], "timeout_seconds": 20},
            "notifier": {"command": [sys.executable, "-S", str(self._scripts["notifier"])], "timeout_seconds": 20},
            "channels": {"memory": {"folder": "chat", **AGENT}},
        }
        body = {key: value for key, value in (body | changed).items() if value is not None}
        self._private("dragoman.json", json.dumps(body))

    def policy(self, text: str) -> None:
        """What holds from now on."""
        self._private("policy.toml", text)

    def answers(self, message: str = "", **fields: Any) -> None:
        """What the handler says from now on."""
        said: dict[str, Any] = {"schema_version": 1, "action": "reply" if message else "no_reply"}
        if message:
            said["message"] = message
        self._private("answer", json.dumps(said | fields))

    def calls(self) -> list[dict[str, Any]]:
        """What the handler was handed, in order: one per model call."""
        return lines(self.folder / "calls.jsonl")

    def told(self) -> list[dict[str, Any]]:
        """What the owner was told."""
        return lines(self.folder / "told.jsonl")

    def command(self, *words: str, stdin: bytes = b"") -> Done:
        """`dragoman WORDS --config … --json`."""
        self._passages.count += 1
        with _own_umask():
            return run(*words, "--config", str(self.config), "--json", stdin=stdin)

    def once(self, ahead: int = 0) -> dict[str, Any]:
        """`dragoman once`: one cycle; its answer. `ahead` sets its clock, in seconds."""
        if not ahead:
            done = self.command("once")
            return answer(done)
        self._passages.count += 1
        with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), _own_umask():
            serve(self.config, started_by="once", as_json=True, single=True, clock=_Ahead(ahead))
        return {}

    def until(self, holds: Callable[[], bool], seconds: float = 45) -> None:
        """`dragoman once`, again and again, until something holds; it must."""
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, (self.platform.arrived, self.status())
            self.once()

    def dies(self, point: str) -> None:
        """`dragoman once`, killed with SIGKILL when it has passed this point of a message's life."""
        self._passages.count += 1
        words = [sys.executable, "-m", "tests.crash.receiver_at", point, "once", "--config", str(self.config)]
        assert -signal.SIGKILL == born.run(words, capture_output=True, check=False, timeout=60).returncode

    def without_room(self) -> Done:
        """`dragoman once`, where no file may grow any more."""
        self._passages.count += 1
        words = [sys.executable, "-m", "dragoman.cli.main", "once", "--config", str(self.config), "--json"]
        limited = ["bash", "-c", 'ulimit -f 8; exec "$@"', "limited", *words]
        done = subprocess.run(limited, capture_output=True, text=True, check=False, timeout=60)
        return Done(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[str]]:
        """`dragoman run`, until the block ends; it must end well, unless it was killed."""
        self._passages.count += 1
        words = [sys.executable, "-m", "dragoman.cli.main", "run", "--config", str(self.config), "--json"]
        process = born.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            assert "running" in process.stdout.readline()
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=60)
        assert process.returncode in (0, -signal.SIGKILL)

    def status(self) -> dict[str, Any]:
        """`dragoman status`."""
        return answer(self.command("status"))

    def drafts(self) -> list[dict[str, Any]]:
        """`dragoman drafts list`."""
        found: list[dict[str, Any]] = answer(self.command("drafts", "list"))["drafts"]
        return found

    def journal(self, *kinds: str) -> list[tuple[str, str]]:
        """`dragoman journal show`: outcome and reason of every record, or of those kinds."""
        return [(each["outcome"], each["reason"]) for each in self.records() if not kinds or each["kind"] in kinds]

    def records(self) -> list[dict[str, Any]]:
        """`dragoman journal show`, whole."""
        found: list[dict[str, Any]] = answer(self.command("journal", "show", "--newest", "500"))["records"]
        return found

    def order(self, text: str, channel: str = "OPS", author: str = "oper", **facts: Any) -> str:
        """Somebody writes a command; by default the operator in the operators' room."""
        return self.platform.write(text, channel=channel, author=author, **facts)

    def _private(self, name: str, text: str) -> Path:
        path, new = self.folder / name, self.folder / f".{name}.new"
        new.write_text(text)
        new.chmod(0o600)
        new.replace(path)
        return path


class Bot:
    """A bot of somebody's own, with the gate in it (`a_bot.py`): a process per run, over one state on disk."""

    def __init__(self, passages: Passages, folder: Path) -> None:
        self._passages = passages
        self.folder = folder
        folder.mkdir(mode=0o700)
        self.platform = Platform(folder / "chat")
        self.platform.there(INT=False, OPS=False)
        self.policy(WORLD)

    def policy(self, text: str) -> None:
        """What holds from now on."""
        (self.folder / "policy.toml").write_text(text)

    def run(self, *turns: list[list[Any]], **plan: Any) -> list[dict[str, Any]]:
        """Let it read everything that was written and do, turn by turn, what it is told; what became of each step."""
        self._passages.count += 1
        (self.folder / "plan.json").write_text(json.dumps({"turns": turns, **plan}))
        words = [sys.executable, "-m", "tests.cases.a_bot", str(self.folder)]
        done = born.run(words, capture_output=True, text=True, check=False, timeout=60)
        assert (plan.get("ends", 0), "") == (done.returncode, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def journal(self, *kinds: str) -> list[dict[str, Any]]:
        """`dragoman journal show` over the bot's state."""
        config = self.folder / "dragoman.json"
        config.write_text(
            json.dumps(
                {
                    "version": 1,
                    "state_dir": "state",
                    "handler": {"command": ["/usr/bin/true"]},
                    "channels": {"memory": {"folder": "chat", **AGENT}},
                }
            )
        )
        config.chmod(0o600)
        done = run("journal", "show", "--newest", "500", "--config", str(config), "--json")
        return [each for each in answer(done)["records"] if not kinds or each["kind"] in kinds]


SCRIPTS: Mapping[str, str] = {"handler": HANDLER, "notifier": NOTIFIER}


class _Ahead:
    """The machine's clock, so many seconds ahead."""

    def __init__(self, seconds: int) -> None:
        self._ahead = seconds * SECOND

    def now(self) -> int:
        """Milliseconds since the epoch."""
        return SystemClock().now() + self._ahead


@contextmanager
def _own_umask() -> Iterator[None]:
    """A receiver closes what it makes for its whole process; this process is also the test's."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


class Model(ThreadingHTTPServer):
    """An OpenAI-compatible endpoint that always says good morning, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Completion)
        self.asked: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"


class _Completion(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        """Answer one completion."""
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        message = {"role": "assistant", "content": json.dumps(said("Good morning."))}
        body = json.dumps({"id": "x", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


def said(text: str, **more: Any) -> dict[str, Any]:
    """An answer of the handler."""
    return {"schema_version": 1, "action": "reply", "message": text, **more}


def wait(holds: Callable[[], bool], seconds: float = 45) -> None:
    """Wait until something holds; it must."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def answer(done: Done) -> dict[str, Any]:
    """The last line of a command that must succeed."""
    assert 0 == done.code, done
    found: dict[str, Any] = json.loads(done.out.splitlines()[-1])
    return found


def lines(path: Path) -> list[dict[str, Any]]:
    """A file of JSON lines; a file that is not there has none."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
