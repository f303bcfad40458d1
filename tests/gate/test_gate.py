"""The shell: one door, right order, nothing done for what is not admitted (spec 1 §1, §7, §9, §10)."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
import pytest

from dragoman.channels.memory.adapter import MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent
from dragoman.gate.event import AuthorKind, EventKind
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Delivery, Draft, Entry, Presence, Turn
from dragoman.gate.sentences import Sentence, safe_sentence
from dragoman.grants import Grant
from dragoman.identity import UNKNOWN, Target
from dragoman.words import DraftState, Fact, Outcome, OutputClass, Purpose, Reason, ReleaseOutcome
from tests.gate.world import B2, EXT, INT, NOW, OPER, OPS, RIVAL, UNK, World, asked, said

pytestmark = pytest.mark.anyio


@pytest.fixture
def world() -> World:
    """A fresh gate."""
    return World()


@pytest.fixture
def channel(world: World) -> MemoryChannel:
    """A memory channel whose groups hold nobody from outside but their own people."""
    agent = MemoryAgent(workspace="desk", id="desk")
    return MemoryChannel(agent, clock=world.clock, presence=Presence(shared=Fact.NO))


def saying(*texts: str) -> Agent:
    """An agent that replies with each text in turn and counts its calls."""
    return Agent(texts)


class Agent:
    """A counting consumer: what the gate must not wake for silence."""

    def __init__(self, texts: tuple[str, ...] = (), *, fails: bool = False) -> None:
        self.texts = texts
        self.fails = fails
        self.calls = 0
        self.deliveries: list[Delivery] = []

    async def __call__(self, turn: Turn) -> None:
        self.calls += 1
        for text in self.texts:
            self.deliveries.append(await turn.reply(text))
        if self.fails:
            raise ValueError("database password is hunter2 at /srv/desk/db.py line 3")


def counters(channel: MemoryChannel) -> dict[str, int]:
    """Every operation that was called on the platform."""
    return {str(operation): count for operation, count in channel.counts.items() if count}


async def test_an_addressed_message_is_answered(world: World, channel: MemoryChannel) -> None:
    """The positive control: a mention gets one checked answer in its own place."""
    agent = saying("6 October and 13 October are open. Which one suits you?")

    admission = await world.gate.handle(asked(), channel, agent)

    assert (Outcome.RESPOND, Reason.AGENT_MENTIONED) == (admission.outcome, admission.reason)
    assert {"send": 1} == counters(channel)
    assert [(EXT, "6 October and 13 October are open. Which one suits you?")] == [
        (output.target, output.text) for output in channel.performed
    ]
    assert Fact.YES is agent.deliveries[0].delivered


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (said("closing list B"), Reason.NOT_REQUESTED),
        (said("can you confirm?", mentions_other=Fact.YES), Reason.ADDRESSED_TO_OTHER),
        (asked(author=B2, author_kind=AuthorKind.BOT, target=INT), Reason.BOT_WITHOUT_GRANT),
        (asked(author_kind=AuthorKind.UNKNOWN), Reason.BOT_WITHOUT_GRANT),
        (asked(target=UNK), Reason.ACCESS_DENIED),
        (asked(target=UNKNOWN), Reason.INVALID_FACTS),
        (said(kind=EventKind.SYNTHETIC, target=EXT), Reason.SYNTHETIC_WITHOUT_GRANT),
        (said(kind=EventKind.SYNTHETIC, target=EXT, grant_id="made-up"), Reason.SYNTHETIC_WITHOUT_GRANT),
        (said(kind=EventKind.SYNTHETIC, target=UNKNOWN, grant_id="weekly"), Reason.SYNTHETIC_WITHOUT_TARGET),
        (asked(authenticated=Fact.NO), Reason.AUTH_FAILED),
        (asked(authenticated=Fact.UNKNOWN), Reason.AUTH_FAILED),
        (asked(author_kind=AuthorKind.SELF), Reason.SELF_ECHO),
        (asked(kind=EventKind.OTHER), Reason.NOT_A_MESSAGE),
        (asked(kind=EventKind.EDIT), Reason.EDIT_NOT_A_REQUEST),
        (asked(sent_at=NOW - 3_600_000), Reason.STALE),
        (asked(sent_at=NOW + 3_600_000), Reason.STALE),
    ],
    ids=lambda value: str(value) if isinstance(value, Reason) else "",
)
async def test_silence_costs_nothing(world: World, channel: MemoryChannel, event: object, reason: Reason) -> None:
    """What is not admitted wakes no agent and performs no operation, and leaves one journal record."""
    agent = saying("anything")

    admission = await world.gate.handle(event, channel, agent)  # type: ignore[arg-type]

    assert reason is admission.reason
    assert (0, {}) == (agent.calls, counters(channel))
    assert [reason] == [entry.reason for entry in world.journal.entries]


async def test_a_failing_agent_becomes_the_safe_sentence(world: World, channel: MemoryChannel) -> None:
    """The counterparty gets the fixed sentence, and no word of the exception is anywhere."""
    reported: list[Exception] = []

    await world.gate.handle(asked(), channel, Agent(fails=True), report=reported.append)

    assert [safe_sentence(Sentence.FAILED, "en")] == [output.text for output in channel.performed]
    assert ["ValueError"] == [type(error).__name__ for error in reported]
    assert b"hunter2" not in msgspec.json.encode(world.journal.entries)


async def test_a_failing_agent_that_spoke_already_adds_nothing(world: World, channel: MemoryChannel) -> None:
    """Replace happens only for a failed turn of which nothing was sent (spec 1 §11.5)."""
    await world.gate.handle(asked(), channel, Agent(("Both dates are open.",), fails=True))

    assert ["Both dates are open."] == [output.text for output in channel.performed]


async def test_a_failing_agent_of_a_silent_turn_says_nothing(world: World, channel: MemoryChannel) -> None:
    """Silence stays silence: no safe error for a muted turn."""
    await world.gate.handle(said("hello all"), channel, Agent(fails=True))

    assert {} == counters(channel)


@pytest.mark.parametrize("text", ["", "  \n", "NO_REPLY", " NO_REPLY\n"])
async def test_the_silence_token_is_silence(world: World, channel: MemoryChannel, text: str) -> None:
    """A model that answers with nothing, or exactly the token, stays silent."""
    await world.gate.handle(asked(), channel, saying(text))

    assert {} == counters(channel)


async def test_a_second_copy_of_a_message_is_a_duplicate(world: World, channel: MemoryChannel) -> None:
    """A retry of the transport answers nothing twice."""
    event, agent = asked(), saying("Both dates are open.")

    first = await world.gate.handle(event, channel, agent)
    second = await world.gate.handle(event, channel, agent)

    assert [Reason.AGENT_MENTIONED, Reason.DUPLICATE] == [first.reason, second.reason]
    assert 1 == agent.calls


async def test_a_silent_twin_does_not_swallow_the_addressed_one(world: World, channel: MemoryChannel) -> None:
    """`message` first, `app_mention` after it: the second is decided once more, the third is a duplicate."""
    event = said("which dates are free?")
    twin = msgspec.structs.replace(event, mentions_agent=Fact.YES)
    agent = saying("Both dates are open.")

    reasons = [(await world.gate.handle(copy, channel, agent)).reason for copy in (event, twin, twin)]

    assert [Reason.NOT_REQUESTED, Reason.AGENT_MENTIONED, Reason.DUPLICATE] == reasons


async def test_a_foreign_term_is_held_and_filed_and_never_named(world: World, channel: MemoryChannel) -> None:
    """Another counterparty's protected term stops the text; the report names neither text nor party."""
    agent = saying("We can load at the Northwind depot.")

    await world.gate.handle(asked(), channel, agent)

    delivery = agent.deliveries[0]
    assert (ReleaseOutcome.HOLD, Reason.LEAK_SUSPECTED) == (delivery.outcome, delivery.reason)
    assert {} == counters(channel)
    assert not world.approvals.drafts[delivery.draft_id].approvable
    journal = msgspec.json.encode(world.journal.entries).lower()
    assert b"northwind" not in journal
    assert b"zenith" not in journal


