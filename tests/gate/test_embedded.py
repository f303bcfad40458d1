"""The life of events in a bot that embeds the gate: bursts, deletions, stops, observation, acknowledgements, shadow."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from dragoman.channels.memory.adapter import MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent
from dragoman.gate.event import AuthorKind, Event, EventKind
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.ports import Presence, Turn
from dragoman.words import Fact, Outcome, OutputClass, Reason
from tests.gate.world import EXT, INT, JORDAN, POLICY, UNK, WORKSPACE, World, asked, said

pytestmark = pytest.mark.anyio

ALBUM = {"album": "a1", "attachments": 1}
QUIET, CAP = 1_500, 10_000


class Desk:
    """A world with a channel, and an agent that keeps what it was asked and says one sentence."""

    def __init__(self, policy: str = POLICY, answer: str = "6 October is open.") -> None:
        self.world = World(parse_policy(policy.encode()))
        self.channel = MemoryChannel(
            MemoryAgent(workspace=WORKSPACE, id="desk"), clock=self.world.clock, presence=Presence(shared=Fact.NO)
        )
        self.turns: list[Turn] = []
        self.answer = answer

    async def agent(self, turn: Turn) -> None:
        """Answer whoever asks."""
        self.turns.append(turn)
        await turn.reply(self.answer)

    async def hear(self, event: Event, agent: Callable[[Turn], Awaitable[None]] | None = None) -> Any:
        """One event arrives; what was decided at once."""
        admission = await self.world.gate.handle(event, self.channel, agent or self.agent)
        return (admission.outcome, admission.reason)

    async def wait(self, milliseconds: int) -> None:
        """Time passes."""
        await self.world.sleep.pass_time(milliseconds)

    @property
    def said(self) -> list[str]:
        """What reached the platform."""
        return [output.text for output in self.channel.performed]


DEFERRED = (Outcome.DEFER, Reason.ATTACHMENT_BURST)
UNASKED = (Outcome.SILENT, Reason.NOT_REQUESTED)


async def test_an_album_is_answered_once() -> None:
    """Three parts, the mention on the first: nothing until it is quiet, then one turn about all of them."""
    desk = Desk()
    assert DEFERRED == await desk.hear(asked("do these fit?", **ALBUM))
    await desk.wait(700)
    assert UNASKED == await desk.hear(said("", **ALBUM))
    await desk.wait(700)
    assert UNASKED == await desk.hear(said("", **ALBUM))
    await desk.wait(QUIET - 1)
    assert [] == desk.said
    await desk.wait(1)

    assert ["6 October is open."] == desk.said
    assert [3] == [turn.event.attachments for turn in desk.turns]


async def test_the_mention_may_come_last() -> None:
    """Parts that asked nothing wait, as facts only, for the sibling that asks."""
    desk = Desk()
    assert UNASKED == await desk.hear(said("", **ALBUM))
    assert DEFERRED == await desk.hear(asked("do these fit?", **ALBUM))
    await desk.wait(QUIET)

    assert [2] == [turn.event.attachments for turn in desk.turns]


async def test_an_album_that_nobody_asked_about_stays_silent() -> None:
    """Attachments alone open nothing, however many come."""
    desk = Desk()
    for _ in range(3):
        assert UNASKED == await desk.hear(said("", **ALBUM))
    await desk.wait(CAP)

    assert ([], []) == (desk.said, desk.turns)
    assert 0 == len(desk.world.bursts.buffers())


async def test_a_late_part_of_an_answered_album_is_no_second_request() -> None:
    """Even where attachments alone are a request (a real one-to-one), an answered album is not answered twice."""
    desk = Desk()
    assert DEFERRED == await desk.hear(asked("do these fit?", **ALBUM))
    await desk.wait(QUIET)
    late = await desk.hear(asked("", **ALBUM))
    await desk.wait(CAP)

    assert (Outcome.REJECTED, Reason.DUPLICATE) == late
    assert 1 == len(desk.said)


async def test_another_author_and_another_thread_are_not_waited_for() -> None:
    """A buffer holds the parts of one author in one thread; others are decided by themselves."""
    desk = Desk()
    await desk.hear(asked("do these fit?", **ALBUM))
    assert (Outcome.RESPOND, Reason.AGENT_MENTIONED) == await desk.hear(asked("when?", author=JORDAN))
    assert (Outcome.RESPOND, Reason.AGENT_MENTIONED) == await desk.hear(asked("and here?", thread="t2"))
    await desk.wait(QUIET)

    assert ["when?", "and here?", "do these fit?"] == [turn.event.body for turn in desk.turns]


async def test_a_text_of_the_same_author_joins_what_is_arriving() -> None:
    """A question that follows its pictures is one request with them."""
    desk = Desk()
    await desk.hear(asked("", attachments=1))
    assert DEFERRED == await desk.hear(asked("do these fit?"))
    await desk.wait(QUIET)

    assert ["do these fit?"] == [turn.event.body for turn in desk.turns]


async def test_a_retry_of_a_waiting_part_is_not_a_second_part() -> None:
    """The platform repeats an event while it waits: it counts once, and is a duplicate afterwards."""
    desk, event = Desk(), asked("do these fit?", **ALBUM)
    await desk.hear(event)
    await desk.hear(event)
    await desk.wait(QUIET)

    assert [1] == [turn.event.attachments for turn in desk.turns]
    assert (Outcome.REJECTED, Reason.DUPLICATE) == await desk.hear(event)


async def test_a_request_that_was_deleted_meanwhile_is_silent() -> None:
    """F11: the mentioning part is deleted before it is quiet, so nothing was asked."""
    desk, asking = Desk(), asked("do these fit?", **ALBUM)
    await desk.hear(asking)
    await desk.hear(said("", **ALBUM))
    await desk.hear(said(kind=EventKind.OTHER, deletes=asking.event_id))
    await desk.wait(CAP)

    assert ([], []) == (desk.said, desk.turns)


async def test_a_forged_deletion_deletes_nothing() -> None:
    """Only an authenticated event of that very target takes a part away."""
    desk, asking = Desk(), asked("do these fit?", **ALBUM)
    await desk.hear(asking)
    await desk.hear(said(kind=EventKind.OTHER, deletes=asking.event_id, authenticated=Fact.NO))
    await desk.hear(said(kind=EventKind.OTHER, deletes=asking.event_id, target=INT))
    await desk.wait(QUIET)

    assert 1 == len(desk.said)


async def test_what_waits_is_taken_up_after_a_restart() -> None:
    """The process ends while a request waits: the next one, with the same stores, answers it once."""
    before, after = Desk(), Desk()
    await before.hear(asked("do these fit?", **ALBUM))
    before.world.gate.close()
    for buffer in before.world.bursts.buffers():
        for part in before.world.bursts.parts(buffer):
            after.world.bursts.add(buffer, part)

    assert 1 == after.world.gate.resume(after.channel, after.agent)
    await after.wait(QUIET)

    assert ["6 October is open."] == after.said
    assert 0 == len(after.world.bursts.buffers())


async def test_what_comes_while_an_album_is_answered_waits_anew() -> None:
    """The next album of the same author is not lost while the first one's turn runs."""
    desk, busy = Desk(), anyio.Event()

    async def slow(turn: Turn) -> None:
        await busy.wait()
        await desk.agent(turn)

    await desk.hear(asked("do these fit?", **ALBUM), slow)
    await desk.wait(QUIET)
    await desk.hear(asked("and these?", album="a2", attachments=2), slow)
    busy.set()
    await desk.wait(QUIET)

    assert ["do these fit?", "and these?"] == [turn.event.body for turn in desk.turns]


