"""Slack keeps the contract that every adapter is held to: its channel on a server by others, its facts on real events.

The server is seen by a member's client and by the events that it sends to an onlooker. Troubles happen on the way to
it: a proxy cuts requests or answers, or is not there. A refusal is the server's own, of a bot that was put out.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest

from dragoman.channels.slack.adapter import SlackChannel
from dragoman.channels.slack.facts import facts
from dragoman.channels.slack.outgoing import EMOJI
from dragoman.channels.slack.state import SlackAgent, SlackLookup
from dragoman.clock import SystemClock
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.identity import Party, Target
from dragoman.testing import AdapterWorld, Payloads, Shown, Trouble
from dragoman.testing.adapter_world import TEXT
from dragoman.testing.by_hand import START
from dragoman.testing.channel_laws import ChannelLaws
from dragoman.testing.facts_laws import FactsLaws
from dragoman.words import Fact
from tests.channels.slack.server import APP, DESK, TEAM, TOKEN, Listener, Slack, shown
from tests.e2e.counting import proxy

WRITES: Final = re.compile(r"POST /api/(chat\.|reactions\.add|files\.complete)")
LOOKS: Final = re.compile(r"POST /api/(conversations|users)\.")
LATER: Final = (429, json.dumps({"ok": False, "error": "ratelimited"}).encode())
NAMES: Final = {name: emoji for emoji, name in EMOJI.items()}


class SlackPlace(AdapterWorld):
    """A private channel of a buyer's and ours, and our bot in it, behind a proxy."""

    def __init__(self, slack: Slack) -> None:
        self._slack, self._open = slack, contextlib.ExitStack()
        self._way = self._open.enter_context(proxy(slack.url))
        self._channel = slack.channel("buyer", "desk", "jordan", private=True)
        said = slack.call("xoxp-buyer", "chat.postMessage", channel=self._channel, text="the list?")
        self.message_id = said["ts"]
        self.somebody = Party("slack", TEAM, slack.users["buyer"])
        self.target = Target("slack", TEAM, self._channel)
        self._listener = Listener(slack)
        self.channel = SlackChannel(
            TEAM, APP, TOKEN, api_url=f"{self._way.url}/api/", clock=SystemClock(), timeout=5.0, pace=0.0
        )

    async def open(self) -> None:
        """Connect."""
        assert isinstance(self.channel, SlackChannel)
        await self.channel.open()

    async def close(self) -> None:
        """Close the connections."""
        assert isinstance(self.channel, SlackChannel)
        await self.channel.close()
        self._open.close()
        self._slack.world("unsubscribe", all=True)
        self._listener.stop()

    async def shown(self, operation: Operation) -> list[Shown]:
        """What the onlooker was told of us; what one person alone sees, the server says."""
        if operation is Operation.PRIVATE:
            kept = [each for each in self._slack.world("ephemeral") if each["channel_id"] == self._channel]
            return [Shown(each["ts"], shown(each)) for each in kept if each["target_user"] == self.somebody.id]
        found = (self._told(event) for event in list(self._listener.events))
        return [shown for kind, shown in found if kind is operation]

    def _told(self, event: dict[str, Any]) -> tuple[Operation | None, Shown]:
        """Which operation an event came from, and what it shows."""
        nothing = None, Shown("")
        if event["type"] == "reaction_added":
            ours = event["user"] == DESK and event["item"]["channel"] == self._channel
            return (Operation.REACT, Shown("", NAMES[event["reaction"]])) if ours else nothing
        if event["type"] != "message" or event["channel"] != self._channel:
            return nothing
        message, subtype = event.get("message", event), event.get("subtype")
        if message.get("user") != DESK:
            return nothing
        if subtype == "message_changed":
            return Operation.EDIT, Shown(message["ts"], shown(message))
        if subtype == "file_share":
            (file,) = message["files"]
            content = self._slack.file(file["url_private"], "xoxp-buyer")
            return Operation.UPLOAD, Shown(file["id"], "", ((file["name"], content),))
        return (Operation.SEND, Shown(message["ts"], shown(message))) if subtype is None else nothing

    def trouble(self, kind: Trouble) -> contextlib.AbstractAsyncContextManager[None]:
        """The server, or the way to it, fails."""
        return self._failing(kind)

    @contextlib.asynccontextmanager
    async def _failing(self, kind: Trouble) -> AsyncIterator[None]:
        way, port = self._way, self._way.server_port
        match kind:
            case Trouble.VANISHED:
                way.arrived = lambda request: WRITES.match(request) is not None
            case Trouble.ANSWER_LOST:
                way.answered = lambda request: WRITES.match(request) is not None
            case Trouble.RATE_LIMITED:
                way.instead = lambda request: LATER if WRITES.match(request) else None
            case Trouble.LOOK_UPS_FAIL:
                way.arrived = lambda request: LOOKS.match(request) is not None
            case Trouble.UNREACHABLE:
                self._open.close()
            case Trouble.REFUSED:
                self._slack.call("xoxp-buyer", "conversations.kick", channel=self._channel, user=DESK)
        yield
        if kind is not Trouble.UNREACHABLE:
            self._open.close()
        self._way = self._open.enter_context(proxy(self._slack.url, port))
        if kind is Trouble.REFUSED:
            self._slack.call("xoxp-buyer", "conversations.invite", channel=self._channel, users=DESK)


