"""The same life over a chat platform: the fake one in a folder, with a policy and the real handler process."""

from __future__ import annotations

import json
import os
import stat
from typing import Any

import pytest

from tests.receiver.world import World, until

pytestmark = pytest.mark.slow

POLICY = """
version = 1
freshness_seconds = 3600

[[targets]]
platform = "memory"
workspace = "W1"
channel = "C1"
audience = "external"
"""


@pytest.fixture
def room(world: World) -> World:
    """A world without a hub, with one room of the fake platform."""
    (world.folder / "policy.toml").write_text(POLICY)
    world.write(
        hub=None,
        autonomy=None,
        policy="policy.toml",
        channels={"memory": {"folder": "chat", "workspace": "W1", "id": "AGENT"}},
    )
    (world.folder / "chat").mkdir(mode=0o700)
    (world.folder / "chat" / "inbox.jsonl").touch(0o600)
    return world


def says(world: World, id: str, text: str, **facts: Any) -> None:
    """A person writes in the room."""
    event = {"kind": "message", "id": id, "channel": "C1", "author": "U1", "bot": False, "direct": False, "text": text}
    with (world.folder / "chat" / "inbox.jsonl").open("a") as inbox:
        inbox.write(json.dumps(event | facts) + "\n")


def out(world: World) -> list[tuple[str, str]]:
    """What arrived on the platform: operation and text."""
    path = world.folder / "chat" / "outbox.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [(line["operation"], line["text"]) for line in lines]


def test_a_mention_is_answered_and_chatter_is_not(room: World) -> None:
    """Only the message that asks the agent begins a turn; the others are silent, and nothing is read twice."""
    says(room, "m1", "Did you see the game?")
    says(room, "m2", "Can you come on Monday?", mentions=["AGENT"])
    says(room, "m3", "Me neither.")
    room.cycle()
    room.cycle()

    assert [[m["text"] for m in call["messages"]] for call in room.calls()] == [["Can you come on Monday?"]]
    assert out(room) == [("send", "Yes, we can meet.")]
    assert room.stands()["messages"] == {"done": 1, "silent": 2}


@pytest.mark.parametrize(
    "point", ["leased", "deduped", "admitted", "charged", "saved", "released", "sending", "posted", "sent"]
)
def test_killed_at(room: World, point: str) -> None:
    """The same arrows, the same promise: answered once, whatever the moment of the kill."""
    says(room, "m1", "Can you come on Monday?", mentions=["AGENT"])
    assert room.command(point, "once", entry="tests.crash.receiver_at").returncode == -9
    assert until(lambda: room.cycle(6_000) == [] and out(room) == [("send", "Yes, we can meet.")])
    room.cycle()

    assert out(room) == [("send", "Yes, we can meet.")]
    assert len(room.calls()) == 1
    assert room.stands()["messages"] == {"done": 1}


def test_a_failing_handler_ends_in_the_safe_sentence(room: World) -> None:
    """After the last attempt the author gets the fixed sentence, once; the room goes on."""
    room.answers(raw="Traceback (most recent call last): secret")
    says(room, "m1", "Can you come on Monday?", mentions=["AGENT"])
    for shift in (0, 6_000, 40_000, 80_000):
        room.cycle(shift)
    assert out(room) == [("send", "I could not complete that just now. Please try again.")]

    room.answers("Yes, we can meet.")
    says(room, "m2", "And on Tuesday?", mentions=["AGENT"])
    room.cycle(90_000)
    assert out(room)[1:] == [("send", "Yes, we can meet.")]


def test_a_held_draft_does_not_stop_the_room(room: World) -> None:
    """One price waits for approval while others are served; approved, it goes out once."""
    room.answers("Our price is 40 EUR per unit.")
    says(room, "m1", "What does it cost?", mentions=["AGENT"])
    room.cycle()
    room.answers("Yes, we can meet.")
    says(room, "m2", "Can you come?", mentions=["AGENT"])
    room.cycle()
    assert out(room) == [("send", "Yes, we can meet.")]

    (draft,) = room.stands()["drafts"]
    assert room.command("drafts", "approve", draft["id"]).returncode == 0
    room.cycle()
    room.cycle()
    assert out(room) == [("send", "Yes, we can meet."), ("send", "Our price is 40 EUR per unit.")]
    assert len(room.calls()) == 2


def test_the_outbox_is_private(room: World) -> None:
    """What the receiver writes is closed to others, under any umask."""
    before = os.umask(0)
    try:
        says(room, "m1", "Can you come?", mentions=["AGENT"])
        room.cycle()
    finally:
        os.umask(before)

    modes = {stat.S_IMODE(path.stat().st_mode) for path in (room.folder / "state").rglob("*") if path.is_file()}
    assert modes == {0o600}


