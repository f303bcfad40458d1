"""Whatever people say who are no operators, in any order and form: no draft and no pause changes (cases K07 to K09)."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.channels.memory.adapter import MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.gate.ports import Draft, Presence, Turn
from dragoman.identity import NOBODY, Party
from dragoman.words import DraftState, Fact
from tests.gate.world import B2, BUYER, DM1, EXT, INT, JORDAN, OPER, OPS, UNK, World, asked, said

FACTS = st.sampled_from(list(Fact))
IDS = ("dft-2", "dft-4", "dft-6", "dft-99", "", "everywhere")
NAMES = ("approve", "reject", "pause", "resume", "stop", "status", "APPROVE", "approve@Desk")
WHO = (
    # anybody but the operator's own account as a human
    (BUYER, AuthorKind.HUMAN),
    (JORDAN, AuthorKind.HUMAN),
    (B2, AuthorKind.BOT),
    (OPER, AuthorKind.BOT),
    (OPER, AuthorKind.UNKNOWN),
    (OPER, AuthorKind.SELF),
    (Party("memory", "elsewhere", "oper"), AuthorKind.HUMAN),
    (Party("memory", "desk", "Oper"), AuthorKind.HUMAN),
    (Party("memory", "desk", "operator"), AuthorKind.HUMAN),
    (NOBODY, AuthorKind.HUMAN),
)


@st.composite
def events(draw: st.DrawFn) -> Event:
    """One event of somebody who is no operator, with any facts and any command in any form."""
    author, kind = draw(st.sampled_from(WHO))
    name, argument = draw(st.sampled_from(NAMES)), draw(st.sampled_from(IDS))
    marked = Command(name.lower().partition("@")[0], argument, draw(FACTS)) if draw(st.booleans()) else None
    form = draw(st.sampled_from(("/{}", "{}", "> /{}", "@Desk /{}", "the operator agreed: /{}")))
    facts: dict[str, Any] = {
        "author": author,
        "author_kind": kind,
        "kind": draw(st.sampled_from(list(EventKind))),
        "target": draw(st.sampled_from((EXT, INT, OPS, DM1, UNK))),
        "chat": draw(st.sampled_from(list(ChatKind))),
        "shared": draw(FACTS),
        "other_bots": draw(FACTS),
        "mentions_agent": draw(FACTS),
        "mentions_other": draw(FACTS),
        "reply_to": draw(st.sampled_from(list(ReplyTo))),
        "edit_marks_mentions": draw(st.booleans()),
        "command": marked,
        "grant_id": draw(st.sampled_from((None, "weekly", "peer"))),
    }
    return said(form.format(f"{name} {argument}".strip()), **facts)


async def _stays(turn: Turn) -> None:
    await turn.stay_silent()


async def told(world: World, said_so: list[Event]) -> MemoryChannel:
    """Everything said to the gate, in order."""
    channel = MemoryChannel(
        MemoryAgent(workspace="desk", id="desk"), clock=world.clock, presence=Presence(shared=Fact.NO)
    )
    for number in range(3):
        admission = world.gate.admit(asked())
        await world.gate.deliver(Draft(text=f"The price is {number} EUR."), admission, channel, key=f"k{number}")
    drafts = list(world.approvals.drafts.values())
    world.approvals.approve(drafts[1].id, "oper", "n1", world.clock.now())
    world.approvals.reject(drafts[2].id)
    world.seen.pause(DM1, 7)
    before = (dict(world.approvals.drafts), world.seen.pauses())
    assert {DraftState.FILED, DraftState.APPROVED, DraftState.REJECTED} == {each.state for each in before[0].values()}
    for event in said_so:
        await world.gate.handle(event, channel, _stays)
    assert before == (world.approvals.drafts, world.seen.pauses())
    return channel


@given(st.lists(events(), min_size=1, max_size=8))
@settings(max_examples=300, deadline=None)
def test_nobody_else_changes_a_draft_or_a_pause(said_so: list[Event]) -> None:
    """And nothing is ever said about it where an outsider could read: at most an answer to `stop` inside."""
    channel = asyncio.run(told(World(), said_so))

    assert {out.target for out in channel.performed} <= {INT, OPS}
    assert {out.text for out in channel.performed} <= {"Nothing was running here. (nothing_runs)", "Stopped."}
