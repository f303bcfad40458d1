"""`gate_recorder`: a gate in a test, its events in one line, and what it did to be read back."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman import Turn
from dragoman.clock import SECOND
from dragoman.gate.event import ChatKind, EventKind
from dragoman.gate.operations import Operation
from dragoman.gate.parts import File, Parts
from dragoman.gate.ports import Presence, Receipt
from dragoman.identity import Party, Target
from dragoman.testing import GateRecorder, HandClock
from dragoman.testing.by_hand import HandSleep
from dragoman.testing.recorder import Recorders
from dragoman.words import DraftState, Fact, Outcome, Reason

POLICY = """
version = 1

[[targets]]
platform = "matrix"
workspace = "@desk:home.test"
channel = "!shelves:home.test"
audience = "external"

[[targets]]
platform = "memory"
workspace = "desk"
channel = "inside"
audience = "internal"

[[operators]]
platform = "memory"
workspace = "desk"
id = "oper"
"""
INSIDE = "memory/desk/inside"


@pytest.mark.anyio
async def test_silence_counts_nothing(gate_recorder: Recorders) -> None:
    """Who asks nobody is not answered, and nothing outside was asked for anything."""
    bot = gate_recorder(POLICY)
    admission = await bot.says("closing list B")

    assert (Outcome.SILENT, [("silent", "not_requested")]) == (admission.outcome, bot.decisions)
    assert (False, [], []) == (bool(bot.counts), bot.texts, bot.filed)


@pytest.mark.anyio
async def test_a_request_is_answered_and_counted(gate_recorder: Recorders) -> None:
    """A mention is one call of the agent and one send, at the policy's first target, with its reason at the door."""
    bot = gate_recorder(POLICY, "Good evening.")
    await bot.asks("are you there?")

    assert {"agent": 1, "presence": 1, "send": 1} == dict(bot.counts)
    assert (["Good evening."], [("delivered", "released")]) == (bot.texts, bot.releases)
    assert [Target("matrix", "@desk:home.test", "!shelves:home.test")] == [output.target for output in bot.left]


@pytest.mark.anyio
async def test_every_way_out_is_counted(gate_recorder: Recorders) -> None:
    """An agent that does everything leaves its count of everything; each under the name of its operation."""

    async def busy(turn: Turn) -> None:
        await turn.typing()
        await turn.react("👍")
        await turn.reply("A list.", parts=Parts(files=(File(name="list.txt", content=b"boxes"),)))
        await turn.reply("One moment.")
        await turn.edit("Here it is.")

    bot = gate_recorder(POLICY, busy)
    await bot.asks("the list?", at=INSIDE)

    counted = {name: count for name, count in bot.counts.items() if name != "presence"}
    assert {"agent": 1, "typing": 1, "react": 1, "send": 2, "edit": 1} == counted
    assert ["👍", "A list.", "One moment.", "Here it is."] == bot.texts


@pytest.mark.anyio
async def test_what_is_held_is_filed_and_can_be_approved(gate_recorder: Recorders) -> None:
    """A price stays a draft; approved, it leaves once."""
    bot = gate_recorder(POLICY, "A shelf costs 40 EUR.")
    await bot.asks("what does a shelf cost?")
    (draft,) = bot.filed
    assert ([], DraftState.FILED, [("hold", "draft_only_topic")]) == (bot.texts, draft.state, bot.releases)
    delivery = await bot.approves(draft)

    assert delivery is not None
    assert (Fact.YES, ["A shelf costs 40 EUR."]) == (delivery.delivered, bot.texts)
    assert [DraftState.DELIVERED] == [draft.state for draft in bot.filed]


@pytest.mark.anyio
async def test_any_fact_can_be_said(gate_recorder: Recorders) -> None:
    """A direct message, another author, an edit, an operator's command: any field of the event."""
    bot = gate_recorder(POLICY)
    reasons = [
        (await bot.says("are you there?", chat=ChatKind.DIRECT)).reason,
        (await bot.says("hello", by="@other:home.test")).reason,
        (await bot.asks("hello", kind=EventKind.EDIT)).reason,
        (await bot.asks("hello", at="memory/desk/elsewhere")).reason,
        (await bot.says("hello", at=INSIDE, by=Party("memory", "desk", "oper"))).reason,
    ]

    assert [
        Reason.DIRECT_MESSAGE,
        Reason.NOT_REQUESTED,
        Reason.EDIT_NOT_A_REQUEST,
        Reason.ACCESS_DENIED,
        Reason.NOT_REQUESTED,
    ] == reasons


@pytest.mark.anyio
async def test_time_is_set_by_hand(gate_recorder: Recorders) -> None:
    """A request whose attachments are arriving is answered when the quiet time is over, and not a moment before."""
    bot = gate_recorder(POLICY, "A shelf.")
    await bot.asks("what is on the picture?", attachments=1)
    said = [list(bot.texts)]
    for milliseconds in (1_000, 1_000):
        await bot.waits(milliseconds)
        said.append(list(bot.texts))

    assert [[], [], ["A shelf."]] == said
    assert bot.clock.time % SECOND == 0


