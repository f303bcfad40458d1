"""An SMTP server on the loopback (aiosmtpd): keeps what it was given, and behaves in a chosen way.

`answer` is one of: ok, full (452 after the message), refuse (554 after the message), no_rcpt (550), busy (421 at MAIL),
hang (takes the message and does not answer), cut (takes it and hangs up), odd (251 after the message).
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP as Server
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword, Session


class Post:
    """One server; `messages` holds what arrived whole, `envelopes` its addresses."""

    def __init__(self, answer: str = "ok", **options: Any) -> None:
        self.answer = answer
        self.messages: list[EmailMessage] = []
        self.raw: list[bytes] = []
        self.envelopes: list[tuple[str | None, list[str]]] = []
        self.helos: list[str | None] = []
        self.stop = asyncio.Event()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port, **options)
        self._controller.start()

    def close(self) -> None:
        """Stop listening."""
        self._controller.loop.call_soon_threadsafe(self.stop.set)
        self._controller.stop()

    async def handle_MAIL(
        self, server: Server, session: Session, envelope: Envelope, address: str, options: Any
    ) -> str:
        """The sender."""
        if self.answer == "busy":
            return "421 come back later"
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(
        self, server: Server, session: Session, envelope: Envelope, address: str, options: Any
    ) -> str:
        """The recipient."""
        if self.answer == "no_rcpt":
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Server, session: Session, envelope: Envelope) -> str:
        """The message."""
        raw = envelope.content
        assert isinstance(raw, bytes)
        self.raw.append(raw)
        self.messages.append(message_from_bytes(raw, policy=policy.default))  # type: ignore[arg-type]
        self.envelopes.append((envelope.mail_from, envelope.rcpt_tos))
        self.helos.append(session.host_name)
        if self.answer == "hang":
            await self.stop.wait()
        if self.answer == "cut":
            assert server.transport is not None
            server.transport.close()
        answers = {"full": "452 no room", "refuse": "554 no", "odd": "251 elsewhere"}
        return answers.get(self.answer, "250 taken as 4F2A")


@contextmanager
def posted(answer: str = "ok", **options: Any) -> Iterator[Post]:
    """A server for one test."""
    post = Post(answer, **options)
    try:
        yield post
    finally:
        post.close()


def locked(context: ssl.SSLContext, password: str) -> dict[str, Any]:
    """Options of a server that takes STARTTLS first and this password of `desk` then."""

    def right(server: Server, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        good = isinstance(data, LoginPassword) and (data.login, data.password) == (b"desk", password.encode())
        return AuthResult(success=good)

    return {"tls_context": context, "require_starttls": True, "authenticator": right, "auth_required": True}
