"""What must be known beside a Matrix event: our account, and the room.

Both are decoded strictly: exactly these keys. They are what `dragoman gate check` takes as `--agent` and `--state`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from dragoman.identity import well_formed
from dragoman.words import Fact


class MatrixAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Our account: its user id, the user ids that the operator knows as bots, and whether `m.notice` means a bot.

    Raises:
        ValueError: an id is no full Matrix user id (a `ValidationError` while decoding).
    """

    user_id: str
    bots: frozenset[str] = frozenset()
    notice_is_bot: bool = True

    def __post_init__(self) -> None:
        for user_id in (self.user_id, *sorted(self.bots)):
            if not is_user_id(user_id):
                raise ValueError(f"`{user_id}` is no Matrix user id; write `@name:server`")


class RoomState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of a room when an event is judged; a key left out or null is not known."""

    joined_members: frozenset[str] | None = None
    """User ids."""
    m_direct: dict[str, list[str]] | None = None
    """The account data `m.direct`: user id → room ids."""
    agent_member_event: dict[str, Any] | None = None
    """Our own `m.room.member` event; its content, or what it replaced, may say `is_direct`."""
    is_direct: bool | None = None
    """The flag of the invitation that brought us in."""
    senders: dict[str, str] = {}
    """Event id → user id, of replied-to and edited events."""
    federate: bool | None = None
    """`m.federate` of the creation event; False alone proves that nobody of another server is in."""
    world_readable: bool | None = None
    """Whether anybody may read without joining (history visibility)."""


def of_another_server(members: frozenset[str], own: str) -> Fact:
    """Whether anyone of another homeserver, or anyone whose server cannot be told, is among `members`."""
    home = own.partition(":")[2]
    return Fact.YES if any(member.partition(":")[2] != home for member in members) else Fact.NO


def is_user_id(value: object) -> bool:
    """Whether `value` has the form of a full Matrix user id."""
    return is_id(value, "@") and bool(str(value).partition(":")[2])


def is_id(value: object, sigil: str) -> bool:
    """Whether `value` is a well-formed Matrix id of the kind that `sigil` (`@`, `!`, `$`) marks."""
    return well_formed(value) and str(value)[0] == sigil and len(str(value)) > 1
