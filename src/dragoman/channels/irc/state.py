"""What must be known beside an IRC line: our account, and the place it came from.

Both are decoded strictly: exactly these keys. They are what `dragoman gate check` takes as `--agent` and `--state`.
"""

from __future__ import annotations

import msgspec

from dragoman.identity import well_formed


class IrcAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who we are: the network by its own name, our services account there, and the accounts that the operator knows.

    Raises:
        ValueError: a name is malformed (a `ValidationError` while decoding).
    """

    network: str
    account: str
    bots: frozenset[str] = frozenset()
    colleagues: frozenset[str] = frozenset()
    """Accounts of people of ours; whoever else is there makes a place external."""

    def __post_init__(self) -> None:
        for name in (self.network, self.account, *sorted(self.bots | self.colleagues)):
            if not well_formed(name) or any(char in name for char in " @,*?!"):
                raise ValueError(f"`{name}` is no name of a network or of a services account")

    @property
    def workspace(self) -> str:
        """Our account on this network."""
        return f"{self.account}@{self.network}"


class Member(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One member of a channel, as the server shows him; `account` is empty without a login, null when not known."""

    nick: str
    account: str | None = None
    bot: bool = False


class IrcPlace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known when a line is judged; what is left out is not known."""

    nick: str = ""
    """Our own nick now."""
    casemapping: str = "rfc1459"
    """ISUPPORT `CASEMAPPING`; the default is the protocol's own."""
    chantypes: str = "#&"
    """ISUPPORT `CHANTYPES`."""
    members: tuple[Member, ...] | None = None
    """Everybody in the channel, we included."""
    authors: dict[str, str] = {}
    """Message id → account that said it, of the message that the line replies to."""
    serial: str = ""
    """Names the line where the server gives no message id."""
