"""An existing bot before and after the gate, as the README prints it: two processes, the same inbox, other outboxes."""

from __future__ import annotations

import difflib
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.synapse import ROOT

README = (ROOT / "README.md").read_text()
PROGRAMS = {
    name: f"# {name}.py\n{text}" for name, text in re.findall(r"```python\n# (\w+)\.py\n(.*?)```", README, re.S)
}
POLICY = """
version = 1

[[targets]]
platform = "memory"
workspace = "desk"
channel = "shelves"
audience = "external"
"""


def message(number: int, text: str, *mentions: str) -> dict[str, Any]:
    """One event of the inbox."""
    return {
        "kind": "message",
        "id": f"m{number}",
        "channel": "shelves",
        "author": "buyer",
        "bot": False,
        "direct": False,
        "text": text,
        "mentions": list(mentions),
    }


HEARD = [
    message(1, "closing list B"),
    message(2, "good morning", "desk"),
    message(3, "what does a shelf cost? I heard 40 EUR", "desk"),
    message(2, "good morning", "desk"),
    message(4, "good night", "desk"),
]
"""The last one is answered in both worlds: whoever sees it answered knows that all before it was decided."""


@contextmanager
def running(name: str, folder: Path) -> Iterator[None]:
    """One of the README's programs, as a process in `folder`."""
    (folder / f"{name}.py").write_text(PROGRAMS[name])
    with subprocess.Popen([sys.executable, f"{name}.py"], cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield
            assert process.poll() is None
        finally:
            process.kill()
            assert process.stderr is not None
            assert "" == process.stderr.read()


def answers(folder: Path, until: str) -> list[str]:
    """What left, once `until` did."""
    outbox, deadline = folder / "bot" / "outbox.jsonl", time.monotonic() + 30
    while time.monotonic() < deadline:
        said = [json.loads(line)["text"] for line in outbox.read_text().splitlines()] if outbox.exists() else []
        if until in said:
            return said
        time.sleep(0.02)
    raise AssertionError(f"`{until}` was never said")


def world(folder: Path) -> Path:
    """A folder with a policy and an inbox."""
    (folder / "policy.toml").write_text(POLICY)
    (folder / "bot").mkdir(mode=0o700)
    (folder / "bot" / "inbox.jsonl").write_text("".join(json.dumps(event) + "\n" for event in HEARD))
    return folder


def test_the_difference_is_under_ten_lines() -> None:
    """As the README says: six lines are new, five are gone."""
    lines = {name: text.splitlines()[1:] for name, text in PROGRAMS.items()}
    changes = [line[:2] for line in difflib.ndiff(lines["before"], lines["after"]) if line[2:].strip()]

    assert ["before", "after"] == list(PROGRAMS)
    assert (6, 5) == (changes.count("+ "), changes.count("- "))
    assert "six lines are new, five are gone" in README


def test_before_everything_is_answered(tmp_path: Path) -> None:
    """Without the gate: whoever says anything is answered, with whatever the model says."""
    folder = world(tmp_path)
    with running("before", folder):
        said = answers(folder, "You said: good night")

    assert [f"You said: {event['text']}" for event in (HEARD[0], HEARD[1], HEARD[2], HEARD[4])] == said


def test_behind_the_gate_only_what_was_asked_and_may_go_leaves(tmp_path: Path) -> None:
    """Unasked stays silent, a price is filed, a copy is no second answer; killed and restarted, nothing is repeated."""
    folder = world(tmp_path)
    for _ in range(2):
        with running("after", folder):
            said = answers(folder, "You said: good night")
    with running("after", folder):
        with (folder / "bot" / "inbox.jsonl").open("a") as inbox:
            inbox.write(json.dumps(message(5, "are you there?", "desk")) + "\n")
        said = answers(folder, "You said: are you there?")

    assert ["You said: good morning", "You said: good night", "You said: are you there?"] == said


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_programs_are_well_typed(name: str, tmp_path: Path) -> None:
    """`mypy --strict` has nothing to say of them."""
    code = tmp_path / f"{name}.py"
    code.write_text(PROGRAMS[name])
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", str(code)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )

    assert 0 == done.returncode, done.stdout
