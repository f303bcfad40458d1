"""Mails of the tests: one buyer, one mailbox of ours, and how our own server says that it proved the buyer's domain."""

from __future__ import annotations

from typing import Any, Final

from dragoman.channels.email.facts import facts
from dragoman.channels.email.state import EmailAgent
from dragoman.gate.event import Event
from dragoman.testing.by_hand import START
from dragoman.words import Fact

ME: Final = EmailAgent(
    mailbox="desk@desk.example",
    aliases=frozenset({"shelves@desk.example"}),
    authserv_id="mx.desk.example",
    domains=frozenset({"desk.example"}),
    bots=frozenset({"ci@desk.example"}),
    key="a key of the tests, no more",
)
PROVEN: Final = "mx.desk.example; dmarc=pass (p=reject) header.from=shop.example"


def mail(text: str = "Which dates are open?", **headers: str | None) -> str:
    """A mail of the buyer to us; `headers` change it (`reply_to` is `Reply-To`), and None leaves one out."""
    said: dict[str, str | None] = {
        "Authentication-Results": PROVEN,
        "From": "Kim <kim@shop.example>",
        "To": "desk@desk.example",
        "Subject": "Shelves",
        "Message-ID": "<1@shop.example>",
        "Date": "Mon, 21 Sep 2026 14:13:20 +0000",
    }
    said |= {name.replace("_", "-").title().replace("-Id", "-ID"): value for name, value in headers.items()}
    lines = [f"{name}: {value}" for name, value in said.items() if value is not None]
    return "\r\n".join([*lines, "", text, ""])


def raw(text: str = "Which dates are open?", **headers: str | None) -> dict[str, Any]:
    """The payload of such a mail."""
    return {"mail": mail(text, **headers), "uid_validity": 7, "uid": 3, "arrived_at": START}


def read(payload: Any, agent: EmailAgent = ME) -> Event:
    """The facts of a payload from our own mailbox."""
    return facts(payload, agent, received_at=START, authenticated=Fact.YES)


def of(text: str = "Which dates are open?", **headers: str | None) -> Event:
    """The facts of a mail."""
    return read(raw(text, **headers))
