"""What the journal must not hold is kept for the operator, for a time (spec 1 §11.10)."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest

from dragoman.clock import DAY
from tests.cli.desk import run, told
from tests.receiver.test_chat import room as room  # fixtures
from tests.receiver.test_chat import says
from tests.receiver.world import World

pytestmark = pytest.mark.slow

FAILING = """
import sys
sys.stdin.read()
sys.stderr.write("Traceback: cannot reach db-7.internal \\x1b[2J\\nValueError: no such table")
sys.exit(3)
"""


def why(world: World, *words: str) -> dict[str, Any]:
    """What `dragoman why` says of the newest decision."""
    return told(run("why", *words, "--config", str(world.config), "--json"))


def ledger_words(world: World) -> str:
    """Everything that the journal holds."""
    return json.dumps(told(run("journal", "show", "--newest", "1000", "--config", str(world.config), "--json")))


def test_a_failed_handler_leaves_its_last_words(room: World) -> None:
    """Fault and end of standard error, by the id of the decision; none of it is in the journal or the notice."""
    room.handler.write_text(FAILING)
    says(room, "m1", "Can you come on Monday?", mentions=["AGENT"])
    room.cycle()

    (piece,) = why(room, "--evidence")["evidence"]
    assert ("handler_failed", piece["kept_at"] + 30 * DAY) == (piece["kind"], piece["until"])
    assert "exit code 3" in piece["text"]
    assert piece["text"].endswith("Traceback: cannot reach db-7.internal \x1b[2J\nValueError: no such table")
    assert "db-7" not in ledger_words(room) + json.dumps(room.told())
    assert "evidence" not in why(room)


def test_a_denied_text_is_kept(room: World) -> None:
    """What a handler said that never leaves can be read by the operator; the journal has only the reason."""
    room.answers("I signed the order and paid the deposit.")
    says(room, "m1", "Can you come on Monday?", mentions=["AGENT"])
    room.cycle()

    (piece,) = why(room, "--evidence")["evidence"]
    assert ("draft_denied", "hard_stop\nI signed the order and paid the deposit.") == (piece["kind"], piece["text"])
    assert "deposit" not in ledger_words(room)


def test_it_is_shown_as_text(room: World) -> None:
    """Words of a handler steer no terminal, and look like no line of ours."""
    room.handler.write_text(FAILING)
    says(room, "m1", "Can you come on Monday?", mentions=["AGENT"])
    room.cycle()

    done = run("why", "--evidence", "--config", str(room.config))

    assert (0, "") == (done.code, done.err)
    assert [] == [char for char in done.out if unicodedata.category(char) in ("Cc", "Cf") and char != "\n"]
    assert "    ValueError: no such table\n" in done.out


def test_it_is_forgotten_in_time(room: World) -> None:
    """After `evidence_days` a cycle removes it; until then it stays."""
    room.write(
        hub=None,
        autonomy=None,
        policy="policy.toml",
        channels={"memory": {"folder": "chat", "workspace": "W1", "id": "AGENT"}},
        evidence_days=2,
    )
    room.answers("I signed the order and paid the deposit.")
    says(room, "m1", "Can you come on Monday?", mentions=["AGENT"])
    kept = []
    for shift in (0, 2 * DAY - 60_000, 2 * DAY + 60_000):
        room.cycle(shift)
        room.answers(exit=3)
        books = room.books()
        kept.append(sum(b"deposit" in row["body"] for row in books.ledger.rows("SELECT body FROM evidence")))
        books.close()

    assert [1, 1, 0] == kept
