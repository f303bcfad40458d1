"""One mailbox as an account: reads the folder as it grows, and speaks by the submission server (`adapter`).

1. The position is `uidvalidity:uid`, and the mailbox itself keeps everything: nothing is spooled. The first time, what
   is there is history.
2. A mailbox that was made anew (another validity) is read from two days back, and the owner is told: what was decided
   before is known again by its key.
3. IDLE waits for news; without it the server is asked every quarter of a minute. Outages are waited out with growing
   pauses; a refused log-in ends it.
4. A send whose answer was lost can only be looked up where the server itself keeps a copy of what it took
   (`copies_folder`). A copy may take a while to be there; afterwards its absence proves nothing, for ever.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Final

import msgspec

from dragoman.channels.account import Account, Arrival, Batch, Place, Proof
from dragoman.channels.address import pause
from dragoman.channels.email.adapter import EmailChannel, aiosmtplib, leave
from dragoman.channels.email.facts import PLATFORM, encoded, facts
from dragoman.channels.email.mailbox import INBOX, Found, Mailbox, trusting
from dragoman.channels.email.section import EmailSection
from dragoman.channels.email.state import KEY_LENGTH, message_id
from dragoman.channels.secret_file import read_secret
from dragoman.clock import DAY, SECOND
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.identity import Target
from dragoman.words import Fact

PAGE: Final = 20
SETTLES: Final = 15 * SECOND
"""How long after a decision a copy may still appear."""
_ENDS: Final = ("channel_refused", "extra_missing")


def account(section: EmailSection, place: Place) -> Account:
    """The account of one section; its secrets are read now.

    Raises:
        DragomanError: of the private files; `config_invalid` for a key that is too short.
    """
    return EmailAccount(section, place)


class EmailAccount(EmailChannel):
    """Implements `channels.account.Account`. See `account`."""

    def __init__(self, section: EmailSection, place: Place, *, timeout: float = 60.0) -> None:
        key = read_secret(place.at(section.key_file), "the key of our message ids")
        if len(key) < KEY_LENGTH:
            fix = "write 32 random letters and digits there, such as those of `openssl rand -hex 16`"
            raise DragomanError("config_invalid", "the key is too short", where="channels.email.key_file", fix=fix)
        password = read_secret(place.at(section.password_file), "the password")
        clear = section.imap_security == "none" == section.smtp_security
        trusted = None if clear else trusting(place.at(section.ca_file) if section.ca_file else None)
        super().__init__(section, section.agent(key), password, trusted, clock=place.clock, timeout=timeout)
        self._report = place.report
        self._stopped = threading.Event()

    @property
    def name(self) -> str:
        """`email:mailbox`."""
        return f"{PLATFORM}:{self._agent.mailbox}"

    async def open(self) -> None:
        """Log in at both servers.

        Raises:
            DragomanError: `channel_refused` if one does not take us, `channel_unreachable` if nobody answered.
        """
        await asyncio.to_thread(self.newest, 0)
        await self.check_sending()

    async def check_sending(self) -> None:
        """Log in at the submission server.

        Raises:
            DragomanError: as `open`.
        """
        smtp = aiosmtplib()
        where = f"email: {self._section.smtp_host}"
        try:
            async with asyncio.timeout(self._timeout):
                await leave(await self.logged_in())
        except smtp.SMTPResponseException as refused:
            fix = "check the user name, the password file, and that the mailbox may send"
            raise DragomanError("channel_refused", f"answered {refused.code}", where=where, fix=fix) from None
        except (smtp.SMTPException, OSError, ValueError) as failed:
            fix = "check host, port and security of `smtp_`, and the way there"
            raise DragomanError("channel_unreachable", type(failed).__name__, where=where, fix=fix) from None

    async def close(self) -> None:
        """End the reading."""
        self._stopped.set()

    async def events(self, since: str | None) -> AsyncIterator[Batch]:
        """What came into the mailbox after `since`, without end.

        Raises:
            DragomanError: `channel_refused` when the server does not take our log-in any more.
        """
        failures, box = 0, None
        over = threading.Event()
        try:
            while not self._stopped.is_set():
                try:
                    if box is None:
                        box = await asyncio.to_thread(self._opened)
                        begun = await asyncio.to_thread(self._begun, box, since)
                        if begun != since:
                            since = begun
                            yield Batch((), since)
                    uid = _uid(since)
                    found, last = await asyncio.to_thread(box.after, uid, PAGE)
                    failures = 0
                    if last == uid:
                        await asyncio.to_thread(box.wait, lambda: over.is_set() or self._stopped.is_set())
                        continue
                    since = f"{box.validity}:{last}"
                    arrivals = tuple(self._arrival(mail, box.validity) for mail in found)
                except DragomanError as failed:
                    if failed.code in _ENDS:
                        raise
                    failures += 1
                    _close(box)
                    box = None
                    await asyncio.sleep(pause(failures))
                    continue
                yield Batch(arrivals, since)
        finally:
            over.set()
            _close(box)

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of one mail; that it is in our own mailbox proves the connection, its headers prove its author."""
        payload = msgspec.json.decode(raw)
        return facts(payload, self._agent, received_at=received_at, authenticated=Fact.YES)

    async def look_up(self, target: Target, key: str, minted_at: int) -> Proof:
        """YES when the server's own copy of the mail under this key is there."""
        folder = self._section.copies_folder
        if folder is None:
            return Proof(Fact.UNKNOWN, gone=True)
        id = message_id(key, self._agent)
        try:
            there = await asyncio.to_thread(self._kept, folder, id)
        except DragomanError as failed:
            return Proof(Fact.UNKNOWN, gone=failed.code in _ENDS)
        if there:
            return Proof(Fact.YES, evidence=id)
        return Proof(Fact.UNKNOWN, gone=self._clock.now() - minted_at > SETTLES)

    def newest(self, most: int, folder: str = INBOX) -> list[Found]:
        """The heads of the newest mails of a folder. Blocks.

        Raises:
            DragomanError: as `Mailbox`.
        """
        box = self._opened(folder)
        try:
            return box.after(max(0, box.newest - most), most, heads=True)[0] if most else []
        finally:
            box.close()

    def _opened(self, folder: str = INBOX) -> Mailbox:
        return Mailbox(self._section, self._password, self._trusted, folder)

    def _kept(self, folder: str, id: str) -> bool:
        box = self._opened(folder)
        try:
            return bool(box.of_id(id))
        finally:
            box.close()

    def _begun(self, box: Mailbox, since: str | None) -> str:
        """Where reading goes on in the mailbox as it is now."""
        validity, _, uid = (since or "").partition(":")
        if not uid:
            return f"{box.validity}:{box.newest}"
        if validity == str(box.validity):
            return f"{validity}:{uid}"
        back = datetime.fromtimestamp((self._clock.now() - 2 * DAY) // SECOND, UTC)
        told = "the server made the mailbox anew; it is read again from two days back"
        self._report(DragomanError("channel_unreachable", told, where=self.name, fix="look for mails that are missing"))
        return f"{box.validity}:{box.before(back)}"

    def _arrival(self, mail: Found, validity: int) -> Arrival:
        raw = encoded(mail.raw, uid=mail.uid, uid_validity=validity, arrived_at=mail.arrived_at)
        return Arrival(raw, self._clock.now())


def _uid(position: str | None) -> int:
    return int((position or "0:0").partition(":")[2])


def _close(box: Mailbox | None) -> None:
    if box is not None:
        box.close()