OBSERVING = POLICY.replace(
    'audience = "external"\ncounterparty = "acme"',
    'audience = "external"\ncounterparty = "acme"\nobserve_unmentioned_group_messages = true\n'
    'observation_seconds = 60\nobservation_access = "agent"',
    1,
)


async def test_observed_text_reaches_the_next_turn_of_the_same_target_only() -> None:
    """What nobody addressed to the agent is kept where the policy says so, and read there, within its time."""
    desk = Desk(OBSERVING)
    await desk.hear(said("the truck is late"))
    await desk.wait(30_000)
    await desk.hear(said("list B is closed"))
    await desk.hear(said("an internal word", target=INT))
    await desk.wait(31_000)
    await desk.hear(asked("what is new?"))
    await desk.hear(asked("what is new?", target=INT))

    assert [["list B is closed"], []] == [[each.text for each in turn.observed] for turn in desk.turns]


@pytest.mark.parametrize(
    "event",
    [
        said("a bot's word", author_kind=AuthorKind.BOT),
        said("not proven", authenticated=Fact.NO),
        said("an edit", kind=EventKind.EDIT),
        asked("a request"),
    ],
    ids=["bot", "not proven", "edit", "request"],
)
async def test_nothing_else_is_observed(event: Event) -> None:
    """Only silence for want of a request lets a text be kept; never another silence, and never a request."""
    desk = Desk(OBSERVING)
    await desk.hear(event)

    assert [] == desk.world.observations.kept


