"""A handler that tries to speak past the gate: shell, MCP, HTTP, the channel's folder, the ledger, the receiver itself.

What a receiver takes from a handler is one answer on standard output, and nothing else. What a process of the same user
can do besides is no secret: `SECURITY.md` and `dragoman doctor` say it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cases.doors import Daemon, answer, wait

pytestmark = pytest.mark.slow

QUIET = 'print(json.dumps({"schema_version": 1, "action": "no_reply"}))'
HEAD = """
import json, os, pathlib, subprocess, sys, time
here = pathlib.Path(__file__).parent
asked = json.load(sys.stdin)
"""


def handler(daemon: Daemon, body: str, **environment: str) -> None:
    """A handler of the attacker's own, authorised by an owner who did not read it."""
    script = daemon.folder / "evil.py"
    script.write_text(HEAD + body + "\n")
    script.chmod(0o600)
    daemon.write(handler={"command": [sys.executable, "-S", str(script)], "timeout_seconds": 5})


def asked(daemon: Daemon, cycles: int = 1) -> None:
    """A question and some cycles."""
    daemon.platform.ask()
    for _ in range(cycles):
        daemon.once()


def test_a_shell_behind_the_answer_says_nothing(daemon: Daemon) -> None:
    """What a child writes to the handler's own outputs after a good answer spoils the answer; it is never a second."""
    more = json.dumps({"schema_version": 1, "action": "reply", "message": "Our price is 40 EUR."})
    handler(daemon, f"{QUIET}\nsys.stdout.flush()\nsubprocess.run(['sh', '-c', 'echo \"$0\"', {more!r}])")
    asked(daemon)

    assert [] == daemon.platform.arrived


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "send", "arguments": {"text": "x"}}},
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}},
        {"role": "assistant", "tool_calls": [{"function": {"name": "shell", "arguments": "{}"}}]},
        {"schema_version": 1, "action": "tool_call", "message": "x"},
        {"schema_version": 1, "action": "reply", "message": "x", "tools": ["send"]},
    ],
)
def test_a_tool_call_on_standard_output_is_no_answer(daemon: Daemon, message: dict[str, Any]) -> None:
    """Nobody on the other end of the pipe speaks MCP: a call is a failed turn, and is answered by nobody."""
    handler(
        daemon,
        f"print(json.dumps({message!r}), flush=True)\n"
        "heard = sys.stdin.read(1)\n(here / 'heard').write_text(repr(heard))",
    )
    asked(daemon)

    assert [] == daemon.platform.arrived
    assert "''" == (daemon.folder / "heard").read_text()


def test_a_handler_is_handed_no_way_in(daemon: Daemon) -> None:
    """Neither arguments, environment nor open files lead to keys, policy, ledger or channel, or name them."""
    handler(
        daemon,
        "seen = {'argv': sys.argv[1:], 'env': dict(os.environ), 'cwd': os.getcwd(),\n"
        "  'files': [os.readlink(each) for each in pathlib.Path('/proc/self/fd').iterdir() if each.exists()]}\n"
        f"(here / 'seen').write_text(json.dumps([seen, asked]))\n{QUIET}",
    )
    os.environ["MATRIX_TOKEN"] = "syt_secret"
    try:
        asked(daemon)
    finally:
        del os.environ["MATRIX_TOKEN"]
    seen, request = json.loads((daemon.folder / "seen").read_text())

    allowed = {"PATH", "HOME", "LANG", "LC_CTYPE", "LC_ALL", "TZ", "TMPDIR", "DRAGOMAN_RUN"}
    assert [] == seen["argv"]
    assert set(seen["env"]) <= allowed
    assert [] == [name for name in seen["files"] if name.startswith("/") and not name.startswith(("/proc", "/dev"))]
    assert [] == [word for word in ("policy.toml", "ledger", "outbox", "dragoman.json") if word in json.dumps(request)]
    assert [] == os.listdir(daemon.folder / "state" / "work")


