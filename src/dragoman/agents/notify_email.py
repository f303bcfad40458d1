"""Tells the owner by e-mail, through one SMTP server (spec 2 §2).

connect → TLS → log in → MAIL → RCPT → DATA. Only 250 after the whole message is `delivered`: the server has taken it
over. Whether it reaches the mailbox, or is read, is not known.

1. What fails before the message's first byte left, or is answered with 4xx or 5xx at its end → `failed`: by SMTP's
   rules the server has not taken it. A lost connection or a lost answer in between → `uncertain`.
2. TLS with a checked certificate, from the first byte or by STARTTLS before anything is said; in the clear only to a
   loopback address.
3. The `Message-ID` is made of the notification id: an attempt under the same id is recognisable as the same message.
4. Subject and headers hold only words and addresses of the configuration; addresses are strict, so nothing can add a
   header. A text in any language is UTF-8, encoded so that every server takes it.
5. The password is read from a private file at each call and is in no error and no log.
"""

from __future__ import annotations

import asyncio
import hashlib
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import msgspec

from dragoman.agents.notifier import Notification, Told
from dragoman.agents.notify_addresses import PORTS, Mailbox, refused_mailbox
from dragoman.agents.notify_words import body, title
from dragoman.agents.openai import read_key
from dragoman.agents.tls import trusting
from dragoman.clock import SECOND, Clock
from dragoman.errors import DragomanError
from dragoman.words import NotificationState


class EmailNotifier:
    """One mailbox of the owner.

    Args:
        mailbox: see there.
        password_file: the private file with the password of `username`, or None.
        ca_file: certificates to trust instead of the usual ones, or None.
        time_ms: limit of one whole exchange.

    Raises:
        DragomanError: `config_invalid` for an address or a server in the clear.
    """

    kind = "email"

    def __init__(
        self,
        mailbox: Mailbox,
        *,
        password_file: Path | None = None,
        ca_file: Path | None = None,
        language: str = "en",
        clock: Clock,
        time_ms: int = 30_000,
    ) -> None:
        if (wrong := refused_mailbox(mailbox)) is not None:
            raise DragomanError("config_invalid", wrong[1], where=f"notifier.email.{wrong[0]}", fix=wrong[2])
        self._mailbox = mailbox
        self._password_file, self._ca_file = password_file, ca_file
        self._language = language
        self._clock = clock
        self._time_s = time_ms / SECOND

    def fingerprint(self) -> str:
        """Server, port, security, both addresses and the account."""
        return hashlib.sha256(msgspec.json.encode([self.kind, self._mailbox])).hexdigest()

    def ready(self) -> bool:
        """A server may always be asked."""
        return True

    async def check(self) -> dict[str, str]:
        """Whether the server takes our log-in; no message is begun.

        Raises:
            DragomanError: `extra_missing`, `key_invalid`, `config_invalid` or `not_ready`.
        """
        smtp = _aiosmtplib()
        try:
            async with asyncio.timeout(min(self._time_s, 10)):
                client = await self._logged_in(smtp)
                await _leave(client)
        except (smtp.SMTPException, OSError, TimeoutError) as error:
            fix = "check server, port, security, account and password file"
            raise DragomanError("not_ready", _why(error), where="notifier.email", fix=fix) from None
        return {"server": self._mailbox.server, "logged_in": "yes" if self._mailbox.username else "no"}

    async def notify(self, notification: Notification) -> Told:
        """Send it once; never raises for what the server does."""
        message = self.message(notification).as_bytes()
        begun: list[bool] = []
        try:
            async with asyncio.timeout(self._time_s):
                return await self._send(message, begun)
        except TimeoutError:
            state = NotificationState.UNCERTAIN if begun else NotificationState.FAILED
            return Told(state, "timeout", slow=True)

    def message(self, notification: Notification) -> EmailMessage:
        """The e-mail of one notification."""
        box = self._mailbox
        message = EmailMessage(policy=SMTP_POLICY)
        message["From"] = Address(addr_spec=box.sender)
        message["To"] = Address(addr_spec=box.to)
        message["Subject"] = f"[Dragoman] {title(notification.milestone, self._language)}"
        message["Date"] = format_datetime(datetime.fromtimestamp(self._clock.now() // SECOND, UTC))
        message["Message-ID"] = f"<{notification.notification_id}@{box.sender.rpartition('@')[2]}>"
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(body(notification, self._language), cte="base64")
        return message

    async def _send(self, message: bytes, begun: list[bool]) -> Told:
        client = None
        try:
            smtp = _aiosmtplib()
        except DragomanError as error:
            return Told(NotificationState.FAILED, _why(error))
        try:
            client = await self._logged_in(smtp)
            await client.mail(self._mailbox.sender)
            await client.rcpt(self._mailbox.to)
            begun.append(True)
            answer = await client.data(message)
        except smtp.SMTPResponseException as error:  # an answer in so many words: it was not taken
            state = NotificationState.FAILED if error.code >= 400 else NotificationState.UNCERTAIN
            return Told(state, f"refused: {error.code}", str(error.message)[:500])
        except (smtp.SMTPException, OSError, DragomanError) as error:
            state = NotificationState.UNCERTAIN if begun else NotificationState.FAILED
            return Told(state, _why(error), slow=isinstance(error, TimeoutError))
        finally:
            if client is not None:
                await _leave(client)
        return Told(NotificationState.DELIVERED, evidence=f"{answer.code} {answer.message}"[:500])

    async def _logged_in(self, smtp: Any) -> Any:
        """A connection on which a message may be begun."""
        box = self._mailbox
        password = None if self._password_file is None else read_key(self._password_file)
        client = smtp.SMTP(
            hostname=box.server,
            port=box.port or PORTS[box.security],
            local_hostname=box.sender.rpartition("@")[2],
            use_tls=box.security == "tls",
            start_tls=box.security == "starttls",
            tls_context=None if box.security == "none" else trusting(self._ca_file),
            timeout=self._time_s,
        )
        try:
            await client.connect()
            if password is not None:
                await client.login(box.username, password)
        except BaseException:
            client.close()
            raise
        return client


async def _leave(client: Any) -> None:
    """Say good-bye, briefly; what was answered before stands."""
    try:
        async with asyncio.timeout(1):
            await client.quit()
    except Exception:  # noqa: BLE001  whatever it is, the message's own answer is known by now
        client.close()


def _why(error: BaseException) -> str:
    """The kind of an error; its text may quote what was sent."""
    if isinstance(error, DragomanError):
        return f"{error.code}: {error.detail}"
    return type(error).__name__


def _aiosmtplib() -> Any:
    try:
        import aiosmtplib
    except ImportError as error:
        raise DragomanError("extra_missing", "aiosmtplib", fix="pip install 'dragoman[mail]'") from error
    return aiosmtplib
