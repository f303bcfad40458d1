"""The failure reports about output that need a turn, an approval or a platform that fails: at the door itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from dragoman.channels.memory.adapter import Fault, MemoryChannel
from dragoman.errors import DragomanError
from dragoman.gate.gate import Gate
from dragoman.gate.in_memory import MemoryApprovals
from dragoman.gate.parts import Parts
from dragoman.gate.ports import Draft, Filed, Operation, Turn
from dragoman.gate.sentences import Sentence, safe_sentence
from dragoman.words import DraftState, Fact, OutputClass, Reason, ReleaseOutcome
from tests.cases.reports import Report
from tests.gate.draft_parts import PICTURE, PLACES
from tests.gate.world import DM1, EXT, INT, World, asked, counting_ids, said

pytestmark = pytest.mark.anyio

PRICE = "Our rate is 12 euros per unit."
FOREIGN = "They also supply the Northwind depot."
PATH = "It lies in /srv/desk/list.yaml."
PLAIN = "Good morning."
FAILED = safe_sentence(Sentence.FAILED, "en")


def shown(channel: MemoryChannel) -> list[str]:
    """Every text that arrived on the platform."""
    return [output.text for output in channel.performed]


async def test_a15_an_exception_is_no_text(world: World, channel: MemoryChannel, scenarios: dict[str, Report]) -> None:
    """Neither the type nor the words of an error reach the chat: the safe sentence does."""
    scenarios["A15"].quoted("SEND-SAFE; neither type name nor message in the payload")

    async def agent(turn: Turn) -> None:
        raise ValueError("token sk-live-abcdefghijklmnop1234 refused")

    await world.gate.handle(asked(), channel, agent)

    assert [FAILED] == shown(channel)


@pytest.mark.parametrize("after", ["before the gate", "after the gate"])
async def test_a16_a_muted_turn_stays_silent(
    world: World, channel: MemoryChannel, scenarios: dict[str, Report], after: str
) -> None:
    """A failure around a silent event earns nobody a safe sentence."""
    scenarios["A16"].quoted("still silent: no safe_error for a muted turn")

    async def agent(turn: Turn) -> None:
        raise ValueError(after)

    admission = await world.gate.handle(said("closing list B"), channel, agent)
    await world.gate.deliver(Draft(text=FAILED, output_class=OutputClass.SAFE_ERROR), admission, channel, key="k")

    assert [] == shown(channel)


async def test_a17_a_safe_error_takes_no_media_along(
    world: World, channel: MemoryChannel, scenarios: dict[str, Report]
) -> None:
    """The result failed with a picture attached: the fixed sentence leaves alone, the picture never."""
    scenarios["A17"].quoted("zero media uploads")
    admission = world.gate.admit(asked())
    draft = Draft(text=FAILED, output_class=OutputClass.SAFE_ERROR, parts=Parts(files=(PICTURE,)))
    together = await world.gate.deliver(draft, admission, channel, key="k1")

    async def agent(turn: Turn) -> None:
        raise ValueError("the picture is in /srv/desk/out.png")

    await world.gate.handle(asked(), channel, agent)

    assert ReleaseOutcome.DENY is together.outcome
    assert [(Operation.SEND, FAILED, 0)] == [
        (output.operation, output.text, len(output.parts.files)) for output in channel.performed
    ]


@pytest.mark.parametrize("place", PLACES)
async def test_a22_every_text_of_a_part_is_checked(
    world: World, channel: MemoryChannel, scenarios: dict[str, Report], place: str
) -> None:
    """Another counterparty's term in a caption, name, alt text, option, label or field holds the whole."""
    scenarios["A22"].quoted(
        "caption, file name, alt text, poll options, button labels and card fields are all classified"
    )
    draft = Draft(text=PLAIN, parts=PLACES[place]("Kestrel-7"))

    delivery = await world.gate.deliver(draft, world.gate.admit(asked()), channel, key="k")

    assert (ReleaseOutcome.HOLD, Reason.LEAK_SUSPECTED) == (delivery.outcome, delivery.reason)
    assert 0 == channel.counts.total()


