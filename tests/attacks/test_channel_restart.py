"""A receiver that is killed while Slack calls it, started twice, or with a spoilt inbox: one answer, or an error."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sqlite3
import time
from pathlib import Path

import pytest
from slack_sdk.signature import SignatureVerifier

from dragoman.channels.account import Arrival, Batch
from dragoman.channels.discord import listening as listening_of_discord
from dragoman.channels.mattermost import stream as stream_of_mattermost
from tests.channels.slack.conftest import hub, slack, world
from tests.channels.slack.server import APP, DESK, SECRET, TEAM, Slack
from tests.channels.slack.test_receiver import Desk, listening
from tests.receiver.world import World, until

__all__ = ["hub", "slack", "world"]

pytestmark = [pytest.mark.slow, pytest.mark.platforms, pytest.mark.timeout(180)]


def call(desk: Desk, ts: str) -> bytes:
    """Slack's signed request about one mention."""
    event = {"type": "app_mention", "user": desk.slack.users["buyer"], "text": f"<@{DESK}> Monday?", "ts": ts}
    event |= {"event_ts": ts, "channel": desk.channel}
    about = {"team_id": TEAM, "api_app_id": APP, "type": "event_callback", "event_id": "Ev0KILLED1"}
    body, stamp = json.dumps({**about, "event": event}).encode(), str(int(time.time()))
    signature = SignatureVerifier(SECRET).generate_signature(timestamp=stamp, body=body) or ""
    head = ["POST /slack/events HTTP/1.1", "Host: x", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    head += [f"X-Slack-Request-Timestamp: {stamp}", f"X-Slack-Signature: {signature}"]
    return "\r\n".join([*head, "", ""]).encode() + body


def test_killed_while_a_call_is_kept(world: World, slack: Slack) -> None:
    """Whatever of the call was kept when the process died, Slack's repetition of it leads to one answer."""
    desk = Desk(world, slack)
    slack.world("unsubscribe", all=True)
    ts = slack.call("xoxp-buyer", "chat.postMessage", channel=desk.channel, text=f"<@{DESK}> Monday?")["ts"]
    for pause in (0.0, 0.003, 0.02):
        killed = world.running()
        assert until(lambda: listening(desk))
        with socket.create_connection(("127.0.0.1", desk.port)) as caller:
            caller.sendall(call(desk, ts))
            time.sleep(pause)
            os.kill(killed.pid, signal.SIGKILL)
        killed.communicate(timeout=60)

    again = world.running()
    assert until(lambda: listening(desk))
    desk.told(json.loads(call(desk, ts).partition(b"\r\n\r\n")[2]))
    assert until(lambda: desk.said() != [], 30)
    time.sleep(1.0)
    again.terminate()
    again.communicate(timeout=60)

    assert ["Yes, we can meet."] == desk.said()


def test_a_second_receiver_over_the_same_state(world: World, slack: Slack) -> None:
    """It is told so, and listens to nobody; the first one goes on."""
    desk = Desk(world, slack)
    first = world.running()
    assert until(lambda: listening(desk))
    second = world.command("run")
    desk.says("Can you come on Monday?", mentions=True)

    assert (3, "state_locked") == (second.returncode, json.loads(second.stdout)["error"]["code"])
    assert until(lambda: desk.said() == ["Yes, we can meet."], 30)
    first.terminate()
    first.communicate(timeout=60)


def inbox_of(world: World) -> Path:
    """The file of the account's inbox."""
    return world.folder / "state" / "inbox" / (f"slack:{TEAM}".encode().hex() + ".db")


def test_an_inbox_that_is_no_database(world: World, slack: Slack) -> None:
    """The receiver says which file it is, and does not answer Slack as if it could keep anything."""
    desk = Desk(world, slack)
    inbox_of(world).parent.mkdir(mode=0o700, parents=True)
    (world.folder / "state").chmod(0o700)
    inbox_of(world).touch(0o600)
    inbox_of(world).write_bytes(b"no database " * 1_000)
    done = world.command("run")
    error = json.loads(done.stdout.splitlines()[-1])["error"]

    assert (3, "inbox_broken", str(inbox_of(world))) == (done.returncode, error["code"], error["where"])
    assert not listening(desk)


def test_an_arrival_that_cannot_be_read(world: World, slack: Slack) -> None:
    """One spoilt row costs that row, not whatever comes after it."""
    desk = Desk(world, slack)
    first = world.running()
    assert until(lambda: listening(desk))
    first.terminate()
    first.communicate(timeout=60)
    with contextlib.closing(sqlite3.connect(inbox_of(world), isolation_level=None)) as file:
        file.execute("INSERT INTO arrivals (received_at, raw) VALUES (1, ?)", (b"spoilt",))
    again = world.running()
    assert until(lambda: listening(desk))
    desk.says("Can you come on Monday?", mentions=True)
    answered = until(lambda: desk.said() == ["Yes, we can meet."])
    again.terminate()
    out, err = again.communicate(timeout=60)

    assert answered, out + err


@pytest.mark.parametrize("raw", [b"spoilt", b"{}", b"", b'{"event": 7}', b"[" * 5_000], ids=str)
def test_an_arrival_that_cannot_be_read_stops_no_stream(raw: bytes) -> None:
    """Where the position is made of arrivals, one that is spoilt adds nothing to it."""
    assert 0 == listening_of_discord._kept_id(raw)
    assert "7:5:0:" == stream_of_mattermost._position(Batch((Arrival(raw, 5),), "7"))
