"""An IRC account in the receiver's configuration. Pure; nothing secret stands in it.

The account speaks to people who are logged in to the network's services, and in the channels that are named here; it
goes into no other. The connection is encrypted and the server's certificate verified; only to a `host` on the loopback
it may be in the clear.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Annotated

from msgspec import Meta

from dragoman.channels.account import AccountSection, PathName
from dragoman.channels.irc.state import IrcAgent

Name = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[^\x00-\x20\x7f@,*?!:]+\Z")]
"""The name of a network, of an account, or a nick."""
Channel = Annotated[str, Meta(min_length=2, max_length=64, pattern=r"^[#&][^\x00-\x20\x7f,:]+\Z")]


class IrcSection(AccountSection, frozen=True, kw_only=True):
    """`channels.irc`: one account of a network's services. `password_file` is a private file."""

    network: Name
    """The name by which the network calls itself (ISUPPORT `NETWORK`), exactly."""
    host: Annotated[str, Meta(min_length=1, max_length=255)]
    port: Annotated[int, Meta(ge=1, le=65_535)] = 6697
    login: Name
    """Our services account."""
    password_file: PathName
    nick: Name
    channels: tuple[Channel, ...] = ()
    bots: tuple[Name, ...] = ()
    colleagues: tuple[Name, ...] = ()
    spacing_ms: Annotated[int, Meta(ge=0, le=60_000)] = 1_000
    """How far apart lines are, after the first few: networks disconnect who floods."""
    ca_file: PathName | None = None
    """The certificates that the server's is verified with, instead of the system's."""

    @property
    def account(self) -> str:
        """Our services account at the network."""
        return self.agent.workspace

    @property
    def agent(self) -> IrcAgent:
        """Who we are, for the facts."""
        return IrcAgent(
            network=self.network,
            account=self.login,
            bots=frozenset(self.bots),
            colleagues=frozenset(self.colleagues),
        )

    @property
    def in_the_clear(self) -> bool:
        """Whether the connection need not be encrypted: the server is on this very machine."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"