@pytest.mark.platforms
@pytest.mark.slow
class TestSlackChannel(ChannelLaws):
    """The channel, on a running server; each law in a channel of its own."""

    @pytest.fixture(autouse=True)
    def _server(self, slack: Slack) -> None:
        self.slack = slack

    @contextlib.asynccontextmanager
    async def world(self) -> AsyncIterator[AdapterWorld]:
        """A fresh channel."""
        place = SlackPlace(self.slack)
        try:
            await place.open()
            yield place
        finally:
            await place.close()


ME: Final = SlackAgent(user_id="U0DESKBT01", bot_id="B0DESKBT01", app_id="A0DESKAP01")
OURS: Final = SlackLookup(
    user={"id": "U0BUYERAA1", "team_id": "T0HOMEORG1", "is_restricted": False, "is_ultra_restricted": False}
)


class TestSlackFacts(FactsLaws):
    """The facts, on envelopes as the Events API sends them."""

    def payloads(self) -> Payloads:
        """Messages of a channel, with the blocks that clients write."""
        mention = {"type": "user", "user_id": "U0DESKBT01"}
        return Payloads(
            read=read,
            asking=envelope("1790000000.000100", "U0BUYERAA1", f"<@U0DESKBT01> {TEXT}", mention),
            unasked=envelope("1790000000.000200", "U0BUYERAA1", TEXT),
            target=Target("slack", "T0HOMEORG1", "C0SHELVES1"),
            author=Party("slack", "T0HOMEORG1", "U0BUYERAA1"),
            echo=envelope("1790000000.000300", "U0DESKBT01", TEXT),
            names=("Desk", "U0DESKBT01", "<@U0DESKBT01>", "<!channel>", "@here"),
        )


class TestFactsOfAnOldClient(TestSlackFacts):
    """The same, where a message has no blocks: people's `<` arrives escaped, so that no typed text is a mark."""

    def payloads(self) -> Payloads:
        """The same without blocks."""
        given = super().payloads()
        plain: list[dict[str, Any]] = []
        for raw in (given.asking, given.unasked):
            event = {key: value for key, value in raw["event"].items() if key != "blocks"}
            plain.append({**raw, "event": event})
        return Payloads(
            read=read,
            asking=plain[0],
            unasked=plain[1],
            target=given.target,
            author=given.author,
            names=("Desk", "U0DESKBT01", "&lt;@U0DESKBT01&gt;", "<!channel>", "@here"),
        )


def envelope(ts: str, user: str, text: str, *before: dict[str, Any]) -> dict[str, Any]:
    """One message of a channel."""
    section = {"type": "rich_text_section", "elements": [*before, {"type": "text", "text": TEXT}]}
    return {
        "team_id": "T0HOMEORG1",
        "api_app_id": "A0DESKAP01",
        "event": {
            "type": "message",
            "user": user,
            "text": text,
            "ts": ts,
            "team": "T0HOMEORG1",
            "channel": "C0SHELVES1",
            "event_ts": ts,
            "channel_type": "channel",
            "blocks": [{"type": "rich_text", "block_id": "bN8", "elements": [section]}],
        },
        "type": "event_callback",
        "event_id": f"Ev{ts.replace('.', '')}",
        "event_time": 1790000000,
        "authorizations": [
            {"enterprise_id": None, "team_id": "T0HOMEORG1", "user_id": "U0DESKBT01", "is_enterprise_install": False}
        ],
        "is_ext_shared_channel": False,
    }


def read(raw: Any) -> Event:
    """The facts of one envelope with a signature of Slack's."""
    return facts(raw, ME, OURS, received_at=START, authenticated=Fact.YES)
