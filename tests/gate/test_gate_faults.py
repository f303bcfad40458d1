"""The shell when a port fails, a caller forges, a task is cancelled: nothing leaves unrecorded (spec 1 §1, §6, §9)."""

from __future__ import annotations

import time

import anyio
import msgspec
import pytest

from dragoman.channels.memory.adapter import MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent
from dragoman.gate.in_memory import MemoryJournal
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Draft, Entry, Filed, Output, Presence, Receipt, Turn
from dragoman.gate.sent import MOST, REMEMBERED_MS, TAIL, Sent
from dragoman.identity import Target, target
from dragoman.words import DraftState, Fact, OutputClass, Reason, ReleaseOutcome
from tests.gate.world import EXT, NOW, World, asked

pytestmark = pytest.mark.anyio

PRICE = "The price is 40 EUR per shelf."


@pytest.fixture
def world() -> World:
    """A fresh gate."""
    return World()


@pytest.fixture
def channel(world: World) -> MemoryChannel:
    """A memory channel without outsiders."""
    agent = MemoryAgent(workspace="desk", id="desk")
    return MemoryChannel(agent, clock=world.clock, presence=Presence(shared=Fact.NO))


async def says_both(turn: Turn) -> None:
    """An agent with one harmless answer."""
    await turn.reply("Both dates are open.")


class Picky(MemoryJournal):
    """A journal that refuses records of one kind and outcome."""

    def __init__(self, kind: str, outcome: str) -> None:
        super().__init__()
        self.refused = (kind, outcome)

    def record(self, entry: Entry) -> None:
        """Refuse, or append."""
        if (entry.kind, entry.outcome) == self.refused:
            raise OSError("no space left")
        super().record(entry)


def with_journal(world: World, journal: MemoryJournal) -> World:
    """The same world writing into another journal."""
    world.journal = journal
    world.gate = type(world.gate)(
        policy=world.policy,
        journal=journal,
        approvals=world.approvals,
        charges=world.charges,
        seen=world.seen,
        clock=world.clock,
        new_id=lambda kind: f"{kind}-x",
    )
    return world


async def test_a_journal_that_refuses_the_attempt_stops_the_send(world: World, channel: MemoryChannel) -> None:
    """Nothing leaves that the journal did not accept first, and no safe sentence takes its place."""
    with_journal(world, Picky("life", "sending"))

    await world.gate.handle(asked(), channel, says_both)

    assert [] == channel.performed


async def test_a_journal_that_refuses_the_evidence_adds_no_second_message(world: World, channel: MemoryChannel) -> None:
    """The text has left: the failing turn must not apologise for it, and the mark of the attempt stands."""
    with_journal(world, Picky("output", "delivered"))

    await world.gate.handle(asked(), channel, says_both)

    assert ["Both dates are open."] == [output.text for output in channel.performed]
    assert "sending" in [entry.outcome for entry in world.journal.entries]


async def test_a_cancelled_send_is_uncertain(world: World, channel: MemoryChannel) -> None:
    """When the task is cancelled while the transport works, the journal says that nobody knows."""
    channel.delay = 5
    with anyio.move_on_after(0.05):
        await world.gate.handle(asked(), channel, says_both)

    assert ["sending", "uncertain"] == [entry.outcome for entry in world.journal.entries[1:]]


async def test_a_cancelled_approval_is_uncertain(world: World, channel: MemoryChannel) -> None:
    """A claimed draft whose send was cancelled waits for the operator, it is not stuck as claimed."""
    admission = world.gate.admit(asked())
    draft_id = (await world.gate.deliver(Draft(text=PRICE), admission, channel, key="k")).draft_id
    world.approvals.approve(draft_id, "oper", "nonce", NOW)
    channel.delay = 5

    with anyio.move_on_after(0.05):
        await world.gate.deliver_approved(draft_id, channel, key="k")

    assert DraftState.UNCERTAIN is world.approvals.drafts[draft_id].state


async def test_one_approval_is_released_once_by_racing_callers(world: World, channel: MemoryChannel) -> None:
    """Three callers of one approved draft on a channel that yields: one send."""
    admission = world.gate.admit(asked())
    draft_id = (await world.gate.deliver(Draft(text=PRICE), admission, channel, key="k")).draft_id
    world.approvals.approve(draft_id, "oper", "nonce", NOW)
    channel.delay = 0.01

    async with anyio.create_task_group() as group:
        for number in range(3):
            group.start_soon(lambda key: world.gate.deliver_approved(draft_id, channel, key=key), f"k{number}")

    assert [PRICE] == [output.text for output in channel.performed]


async def test_racing_sends_keep_to_the_budget_of_the_admission(world: World, channel: MemoryChannel) -> None:
    """Twelve concurrent sends of an admission that covers eight: eight leave."""
    channel.delay = 0.01
    admission = world.gate.admit(asked())

    async with anyio.create_task_group() as group:
        for number in range(12):
            group.start_soon(
                lambda key: world.gate.deliver(Draft(text="Good morning."), admission, channel, key=key), f"k{number}"
            )

    assert admission.max_sends == len(channel.performed)