async def test_its_own_term_may_go_to_its_own_target(world: World, channel: MemoryChannel) -> None:
    """A counterparty may be told its own terms."""
    agent = saying("The Northwind depot is open.")

    await world.gate.handle(asked(target=RIVAL), channel, agent)

    assert ReleaseOutcome.SEND is agent.deliveries[0].outcome


async def test_a_target_whose_company_is_unknown_owns_no_term(world: World, channel: MemoryChannel) -> None:
    """When the platform cannot say who is there, even the target's own terms are held."""
    channel.presence_of[RIVAL] = Presence(shared=Fact.UNKNOWN)
    agent = saying("The Northwind depot is open.")

    await world.gate.handle(asked(target=RIVAL), channel, agent)

    assert Reason.LEAK_SUSPECTED is agent.deliveries[0].reason


async def test_the_audience_is_resolved_again_at_the_door(world: World, channel: MemoryChannel) -> None:
    """A channel that became shared after the admission is external when the words leave."""
    draft = Draft(text="checking the records", output_class=OutputClass.PROGRESS)
    admission = world.gate.admit(asked(target=INT))
    inside = await world.gate.deliver(draft, admission, channel, key="k1")
    channel.presence_of[INT] = Presence(shared=Fact.YES)

    outside = await world.gate.deliver(draft, admission, channel, key="k2")

    assert [Reason.RELEASED, Reason.CLASS_NOT_ALLOWED] == [inside.reason, outside.reason]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("14 October is open too.", Reason.UNVERIFIED_CLAIM),
        ("We have 43 shelves in stock.", Reason.UNVERIFIED_CLAIM),
        ("The price is 40 EUR per shelf.", Reason.DRAFT_ONLY_TOPIC),
    ],
)
async def test_what_the_record_does_not_state_is_filed(
    world: World, channel: MemoryChannel, text: str, reason: Reason
) -> None:
    """Unverified claims and draft-only topics wait for the operator; the counterparty sees nothing of it."""
    agent = saying(text)

    await world.gate.handle(asked(), channel, agent)

    delivery = agent.deliveries[0]
    assert (ReleaseOutcome.HOLD, reason) == (delivery.outcome, delivery.reason)
    assert {} == counters(channel)
    assert world.approvals.drafts[delivery.draft_id].approvable


