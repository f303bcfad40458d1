"""The world of the story (`tests/platforms`) on a Slack by others: people with tokens of their own, conversations, us.

Messages of people carry the rich-text blocks that clients write; `old` writes them without, as old clients do. A guest
is one by the wrapper around the server (`emulate_slack.mjs`), which knows no guests itself.
"""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar, Final

from dragoman.channels.account import Place
from dragoman.channels.inlet import Inlet
from dragoman.channels.slack.account import SlackAccount
from dragoman.channels.slack.section import SlackSection
from dragoman.channels.spool import Spool
from dragoman.clock import SystemClock
from dragoman.identity import Target
from tests.channels.slack.server import APP, CRIER, DESK, SECRET, TEAM, TOKEN, Slack, shown
from tests.e2e.counting import proxy
from tests.platforms.stories import CHAPTERS
from tests.platforms.world import PlatformWorld, Saying
from tests.postgres import free_port

_SENDS: Final = re.compile(r"POST /api/chat\.postMessage")


class SlackWorld(PlatformWorld):
    """One app of ours, and conversations that are made anew for every story."""

    platform: ClassVar[str] = "slack"
    why_not: ClassVar[dict[str, str]] = {"replies": "Slack has threads, and no reply to one message"}
    can: ClassVar[frozenset[str]] = CHAPTERS - why_not.keys()

    def __init__(self, slack: Slack, folder: Path, *, old: bool = False, pace: float = 0.0) -> None:
        self._slack, self._old, self._open = slack, old, ExitStack()
        self._ids = {**slack.users, "crier": CRIER}
        self._channels = {
            "group": slack.channel("buyer", "jordan", "oper", "crier", "desk"),
            "inside": slack.channel("oper", "desk", private=True),
            "shared": slack.channel("oper", "guest", "desk", private=True),
            "direct": self._opened("buyer", DESK),
            "trio": self._opened("buyer", f"{DESK},{slack.users['jordan']}"),
        }
        slack.world("outsiders", users=[slack.users["guest"]], channels=[self._channels["shared"]])
        self._way = self._open.enter_context(proxy(slack.url))
        self.port = free_port()
        clock = SystemClock()
        self.reported: list[Exception] = []
        inlet = Inlet("127.0.0.1", self.port, clock, self.reported.append)
        place = Place(
            clock=clock,
            at=folder.joinpath,
            spool=lambda name: Spool(folder / "inbox.db", clock),
            inlet=inlet,
            report=self.reported.append,
        )
        self.inlet = inlet
        self.account = SlackAccount(SlackSection(**self.section(folder)), place, timeout=5.0, pace=pace)

    def listen(self) -> None:
        """From here on the server tells us what happens."""
        self._slack.world("subscribe", url=f"http://127.0.0.1:{self.port}/slack/events")

    # The server answers a call when its events were taken, by us: whoever calls must not keep us from it.

    async def say(self, saying: Saying) -> str:
        """One post; its files are of the same post."""
        return await asyncio.to_thread(self._say, saying)

    def _say(self, saying: Saying) -> str:
        token = "xoxb-crier" if saying.who == "crier" else f"xoxp-{saying.who}"
        channel = self._channels[saying.place]
        text, blocks = self._words(saying)
        if not saying.files:
            more = {"bot_id": "B0CRIERBT1"} if saying.who == "crier" else {}
            more |= {} if self._old else {"blocks": json.dumps(blocks)}
            return str(self._slack.call(token, "chat.postMessage", channel=channel, text=text, **more)["ts"])
        ids = [self._uploaded(token, f"shelf{number}.png") for number in range(saying.files)]
        files = json.dumps([{"id": id} for id in ids])
        self._slack.call(token, "files.completeUploadExternal", files=files, channel_id=channel, initial_comment=text)
        return str(self._slack.said(channel, token)[-1]["ts"])

    async def edit(self, who: str, place: str, message_id: str, text: str, *, mentions: bool) -> None:
        """A change by who said it."""
        await asyncio.to_thread(self._edit, who, place, message_id, text, mentions)

    def _edit(self, who: str, place: str, message_id: str, text: str, mentions: bool) -> None:
        words, blocks = self._words(Saying(who=who, place=place, text=text, mentions=mentions))
        channel = self._channels[place]
        more = {} if self._old else {"blocks": json.dumps(blocks)}
        self._slack.call(f"xoxp-{who}", "chat.update", channel=channel, ts=message_id, text=words, **more)

    async def rename(self, who: str) -> None:
        """The display name of our bot."""
        profile = json.dumps({"display_name": "desk", "real_name": "desk"})
        await asyncio.to_thread(self._slack.call, f"xoxp-{who}", "users.profile.set", profile=profile)

    async def shown(self, place: str) -> list[str]:
        """What a member reads of us."""
        reader = "xoxp-buyer" if place in ("group", "direct", "trio") else "xoxp-oper"
        said = await asyncio.to_thread(self._slack.said, self._channels[place], reader)
        return [shown(message) for message in said if message["user"] == DESK and message.get("subtype") is None]

    async def written(self) -> int:
        """Calls with our token that are no reading ones."""
        return await asyncio.to_thread(self._slack.written)

    def target(self, place: str) -> Target:
        """A conversation."""
        return Target("slack", TEAM, self._channels[place])

    def party(self, who: str) -> str:
        """A user id."""
        return self._ids[who]

    def section(self, folder: Path) -> dict[str, Any]:
        """`channels.slack`."""
        for name, secret in (("slack.token", TOKEN), ("slack.secret", SECRET)):
            (folder / name).touch(0o600)
            (folder / name).write_text(secret)
        return {
            "team_id": TEAM,
            "app_id": APP,
            "bot_token_file": "slack.token",
            "signing_secret_file": "slack.secret",
            "api_url": f"{self._way.url}/api/",
        }

    async def lose_answer(self) -> None:
        """The way back is cut once."""
        left = [1]

        def answered(request: str) -> bool:
            return _SENDS.match(request) is not None and bool(left) and bool(left.pop())

        self._way.answered = answered

    async def close(self) -> None:
        """Close everything that was opened."""
        self._slack.world("unsubscribe", all=True)
        await self.inlet.close()
        await self.account.close()
        self._open.close()

    def _opened(self, who: str, users: str) -> str:
        return str(self._slack.call(f"xoxp-{who}", "conversations.open", users=users)["channel"]["id"])

    def _uploaded(self, token: str, name: str) -> str:
        place = self._slack.call(token, "files.getUploadURLExternal", filename=name, length="4")
        self._slack.put(place["upload_url"], b"\x89PNG")
        return str(place["file_id"])

    def _words(self, saying: Saying) -> tuple[str, list[dict[str, Any]]]:
        """The marked-up text, and the blocks that a client would write for it."""
        named = [DESK] if saying.mentions else []
        named += [self._ids[saying.mentions_other]] if saying.mentions_other else []
        mentions = [{"type": "user", "user_id": id} for id in named]
        words = {"type": "text", "text": f" {saying.text}" if named else saying.text}
        parts = [{"type": "rich_text_section", "elements": [*mentions, words]}]
        text = "".join(f"<@{id}> " for id in named) + saying.text
        if saying.quotes:
            quote = [{"type": "user", "user_id": DESK}, {"type": "text", "text": f" {saying.quotes}"}]
            parts.insert(0, {"type": "rich_text_quote", "elements": quote})
            text = f"&gt; <@{DESK}> {saying.quotes}\n{text}"
        return text, [{"type": "rich_text", "block_id": "bN8", "elements": parts}]
