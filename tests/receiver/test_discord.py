"""The same life on Discord: the receiver as a process, gateway and REST by real sockets. In place of Discord is the
model of simcord, served on a loopback port (`tests/channels/discord/server.py`)."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from tests.channels.discord.server import Server
from tests.channels.discord.world import Scene
from tests.receiver.world import World, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

POLICY = """
version = 1

[[targets]]
platform = "discord"
workspace = "{workspace}"
channel = "{channel}"
audience = "external"
"""
LATER = "+200"
"""Seconds by which the clock of a second run is ahead: the nonce of the first is no longer relied on."""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """One server for the module."""
    made = Server()
    try:
        yield made
    finally:
        made.close()


class Desk:
    """A receiver with one Discord application, and a server with a buyer in it."""

    def __init__(self, world: World, server: Server) -> None:
        self.world, self.scene = world, Scene(server)
        target = self.scene.target("group")
        (world.folder / "policy.toml").write_text(POLICY.format(workspace=target.workspace, channel=target.channel))
        account = self.scene.section(world.folder)
        world.write(hub=None, autonomy=None, policy="policy.toml", channels={"discord": account})

    def asks(self, text: str) -> str:
        """The buyer mentions the agent."""
        return self.scene.says("buyer", "group", f"<@{self.scene.town.bot_id}> {text}")

    def said(self) -> list[str]:
        """What stands of us in the channel."""
        return [each.content for each in self.scene.ours("group")]

    def listens(self) -> bool:
        """Whether the receiver is on the gateway."""
        return self.scene.town.sessions > 0

    def ends(self, running: subprocess.Popen[str]) -> None:
        """The receiver ends when it is asked to."""
        running.terminate()
        out, err = running.communicate(timeout=60)
        assert running.returncode == 0, out + err


def test_a_mention_is_answered_and_chatter_is_not(world: World, server: Server) -> None:
    """Chatter writes nothing; a mention is answered once, also one that came while nobody listened. The token stands in
    its own file and nowhere else."""
    desk = Desk(world, server)
    running = world.running()
    assert until(desk.listens, 30)
    desk.scene.says("buyer", "group", "Did you see the game?")
    desk.asks("Can you come on Monday?")

    assert until(lambda: desk.said() == ["Yes, we can meet."], 30)
    assert until(lambda: world.stands()["messages"].get("done") == 1, 30)
    desk.ends(running)
    desk.scene.says("jordan", "group", "Quiet here.")
    desk.asks("And on Tuesday?")  # while nobody listens
    running = world.running()
    assert until(lambda: desk.said() == ["Yes, we can meet."] * 2, 30)
    assert until(lambda: world.stands()["messages"].get("done") == 2, 30)
    desk.ends(running)
    assert [call["messages"][-1]["text"] for call in world.calls()] == ["Can you come on Monday?", "And on Tuesday?"]
    assert 2 == len(desk.scene.town.written)
    kept = [path for path in world.folder.rglob("*") if path.is_file() and path.name != "discord.token"]
    assert [] == [path.name for path in kept if desk.scene.town.token.encode() in path.read_bytes()]


@pytest.mark.parametrize("point", ["sending", "posted"])
def test_killed_at(world: World, server: Server, point: str) -> None:
    """Started again at once: the same nonce again, one message in the channel, one run of the handler."""
    desk = Desk(world, server)
    killed = world.start(point, "run", entry="tests.crash.receiver_at")
    assert until(desk.listens, 30)
    desk.asks("Can you come on Monday?")
    killed.communicate(timeout=60)
    assert killed.returncode == -9

    again = world.running()
    assert until(lambda: world.stands()["messages"].get("done") == 1, 40)
    desk.ends(again)
    assert (["Yes, we can meet."], 1) == (desk.said(), len(world.calls()))


@pytest.mark.parametrize(("point", "copies"), [("sending", 0), ("posted", 1)])
def test_killed_and_started_when_the_nonce_is_old(world: World, server: Server, point: str, copies: int) -> None:
    """Nothing proves any more whether it arrived: it is not said again, and the owner is told."""
    desk = Desk(world, server)
    killed = world.start(point, "run", entry="tests.crash.receiver_at")
    assert until(desk.listens, 30)
    desk.asks("Can you come on Monday?")
    killed.communicate(timeout=60)
    assert killed.returncode == -9

    again = world.start(f"sent{LATER}", "run", entry="tests.crash.receiver_at")
    assert until(lambda: [told["milestone"] for told in world.told()] == ["decision_needed"], 40)
    assert "It cannot be proven" in world.told()[0]["summary"]
    desk.ends(again)
    assert (["Yes, we can meet."] * copies, 1) == (desk.said(), len(world.calls()))
