"""The report of a shadow week: what would have been stopped, of how much, and why (spec 1 §7)."""

from __future__ import annotations

import pytest

from dragoman.channels.memory.adapter import MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.ports import Presence, Turn
from dragoman.gate.shadow import ShadowReport, shadow_report
from dragoman.words import Fact
from tests.gate.world import POLICY, WORKSPACE, World, asked, said

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (
            "shadow",
            ShadowReport(
                outputs=3,
                stopped=2,
                reasons={"class_not_allowed": 1, "draft_only_topic": 1},
                events=3,
                silent=1,
                silences={"not_requested": 1},
            ),
        ),
        ("enforce", ShadowReport(outputs=0, stopped=0, reasons={}, events=0, silent=0, silences={})),
    ],
)
async def test_the_report_counts_what_would_have_been_stopped(mode: str, expected: ShadowReport) -> None:
    """A greeting that nobody asked about, a price and a plain answer: two of three would not have left."""
    world = World(parse_policy(POLICY.replace("version = 1", f'version = 1\nmode = "{mode}"', 1).encode()))
    channel = MemoryChannel(
        MemoryAgent(workspace=WORKSPACE, id="desk"), clock=world.clock, presence=Presence(shared=Fact.NO)
    )
    for event, answer in (
        (said("good morning"), "Good morning."),
        (asked("what does it cost?"), "A shelf costs 40 EUR."),
        (asked("which date?"), "6 October 2026 is open."),
    ):

        async def agent(turn: Turn, answer: str = answer) -> None:
            await turn.reply(answer)

        await world.gate.handle(event, channel, agent)

    assert expected == shadow_report(world.journal.entries)
