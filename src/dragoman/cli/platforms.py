"""The platforms that `dragoman gate` knows: how each reads a raw event, and what may leave there.

One row per platform; a platform's own files are imported only when it is named.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

import msgspec

from dragoman.cli.output import decode
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.words import Fact, SendKey

Reader = Callable[[Mapping[str, Any], Any, Any, int, Fact], Event]
Verify = Callable[[Mapping[str, str], bytes, int, int, Any], Fact]

ANY_PLATFORM: Final = {
    Operation.SEND: OperationSpec(SendKey.NONE, 4_000),
    Operation.EDIT: OperationSpec(SendKey.NONE, 4_000),
}
"""What `gate release` assumes of a platform without an adapter yet."""


class Platform(msgspec.Struct, frozen=True):
    """How one platform's raw events become facts; without a `verifier`, events come on an authenticated connection."""

    agent: type
    lookup: type
    reader: Reader
    verifier: Verify | None = None

    def read(self, raw: Mapping[str, Any], agent: bytes, lookup: bytes, received_at: int, proven: Fact) -> Event:
        """The event of one raw payload, with agent and look-up strictly decoded."""
        me = decode(agent, self.agent, "--agent")
        place = None if lookup.strip() == b"null" else decode(lookup, self.lookup, "--state lookup")
        return self.reader(raw, me, place, received_at, proven)

    def verify(self, headers: Mapping[str, str], body: bytes, received_at: int, now: int, agent: bytes) -> Fact:
        """Whether the transport proves the event; a platform without a rule for headers proves nothing."""
        if self.verifier is None:
            return Fact.NO
        return self.verifier(headers, body, received_at, now, decode(agent, self.agent, "--agent"))

    @staticmethod
    def body(encoded: str) -> bytes:
        """The raw body of an envelope."""
        try:
            return base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            raise DragomanError("input_invalid", "not base64", where="body_base64") from None


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The look-up of a platform that needs none."""


def _memory() -> Platform:
    from dragoman.channels.memory.facts import MemoryAgent, facts

    def read(raw: Mapping[str, Any], agent: Any, lookup: Any, received_at: int, proven: Fact) -> Event:
        return facts(raw, agent, received_at=received_at, authenticated=proven)

    return Platform(MemoryAgent, Nothing, read)


def _matrix() -> Platform:
    from dragoman.channels.matrix.facts import facts
    from dragoman.channels.matrix.state import MatrixAgent, RoomState

    def read(raw: Mapping[str, Any], agent: Any, lookup: Any, received_at: int, proven: Fact) -> Event:
        return facts(raw, agent, lookup, received_at=received_at, authenticated=proven)

    return Platform(MatrixAgent, RoomState, read)


def _whatsapp() -> Platform:
    from dragoman.channels.whatsapp.facts import facts
    from dragoman.channels.whatsapp.state import Nothing as NoLookUp
    from dragoman.channels.whatsapp.state import WhatsAppAgent
    from dragoman.channels.whatsapp.verify import verify

    def read(raw: Mapping[str, Any], agent: Any, lookup: Any, received_at: int, proven: Fact) -> Event:
        return facts(raw, agent, lookup, received_at=received_at, authenticated=proven)

    return Platform(WhatsAppAgent, NoLookUp, read, verify)


def _discord() -> Platform:
    from dragoman.channels.discord.facts import facts
    from dragoman.channels.discord.state import DiscordAgent, PlaceState
    from dragoman.channels.discord.verify import verify

    def read(raw: Mapping[str, Any], agent: Any, lookup: Any, received_at: int, proven: Fact) -> Event:
        return facts(raw, agent, lookup, received_at=received_at, authenticated=proven)

    return Platform(DiscordAgent, PlaceState, read, verify)


def _telegram() -> Platform:
    from dragoman.channels.telegram.facts import facts
    from dragoman.channels.telegram.state import ChatState, TelegramAgent
    from dragoman.channels.telegram.verify import verify

    def read(raw: Mapping[str, Any], agent: Any, lookup: Any, received_at: int, proven: Fact) -> Event:
        return facts(raw, agent, lookup, received_at=received_at, authenticated=proven)

    return Platform(TelegramAgent, ChatState, read, verify)


def _xmpp() -> Platform:
    from dragoman.channels.xmpp.facts import facts
    from dragoman.channels.xmpp.state import XmppAgent, XmppPlace

    def read(raw: Mapping[str, Any], agent: Any, lookup: Any, received_at: int, proven: Fact) -> Event:
        return facts(raw, agent, lookup, received_at=received_at, authenticated=proven)

    return Platform(XmppAgent, XmppPlace, read)


def _slack() -> Platform:
    from dragoman.channels.slack.facts import facts
    from dragoman.channels.slack.state import SlackAgent, SlackLookup
    from dragoman.channels.slack.verify import verify

    def read(raw: Mapping[str, Any], agent: Any, lookup: Any, received_at: int, proven: Fact) -> Event:
        return facts(raw, agent, lookup, received_at=received_at, authenticated=proven)

    return Platform(SlackAgent, SlackLookup, read, verify)


def _mattermost() -> Platform:
    from dragoman.channels.mattermost.facts import facts
    from dragoman.channels.mattermost.state import MattermostAgent, MattermostPlace
    from dragoman.channels.mattermost.verify import verify

    def read(raw: Mapping[str, Any], agent: Any, lookup: Any, received_at: int, proven: Fact) -> Event:
        return facts(raw, agent, lookup, received_at=received_at, authenticated=proven)

    return Platform(MattermostAgent, MattermostPlace, read, verify)


def _email() -> Platform:
    from dragoman.channels.email.facts import facts
    from dragoman.channels.email.state import EmailAgent

    def read(raw: Mapping[str, Any], agent: Any, lookup: Any, received_at: int, proven: Fact) -> Event:
        return facts(raw, agent, received_at=received_at, authenticated=proven)

    return Platform(EmailAgent, Nothing, read)


def _teams() -> Platform:
    from dragoman.channels.teams.facts import facts
    from dragoman.channels.teams.state import TeamsAgent, TeamsLookup
    from dragoman.channels.teams.verify import verify

    def read(raw: Mapping[str, Any], agent: Any, lookup: Any, received_at: int, proven: Fact) -> Event:
        return facts(raw, agent, lookup, received_at=received_at, authenticated=proven)

    return Platform(TeamsAgent, TeamsLookup, read, verify)


def _zulip() -> Platform:
    from dragoman.channels.zulip.facts import facts
    from dragoman.channels.zulip.state import ZulipAgent, ZulipPlace
    from dragoman.channels.zulip.verify import verify

    def read(raw: Mapping[str, Any], agent: Any, lookup: Any, received_at: int, proven: Fact) -> Event:
        return facts(raw, agent, lookup, received_at=received_at, authenticated=proven)

    return Platform(ZulipAgent, ZulipPlace, read, verify)


def _irc() -> Platform:
    from dragoman.channels.irc.facts import facts
    from dragoman.channels.irc.state import IrcAgent, IrcPlace

    def read(raw: Mapping[str, Any], agent: Any, lookup: Any, received_at: int, proven: Fact) -> Event:
        return facts(raw, agent, lookup, received_at=received_at, authenticated=proven)

    return Platform(IrcAgent, IrcPlace, read)


PLATFORMS: Final[dict[str, Callable[[], Platform]]] = {
    "zulip": _zulip,
    "mattermost": _mattermost,
    "memory": _memory,
    "matrix": _matrix,
    "irc": _irc,
    "email": _email,
    "slack": _slack,
    "xmpp": _xmpp,
    "telegram": _telegram,
    "discord": _discord,
    "whatsapp": _whatsapp,
    "teams": _teams,
}
"""Platform name → its row."""

OPERATIONS: Final[dict[str, str]] = {
    "zulip": "dragoman.channels.zulip.outgoing",
    "mattermost": "dragoman.channels.mattermost.outgoing",
    "matrix": "dragoman.channels.matrix.outgoing",
    "irc": "dragoman.channels.irc.outgoing",
    "email": "dragoman.channels.email.outgoing",
    "slack": "dragoman.channels.slack.outgoing",
    "xmpp": "dragoman.channels.xmpp.outgoing",
    "telegram": "dragoman.channels.telegram.outgoing",
    "discord": "dragoman.channels.discord.outgoing",
    "whatsapp": "dragoman.channels.whatsapp.outgoing",
    "teams": "dragoman.channels.teams.outgoing",
}
"""Platform name → the file that holds its `OPERATIONS`."""


def operations_of(platform: str) -> dict[Operation, OperationSpec]:
    """The operation table of a platform's adapter, or what is assumed without one."""
    if platform == "memory":
        from dragoman.channels.memory import adapter

        return adapter.operations(SendKey.NATIVE, adapter.MAX_LENGTH)
    if platform == "hub":
        from dragoman.channels.hub.adapter import operations

        return operations()
    if platform in OPERATIONS:
        return dict(import_module(OPERATIONS[platform]).OPERATIONS)
    return dict(ANY_PLATFORM)
