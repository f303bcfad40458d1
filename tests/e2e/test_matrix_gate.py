"""The gate on Matrix from one end to the other: a real homeserver, real rooms, the real stream, the real door.

Who is answered and who is not, and what a room sees of a stream, of a schedule and of a failure. What it costs and what
a dying server leaves behind is in `test_matrix_counters.py`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.agents.command import CommandHandler
from dragoman.agents.program import Program
from dragoman.gate.parts import File, Parts
from dragoman.gate.ports import Delivery, Turn
from dragoman.gate.sentences import SENTENCES, Sentence
from dragoman.words import DraftState, Outcome, OutputClass, Reason
from tests.e2e.cases import ROOMS_OF_CASES, Ground, answered_cases, silent_cases
from tests.e2e.counting import NOTHING, Counters, executable
from tests.e2e.matrix_world import CLOCK, HELLO, MatrixWorld, scheduled, text, through
from tests.e2e.stories import LEAKY, LEAKY_ACROSS_LINES, LEAKY_AT_A_STOP, LONG, pieces

pytestmark = [pytest.mark.synapse, pytest.mark.slow, pytest.mark.anyio]


# --- who is answered -------------------------------------------------------------------------------------------------


async def test_who_is_answered(world: MatrixWorld) -> None:
    """Each request of the table is answered once, on its own ground; everything else ends without a trace outside."""
    await world.open(*ROOMS_OF_CASES)
    ground = await Ground.lay(world)
    counters = Counters(world.synapse, world.agent)
    turns, said = world.turns, {room: len(world.raw(room)) for room in world.rooms}

    for case in silent_cases(world, ground):
        assert (case.what, case.outcome, case.reason) == (case.what, *await case.play(world))
        assert (case.what, NOTHING) == (case.what, counters.take())
    assert world.turns == turns
    assert {room: len(world.raw(room)) for room in world.rooms} == said

    for case in answered_cases(world, ground):
        assert (case.what, case.outcome, case.reason) == (case.what, *await case.play(world))
        assert (case.what, NOTHING | {"send": 1, "members": 1}) == (case.what, counters.take())
        assert world.bodies(case.room)[-1] == HELLO


async def test_a_third_member_makes_it_a_group(world: MatrixWorld) -> None:
    """One to one every question is answered; from the moment a third person is in, only what is addressed to us."""
    await world.open("direct")
    alone = await world.hears(world.says("buyer", "direct", "which dates?"))
    jordan = world.user("jordan")
    world.synapse.invite(world.buyer, world.rooms["direct"], jordan)
    world.synapse.join(jordan, world.rooms["direct"])
    among = await world.hears(world.says("buyer", "direct", "which dates?"))
    asked = await world.hears(world.says("jordan", "direct", text("which dates?", world.agent)))

    assert [Reason.DIRECT_MESSAGE, Reason.NOT_REQUESTED, Reason.AGENT_MENTIONED] == [
        admission.reason for admission in (alone, among, asked)
    ]
    assert [HELLO, HELLO] == world.bodies("direct")


# --- streams ---------------------------------------------------------------------------------------------------------


def shown(world: MatrixWorld, room: str) -> list[str]:
    """Every text that the room ever showed of us, the first message and each edit of it, in order."""
    return [event["content"].get("m.new_content", event["content"])["body"] for event in world.raw(room)]


def every_string(value: object) -> Iterator[str]:
    """All strings in JSON, ids of events left out."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from () if key == "event_id" else every_string(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from every_string(inner)
    elif isinstance(value, str):
        yield value


def whole_sentences(part: str, whole: str) -> bool:
    """Whether `part` is a beginning of `whole` that ends where a sentence does."""
    rest = whole[len(part) :]
    return whole.startswith(part) and part.rstrip()[-1] in ".!?" and (part[-1].isspace() or rest[:1] in ("", " ", "\n"))


async def test_a_long_answer_grows_in_one_message(world: MatrixWorld) -> None:
    """2,000 characters in chunks of 30: one message, edited; each state of it whole sentences, the last one all."""
    await world.open("group")

    async def agent(turn: Turn) -> None:
        await turn.stream(pieces(LONG, 30))

    world.answers = lambda event: agent
    asked = world.says("buyer", "group", text("how is the hall laid out?", world.agent))
    await world.hears(asked)
    events, states = world.raw("group"), shown(world, "group")
    first, edits = events[0], events[1:]

    assert len(LONG) >= 2_000
    assert first["content"]["m.relates_to"] == {"m.in_reply_to": {"event_id": asked}}
    assert {("m.replace", first["event_id"])} == {
        (edit["content"]["m.relates_to"]["rel_type"], edit["content"]["m.relates_to"]["event_id"]) for edit in edits
    }
    assert len(states) >= 20
    assert [] == [state for state in states if not whole_sentences(state, LONG)]
    assert sorted(states, key=len) == states
    assert states[-1] == LONG
    final = world.synapse.event(world.buyer, world.rooms["group"], first["event_id"])
    assert final["unsigned"]["m.relations"]["m.replace"]["content"]["m.new_content"]["body"] == LONG