def test_what_a_handler_leaves_behind_is_ended(daemon: Daemon) -> None:
    """A child in a session of its own, and one that was forked twice, do not outlive the run that made them."""
    handler(
        daemon,
        'child = "import os, time, pathlib; pathlib.Path(%r).write_text(str(os.getpid())); time.sleep(60)"\n'
        "for number, extra in enumerate(({'start_new_session': True}, {})):\n"
        "    subprocess.Popen([sys.executable, '-S', '-c', child % str(here / f'pid{number}')], **extra)\n"
        "there = [here / f'pid{number}' for number in (0, 1)]\n"
        f"while not all(each.exists() and each.read_text() for each in there): time.sleep(0.01)\n{QUIET}",
    )
    asked(daemon)
    pids = [int((daemon.folder / f"pid{number}").read_text()) for number in (0, 1)]

    assert [] == [pid for pid in pids if Path(f"/proc/{pid}").exists() and "Z" not in _state(pid)]


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def test_a_handler_that_kills_the_receiver_gains_nothing(daemon: Daemon) -> None:
    """It ends what started it, in the middle of its turn: the next receiver finds the turn, and says nothing twice."""
    handler(daemon, "os.kill(int(open('/proc/%d/stat' % os.getppid()).read().split()[0]), 9)\ntime.sleep(3)")
    daemon.platform.ask()
    with daemon.running() as process:
        wait(lambda: process.poll() is not None)
    assert -signal.SIGKILL == process.returncode
    daemon.write()
    daemon.once()

    assert daemon.platform.texts() in ([], ["Good morning."])
    assert 0 == daemon.command("journal", "verify").code


def test_what_a_handler_writes_into_the_outbox_is_no_delivery(daemon: Daemon) -> None:
    """A process of the same user can write the file of the fake platform; the journal proves no delivery by it."""
    line = {"id": "memory-1", "key": "x", "operation": "send", "target": {}, "at": 1, "text": "Our price is 40 EUR."}
    handler(
        daemon,
        f"with open(here / 'chat' / 'inbox.jsonl', 'a') as inbox:\n"
        "    event = {'kind': 'synthetic', 'id': 's9', 'channel': 'EXT', 'grant_id': 'made-up'}\n"
        f"    inbox.write(json.dumps(event) + '\\n')\n{QUIET}",
    )
    asked(daemon, 2)

    assert line["text"] not in daemon.platform.texts()
    assert ("silent", "synthetic_without_grant") in daemon.journal("event")
    assert [] == [each for each in daemon.journal("output") if each[0] == "delivered"]


def test_a_ledger_that_a_handler_changed_shows(daemon: Daemon) -> None:
    """It rewrites a record of the journal: the chain is broken, and whoever verifies it is told."""
    daemon.platform.write("closing list B")
    daemon.once()
    handler(
        daemon,
        "import sqlite3\n"
        "books = sqlite3.connect(here / 'state' / 'ledger.db', timeout=3)\n"
        "books.execute('DROP TRIGGER journal_no_update')\n"
        "books.execute(\"UPDATE journal SET body = replace(body, 'silent', 'respond') WHERE seq = 1\")\n"
        f"books.commit()\n{QUIET}",
    )
    asked(daemon)

    assert 0 != daemon.command("journal", "verify").code


@pytest.mark.parametrize("file", ["policy.toml", "dragoman.json"])
def test_a_policy_that_everybody_may_write_is_nobodys(daemon: Daemon, file: str) -> None:
    """Whoever may write the policy may make himself the operator; such a file is refused."""
    (daemon.folder / file).chmod(0o666)
    daemon.platform.ask()
    done = daemon.command("once")

    assert (True, []) == (done.code != 0, daemon.platform.arrived)


def test_the_doctor_says_what_is_not_prevented(daemon: Daemon) -> None:
    """A handler is a process of the same user: it can read and write what that user can, and the doctor says so."""
    found = json.loads(daemon.command("doctor").out.splitlines()[-1])
    (wall,) = [each for each in found["checks"] if each["name"] == "handler_wall"]

    assert "note" == wall["state"]
    assert "same user" in wall["detail"]
    assert wall["fix"]


class _Loopback(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.server.heard.append(self.path)  # type: ignore[attr-defined]
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


def test_a_receiver_listens_nowhere(daemon: Daemon) -> None:
    """There is no local port, socket or pipe of a running receiver that a handler could ask to send something."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Loopback)
    server.heard = []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        with daemon.running() as process:
            time.sleep(0.5)
            mine = {os.readlink(f"/proc/{process.pid}/fd/{n}") for n in os.listdir(f"/proc/{process.pid}/fd")}
            listening = [
                row.split()
                for name in ("tcp", "tcp6", "udp", "udp6")
                for row in Path(f"/proc/{process.pid}/net/{name}").read_text().splitlines()[1:]
            ]
            assert [] == [row for row in listening if f"socket:[{row[9]}]" in mine]
    finally:
        server.shutdown()
        server.server_close()


def test_the_state_is_private(daemon: Daemon) -> None:
    """Nothing that a receiver makes can be read by another user, whatever the umask was."""
    asked(daemon)
    loose = [str(path) for path in (daemon.folder / "state").rglob("*") if path.stat().st_mode & 0o077]

    assert [] == loose
    assert answer(daemon.command("status"))
