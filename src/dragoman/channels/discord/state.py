"""What must be known beside a Discord event: our application, and the channel with its server.

Both are decoded strictly: exactly these keys. They are what `dragoman gate check` takes as `--agent` and `--state`.
"""

from __future__ import annotations

import re
from typing import Annotated, Final

import msgspec
from msgspec import Meta

DIRECT: Final = 1
GROUP_DIRECT: Final = 3
OPEN_THREADS: Final = frozenset({10, 11})
"""Threads that everybody reads who reads the channel above them (announcement and public threads)."""

Snowflake = Annotated[str, Meta(pattern=r"^[1-9][0-9]{0,19}\Z")]
"""An id of Discord: decimal digits."""
PublicKey = Annotated[str, Meta(pattern=r"^(|[0-9a-f]{64})\Z")]
"""The application's Ed25519 key as the developer portal shows it, or nothing."""
_SNOWFLAKE: Final = re.compile(r"[1-9][0-9]{0,19}\Z")


class DiscordAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Our account: its user id, the application's id where it is another one, and the key that proves interactions."""

    user_id: Snowflake
    application_id: Snowflake | None = None
    public_key: PublicKey = ""

    @property
    def account(self) -> str:
        """The application's id; in newer applications it is the user id too."""
        return self.application_id or self.user_id


class ChannelState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A channel: its type (0 text, 1 direct, 3 group direct, 10 to 12 threads ...), and the channel above a thread."""

    id: Snowflake
    type: int
    parent_id: Snowflake | None = None
    guild_id: Snowflake | None = None


class RoleTags(msgspec.Struct, frozen=True, kw_only=True):
    """Whose role it is, where the server says so; it has other tags that say nothing here."""

    bot_id: str | None = None


class RoleState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A role; its name is never read."""

    id: Snowflake
    name: str = ""
    managed: bool = False
    tags: RoleTags = RoleTags()


class PlaceState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of a place when an event is judged; a key left out or null is not known."""

    channel: ChannelState | None = None
    roles: tuple[RoleState, ...] | None = None
    """Roles of the server, at least those that may be ours."""
    features: frozenset[str] | None = None
    """Features of the server, such as DISCOVERABLE."""

    def own_roles(self, user_id: str) -> frozenset[str] | None:
        """Ids of the roles that the server manages for us alone; None when roles are not known."""
        if self.roles is None:
            return None
        return frozenset(role.id for role in self.roles if role.managed and role.tags.bot_id == user_id)


def is_snowflake(value: object) -> bool:
    """Whether `value` has the form of an id of Discord."""
    return type(value) is str and _SNOWFLAKE.match(value) is not None
