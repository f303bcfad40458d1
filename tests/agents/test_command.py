"""Handlers as real processes: every way to misbehave ends in its named fault, in time, with nothing left running."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.agents.command import CommandHandler
from dragoman.agents.contract import Fault, HandlerFailed, HandlerLimits, HandlerMessage, HandlerRequest
from dragoman.agents.process import MARK, Limits, Started, end_leftovers
from dragoman.agents.program import Program
from dragoman.errors import DragomanError

pytestmark = pytest.mark.anyio

LIMITS = Limits(
    time_ms=1_500, grace_ms=300, stdout_bytes=64 * 1024, stderr_bytes=2_000, file_bytes=1024 * 1024, cpu_s=20
)
REQUEST = HandlerRequest(
    limits=HandlerLimits(max_message_bytes=4_000),
    owner_instruction="Answer questions about shelves.",
    messages=(HandlerMessage(id="m1", text="How many?", sent_at=1),),
    contact_id="con_1",
)
GOOD = """print('{"schema_version":1,"action":"reply","message":"42"}')"""
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "LC_TIME": "C",
    "FOO_DB_URL": "postgres://secret",
    "HUB_TOKEN": "secret",
    "PYTHONPATH": "/nowhere",
    "SSH_AUTH_SOCK": "/nowhere",
    "MODEL_KEY": "named",
}

FAULTS = [
    ("exit 1", "import sys; " + GOOD + "; sys.exit(1)", Fault.EXIT_CODE),
    ("killed by a signal", "import os; os.kill(os.getpid(), 9)", Fault.EXIT_CODE),
    ("garbage", "print('Sure! 42 of them.')", Fault.NOT_JSON),
    ("two objects", GOOD + ";" + GOOD, Fault.NOT_JSON),
    ("words after the object", GOOD + ";print('bye')", Fault.NOT_JSON),
    ("the same key twice", """print('{"schema_version":1,"action":"reply","action":"reply"}')""", Fault.DUPLICATE_KEY),
    ("an unknown key", """print('{"schema_version":1,"action":"no_reply","to":"all"}')""", Fault.UNKNOWN_KEY),
    ("a broken byte", "import os; os.write(1, b'\\xff')", Fault.NOT_UTF8),
    ("an endless stream", "while True: print('y' * 1000)", Fault.OUTPUT_TOO_LARGE),
    ("too much, then a good exit", "import os; os.write(1, b'y' * 65_537)", Fault.OUTPUT_TOO_LARGE),
    ("too slow", "import time; time.sleep(60)", Fault.TIMEOUT),
    ("deaf to TERM", "import signal,time; signal.signal(15, signal.SIG_IGN); time.sleep(60)", Fault.TIMEOUT),
    ("a huge file", "open('big','wb').write(b'x' * 3_000_000)", Fault.EXIT_CODE),
]

BYSTANDERS = [
    ("a grandchild holds stdout", "import subprocess; subprocess.Popen(['sleep','60']);" + GOOD),
    (
        "a grandchild left the group",
        "import subprocess; subprocess.Popen(['sleep','60'], start_new_session=True);" + GOOD,
    ),
    ("stdin closed early", "import os; os.close(0);" + GOOD),
    ("stderr flooded", "import sys; sys.stderr.write('e' * 3_000_000);" + GOOD),
]


@pytest.fixture
def workdir(tmp_path: Path) -> Path:
    """A private folder for runs."""
    folder = tmp_path / "runs"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def handler(tmp_path: Path, workdir: Path) -> Callable[..., CommandHandler]:
    """Makes a handler of a Python text."""

    def make(code: str, limits: Limits = LIMITS, **options: object) -> CommandHandler:
        script = tmp_path / "handler.py"
        script.write_text(code)
        script.chmod(0o700)
        argv = [sys.executable, "-I", "-S", str(script)]
        return CommandHandler(Program(argv, limits=limits, environment=ENVIRONMENT, workdir=workdir, **options))  # type: ignore[arg-type]

    return make


async def fault(handler: CommandHandler, request: HandlerRequest = REQUEST) -> HandlerFailed:
    """The failure of one run."""
    with pytest.raises(HandlerFailed) as caught:
        await handler.answer(request)
    return caught.value


def running(word: str) -> int:
    """How many processes of this machine have `word` in their environment."""
    found = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                found += word.encode() in (entry / "environ").read_bytes()
    return found


async def test_a_good_answer(handler: Callable[..., CommandHandler]) -> None:
    """The command reads the request and its words come back."""
    code = "import json,sys; asked=json.load(sys.stdin);"
    code += "print(json.dumps({'schema_version':1,'action':'reply','message':asked['messages'][0]['text'][::-1]}))"

    answer = await handler(code).answer(REQUEST)

    assert answer.message == "?ynam woH"


@pytest.mark.parametrize(("what", "code", "expected"), FAULTS, ids=[row[0] for row in FAULTS])
async def test_each_fault_has_its_name(
    handler: Callable[..., CommandHandler], what: str, code: str, expected: Fault
) -> None:
    """R035, R037 and their kin: named, in time, never a reply."""
    began = time.monotonic()
    failed = await fault(handler(code))

    assert failed.fault == expected
    assert time.monotonic() - began < LIMITS.time_ms / 1000 + 2


@pytest.mark.parametrize(("what", "code"), BYSTANDERS, ids=[row[0] for row in BYSTANDERS])
async def test_what_does_not_spoil_a_good_answer(
    handler: Callable[..., CommandHandler], workdir: Path, what: str, code: str
) -> None:
    """R033, R040: pipes held open, EPIPE and noise delay nobody; nothing is left running."""
    notes: list[Started] = []
    began = time.monotonic()
    answer = await handler(code, on_start=notes.append).answer(REQUEST)

    assert answer.message == "42"
    assert time.monotonic() - began < LIMITS.time_ms / 1000
    assert running(notes[0].run_id) == 0
    assert list(workdir.iterdir()) == []


async def test_a_shell_that_forks_and_waits_is_killed_whole(tmp_path: Path, workdir: Path) -> None:
    """R033: `sleep 60 & sleep 60` is back within the limit plus two seconds, with both gone."""
    notes: list[Started] = []
    argv = ["/bin/sh", "-c", "sleep 60 & sleep 60"]
    program = Program(argv, limits=LIMITS, environment=ENVIRONMENT, workdir=workdir, on_start=notes.append)
    failed = await fault(CommandHandler(program))

    assert failed.fault == Fault.TIMEOUT
    assert running(notes[0].run_id) == 0


async def test_a_large_request_does_not_block(handler: Callable[..., CommandHandler]) -> None:
    """Feeding and hearing go on at the same time: more than a pipe holds, both ways."""
    request = HandlerRequest(
        limits=HandlerLimits(max_message_bytes=4_000),
        owner_instruction="x" * 1_000_000,
    )
    code = "import sys; sys.stderr.write('e' * 500_000); sys.stderr.flush(); n = len(sys.stdin.read());"
    code += """print('{"schema_version":1,"action":"reply","message":"%d"}' % n)"""
    answer = await handler(code).answer(request)

    assert int(answer.message) > 1_000_000


async def test_the_environment_is_the_list(handler: Callable[..., CommandHandler]) -> None:
    """R043: only listed names and those that the configuration adds; no token, no database URL, no agent socket."""
    code = "import json,os,sys; names = ' '.join(sorted(os.environ));"
    code += "print(json.dumps({'schema_version':1,'action':'reply','message':names}))"
    seen = (await handler(code, allowed=["MODEL_KEY"]).answer(REQUEST)).message.split()

    # LC_CTYPE may be added by the interpreter that reads the environment, never by us.
    assert [name for name in seen if name != "LC_CTYPE"] == [MARK, "LANG", "LC_TIME", "MODEL_KEY", "PATH"]


@pytest.mark.parametrize("name", ["PYTHONPATH", "LD_PRELOAD", "NODE_OPTIONS", "SSH_AUTH_SOCK", "A=B"])
def test_some_names_are_never_passed(handler: Callable[..., CommandHandler], name: str) -> None:
    """A name that changes what code is loaded cannot be allowed."""
    with pytest.raises(DragomanError) as caught:
        handler(GOOD, allowed=[name])

    assert caught.value.code == "config_invalid"


async def test_the_run_is_in_a_private_empty_folder(handler: Callable[..., CommandHandler]) -> None:
    """The working folder is new, 0700 and empty; limits are the stated ones."""
    code = "import json,os,resource as r; s=os.stat('.');"
    code += (
        "f=[oct(s.st_mode & 0o777), os.listdir('.'), r.getrlimit(r.RLIMIT_CORE)[0], r.getrlimit(r.RLIMIT_FSIZE)[0]];"
    )
    code += "print(json.dumps({'schema_version':1,'action':'reply','message':json.dumps(f)}))"
    answer = await handler(code).answer(REQUEST)

    assert json.loads(answer.message) == ["0o700", [], 0, LIMITS.file_bytes]


async def test_stderr_is_evidence_only(handler: Callable[..., CommandHandler]) -> None:
    """What a failed command complains about is kept, capped, apart from the sentence that may be shown."""
    failed = await fault(handler("import sys; sys.stderr.write('trace ' * 1000); sys.exit(3)"))

    assert failed.evidence == ("trace " * 1000)[: LIMITS.stderr_bytes]
    assert "trace" not in str(failed)


async def test_a_changed_script_is_not_run(handler: Callable[..., CommandHandler], tmp_path: Path) -> None:
    """The interpreter is the same, its script is not: refused before the start, and the fingerprint differs."""
    first = handler(GOOD)
    second = handler(GOOD + " # changed")

    assert (await fault(first)).fault == Fault.COMMAND_CHANGED
    assert first.fingerprint() != second.fingerprint()
    assert second.fingerprint() == second.fingerprint()


@pytest.mark.parametrize("mode", [0o722, 0o720, 0o777])
def test_a_command_that_others_may_write_is_refused(tmp_path: Path, workdir: Path, mode: int) -> None:
    """Group or world writable: not authorised."""
    command = tmp_path / "command"
    command.write_text("#!/bin/sh\n")
    command.chmod(mode)
    with pytest.raises(DragomanError) as caught:
        Program([str(command)], environment={}, workdir=workdir)

    assert caught.value.code == "config_invalid"


def test_a_command_in_an_open_folder_is_refused(tmp_path: Path, workdir: Path) -> None:
    """Everybody may replace a file in a world-writable folder without sticky bit."""
    command = tmp_path / "open" / "command"
    command.parent.mkdir()
    command.write_text("#!/bin/sh\n")
    command.chmod(0o700)
    command.parent.chmod(0o777)
    with pytest.raises(DragomanError):
        Program([str(command)], environment={}, workdir=workdir)
    command.parent.chmod(0o777 | stat.S_ISVTX)

    assert Program([str(command)], environment={}, workdir=workdir).argv == (str(command),)


@pytest.mark.parametrize("argv", [[], ["sh"], ["/"], ["/no/such/command"]])
def test_what_is_no_command_is_refused(workdir: Path, argv: list[str]) -> None:
    """Relative, missing, a folder, nothing: refused when it is configured."""
    with pytest.raises(DragomanError):
        Program(argv, environment={}, workdir=workdir)


async def test_a_file_that_is_no_program_cannot_start(tmp_path: Path, workdir: Path) -> None:
    """A trusted file without the right to be executed is `cannot_start`, not a bad answer."""
    command = tmp_path / "command"
    command.write_text("hello")
    command.chmod(0o600)
    failed = await fault(CommandHandler(Program([str(command)], environment={}, workdir=workdir)))

    assert failed.fault == Fault.CANNOT_START


async def test_a_note_that_cannot_be_written_prevents_the_start(
    handler: Callable[..., CommandHandler], tmp_path: Path
) -> None:
    """No record of the run, no run."""
    trace = tmp_path / "ran"

    def refuse(_: Started) -> None:
        raise OSError("disk full")

    failed = await fault(handler(f"open({str(trace)!r}, 'w')", on_start=refuse))

    assert failed.fault == Fault.CANNOT_START
    assert not trace.exists()


async def test_cancelling_ends_the_group(handler: Callable[..., CommandHandler], workdir: Path) -> None:
    """A daemon that stops in the middle of a turn leaves nothing running."""
    notes: list[Started] = []
    task = asyncio.ensure_future(handler("import time; time.sleep(60)", on_start=notes.append).answer(REQUEST))
    while not notes:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert running(notes[0].run_id) == 0
    assert list(workdir.iterdir()) == []


DAEMON = """
import asyncio, sys
from pathlib import Path
from dragoman.agents.process import Limits, run
def note(started): print(started.run_id, flush=True)
code = "import subprocess,time; subprocess.Popen(['sleep','60'], start_new_session=True); time.sleep(60)"
asyncio.run(run([sys.executable, '-I', '-S', '-c', code], b'', limits=Limits(), environment={'PATH': '/usr/bin:/bin'},
    directory=Path('/'), on_start=note))
