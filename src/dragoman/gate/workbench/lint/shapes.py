"""What do a platform's ids look like? Enough to tell an id from a name, an alias or a mistake; data and one question.

A shape that fits proves nothing: identities are compared byte for byte, and only the platform says who exists. A shape
that does not fit is an entry that will never match. A platform without a row is not judged.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class Shapes(NamedTuple):
    """Patterns of the three kinds of ids, and how to say what they look like."""

    workspace: str
    channel: str
    user: str
    looks: str


_NUMBER: Final = r"[0-9]{3,24}"
_MXID: Final = r"@[^:\s]+:\S+"
_GUID: Final = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_MAIL: Final = r"[^@\s]+@[^@\s]+"

SHAPES: Final[dict[str, Shapes]] = {
    "slack": Shapes(
        r"[TE][A-Z0-9]{2,}", r"[CGD][A-Z0-9]{2,}", r"[UWB][A-Z0-9]{2,}", "team `T…`, channel `C…`/`G…`/`D…`, user `U…`"
    ),
    "discord": Shapes(_NUMBER, _NUMBER, _NUMBER, "numbers: server id, channel id, user id"),
    "telegram": Shapes(_NUMBER, rf"-?{_NUMBER}", _NUMBER, "numbers: the bot's id, chat id (groups negative), user id"),
    "matrix": Shapes(_MXID, r"!\S+", _MXID, "our own `@name:server`, room `!…`, user `@name:server`"),
    "whatsapp": Shapes(
        r"[0-9]{5,20}",
        r"(?:[0-9]{5,20}|[A-Z]{2}\.\S+|[A-Za-z0-9_=+-]{21,255})",
        r"(?:[0-9]{5,20}|[A-Z]{2}\.\S+)",
        "phone number id, then digits without `+`, or a group's id",
    ),
    "teams": Shapes(
        _GUID, r"(?:19:|a:|29:)\S+", rf"(?:{_GUID}|29:\S+)", "tenant GUID, conversation `19:…`/`a:…`, user GUID"
    ),
    "mattermost": Shapes(
        r"(?:[a-z0-9]{26}@)?[^@\s]+",
        r"[a-z0-9]{26}",
        r"[a-z0-9]{26}",
        "workspace `TEAM_ID@server`, or `server` outside of teams; channel and user: 26 letters and digits",
    ),
    "zulip": Shapes(
        r"[^@/\s]+",
        r"stream:[1-9][0-9]*|direct:[1-9][0-9]*(?:,[1-9][0-9]*)*",
        r"[1-9][0-9]*",
        "the realm's host, channel `stream:ID` or `direct:ID,ID`, user: a number",
    ),
    "xmpp": Shapes(_MAIL, r"[^@\s]+@\S+", r"[^@\s]+@\S+", "addresses such as `name@server`"),
    "email": Shapes(_MAIL, r".+", _MAIL, "our own mailbox, and the addresses of people"),
}

PLATFORMS: Final = frozenset(SHAPES) | {"hub", "memory", "irc", "zulip"}
"""Every platform name that can stand in a policy."""


def fits(platform: str, kind: str, id: str) -> bool:
    """Whether `id` can be a `workspace`, `channel` or `user` of the platform; yes where nothing is known."""
    shapes = SHAPES.get(platform)
    return shapes is None or re.fullmatch(getattr(shapes, kind), id) is not None