def test_commands_of_one_poll_are_obeyed_in_the_order_in_which_they_were_said(room: World) -> None:
    """Pause, then resume, read at once and with ids that sort the other way round: the agent answers again."""
    operator = '[[operators]]\nplatform = "memory"\nworkspace = "W1"\nid = "U9"\n'
    (room.folder / "policy.toml").write_text(f'command_prefixes = ["/"]\n{POLICY}\n{operator}')
    says(room, "c9", "/pause", author="U9", other_bots=False)
    says(room, "c10", "/resume", author="U9", other_bots=False)
    says(room, "m1", "Can you come on Monday?", mentions=["AGENT"])
    room.cycle()

    assert [("send", "Yes, we can meet.")] == out(room)


BURST = {"album": "a1", "attachments": 1}


def test_an_album_is_one_turn(room: World) -> None:
    """Three parts, the mention on the first: one handler call about all of them, once it is quiet; then it is done."""
    says(room, "m1", "Do these fit?", mentions=["AGENT"], **BURST)
    says(room, "m2", "", **BURST)
    room.cycle()
    assert ([], []) == (room.calls(), out(room))
    says(room, "m3", "", **BURST)
    assert until(lambda: room.cycle() == [] and out(room) != [])

    assert 1 == len(room.calls())
    assert ["m1", "m2", "m3"] == [message["id"] for message in room.calls()[0]["messages"]]
    assert {"done": 3} == room.stands()["messages"]


def test_a_waiting_album_survives_a_kill(room: World) -> None:
    """The receiver dies while an album waits: what is there is answered once by the next one."""
    says(room, "m1", "Do these fit?", mentions=["AGENT"], **BURST)
    assert room.command("admitted", "once", entry="tests.crash.receiver_at").returncode == -9
    assert until(lambda: room.cycle() == [] and out(room) != [])
    room.cycle()

    assert 1 == len(room.calls())
    assert [("send", "Yes, we can meet.")] == out(room)


def test_a_request_deleted_while_it_waits_is_not_answered(room: World) -> None:
    """F11 on the daemon: the mentioning part is deleted before it is quiet."""
    says(room, "m1", "Do these fit?", mentions=["AGENT"], **BURST)
    says(room, "m2", "", **BURST)
    room.cycle()
    says(room, "x1", "", kind="other", deletes="m1")
    assert until(lambda: room.cycle() == [] and room.stands()["messages"] == {"silent": 3})

    assert ([], []) == (room.calls(), out(room))


def test_observed_text_is_read_at_the_next_request_and_then_gone(room: World) -> None:
    """Where the policy observes: chatter of the room reaches the next question of that room, marked as observed."""
    observing = 'observe_unmentioned_group_messages = true\nobservation_seconds = 3600\nobservation_access = "agent"\n'
    (room.folder / "policy.toml").write_text(POLICY + observing)
    says(room, "m1", "The truck is late.")
    says(room, "m2", "A bot's line.", bot=True)
    says(room, "m3", "Can you come on Monday?", mentions=["AGENT"])
    room.cycle()

    assert [[("observed", "The truck is late."), ("peer", "Can you come on Monday?")]] == [
        [(m["from"], m["text"]) for m in call["messages"]] for call in room.calls()
    ]


def test_an_internal_room_sees_that_its_request_was_admitted(room: World) -> None:
    """`never_silent_ack`: once, before the answer, where only our own people are."""
    acking = POLICY.replace('"external"', '"internal"') + "never_silent_ack = true\n"
    (room.folder / "policy.toml").write_text(acking)
    (room.folder / "chat" / "presence.json").write_text('{"C1": {"shared": false}}')
    says(room, "m0", "good morning", shared=False)
    says(room, "m1", "Can you come on Monday?", mentions=["AGENT"], shared=False)
    room.cycle()
    room.cycle()

    assert [("send", "On it."), ("send", "Yes, we can meet.")] == out(room)


def test_beside_a_live_bot_the_receiver_only_looks_on(room: World) -> None:
    """`mode = "shadow"`: no handler runs and nothing is sent; what the live bot says is judged, and reported."""
    (room.folder / "policy.toml").write_text('mode = "shadow"\n' + POLICY)
    says(room, "m1", "What does a shelf cost?", mentions=["AGENT"])
    says(room, "m2", "A shelf costs 40 EUR.", author="AGENT", bot=True)
    says(room, "m3", "Did you see the game?")
    says(room, "m4", "I did!", author="AGENT", bot=True)
    room.cycle()
    report = room.command("journal", "shadow")
    shown = json.loads(room.command("journal", "show", "--kind", "output").stdout)["records"]
    why = room.command("why", shown[0]["correlation_id"], json=False)

    assert ([], []) == (room.calls(), out(room))
    found = json.loads(report.stdout)
    assert (2, 1, {"draft_only_topic": 1}) == (found["outputs"], found["stopped"], found["reasons"])
    assert "shadow: without it hold" in why.stdout