async def test_operators_only_observation_is_not_read_by_the_agent() -> None:
    """`observation_access = "operators"` keeps the text from every turn."""
    desk = Desk(OBSERVING.replace('"agent"', '"operators"'))
    await desk.hear(said("the truck is late"))
    await desk.hear(asked("what is new?"))

    assert 1 == len(desk.world.observations.kept)
    assert [()] == [turn.observed for turn in desk.turns]


ACKING = POLICY.replace('audience = "internal"', 'audience = "internal"\nnever_silent_ack = true', 1)


async def test_an_acknowledgement_goes_to_an_internal_target_after_respond() -> None:
    """`never_silent_ack`: one short fixed sentence before the agent's turn, and none for what stays silent."""
    desk = Desk(ACKING)
    await desk.hear(said("good morning", target=INT))
    assert [] == desk.said
    await desk.hear(asked(target=INT))

    assert ["On it.", "6 October is open."] == desk.said


async def test_no_acknowledgement_where_an_outsider_listens() -> None:
    """A channel that is shared at this moment is external, whatever the policy calls it."""
    desk = Desk(ACKING)
    desk.channel.presence_of[INT] = Presence(shared=Fact.YES)
    await desk.hear(asked(target=INT, shared=Fact.YES))
    await desk.hear(asked(target=EXT))

    assert "On it." not in desk.said


SHADOW = POLICY.replace("version = 1", 'version = 1\nmode = "shadow"', 1)


async def test_shadow_mode_blocks_nothing_and_tells_what_it_would_have_stopped() -> None:
    """Silence, holds and forbidden classes all pass in shadow; the journal has what would have become of each."""
    desk = Desk(SHADOW, answer="A shelf costs 40 EUR.")
    assert UNASKED == await desk.hear(said("good morning"))
    await desk.hear(asked("what does it cost?"))

    assert ["A shelf costs 40 EUR."] * 2 == desk.said
    outputs = [entry for entry in desk.world.journal.entries if entry.kind == "output"]
    assert [("delivered", "deny", "class_not_allowed"), ("delivered", "hold", "draft_only_topic")] == [
        (entry.outcome, entry.facts["shadow"], entry.facts["shadow_reason"]) for entry in outputs
    ]
    assert {} == desk.world.approvals.drafts


async def test_shadow_mode_says_when_it_would_have_let_it_out() -> None:
    """What is released in shadow is marked as such, so that the report has its whole."""
    desk = Desk(SHADOW, answer="6 October is open.")
    await desk.hear(asked())

    outputs = [entry for entry in desk.world.journal.entries if entry.kind == "output"]
    assert ["send"] == [entry.facts["shadow"] for entry in outputs]
    assert [OutputClass.FINAL] == [entry.output_class for entry in outputs]


async def test_a_tier_lowers_every_target() -> None:
    """`autonomy = "draft_only"`: an answer is filed at a listed target, and at one that the policy does not list."""
    desk = Desk(
        POLICY.replace("version = 1", 'version = 1\nautonomy = "draft_only"\nunknown_targets = "explicit_requests"', 1)
    )
    await desk.hear(asked())
    await desk.hear(asked(target=UNK))

    assert [] == desk.said
    assert [Reason.DRAFT_ONLY_TARGET] * 2 == [draft.reason for draft in desk.world.approvals.drafts.values()]


async def test_shadow_mode_judges_what_it_only_sees() -> None:
    """A live bot without the gate: its own messages that come back are judged by the newest admission there."""
    desk = Desk(SHADOW)
    gate = desk.world.gate
    gate.admit(asked("what does it cost?"))
    gate.admit(said("A shelf costs 40 EUR.", author_kind=AuthorKind.SELF))
    gate.admit(said("6 October is open.", author_kind=AuthorKind.SELF))
    gate.admit(said("Good morning.", author_kind=AuthorKind.SELF, target=INT))

    assert [("hold", "draft_only_topic"), ("send", "released"), ("deny", "no_delivery_authority")] == [
        (entry.facts["shadow"], entry.facts["shadow_reason"])
        for entry in desk.world.journal.entries
        if entry.kind == "output"
    ]
