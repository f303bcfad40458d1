"""The same life on WhatsApp: the receiver as a process, webhooks by a real port. In place of Meta is a loopback server
of our own (`tests/channels/whatsapp/graph_server.py`)."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from tests.channels.whatsapp.graph_server import GraphServer, graph_server
from tests.channels.whatsapp.world import GROUPS, PEOPLE, written
from tests.receiver.world import World, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

POLICY = """
version = 1

[[targets]]
platform = "whatsapp"
workspace = "{number}"
channel = "{buyer}"
audience = "external"

[[targets]]
platform = "whatsapp"
workspace = "{number}"
channel = "{group}"
audience = "external"
"""


@pytest.fixture(scope="module")
def graph() -> Iterator[GraphServer]:
    """Our own server in place of Meta's."""
    with graph_server() as server:
        yield server


class Desk:
    """A receiver with one WhatsApp number, and a buyer."""

    def __init__(self, world: World, graph: GraphServer) -> None:
        self.world, self.number = world, graph.number()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self.number.callback = lambda: f"http://{address}/whatsapp"
        policy = POLICY.format(number=self.number.phone_number_id, buyer=PEOPLE["buyer"], group=GROUPS["group"])
        (world.folder / "policy.toml").write_text(policy)
        account = written(world.folder, self.number, graph.url, status_seconds=0.2)
        world.write(hub=None, autonomy=None, policy="policy.toml", channels={"listen": address, "whatsapp": account})

    def said(self) -> list[str]:
        """What the buyer's phone shows of us."""
        return [sent.text for sent in self.number.sent]


def test_a_question_is_answered_and_chatter_is_not(world: World, graph: GraphServer) -> None:
    """In the one-to-one everything is a request; chatter of a group is nobody's, and costs no request to Meta."""
    desk = Desk(world, graph)
    running = world.running()
    desk.number.say(PEOPLE["jordan"], "Did you see the game?", group=GROUPS["group"])
    desk.number.say(PEOPLE["buyer"], "Can you come on Monday?")

    assert until(lambda: desk.said() == ["Yes, we can meet."], 30)
    assert until(lambda: world.stands()["messages"].get("done") == 1, 30)
    running.terminate()
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0, out + err
    assert [call["messages"][-1]["text"] for call in world.calls()] == ["Can you come on Monday?"]
    assert 1 == desk.number.writes


@pytest.mark.parametrize(("point", "copies"), [("sending", 0), ("posted", 1)])
def test_killed_at(world: World, graph: GraphServer, point: str, copies: int) -> None:
    """What left is proven by its status after the restart; what did not leave is uncertain, and the owner is told.
    Neither is ever said twice."""
    desk = Desk(world, graph)
    desk.number.say(PEOPLE["buyer"], "Can you come on Monday?")
    killed = world.start(point, "run", entry="tests.crash.receiver_at")
    killed.communicate(timeout=60)
    assert killed.returncode == -9

    again = world.running()
    if copies:
        assert until(lambda: world.stands()["messages"].get("done") == 1, 40)
    else:
        assert until(lambda: [told["milestone"] for told in world.told()] == ["decision_needed"], 40)
        assert "It cannot be proven" in world.told()[0]["summary"]
    again.terminate()
    out, err = again.communicate(timeout=60)
    assert again.returncode == 0, out + err
    assert desk.said() == ["Yes, we can meet."] * copies
    assert (copies, 1) == (desk.number.writes, len(world.calls()))
