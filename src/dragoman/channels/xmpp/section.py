"""An XMPP account in the receiver's configuration. Pure; nothing secret stands in it.

The account speaks to people, and in the rooms that are named here; it goes into no other, whoever invites it. The
stream is encrypted and the server's certificate verified; only to a `host` on the loopback it may be in the clear.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Annotated

import msgspec
from msgspec import Meta

from dragoman.channels.account import AccountSection, Id, PathName
from dragoman.channels.xmpp.state import XmppAgent, is_bare


class XmppSection(AccountSection, frozen=True, kw_only=True):
    """`channels.xmpp`: one XMPP account. `password_file` is a private file; `rooms` are JIDs with the nick there.

    Raises:
        ValueError: a JID is none.
    """

    jid: Id
    password_file: PathName
    rooms: dict[Id, Id] = msgspec.field(default_factory=dict)
    bots: tuple[Id, ...] = ()
    nick_is_mention: bool = False
    """Whether a line that begins with our nick and `:` or `,` is a mention, for clients that mark none."""
    host: Annotated[str, Meta(min_length=1, max_length=255)] | None = None
    """Where the server is; without it the domain's SRV records say."""
    port: Annotated[int, Meta(ge=1, le=65_535)] = 5222
    ca_file: PathName | None = None
    """The certificates that the server's is verified with, instead of the system's."""

    def __post_init__(self) -> None:
        for jid in (self.jid, *self.rooms):
            if not is_bare(jid):
                raise ValueError(f"`{jid}` is no bare JID; write `name@server`")

    @property
    def account(self) -> str:
        """Our bare JID."""
        return self.jid

    @property
    def agent(self) -> XmppAgent:
        """Who we are, for the facts."""
        return XmppAgent(
            jid=self.jid, rooms=dict(self.rooms), bots=frozenset(self.bots), nick_is_mention=self.nick_is_mention
        )

    @property
    def in_the_clear(self) -> bool:
        """Whether the stream need not be encrypted: the server is on this very machine."""
        if self.host is None:
            return False
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"
