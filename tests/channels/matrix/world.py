"""The world of the story (`tests/platforms`) on a real Synapse: people with clients of their own, rooms, and us."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Final
from urllib.parse import quote

from dragoman.channels.matrix.adapter import MatrixChannel
from dragoman.channels.matrix.state import MatrixAgent
from dragoman.clock import SystemClock
from dragoman.identity import Target
from tests.platforms.stories import CHAPTERS
from tests.platforms.world import PlatformWorld, Saying
from tests.synapse import VISIBLE, Synapse, User

_IN: Final = {
    "group": ("buyer", "jordan", "oper", "crier"),
    "direct": ("buyer",),
    "trio": ("buyer", "jordan"),
    "inside": ("oper",),
    "shared": ("oper",),
}
"""Who is in a place besides us; the first made it."""
_FLAGGED: Final = ("direct", "trio")
_OPEN: Final = {"type": "m.room.history_visibility", "content": {"history_visibility": "world_readable"}}
"""The server of the tests federates with nobody: a shared room is one that anybody may read without an account."""


class MatrixStories(PlatformWorld):
    """One account of ours, and rooms that are made anew for every story."""

    platform: ClassVar[str] = "matrix"
    why_not: ClassVar[dict[str, str]] = {
        "reads_back": "there is nothing to look up: a repetition under the same key is the same event",
    }
    can: ClassVar[frozenset[str]] = CHAPTERS - why_not.keys()

    def __init__(self, synapse: Synapse) -> None:
        self._synapse = synapse
        self._agent = synapse.user("desk-stories")
        self._people = {who: synapse.user(f"{who}-stories") for who in ("buyer", "jordan", "oper", "crier")}
        self._rooms = {place: self._room(place) for place in _IN}
        self._channel = MatrixChannel(
            synapse.url,
            self._agent.token,
            MatrixAgent(user_id=self._agent.user_id),
            clock=SystemClock(),
            wait=2_000,
        )
        self.account = self._channel

    async def open(self) -> None:
        """Connect; from here on everything that is said is news."""
        await self._channel.open()
        stream = self._channel.events(None)
        self.position = (await anext(stream)).position
        await stream.aclose()  # type: ignore[attr-defined]

    async def say(self, saying: Saying) -> str:
        """A message; pictures are events of their own, the first of which says the text."""
        content = self._content(saying)
        if not saying.files:
            return self._say(saying, content)
        picture = {"msgtype": "m.image", "filename": "shelf.png", "url": "mxc://home.test/shelf"}
        first = self._say(saying, content | picture)
        for number in range(1, saying.files):
            bare = {**picture, "filename": f"shelf{number}.png", "body": f"shelf{number}.png", "m.mentions": {}}
            self._say(saying, bare)
        return first

    async def edit(self, who: str, place: str, message_id: str, text: str, *, mentions: bool) -> None:
        """A replacement, whose new mentions stand at its top level."""
        new = self._content(Saying(who=who, place=place, text=text, mentions=mentions))
        relation = {"m.relates_to": {"rel_type": "m.replace", "event_id": message_id}}
        body = {**new, "body": f"* {new['body']}", "m.new_content": new, **relation}
        self._synapse.say(self._people[who], self._rooms[place], body)

    async def rename(self, who: str) -> None:
        """The display name that our account has."""
        path = f"/_matrix/client/v3/profile/{quote(self._people[who].user_id)}/displayname"
        self._synapse.call(self._people[who], "PUT", path, {"displayname": "desk-stories"})

    async def shown(self, place: str) -> list[str]:
        """What the first member of the room sees of us, edits in the place of what they replace."""
        seen: dict[str, str] = {}
        for event in self._synapse.messages(self._people[_IN[place][0]], self._rooms[place]):
            if event["sender"] == self._agent.user_id:
                content = event["content"]
                relation = content.get("m.relates_to", {})
                edits = relation.get("rel_type") == "m.replace"
                seen[relation["event_id"] if edits else event["event_id"]] = content.get("m.new_content", content)[
                    "body"
                ]
        return list(seen.values())

    async def written(self) -> int:
        """Requests of our account in the access log that somebody could notice."""
        return sum(self._synapse.visible(self._agent)[kind] for kind in VISIBLE)

    def target(self, place: str) -> Target:
        """A room."""
        return Target("matrix", self._agent.user_id, self._rooms[place])

    def party(self, who: str) -> str:
        """A user id."""
        return self._people[who].user_id

    def section(self, folder: Path) -> dict[str, Any]:
        """`channels.matrix`."""
        token = folder / "matrix.token"
        token.touch(0o600)
        token.write_text(self._agent.token)
        return {"homeserver": self._synapse.url, "user_id": self._agent.user_id, "token_file": "matrix.token"}

    async def close(self) -> None:
        """Close the connections."""
        await self._channel.close()

    def _room(self, place: str) -> str:
        owner, *others = [self._people[who] for who in _IN[place]]
        state = {"initial_state": [_OPEN]} if place == "shared" else {}
        return self._synapse.room(owner, *others, self._agent, direct=place in _FLAGGED, **state)

    def _say(self, saying: Saying, content: dict[str, Any]) -> str:
        return self._synapse.say(self._people[saying.who], self._rooms[saying.place], content)

    def _content(self, saying: Saying) -> dict[str, Any]:
        mentioned: list[User] = [self._agent] if saying.mentions else []
        mentioned += [self._people[saying.mentions_other]] if saying.mentions_other else []
        body = "".join(f"{user.user_id}: " for user in mentioned) + saying.text
        if saying.quotes:
            body = f"> <{self._agent.user_id}> {self._agent.user_id}: {saying.quotes}\n\n{body}"
        content: dict[str, Any] = {
            "msgtype": "m.notice" if saying.who == "crier" else "m.text",
            "body": body,
            "m.mentions": {"user_ids": [user.user_id for user in mentioned]} if mentioned else {},
        }
        if saying.replies_to:
            content["m.relates_to"] = {"m.in_reply_to": {"event_id": saying.replies_to}}
        return content
