"""The fake channel that ships with the house, for users' own tests and for the demonstration. Sends nothing anywhere.

In memory: every output that arrives is kept in `performed`; `plan` makes the next calls fail in a chosen way.
With a folder: events are read from `inbox.jsonl` (one JSON object per line, complete lines only) and outputs are
appended to `outbox.jsonl`, so that another process can play the platform. The outbox is private (0600), each line is on
disk before its receipt is given, a line torn by a crash is cut off before the next one is written, and with a native
send key an output of the same key is written once, whichever process repeats it.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import sys
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import msgspec

from dragoman.channels.memory.facts import PLATFORM, MemoryAgent, facts
from dragoman.clock import MINUTE, Clock
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.parts import NOTHING, PartKind, Parts
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Party, Target
from dragoman.words import Fact, SendKey

MAX_LENGTH: Final = 4_000
PIECES: Final = 8
"""Messages that one text may be split into."""
EMOJI_LENGTH: Final = 64
TITLE_LENGTH: Final = 255
LINE_LIMIT: Final = 1024 * 1024
_POLL: Final = 0.05


_BLOCKS: Final = {PartKind.BUTTON: 25, PartKind.CARD: 10, PartKind.LINK: 25}
_EVERYTHING: Final = {**_BLOCKS, PartKind.SUBJECT: 1, PartKind.FILE: 10, PartKind.POLL: 4}


def operations(send_key: SendKey, max_length: int) -> dict[Operation, OperationSpec]:
    """The operation table of a fake account: it can do everything, so that every way out can be tested."""
    return {
        Operation.SEND: OperationSpec(send_key, max_length, carries=_EVERYTHING, pieces=PIECES),
        Operation.EDIT: OperationSpec(send_key, max_length, carries=_EVERYTHING),
        Operation.STREAM_START: OperationSpec(send_key, max_length),
        Operation.STREAM_APPEND: OperationSpec(send_key, max_length),
        Operation.STREAM_STOP: OperationSpec(send_key, max_length, carries=_BLOCKS),
        Operation.UPLOAD: OperationSpec(send_key, max_length, carries_text=False, carries={PartKind.FILE: 1}),
        Operation.TYPING: OperationSpec(send_key, 0, carries_text=False),
        Operation.REACT: OperationSpec(send_key, EMOJI_LENGTH),
        Operation.READ_RECEIPT: OperationSpec(send_key, 0, carries_text=False),
        Operation.THREAD: OperationSpec(send_key, TITLE_LENGTH),
        Operation.UNFURL: OperationSpec(send_key, 0, carries_text=False, carries=_BLOCKS),
        Operation.WEBHOOK_RESPONSE: OperationSpec(send_key, max_length, carries=_BLOCKS),
        Operation.PRIVATE: OperationSpec(send_key, max_length, carries=_BLOCKS),
    }


class Fault(StrEnum):
    """How one call of `perform` goes wrong."""

    REFUSED = "refused"
    """The platform said no: nothing arrived, and that is known."""
    RATE_LIMITED = "rate_limited"
    """Nothing arrived; the receipt says when to come back."""
    VANISHED = "vanished"
    """Timed out, and nothing arrived: unknown."""
    ANSWER_LOST = "answer_lost"
    """Arrived, but the answer did not come back: unknown."""


class Arrival(msgspec.Struct, frozen=True):
    """One line of the inbox, and the offset to go on from once it is stored."""

    raw: dict[str, Any]
    received_at: int
    offset: int


class OutboxLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `outbox.jsonl`. `id` is the evidence of the receipt; `at` is epoch milliseconds."""

    id: str
    key: str
    operation: Operation
    target: Target
    at: int
    text: str = ""
    thread: str | None = None
    reply_to: str | None = None
    edits: str | None = None
    only_for: Party | None = None
    parts: Parts = NOTHING
    """Files are base64 in the line."""


