"""The mailbox, by IMAP (imap-tools): where reading stands, what is new, and mails by their id. It blocks: for threads.

1. The folder is opened read-only and mails are peeked at: nothing is marked as seen, and nobody who shares the mailbox
   sees that we read.
2. TLS with a checked certificate before the password is said; in the clear only on the loopback (`section`).
3. A mail is fetched up to `SIZE_LIMIT` bytes; how the server names its time is epoch ms.
4. The server's refusal of our log-in or folder is `channel_refused`; all else that fails is `channel_unreachable`.
"""

from __future__ import annotations

import contextlib
import imaplib
import os
import re
import ssl
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from dragoman.channels.email.mime import SIZE_LIMIT
from dragoman.channels.email.section import IMAP_PORTS, EmailSection
from dragoman.clock import SECOND
from dragoman.errors import DragomanError

INBOX: Final = "INBOX"
TIME: Final = 20.0
"""Seconds that one exchange may take."""
COPIES: Final = 5
"""Mails of one message id that are looked at."""
_POLL: Final = 0.5
_LONGEST: Final = {True: 240.0, False: 15.0}
"""Seconds after which a server with IDLE, or without it, is asked anew."""
_TIME: Final = re.compile(rb'INTERNALDATE "([^"]{1,40})"')


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """One mail of the folder; `raw` is empty when the server cannot read it. `arrived_at` is epoch ms, 0 if unknown."""

    uid: int
    raw: bytes
    arrived_at: int


class Mailbox:
    """One logged-in connection with a folder open: its `validity`, and the uid of its `newest` mail, or what it would
    have been.

    Raises:
        DragomanError: `channel_refused`, `channel_unreachable`, `extra_missing`.
    """

    def __init__(
        self, section: EmailSection, password: str, trusted: ssl.SSLContext | None, folder: str = INBOX
    ) -> None:
        self._host = section.imap_host
        self._idling = threading.Event()
        self._grown = False
        with _failing(self._host):
            self._box = _connected(section, trusted)
            try:
                self._box.login(section.login, password, initial_folder=None)
                status = self._box.folder.status(folder, ["UIDVALIDITY", "UIDNEXT"])
                self.validity, self.newest = int(status["UIDVALIDITY"]), int(status["UIDNEXT"]) - 1
                self._box.folder.set(folder, readonly=True)
            except BaseException:
                self.close()
                raise
        self._idles = "IDLE" in self._box.client.capabilities

    def close(self) -> None:
        """Leave; the connection may be gone in any way."""
        with contextlib.suppress(OSError, imaplib.IMAP4.error, AttributeError, ValueError):
            self._box.client.shutdown()

    def after(self, uid: int, most: int, *, heads: bool = False) -> tuple[list[Found], int]:
        """The oldest `most` mails after `uid`, or their heads, and the uid up to which that is."""
        what = f"BODY.PEEK[HEADER]<0.{SIZE_LIMIT}>" if heads else f"BODY.PEEK[]<0.{SIZE_LIMIT + 1}>"
        untagged = self._box.client.untagged_responses
        with _failing(self._host):
            untagged.pop("EXISTS", None)
            newer = sorted(each for each in self._uids(f"UID {uid + 1}:*") if each > uid)[:most]
            found = [self._fetched(each, what) for each in newer]
            self._grown = "EXISTS" in untagged
            return [mail for mail in found if mail is not None], newer[-1] if newer else uid

    def before(self, day: datetime) -> int:
        """The uid before the first mail that came on this day or later; that of the newest without one."""
        with _failing(self._host):
            return min((uid - 1 for uid in self._uids(f"SINCE {day:%d-%b-%Y}")), default=self.newest)

    def of_id(self, id: str) -> list[Found]:
        """The heads of the newest mails with this message id, newest first."""
        if not id.isascii() or not id.isprintable() or '"' in id or "\\" in id:
            return []
        with _failing(self._host):
            newest = sorted(self._uids(f'HEADER Message-ID "{id}"'), reverse=True)[:COPIES]
            found = [self._fetched(uid, f"BODY.PEEK[HEADER]<0.{SIZE_LIMIT}>") for uid in newest]
            return [mail for mail in found if mail is not None]

    def wait(self, stopped: Callable[[], bool]) -> None:
        """Until the server says something, or long enough, or `stopped`. What it said while `after` was asking, behind
        the answer, it does not say again."""
        if self._grown:
            return
        waited = 0.0
        with _failing(self._host):
            if not self._idles:
                while waited < _LONGEST[False] and not stopped():
                    self._idling.wait(_POLL)
                    waited += _POLL
                self._box.client.noop()
                return
            with self._box.idle as idle:
                while waited < _LONGEST[True] and not stopped() and not idle.poll(timeout=_POLL):
                    waited += _POLL

    def _uids(self, criteria: str) -> list[int]:
        return [int(each) for each in self._box.uids(criteria)]

    def _fetched(self, uid: int, what: str) -> Found | None:
        """One mail, or None when it was taken away meanwhile."""
        kind, answer = self._box.client.uid("FETCH", str(uid), f"(UID INTERNALDATE {what})")
        if kind != "OK":
            return Found(uid=uid, raw=b"", arrived_at=0)
        pieces = [each for each in answer or [] if isinstance(each, tuple)]
        if not pieces:
            return None
        heads = [each[0] if isinstance(each, tuple) else each for each in answer]
        said = _TIME.search(b" ".join(head for head in heads if isinstance(head, bytes)))
        return Found(uid=uid, raw=bytes(pieces[0][1]), arrived_at=_ms(said[1].decode("ascii")) if said else 0)


