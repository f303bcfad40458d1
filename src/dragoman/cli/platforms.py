"""The platforms that `dragoman gate` knows: how each reads a raw event, and what may leave there.

One row per platform; a platform's own files are imported only when it is named.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any, Final, NamedTuple

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


class Row(NamedTuple):
    """How a platform's own files call what is needed: names in its `state.py`, and whether it has a `verify`."""

    agent: str
    lookup: str = ""
    verifies: bool = False


ROWS: Final[dict[str, Row]] = {
    "slack": Row("SlackAgent", "SlackLookup", verifies=True),
    "discord": Row("DiscordAgent", "PlaceState", verifies=True),
    "telegram": Row("TelegramAgent", "ChatState", verifies=True),
    "email": Row("EmailAgent"),
    "teams": Row("TeamsAgent", "TeamsLookup", verifies=True),
    "whatsapp": Row("WhatsAppAgent", "Nothing", verifies=True),
    "matrix": Row("MatrixAgent", "RoomState"),
    "mattermost": Row("MattermostAgent", "MattermostPlace", verifies=True),
    "zulip": Row("ZulipAgent", "ZulipPlace", verifies=True),
    "xmpp": Row("XmppAgent", "XmppPlace"),
    "irc": Row("IrcAgent", "IrcPlace"),
}
"""Platform name → its row; its operations stand in its `outgoing.py`. A platform without a look-up needs none."""


def _platform(name: str) -> Platform:
    row, room = ROWS[name], f"dragoman.channels.{name}"
    facts, state = import_module(f"{room}.facts").facts, import_module(f"{room}.state")

    def read(raw: Mapping[str, Any], agent: Any, lookup: Any, received_at: int, proven: Fact) -> Event:
        known = (lookup,) if row.lookup else ()
        found: Event = facts(raw, agent, *known, received_at=received_at, authenticated=proven)
        return found

    lookup = getattr(state, row.lookup) if row.lookup else Nothing
    verifier = import_module(f"{room}.verify").verify if row.verifies else None
    return Platform(getattr(state, row.agent), lookup, read, verifier)


PLATFORMS: Final[dict[str, Callable[[], Platform]]] = {
    "memory": _memory,
    **{name: partial(_platform, name) for name in ROWS},
}
"""Platform name → what makes its row of functions."""


def operations_of(platform: str) -> dict[Operation, OperationSpec]:
    """The operation table of a platform's adapter, or what is assumed without one."""
    if platform == "memory":
        from dragoman.channels.memory import adapter

        return adapter.operations(SendKey.NATIVE, adapter.MAX_LENGTH)
    if platform == "hub":
        from dragoman.channels.hub.adapter import operations

        return operations()
    if platform in ROWS:
        return dict(import_module(f"dragoman.channels.{platform}.outgoing").OPERATIONS)
    return dict(ANY_PLATFORM)