@pytest.mark.parametrize(
    ("story", "guarded", "size"),
    [
        (LEAKY, "northwind depot", 7),
        (LEAKY, "northwind depot", 1),
        (LEAKY_AT_A_STOP, "prof. voss", 3),
        (LEAKY_ACROSS_LINES, "northwind depot", 4),
    ],
    ids=["in chunks", "letter by letter", "a name with a full stop", "a name over two lines"],
)
async def test_a_guarded_name_never_begins_to_show(world: MatrixWorld, story: str, guarded: str, size: int) -> None:
    """Another customer's name arrives in pieces: no event of the room ever holds four letters of it; it is filed."""
    await world.open("group")

    async def agent(turn: Turn) -> None:
        await turn.stream(pieces(story, size))

    world.answers = lambda event: agent
    await world.hears(world.says("buyer", "group", text("who has the forms?", world.agent)))
    seen = [string.casefold() for event in world.raw("group") for string in every_string(event["content"])]

    assert shown(world, "group")[-1] == "The returns are looked after by Jordan. The forms lie at the reception."
    assert [] == [string for string in seen if guarded[:4] in string]
    assert [(story, Reason.LEAK_SUSPECTED, DraftState.FILED, False)] == [
        (draft.text, draft.reason, draft.state, draft.approvable) for draft in world.approvals.drafts.values()
    ]


# --- schedules -------------------------------------------------------------------------------------------------------


async def test_a_schedule_speaks_as_often_as_granted(world: MatrixWorld) -> None:
    """Two sends are granted for two rooms together: two leave, the third firing is silent; no other room gets any."""
    weekly = 'id = "weekly"\npurpose = "schedule"\nmax_total = 2\ntargets = [TARGET(group), TARGET(unlisted)]'
    await world.open("group", "unlisted", "pair", grants=(weekly,))
    counters = Counters(world.synapse, world.agent)
    fired = [("group", None), ("pair", "weekly"), ("group", "weekly"), ("unlisted", "weekly"), ("group", "weekly")]
    reasons, counts = [], []
    for number, (room, grant) in enumerate(fired):
        admission = await world.judge(scheduled(world.here(room), f"tick-{number}", grant))
        reasons.append(admission.reason)
        counts.append(counters.take()["send"])

    no, yes = Reason.SYNTHETIC_WITHOUT_GRANT, Reason.OPERATOR_REQUESTED
    assert [no, no, yes, yes, no] == reasons
    assert [0, 0, 1, 1, 0] == counts
    assert {"group": [HELLO], "unlisted": [HELLO], "pair": []} == {room: world.bodies(room) for room in world.rooms}
    assert world.raw("group")[0]["content"] == {"msgtype": "m.notice", "body": HELLO, "m.mentions": {}}


async def test_a_talkative_schedule_is_cut_off(world: MatrixWorld) -> None:
    """The grant pays per send, not per firing: an agent that speaks five times under a grant of two is heard twice."""
    await world.open("group", grants=('id = "weekly"\npurpose = "schedule"\nmax_total = 2\ntargets = [TARGET(group)]',))
    deliveries: list[Delivery] = []

    async def agent(turn: Turn) -> None:
        deliveries.extend([await turn.reply(f"{HELLO} Reminder {letter}.") for letter in "ABCDE"])

    world.answers = lambda event: agent
    await world.judge(scheduled(world.here("group"), "tick", "weekly"))

    assert [Reason.RELEASED] * 2 + [Reason.GRANT_SPENT] * 3 == [delivery.reason for delivery in deliveries]
    assert [f"{HELLO} Reminder A.", f"{HELLO} Reminder B."] == world.bodies("group")


# --- failures --------------------------------------------------------------------------------------------------------


