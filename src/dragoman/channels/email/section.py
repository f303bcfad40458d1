"""A mailbox in the receiver's configuration. Pure; nothing secret stands in it.

Both servers are spoken to by TLS with a checked certificate, from the first byte (`tls`) or by STARTTLS before anything
is said; `none` only on the loopback.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from dragoman.channels.account import AccountSection, Id, PathName
from dragoman.channels.address import LOOPBACK
from dragoman.channels.email.addresses import canonical
from dragoman.channels.email.state import EmailAgent

Host = Annotated[str, Meta(min_length=1, max_length=253, pattern=r"^[A-Za-z0-9.:-]+\Z")]
Port = Annotated[int, Meta(ge=1, le=65_535)]
Security = Literal["tls", "starttls", "none"]
IMAP_PORTS = {"tls": 993, "starttls": 143, "none": 143}
SMTP_PORTS = {"tls": 465, "starttls": 587, "none": 25}


class EmailSection(AccountSection, frozen=True, kw_only=True):
    """`channels.email`: one mailbox. `password_file` and `key_file` are private files.

    Raises:
        ValueError: what it names cannot be used (a `ValidationError` while decoding).
    """

    mailbox: Id
    aliases: tuple[Id, ...] = ()
    imap_host: Host
    imap_port: Port | None = None
    imap_security: Security = "tls"
    smtp_host: Host
    smtp_port: Port | None = None
    smtp_security: Security = "starttls"
    username: Id | None = None
    """The log-in of both servers; the mailbox unless set."""
    password_file: PathName
    key_file: PathName
    """The secret by which our message ids are known again."""
    ca_file: PathName | None = None
    """Certificates to trust instead of the system's."""
    authserv_id: Id
    own_domains: tuple[Id, ...] = ()
    bots: tuple[Id, ...] = ()
    copies_folder: Annotated[str, Meta(min_length=1, max_length=255, pattern=r"^[^\x00-\x1f\x7f]+\Z")] | None = None
    """The folder in which the server itself keeps what it took from us; a lost answer is looked up there."""
    subject: Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]+\Z")] = "A message"
    """The subject of a mail that answers none."""
    most_an_hour: Annotated[int, Meta(ge=1, le=10_000)] = 30
    """Answers to one address within an hour; what goes beyond is a loop."""

    def __post_init__(self) -> None:
        for name, host, security in (
            ("imap", self.imap_host, self.imap_security),
            ("smtp", self.smtp_host, self.smtp_security),
        ):
            if security == "none" and host not in LOOPBACK:
                raise ValueError(f"{name}_security: the password would travel in the clear")
        if canonical(self.mailbox) != self.mailbox:
            raise ValueError("mailbox: write `name@domain`, the domain in lower case")
        self.agent("")

    @property
    def account(self) -> str:
        """Our mailbox."""
        return self.mailbox

    @property
    def login(self) -> str:
        """The log-in."""
        return self.username or self.mailbox

    def agent(self, key: str) -> EmailAgent:
        """Who we are."""
        return EmailAgent(
            mailbox=self.mailbox,
            authserv_id=self.authserv_id,
            aliases=frozenset(self.aliases),
            domains=frozenset(self.own_domains),
            bots=frozenset(self.bots),
            key=key,
        )