async def test_an_approved_draft_goes_out_once(world: World, channel: MemoryChannel) -> None:
    """Approval releases one exact text once; a second use releases nothing."""
    agent = saying("The price is 40 EUR per shelf.")
    await world.gate.handle(asked(), channel, agent)
    draft_id = agent.deliveries[0].draft_id
    before = await world.gate.deliver_approved(draft_id, channel, key="r1")
    assert world.approvals.approve(draft_id, "oper", "nonce-1", NOW)

    first = await world.gate.deliver_approved(draft_id, channel, key="r1")
    second = await world.gate.deliver_approved(draft_id, channel, key="r1")

    assert (None, None) == (before, second)
    assert first is not None
    assert Fact.YES is first.delivered
    assert [(EXT, "The price is 40 EUR per shelf.")] == [(out.target, out.text) for out in channel.performed]
    assert DraftState.DELIVERED is world.approvals.drafts[draft_id].state


@pytest.mark.parametrize(
    "change",
    [{"text": "The price is 30 EUR per shelf."}, {"epoch": "older:external"}, {"expires_at": NOW - 1}],
    ids=["changed text", "stale epoch", "expired"],
)
async def test_an_approval_of_something_else_releases_nothing(
    world: World, channel: MemoryChannel, change: dict[str, object]
) -> None:
    """A changed text, a stale epoch or an expired approval releases nothing."""
    agent = saying("The price is 40 EUR per shelf.")
    await world.gate.handle(asked(), channel, agent)
    draft_id = agent.deliveries[0].draft_id
    world.approvals.approve(draft_id, "oper", "nonce-1", NOW)
    world.approvals.drafts[draft_id] = msgspec.structs.replace(world.approvals.drafts[draft_id], **change)

    assert await world.gate.deliver_approved(draft_id, channel, key="r1") is None
    assert {} == counters(channel)


async def test_an_approval_does_not_lift_the_leak_check(world: World, channel: MemoryChannel) -> None:
    """An approved text that names another counterparty's term is still held."""
    agent = saying("The price is 40 EUR per shelf.")
    await world.gate.handle(asked(), channel, agent)
    draft_id = agent.deliveries[0].draft_id
    leaky = Draft(text="The price at the Northwind depot is 40 EUR.")
    world.approvals.approve(draft_id, "oper", "nonce-1", NOW)
    grant = Grant(
        id="approval-x",
        purpose=Purpose.APPROVAL,
        targets=frozenset({EXT}),
        given_by="oper",
        expires_at=NOW + 1000,
        text_sha256="0" * 64,
    )

    delivery = await world.gate.deliver(leaky, grant, channel, key="r1", target=EXT)

    assert Reason.LEAK_SUSPECTED is delivery.reason