async def test_a_failed_turn_says_one_fixed_sentence(world: MatrixWorld) -> None:
    """Whatever the agent's error says, the room reads our sentence in its own language, and nothing where silent."""
    await world.open("group", "chinese")

    async def agent(turn: Turn) -> None:
        raise RuntimeError("401 from the model: key sk-live-abcdef0123456789abcdef in /srv/desk/keys.toml")

    world.answers = lambda event: agent
    for room in ("group", "chinese"):
        await world.hears(world.says("buyer", room, text("which dates?", world.agent)))
        await world.hears(world.says("buyer", room, "closing list B"))

    failed = SENTENCES[Sentence.FAILED]
    assert {"group": [failed["en"]], "chinese": [failed["zh"]]} == {room: world.bodies(room) for room in world.rooms}
    assert [OutputClass.SAFE_ERROR] * 2 == [e.output_class for e in world.journal.entries if e.kind == "output"]
    assert [("turn_failed", "RuntimeError"), ("sending", Reason.RELEASED)] * 2 == [
        (entry.outcome, entry.reason) for entry in world.journal.entries if entry.kind == "life"
    ]
    assert "sk-live" not in repr(world.journal.entries)


async def test_half_a_turn_and_no_turn(world: MatrixWorld) -> None:
    """An agent that failed after it had spoken says no more; one that answers with the silence token says nothing."""
    await world.open("group")

    async def half(turn: Turn) -> None:
        await turn.reply(HELLO)
        raise RuntimeError("lost")

    async def token(turn: Turn) -> None:
        await turn.reply(" NO_REPLY ")
        await turn.stream(pieces("NO_REPLY", 2))

    for agent in (half, token):
        world.answers = lambda event, agent=agent: agent  # type: ignore[misc]
        admission = await world.hears(world.says("buyer", "group", text("which dates?", world.agent)))
        assert admission.outcome is Outcome.RESPOND
    assert [HELLO] == world.bodies("group")


async def test_a_failed_command_says_one_fixed_sentence(world: MatrixWorld, tmp_path: Path) -> None:
    """A handler's process that ends badly: one start is counted, and what it printed is nowhere in the room."""
    await world.open("group")
    starts = tmp_path / "starts"
    path = executable(tmp_path, starts, "-c", "print('Traceback: secret'); raise SystemExit(3)")
    world.answers = through(CommandHandler(Program([str(path)], environment=os.environ, workdir=tmp_path)))
    counters = Counters(world.synapse, world.agent, starts=starts)
    await world.hears(world.says("buyer", "group", "closing list B"))
    silent = counters.take()
    await world.hears(world.says("buyer", "group", text("which dates?", world.agent)))

    assert silent == NOTHING
    assert counters.take() == NOTHING | {"send": 1, "members": 1, "processes": 1}
    assert [SENTENCES[Sentence.FAILED]["en"]] == world.bodies("group")


# --- files -----------------------------------------------------------------------------------------------------------

SHELF = Parts(files=(File(name="shelf.png", content=b"\x89PNG\r\n\x00", media_type="image/png", caption="The shelf."),))


async def test_a_picture_goes_outside_only_after_an_approval(world: MatrixWorld) -> None:
    """Our own people see text and picture at once; the counterparty after the operator let out exactly both, once."""
    await world.open("group", "internal")
    deliveries: list[Delivery] = []

    async def agent(turn: Turn) -> None:
        await turn.typing()
        await turn.react("👀")
        deliveries.append(await turn.reply("Here it is.", parts=SHELF))

    world.answers = lambda event: agent
    counters = Counters(world.synapse, world.agent)
    await world.hears(world.says("oper", "internal", text("the shelf?", world.agent)))
    inside = counters.take()
    await world.hears(world.says("buyer", "group", text("the shelf?", world.agent)))
    outside, draft_id = counters.take(), deliveries[1].draft_id
    world.approvals.approve(draft_id, "oper", "nonce-1", CLOCK.now())
    for key in ("r1", "r2"):
        await world.gate.deliver_approved(draft_id, world.channel, key=key)

    assert [Reason.RELEASED, Reason.UNCHECKED_CONTENT] == [delivery.reason for delivery in deliveries]
    # a text, a picture and a reaction leave by the same address
    assert {"typing": 1, "send": 3, "media": 1} == {
        k: v for k, v in inside.items() if v and k not in ("members", "state")
    }
    assert NOTHING == {**outside, "members": 0}
    assert ["Here it is.", "The shelf."] == world.bodies("internal")
    assert ["Here it is.", "The shelf."] == world.bodies("group")
    assert DraftState.DELIVERED is world.approvals.drafts[draft_id].state
