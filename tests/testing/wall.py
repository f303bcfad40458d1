"""A small platform, a wall that people pin notes to, and an adapter for it that keeps every law.

The wrong adapters of `test_contract.py` differ from this one in one thing each.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import msgspec

from dragoman.clock import MINUTE
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.parts import PartKind
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Party, Target, party, target, well_formed
from dragoman.testing import AdapterContract, AdapterWorld, Payloads, Shown, Trouble
from dragoman.testing.adapter_world import TEXT
from dragoman.testing.by_hand import START
from dragoman.words import Fact, SendKey

LONGEST = 200


class Down(Exception):
    """The wall cannot be reached, or its answer did not come."""


class Note(msgspec.Struct, frozen=True):
    """What somebody pinned."""

    id: str
    kind: str
    text: str
    files: tuple[tuple[str, bytes], ...] = ()


class Wall:
    """The platform: it knows rooms of one workspace, and pins one note per key."""

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self.trouble: Trouble | None = None
        self.left = False
        self._keys: dict[str, str] = {}

    def pin(self, room: str, kind: str, text: str, key: str | None, files: tuple[tuple[str, bytes], ...] = ()) -> str:
        """Pin one note; its id. Raises: `Down` or `PermissionError`, as the trouble is."""
        self.left = self.trouble is not Trouble.UNREACHABLE
        if self.trouble in (Trouble.UNREACHABLE, Trouble.VANISHED):
            raise Down
        if self.trouble is Trouble.REFUSED or room != "Corner":
            raise PermissionError("no")
        if self.trouble is Trouble.RATE_LIMITED:
            raise BlockingIOError("later")
        id = self._keys.get(key or "") or f"note-{len(self.notes) + 1}"
        if key is None or key not in self._keys:
            self.notes.append(Note(id, kind, text[:LONGEST], files))
            self._keys[key or ""] = id
        if self.trouble is Trouble.ANSWER_LOST:
            raise Down
        return id

    def people(self, room: str) -> list[str]:
        """Who looks at this part of the wall. Raises: `Down`."""
        if self.trouble is Trouble.LOOK_UPS_FAIL:
            raise Down
        return ["Buyer", "desk"]


class WallChannel:
    """The honest adapter."""

    workspace = "House"
    operations: Mapping[Operation, OperationSpec] = {
        Operation.SEND: OperationSpec(SendKey.NATIVE, LONGEST, pieces=2),
        Operation.UPLOAD: OperationSpec(SendKey.NATIVE, LONGEST, carries_text=False, carries={PartKind.FILE: 1}),
        Operation.REACT: OperationSpec(SendKey.NATIVE, 4),
        Operation.EDIT: OperationSpec(SendKey.NATIVE, LONGEST),
        Operation.TYPING: OperationSpec(SendKey.NONE, 0, carries_text=False),
    }

    def __init__(self, wall: Wall) -> None:
        self.wall = wall

    @property
    def platform(self) -> str:
        """The platform's name."""
        return "wall"

    async def presence(self, where: Target) -> Presence:
        """Who is there; unknown if the wall does not say."""
        try:
            return self.counted(self.wall.people(where.channel))
        except Down:
            return self.unsaid()

    def counted(self, people: list[str]) -> Presence:
        """The presence of these people."""
        parties = frozenset(Party("wall", self.workspace, name) for name in people if name != "desk")
        return Presence(Fact.NO, parties)

    def unsaid(self) -> Presence:
        """The presence when the wall did not say."""
        return Presence(Fact.UNKNOWN)

    async def perform(self, output: Output) -> Receipt:
        """Pin one note."""
        if output.operation not in self.operations or not self.ours(output.target):
            return Receipt(delivered=Fact.NO, detail="not ours")
        try:
            return self.pinned(output)
        except PermissionError:
            return self.refused()
        except BlockingIOError:
            return self.limited()
        except Down:
            return self.lost(output)

    def pinned(self, output: Output) -> Receipt:
        """The receipt of a pinned note."""
        words, key, files = self.words(output), self.key(output), self.files(output)
        note = self.wall.pin(output.target.channel, output.operation, words, key, files)
        return Receipt(delivered=Fact.YES, evidence=note)

    def ours(self, where: Target) -> bool:
        """Whether a target is of this account."""
        return (where.platform, where.workspace) == (self.platform, self.workspace)

    def key(self, output: Output) -> str | None:
        """The wall's key of one note; what only shows that somebody types is pinned as often as it is said."""
        return None if output.operation is Operation.TYPING else output.key

    def words(self, output: Output) -> str:
        """What stands on the note."""
        return output.text

    def files(self, output: Output) -> tuple[tuple[str, bytes], ...]:
        """What is pinned with the note."""
        return tuple((file.name, file.content) for file in output.parts.files)

    def refused(self) -> Receipt:
        """The wall said no."""
        return Receipt(delivered=Fact.NO, detail="refused")

    def limited(self) -> Receipt:
        """The wall said later."""
        return Receipt(delivered=Fact.NO, detail="later", retry_at=START + MINUTE)

    def lost(self, output: Output) -> Receipt:
        """The wall said nothing."""
        return Receipt(delivered=Fact.UNKNOWN if self.wall.left else Fact.NO, detail="lost")

    # --- facts -------------------------------------------------------------------------------------------------------

    def read(self, raw: Mapping[str, Any]) -> Event:
        """The facts of one note of somebody's."""
        bad = [key for key in ("room", "id", "by") if not well_formed(raw.get(key))]
        bad += [key for key in ("text",) if not self.is_text(raw.get(key))]
        calls = raw.get("calls", [])
        if not isinstance(calls, list) or not all(isinstance(each, str) for each in calls):
            bad.append("calls")
            calls = []
        room, by = self.exact(raw.get("room")), self.exact(raw.get("by"))
        return Event(
            kind=self.kind(raw),
            target=target("wall", self.workspace, room),
            event_id=str(raw.get("id")) if well_formed(raw.get("id")) else "",
            dedupe_key=self.dedupe(raw),
            received_at=START,
            sent_at=START,
            authenticated=Fact.YES,
            author=party("wall", self.workspace, by),
            author_kind=self.author_kind(by),
            chat=self.chat(raw),
            shared=Fact.NO,
            other_bots=Fact.NO,
            mentions_agent=self.mentions(raw, calls),
            text=raw["text"] if "text" not in bad else "",
            body=self.body(raw) if "text" not in bad else "",
            malformed=self.malformed(bad),
        )

    def is_text(self, value: object) -> bool:
        """Whether a value is a text that can be stored."""
        return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)

    def exact(self, value: object) -> object:
        """An id, byte for byte."""
        return value

    def kind(self, raw: Mapping[str, Any]) -> EventKind:
        """What happened."""
        return EventKind.MESSAGE if raw.get("kind") == "note" else EventKind.OTHER

    def dedupe(self, raw: Mapping[str, Any]) -> str:
        """Equal for copies."""
        return f"{raw.get('room')!a} {raw.get('id')!a}"

    def author_kind(self, by: object) -> AuthorKind:
        """Who wrote it."""
        return AuthorKind.SELF if by == "desk" else AuthorKind.HUMAN if well_formed(by) else AuthorKind.UNKNOWN

    def chat(self, raw: Mapping[str, Any]) -> ChatKind:
        """A wall is for everybody, unless the note says that it is for one."""
        return ChatKind.DIRECT if raw.get("crowd") is False else ChatKind.GROUP

    def mentions(self, raw: Mapping[str, Any], calls: list[str]) -> Fact:
        """Whether the note calls us."""
        return Fact.YES if "desk" in calls else Fact.NO

    def body(self, raw: Mapping[str, Any]) -> str:
        """What may be read."""
        return str(raw["text"])

    def malformed(self, bad: list[str]) -> tuple[str, ...]:
        """What had the wrong type."""
        return tuple(bad)