@pytest.mark.parametrize("text", ["NO_REPLY", " NO_REPLY\n"])
async def test_b07_the_marker_with_a_file_is_silence(
    world: World, channel: MemoryChannel, scenarios: dict[str, Report], text: str
) -> None:
    """A final that is the marker and one generated file: nothing leaves, by the turn or by the door."""
    scenarios["B07"].quoted("no send on ext")
    parts = Parts(files=(PICTURE,))

    async def agent(turn: Turn) -> None:
        await turn.reply(text, parts=parts)

    await world.gate.handle(asked(), channel, agent)
    await world.gate.deliver(Draft(text=text, parts=parts), world.gate.admit(asked()), channel, key="k")

    assert 0 == channel.counts.total()


async def test_b02_an_aborted_stream_flushes_nothing(
    world: World, channel: MemoryChannel, scenarios: dict[str, Report]
) -> None:
    """The held beginning of the token is dropped on abort, not sent after all."""
    scenarios["B02"].quoted("zero output on abort")

    async def pieces() -> AsyncIterator[str]:
        yield "NO_"
        raise asyncio.CancelledError

    async def agent(turn: Turn) -> None:
        await turn.stream(pieces())

    with pytest.raises(asyncio.CancelledError):
        await world.gate.handle(asked(), channel, agent)

    assert 0 == channel.counts.total()


async def test_g01_every_edit_passes_the_gate(
    world: World, channel: MemoryChannel, scenarios: dict[str, Report]
) -> None:
    """A text that could not be sent cannot be edited in."""
    scenarios["G01"].quoted("gate called on every edit")

    async def agent(turn: Turn) -> None:
        await turn.reply(PLAIN)
        for text in (PATH, PRICE, FOREIGN):
            await turn.edit(text)

    await world.gate.handle(asked(), channel, agent)

    assert [PLAIN] == shown(channel)


async def test_g11_a_denial_is_no_delivery(world: World, channel: MemoryChannel, scenarios: dict[str, Report]) -> None:
    """What was filtered is not performed, not repeated, and not written down as delivered."""
    scenarios["G11"].quoted("not mirrored as assistant message; not retried")
    admission = world.gate.admit(asked())

    delivery = await world.gate.deliver(Draft(text="We paid the deposit."), admission, channel, key="k")

    assert (Fact.NO, 0) == (delivery.delivered, channel.counts.total())
    assert ["respond", "deny"] == [entry.outcome for entry in world.journal.entries]


@pytest.mark.parametrize("case", ["H11", "H18"])
async def test_a_reply_goes_to_its_origin(
    world: World, channel: MemoryChannel, scenarios: dict[str, Report], case: str
) -> None:
    """Another target in between, granted or not, changes nothing about where a reply goes."""
    scenarios[case].quoted(
        {"H11": "reply goes to the origin of the request", "H18": "cross-target send SEND-DENY"}[case]
    )
    admission = world.gate.admit(asked(target=DM1))
    tool = await world.gate.deliver(Draft(text=PLAIN), world.policy.grants["weekly"], channel, key="t", target=EXT)
    stray = await world.gate.deliver(Draft(text=PLAIN), admission, channel, key="s", target=EXT)
    reply = await world.gate.deliver(Draft(text=PLAIN), admission, channel, key="r")

    assert [Fact.YES, Fact.NO, Fact.YES] == [tool.delivered, stray.delivered, reply.delivered]
    assert Reason.OTHER_TARGET is stray.reason
    assert [EXT, DM1] == [output.target for output in channel.performed]


async def test_h24_a_spent_grant_sends_nothing(
    world: World, channel: MemoryChannel, scenarios: dict[str, Report]
) -> None:
    """A grant of two pays for two sends, whatever became of them."""
    scenarios["H24"].quoted("SEND-DENY/no_grant*")
    channel.plan(None, Fault.VANISHED)
    grant = world.policy.grants["weekly"]

    found = [
        await world.gate.deliver(Draft(text=PLAIN), grant, channel, key=f"k{number}", target=EXT) for number in range(3)
    ]

    assert [Reason.RELEASED, Reason.RELEASED, Reason.GRANT_SPENT] == [delivery.reason for delivery in found]
    assert 2 == channel.counts.total()


