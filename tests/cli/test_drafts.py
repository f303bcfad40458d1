"""`dragoman drafts` over an embedded gate's state folder: a queue, exact texts, bound approvals, confirmed ends."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.clock import DAY, HOUR, SystemClock
from dragoman.gate.parts import File, Parts, encoded
from dragoman.gate.ports import Filed
from dragoman.gate.release import text_hash
from dragoman.identity import Target
from dragoman.ledger.approvals import LedgerApprovals
from dragoman.ledger.journal import LedgerJournal
from dragoman.ledger.store import create, open_ledger
from dragoman.words import DraftState, Reason, Topic
from tests.cli.desk import Done, refused, run, told

NOW = SystemClock().now()
TEXT = "The price is 40 EUR."
PARTS = Parts(subject="Your offer", files=(File(name="offer.txt", content=b"40 EUR", caption="the offer"),))


def filed(id: str, **changes: Any) -> Filed:
    """A draft of two hours ago."""
    known: dict[str, Any] = {
        "id": id,
        "target": Target("memory", "desk", "buyers"),
        "text": TEXT,
        "sha256": text_hash(TEXT),
        "epoch": "v1:external",
        "reason": Reason.DRAFT_ONLY_TOPIC,
        "topics": (Topic.PRICES,),
        "filed_at": NOW - 2 * HOUR,
        "expires_at": NOW + DAY,
    }
    return Filed(**(known | changes))


class Shelf:
    """A state folder with drafts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ledger = create(folder)
        approvals = LedgerApprovals(ledger)
        for draft in (
            filed("dft-young", filed_at=NOW - HOUR),
            filed("dft-old"),
            filed("dft-leak", approvable=False, reason=Reason.LEAK_SUSPECTED, filed_at=SystemClock().now()),
            filed("dft-late", expires_at=NOW - 1, filed_at=NOW - 3 * DAY),
            filed("dft-lost", state=DraftState.UNCERTAIN),
            filed("dft-parts", body=encoded(PARTS), sha256=text_hash(TEXT, PARTS), state=DraftState.APPROVED),
        ):
            approvals.file(draft)
        approvals.pinged("dft-old", NOW)
        ledger.close()

    def __call__(self, *words: str) -> Done:
        return run("drafts", *words, "--state", str(self.folder))

    def json(self, *words: str) -> dict[str, Any]:
        """The answer of a command that must succeed."""
        return told(self(*words, "--json"))

    def state(self, id: str) -> tuple[DraftState, str]:
        """Where a draft stands, and who put it there."""
        ledger = open_ledger(self.folder)
        draft = LedgerApprovals(ledger).find(id)
        ledger.close()
        assert draft is not None
        return draft.state, draft.operator

    def records(self) -> list[tuple[str, str]]:
        """What operators did: on which draft, and what."""
        ledger = open_ledger(self.folder)
        found = [(r.correlation_id, str(r.outcome)) for r in LedgerJournal(ledger).newest(20, "operator")]
        ledger.close()
        return found


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """A fresh one."""
    return Shelf(tmp_path / "state")


ME = f"cli:{os.getuid()}"


def test_the_queue_has_the_oldest_first_with_its_age(shelf: Shelf) -> None:
    """Only what waits, and whether the owner was reminded of it."""
    queue = shelf.json("list")["drafts"]

    assert ["dft-late", "dft-old", "dft-young", "dft-leak"] == [draft["id"] for draft in queue]
    assert [False, True, False, False] == [draft["pinged"] for draft in queue]
    old = queue[1]
    assert 2 * HOUR <= old["age_ms"] < 3 * HOUR
    assert DAY - HOUR < old["expires_in_ms"] <= DAY
    assert 0 == queue[0]["expires_in_ms"]
    assert ("memory/desk/buyers", True) == (old["target"], old["approvable"])
    assert {"nonce", "body"}.isdisjoint(old)


def test_the_queue_in_words(shelf: Shelf) -> None:
    """One line per draft."""
    lines = shelf("list").out.splitlines()

    assert "dft-old  filed  draft_only_topic  2 h  pinged  memory/desk/buyers" == lines[1]
    assert "dft-leak  filed  leak_suspected  under 1 min  reject only  memory/desk/buyers" == lines[3]


@pytest.mark.parametrize(
    ("state", "ids"),
    [("uncertain", ["dft-lost"]), ("approved", ["dft-parts"]), ("delivered", [])],
)
def test_other_states_are_listed_when_asked_for(shelf: Shelf, state: str, ids: list[str]) -> None:
    """One state at a time, or all of them."""
    assert ids == [draft["id"] for draft in shelf.json("list", "--only", state)["drafts"]]
    assert 6 == len(shelf.json("list", "--only", "all")["drafts"])
    refused(shelf("list", "--only", "gone", "--json"), "input_invalid")


def test_a_draft_is_shown_whole(shelf: Shelf) -> None:
    """Text, hash, expiry, and every part that leaves with it."""
    shown = shelf("show", "dft-parts").out
    answer = shelf.json("show", "dft-parts")

    for piece in (TEXT, answer["sha256"], "subject: Your offer", "file[0].name: offer.txt", "file[0].content: 40 EUR"):
        assert piece in shown
    assert "Your offer" == answer["parts"]["subject"]
    assert {} == shelf.json("show", "dft-old")["parts"]
    refused(shelf("show", "dft-9", "--json"), "not_found")


