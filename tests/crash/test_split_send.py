"""`kill -9` around each message of a split text: the same keys again make it whole, and show nothing twice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import born
from tests.crash.split_at import LONG

pytestmark = pytest.mark.slow


def life(folder: Path, number: int, when: str) -> subprocess.CompletedProcess[str]:
    """One life of the bot."""
    command = [sys.executable, "-m", "tests.crash.split_at", str(folder), str(number), when]
    return born.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_killed_around_a_piece(tmp_path: Path, number: int, when: str) -> None:
    """Three pieces and an upload: killed at each, then sent again under the same key."""
    tmp_path.chmod(0o700)
    killed = life(tmp_path, number, when)
    again = life(tmp_path, 0, "never")

    lines = [json.loads(line) for line in (tmp_path / "chat" / "outbox.jsonl").read_text().splitlines()]
    assert (-9, 0, "yes\n") == (killed.returncode, again.returncode, again.stdout), again.stderr
    assert LONG == "".join(line["text"] for line in lines)
    assert ["k", "k.2", "k.3", "k.4"] == [line["key"] for line in lines]
    assert ["send", "send", "send", "upload"] == [line["operation"] for line in lines]