async def test_k11_an_edited_draft_is_another_draft(
    world: World, channel: MemoryChannel, scenarios: dict[str, Report]
) -> None:
    """An approval is for one exact text: after an edit it releases nothing."""
    scenarios["K11"].quoted("release nothing")
    admission = world.gate.admit(asked())
    filed = await world.gate.deliver(Draft(text=PRICE), admission, channel, key="k")
    assert world.approvals.approve(filed.draft_id, "oper", "n1", world.clock.now())
    draft = world.approvals.drafts[filed.draft_id]
    world.approvals.drafts[filed.draft_id] = msgspec.structs.replace(draft, text="Our rate is 9 euros per unit.")

    assert await world.gate.deliver_approved(filed.draft_id, channel, key="k2") is None
    assert [] == shown(channel)


async def test_l01_an_unknown_outcome_is_not_repeated(
    world: World, channel: MemoryChannel, scenarios: dict[str, Report]
) -> None:
    """An approved draft whose send was not answered stays uncertain; a second attempt finds nothing to claim."""
    scenarios["L01"].quoted("outcome_unknown*; not re-sent")
    filed = await world.gate.deliver(Draft(text=PRICE), world.gate.admit(asked()), channel, key="k")
    world.approvals.approve(filed.draft_id, "oper", "n1", world.clock.now())
    channel.plan(Fault.ANSWER_LOST)

    first = await world.gate.deliver_approved(filed.draft_id, channel, key="k2")

    assert first is not None
    assert Fact.UNKNOWN is first.delivered
    assert await world.gate.deliver_approved(filed.draft_id, channel, key="k3") is None
    assert (DraftState.UNCERTAIN, 1) == (world.approvals.drafts[filed.draft_id].state, channel.counts.total())


async def test_q04_approval_does_not_lift_a_hard_stop(
    world: World, channel: MemoryChannel, scenarios: dict[str, Report]
) -> None:
    """There is no draft to approve: a hard stop is denied and dropped, inside as well as outside."""
    scenarios["Q04"].quoted("approval does not lift it")
    for target in (EXT, INT):
        admission = world.gate.admit(asked(target=target))
        delivery = await world.gate.deliver(Draft(text="I have signed the order."), admission, channel, key="k")
        assert (Reason.HARD_STOP, "") == (delivery.reason, delivery.draft_id)

    assert {} == world.approvals.drafts


async def test_q07_approval_does_not_lift_a_leak(
    world: World, channel: MemoryChannel, scenarios: dict[str, Report]
) -> None:
    """A draft with another counterparty's term can be rejected, never approved; price or not."""
    scenarios["Q07"].quoted("HOLD/leak_suspected* (approval does not waive)")
    admission = world.gate.admit(asked())
    filed = await world.gate.deliver(Draft(text=f"{PRICE} {FOREIGN}"), admission, channel, key="k")

    assert Reason.LEAK_SUSPECTED is filed.reason
    with pytest.raises(DragomanError, match="draft_not_approvable"):
        world.approvals.approve(filed.draft_id, "oper", "n1", world.clock.now())
    assert await world.gate.deliver_approved(filed.draft_id, channel, key="k2") is None


class _Broken(MemoryApprovals):
    """A store that cannot be written."""

    def file(self, draft: Filed) -> None:
        """Fail."""
        raise OSError("disk full")


async def test_q10_a_failing_store_sends_nothing(channel: MemoryChannel, scenarios: dict[str, Report]) -> None:
    """A draft that cannot be filed is still held: the counterparty sees neither it nor a sentence about it."""
    scenarios["Q10"].quoted("HOLD; no fall-back send; no message to EXT")
    whole = World()
    gate = Gate(
        policy=whole.policy,
        journal=whole.journal,
        approvals=_Broken(),
        charges=whole.charges,
        seen=whole.seen,
        clock=whole.clock,
        new_id=counting_ids(),
    )

    async def agent(turn: Turn) -> None:
        await turn.reply(PRICE)

    await gate.handle(asked(), channel, agent)

    assert [] == shown(channel)