"""


async def test_after_a_killed_daemon_the_rest_can_be_ended() -> None:
    """kill -9 of the daemon takes the command with it; the note ends the grandchild that escaped."""
    daemon = subprocess.Popen([sys.executable, "-c", DAEMON], stdout=subprocess.PIPE, text=True)
    assert daemon.stdout is not None
    run_id = daemon.stdout.readline().strip()
    while running(run_id) < 2:
        await asyncio.sleep(0.02)
    daemon.send_signal(signal.SIGKILL)
    daemon.wait()
    daemon.stdout.close()
    until = time.monotonic() + 5
    while running(run_id) > 1 and time.monotonic() < until:
        await asyncio.sleep(0.02)

    assert running(run_id) == 1
    assert end_leftovers(run_id) == 1
    await asyncio.sleep(0.1)
    assert running(run_id) == 0
    assert end_leftovers(run_id) == 0


async def test_memory_stays_flat(handler: Callable[..., CommandHandler]) -> None:
    """R035: an endless stream is cut at the cap; no descriptor is left open by any run."""
    before = len(os.listdir("/proc/self/fd"))
    await fault(handler("while True: print('y' * 1000)"))
    await fault(handler("import sys; sys.exit(1)"))

    assert len(os.listdir("/proc/self/fd")) == before