@pytest.mark.anyio
async def test_a_sleep_by_hand_ends_when_it_is_due() -> None:
    """Whoever sleeps two seconds wakes after two, in however many steps they pass."""
    clock, woken = HandClock(), list[int]()
    sleep = HandSleep(clock)

    async def sleeper() -> None:
        await sleep(2)
        woken.append(clock.time)

    task = asyncio.ensure_future(sleeper())
    for _ in range(4):
        await sleep.pass_time(1_000)
    await task

    assert [clock.time - 2_000] == woken


@pytest.mark.anyio
async def test_a_channel_that_fails(gate_recorder: Recorders) -> None:
    """The platform says no, or nothing: what the test says is what the gate writes down."""
    bot = gate_recorder(POLICY)
    bot.channel().fail(Receipt(delivered=Fact.NO, detail="refused"), Receipt(delivered=Fact.UNKNOWN))
    for number in range(3):
        await bot.asks(f"are you there? {number}")

    assert ["not_delivered", "uncertain", "delivered"] == [outcome for outcome, _ in bot.releases]
    assert 1 == len(bot.texts)


@pytest.mark.anyio
async def test_who_is_there_can_be_said(gate_recorder: Recorders) -> None:
    """An internal target with guests in it is external: what is only for us does not leave."""

    async def agent(turn: Turn) -> None:
        await turn.progress("Half of it is done.")

    bot = gate_recorder(POLICY, agent)
    await bot.asks("how far?", at=INSIDE)
    bot.channel(INSIDE).there = Presence(shared=Fact.YES)
    await bot.asks("and now?", at=INSIDE)

    assert ["Half of it is done."] == bot.texts


@pytest.mark.anyio
async def test_an_agent_that_fails_is_seen(gate_recorder: Recorders) -> None:
    """The counterparty gets the safe sentence; the test gets the exception."""

    async def agent(turn: Turn) -> None:
        raise ValueError("the model is gone")

    bot = gate_recorder(POLICY, agent)
    await bot.asks("are you there?")

    assert ["the model is gone"] == [str(error) for error in bot.failures]
    assert 1 == len(bot.texts)
    assert "model" not in bot.texts[0]


def test_without_async(gate_recorder: Recorders) -> None:
    """A test that is not async does the same by `run`; requests that wait go on waiting between two calls."""
    bot = gate_recorder(POLICY, "A shelf.")
    bot.run(bot.asks("what is on the picture?", attachments=1))
    assert [] == bot.texts
    bot.run(bot.waits(2_000))

    assert ["A shelf."] == bot.texts


@pytest.mark.parametrize("wrong", [{"at": "shelves"}, {"by": " "}, {"at": "a/b/"}])
def test_an_inexact_identity_is_an_error(gate_recorder: Recorders, wrong: dict[str, str]) -> None:
    """A test that names nobody is told, not silently given another place."""
    bot = gate_recorder(POLICY)
    with pytest.raises(ValueError, match="write `"):
        bot.event("hello", **wrong)


def test_a_policy_without_targets() -> None:
    """Where nothing is listed, things are said somewhere that nobody trusts."""
    bot = GateRecorder("version = 1\n")
    asyncio.run(bot.asks("hello"))

    assert [("silent", "access_denied")] == bot.decisions


def test_every_operation_is_recorded() -> None:
    """The recording channel declares every way out that there is."""
    bot = GateRecorder(POLICY)

    assert set(Operation) == set(bot.channel().operations)


# --- the plugin -------------------------------------------------------------------------------------------------------


def pytest_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A pytest of its own, with the entry points of what is installed."""
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(words, capture_output=True, text=True, cwd=folder, check=False)


def test_the_fixture_is_there_for_whoever_installs_dragoman(tmp_path: Path) -> None:
    """Without a conftest, without an import: the plugin registers itself."""
    (tmp_path / "test_mine.py").write_text(
        "def test_mine(gate_recorder):\n"
        "    bot = gate_recorder('version = 1\\nunknown_targets = \"explicit_requests\"\\n', 'Good evening.')\n"
        "    bot.run(bot.asks('hello'))\n"
        "    assert bot.texts == ['Good evening.']\n"
    )
    done = pytest_in(tmp_path)

    assert (0, True) == (done.returncode, "1 passed" in done.stdout), done.stdout


def test_the_plugin_costs_nothing_when_unused(tmp_path: Path) -> None:
    """A run that does not use the fixture loads neither the gate nor hypothesis through it."""
    (tmp_path / "test_mine.py").write_text(
        "import sys\n"
        "def test_mine():\n"
        "    found = {name for name in sys.modules if name.startswith('dragoman')}\n"
        "    assert found == {'dragoman', 'dragoman.testing', 'dragoman.testing.plugin'}\n"
    )
    done = pytest_in(tmp_path)

    assert (0, True) == (done.returncode, "1 passed" in done.stdout), done.stdout
