"""The owner's chat: by the gate's one door, to an internal and verified target only, told by transport evidence."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.agents.notices import NOTE, Standing, note

from dragoman.agents.notify_channel import ChannelNotifier, Door, grant_for, listed_inside
from dragoman.channels.memory.adapter import Fault, MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent
from dragoman.errors import DragomanError
from dragoman.gate.gate import Gate
from dragoman.gate.policy import Policy
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.ports import Presence
from dragoman.identity import Target
from dragoman.words import Fact, NotificationState

pytestmark = pytest.mark.anyio

OWNER = Target("memory", "W1", "OWNER")
POLICY = """
version = 1

[[targets]]
platform = "memory"
workspace = "W1"
channel = "OWNER"
audience = "{audience}"
"""


def policy(audience: str = "operator", *, more: str = "") -> Policy:
    """A policy that lists the owner's room so, with the notifier's grant."""
    words = (more + POLICY).format(audience=audience)
    return parse_policy(words.encode(), {}).with_grants([grant_for(OWNER)])


class Room:
    """A gate, a fake account, and a notifier that speaks there."""

    def __init__(self, holds: Policy | None = None, *, shared: Fact = Fact.NO, **options: Any) -> None:
        presence = Presence(shared)
        self.channel = MemoryChannel(MemoryAgent(workspace="W1", id="AGENT"), clock=Standing(), presence=presence)
        self.gate = Gate(policy=holds or policy(), clock=Standing(), looks_on=True)
        self.paused = False
        door = Door(self.gate, self.channel, lambda target: self.paused)
        self.notifier = ChannelNotifier(OWNER, door, **options)

    def said(self) -> list[str]:
        """What arrived there."""
        return [output.text for output in self.channel.performed]


FAULTS = [
    (None, "delivered", ""),
    (Fault.REFUSED, "failed", "not_proven"),
    (Fault.RATE_LIMITED, "failed", "not_proven"),
    (Fault.VANISHED, "uncertain", "not_proven"),
    (Fault.ANSWER_LOST, "uncertain", "not_proven"),
]


@pytest.mark.parametrize(("fault", "state", "why"), FAULTS)
async def test_only_what_the_transport_proved(fault: Fault | None, state: str, why: str) -> None:
    """A receipt with evidence is told; a plain no is failed; no answer is uncertain."""
    room = Room()
    room.channel.plan(fault)
    told = await room.notifier.notify(NOTE)

    assert (NotificationState(state), why) == (told.state, told.why)
    assert bool(told.evidence) == (fault is None)


async def test_what_is_said_there() -> None:
    """The milestone in words, the summary, whom it is about, and where to answer; once, under the notification's id."""
    room = Room()
    await room.notifier.notify(NOTE)
    (output,) = room.channel.performed

    assert (OWNER, "ntf-1") == (output.target, output.key)
    assert [
        "Your decision is needed", "", "It waits.", "Offer the 6th?", "", "Contact: con_1", "",
        "See `dragoman status`; answer with `dragoman resolve`. Do not answer this message.",
    ] == output.text.splitlines()  # fmt: skip


OUTSIDE = [
    ("listed as external", policy("external"), Fact.NO),
    ("not listed", parse_policy(b"version = 1", {}).with_grants([grant_for(OWNER)]), Fact.NO),
    ("shared with outsiders", policy("internal"), Fact.YES),
    ("nobody knows who is there", policy("internal"), Fact.UNKNOWN),
    ("a policy without the grant", parse_policy(POLICY.format(audience="internal").encode(), {}), Fact.NO),
]


@pytest.mark.parametrize(("what", "holds", "shared"), OUTSIDE, ids=[row[0] for row in OUTSIDE])
async def test_never_to_outsiders(what: str, holds: Policy, shared: Fact) -> None:
    """External, shared, not verified, or without authority: nothing leaves, and the owner was provably not told."""
    room = Room(holds, shared=shared)
    told = await room.notifier.notify(NOTE)

    assert (NotificationState.FAILED, []) == (told.state, room.said())
    assert told.why.startswith("deny: ")


async def test_a_policy_that_changed_meanwhile() -> None:
    """The door asks at each send: what was internal and is not any more gets nothing more."""
    room = Room()
    first = await room.notifier.notify(NOTE)
    room.gate.policy = policy("external")
    second = await room.notifier.notify(note(notification_id="ntf-2"))

    assert [NotificationState.DELIVERED, NotificationState.FAILED] == [first.state, second.state]
    assert 1 == len(room.said())


STOPPED = [
    ("a claim of a deal", "I signed the order and paid the deposit."),
    ("a link that lies", "See [bank](javascript:alert)"),
]


@pytest.mark.parametrize(("what", "words"), STOPPED, ids=[row[0] for row in STOPPED])
async def test_the_event_is_told_without_what_the_door_stops(what: str, words: str) -> None:
    """The fixed sentence goes out all the same."""
    room = Room()
    told = await room.notifier.notify(note(summary=f"It waits.\n{words}"))

    assert NotificationState.DELIVERED is told.state
    assert ["Your decision is needed", "", "It waits."] == room.said()[0].splitlines()[:3]
    assert words not in room.said()[0]


@pytest.mark.parametrize("words", ["x" * 20_000, "会" * 20_000])
async def test_a_long_summary_is_cut_and_says_so(words: str) -> None:
    """One message, with a word of what is missing."""
    room = Room()
    await room.notifier.notify(note(summary=words))

    (said,) = room.said()
    assert (3_500, True) == (len(said), said.endswith("(more in `dragoman status`)"))


async def test_a_platform_that_hangs() -> None:
    """After the door's mark it is uncertain."""
    room = Room(time_ms=100)
    room.channel.delay = 30
    told = await room.notifier.notify(NOTE)

    assert (NotificationState.UNCERTAIN, "timeout", True) == (told.state, told.why, told.slow)


async def test_it_waits_while_the_agent_is_paused() -> None:
    """Paused there, or only looking on: not ready, so that what is queued stays queued."""
    room = Room()
    assert room.notifier.ready()
    room.paused = True
    assert not room.notifier.ready()
    assert not Room(policy(more='mode = "shadow"\n')).notifier.ready()


async def test_check_says_nothing_there() -> None:
    """A look at the policy and at who is there; no message."""
    room = Room()
    assert {"target": "memory/W1/OWNER", "audience": "operator"} == await room.notifier.check()
    for holds, shared, code in ((policy("external"), Fact.NO, "config_invalid"), (policy(), Fact.UNKNOWN, "not_ready")):
        other = Room(holds, shared=shared)
        with pytest.raises(DragomanError) as raised:
            await other.notifier.check()
        assert code == raised.value.code
    assert [] == room.said()


def test_which_targets_are_refused_at_the_start() -> None:
    """Only a listed internal or operator target; a broken policy trusts nobody."""
    listed_inside(policy("internal"), OWNER)
    listed_inside(policy("operator"), OWNER)
    for holds in (policy("external"), parse_policy(b"version = 1", {}), msgspec.structs.replace(policy(), broken=True)):
        with pytest.raises(DragomanError, match="not an internal target"):
            listed_inside(holds, OWNER)


def test_another_target_is_another_notifier() -> None:
    """The scope digest sees it."""
    prints = {ChannelNotifier(Target("memory", "W1", name), None).fingerprint() for name in ("OWNER", "OTHER", "OWNER")}

    assert 2 == len(prints)