class WallWorld(AdapterWorld):
    """The wall, and one account that may pin."""

    def __init__(self, channel: WallChannel) -> None:
        self.channel = channel
        self.wall = channel.wall
        self.target = Target("wall", "House", "Corner")
        self.message_id = "note-of-somebody"
        self.somebody = Party("wall", "House", "Buyer")

    async def shown(self, operation: Operation) -> list[Shown]:
        """What is pinned."""
        return [Shown(note.id, note.text, note.files) for note in self.wall.notes if note.kind == operation]

    @contextlib.asynccontextmanager
    async def _failing(self, kind: Trouble) -> AsyncIterator[None]:
        self.wall.trouble = kind
        yield
        self.wall.trouble = None

    def trouble(self, kind: Trouble) -> contextlib.AbstractAsyncContextManager[None]:
        """The wall fails in every way."""
        return self._failing(kind)


class WallContract(AdapterContract):
    """The contract, for any adapter of the wall."""

    channel: type[WallChannel] = WallChannel

    @contextlib.asynccontextmanager
    async def world(self) -> AsyncIterator[AdapterWorld]:
        """A fresh wall."""
        yield WallWorld(self.channel(Wall()))

    def payloads(self) -> Payloads:
        """Notes of somebody's."""
        note = {"kind": "note", "room": "Corner", "id": "n1", "by": "Buyer", "text": TEXT, "crowd": True}
        return Payloads(
            read=self.channel(Wall()).read,
            target=Target("wall", "House", "Corner"),
            author=Party("wall", "House", "Buyer"),
            asking={**note, "calls": ["desk"]},
            unasked={**note, "id": "n2", "calls": []},
            echo={**note, "id": "n3", "by": "desk"},
            names=("desk", "Desk"),
        )


def laws() -> Iterator[str]:
    """The names of all laws."""
    return (name for name in dir(AdapterContract) if name.startswith("test_"))
