"""The agent's voice: what one turn may say, in how many pieces, and when it is over (spec 1 §5, §6, §7, §11.5-6)."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from dragoman.channels.memory.adapter import Fault, MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent
from dragoman.gate.ports import Delivery, Operation, Presence, Turn
from dragoman.words import Fact, Reason, ReleaseOutcome
from tests.gate.world import World, asked

pytestmark = pytest.mark.anyio


@pytest.fixture
def world() -> World:
    """A fresh gate."""
    return World()


@pytest.fixture
def channel(world: World) -> MemoryChannel:
    """A memory channel without outsiders."""
    agent = MemoryAgent(workspace="desk", id="desk")
    return MemoryChannel(agent, clock=world.clock, presence=Presence(shared=Fact.NO))


def shown(channel: MemoryChannel) -> list[tuple[Operation, str]]:
    """What arrived on the platform."""
    return [(output.operation, output.text.strip()) for output in channel.performed]


async def pieces(*parts: str) -> AsyncIterator[str]:
    """A stream of text."""
    for part in parts:
        yield part


async def broken(*parts: str) -> AsyncIterator[str]:
    """A stream that breaks off with an error."""
    for part in parts:
        yield part
    raise ValueError("lost the model at /srv/desk")


async def test_a_kept_turn_says_nothing_more(world: World, channel: MemoryChannel) -> None:
    """A late background result needs a grant: the turn that an agent kept is over when the agent is."""
    kept: list[Turn] = []

    async def agent(turn: Turn) -> None:
        kept.append(turn)

    await world.gate.handle(asked(), channel, agent)
    late = await kept[0].reply("Both dates are open.")
    streamed = await kept[0].stream(pieces("Both dates ", "are open. Which one?"))

    assert [Reason.ADMISSION_EXPIRED] * 2 == [late.reason, streamed.reason]
    assert [] == shown(channel)


async def test_silence_that_was_chosen_is_kept(world: World, channel: MemoryChannel) -> None:
    """After `stay_silent` the turn is over: neither a later reply nor a failure makes a sound."""

    async def agent(turn: Turn) -> None:
        await turn.stay_silent()
        await turn.reply("Both dates are open.")
        raise ValueError("too late")

    await world.gate.handle(asked(), channel, agent)

    assert [] == shown(channel)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("We load at the Northwind", "depot, as always."),
        ("We load at the North", "wind depot, as always."),
        ("The name is Kestrel", "7 as agreed."),
        ("Write to the desk, the password is", "hunter2!x, thank you."),
    ],
)
async def test_a_leak_cut_in_two_by_two_sends_is_held(
    world: World, channel: MemoryChannel, first: str, second: str
) -> None:
    """What was shown is part of what the next send is checked with: length splits change nothing (spec 1 §5)."""
    deliveries: list[Delivery] = []

    async def agent(turn: Turn) -> None:
        deliveries.extend([await turn.reply(first), await turn.reply(second)])

    await world.gate.handle(asked(), channel, agent)

    assert [ReleaseOutcome.SEND, ReleaseOutcome.HOLD] == [delivery.outcome for delivery in deliveries]
    assert [(Operation.SEND, first)] == shown(channel)


async def test_sends_that_complete_nothing_go_out(world: World, channel: MemoryChannel) -> None:
    """The positive control: two harmless sends, of which the second even begins like a foreign term, both leave."""

    async def agent(turn: Turn) -> None:
        await turn.reply("6 October is open.")
        await turn.reply("Northern gate, please.")

    await world.gate.handle(asked(), channel, agent)

    assert 2 == len(channel.performed)


async def test_a_stream_whose_first_piece_is_uncertain_stops(world: World, channel: MemoryChannel) -> None:
    """A lost answer is never repeated: the rest of the stream does not send the first sentence again."""
    channel.plan(Fault.ANSWER_LOST)
    found: list[Delivery] = []

    async def agent(turn: Turn) -> None:
        found.append(await turn.stream(pieces("6 October is open. ", "13 October is open too. ", "Which one?")))

    await world.gate.handle(asked(), channel, agent)

    assert [(Operation.SEND, "6 October is open.")] == shown(channel)
    assert [Fact.UNKNOWN] == [delivery.delivered for delivery in found]


async def test_a_stream_whose_first_piece_was_refused_goes_on(world: World, channel: MemoryChannel) -> None:
    """What provably did not leave may be sent with the next piece."""
    channel.plan(Fault.REFUSED)

    async def agent(turn: Turn) -> None:
        await turn.stream(pieces("6 October is open. ", "Which one?"))

    await world.gate.handle(asked(), channel, agent)

    assert [(Operation.SEND, "6 October is open. Which one?")] == shown(channel)


async def test_a_finished_stream_is_not_edited_into_itself(world: World, channel: MemoryChannel) -> None:
    """When the last sentence has left already, closing the stream changes nothing on the platform."""

    async def agent(turn: Turn) -> None:
        await turn.stream(pieces("6 October is open.\n", "Which one?\n"))

    await world.gate.handle(asked(), channel, agent)

    assert [
        (Operation.SEND, "6 October is open."),
        (Operation.EDIT, "6 October is open.\nWhich one?"),
    ] == shown(channel)


async def test_a_stream_that_breaks_adds_no_safe_sentence(world: World, channel: MemoryChannel) -> None:
    """What was shown stays; the unfinished rest is dropped and no apology follows."""

    async def agent(turn: Turn) -> None:
        await turn.stream(broken("6 October is open. ", "13 Octo"))

    await world.gate.handle(asked(), channel, agent)

    assert [(Operation.SEND, "6 October is open.")] == shown(channel)


@pytest.mark.parametrize(
    "text", ["**NO_REPLY**", "NO_REPLY.", "NO_REPLY\n\nBoth dates are open.", "I will say `NO_REPLY`."]
)
async def test_the_marker_of_silence_never_shows(world: World, channel: MemoryChannel, text: str) -> None:
    """A careless model that dresses the token up, or talks on after it, shows nothing of it."""
    found: list[Delivery] = []

    async def agent(turn: Turn) -> None:
        found.extend([await turn.reply(text), await turn.stream(pieces(text[:4], text[4:]))])

    await world.gate.handle(asked(), channel, agent)

    assert [Reason.CLASS_NOT_ALLOWED] * 2 == [delivery.reason for delivery in found]
    assert [] == shown(channel)


async def test_an_edit_of_nothing_is_silence(world: World, channel: MemoryChannel) -> None:
    """There is nothing to replace before something was sent."""

    async def agent(turn: Turn) -> None:
        await turn.edit("Both dates are open.")

    await world.gate.handle(asked(), channel, agent)

    assert [] == shown(channel)