def test_an_approval_is_bound_to_the_text_and_to_who_gave_it(shelf: Shelf) -> None:
    """Twelve digits of the right hash approve, another hash does not; the operator is the account of the machine."""
    digest = text_hash(TEXT)
    for wrong in ("0" * 64, digest[:11], "the first one"):
        error = refused(shelf("approve", "dft-old", "--sha256", wrong, "--json"), "conflict")
        assert "draft_other_text" in error["detail"]
    assert (DraftState.FILED, "") == shelf.state("dft-old")

    assert "approved" == shelf.json("approve", "dft-old", "--sha256", digest[:12].upper())["state"]
    assert (DraftState.APPROVED, ME) == shelf.state("dft-old")
    assert [("dft-old", "draft_approved")] == shelf.records()


@pytest.mark.parametrize(
    ("id", "detail"),
    [
        ("dft-leak", "draft_not_approvable"),
        ("dft-late", "draft_expired"),
        ("dft-lost", "draft_decided"),
        ("dft-parts", "draft_decided"),
    ],
)
def test_what_cannot_be_approved_says_why(shelf: Shelf, id: str, detail: str) -> None:
    """The same codes as in a chat; nothing changes and nothing is written down."""
    before = shelf.state(id)

    assert detail in refused(shelf("approve", id, "--json"), "conflict")["detail"]
    assert (before, []) == (shelf.state(id), shelf.records())


def test_a_rejection_is_final(shelf: Shelf) -> None:
    """What was rejected is neither approved nor confirmed; rejecting again changes nothing."""
    shelf.json("reject", "dft-leak")
    shelf.json("reject", "dft-leak")

    assert (DraftState.REJECTED, ME) == shelf.state("dft-leak")
    refused(shelf("approve", "dft-leak", "--json"), "conflict")
    refused(shelf("confirm", "dft-leak", "--delivered", "--json"), "conflict")


@pytest.mark.parametrize(("flag", "state"), [("--delivered", "delivered"), ("--not-delivered", "filed")])
def test_uncertain_is_left_by_a_confirmation_only(shelf: Shelf, flag: str, state: str) -> None:
    """It arrived, or it waits for a new approval; neither is assumed."""
    refused(shelf("approve", "dft-lost", "--json"), "conflict")
    refused(shelf("reject", "dft-lost", "--json"), "conflict")
    assert [] == [id for id in shelf.json("expire")["expired"] if id == "dft-lost"]
    refused(shelf("confirm", "dft-lost", "--json"), "usage")

    assert state == shelf.json("confirm", "dft-lost", flag)["state"]
    assert (state, ME) == shelf.state("dft-lost")
    refused(shelf("confirm", "dft-lost", flag, "--json"), "conflict")


def test_expiring_closes_what_is_over(shelf: Shelf) -> None:
    """Once, and written down."""
    assert ["dft-late"] == shelf.json("expire")["expired"]
    assert [] == shelf.json("expire")["expired"]
    assert [("dft-late", "draft_expired")] == shelf.records()


def test_it_needs_exactly_one_place(shelf: Shelf, tmp_path: Path) -> None:
    """A receiver's configuration or a state folder: neither and both are told."""
    for words in ((), ("--config", str(tmp_path / "d.toml"), "--state", str(shelf.folder))):
        assert "name one of" in refused(run("drafts", "list", *words, "--json"), "usage")["detail"]
    refused(run("drafts", "list", "--state", str(tmp_path / "none"), "--json"), "ledger_missing", 3)


def test_a_draft_that_is_listed_is_the_draft_that_was_filed(shelf: Shelf) -> None:
    """What a program reads decodes to the draft again, but for nonce and parts."""
    (old,) = [draft for draft in shelf.json("list")["drafts"] if draft["id"] == "dft-old"]
    fields = {field: old[field] for field in ("text", "sha256", "epoch", "reason", "filed_at", "expires_at")}

    assert fields == {name: value for name, value in msgspec.to_builtins(filed("dft-old")).items() if name in fields}


def test_several_are_approved_at_once_or_none(shelf: Shelf) -> None:
    """One unknown, expired or unapprovable among them leaves all as they were; a hash names one text only."""
    for other, code in (("dft-9", "not_found"), ("dft-late", "conflict"), ("dft-leak", "conflict")):
        refused(shelf("approve", "dft-old", other, "--json"), code)
    usage = refused(shelf("approve", "dft-old", "dft-young", "--sha256", text_hash(TEXT)[:12], "--json"), "usage")
    assert "approve one id, or leave `--sha256` out" == usage["fix"]
    assert (DraftState.FILED, "") == shelf.state("dft-old")
    assert [] == shelf.records()

    answer = shelf.json("approve", "dft-old", "dft-young", "dft-old")
    assert [("dft-old", "approved"), ("dft-young", "approved")] == [(d["id"], d["state"]) for d in answer["drafts"]]
    assert [(DraftState.APPROVED, ME)] * 2 == [shelf.state("dft-old"), shelf.state("dft-young")]
    assert {("dft-old", "draft_approved"), ("dft-young", "draft_approved")} == set(shelf.records())


def test_the_queue_in_chinese(shelf: Shelf) -> None:
    """States, ages and marks; ids, reasons and targets are the same."""
    lines = shelf("list", "--lang", "zh").out.splitlines()

    assert "dft-old  待批  draft_only_topic  2 小时  已提醒  memory/desk/buyers" == lines[1]
    assert "dft-old：已批准\n" == shelf("approve", "dft-old", "--lang", "zh").out
