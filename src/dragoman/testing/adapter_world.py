"""What an adapter's author gives the contract: a connected account, a way to see what the platform shows, and payloads.

The contract sees the adapter only from outside: by its `Channel`, and by what the platform itself shows to an onlooker.
Where a world cannot do something, such as losing an answer, the test of that law is skipped and says so.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from enum import StrEnum
from typing import Any, Final

import msgspec

from dragoman.gate.event import Event
from dragoman.gate.operations import CHANGING, POINTING, Operation
from dragoman.gate.parts import NOTHING, File, Link, Parts
from dragoman.gate.ports import Channel, Output
from dragoman.identity import Party, Target

TEXT: Final = "closing list B"
"""The text of the payloads; the contract puts other texts in its place."""
MARK: Final = "👍"
"""What a reaction says."""
FILE: Final = File(name="list.txt", content=b"Shelf 4: boxes \xe2\x9c\x93\r\n\x00\xff", caption="The list.")
LINK: Final = Link(target="https://example.org/list", title="The list")


class Trouble(StrEnum):
    """Ways in which a platform fails."""

    REFUSED = "refused"
    """It reads the request and says no: nothing arrives."""
    RATE_LIMITED = "rate_limited"
    """It says: not now. Nothing arrives."""
    UNREACHABLE = "unreachable"
    """Nobody is there: not a byte leaves."""
    VANISHED = "vanished"
    """The request leaves and is lost: nothing arrives, nobody answers."""
    ANSWER_LOST = "answer_lost"
    """It arrives, but the answer does not come back."""
    LOOK_UPS_FAIL = "look_ups_fail"
    """Whoever asks who is there gets an error."""


class Shown(msgspec.Struct, frozen=True):
    """One thing that the platform shows. `id` is its own name for it, or empty where it has none that can be read."""

    id: str
    text: str = ""
    files: tuple[tuple[str, bytes], ...] = ()
    """Name and content of what came with it."""


class AdapterWorld(ABC):
    """One connected account on a real, or faked, platform."""

    channel: Channel
    target: Target
    """A place where the account may speak and somebody else is."""
    message_id: str
    """The platform's id of a message of somebody else there."""
    somebody: Party
    """Whoever said it."""

    @abstractmethod
    async def shown(self, operation: Operation) -> list[Shown]:
        """Everything of this operation that reached `target` so far, oldest first, as the platform tells it.

        Ask the platform (an onlooker's client, its log, the fake behind the adapter), never the adapter.
        """

    def trouble(self, kind: Trouble) -> AbstractAsyncContextManager[None] | None:
        """Make the platform fail in this way until the end of the block; None where that cannot be done."""
        return None

    def output(self, operation: Operation, key: str, text: str, own_id: str) -> Output:
        """One output of an operation; `own_id` is the id of the message, or of the stream, of ours that it changes.

        This is what the door would hand over; give what your platform needs instead.
        """
        parts = {Operation.UPLOAD: Parts(files=(FILE,)), Operation.UNFURL: Parts(links=(LINK,))}
        words = MARK if operation is Operation.REACT else text
        return Output(
            operation=operation,
            target=self.target,
            key=key,
            text=words if self.channel.operations[operation].carries_text else "",
            parts=parts.get(operation, NOTHING),
            reply_to=self.message_id if operation in POINTING else None,
            edits=own_id if operation in CHANGING else None,
            only_for=self.somebody if operation is Operation.PRIVATE else None,
        )


class Payloads(msgspec.Struct, frozen=True, kw_only=True):
    """Events as the platform sends them, decoded, and the adapter's reading of them.

    Both messages are of one human in one group, fresh, with the text `TEXT`, and have ids of their own.
    """

    read: Callable[[Any], Event]
    """The adapter's facts of one payload that the transport authenticated."""
    asking: Mapping[str, Any]
    """A message that asks the agent, by whatever the platform marks a mention with."""
    unasked: Mapping[str, Any]
    """The same without that."""
    target: Target
    """Where both were said, exactly."""
    author: Party
    """Who said both, exactly."""
    echo: Mapping[str, Any] | None = None
    """A message of our own account, as the platform sends it back to us; None where it does not."""
    names: tuple[str, ...] = ()
    """What people type to call the agent: its display name, its id, the platform's words for everybody."""
    text_may_ask: bool = False
    """The platform has no marks, so that its facts read a mention from the text (IRC, mail)."""
