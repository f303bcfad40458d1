"""WhatsApp as a world of the one story: chats on the loopback server, a number of ours, webhooks by a real port.

WhatsApp marks no mention, so a group asks us by answering a message of ours, which stood there before the story.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar, Final

from dragoman.channels.account import Place
from dragoman.channels.inlet import Inlet
from dragoman.channels.spool import Spool
from dragoman.channels.whatsapp.account import account
from dragoman.channels.whatsapp.section import WhatsAppSection
from dragoman.clock import HOUR, Clock, SystemClock
from dragoman.identity import Target
from tests.channels.whatsapp.graph_server import GraphServer, Number
from tests.platforms.world import PlatformWorld, Saying

PEOPLE: Final = {"buyer": "16505551234", "jordan": "16505559999", "oper": "14155550100", "guest": "14155550111"}
GROUPS: Final = {
    "group": "Y2FwaV9ncm91cDoxNTU1MDc4Mzg4MToxMjAzNjM0",
    "trio": "Y2FwaV9ncm91cDoxNTU1MDc4Mzg4MToxMjAzNjM1",
    "shared": "Y2FwaV9ncm91cDoxNTU1MDc4Mzg4MToxMjAzNjM2",
}
OURS: Final = "wamid.HBgLearlier"
"""The message of ours that everybody can answer."""


def written(folder: Path, number: Number, url: str, **more: Any) -> dict[str, Any]:
    """The section of a number; its secrets are put into `folder`."""
    secrets = {"token": number.token, "app_secret": number.app_secret, "verify_token": number.word}
    for name, secret in secrets.items():
        path = folder / f"whatsapp.{name}"
        path.touch(0o600)
        path.write_text(secret)
    files = {f"{name}_file": f"whatsapp.{name}" for name in secrets}
    return {
        "phone_number_id": number.phone_number_id,
        "business_id": number.business_id,
        "api_url": url,
        "status_seconds": 1.0,
        **files,
        **more,
    }


@contextlib.asynccontextmanager
async def listening(folder: Path, clock: Clock | None = None) -> AsyncIterator[Place]:
    """A place whose inlet takes a free port."""
    problems: list[Exception] = []
    clock = clock or SystemClock()
    inlet = Inlet("127.0.0.1", 0, clock, problems.append)
    spools = lambda name: Spool(folder / f"{name}.db", clock)  # noqa: E731
    try:
        yield Place(clock=clock, at=lambda name: folder / name, spool=spools, inlet=inlet, report=problems.append)
    finally:
        await inlet.close()
    assert [] == problems


class WhatsAppWorld(PlatformWorld):
    """See the top of this file."""

    platform: ClassVar[str] = "whatsapp"
    can: ClassVar[frozenset[str]] = frozenset(
        {"reads_all", "direct", "trio", "shared", "replies", "edits", "renames", "streams", "reads_back"}
    )
    why_not: ClassVar[dict[str, str]] = {
        "inside": "every chat is with customers: no target is ever internal",
        "bots": "the platform marks no bots",
        "quotes": "a quote is a pointer; its text does not travel",
        "albums": "each picture is a message of its own, and nothing says that they belong together",
    }

    def __init__(self, folder: Path, number: Number, url: str, place: Place) -> None:
        self._number, self._url = number, url
        self.account = account(WhatsAppSection(**written(folder, number, url)), place)

    async def opened(self) -> WhatsAppWorld:
        """Open the account. An hour ago somebody wrote in each chat, so that the 24 hours run."""
        await self.account.open()
        for group in ("", *GROUPS.values()):
            self._number.say(PEOPLE["buyer"], "good morning", group=group, ago_ms=HOUR)
        return self

    async def say(self, saying: Saying) -> str:
        """Somebody writes."""
        group, context = GROUPS.get(saying.place, ""), {}
        if saying.mentions and group:
            context = {"context": {"from": self._number.display, "id": OURS}}
        if saying.mentions_other:
            context = {"context": {"from": PEOPLE[saying.mentions_other], "id": "wamid.HBgLother"}}
        if saying.replies_to:
            context = {"context": {"from": self._number.display, "id": saying.replies_to}}
        return self._number.say(PEOPLE[saying.who], saying.text, group=group, **context)

    async def edit(self, who: str, place: str, message_id: str, text: str, *, mentions: bool) -> None:
        """Somebody changes what he said."""
        self._number.edits(PEOPLE[who], message_id, text, group=GROUPS.get(place, ""))

    async def rename(self, who: str) -> None:
        """Somebody takes our name."""
        self._number.names[PEOPLE[who]] = "Desk"

    async def shown(self, place: str) -> list[str]:
        """What the chat shows of us."""
        return [sent.text for sent in self._number.sent if sent.body["to"] == self.target(place).channel]

    async def written(self) -> int:
        """Writing requests that the server counted, once it has told us everything."""
        while not self._number.idle():
            await asyncio.sleep(0.01)
        return self._number.writes

    def target(self, place: str) -> Target:
        """A group's id, or the buyer's number."""
        return Target("whatsapp", self._number.phone_number_id, GROUPS.get(place, PEOPLE["buyer"]))

    def party(self, who: str) -> str:
        """A person's number."""
        return PEOPLE.get(who, "10000000000")

    def section(self, folder: Path) -> dict[str, Any]:
        """The account's part of a configuration."""
        return written(folder, self._number, self._url)

    async def close(self) -> None:
        """Close the account."""
        await self.account.close()


@contextlib.asynccontextmanager
async def whatsapp_world(server: GraphServer, folder: Path) -> AsyncIterator[WhatsAppWorld]:
    """A fresh number, its account opened."""
    async with listening(folder) as place:
        number = server.number()
        number.callback = lambda: f"http://127.0.0.1:{place.inlet.port}/whatsapp" if place.inlet.port else ""
        world = WhatsAppWorld(folder, number, server.url, place)
        try:
            yield await world.opened()
        finally:
            await asyncio.to_thread(number.close)
            await world.close()
