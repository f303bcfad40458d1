"""Control commands in the receiver: durable, once, before anything else that waits; unseen where outsiders listen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman.clock import MINUTE, SystemClock
from tests.receiver.test_chat import out as sent
from tests.receiver.test_chat import says
from tests.receiver.world import World, until

pytestmark = pytest.mark.slow

POLICY = """
version = 1
freshness_seconds = 3600
command_prefixes = ["/"]

[[targets]]
platform = "memory"
workspace = "W1"
channel = "C1"
audience = "external"

[[targets]]
platform = "memory"
workspace = "W1"
channel = "OPS"
audience = "operator"

[[operators]]
platform = "memory"
workspace = "W1"
id = "boss"
"""


@pytest.fixture
def room(world: World) -> World:
    """A room of the fake platform with outsiders, and the operator's own one."""
    (world.folder / "policy.toml").write_text(POLICY)
    world.write(
        hub=None,
        autonomy=None,
        policy="policy.toml",
        channels={"memory": {"folder": "chat", "workspace": "W1", "id": "AGENT"}},
    )
    (world.folder / "chat").mkdir(mode=0o700)
    (world.folder / "chat" / "inbox.jsonl").touch(0o600)
    (world.folder / "chat" / "presence.json").write_text('{"OPS": {"shared": false}}')
    return world


def orders(world: World, id: str, text: str, channel: str = "OPS", author: str = "boss", **facts: Any) -> None:
    """Somebody writes where nobody from outside is, one-to-one with the agent."""
    known = {"shared": False, "other_bots": False, "direct": channel == "OPS", "channel": channel, "author": author}
    says(world, id, text, **known | facts)


def texts(world: World, channel: str) -> list[str]:
    """What arrived in a channel."""
    path = world.folder / "chat" / "outbox.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [line["text"] for line in lines if line["target"]["channel"] == channel]


def held(world: World, id: str = "m1") -> str:
    """A price that waits for approval; its draft's id."""
    world.answers("Our price is 40 EUR per unit.")
    says(world, id, "What does it cost?", mentions=["AGENT"])
    world.cycle()
    (draft,) = world.stands()["drafts"]
    return str(draft["id"])


def record(world: World) -> list[tuple[str, str]]:
    """What operators did: outcome and reason."""
    books = world.books()
    found = [(str(r.outcome), str(r.reason)) for r in books.journal.newest(50) if r.kind == "operator"]
    books.close()
    return found


def test_an_approval_in_chat_goes_the_way_of_the_command_line(room: World) -> None:
    """Approved in the operator's room, the draft leaves in the same cycle, once."""
    draft_id = held(room)
    orders(room, "o1", f"/approve {draft_id}")
    room.cycle()
    room.cycle()

    assert ["Our price is 40 EUR per unit."] == texts(room, "C1")
    books = room.books()
    filed = books.approvals.find(draft_id)
    books.close()
    assert filed is not None
    assert ("delivered", "memory/W1/boss") == (filed.state, filed.operator)
    assert len(room.calls()) == 1


def test_what_is_refused_is_answered_inside_and_changes_nothing(room: World) -> None:
    """A wrong hash, a made-up id: a fixed answer with its code; the draft waits on."""
    draft_id = held(room)
    orders(room, "o1", f"/approve {draft_id} {'0' * 64}")
    orders(room, "o2", "/approve dft-made-up")
    orders(room, "o3", "/status")
    room.cycle()

    wrong, unknown, status = texts(room, "OPS")
    assert ("(draft_other_text)", "(draft_unknown)") == (wrong[-18:], unknown[-15:])
    assert f"{draft_id}  draft_only_topic  under 1 min  memory/W1/C1" in status
    assert [] == texts(room, "C1")
    assert {("draft_other_text", "approve"), ("draft_unknown", "approve"), ("status", "status")} <= set(record(room))


def test_nothing_is_seen_or_approved_where_outsiders_are(room: World) -> None:
    """The operator in the counterparty's room, and in his own one while a guest is there: nothing happens, all written
    down; a buyer's approval is no command at all."""
    draft_id = held(room)
    orders(room, "o1", f"/approve {draft_id}", channel="C1")
    orders(room, "o2", f"/approve {draft_id}", author="U1", direct=False)
    room.cycle()
    (room.folder / "chat" / "presence.json").write_text('{"OPS": {"shared": true}}')
    orders(room, "o3", f"/approve {draft_id}")
    room.cycle()

    assert [] == sent(room)
    assert [draft_id] == [draft["id"] for draft in room.stands()["drafts"]]
    assert [("command_not_here", "approve")] * 2 == record(room)


