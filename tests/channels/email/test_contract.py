"""E-mail keeps the contract that every adapter is held to, on a real Postfix and Dovecot.

What arrived is what lies in the buyer's mailbox. Troubles happen on the road to the submission server; a mail lost on
it or an answer lost on it is waited for as long as the adapter waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import tempfile
from collections.abc import AsyncIterator
from email.message import EmailMessage
from pathlib import Path
from typing import Final

import msgspec
import pytest

from dragoman.channels.email.account import EmailAccount
from dragoman.channels.email.section import EmailSection
from dragoman.gate.operations import Operation
from dragoman.identity import Party, Target
from dragoman.testing import AdapterWorld, Shown, Trouble
from dragoman.testing.channel_laws import ChannelLaws
from tests.channels.email.road import Road
from tests.channels.email.servers import Servers, place

_NUMBER: Final = itertools.count(1)
_ON_THE_ROAD: Final = {
    Trouble.REFUSED: "refused",
    Trouble.RATE_LIMITED: "later",
    Trouble.VANISHED: "lost",
    Trouble.ANSWER_LOST: "deaf",
    Trouble.UNREACHABLE: "",
}


class MailPlace(AdapterWorld):
    """A mailbox of ours and one of a buyer's, and a road between us and the server."""

    def __init__(self, mail: Servers, folder: Path) -> None:
        number = next(_NUMBER)
        self._mail, self._buyer = mail, f"buyer{number}@shop.example"
        self._road = Road(mail.ports["submission"])
        desk = f"desk{number}@desk.example"
        given = mail.section(desk, folder, smtp_port=self._road.port)
        self.channel = EmailAccount(msgspec.convert(given, EmailSection), place(folder), timeout=1.0)
        self.target = Target("email", desk, self._buyer)
        self.somebody = Party("email", desk, self._buyer)
        self.message_id = f"<asked-{number}@shop.example>"
        asked = EmailMessage()
        asked["From"], asked["To"], asked["Subject"], asked["Message-ID"] = self._buyer, desk, "List", self.message_id
        asked.set_content("the list?")
        mail.people_send(asked, desk, sender=self._buyer, signed="shop.example")

    async def shown(self, operation: Operation) -> list[Shown]:
        """What lies in the buyer's mailbox, by our own header that says how it left."""
        mails = await asyncio.to_thread(self._mail.mails, self._buyer)  # meanwhile connections are closed
        return [_shown(each) for each in mails if each["X-Dragoman"] == str(operation)]

    def trouble(self, kind: Trouble) -> contextlib.AbstractAsyncContextManager[None] | None:
        """The road fails; who is in a channel is never looked up."""
        return self._failing(kind) if kind in _ON_THE_ROAD else None

    @contextlib.asynccontextmanager
    async def _failing(self, kind: Trouble) -> AsyncIterator[None]:
        self._road.trouble = _ON_THE_ROAD[kind]
        if kind is Trouble.UNREACHABLE:
            self._road.end()
        yield
        if kind is Trouble.UNREACHABLE:
            self._road = Road(self._mail.ports["submission"], self._road.port)
        self._road.trouble = ""

    def close(self) -> None:
        """Close the road."""
        self._road.end()


def _shown(mail: EmailMessage) -> Shown:
    body = mail.get_body(("plain",))
    text = "" if body is None else body.get_content().replace("\r\n", "\n").removesuffix("\n")
    parts = mail.iter_attachments() if mail.is_multipart() else ()
    files = tuple((str(part.get_filename()), part.get_payload(decode=True)) for part in parts)
    return Shown(str(mail["Message-ID"]).strip(), text, files)  # type: ignore[arg-type]


@pytest.mark.platforms
@pytest.mark.slow
class TestEmailChannel(ChannelLaws):
    """The channel, on real servers; each law between mailboxes of its own."""

    @pytest.fixture(autouse=True)
    def _servers(self, mail: Servers) -> None:
        self.mail = mail

    @contextlib.asynccontextmanager
    async def world(self) -> AsyncIterator[AdapterWorld]:
        """Fresh mailboxes."""
        with tempfile.TemporaryDirectory() as folder:
            found = MailPlace(self.mail, Path(folder))
            try:
                yield found
            finally:
                found.close()
