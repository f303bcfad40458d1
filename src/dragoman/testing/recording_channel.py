"""A channel of any platform that reaches nobody: it writes down what it is told to do, and fails when told to.

Every operation there is is declared, so that what does not leave was stopped by the gate.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from typing import Final

from dragoman.channels.memory.adapter import MAX_LENGTH, operations
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target
from dragoman.words import Fact, SendKey


class RecordingChannel:
    """An account on `platform`; implements `gate.ports.Channel`."""

    operations: Final[Mapping[Operation, OperationSpec]] = operations(SendKey.NATIVE, MAX_LENGTH)

    def __init__(self, platform: str) -> None:
        self._platform = platform
        self.performed: list[Output] = []
        """What arrived, in order; a key that arrived already does not arrive again."""
        self.counts: Counter[str] = Counter()
        """How often each operation, and `presence`, was asked for, whatever became of it."""
        self.there = Presence(shared=Fact.NO)
        """Who is in every target."""
        self.there_of: dict[Target, Presence] = {}
        """Who is in single targets, before `there`."""
        self._receipts: deque[Receipt] = deque()
        self._ids: dict[str, str] = {}

    @property
    def platform(self) -> str:
        """The platform's name."""
        return self._platform

    def fail(self, *receipts: Receipt) -> None:
        """Give these receipts for the next outputs, one each; nothing of them arrives."""
        self._receipts.extend(receipts)

    async def presence(self, target: Target) -> Presence:
        """Who is there, as the test said."""
        self.counts["presence"] += 1
        return self.there_of.get(target, self.there)

    async def perform(self, output: Output) -> Receipt:
        """Write one output down."""
        self.counts[output.operation.value] += 1
        if self._receipts:
            return self._receipts.popleft()
        if output.key not in self._ids:
            self.performed.append(output)
            self._ids[output.key] = f"recorded-{len(self.performed)}"
        return Receipt(delivered=Fact.YES, evidence=self._ids[output.key])