def test_a_pause_in_chat_is_the_pause_of_the_command_line(room: World) -> None:
    """Paused in chat, resumed in chat; what came in between stays unanswered, as in any pause."""
    orders(room, "o1", "/pause everywhere")
    room.cycle()
    says(room, "m1", "Can you come on Monday?", mentions=["AGENT"])
    room.cycle()
    assert ["*"] == list(room.stands()["paused"])

    orders(room, "o2", "/resume everywhere")
    says(room, "m2", "And on Tuesday?", mentions=["AGENT"])
    room.cycle()
    assert ({}, ["Yes, we can meet."]) == (room.stands()["paused"], texts(room, "C1"))


def test_a_pause_holds_a_saved_reply_and_a_resume_is_heard_though_it_waits(room: World) -> None:
    """A reply that waits for the end of a pause blocks its room for messages, never for the command that ends it."""
    room.answers("Yes, we can meet.", sleep=6)
    says(room, "m1", "Can you come on Monday?", mentions=["AGENT"])
    process = room.running()
    assert until(lambda: len(room.calls()) == 1)
    orders(room, "o1", "/pause", channel="C1")
    assert until(lambda: "memory/W1/C1" in room.stands()["paused"], 6)  # heard while the handler still ran
    assert until(lambda: room.stands()["replies"] == {"saved": 1})
    assert [] == texts(room, "C1")

    orders(room, "o2", "/resume", channel="C1")
    assert until(lambda: texts(room, "C1") == ["Yes, we can meet."])
    process.terminate()
    process.communicate(timeout=60)
    assert len(room.calls()) == 1


@pytest.mark.parametrize(("author", "ends"), [("U1", True), ("boss", True), ("U2", False)])
def test_a_stop_ends_the_handler_that_runs(room: World, author: str, ends: bool) -> None:
    """The author's own, or the operator's: no reply, no apology, and the next message need not wait for it. Another
    person's stop ends nothing of it."""
    room.answers("Yes, we can meet.", sleep=19 if ends else 4)
    says(room, "m1", "Can you come on Monday?", mentions=["AGENT"])
    process = room.running()
    assert until(lambda: len(room.calls()) == 1)
    says(room, "s1", "/stop", author=author, other_bots=False)
    assert until(lambda: room.stands()["messages"].get("done") == (2 if ends else 1), 3.5)

    room.answers("Yes, gladly.")
    says(room, "m2", "And on Tuesday?", mentions=["AGENT"], author="U3")
    expected = ["Yes, gladly."] if ends else ["Yes, we can meet.", "Yes, gladly."]
    assert until(lambda: texts(room, "C1")[-1:] == ["Yes, gladly."], 12)  # the first handler would run on for longer
    process.terminate()
    process.communicate(timeout=60)
    assert expected == texts(room, "C1")


def test_a_stop_empties_what_waits_before_it(room: World) -> None:
    """Words of that author that were not begun yet are dropped; later ones, and other people's, are answered."""
    now = SystemClock().now()
    says(room, "m1", "Can you come on Monday?", mentions=["AGENT"], sent_at=now - 4)
    says(room, "m2", "Or who comes?", mentions=["AGENT"], author="U2", sent_at=now - 3)
    says(room, "s1", "/stop", other_bots=False, sent_at=now - 2)
    says(room, "m3", "On Tuesday, then?", mentions=["AGENT"], sent_at=now - 1)
    room.cycle()

    assert [["Or who comes?", "On Tuesday, then?"]] == [[m["text"] for m in c["messages"]] for c in room.calls()]
    assert {"done": 3, "silent": 1} == room.stands()["messages"]


def test_a_stop_ends_a_turn_that_waits_for_its_next_attempt(room: World) -> None:
    """The handler failed and would be asked again: after the stop it is not."""
    room.answers(raw="Traceback: x")
    says(room, "m1", "Can you come on Monday?", mentions=["AGENT"])
    room.cycle()
    says(room, "s1", "/stop", other_bots=False)
    room.cycle()
    room.answers("Yes, we can meet.")
    for shift in (MINUTE, 2 * MINUTE):
        room.cycle(shift)

    assert ([], 1) == (sent(room), len(room.calls()))


def test_a_stop_leaves_a_draft_that_waits(room: World) -> None:
    """What is filed is the operator's to approve or reject; a stop of its author does neither."""
    draft_id = held(room)
    says(room, "s1", "/stop", other_bots=False)
    room.cycle()

    assert [draft_id] == [draft["id"] for draft in room.stands()["drafts"]]


@pytest.mark.parametrize("point", ["leased", "deduped", "admitted"])
def test_killed_around_a_command(room: World, point: str) -> None:
    """Killed before the commit it is still there, and obeyed once; one record, one effect."""
    draft_id = held(room)
    orders(room, "o1", f"/reject {draft_id}")
    assert room.command(point, "once", entry="tests.crash.receiver_at").returncode == -9
    room.cycle()
    room.cycle()

    assert [("draft_rejected", "reject")] == record(room)
    assert ["Rejected; it is not sent."] == texts(room, "OPS")
    assert [] == texts(room, "C1")
