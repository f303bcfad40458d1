"""What must be known beside a Slack event: our app, and what was looked up about the place and the author.

Both are decoded strictly: exactly these keys. They are what `dragoman gate check` takes as `--agent` and `--state`.
A look-up holds what the Web API answered, as it answered it; whatever failed or was not asked is null.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from dragoman.identity import well_formed

_CHANNEL: Final = re.compile(r"\A[CDG][A-Z0-9]{2,40}\Z")
_TS: Final = re.compile(r"\A[0-9]{1,12}\.[0-9]{1,8}\Z")

CHANNEL_FACTS: Final = frozenset(
    {
        *("id", "is_im", "is_mpim", "is_ext_shared", "is_org_shared", "is_pending_ext_shared"),
        *("connected_team_ids", "conversation_host_id"),
    }
)
"""What is kept of `conversations.info`; names, topics and purposes are no facts."""
USER_FACTS: Final = frozenset(
    {"id", "team_id", "is_bot", "is_workflow_bot", "is_stranger", "is_restricted", "is_ultra_restricted"}
)
"""What is kept of `users.info`, with the workspaces of `enterprise_user`; profiles are not kept."""


class SlackAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Our app: its bot user, its bot, the app itself. In which workspace an event happened, the event says.

    `signing_secret` proves requests; left out or empty it proves none.

    Raises:
        ValueError: an id is no Slack id (a `ValidationError` while decoding).
    """

    user_id: str
    app_id: str
    bot_id: str = ""
    signing_secret: str = ""

    def __post_init__(self) -> None:
        for id in (self.user_id, self.app_id, self.bot_id or self.user_id):
            if not well_formed(id) or not id.isascii() or not id.isalnum():
                raise ValueError(f"`{id}` is no Slack id; it has capital letters and digits only")


class SlackLookup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The `channel` object of `conversations.info`, and the `user` object of `users.info` about the author."""

    channel: dict[str, Any] | None = msgspec.field(default=None, name="conversations.info")
    user: dict[str, Any] | None = msgspec.field(default=None, name="users.info")


def is_channel(value: object) -> bool:
    """Whether `value` has the form of a conversation's id; a user's id or a channel's name has not."""
    return type(value) is str and _CHANNEL.match(value) is not None


def is_ts(value: object) -> bool:
    """Whether `value` has the form of a message's `ts`, which is its id within its conversation."""
    return type(value) is str and _TS.match(value) is not None


def moment(ts: str) -> int:
    """The time in a `ts`, in epoch milliseconds."""
    seconds, _, fraction = ts.partition(".")
    return int(seconds) * 1_000 + int((fraction + "000")[:3])


def kept_channel(channel: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a `channel` object."""
    return {key: value for key, value in channel.items() if key in CHANNEL_FACTS}


def kept_user(user: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a `user` object."""
    kept = {key: value for key, value in user.items() if key in USER_FACTS}
    company = user.get("enterprise_user")
    if isinstance(company, dict):
        kept["enterprise_user"] = {"teams": company.get("teams")}
    return kept
