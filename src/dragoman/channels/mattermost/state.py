"""What must be known beside a Mattermost event: our account, and the channel and author that the event names.

Both are decoded strictly: exactly these keys. They are what `dragoman gate check` takes as `--agent` and `--state`.

A workspace is `TEAM_ID@SERVER` in a channel of a team, and `SERVER` alone in direct and group messages, which belong to
no team; SERVER is host and port of the configured address. A person is the same in every team: parties are of `SERVER`.
"""

from __future__ import annotations

from typing import Final

import msgspec

from dragoman.identity import well_formed

OF_A_TEAM: Final = frozenset({"O", "P"})
"""Channel types of a team: open and private."""
OF_NO_TEAM: Final = frozenset({"D", "G"})
"""Direct and group messages."""


class MattermostAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Our account. `server` is host and port; `webhook_token` is the token of an outgoing webhook or slash command.

    Raises:
        ValueError: an empty part, or a `server` that is no host (a `ValidationError` while decoding).
    """

    server: str
    user_id: str
    username: str
    webhook_token: str = ""

    def __post_init__(self) -> None:
        if not all(map(well_formed, (self.server, self.user_id, self.username))) or "@" in self.server:
            raise ValueError("`server` is `host` or `host:port`; no part may be empty")


class ChannelState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of a channel; null is not known."""

    type: str | None = None
    """O, P, D or G."""
    team_id: str | None = None
    """Empty for direct and group messages."""
    shared: bool | None = None
    """Whether it is shared with another server, or anybody of another server or a guest is in it."""
    bots: bool | None = None
    """Whether another bot is in it."""


class AuthorState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of an author; null is not known."""

    is_bot: bool | None = None
    guest: bool | None = None
    """A guest account (`system_guest`), or of another server (`remote_id`)."""


class MattermostPlace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The look-ups of one event."""

    channel: ChannelState = ChannelState()
    author: AuthorState = AuthorState()


def workspace(server: str, type: str, team_id: str) -> str:
    """The workspace of a channel; empty when its type or its team is not known."""
    if type in OF_NO_TEAM:
        return server
    return f"{team_id}@{server}" if type in OF_A_TEAM and well_formed(team_id) else ""


def serves(server: str, workspace: str) -> bool:
    """Whether a workspace is of this server."""
    team, at, host = workspace.rpartition("@")
    return host == server and (not at or bool(team))
