"""The platform-shaped failure reports that need several steps, or a platform that fails: at the door itself."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from dragoman.channels.memory.adapter import Fault, MemoryChannel
from dragoman.gate.ports import Draft, Turn
from dragoman.gate.sentences import Sentence, safe_sentence
from dragoman.words import Fact, OutputClass, Reason, ReleaseOutcome
from tests.cases.reports import Report
from tests.gate.world import DM1, EXT, World, asked


@pytest.mark.anyio
@pytest.mark.parametrize("index", range(3))
async def test_c039_a_failure_is_one_constant_sentence(
    world: World, channel: MemoryChannel, cases: dict[str, Report], index: int
) -> None:
    """Whatever the agent raised, the counterparty reads the safe sentence, and the journal holds no word of it."""
    case = cases["C039"]
    case.quoted("External text is one constant safe sentence")
    words = case.at(f"exceptions/{index}")

    async def agent(turn: Turn) -> None:
        raise RuntimeError(words)

    await world.gate.handle(asked(), channel, agent)

    assert [safe_sentence(Sentence.FAILED, "en")] == [output.text for output in channel.performed]
    assert [] == [entry for entry in world.journal.entries if words[:20] in repr(entry)]


@pytest.mark.anyio
@pytest.mark.parametrize("case_id", ["C018", "C045"])
async def test_a_result_goes_to_its_own_target(
    world: World, channel: MemoryChannel, cases: dict[str, Report], case_id: str
) -> None:
    """A late result cannot be handed to whoever wrote last: the admission it answers names one target."""
    case = cases[case_id]
    case.quoted({"C018": "Zero sends of it to 5100000002", "C045": "at send time a mismatch blocks"}[case_id])
    first = world.gate.admit(asked(target=DM1, dedupe_key=f"{case_id}-1"))
    world.gate.admit(asked(target=EXT, dedupe_key=f"{case_id}-2"))

    wrong = await world.gate.deliver(Draft(text="It is on its way."), first, channel, key="k1", target=EXT)
    right = await world.gate.deliver(Draft(text="It is on its way."), first, channel, key="k2")

    assert (ReleaseOutcome.DENY, Reason.OTHER_TARGET) == (wrong.outcome, wrong.reason)
    assert ([DM1], Fact.YES) == ([output.target for output in channel.performed], right.delivered)


@pytest.mark.anyio
async def test_c018_an_outlived_decision_delivers_nothing(
    world: World, channel: MemoryChannel, cases: dict[str, Report]
) -> None:
    """A background result that comes after its admission ended needs a grant, and is not sent."""
    cases["C018"].quoted("if that decision or target is no longer valid the result is held for the owner")
    admission = world.gate.admit(asked(target=DM1))
    world.clock.time = admission.expires_at

    late = await world.gate.deliver(Draft(text="It is on its way."), admission, channel, key="k1")

    assert (Reason.ADMISSION_EXPIRED, []) == (late.reason, channel.performed)


@pytest.mark.anyio
async def test_c053_a_failed_send_is_not_rerouted(
    world: World, channel: MemoryChannel, cases: dict[str, Report]
) -> None:
    """Refused or unanswered, one call was made, to the one target, and nothing else follows."""
    cases["C053"].quoted("An uncertain failure (timeout) is likewise not rerouted")
    for fault, delivered in ((Fault.REFUSED, Fact.NO), (Fault.VANISHED, Fact.UNKNOWN)):
        channel.plan(fault)
        grant = world.policy.grants["weekly"]
        delivery = await world.gate.deliver(Draft(text="Good morning."), grant, channel, key=fault, target=EXT)
        assert delivered is delivery.delivered

    assert (2, []) == (channel.counts.total(), channel.performed)


@pytest.mark.anyio
async def test_c056_only_evidence_is_delivery(world: World, channel: MemoryChannel, cases: dict[str, Report]) -> None:
    """Suppressed, delivered, unknown and nothing to send are four different records."""
    cases["C056"].quoted("d1 suppressed, d2 delivered (platform message id kept)")
    cases["C056"].quoted("d5 nothing_to_send")
    channel.plan(None, Fault.VANISHED)
    admission = world.gate.admit(asked())
    drafts = {
        "d1": Draft(text="Thinking.", output_class=OutputClass.REASONING),
        "d2": Draft(text="Good morning."),
        "d4": Draft(text="Good evening."),
        "d5": Draft(text=""),
    }

    found = {name: await world.gate.deliver(draft, admission, channel, key=name) for name, draft in drafts.items()}

    assert {"d1": Fact.NO, "d2": Fact.YES, "d4": Fact.UNKNOWN, "d5": Fact.NO} == {
        name: delivery.delivered for name, delivery in found.items()
    }
    outputs = [entry.outcome for entry in world.journal.entries if entry.kind == "output"]
    assert ["deny", "delivered", "uncertain", "deny"] == outputs
    assert "memory-1" == found["d2"].evidence


@pytest.mark.anyio
async def test_c042_silence_after_a_preview_shows_nothing(
    world: World, channel: MemoryChannel, cases: dict[str, Report]
) -> None:
    """A stream that turns out to be the silence token leaves no fragment: zero sends, zero edits."""
    cases["C042"].quoted("no fragment may have been shown before the class of the output was known")

    async def pieces() -> AsyncIterator[str]:
        for piece in ("NO", "_RE", "PLY"):
            yield piece

    async def agent(turn: Turn) -> None:
        await turn.stream(pieces())

    await world.gate.handle(asked(), channel, agent)

    assert (0, []) == (channel.counts.total(), channel.performed)