async def test_a_granted_schedule_speaks_as_often_as_granted(world: World, channel: MemoryChannel) -> None:
    """The positive control of synthetic events: two deliveries are granted, the third is silent."""
    agent = saying("Both dates are open.")
    reasons = [
        (
            await world.gate.handle(
                said(kind=EventKind.SYNTHETIC, grant_id="weekly", shared=Fact.UNKNOWN), channel, agent
            )
        ).reason
        for _ in range(3)
    ]

    assert [Reason.OPERATOR_REQUESTED, Reason.OPERATOR_REQUESTED, Reason.SYNTHETIC_WITHOUT_GRANT] == reasons
    assert {"send": 2} == counters(channel)
    assert [None, None] == [output.reply_to for output in channel.performed]


async def test_a_grant_is_charged_before_the_send(world: World, channel: MemoryChannel) -> None:
    """A crash between charge and send costs a use, never a second send."""
    marks: list[int] = []
    admission = world.gate.admit(said(kind=EventKind.SYNTHETIC, grant_id="weekly"))

    await world.gate.deliver(
        Draft(text="Both dates are open."),
        admission,
        channel,
        key="s1",
        sending=lambda: marks.append(world.charges.spent("weekly", EXT, NOW).total),
    )

    assert [1] == marks


async def test_a_granted_bot_must_address_the_agent(world: World, channel: MemoryChannel) -> None:
    """In a group a granted bot speaks to us only by mention, command or reply."""
    plain = said("6 October?", author=B2, author_kind=AuthorKind.BOT)
    mention = asked(author=B2, author_kind=AuthorKind.BOT)
    other = asked(author=B2, author_kind=AuthorKind.BOT, target=RIVAL)

    reasons = [world.gate.admit(event).reason for event in (plain, mention, other)]

    assert [Reason.NOT_REQUESTED, Reason.OPERATOR_REQUESTED, Reason.BOT_WITHOUT_GRANT] == reasons


@pytest.mark.parametrize(
    ("authority", "target", "reason"),
    [
        ("none", EXT, Reason.NO_DELIVERY_AUTHORITY),
        ("admission", RIVAL, Reason.OTHER_TARGET),
        ("grant", RIVAL, Reason.GRANT_OTHER_TARGET),
        ("grant", UNKNOWN, Reason.TARGET_INVALID),
    ],
)
async def test_delivery_needs_authority_for_exactly_this_target(
    world: World, channel: MemoryChannel, authority: str, target: Target, reason: Reason
) -> None:
    """No fallback, no other target, no missing grant: Q4 is answered for the exact place."""
    authorities = {"none": None, "admission": world.gate.admit(asked()), "grant": world.policy.grants["weekly"]}

    delivery = await world.gate.deliver(
        Draft(text="Both dates are open."), authorities[authority], channel, key="k", target=target
    )

    assert reason is delivery.reason
    assert {} == counters(channel)


async def test_an_admission_expires_and_is_bounded(world: World, channel: MemoryChannel) -> None:
    """An admission pays for a bounded number of sends and lives for a bounded time."""
    admission = world.gate.admit(asked())
    draft = Draft(text="Both dates are open.")
    for number in range(8):
        await world.gate.deliver(draft, admission, channel, key=f"k{number}")
    spent = await world.gate.deliver(draft, admission, channel, key="k9")
    later = world.gate.admit(asked())
    world.clock.time = later.expires_at

    late = await world.gate.deliver(draft, later, channel, key="k10")

    assert [Reason.ADMISSION_SPENT, Reason.ADMISSION_EXPIRED] == [spent.reason, late.reason]


async def test_a_changed_policy_ends_every_admission(world: World, channel: MemoryChannel) -> None:
    """An admission is bound to the policy version under which it was made."""
    admission = world.gate.admit(asked())
    world.gate.policy = msgspec.structs.replace(world.policy, version="newer")

    delivery = await world.gate.deliver(Draft(text="Both dates are open."), admission, channel, key="k")

    assert Reason.POLICY_CHANGED is delivery.reason


async def test_a_pause_takes_effect_before_the_next_send(world: World, channel: MemoryChannel) -> None:
    """A pause stops an answer that was admitted before it, and admits nothing after it."""
    admission = world.gate.admit(asked())
    world.seen.pause(EXT)

    delivery = await world.gate.deliver(Draft(text="Both dates are open."), admission, channel, key="k")

    assert Reason.PAUSED is delivery.reason
    assert Reason.PAUSED is world.gate.admit(asked()).reason


async def test_an_undeclared_operation_is_refused(world: World, channel: MemoryChannel) -> None:
    """What the adapter's operation table lacks cannot be performed."""
    del channel.operations[Operation.EDIT]  # type: ignore[attr-defined]
    admission = world.gate.admit(asked())

    delivery = await world.gate.deliver(
        Draft(text="Both dates are open."), admission, channel, key="k", operation=Operation.EDIT
    )

    assert Reason.UNDECLARED_OPERATION is delivery.reason


