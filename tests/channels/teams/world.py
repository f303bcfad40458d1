"""Teams as a world of the one story: Microsoft's emulator, our bot on it, activities through a real port.

The emulator lets one person write, and hands a group's message on only when it mentions the bot. What the others say,
what mentions nobody, and edits are put in as custom activities, which it hands on as they are, in its own shape.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Final

from dragoman.channels.account import Place
from dragoman.channels.inlet import Inlet
from dragoman.channels.spool import Spool
from dragoman.channels.teams.account import account
from dragoman.channels.teams.section import TeamsSection
from dragoman.clock import SystemClock
from dragoman.identity import Target
from tests.channels.teams.emulator import APP, SECRET, Emulator
from tests.platforms.world import PlatformWorld, Saying

WHO: Final = {"buyer": 0, "jordan": 1, "oper": 2, "guest": 3}
"""Person → number among the emulator's people; the first is the one who writes by its own client."""
_serial = itertools.count(1_790_000_000_000)


def written(folder: Path, emulator: Emulator, **more: Any) -> dict[str, Any]:
    """The section of the bot; its secret is put into `folder`."""
    path = folder / "teams.secret"
    path.touch(0o600)
    path.write_text(SECRET)
    return {
        "app_id": APP,
        "tenant_id": emulator.config["tenantId"],
        "recipient_id": emulator.config["bot"]["id"],
        "secret_file": "teams.secret",
        "service_url": emulator.logins.service_url,
        "login_url": emulator.logins.url,
        "openid_url": f"{emulator.logins.url}/openid",
        **more,
    }


@contextlib.asynccontextmanager
async def listening(folder: Path) -> AsyncIterator[Place]:
    """A place whose inlet takes a free port."""
    problems: list[Exception] = []
    clock = SystemClock()
    inlet = Inlet("127.0.0.1", 0, clock, problems.append)

    def spool(name: str) -> Spool:
        return Spool(folder / f"{name}.db", clock)

    try:
        yield Place(clock=clock, at=lambda name: folder / name, spool=spool, inlet=inlet, report=problems.append)
    finally:
        await inlet.close()
    assert [] == problems


class People:
    """What people do in the emulator's conversations."""

    def __init__(self, emulator: Emulator) -> None:
        self._emulator, config = emulator, emulator.config
        self.people = [config["currentUser"], *config["users"]]
        team, announcements = config["teams"][0]["channels"][:2]
        self.places = {
            "group": announcements["id"],
            "direct": config["personalChat"]["id"],
            "trio": config["groupChats"][0]["id"],
            "inside": team["id"],
        }

    def by_client(self, saying: Saying) -> str:
        """The first person writes by the emulator's own client; the id that the activity got."""
        bot, passed = self._emulator.config["bot"], self._emulator.logins.passed
        before = len(passed)
        text, mentions = saying.text, []
        if saying.mentions:
            text = f"<at>{bot['name']}</at> {text}"
            mentions = [{"mentioned": {"id": bot["id"]}, "text": f"<at>{bot['name']}</at>"}]
        body = {"from": {"id": self.people[0]["id"]}, "text": text, "textFormat": "plain", "mentions": mentions}
        self._emulator.ask("POST", f"/_conversation/v1/conversations/{self.places[saying.place]}/messages", body)
        while True:  # what was put in before may pass only now
            for each in passed[before:]:
                if saying.text in each.get("text", ""):
                    return str(each["id"])
            time.sleep(0.01)

    def custom(self, saying: Saying, **more: Any) -> str:
        """Anybody does anything, as the emulator's custom activity."""
        config, person = self._emulator.config, self.people[WHO.get(saying.who, 4)]
        bot, kind = config["bot"], {"direct": "personal", "trio": "groupChat"}.get(saying.place, "channel")
        entities, text = [], saying.text
        for asked, who in ((saying.mentions, bot), (saying.mentions_other, self.people[1])):
            if asked:
                entities.append({"type": "mention", "mentioned": {"id": who["id"], "name": who["name"]}})
                entities[-1]["text"] = f"<at>{who['name']}</at>"
                text = f"<at>{who['name']}</at> {text}"
        sender = {"id": person["id"], "name": person["name"], "aadObjectId": person["aadObjectId"]}
        if saying.who == "crier":
            sender = {"id": "28:another-bot", "name": "Crier", "role": "bot"}
        activity = {
            "type": "message",
            "id": str(next(_serial)),
            "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "channelId": "msteams",
            "from": sender,
            "recipient": {"id": bot["id"], "name": bot["name"]},
            "conversation": {
                "id": self.places[saying.place],
                "conversationType": kind,
                "tenantId": config["tenantId"],
                **({} if kind == "personal" else {"isGroup": True}),
            },
            "text": text,
            "textFormat": "plain",
            "entities": entities,
            "channelData": {"tenant": {"id": config["tenantId"]}},
        }
        if saying.quotes:
            html = f'<blockquote itemtype="http://schema.skype.com/Reply"><p>{saying.quotes}</p></blockquote>'
            quote = {"contentType": "text/html", "content": f"{html}<p>{saying.text}</p>"}
            activity |= {"text": f"{saying.quotes}\n\n{saying.text}", "attachments": [quote]}
        activity |= more
        self._emulator.ask("POST", "/_internal/v1/customActivities", activity)
        return str(activity["id"])