def trusting(ca_file: Path | None) -> ssl.SSLContext:
    """Whose certificates are believed: those of one file, or what this system trusts, whatever the environment says.

    Raises:
        DragomanError: `config_invalid` when the file holds no certificates.
    """
    trusted = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusted.minimum_version = ssl.TLSVersion.TLSv1_2
    system = ssl.get_default_verify_paths()
    file = str(ca_file) if ca_file else system.openssl_cafile if os.path.isfile(system.openssl_cafile) else None
    folder = None if ca_file or not os.path.isdir(system.openssl_capath) else system.openssl_capath
    try:
        trusted.load_verify_locations(file, folder)
    except (OSError, TypeError) as failed:
        fix = "name a PEM file of certificates" if ca_file else "install this system's certificates, or name `ca_file`"
        raise DragomanError("config_invalid", type(failed).__name__, where="channels.email.ca_file", fix=fix) from None
    return trusted


def _connected(section: EmailSection, trusted: ssl.SSLContext | None) -> Any:
    tools = _imap_tools()
    host, port = section.imap_host, section.imap_port or IMAP_PORTS[section.imap_security]
    match section.imap_security:
        case "tls":
            return tools.MailBox(host, port, timeout=TIME, ssl_context=trusted)
        case "starttls":
            return tools.MailBoxStartTls(host, port, timeout=TIME, ssl_context=trusted)
    return tools.MailBoxUnencrypted(host, port, timeout=TIME)


def _ms(time: str) -> int:
    """The server's time in epoch ms; 0 for one that cannot be read."""
    try:
        return int(datetime.strptime(time.strip(), "%d-%b-%Y %H:%M:%S %z").timestamp()) * SECOND
    except ValueError:
        return 0


@contextlib.contextmanager
def _failing(host: str) -> Iterator[None]:
    """What the server or the way to it does, as an error of the house; its words may quote what was said."""
    tools = _imap_tools()
    try:
        yield
    except (tools.MailboxLoginError, tools.MailboxFolderSelectError, tools.MailboxFolderStatusError) as refused:
        fix = "check the user name, the password file, the folder, and that IMAP is switched on for the mailbox"
        raise DragomanError("channel_refused", type(refused).__name__, where=f"email: {host}", fix=fix) from None
    except (tools.ImapToolsError, imaplib.IMAP4.error, OSError, EOFError, ValueError, KeyError) as failed:
        fix = "check host, port and security of `imap_`, and the way there"
        raise DragomanError("channel_unreachable", type(failed).__name__, where=f"email: {host}", fix=fix) from None


def _imap_tools() -> Any:
    try:
        import imap_tools
    except ImportError as missing:
        raise DragomanError(
            "extra_missing", str(missing), where="email", fix="install it with `pip install 'dragoman[mail]'`"
        ) from missing
    return imap_tools
