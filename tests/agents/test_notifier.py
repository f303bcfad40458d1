"""The owner's notifier: only an explicit acknowledgement is delivered, and doubt is never resent."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from dragoman.agents.notifier import CommandNotifier, Notification, Told
from dragoman.agents.process import Limits
from dragoman.agents.program import Program
from dragoman.words import Milestone, NotificationState

pytestmark = pytest.mark.anyio

NOTE = Notification(notification_id="n1", milestone=Milestone.COMPLETED, summary="Done.", contact_id="con_1")
ACK = """print('{"schema_version":1,"delivered":%s,"notification_id":"%s"}')"""

CASES = [
    ("an acknowledgement with the id", ACK % ("true", "n1"), "delivered", ""),
    ("an honest no", ACK % ("false", "n1"), "failed", "not_delivered"),
    ("a good exit without a word", "pass", "uncertain", "not_json"),
    ("another notification", ACK % ("true", "n2"), "uncertain", "other_notification"),
    ("an acknowledgement, then exit 1", ACK % ("true", "n1") + "; raise SystemExit(1)", "uncertain", "exit_code"),
    ("a no, then exit 1", ACK % ("false", "n1") + "; raise SystemExit(1)", "uncertain", "exit_code"),
    ("the text says that it failed", "print('could not reach the phone')", "uncertain", "not_json"),
    ("yes as a word", ACK % ('"true"', "n1"), "uncertain", "wrong_schema"),
    ("an unknown key", ACK.replace("}'", ',"x":1}\'') % ("true", "n1"), "uncertain", "wrong_schema"),
    ("too slow", "import time; time.sleep(60)", "uncertain", "timeout"),
    ("a flood", "while True: print('y' * 1000)", "uncertain", "output_too_large"),
]


def notifier(tmp_path: Path, code: str) -> CommandNotifier:
    """A notifier of a Python text."""
    script = tmp_path / "notify.py"
    script.write_text(code)
    script.chmod(0o700)
    argv = [sys.executable, "-I", "-S", str(script)]
    return CommandNotifier(
        Program(argv, limits=Limits(time_ms=800, grace_ms=200), environment={"PATH": "/usr/bin:/bin"}, workdir=tmp_path)
    )


@pytest.mark.parametrize(("what", "code", "state", "why"), CASES, ids=[row[0] for row in CASES])
async def test_what_became_of_it(tmp_path: Path, what: str, code: str, state: str, why: str) -> None:
    """R042: the state follows from the acknowledgement, not from the exit code alone."""
    told = await notifier(tmp_path, code).notify(NOTE)

    assert (told.state, told.why.split(":")[0]) == (NotificationState(state), why)


async def test_the_command_reads_the_notification(tmp_path: Path) -> None:
    """The stated JSON, and nothing else, is on stdin."""
    code = "import sys; sys.stderr.write(sys.stdin.read())"
    told = await notifier(tmp_path, code).notify(NOTE)

    assert json.loads(told.evidence) == {
        "schema_version": 1,
        "notification_id": "n1",
        "milestone": "completed",
        "summary": "Done.",
        "contact_id": "con_1",
        "probe": False,
    }


async def test_a_changed_notifier_told_nobody(tmp_path: Path) -> None:
    """A replaced file is not run: failed, which may be tried again, not uncertain."""
    first = notifier(tmp_path, ACK % ("true", "n1"))
    notifier(tmp_path, "pass")
    told = await first.notify(NOTE)

    assert told == Told(NotificationState.FAILED, told.why)
    assert told.why.startswith("command_changed")