class TeamsWorld(PlatformWorld):
    """See the top of this file."""

    platform: ClassVar[str] = "teams"
    can: ClassVar[frozenset[str]] = frozenset(
        {"reads_all", "direct", "trio", "inside", "bots", "quotes", "edits", "renames", "streams"}
    )
    why_not: ClassVar[dict[str, str]] = {
        "shared": "the emulator knows one organisation and no guests; shown by tables (`test_facts`, `tests/cases`)",
        "replies": "Teams proves no reply to the agent",
        "albums": "files come in one message, which is no album",
        "reads_back": "a bot cannot read messages back",
    }

    def __init__(self, folder: Path, emulator: Emulator, place: Place) -> None:
        self._emulator, self._people = emulator, People(emulator)
        self.account = account(TeamsSection(**written(folder, emulator)), place)
        self._shown_before = len(emulator.shown)

    async def say(self, saying: Saying) -> str:
        """Somebody says something."""
        plain = saying.who == "buyer" and not (saying.mentions_other or saying.quotes)
        by_client = plain and (saying.mentions or saying.place == "direct")
        say = self._people.by_client if by_client else self._people.custom
        return await asyncio.to_thread(say, saying)

    async def edit(self, who: str, place: str, message_id: str, text: str, *, mentions: bool) -> None:
        """Somebody changes what he said."""
        config = self._emulator.config
        data = {"eventType": "editMessage", "tenant": {"id": config["tenantId"]}}
        saying = Saying(who=who, place=place, text=text, mentions=mentions)
        more = {"type": "messageUpdate", "id": message_id, "channelData": data}
        await asyncio.to_thread(lambda: self._people.custom(saying, **more))

    async def rename(self, who: str) -> None:
        """Somebody takes our name."""
        self._people.people[WHO[who]] = {**self._people.people[WHO[who]], "name": self._emulator.config["bot"]["name"]}

    async def shown(self, place: str) -> list[str]:
        """What a client of the emulator shows of us."""
        channel = self._people.places[place]
        return [text for at, _, text in self._emulator.shown[self._shown_before :] if at == channel]

    async def written(self) -> int:
        """Requests of ours that write."""
        return sum(not request.startswith("GET ") for request in self._emulator.way.requests)

    def target(self, place: str) -> Target:
        """A conversation of the tenant."""
        return Target("teams", self._emulator.config["tenantId"], self._people.places[place])

    def party(self, who: str) -> str:
        """A person's object id."""
        return str(self._people.people[WHO.get(who, 4)]["aadObjectId"])

    def section(self, folder: Path) -> dict[str, Any]:
        """The account's part of a configuration."""
        return written(folder, self._emulator)

    async def close(self) -> None:
        """Close the account."""
        await self.account.close()


@contextlib.asynccontextmanager
async def teams_world(emulator: Emulator, folder: Path) -> AsyncIterator[TeamsWorld]:
    """The bot, opened; the emulator hands activities on to it."""
    async with listening(folder) as place:
        world = TeamsWorld(folder, emulator, place)
        emulator.logins.callback = lambda: (
            f"http://127.0.0.1:{place.inlet.port}/api/messages" if place.inlet.port else ""
        )
        try:
            await world.account.open()
            yield world
        finally:
            emulator.logins.callback = lambda: ""
            await world.close()
