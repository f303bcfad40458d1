"""What must be known beside a Zulip event: our account, and the place and author that the event names.

Both are decoded strictly: exactly these keys. They are what `dragoman gate check` takes as `--agent` and `--state`.

A workspace is the realm: host and port of its address. A channel is `stream:ID`, or `direct:ID,ID` with the ids of
everybody in it, ourselves too, as numbers in rising order. A topic is a label that people rename and move: it is the
thread of what is said, and no identity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from dragoman.identity import well_formed

MOST_PEOPLE: Final = 50
"""People of a direct message; more have no channel of an exact name."""
_STREAM: Final = re.compile(r"stream:([1-9][0-9]{0,15})\Z")
_DIRECT: Final = re.compile(r"direct:([1-9][0-9]{0,15}(?:,[1-9][0-9]{0,15})*)\Z")


class ZulipAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Our account. `realm` is host and port; `realm_str` is what `sender_realm_str` says of people of our realm, where
    that is known; `webhook_token` is that of an outgoing webhook.

    Raises:
        ValueError: an empty part (a `ValidationError` while decoding).
    """

    realm: str
    user_id: int
    realm_str: str | None = None
    webhook_token: str = ""

    def __post_init__(self) -> None:
        if not well_formed(self.realm) or self.user_id < 1:
            raise ValueError("`realm` is `host` or `host:port`, `user_id` a number")


class ZulipPlace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The look-ups of one event; null is not known."""

    shared: bool | None = None
    """Whether anybody may read it without an account, or a guest is in it."""
    bots: bool | None = None
    """Whether another bot is in it."""
    author_is_bot: bool | None = None
    author_is_guest: bool | None = None


class Recipient(msgspec.Struct, frozen=True):
    """Where something goes: one stream, or the people of a direct message."""

    stream: int = 0
    people: tuple[int, ...] = ()


def stream_channel(id: int) -> str:
    """The channel of a stream."""
    return f"stream:{id}"


def direct_channel(ids: Iterable[int]) -> str:
    """The channel of a direct message among `ids`; empty when they are none, too many, or no ids."""
    people = sorted(set(ids))
    if not people or len(people) > MOST_PEOPLE or people[0] < 1:
        return ""
    return "direct:" + ",".join(map(str, people))


def recipient(channel: str) -> Recipient | None:
    """Where a channel is; None unless it is written exactly so."""
    found = _STREAM.match(channel)
    if found is not None:
        return Recipient(stream=int(found[1]))
    found = _DIRECT.match(channel)
    if found is None:
        return None
    people = tuple(map(int, found[1].split(",")))
    return Recipient(people=people) if direct_channel(people) == channel else None
