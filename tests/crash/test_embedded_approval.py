"""`kill -9` while an approved draft leaves a gate that a bot embeds: uncertain, and never sent again (spec 1 §4)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import born
from tests.crash.embedded_at import PRICE

pytestmark = pytest.mark.slow


def bot(folder: Path, command: str, point: str = "never") -> dict[str, Any] | int:
    """One life of the bot: what it printed, or how it died."""
    done = born.run(
        [sys.executable, "-m", "tests.crash.embedded_at", str(folder), point, command],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in (0, -9), done.stderr
    return done.returncode or dict(json.loads(done.stdout))


def arrived(folder: Path) -> list[str]:
    """What the counterparty saw."""
    lines = map(json.loads, (folder / "chat" / "outbox.jsonl").read_text().splitlines())
    return [line["text"] for line in lines if line["target"]["channel"] == "EXT"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A private place for one bot."""
    tmp_path.chmod(0o700)
    return tmp_path


def test_the_same_life_without_a_kill_delivers(folder: Path) -> None:
    """The positive control."""
    answer = bot(folder, "/approve ID")

    assert isinstance(answer, dict)
    assert (["Approved and delivered."], "delivered", [PRICE]) == (answer["answers"], answer["state"], arrived(folder))


@pytest.mark.parametrize(("point", "seen"), [("claimed", []), ("arrived", [PRICE])])
def test_killed_between_claim_and_answer(folder: Path, point: str, seen: list[str]) -> None:
    """Whether it arrived or not: the next lives find it uncertain, say so, and send nothing."""
    assert -9 == bot(folder, "/approve ID", point)
    assert seen == arrived(folder)

    for command, code in (("/approve ID", "(draft_decided)"), ("/reject ID", "(draft_decided)"), ("/resume", "")):
        after = bot(folder, command)
        assert isinstance(after, dict)
        assert "uncertain" == after["state"]
        assert all(code in text for text in after["answers"])
        assert seen == arrived(folder)
