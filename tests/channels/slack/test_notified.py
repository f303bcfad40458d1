"""The owner is told in an internal Slack channel, by the app that serves counterparties; never where a guest is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from tests.channels.slack.server import APP, DESK, SECRET, TEAM, TOKEN, Slack, shown
from tests.e2e.counting import Proxy, proxy
from tests.receiver.ways import rows
from tests.receiver.world import World, until

pytestmark = [pytest.mark.slow, pytest.mark.platforms, pytest.mark.timeout(180)]

POLICY = """
version = 1

[[targets]]
platform = "slack"
workspace = "{team}"
channel = "{channel}"
audience = "internal"
"""


class Office:
    """The receiver's app and its owner in a private channel, and whoever else is there."""

    def __init__(self, world: World, slack: Slack, way: Proxy, *others: str) -> None:
        self.world, self.slack = world, slack
        self.channel = slack.channel("oper", "desk", *others, private=True)
        slack.world("outsiders", users=[slack.users["guest"]], channels=[])
        for name, secret in (("slack.token", TOKEN), ("slack.secret", SECRET)):
            (world.folder / name).touch(0o600)
            (world.folder / name).write_text(secret)
        (world.folder / "policy.toml").write_text(POLICY.format(team=TEAM, channel=self.channel))
        account = {
            "team_id": TEAM,
            "app_id": APP,
            "bot_token_file": "slack.token",
            "signing_secret_file": "slack.secret",
        }
        channels = {"listen": "127.0.0.1:0", "slack": account | {"api_url": f"{way.url}/api/"}}
        target = f"slack/{TEAM}/{self.channel}"
        notifier = {"channel": {"target": target}, "timeout_seconds": 20}
        world.write(notifier=notifier, policy="policy.toml", channels=channels)
        world.answers(action="waiting_owner", owner_summary="Offer the 6th?")

    def read(self) -> list[str]:
        """What the owner reads there."""
        return [shown(message) for message in self.slack.said(self.channel) if message["user"] == DESK]


@pytest.fixture
def way(slack: Slack) -> Iterator[Proxy]:
    """The way to the server."""
    with proxy(slack.url) as way:
        yield way


def test_the_owner_reads_it_once(world: World, slack: Slack, way: Proxy) -> None:
    """`doctor` is content and says nothing; `probe` and the decision each arrive once, the second from `run`."""
    office = Office(world, slack, way)
    (check,) = [each for each in json.loads(world.command("doctor").stdout)["checks"] if each["name"] == "notification"]
    assert ("ok", []) == (check["state"], office.read()), check
    assert world.command("probe").returncode == 0
    process = world.running()
    world.peer_says("Which day?")
    assert until(lambda: [row[1:] for row in rows(world)] == [("delivered", 1)] * 2, 60), rows(world)
    process.terminate()
    process.communicate(timeout=60)

    titles = [words.splitlines()[0] for words in office.read()]
    assert ["Self-check of the notifier", "Your decision is needed"] == titles
    assert "Offer the 6th?" in office.read()[1]


def test_nothing_is_said_where_a_guest_listens(world: World, slack: Slack, way: Proxy) -> None:
    """The policy says internal, Slack says that a guest is there: not ready, and the owner is not told there."""
    office = Office(world, slack, way, "guest")
    (check,) = [each for each in json.loads(world.command("doctor").stdout)["checks"] if each["name"] == "notification"]
    assert "ok" != check["state"], check
    world.peer_says("Which day?")
    world.cycle()
    assert ([], "failed") == (office.read(), rows(world)[-1][1])


def test_a_lost_answer_is_never_repeated(world: World, slack: Slack, way: Proxy) -> None:
    """It arrived and nobody said so: uncertain, and no later cycle says it again."""
    office = Office(world, slack, way)
    way.answered = lambda request: re.match(r"POST /api/chat\.postMessage", request) is not None
    world.peer_says("Which day?")
    world.cycle()
    way.answered = lambda request: False
    world.cycle()
    world.cycle()
    assert (["uncertain"], 1) == ([row[1] for row in rows(world)], len(office.read()))