@pytest.mark.parametrize("output_class", list(OutputClass))
@pytest.mark.parametrize("target", [EXT, INT, OPS], ids=["external", "internal", "operator"])
async def test_classes_by_audience(
    world: World, channel: MemoryChannel, output_class: OutputClass, target: Target
) -> None:
    """The table of spec 1 §4, walked whole."""
    inside = {OutputClass.FINAL, OutputClass.SAFE_ERROR, OutputClass.OPERATIONAL, OutputClass.PROGRESS}
    allowed = {EXT: {OutputClass.FINAL, OutputClass.SAFE_ERROR}, INT: inside, OPS: inside}[target]
    admission = world.gate.admit(asked(target=target, author=OPER))

    delivery = await world.gate.deliver(
        Draft(text="Both dates are open.", output_class=output_class), admission, channel, key="k"
    )

    assert (output_class in allowed) is (delivery.outcome is ReleaseOutcome.SEND)


async def test_a_journal_that_refuses_stops_the_event(channel: MemoryChannel) -> None:
    """What cannot be written down does not happen."""
    world = World()

    class Full:
        def record(self, entry: Entry) -> None:
            raise OSError("no space left")

    gate = type(world.gate)(
        policy=world.policy,
        journal=Full(),
        approvals=world.approvals,
        charges=world.charges,
        seen=world.seen,
        clock=world.clock,
        new_id=lambda kind: kind,
    )
    agent = saying("Both dates are open.")

    with pytest.raises(OSError, match="no space left"):
        await gate.handle(asked(), channel, agent)

    assert (0, {}) == (agent.calls, counters(channel))


async def test_a_takeover_silences_the_agent(world: World, channel: MemoryChannel) -> None:
    """When a colleague has taken the conversation over, the agent stays out of it for the configured time."""
    here = msgspec.structs.replace(world.policy.targets[EXT], takeover_ms=600_000)
    world.gate.policy = msgspec.structs.replace(world.policy, targets={**world.policy.targets, EXT: here})
    world.gate.admit(said("I will take this one", author=OPER))

    during = world.gate.admit(asked()).reason
    world.clock.time += 600_000
    after = world.gate.admit(asked(sent_at=world.clock.time)).reason

    assert [Reason.HUMAN_TAKEOVER, Reason.AGENT_MENTIONED] == [during, after]


async def pieces(*parts: str) -> AsyncIterator[str]:
    """A stream of text."""
    for part in parts:
        yield part


class Streamer:
    """An agent that streams."""

    def __init__(self, *parts: str) -> None:
        self.parts = parts
        self.delivery: Delivery | None = None

    async def __call__(self, turn: Turn) -> None:
        self.delivery = await turn.stream(pieces(*self.parts))


async def test_a_stream_leaves_as_whole_checked_sentences(world: World, channel: MemoryChannel) -> None:
    """First a send, then edits of it; what is visible is always whole sentences."""
    await world.gate.handle(
        asked(), channel, Streamer("6 Octo", "ber is open. 13 Oct", "ober is open t", "oo. Which", " one?")
    )

    assert [
        (Operation.SEND, "6 October is open."),
        (Operation.EDIT, "6 October is open. 13 October is open too."),
        (Operation.EDIT, "6 October is open. 13 October is open too. Which one?"),
    ] == [(output.operation, output.text.strip()) for output in channel.performed]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
async def test_a_term_split_over_chunks_never_leaves(world: World, channel: MemoryChannel, size: int) -> None:
    """However the stream is cut, no part of another counterparty's term is ever visible."""
    text = "Both dates are open. We load at the North\u200bwind depot. Which one suits you?"
    streamer = Streamer(*[text[start : start + size] for start in range(0, len(text), size)])

    await world.gate.handle(asked(), channel, streamer)

    assert {"Both dates are open."} == {output.text.strip() for output in channel.performed}
    assert streamer.delivery is not None
    assert Reason.LEAK_SUSPECTED is streamer.delivery.reason
    assert text == world.approvals.drafts[streamer.delivery.draft_id].text


async def test_a_streamed_silence_token_is_held_back(world: World, channel: MemoryChannel) -> None:
    """No prefix of the token is ever shown."""
    await world.gate.handle(asked(), channel, Streamer("NO", "_RE", "PLY"))

    assert {} == counters(channel)
