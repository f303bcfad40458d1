"""What a platform must be able to play, so that the one story (`stories.py`) can be told on it.

A world is one account of ours on a real server (or the nearest thing that runs here), people with accounts and clients
of their own, and places. People act through the platform itself, never through our adapter; what we said is read back
as an onlooker sees it, and every writing request of ours is counted by the server, never by us.

`tests/channels/<platform>/world.py` implements it, `tests/channels/<platform>/test_stories.py` is
`class TestStories(Stories): open_world = staticmethod(...)`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Final

import msgspec

from dragoman.channels.account import Account
from dragoman.identity import Target

PEOPLE: Final = ("buyer", "jordan", "oper", "crier", "guest")
"""`buyer` and `jordan` are outsiders, `oper` is the operator (a person of ours), `crier` is another bot, `guest` is of
another organisation or a guest account."""
PLACES: Final = ("group", "direct", "trio", "inside", "shared")
"""`group`: buyer, jordan, oper, crier and we, listed external. `direct`: a real one-to-one with the buyer, listed
external. `trio`: a group direct message of buyer, jordan and us, listed external. `inside`: oper and we, listed
internal. `shared`: the same, shared with another organisation or a guest; listed internal all the same."""


class Saying(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that somebody does in a place. Only what the platform can express is asked of it (`can`)."""

    who: str = "buyer"
    place: str = "group"
    text: str = ""
    mentions: bool = False
    """Mentions the agent, by whatever the platform marks a mention with; where it has no marks, by words."""
    mentions_other: str = ""
    """Mentions this person."""
    quotes: str = ""
    """Quotes this text (said to be the agent's, with a mention inside), in the platform's form of a quote."""
    replies_to: str = ""
    """The id of the message that is answered, where the platform has replies."""
    files: int = 0
    """Pictures that come with it, as one album or post."""


class PlatformWorld(ABC):
    """See the top of this file."""

    platform: ClassVar[str]
    can: ClassVar[frozenset[str]]
    """Which chapters this platform can play: of `reads_all` (unaddressed messages of a group reach us), `direct`,
    `trio`, `inside`, `shared`, `bots`, `quotes`, `replies`, `albums`, `edits`, `renames` (a display name that is ours),
    `streams` (an answer grows by edits or in pieces), `reads_back` (a lost answer can be looked up)."""
    why_not: ClassVar[dict[str, str]] = {}
    """Chapter → why this platform cannot play it (no such thing there, or not on the server that runs here)."""
    account: Account
    """Our account, opened."""
    position: str | None = None
    """Where reading begins. A platform whose stream begins at its first answer has given that answer before anybody
    speaks; None where whatever is said from now on comes."""

    @abstractmethod
    async def say(self, saying: Saying) -> str:
        """Somebody says something; the platform's id of that message, as events will name it (`Event.event_id`)."""

    async def edit(self, who: str, place: str, message_id: str, text: str, *, mentions: bool) -> None:
        """Somebody changes what he said, so that it mentions the agent now."""
        raise NotImplementedError

    async def rename(self, who: str) -> None:
        """Somebody takes the agent's display name."""
        raise NotImplementedError

    @abstractmethod
    async def shown(self, place: str) -> list[str]:
        """The texts of ours that an onlooker in the place sees now, oldest first; of an edited one its present text."""

    @abstractmethod
    async def written(self) -> int:
        """How many writing requests of our account (messages, edits, reactions, typing, receipts, uploads) the server
        has counted since it began."""

    @abstractmethod
    def target(self, place: str) -> Target:
        """The target of a place, as events of it will have it."""

    @property
    def people(self) -> str:
        """The workspace of people, where it is another than that of the places."""
        return self.target("group").workspace

    @abstractmethod
    def party(self, who: str) -> str:
        """The id of a person, as `Event.author.id` will have it."""

    @abstractmethod
    def section(self, folder: Path) -> dict[str, Any]:
        """The account's part of a receiver's configuration (`channels.<platform>`); writes its secrets to `folder`."""

    async def lose_answer(self) -> None:
        """Our next message arrives, but the answer to it does not come back. Only where that can be done."""
        raise NotImplementedError

    @abstractmethod
    async def close(self) -> None:
        """Close everything that was opened."""
