"""The hub as a source: leases with fencing tokens, proof by reply id (spec 2 §1, §3.4, §3.5).

A refusal that means "another instance has taken over" becomes `Superseded` everywhere; a lost lease becomes an empty
token; what the hub does not answer stays an error of the cycle, never a guess.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Final

import msgspec

from dragoman import wire
from dragoman.agents.contract import HandlerMessage
from dragoman.channels.hub.adapter import HubChannel
from dragoman.channels.hub.client import HubClient, HubError
from dragoman.channels.hub.facts import contact_target, facts
from dragoman.clock import SECOND, Clock
from dragoman.gate.event import Event
from dragoman.identity import Target
from dragoman.receiver.source import Arrived, Proof, Superseded
from dragoman.words import Fact

HISTORY: Final = 20
LIMIT: Final = 50
PATIENCE: Final = 20.0
"""Seconds that any one renewal may take at most."""
_GONE: Final = frozenset({"instance_superseded", "instance_read_only"})


class HubSource:
    """One role at one hub.

    Args:
        client: the role's connection.
        limits: the hub's bounds.
        clock: how long a lease still lasts.
        generation: the one of the log-in.
    """

    bounded = True
    leases = True
    position: str | None = None

    def __init__(self, client: HubClient, limits: wire.Limits, clock: Clock, generation: int) -> None:
        self.name = f"hub:{client.role_id}"
        self.text_bytes = limits.text_bytes
        self.kept_ms = limits.retention_ms + limits.lease_cap_ms
        self.generation = generation
        self._client = client
        self._clock = clock
        self._limits = limits
        self._held: dict[str, str] = {}
        self._ends: dict[str, float] = {}
        self._answered: dict[str, tuple[str, ...]] = {}
        self.channel = HubChannel(client, self._held, self._answered, text_bytes=limits.text_bytes)

    async def fetch(self, wait_ms: int) -> list[Arrived]:
        """What waits, in order; waits up to `wait_ms` for the first."""
        return self._taken(await self._lease(wait_ms=wait_ms))

    async def hold(self, lease: str, ids: list[str]) -> str:
        """The live token for these messages: the one that holds them, or a new lease by message id."""
        if lease and await self.renew(lease) is not None:
            return lease
        leased = await self._lease(message_ids=ids)
        taken = self._taken(leased)
        if leased.lease is not None and len(taken) < len(ids):
            await self.give_back(leased.lease.lease_token, [each.id for each in taken], 0)
            return ""
        return leased.lease.lease_token if leased.lease is not None else ""

    async def renew(self, lease: str) -> int | None:
        """Hold a lease longer; milliseconds until the next renewal, or None when it is lost."""
        try:
            async with asyncio.timeout(self._patience(lease)):
                renewed = await self._client.renew(lease)
        except TimeoutError as error:
            raise HubError("hub_unreachable", "the renewal took too long", sent=True) from error
        except HubError as error:
            if _superseded(error).wire_code == "lease_lost":
                return None
            raise
        left = renewed.expires_at - self._hub_now()
        self._ends[lease] = time.monotonic() + left / SECOND
        return max(200, min(self._limits.lease_ms // 3, left // 2))

    def _patience(self, lease: str) -> float:
        """How many seconds one renewal may take: half of what is left, so that another one fits in before the end."""
        now = time.monotonic()
        self._ends = {each: end for each, end in self._ends.items() if each == lease or end > now}
        left = self._ends.get(lease, 0.0) - now
        return min(left / 2, PATIENCE) if left > 0 else PATIENCE

    async def ack(self, lease: str, ids: list[str]) -> bool:
        """Settle these messages, under a new lease if theirs has ended."""
        token = lease or await self.hold("", ids)
        for _ in range(2):
            if not token:
                return False
            try:
                await self._client.ack(token, ids)
            except HubError as error:
                if _superseded(error).wire_code != "lease_lost":
                    raise
                token = await self.hold("", ids)
            else:
                return True
        return False

    async def give_back(self, lease: str, ids: list[str], not_before: int) -> None:
        """Offer these again from `not_before` on; a lost lease has given them back already."""
        if not_before:
            not_before = max(0, not_before - self._clock.now() + self._hub_now())  # our clock may be wrong, or was set
        try:
            await self._client.release(lease, ids, not_before=not_before)
        except HubError as error:
            if _superseded(error).wire_code != "lease_lost":
                raise

    async def look_up(self, target: Target, reply_id: str, minted_at: int) -> Proof:
        """What the hub holds under this reply id."""
        try:
            found = await self._client.reply(reply_id, since=minted_at + (self._client.skew_ms or 0))
        except HubError as error:
            return Proof(Fact.UNKNOWN, gone=_superseded(error).wire_code == "proof_gone")
        return Proof(Fact.NO) if found is None else Proof(Fact.YES, found.message_id)

    def refusal(self, key: str) -> str:
        """Why the last send under `key` was refused, once."""
        return self.channel.refusal(key)

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of one message."""
        return facts(_message(raw), self._client.role_id, received_at=received_at)

    def message(self, raw: bytes) -> HandlerMessage:
        """What the handler reads of one message."""
        return _read(_message(raw), self._client.role_id)

    async def history(self, target: Target, before: int) -> tuple[HandlerMessage, ...]:
        """The newest messages of both sides before position `before`, and our own since: those answered others."""
        try:
            page = await self._client.messages(target.channel, after=max(0, before - 1 - HISTORY))
        except HubError as error:
            _superseded(error)
            return ()
        mine = self._client.role_id
        said = (each for each in page.messages if each.seq < before or each.sender_role_id == mine)
        return tuple(_read(each, mine) for each in said)

    def contact_id(self, target: Target) -> str:
        """The contact."""
        return target.channel

    async def opened_by_peer(self, target: Target) -> bool:
        """Whether the peer opened this contact; unknown is no."""
        try:
            return not (await self._client.contact(target.channel)).opened_by_me
        except HubError as error:
            _superseded(error)
            return False

    async def close(self, target: Target) -> None:
        """Close the contact for both sides."""
        await self._client.close_contact(target.channel)

    async def _lease(self, *, wait_ms: int = 0, message_ids: list[str] | None = None) -> wire.Leased:
        try:
            leased = await self._client.lease(limit=LIMIT, wait_ms=wait_ms, message_ids=message_ids)
        except HubError as error:
            raise _superseded(error) from error
        self._client.skew_ms = leased.server_time - self._clock.now()
        return leased

    def _taken(self, leased: wire.Leased) -> list[Arrived]:
        if leased.lease is None:
            return []
        self._ends[leased.lease.lease_token] = (
            time.monotonic() + (leased.lease.expires_at - leased.server_time) / SECOND
        )
        for message in leased.messages:
            self._held[message.contact_id] = leased.lease.lease_token
            self._answered.pop(message.contact_id, None)  # what the new lease does not hold, it cannot settle
        return [
            Arrived(
                id=message.message_id,
                target=contact_target(self._client.role_id, message.contact_id),
                position=message.seq,
                raw=msgspec.json.encode(message),
                lease=leased.lease.lease_token,
            )
            for message in leased.messages
        ]

    def held(self, target: Target, lease: str, answers: Sequence[str] = ()) -> None:
        """The lease under which this contact's replies are sent from now on, and what the next one settles; an empty
        lease sends without one."""
        self._answered[target.channel] = tuple(answers)
        if lease:
            self._held[target.channel] = lease
        else:
            self._held.pop(target.channel, None)
            self._answered.pop(target.channel, None)

    def settled(self, key: str) -> tuple[str, ...]:
        """The messages that the hub settled with the reply under `key`, once."""
        return self.channel.settled(key)

    def _hub_now(self) -> int:
        return self._clock.now() + (self._client.skew_ms or 0)


def _message(raw: bytes) -> wire.Message:
    return msgspec.json.decode(raw, type=wire.Message)


def _read(message: wire.Message, role_id: str) -> HandlerMessage:
    return HandlerMessage(
        id=message.message_id,
        text=message.text,
        sent_at=message.created_at,
        origin="agent" if message.sender_role_id == role_id else "peer",
        sender=message.sender_role_id,
    )


def _superseded(error: HubError) -> HubError:
    """The error again, unless it means that another instance has taken over.

    Raises:
        Superseded: it does.
    """
    if error.wire_code in _GONE:
        raise Superseded(error.wire_code) from error
    return error
