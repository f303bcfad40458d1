"""A journal in the ledger, replayed over a policy: with the real gate, the real journal and its own key."""

from __future__ import annotations

import itertools

import msgspec
import pytest

from dragoman.clock import MINUTE
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind
from dragoman.gate.gate import Gate
from dragoman.gate.policy import Policy, TargetPolicy
from dragoman.gate.replay import NOT_REPLAYABLE, replayed
from dragoman.grants import Grant
from dragoman.identity import Party, Target
from dragoman.ledger.approvals import LedgerApprovals
from dragoman.ledger.charges import LedgerCharges
from dragoman.ledger.journal import LedgerJournal
from dragoman.ledger.seen import LedgerSeen
from dragoman.ledger.store import Ledger
from dragoman.words import Audience, Fact, Purpose

NOW = 1_790_000_000_000
ROOM = Target("memory", "desk", "room")
KIM, OPER = Party("memory", "desk", "kim"), Party("memory", "desk", "oper")


class Now:
    """A clock that stands."""

    def now(self) -> int:
        """Epoch milliseconds."""
        return NOW


def message(number: int, text: str, **facts: object) -> Event:
    """A message of a person in the room."""
    event = Event(
        kind=EventKind.MESSAGE,
        target=ROOM,
        event_id=f"m{number}",
        dedupe_key=f"room:m{number}",
        received_at=NOW - MINUTE,
        authenticated=Fact.YES,
        author=KIM,
        author_kind=AuthorKind.HUMAN,
        chat=ChatKind.GROUP,
        shared=Fact.NO,
        other_bots=Fact.NO,
        text=text,
    )
    return msgspec.structs.replace(event, **facts)


WEEKLY = Grant(
    id="weekly", purpose=Purpose.SCHEDULE, targets=frozenset({ROOM}), given_by="oper", expires_at=NOW + 1, max_total=1
)
POLICY = Policy(
    version="one",
    targets={ROOM: TargetPolicy(audience=Audience.INTERNAL, listed=True)},
    operators=frozenset({OPER}),
    command_prefixes=("/",),
    commands=frozenset({"quote"}),
    grants={"weekly": WEEKLY},
)
EVENTS = (
    message(1, "which dates are open?"),
    message(2, "anybody there?", mentions_agent=Fact.YES),
    message(3, "Jordan, can you come?", mentions_other=Fact.YES),
    message(4, "/quote 7"),
    message(5, "/help"),
    message(6, "", kind=EventKind.SYNTHETIC, grant_id="weekly"),
    message(7, "please order it", author=OPER),
    message(1, "which dates are open?", mentions_agent=Fact.YES),
    message(8, "x", authenticated=Fact.NO),
)


@pytest.fixture
def journal(ledger: Ledger) -> LedgerJournal:
    """The journal after the gate decided all events under `POLICY`."""
    journal = LedgerJournal(ledger)
    numbers = itertools.count(1)
    gate = Gate(
        policy=POLICY,
        journal=journal,
        approvals=LedgerApprovals(ledger),
        charges=LedgerCharges(ledger),
        seen=LedgerSeen(ledger),
        clock=Now(),
        new_id=lambda kind: f"{kind}-{next(numbers)}",
    )
    for event in EVENTS:
        gate.admit(event)
    return journal


def reasons(journal: LedgerJournal, policy: Policy) -> list[str]:
    """Why each event would be decided as it would."""
    return [each.reason_after for each in replayed(journal.newest(100), policy, journal.pseudonym)]


def test_the_same_policy_decides_the_same(journal: LedgerJournal) -> None:
    """Every record of the journal, with its own key."""
    found = replayed(journal.newest(100), POLICY, journal.pseudonym)

    assert len(EVENTS) == len(found)
    assert [] == [each for each in found if each.changed or each.after == NOT_REPLAYABLE]
    assert [
        "not_requested",
        "agent_mentioned",
        "addressed_to_other",
        "agent_command",
        "not_requested",
        "operator_requested",
        "not_requested",
        "agent_mentioned",
        "auth_failed",
    ] == reasons(journal, POLICY)


CHANGES: list[tuple[str, dict[str, object], dict[int, str]]] = [
    ("another command", {"commands": frozenset({"help"})}, {3: "not_requested", 4: "agent_command"}),
    ("no grant", {"grants": {}}, {5: "synthetic_without_grant"}),
    ("a denied sender", {"denied_senders": frozenset({OPER})}, {6: "access_denied"}),
    (
        "operators' messages",
        {"targets": {ROOM: TargetPolicy(audience=Audience.INTERNAL, listed=True, operator_messages=True)}},
        {6: "operator_message"},
    ),
    (
        "open questions",
        {"targets": {ROOM: TargetPolicy(audience=Audience.INTERNAL, listed=True, open_question=True)}},
        {0: "open_question"},
    ),
    ("no commands behind a slash", {"command_prefixes": ("!",)}, {3: "not_requested"}),
]


@pytest.mark.parametrize(("change", "differ"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_what_a_change_comes_to(journal: LedgerJournal, change: dict[str, object], differ: dict[int, str]) -> None:
    """Which of the decided events another policy would have decided otherwise, and how."""
    before = reasons(journal, POLICY)
    after = reasons(journal, msgspec.structs.replace(POLICY, **change))

    assert differ == {number: now for number, (then, now) in enumerate(zip(before, after, strict=True)) if then != now}


def test_another_key_knows_nobody(journal: LedgerJournal) -> None:
    """Without the journal's own key no place, person or grant of the policy is found in it."""
    found = replayed(journal.newest(100), POLICY, lambda identity: "0" * 16)

    assert "access_denied" == found[0].reason_after
    assert "synthetic_without_grant" == found[5].reason_after
