"""The one story's world on Telegram: a bot, people and groups on telegram-test-api, with what `server.py` says is ours.

People speak by the door that the server has for its clients. A mention is an entity, as Telegram's clients make it from
`@desk_bot`; what we said is read from the server's storage; our writing requests are counted by the server.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from pathlib import Path
from typing import Any, ClassVar

from dragoman.channels.account import Place
from dragoman.channels.inlet import Inlet
from dragoman.channels.telegram.adapter import TelegramAccount
from dragoman.channels.telegram.section import TelegramSection
from dragoman.clock import SystemClock
from dragoman.identity import Target
from tests.channels.telegram.server import BotApi
from tests.platforms.world import PEOPLE, PlatformWorld, Saying

USERNAME = "desk_bot"
PICTURE = {"file_id": "AgACEXAMPLE1", "file_unique_id": "u1", "width": 90, "height": 60}


def entity(kind: str, before: str, text: str, **more: Any) -> dict[str, Any]:
    """The entity that marks `text` behind `before`; lengths are UTF-16's."""
    return {"type": kind, "offset": units(before), "length": units(text), **more}


def units(text: str) -> int:
    """The length of a text in UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


class TelegramWorld(PlatformWorld):
    """See the top of this file."""

    platform = "telegram"
    can: ClassVar[frozenset[str]] = frozenset(
        {
            *("reads_all", "direct", "trio", "inside", "shared", "bots", "quotes", "replies"),
            *("albums", "edits", "renames", "streams"),
        }
    )
    why_not: ClassVar[dict[str, str]] = {"reads_back": "a bot cannot read back what it said"}

    def __init__(self, api: BotApi) -> None:
        self._api = api
        self.bot, self.token = api.bot(USERNAME)
        self._ids = {who: api.user() for who in PEOPLE}
        self._names = {who: who.capitalize() for who in PEOPLE}
        self._albums = itertools.count(13_579_246_801)
        self._said: dict[int, dict[str, Any]] = {}
        id = self._ids
        everybody = [id["buyer"], id["jordan"], id["oper"], id["crier"], self.bot]
        self._chats = {
            "group": api.group(everybody),
            "direct": id["buyer"],
            "trio": api.group([id["buyer"], id["jordan"], self.bot], type="group"),
            "inside": api.group([id["oper"], self.bot]),
            "shared": api.group([id["oper"], id["guest"], self.bot]),
        }
        self._types = dict.fromkeys(self._chats, "supergroup") | {"direct": "private", "trio": "group"}
        api.chat(id["buyer"], type="private", first_name="Buyer", members=[id["buyer"], self.bot])
        self.account = TelegramAccount(self._section(), self.token, "", self.given(), wait=2, spacing=0)

    def _section(self) -> TelegramSection:
        ours = (self._ids["oper"],)
        return TelegramSection(bot_id=self.bot, token_file="token", api_url=self._api.url, colleagues=ours)

    @staticmethod
    def given() -> Place:
        """What a polling account is given."""
        clock: Any = SystemClock()
        return Place(clock=clock, at=Path, spool=clock, inlet=Inlet("127.0.0.1", 0, clock, print), report=print)

    async def say(self, saying: Saying) -> str:
        """A client of the server's says it."""
        text, entities = self._words(saying)
        message = self._message(saying.who, saying.place)
        if saying.replies_to:
            message["reply_to_message"] = self._said[int(saying.replies_to)]
        if not saying.files:
            return await self._tell({**message, "text": text, "entities": entities})
        album = {"media_group_id": str(next(self._albums)), "photo": [PICTURE]}
        first = await self._tell({**message, **album, "caption": text, "caption_entities": entities})
        for _ in range(saying.files - 1):
            await self._tell({**message, **album})
        return first

    def _words(self, saying: Saying) -> tuple[str, list[dict[str, Any]]]:
        if saying.quotes:
            quoted = f"@{USERNAME} {saying.quotes}"
            marks = [entity("blockquote", "", quoted), entity("mention", "", f"@{USERNAME}")]
            return f"{quoted}\n{saying.text}", marks
        if saying.mentions_other:
            name = self._names[saying.mentions_other]
            user = {"id": self._ids[saying.mentions_other], "is_bot": False, "first_name": name}
            return f"{name}, {saying.text}", [entity("text_mention", "", name, user=user)]
        if saying.text.startswith("/"):
            command = saying.text.split()[0] + (f"@{USERNAME}" if saying.mentions else "")
            return command + saying.text.removeprefix(saying.text.split()[0]), [entity("bot_command", "", command)]
        if saying.mentions:
            return f"🙂 @{USERNAME} {saying.text}", [entity("mention", "🙂 ", f"@{USERNAME}")]
        return saying.text, []

    def _message(self, who: str, place: str) -> dict[str, Any]:
        user = {"id": self._ids[who], "is_bot": who == "crier", "first_name": self._names[who]}
        return {"from": user, "chat": {"id": self._chats[place], "type": self._types[place], "title": "Shelf planning"}}

    async def _tell(self, message: dict[str, Any]) -> str:
        id = await asyncio.to_thread(self._api.say, self.token, message)
        self._said[id] = {"message_id": id, "date": int(time.time()), **message}
        return str(id)

    async def edit(self, who: str, place: str, message_id: str, text: str, *, mentions: bool) -> None:
        """The message is changed: an update of its own kind, with all entities anew."""
        words, entities = self._words(Saying(text=text, mentions=mentions))
        now = int(time.time())
        message = {**self._message(who, place), "date": now, "edit_date": now, "text": words, "entities": entities}
        await asyncio.to_thread(self._api.update, self.token, "edited_message", int(message_id), message)

    async def rename(self, who: str) -> None:
        """Anybody may call himself as he likes; usernames alone are unique."""
        self._names[who] = "Desk"

    async def shown(self, place: str) -> list[str]:
        """What the server holds of us there."""
        said = await asyncio.to_thread(self._api.said, self.token, self._chats[place])
        return [each["message"].get("text") or each["message"].get("caption") or "" for each in said]

    async def written(self) -> int:
        """As the server counted."""
        return await asyncio.to_thread(self._api.written, self.bot)

    def target(self, place: str) -> Target:
        """The chat of a place."""
        return Target("telegram", str(self.bot), str(self._chats[place]))

    def party(self, who: str) -> str:
        """The user's id."""
        return str(self._ids[who])

    def section(self, folder: Path) -> dict[str, Any]:
        """The bot's part of a receiver's configuration."""
        token = folder / "telegram.token"
        token.touch(0o600)
        token.write_text(self.token)
        told = {"bot_id": self.bot, "token_file": token.name, "api_url": self._api.url}
        return {**told, "colleagues": [self._ids["oper"]]}

    async def close(self) -> None:
        """Close the connections."""
        assert isinstance(self.account, TelegramAccount)
        await self.account.close()
