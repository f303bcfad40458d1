"""Who are we in e-mail, and which message ids did we issue? Pure.

1. `mailbox` is the account; it is the workspace of every target and never changes. `aliases` are other addresses under
   which mail reaches it. All of them are exact: the domain in lower case, the local part byte for byte.
2. A message id of ours is made of the key under which the message is sent, and of a keyed hash of that: the same send
   has the same id always, and nobody without the key can make one. Without a key no id is ours.
3. Nothing here says that a message left: an id that is ours was issued, no more.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Final

import msgspec

from dragoman.channels.email.addresses import canonical

KEY_LENGTH: Final = 16
"""The fewest characters of the key."""
_OWN: Final = re.compile(r"<([0-9a-f]{24})\.([0-9a-f]{32})@([^<>@\s]{1,255})>\Z")


class EmailAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Our mailbox, decoded strictly; it is what `dragoman gate check` takes as `--agent`.

    Raises:
        ValueError: an address, a domain or the key is none (a `ValidationError` while decoding).
    """

    mailbox: str
    authserv_id: str
    """How our own receiving server signs its `Authentication-Results`; whoever else signs is not believed."""
    aliases: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    """Domains of our own people; everybody else is of another organisation."""
    bots: frozenset[str] = frozenset()
    """Addresses that the operator knows as machines."""
    key: str = ""
    """The secret of our message ids."""

    def __post_init__(self) -> None:
        for address in (self.mailbox, *sorted(self.aliases | self.bots)):
            if canonical(address) != address:
                raise ValueError(f"`{address}` is no address `name@domain` with its domain in lower case")
        for domain in sorted(self.domains):
            if canonical(f"x@{domain}") != f"x@{domain}":
                raise ValueError(f"`{domain}` is no domain in lower case")
        if not self.authserv_id or not self.authserv_id.isascii() or set(self.authserv_id) & set(' ;"()'):
            raise ValueError("`authserv_id` must be the id of your own receiving server")
        if self.key and len(self.key) < KEY_LENGTH:
            raise ValueError(f"the key of the message ids needs {KEY_LENGTH} characters or more")

    def __repr__(self) -> str:
        return f"EmailAgent({self.mailbox})"

    @property
    def own(self) -> frozenset[str]:
        """Every address of ours."""
        return self.aliases | {self.mailbox}


def message_id(send_key: str, agent: EmailAgent) -> str:
    """The message id of what is sent under `send_key`, angle brackets included."""
    tag = hashlib.sha256(send_key.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return f"<{tag}.{_mark(tag, agent)}@{agent.mailbox.rpartition('@')[2]}>"


def issued(id: str, agent: EmailAgent) -> bool:
    """Whether this message id is one that we issued."""
    found = _OWN.match(id)
    if not agent.key or found is None or found[3] != agent.mailbox.rpartition("@")[2]:
        return False
    return hmac.compare_digest(found[2], _mark(found[1], agent))


def _mark(tag: str, agent: EmailAgent) -> str:
    words = f"dragoman message id\n{agent.mailbox}\n{tag}".encode()
    return hmac.new(agent.key.encode(), words, hashlib.sha256).hexdigest()[:32]
