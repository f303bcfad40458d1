"""The keys that differ between two policies, and the decisions that would fall otherwise."""

from __future__ import annotations

import msgspec
import pytest

from dragoman.gate.policy import Policy, TargetPolicy
from dragoman.gate.policy_keys import PolicyFile
from dragoman.gate.replay import NOT_REPLAYABLE, replayed
from dragoman.gate.workbench.diff import compared, key_changes
from dragoman.identity import Party, Target
from dragoman.words import Audience
from tests.gate.random_events import NOW

ROOM = Target("memory", "desk", "room")
ROW = '[[targets]]\nplatform = "slack"\nworkspace = "T0A1"\nchannel = "{}"\naudience = "external"\n{}\n'


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A record as the journal keeps it."""

    correlation_id: str = "c1"
    kind: str = "event"
    outcome: str = "silent"
    reason: str = "access_denied"
    time: int = NOW
    consumer: str = "memory.receive"
    target: str = "memory/desk/room"
    author: str = "memory/desk/kim"
    facts: dict[str, str] = {}


def plain(identity: Target | Party | str) -> str:
    """A pseudonym that hides nothing: the tests' own key."""
    return str(identity)


def file(text: str) -> PolicyFile:
    """A policy file of this body."""
    return msgspec.toml.decode(f"version = 1\n{text}", type=PolicyFile)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", []),
        ("", 'mode = "shadow"\n', [("mode", "enforce", "shadow")]),
        (ROW.format("C0A1", ""), "", [("targets{slack/T0A1/C0A1}", "listed", "")]),
        ("", ROW.format("C0A1", ""), [("targets{slack/T0A1/C0A1}", "", "listed")]),
        (
            ROW.format("C0A1", "") + ROW.format("C0B2", ""),
            ROW.format("C0B2", "require_mention = false") + ROW.format("C0A1", ""),
            [("targets{slack/T0A1/C0B2}.require_mention", "true", "false")],
        ),
        (
            ROW.format("C0A1", 'allowed_senders = ["slack/T0A1/U0A1"]'),
            ROW.format("C0A1", "allowed_senders = []"),
            [("targets{slack/T0A1/C0A1}.allowed_senders", "slack/T0A1/U0A1", "nobody")],
        ),
        (
            '[[counterparties]]\nid = "acme"\nterms = ["Project Falcon"]\n',
            '[[counterparties]]\nid = "acme"\nterms = ["Project Falcon", "Kestrel-7"]\n',
            [("counterparties{acme}.terms", "1 entries", "2 entries")],
        ),
    ],
)
def test_the_keys_that_differ(old: str, new: str, expected: list[tuple[str, str, str]]) -> None:
    """Rows are matched by what they name; terms are counted, never shown."""
    found = key_changes(file(old), file(new))

    assert expected == [(each.where, each.old, each.new) for each in found]


def test_what_cannot_be_replayed_is_told_and_not_compared() -> None:
    """Outputs, records without facts, and what the receiver's autonomy admitted."""
    records = [
        Kept(correlation_id="c1"),
        Kept(correlation_id="c2", kind="output", reason="released", outcome="delivered"),
        Kept(correlation_id="c3", kind="life"),
    ]
    policy = Policy(version="one")
    found = compared(records, policy, policy, plain)

    assert (0, 0, ()) == (found.events, found.same, found.changed)
    assert 2 == sum(found.not_replayable.values())
    assert 1 == found.not_replayable["text_needed"]
    assert all(each.after == NOT_REPLAYABLE for each in replayed(records, policy, plain))


def test_a_policy_beside_itself_changes_nothing() -> None:
    """The same policy twice decides the same."""
    policy = Policy(version="one", targets={ROOM: TargetPolicy(audience=Audience.INTERNAL, listed=True)})

    assert () == compared([], policy, policy, plain).changed