async def test_a_hold_that_cannot_be_filed_is_in_the_journal(world: World, channel: MemoryChannel) -> None:
    """The store of drafts fails: nothing leaves, the caller hears of it, and the journal has the hold."""

    class Broken(type(world.approvals)):  # type: ignore[misc]
        def file(self, draft: Filed) -> None:
            raise OSError("disk full")

    world.approvals = Broken()
    with_journal(world, MemoryJournal())
    admission = world.gate.admit(asked())

    with pytest.raises(OSError, match="disk full"):
        await world.gate.deliver(Draft(text=PRICE), admission, channel, key="k")

    last = world.journal.entries[-1]
    assert (ReleaseOutcome.HOLD, Reason.DRAFT_ONLY_TOPIC, "") == (last.outcome, last.reason, last.evidence)
    assert [] == channel.performed


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PRICE, Reason.DRAFT_ONLY_TOPIC),
        ("14 October is open.", Reason.UNVERIFIED_CLAIM),
        ("I have signed the order for you.", Reason.HARD_STOP),
    ],
)
async def test_calling_it_a_safe_error_lifts_no_check(
    world: World, channel: MemoryChannel, text: str, reason: Reason
) -> None:
    """Only our own fixed sentences are safe errors whose words nobody checks; never a model's."""
    admission = world.gate.admit(asked())
    draft = Draft(text=text, output_class=OutputClass.SAFE_ERROR)

    delivery = await world.gate.deliver(draft, admission, channel, key="k")

    assert reason is delivery.reason


async def test_a_grant_counts_as_the_policy_holds_it(world: World, channel: MemoryChannel) -> None:
    """A revoked grant, and one that a caller made up or widened, deliver nothing."""
    weekly = world.policy.grants["weekly"]
    made_up = msgspec.structs.replace(weekly, id="made-up", max_total=None)
    widened = msgspec.structs.replace(weekly, max_total=None)
    draft = Draft(text="Both dates are open.")
    forged = await world.gate.deliver(draft, made_up, channel, key="k1", target=EXT)
    for number in range(3):
        last = await world.gate.deliver(draft, widened, channel, key=f"k2{number}", target=EXT)
    world.gate.policy = msgspec.structs.replace(world.policy, grants={})
    revoked = await world.gate.deliver(draft, weekly, channel, key="k3", target=EXT)

    assert [Reason.GRANT_UNKNOWN, Reason.GRANT_SPENT, Reason.GRANT_UNKNOWN] == [
        forged.reason,
        last.reason,
        revoked.reason,
    ]


async def test_a_platform_that_answers_nonsense_is_a_no(world: World) -> None:
    """A channel whose presence is no presence: denied, nothing raised, nothing sent."""

    class Odd(MemoryChannel):
        async def presence(self, target: Target) -> Presence:
            return None  # type: ignore[return-value]

    channel = Odd(MemoryAgent(workspace="desk", id="desk"), clock=world.clock)
    admission = world.gate.admit(asked())

    delivery = await world.gate.deliver(Draft(text="Both dates are open."), admission, channel, key="k")

    assert (ReleaseOutcome.DENY, Reason.RULE_FAILED) == (delivery.outcome, delivery.reason)


async def test_a_receipt_without_evidence_is_uncertain(world: World) -> None:
    """Only evidence records delivered: an adapter that says yes and shows none, or says nothing, proves nothing."""
    answers: list[Receipt | None] = [Receipt(delivered=Fact.YES), None]

    class Odd(MemoryChannel):
        async def perform(self, output: Output) -> Receipt:
            return answers.pop()  # type: ignore[return-value]

    channel = Odd(MemoryAgent(workspace="desk", id="desk"), clock=world.clock, presence=Presence(shared=Fact.NO))
    admission = world.gate.admit(asked())

    for key in ("k1", "k2"):
        delivery = await world.gate.deliver(Draft(text="Both dates are open."), admission, channel, key=key)
        assert Fact.UNKNOWN is delivery.delivered


async def test_an_edit_that_names_no_message_is_refused(world: World, channel: MemoryChannel) -> None:
    """An adapter might take an edit of nothing for a send; the door does not leave it the choice."""
    admission = world.gate.admit(asked())

    delivery = await world.gate.deliver(
        Draft(text="Both dates are open."), admission, channel, key="k", operation=Operation.EDIT
    )

    assert Reason.TARGET_INVALID is delivery.reason


def test_what_was_sent_is_forgotten_when_it_cannot_matter() -> None:
    """The memory keeps the end of a text only, and drops ended admissions and old ends when it grows."""
    sent, place = Sent(), target("memory", "desk", "EXT")
    sent.counted("old", paid=True, now=0, until=10)
    sent.left(place, ("x" * 5_000,), changing=False, now=0)
    assert (1, {TAIL}) == (sent.count("old"), {len(end) for end in sent.ends(place, changing=False)})

    for number in range(MOST):
        sent.counted(f"new-{number}", paid=True, now=20, until=100)
        other = target("memory", "desk", f"EXT-{number}")
        sent.left(other, ("y",), changing=False, now=2 * REMEMBERED_MS)

    assert (0, ()) == (sent.count("old"), sent.ends(place, changing=False))
    assert (1, ("\ny", "y")) == (sent.count("new-0"), sent.ends(other, changing=False))


def test_an_edit_is_read_behind_what_stands_before_it() -> None:
    """Two messages and an edit of the second: the next text may follow the first, the second or what replaced it."""
    sent, place = Sent(), target("memory", "desk", "EXT")
    for text, changing in (("first", False), ("second", False), ("other", True)):
        sent.left(place, (text,), changing=changing, now=0)

    behind = {"\nfirst\nother", "\nfirst\nsecond\nother", "firstother", "firstsecondother"}
    assert behind == set(sent.ends(place, changing=False))
    assert behind | {"\nfirst", "first"} == set(sent.ends(place, changing=True))


def test_a_crowd_of_live_admissions_costs_no_more_each() -> None:
    """While nothing can be forgotten, remembering one more does not walk through all of them."""
    sent = Sent()
    began = time.process_time()
    for number in range(50_000):
        sent.counted(str(number), paid=True, now=0, until=100)

    assert time.process_time() - began < 2
