"""The journal's events, decided once more: the same under the same policy, the truth under another, or not at all."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.gate.admit import Admission, admit
from dragoman.gate.asked import Standing
from dragoman.gate.entries import event_entry
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind
from dragoman.gate.policy import Policy, TargetPolicy
from dragoman.gate.remembered import GRANTS
from dragoman.gate.replay import NOT_REPLAYABLE, Replayed, replayed
from dragoman.grants import Grant, Spent
from dragoman.identity import Party, Target
from dragoman.words import Audience, Fact, Outcome, Purpose, Reason
from tests.gate.random_events import NAMES, NOW, PARTIES, TARGETS, events, policies, standings

WHY_NOT = {"names_changed", "prefixes_changed"}
"""What a record of an event cannot answer under another policy."""


class Noted(msgspec.Struct, frozen=True, kw_only=True):
    """A record as a journal keeps it."""

    correlation_id: str
    kind: str
    outcome: str
    reason: str
    time: int
    consumer: str
    target: str
    author: str
    facts: Mapping[str, str]


def pseudonym(identity: Target | Party | str) -> str:
    """A keyed pseudonym, as the journal makes one."""
    return hmac.new(b"key", f"{type(identity).__name__}:{identity}".encode(), hashlib.sha256).hexdigest()[:16]


def noted(event: Event, policy: Policy, standing: Standing) -> Noted:
    """The record that the journal keeps of one decided event."""
    entry = event_entry(event, admit(event, policy, standing, "cor-1"), policy, standing)
    return Noted(
        correlation_id=entry.correlation_id,
        kind=entry.kind,
        outcome=str(entry.outcome),
        reason=str(entry.reason),
        time=entry.time,
        consumer=entry.consumer,
        target=pseudonym(event.target) if event.target.known else "",
        author=pseudonym(event.author) if event.author.known else "",
        facts={name: str(fact) for name, fact in entry.facts.items()}
        | {name: pseudonym(text) for name, text in entry.named.items()},
    )


def again(records: Iterable[Noted], policy: Policy) -> list[Replayed]:
    """What the policy would have decided."""
    return replayed(records, policy, pseudonym)


many = settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@many
@given(st.data())
def test_the_same_policy_decides_the_same(data: st.DataObject) -> None:
    """Every record can be replayed under the policy that it was written under, to the same outcome and reason."""
    policy, event = data.draw(policies), data.draw(events)
    record = noted(event, policy, data.draw(standings(policy, event)))

    (found,) = again([record], policy)

    assert (record.outcome, record.reason) == (found.after, found.reason_after)
    assert not found.changed


@many
@given(st.data())
def test_another_policy_decides_as_it_would_have(data: st.DataObject) -> None:
    """Whatever differs between two policies: what the other would have decided live, or a plain "cannot say"."""
    policy, other, event = data.draw(policies), data.draw(policies), data.draw(events)
    standing = data.draw(standings(policy, event))
    live = admit(event, other, standing, "cor-2")

    (found,) = again([noted(event, policy, standing)], other)

    if found.after == NOT_REPLAYABLE:
        assert found.reason_after in WHY_NOT
    else:
        assert (live.outcome, live.reason) == (found.after, found.reason_after)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_other_places_people_and_grants_can_always_be_replayed(data: st.DataObject) -> None:
    """Only own names and command prefixes can put a question that the record does not answer."""
    policy, event = data.draw(policies), data.draw(events)
    other = msgspec.structs.replace(
        data.draw(policies), agent_names=policy.agent_names, command_prefixes=policy.command_prefixes
    )

    (found,) = again([noted(event, policy, data.draw(standings(policy, event)))], other)

    assert NOT_REPLAYABLE != found.after


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_record_holds_no_word_and_no_id(data: st.DataObject) -> None:
    """Nothing of the text, and no id of a place, person, grant or command, stands in a record."""
    policy = data.draw(policies)
    event = msgspec.structs.replace(
        data.draw(events),
        text=data.draw(st.sampled_from(("Zelkova, /Zelkova Zelkova?", "/Zelkova", "@Zelkova hello"))),
        body="Zelkova",
        event_id="Zelkova",
        dedupe_key="Zelkova",
        thread="Zelkova",
        album="Zelkova",
    )
    written = msgspec.json.encode(noted(event, policy, data.draw(standings(policy, event)))).decode()

    ids = {target.channel for target in TARGETS} | {party.id for party in PARTIES} | set(NAMES)
    assert [] == [word for word in ("Zelkova", "zelkova", "weekly", "quote", *ids) if f'"{word}"' in written]
    assert "elkova" not in written


GROUP = Target("memory", "desk", "C1")
MESSAGE = Event(
    kind=EventKind.MESSAGE,
    target=GROUP,
    event_id="m1",
    dedupe_key="C1:m1",
    received_at=NOW,
    authenticated=Fact.YES,
    author=Party("memory", "desk", "kim"),
    author_kind=AuthorKind.HUMAN,
    chat=ChatKind.GROUP,
    shared=Fact.NO,
    other_bots=Fact.NO,
    text="which dates are open?",
)
CLOSED = Policy(version="closed")
LISTED = Policy(version="listed", targets={GROUP: TargetPolicy(audience=Audience.EXTERNAL, listed=True)})
OPEN = Policy(
    version="open",
    targets={GROUP: TargetPolicy(audience=Audience.EXTERNAL, listed=True, open_question=True)},
)
CHANGES = [
    ("a place is listed", MESSAGE, CLOSED, LISTED, ("silent", "access_denied"), ("silent", "not_requested")),
    ("open questions are admitted", MESSAGE, LISTED, OPEN, ("silent", "not_requested"), ("respond", "open_question")),
    ("a place is taken off", MESSAGE, OPEN, CLOSED, ("respond", "open_question"), ("silent", "access_denied")),
    (
        "the policy breaks",
        MESSAGE,
        OPEN,
        Policy(version="broken", broken=True),
        ("respond", "open_question"),
        ("silent", "access_denied"),
    ),
]


@pytest.mark.parametrize(
    ("event", "policy", "other", "before", "after"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES]
)
def test_what_a_change_of_policy_would_do(
    event: Event, policy: Policy, other: Policy, before: tuple[str, str], after: tuple[str, str]
) -> None:
    """Before and after, outcome and reason, as an operator reads them."""
    (found,) = again([noted(event, policy, Standing(now=NOW))], other)

    if other.broken:
        after = ("silent", "policy_broken")
    assert Replayed("cor-1", before[0], after[0], before[1], after[1]) == found
    assert found.changed


def test_a_new_name_of_ours_asks_what_was_not_kept() -> None:
    """Whether `Jordan` is the agent cannot be said without the text; where nobody was called it does not matter."""
    other = msgspec.structs.replace(OPEN, agent_names=frozenset({"Jordan"}))
    calling = msgspec.structs.replace(MESSAGE, text="Jordan, can you take this?")
    records = [noted(each, OPEN, Standing(now=NOW)) for each in (MESSAGE, calling)]

    assert [("respond", "open_question"), (NOT_REPLAYABLE, "names_changed")] == [
        (each.after, each.reason_after) for each in again(records, other)
    ]


@pytest.mark.parametrize(
    ("text", "names", "prefixes", "after"),
    [
        ("/stop", {"Desk"}, ("/",), "agent_command"),
        ("/stop@Desk", set(), ("/",), "agent_command"),
        ("/stop@Desk", {"Desk"}, ("/",), "names_changed"),
        ("/stop", set(), ("!",), "not_requested"),
        ("/stop", set(), ("/", "!"), "prefixes_changed"),
        ("- stop", set(), ("!",), "not_requested"),
    ],
)
def test_a_command_under_other_names_and_prefixes(
    text: str, names: set[str], prefixes: tuple[str, ...], after: str
) -> None:
    """Whom a command names, and whether it is one, is said only where the record can tell."""
    policy = msgspec.structs.replace(LISTED, command_prefixes=("/",), commands=frozenset({"stop"}))
    other = msgspec.structs.replace(policy, agent_names=frozenset(names), command_prefixes=prefixes)
    event = msgspec.structs.replace(MESSAGE, text=text)
    recorded_with = msgspec.structs.replace(policy, agent_names=frozenset())
    if text == "/stop@Desk" and not names:
        recorded_with = other = msgspec.structs.replace(policy, agent_names=frozenset({"Desk"}))

    (found,) = again([noted(event, recorded_with, Standing(now=NOW))], other)

    assert after == found.reason_after


def test_an_operator_is_known_by_a_pseudonym() -> None:
    """Who was nobody special then is an operator under the other policy, and the other way round."""
    place = TargetPolicy(audience=Audience.INTERNAL, listed=True, operator_messages=True)
    none = msgspec.structs.replace(LISTED, targets={GROUP: place})
    kim = msgspec.structs.replace(none, operators=frozenset({MESSAGE.author}))
    records = [noted(MESSAGE, each, Standing(now=NOW)) for each in (none, kim)]

    assert ["operator_message"] * 2 == [each.reason_after for each in again(records, kim)]
    assert ["not_requested"] * 2 == [each.reason_after for each in again(records, none)]


def test_what_was_spent_counts() -> None:
    """A grant that was used up then stays used up; with a higher bound it would have answered."""
    grant = Grant(
        id="weekly",
        purpose=Purpose.SCHEDULE,
        targets=frozenset({GROUP}),
        given_by="oper",
        expires_at=NOW + 1,
        max_total=2,
    )
    firing = msgspec.structs.replace(MESSAGE, kind=EventKind.SYNTHETIC, grant_id="weekly", text="")
    policy = msgspec.structs.replace(LISTED, grants={"weekly": grant})
    more = msgspec.structs.replace(LISTED, grants={"weekly": msgspec.structs.replace(grant, max_total=3)})
    record = noted(firing, policy, Standing(now=NOW, spent={"weekly": Spent(total=2, on_target=2, today=2)}))

    assert ["synthetic_without_grant", "operator_requested"] == [
        again([record], each)[0].reason_after for each in (policy, more)
    ]


def test_more_grants_than_are_remembered_are_not_guessed_at() -> None:
    """A record that had to leave some out says so."""
    spent = {f"g{number}": Spent() for number in range(GRANTS + 1)}

    (found,) = again([noted(MESSAGE, LISTED, Standing(now=NOW, spent=spent))], LISTED)

    assert (NOT_REPLAYABLE, "grants_cut") == (found.after, found.reason_after)


def test_outputs_and_other_records() -> None:
    """An output needs its text, which the journal does not hold; a record of the life is no decision."""
    record = noted(MESSAGE, LISTED, Standing(now=NOW))
    output, life = (msgspec.structs.replace(record, kind=kind, facts={}) for kind in ("output", "life"))

    assert [(NOT_REPLAYABLE, "text_needed")] == [
        (each.after, each.reason_after) for each in again([output, life], OPEN)
    ]


UNUSED = {"thread", "album"}
"""Kept for the reader; no rule asks for them."""


def test_a_record_of_an_older_release_is_not_guessed_at() -> None:
    """Whatever fact is missing: the record is `facts_missing`, or the decision does not ask for it."""
    event = msgspec.structs.replace(MESSAGE, text="Jordan, which dates?", mentions_agent=Fact.NO)
    record = noted(event, OPEN, Standing(now=NOW))
    found = {}
    for name in record.facts:
        less = {other: fact for other, fact in record.facts.items() if other != name}
        found[name] = again([msgspec.structs.replace(record, facts=less)], OPEN)[0]

    asked = {name for name, each in found.items() if each.reason_after == "facts_missing"}
    assert {(record.outcome, record.reason)} == {
        (found[name].after, found[name].reason_after) for name in found.keys() - asked
    }
    assert found.keys() - asked == UNUSED | {"sign"}


@pytest.mark.parametrize("name", ["kind", "age", "seen", "substance", "attachments", "shared"])
def test_a_fact_that_is_no_fact_is_not_read(name: str) -> None:
    """A value that no release writes is no value."""
    record = noted(MESSAGE, OPEN, Standing(now=NOW))
    spoilt = msgspec.structs.replace(record, facts={**record.facts, name: "maybe"})

    (found,) = again([spoilt], OPEN)

    assert (NOT_REPLAYABLE, "facts_unreadable") == (found.after, found.reason_after)


def test_a_failed_rule_is_not_repeated() -> None:
    """What was silent because a check raised cannot be said to have been decided by a policy."""
    record = msgspec.structs.replace(
        noted(MESSAGE, OPEN, Standing(now=NOW)), outcome=str(Outcome.SILENT), reason=str(Reason.RULE_FAILED)
    )

    assert [(NOT_REPLAYABLE, "rule_failed")] == [(each.after, each.reason_after) for each in again([record], OPEN)]


def test_the_pools_meet(pytestconfig: pytest.Config) -> None:
    """The random events reach every kind of outcome, so that the properties above are not empty."""
    reached: Counter[str] = Counter()

    @settings(max_examples=600, deadline=None, database=None, derandomize=True)
    @given(st.data())
    def walk(data: st.DataObject) -> None:
        policy, event = data.draw(policies), data.draw(events)
        admission: Admission = admit(event, policy, data.draw(standings(policy, event)), "cor-1")
        reached[admission.outcome] += 1

    walk()
    assert all(reached[outcome] >= 5 for outcome in Outcome), reached
