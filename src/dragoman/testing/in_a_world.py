"""How a law of the contract is tried: in a fresh world, by the adapter's own methods, against what the platform shows.

This is the one place besides the door where `Channel.perform` is called: a contract cannot ask the door what the
adapter alone must keep. What the platform does must come back as a receipt, so an exception is a broken law.
"""

from __future__ import annotations

import asyncio
import itertools
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

import pytest

from dragoman.gate.operations import CHANGING, POINTING, Operation
from dragoman.gate.ports import Draft, Output, Receipt
from dragoman.testing.adapter_world import TEXT, AdapterWorld, Shown, Trouble
from dragoman.testing.judged import asked_at, trusting
from dragoman.words import Fact, Reason, ReleaseOutcome, SendKey

Law = Callable[[AdapterWorld], Awaitable[None]]


class InAWorld(ABC):
    """What the laws of a channel share; subclassed by `ChannelLaws`."""

    momentary: frozenset[Operation] = frozenset({Operation.TYPING, Operation.READ_RECEIPT})
    """Operations that leave nothing behind which could stand there twice."""

    _serial = itertools.count(1)

    @abstractmethod
    def world(self) -> AbstractAsyncContextManager[AdapterWorld]:
        """A fresh connected account."""

    def _hold(self, law: Law) -> None:
        """Try one law in a fresh world."""

        async def held() -> None:
            async with self.world() as world:
                await law(world)

        asyncio.run(held())

    def _trouble(self, kind: Trouble, *, allowed: frozenset[Fact]) -> list[Receipt]:
        """Every operation while the platform fails: nothing raised, the receipt honest."""
        receipts: list[Receipt] = []

        async def law(world: AdapterWorld) -> None:
            for operation in world.channel.operations:
                own_id = await self._own(world, operation)
                before = await self._shown(world)
                output = world.output(operation, f"{kind}-{operation}", TEXT, own_id)
                async with self._possible(world, kind):
                    receipt = await self._perform(world, output)
                arrived = await self._shown(world) != before
                assert receipt.delivered in allowed, f"{operation}, {kind}: {receipt}"
                assert not (arrived and receipt.delivered is Fact.NO), f"{operation}, {kind}: NO, but it arrived"
                receipts.append(receipt)

        self._hold(law)
        return receipts

    def _possible(self, world: AdapterWorld, kind: Trouble) -> AbstractAsyncContextManager[None]:
        found = world.trouble(kind)
        if found is None:
            pytest.skip(f"this world cannot make the platform fail so: {kind}")
        return found

    async def _perform(self, world: AdapterWorld, output: Output) -> Receipt:
        try:
            receipt = await world.channel.perform(output)
        except Exception as error:
            raise AssertionError(f"{output.operation} raised {error!r}; what a platform does is a receipt") from error
        assert isinstance(receipt, Receipt)
        assert receipt.delivered is not Fact.YES or receipt.evidence, f"{output.operation}: a YES without evidence"
        return receipt

    async def _own(self, world: AdapterWorld, operation: Operation) -> str:
        """The id of what an operation changes: a message of ours, or a stream of its own; empty if nothing."""
        if operation not in CHANGING:
            return ""
        start = Operation.SEND if operation is Operation.EDIT else Operation.STREAM_START
        if start not in world.channel.operations:
            return ""
        receipt = await self._perform(world, world.output(start, f"own-{next(self._serial)}", TEXT, ""))
        assert receipt.delivered is Fact.YES, f"an ordinary {start}: {receipt}"
        return receipt.evidence

    async def _shown(self, world: AdapterWorld) -> dict[Operation, list[Shown]]:
        return {operation: await world.shown(operation) for operation in world.channel.operations}

    async def _door(self, world: AdapterWorld, operation: Operation, text: str, own_id: str) -> Reason:
        """What the gate's door says of one output that the policy would let go."""
        gate = trusting(world.target)
        admission = gate.admit(asked_at(world.target))
        delivery = await gate.deliver(
            Draft(text=text),
            admission,
            world.channel,
            key=f"door-{operation}",
            operation=operation,
            edits=own_id if operation in CHANGING else None,
            reply_to=world.message_id if operation in POINTING else None,
            only_for=world.somebody if operation is Operation.PRIVATE else None,
        )
        assert delivery.outcome is not ReleaseOutcome.SEND, f"the door let {operation} through"
        return delivery.reason

    def _speaking(self, world: AdapterWorld) -> list[Operation]:
        """The operations with a text of any kind; that of a reaction is a mark."""
        table = world.channel.operations
        return [operation for operation in table if table[operation].carries_text and operation is not Operation.REACT]

    def _native(self, world: AdapterWorld) -> list[Operation]:
        native = [o for o, spec in world.channel.operations.items() if spec.send_key is SendKey.NATIVE]
        lasting = [operation for operation in native if operation not in self.momentary]
        if not lasting:
            pytest.skip("no operation that leaves something behind claims a native key")
        return lasting