class MemoryChannel:
    """A fake platform account; implements `gate.ports.Channel`.

    Args:
        agent: who we are there.
        clock: for `retry_at` and arrivals.
        send_key: NATIVE de-duplicates by the output's key, NONE does not.
        max_length: characters per text.
        presence: what is said of every channel; not known by default.
        folder: made private when missing; see the file's law.
        report: is told of each line of the inbox that is left out; by default standard error.

    Raises:
        DragomanError: `config_not_private` when the folder or its outbox can be read or written by others.
    """

    platform: Final = PLATFORM

    def __init__(
        self,
        agent: MemoryAgent,
        *,
        clock: Clock,
        send_key: SendKey = SendKey.NATIVE,
        max_length: int = MAX_LENGTH,
        presence: Presence | None = None,
        folder: Path | None = None,
        report: Callable[[DragomanError], None] | None = None,
    ) -> None:
        self._report = report or _to_standard_error
        self.agent, self._clock, self._native = agent, clock, send_key is SendKey.NATIVE
        self.operations: Mapping[Operation, OperationSpec] = operations(send_key, max_length)
        self.performed: list[Output] = []
        """What arrived on the platform, in order."""
        self.counts: Counter[Operation] = Counter()
        """How often each operation was called, whatever became of it."""
        self.delay = 0.0
        """Seconds that every call takes."""
        self.presence_of: dict[Target, Presence] = {}
        """What is said of single channels, before the default."""
        self._presence = presence or Presence(Fact.UNKNOWN)
        self._faults: deque[Fault | None] = deque()
        self._ids: dict[str, str] = {}
        self._outbox = Outbox(folder / "outbox.jsonl", native=self._native) if folder else None
        self._inbox = folder / "inbox.jsonl" if folder else None
        self._people = folder / "presence.json" if folder else None

    def plan(self, *faults: Fault | None) -> None:
        """Make the next calls of `perform` go wrong, one each; None lets one pass."""
        self._faults.extend(faults)

    async def presence(self, target: Target) -> Presence:
        """What was said of this channel: by the test, or in the folder's `presence.json`."""
        if self._people is not None and target not in self.presence_of:
            return _told(self._people, target.channel) or self._presence
        return self.presence_of.get(target, self._presence)

    async def perform(self, output: Output) -> Receipt:
        """Record one output, or go wrong as planned."""
        self.counts[output.operation] += 1
        fault = self._faults.popleft() if self._faults else None
        await asyncio.sleep(self.delay)
        if output.target.platform != PLATFORM or output.target.workspace != self.agent.workspace:
            return Receipt(delivered=Fact.NO, detail="not a channel of this account")
        if fault is Fault.REFUSED:
            return Receipt(delivered=Fact.NO, detail="refused")
        if fault is Fault.RATE_LIMITED:
            return Receipt(delivered=Fact.NO, detail="rate limited", retry_at=self._clock.now() + MINUTE)
        if fault is Fault.VANISHED:
            return Receipt(delivered=Fact.UNKNOWN, detail="timed out")
        evidence = self._arrive(output)
        if fault is Fault.ANSWER_LOST:
            return Receipt(delivered=Fact.UNKNOWN, detail="timed out")
        return Receipt(delivered=Fact.YES, evidence=evidence)

    def event(self, arrival: Arrival) -> Event:
        """The facts of an arrival; that we could read the private folder authenticated it."""
        return facts(arrival.raw, self.agent, received_at=arrival.received_at, authenticated=Fact.YES)

    async def events(self, offset: int = 0) -> AsyncIterator[Arrival]:
        """The inbox from a byte offset on, without end; a line that is no JSON object is left out and reported.

        Raises:
            DragomanError: `usage` without a folder.
        """
        if self._inbox is None:
            raise DragomanError("usage", "the channel has no folder", where="memory channel")
        while True:
            for line, end in _complete_lines(self._inbox, offset):
                begin, offset = offset, end
                if line.isspace():
                    continue
                try:
                    raw = msgspec.json.decode(line, type=dict[str, Any])
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                    self._report(_left_out(self._inbox, begin))
                    continue
                yield Arrival(raw, self._clock.now(), offset)
            await asyncio.sleep(_POLL)

    def _arrive(self, output: Output) -> str:
        if self._native and output.key in self._ids:
            return self._ids[output.key]
        if self._outbox:
            evidence, new = self._outbox.append(output, self._clock.now())
        else:
            evidence, new = f"memory-{len(self.performed) + 1}", True
        self._ids[output.key] = evidence
        if new:
            self.performed.append(output)
        return evidence


class Outbox:
    """The file of outputs, shared by processes under a lock."""

    def __init__(self, path: Path, *, native: bool) -> None:
        self._path, self._native = path, native
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            fix = "move it away; the outbox is a file of the channel's own"
            raise DragomanError("channel_unreachable", "not a file", where=str(path), fix=fix)
        with self._locked() as handle:
            for mode, what in ((path.parent.stat().st_mode, path.parent), (os.fstat(handle).st_mode, path)):
                if mode & 0o077:
                    raise DragomanError("config_not_private", where=str(what), fix=f"run `chmod go= {what}`")

    def append(self, output: Output, now: int) -> tuple[str, bool]:
        """Write one output durably; its id, and whether it is new."""
        with self._locked() as handle:
            lines = self._lines(handle)
            if self._native:
                for line in lines:
                    if line.key == output.key:
                        return line.id, False
            said = msgspec.structs.asdict(output)
            said = {name: said[name] for name in OutboxLine.__struct_fields__ if name in said}
            line = OutboxLine(id=f"memory-{len(lines) + 1}", at=now, **said)
            os.write(handle, msgspec.json.encode(line) + b"\n")
            os.fsync(handle)
            return line.id, True

    def read(self) -> list[OutboxLine]:
        """All outputs so far, in order."""
        with self._locked() as handle:
            return self._lines(handle)

    @contextmanager
    def _locked(self) -> Iterator[int]:
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield handle
        finally:
            os.close(handle)

    def _lines(self, handle: int) -> list[OutboxLine]:
        size = os.fstat(handle).st_size
        whole = os.pread(handle, size, 0)
        torn = len(whole) - (whole.rfind(b"\n") + 1)
        if torn:
            os.ftruncate(handle, size - torn)
        return [msgspec.json.decode(line, type=OutboxLine) for line in whole[: len(whole) - torn].splitlines()]


def _left_out(path: Path, begin: int) -> DragomanError:
    """What is said of a line that is no event; never its words."""
    detail = f"the line at byte {begin} is no JSON object; it was left out"
    return DragomanError("input_invalid", detail, where=str(path), fix="write one JSON object per line")


def _to_standard_error(error: DragomanError) -> None:
    sys.stderr.write(f"dragoman: {error}\n")
    sys.stderr.flush()


def _told(path: Path, channel: str) -> Presence | None:
    """What `presence.json`, `{"CHANNEL": {"shared": true | false}}`, says; None when it says nothing clear."""
    try:
        said = msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, bool]]).get(channel, {})
    except (OSError, msgspec.DecodeError):
        return None
    return Presence(Fact.YES if said["shared"] else Fact.NO) if "shared" in said else None


def _complete_lines(path: Path, offset: int) -> Iterator[tuple[bytes, int]]:
    """Each complete line from `offset` on, with the offset behind it; one longer than `LINE_LIMIT` comes empty."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        file.seek(offset)
        for line in file:
            if not line.endswith(b"\n"):
                return
            offset += len(line)
            yield line if len(line) <= LINE_LIMIT else b"", offset
