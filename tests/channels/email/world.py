"""The world of the story (`tests/platforms`) on a real Postfix and Dovecot: people with mailboxes, and ours."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import aclosing
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any, ClassVar, Final

import msgspec

from dragoman.channels.email.account import EmailAccount
from dragoman.channels.email.section import EmailSection
from dragoman.identity import Target
from tests.channels.email.road import Road
from tests.channels.email.servers import Servers, place
from tests.platforms.stories import CHAPTERS
from tests.platforms.world import PlatformWorld, Saying

_IN: Final = {
    "group": ("buyer", "jordan", "oper", "crier"),
    "direct": ("buyer",),
    "trio": ("buyer", "jordan"),
    "inside": ("oper",),
    "shared": ("guest", "oper"),
}
"""Who is in a place besides us: whom a mail there goes to."""
_HOMES: Final = {"buyer": "shop", "jordan": "other", "oper": "desk", "crier": "shop", "guest": "partner"}
_NUMBER: Final = itertools.count(1)


class EmailStories(PlatformWorld):
    """One mailbox of ours, and people whose mailboxes are made anew for every story."""

    platform: ClassVar[str] = "email"
    why_not: ClassVar[dict[str, str]] = {"edits": "what was mailed stays as it is"}
    can: ClassVar[frozenset[str]] = CHAPTERS - why_not.keys()

    def __init__(self, mail: Servers, folder: Path) -> None:
        self._mail, self._folder, self._number = mail, folder, next(_NUMBER)
        self._desk = f"desk-{self._number}@desk.example"
        self._people = {who: f"{who}-{self._number}@{home}.example" for who, home in _HOMES.items()}
        self._road = Road(mail.ports["submission"])
        self._serial = itertools.count(1)
        self._called: dict[str, str] = {}
        given = mail.section(self._desk, folder, smtp_port=self._road.port)
        self.account = EmailAccount(msgspec.convert(given, EmailSection), place(folder), timeout=5.0)

    async def open(self) -> None:
        """Log in; from here on every mail is news."""
        await self.account.open()
        async with aclosing(self.account.events(None)) as stream:
            self.position = (await anext(stream)).position

    async def say(self, saying: Saying) -> str:
        """One mail to everybody of the place: to us when it asks us, else in copy to us."""
        who = self._people[saying.who]
        others = [self._people[each] for each in _IN[saying.place] if each != saying.who]
        asked = [self._desk] if saying.mentions or saying.place == "direct" else []
        asked += [self._people[saying.mentions_other]] if saying.mentions_other else []
        asked = asked or others[:1]
        copies = [each for each in (*others, self._desk) if each not in asked]
        mail, id = self._mail_of(saying, who), f"<{self._number}.{next(self._serial)}@people.example>"
        mail["To"], mail["Message-ID"] = ", ".join(asked), id
        if copies:
            mail["Cc"] = ", ".join(copies)
        domain = who.rpartition("@")[2]
        await asyncio.to_thread(self._mail.people_send, mail, *asked, *copies, sender=who, signed=domain)
        return id

    async def rename(self, who: str) -> None:
        """The display name under which our mails are known."""
        self._called[who] = f'"{self._desk}"'

    async def shown(self, place: str) -> list[str]:
        """What the first of a place has from us, to exactly the people of the place."""
        people = {self._people[each] for each in _IN[place]}
        found = []
        for mail in await asyncio.to_thread(self._mail.mails, self._people[_IN[place][0]]):
            to = {address.addr_spec for name in ("To", "Cc") if mail[name] for address in mail[name].addresses}
            body = mail.get_body(("plain",))
            if mail["From"].addresses[0].addr_spec == self._desk and to == people and body is not None:
                found.append(str(body.get_content()).replace("\r\n", "\n").removesuffix("\n"))
        return found

    async def written(self) -> int:
        """Mails that our account submitted, by the server's log, and flags that it set on mails."""
        await asyncio.to_thread(self._mail.settle)
        seen = self._mail.doveadm("fetch", "-u", self._desk, "flags", "mailbox", "INBOX", "all")
        return self._mail.submissions(self._desk) + seen.count("\\Seen")

    def target(self, place: str) -> Target:
        """The people of a place."""
        return Target("email", self._desk, ",".join(sorted(self._people[who] for who in _IN[place])))

    def party(self, who: str) -> str:
        """An address."""
        return self._people[who]

    def section(self, folder: Path) -> dict[str, Any]:
        """`channels.email`."""
        return self._mail.section(self._desk, folder)

    async def lose_answer(self) -> None:
        """The road passes the next mail on, but not its answer."""
        self._road.trouble = "deaf"

    async def close(self) -> None:
        """Close the road."""
        await self.account.close()
        self._road.end()

    def _mail_of(self, saying: Saying, who: str) -> EmailMessage:
        """Who says what; the crier is a machine that says so."""
        mail = EmailMessage()
        mail["From"] = f"{self._called.get(saying.who, saying.who.title())} <{who}>"
        mail["Subject"], mail["Date"] = "Shelves", format_datetime(datetime.now(UTC))
        if saying.who == "crier":
            mail["Auto-Submitted"] = "auto-generated"
        if saying.replies_to:
            mail["In-Reply-To"] = mail["References"] = saying.replies_to
        quoted = f"\n\nOn Monday, Desk <{self._desk}> wrote:\n> @desk {saying.quotes}" if saying.quotes else ""
        mail.set_content(f"{saying.text}{quoted}\n")
        for number in range(saying.files):
            mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename=f"shelf{number}.png")
        return mail
