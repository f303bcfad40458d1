"""The same life on a Slack by others: the receiver as a process, told by signed requests, killed where it hurts."""

from __future__ import annotations

import json
import socket
import time
import urllib.request
from typing import Any

import pytest
from slack_sdk.signature import SignatureVerifier

from tests.channels.slack.server import APP, DESK, SECRET, TEAM, TOKEN, Slack, shown
from tests.postgres import free_port
from tests.receiver.world import World, until

pytestmark = [pytest.mark.slow, pytest.mark.platforms, pytest.mark.timeout(180)]

POLICY = """
version = 1

[[targets]]
platform = "slack"
workspace = "{team}"
channel = "{channel}"
audience = "external"
"""


class Desk:
    """A receiver with one Slack app, in one channel with a buyer."""

    def __init__(self, world: World, slack: Slack) -> None:
        self.world, self.slack = world, slack
        self.channel = slack.channel("buyer", "jordan", "desk")
        self.port = free_port()
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
        channels = {"listen": f"127.0.0.1:{self.port}", "slack": account | {"api_url": f"{slack.url}/api/"}}
        world.write(hub=None, autonomy=None, policy="policy.toml", channels=channels)
        slack.world("unsubscribe", all=True)
        slack.world("subscribe", url=f"http://127.0.0.1:{self.port}/slack/events")

    def says(self, text: str, who: str = "buyer", *, mentions: bool = False) -> None:
        """Somebody says something, with the blocks of a client."""
        named = [{"type": "user", "user_id": DESK}] if mentions else []
        section = {"type": "rich_text_section", "elements": [*named, {"type": "text", "text": f" {text}"}]}
        blocks = json.dumps([{"type": "rich_text", "elements": [section]}])
        words = f"<@{DESK}> {text}" if mentions else text
        self.slack.call(f"xoxp-{who}", "chat.postMessage", channel=self.channel, text=words, blocks=blocks)

    def told(self, envelope: dict[str, Any]) -> None:
        """One request with Slack's signature."""
        body, stamp = json.dumps(envelope).encode(), str(int(time.time()))
        signature = SignatureVerifier(SECRET).generate_signature(timestamp=stamp, body=body) or ""
        headers = {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": signature}
        headers["Content-Type"] = "application/json"
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/slack/events", body, headers)
        with urllib.request.urlopen(request, timeout=10) as response:
            assert 200 == response.status

    def said(self) -> list[str]:
        """What a member reads of us."""
        return [shown(message) for message in self.slack.said(self.channel, "xoxp-buyer") if message["user"] == DESK]


def listening(desk: Desk) -> bool:
    """Whether the receiver's address answers."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", desk.port)) == 0


def test_a_mention_is_answered_and_chatter_is_not(world: World, slack: Slack) -> None:
    """A mention is answered once, by one writing call; chatter costs no call that writes and no turn."""
    desk = Desk(world, slack)
    before = slack.written()
    running = world.running()
    assert until(lambda: listening(desk))
    desk.says("Did you see the game?")
    desk.says("Can you come on Monday?", mentions=True)

    assert until(lambda: desk.said() == ["Yes, we can meet."], 30)
    assert until(lambda: world.stands()["messages"].get("done") == 1, 30)
    running.terminate()
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0, out + err
    assert ["Can you come on Monday?"] == [call["messages"][-1]["text"] for call in world.calls()]
    assert 1 == slack.written() - before


def test_a_post_that_comes_as_two_events(world: World, slack: Slack) -> None:
    """`message` and `app_mention` of one post, under two event ids, and a retry: one answer, one turn."""
    desk = Desk(world, slack)
    slack.world("unsubscribe", all=True)
    running = world.running()
    assert until(lambda: listening(desk))
    ts = slack.call("xoxp-buyer", "chat.postMessage", channel=desk.channel, text=f"<@{DESK}> Monday?")["ts"]
    event = {"user": slack.users["buyer"], "text": f"<@{DESK}> Monday?", "ts": ts, "event_ts": ts}
    for number, kind in enumerate(("message", "app_mention", "app_mention"), 1):
        about = {"team_id": TEAM, "api_app_id": APP, "type": "event_callback", "event_id": f"Ev0TWIN{min(number, 2)}"}
        desk.told({**about, "event": {**event, "type": kind, "channel": desk.channel}})

    assert until(lambda: desk.said() == ["Yes, we can meet."], 30)
    assert until(lambda: world.stands()["messages"].get("done") == 1, 30)
    running.terminate()
    running.communicate(timeout=60)
    assert (["Yes, we can meet."], 1) == (desk.said(), len(world.calls()))


@pytest.mark.parametrize(("point", "copies"), [("sending", 0), ("posted", 1)])
def test_killed_at(world: World, slack: Slack, point: str, copies: int) -> None:
    """What left is read back by its key after the restart; what did not leave is uncertain, and the owner is told.
    Neither is ever said twice."""
    desk = Desk(world, slack)
    before = slack.written()
    killed = world.start(point, "run", entry="tests.crash.receiver_at")
    assert until(lambda: listening(desk))
    desk.says("Can you come on Monday?", mentions=True)
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
    assert ["Yes, we can meet."] * copies == desk.said()
    assert (copies, 1) == (slack.written() - before, len(world.calls()))
