"""What the life needs of a place that messages come from: give, hold, take back, prove (spec 2 §3.5).

The hub leases messages and proves a reply by its id; a chat platform has neither lease nor proof and does both with
nothing. `raw` is the wire form of one message, from which event and handler message can be made again at any time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from dragoman.agents.contract import HandlerMessage
from dragoman.channels.account import Proof as Proof
from dragoman.gate.event import Event
from dragoman.gate.ports import Channel
from dragoman.identity import Target


class Arrived(msgspec.Struct, frozen=True, kw_only=True):
    """One message as it was given. `position` orders the messages of one target; `lease` is empty without leases."""

    id: str
    target: Target
    position: int
    raw: bytes
    lease: str = ""


class Superseded(Exception):
    """Another instance has taken over: nothing may be done or written any more under this generation."""


class Source(Protocol):
    """One place that messages come from."""

    name: str
    bounded: bool
    """Whether an autonomy grant bounds what happens here (the hub)."""
    leases: bool
    """Whether messages are held under leases; without them the ledger itself offers what it took."""
    position: str | None
    """Where reading goes on; None with leases."""
    kept_ms: int
    """How long a message is kept there at most; older ones are acked by time."""
    text_bytes: int
    generation: int
    """The generation that everything here is done under; 0 where there is none."""

    @property
    def channel(self) -> Channel:
        """The way out to the same place."""
        ...

    async def fetch(self, wait_ms: int) -> list[Arrived]:
        """What waits, in order; waits up to `wait_ms` for the first."""
        ...

    def held(self, target: Target, lease: str, answers: Sequence[str] = ()) -> None:
        """Replies to `target` are sent under this lease from now on, and settle the messages `answers` of it where the
        source can do both at once; empty sends without one."""
        ...

    def settled(self, key: str) -> tuple[str, ...]:
        """The messages that the source settled with the send under `key`, once."""
        ...

    async def hold(self, lease: str, ids: list[str]) -> str:
        """Keep or take again the messages `ids`: the live lease token, or an empty string when others hold them."""
        ...

    async def renew(self, lease: str) -> int | None:
        """Hold a lease longer; milliseconds until the next renewal, or None when it is lost."""
        ...

    async def ack(self, lease: str, ids: list[str]) -> bool:
        """These are settled; whether the source knows it now."""
        ...

    async def give_back(self, lease: str, ids: list[str], not_before: int) -> None:
        """These were not handled; offer them again from `not_before` on."""
        ...

    async def look_up(self, target: Target, reply_id: str, minted_at: int) -> Proof:
        """What became of a reply that was decided at `minted_at`."""
        ...

    def refusal(self, key: str) -> str:
        """Why the last send under `key` was refused, once."""
        ...

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of one message."""
        ...

    def message(self, raw: bytes) -> HandlerMessage:
        """What the handler reads of one message."""
        ...

    async def history(self, target: Target, before: int) -> tuple[HandlerMessage, ...]:
        """What was said before position `before`, and what the agent said since; nothing when no past is kept."""
        ...

    def contact_id(self, target: Target) -> str:
        """The id that the handler and the owner know this conversation by."""
        ...

    async def opened_by_peer(self, target: Target) -> bool:
        """Whether the other side opened this conversation with us; unknown is no."""
        ...

    async def close(self, target: Target) -> None:
        """End the conversation for both sides, where that exists."""
        ...
