"""The agent's voice: what one turn may say, in how many pieces, and when it is over (spec 1 §5, §6, §7, §11.5-6)."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
import pytest

from dragoman.channels.memory.adapter import Fault, MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent
from dragoman.gate.operations import Operation
from dragoman.gate.parts import Button, Card, Parts
from dragoman.gate.ports import Delivery, Presence, Turn
from dragoman.gate.sentences import Sentence, safe_sentence
from dragoman.words import Fact, Reason, ReleaseOutcome
from tests.gate.world import INT, OPER, World, asked

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
        ("That was Segmentation", "fault, sorry."),
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


# --- parts, progress, marks ------------------------------------------------------------------------------------------

CARD = Parts(cards=(Card(title="Working"),), buttons=(Button(label="Stop"),))
SORRY = safe_sentence(Sentence.FAILED, "en")


def whole(channel: MemoryChannel) -> list[tuple[Operation, str, Parts]]:
    """What arrived on the platform, with its parts."""
    return [(output.operation, output.text, output.parts) for output in channel.performed]


async def test_a_reply_brings_its_parts_and_an_edit_replaces_them(world: World, channel: MemoryChannel) -> None:
    """Text and parts leave as one message; an edit without parts leaves none standing."""

    async def agent(turn: Turn) -> None:
        await turn.reply("6 October is open.", parts=CARD)
        await turn.edit("Both dates are open.")

    await world.gate.handle(asked(), channel, agent)

    assert [
        (Operation.SEND, "6 October is open.", CARD),
        (Operation.EDIT, "Both dates are open.", Parts()),
    ] == whole(channel)
    assert "memory-1" == channel.performed[1].edits


async def test_the_rich_progress_of_a_failed_turn_is_taken_back(world: World, channel: MemoryChannel) -> None:
    """Where nothing final was sent, the safe sentence takes the place of the progress message, blocks and all."""

    async def agent(turn: Turn) -> None:
        await turn.typing()
        await turn.react("👀")
        await turn.progress("Looking.", parts=CARD)
        await turn.progress("Still looking.", parts=CARD)
        raise ValueError("lost the model at /srv/desk")

    await world.gate.handle(asked(target=INT, author=OPER), channel, agent)

    assert [
        (Operation.TYPING, "", Parts()),
        (Operation.REACT, "👀", Parts()),
        (Operation.SEND, "Looking.", CARD),
        (Operation.EDIT, "Still looking.", CARD),
        (Operation.EDIT, SORRY, Parts()),
    ] == whole(channel)
    assert {"memory-3"} == {output.edits for output in channel.performed[3:]}


async def test_what_is_final_is_never_taken_back(world: World, channel: MemoryChannel) -> None:
    """A turn that fails after its answer replaces neither the answer nor the progress before it."""

    async def agent(turn: Turn) -> None:
        await turn.progress("Looking.", parts=CARD)
        await turn.reply("6 October is open.")
        raise ValueError("lost the model")

    await world.gate.handle(asked(target=INT, author=OPER), channel, agent)

    assert [(Operation.SEND, "Looking."), (Operation.SEND, "6 October is open.")] == shown(channel)


async def test_progress_that_cannot_be_edited_is_followed_by_the_sentence(world: World, channel: MemoryChannel) -> None:
    """A platform without edits gets the safe sentence as a message of its own."""
    del channel.operations[Operation.EDIT]  # type: ignore[attr-defined]

    async def agent(turn: Turn) -> None:
        await turn.progress("Looking.")
        raise ValueError("lost the model")

    await world.gate.handle(asked(target=INT, author=OPER), channel, agent)

    assert [(Operation.SEND, "Looking."), (Operation.SEND, SORRY)] == shown(channel)


@pytest.mark.parametrize("voice", ["typing", "react", "progress"])
async def test_outsiders_see_no_sign_of_work(world: World, channel: MemoryChannel, voice: str) -> None:
    """Typing, reactions and progress are internal; the answer goes out all the same."""
    found: list[Delivery] = []

    async def agent(turn: Turn) -> None:
        calls = {
            "typing": turn.typing,
            "react": lambda: turn.react("👍"),
            "progress": lambda: turn.progress("Looking."),
        }
        found.append(await calls[voice]())
        await turn.reply("6 October is open.")

    await world.gate.handle(asked(), channel, agent)

    assert [Reason.CLASS_NOT_ALLOWED] == [delivery.reason for delivery in found]
    assert [(Operation.SEND, "6 October is open.")] == shown(channel)


async def test_a_split_answer_cannot_be_edited(world: World) -> None:
    """What stands in several messages is not replaced in one of them; the refusal is written down."""
    channel = MemoryChannel(
        MemoryAgent(workspace="desk", id="desk"), clock=world.clock, presence=Presence(shared=Fact.NO), max_length=40
    )
    found: list[Delivery] = []

    async def agent(turn: Turn) -> None:
        found.append(await turn.reply("6 October is open. And so is 13 October, if you like."))
        found.append(await turn.edit("Both dates are open."))

    await world.gate.handle(asked(), channel, agent)

    assert [Reason.RELEASED, Reason.TARGET_INVALID] == [delivery.reason for delivery in found]
    assert {Operation.SEND: 2} == dict(channel.counts)


async def test_an_agent_that_takes_too_long_has_failed(world: World, channel: MemoryChannel) -> None:
    """It is cancelled, a stream that never ends included, and the counterparty gets the safe sentence."""
    gate = type(world.gate)(
        policy=world.policy,
        journal=world.journal,
        approvals=world.approvals,
        charges=world.charges,
        seen=world.seen,
        clock=world.clock,
        new_id=lambda kind: f"{kind}-x",
        turn_seconds=0.05,
    )
    reported: list[Exception] = []

    async def endless() -> AsyncIterator[str]:
        while True:
            await anyio.sleep(0.01)
            yield "word "

    async def agent(turn: Turn) -> None:
        await turn.stream(endless())

    await gate.handle(asked(), channel, agent, report=reported.append)

    assert [(Operation.SEND, SORRY)] == shown(channel)
    assert [TimeoutError] == [type(error) for error in reported]


# --- streams on other platforms --------------------------------------------------------------------------------------


async def test_without_edits_the_platforms_own_stream_is_used(world: World, channel: MemoryChannel) -> None:
    """Start, append, stop: each piece is new text only, and together they are the whole."""
    del channel.operations[Operation.EDIT]  # type: ignore[attr-defined]

    async def agent(turn: Turn) -> None:
        await turn.stream(pieces("6 October is open. ", "13 October is open too. ", "Which one?"))

    await world.gate.handle(asked(), channel, agent)

    assert [
        (Operation.STREAM_START, "6 October is open."),
        (Operation.STREAM_APPEND, "13 October is open too."),
        (Operation.STREAM_APPEND, "Which one?"),
        (Operation.STREAM_STOP, ""),
    ] == shown(channel)
    assert "6 October is open. 13 October is open too. Which one?" == "".join(o.text for o in channel.performed)
    assert {"memory-1"} == {output.edits for output in channel.performed[1:]}


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
async def test_a_native_stream_shows_no_part_of_a_term(world: World, channel: MemoryChannel, size: int) -> None:
    """The first hold stops it, files the full text, and closes what stands there."""
    del channel.operations[Operation.EDIT]  # type: ignore[attr-defined]
    text = "Both dates are open. We load at the Northwind depot. Which one suits you?"

    async def agent(turn: Turn) -> None:
        delivery = await turn.stream(pieces(*[text[at : at + size] for at in range(0, len(text), size)]))
        assert Reason.LEAK_SUSPECTED is delivery.reason
        assert text == world.approvals.drafts[delivery.draft_id].text

    await world.gate.handle(asked(), channel, agent)

    assert [(Operation.STREAM_START, "Both dates are open."), (Operation.STREAM_STOP, "")] == shown(channel)


async def test_a_native_stream_that_breaks_is_closed(world: World, channel: MemoryChannel) -> None:
    """The agent fails in the middle: what stands there stays and is marked as ended."""
    del channel.operations[Operation.EDIT]  # type: ignore[attr-defined]

    async def agent(turn: Turn) -> None:
        await turn.stream(broken("6 October is open. ", "13 Octo"))

    await world.gate.handle(asked(), channel, agent)

    assert [(Operation.STREAM_START, "6 October is open."), (Operation.STREAM_STOP, "")] == shown(channel)


async def test_with_neither_the_whole_leaves_once(world: World, channel: MemoryChannel) -> None:
    """A platform that can only send gets one message at the end, as the hub does."""
    for operation in (Operation.EDIT, Operation.STREAM_APPEND):
        del channel.operations[operation]  # type: ignore[attr-defined]

    async def agent(turn: Turn) -> None:
        await turn.stream(pieces("6 October is open. ", "Which one?"))

    await world.gate.handle(asked(), channel, agent)

    assert [(Operation.SEND, "6 October is open. Which one?")] == shown(channel)


async def test_a_stream_outgrows_its_message(world: World) -> None:
    """What an edit could not hold goes on in the next message; together they are the whole."""
    channel = MemoryChannel(
        MemoryAgent(workspace="desk", id="desk"), clock=world.clock, presence=Presence(shared=Fact.NO), max_length=60
    )
    text = "6 October is open. 13 October is open too. Which one suits you? Please tell us. Good morning."

    async def agent(turn: Turn) -> None:
        await turn.stream(pieces(*text))

    await world.gate.handle(asked(), channel, agent)

    last = {output.edits or f"memory-{n}": output.text for n, output in enumerate(channel.performed, 1)}
    assert text == "".join(last.values())
    assert 2 == len(last)
    assert all(len(output.text) <= 60 for output in channel.performed)


async def test_a_long_stream_is_shown_in_ever_larger_steps(world: World, channel: MemoryChannel) -> None:
    """Thousands of sentences cost some hundreds of edits, and all of it arrives."""
    channel = MemoryChannel(
        MemoryAgent(workspace="desk", id="desk"),
        clock=world.clock,
        presence=Presence(shared=Fact.NO),
        max_length=90_000,
    )
    text = "Yes, it is. " * 1_500

    async def agent(turn: Turn) -> None:
        await turn.stream(pieces(*[text[at : at + 12] for at in range(0, len(text), 12)]))

    await world.gate.handle(asked(), channel, agent)

    assert text == channel.performed[-1].text
    assert channel.counts.total() < 250
