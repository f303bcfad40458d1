"""The journal as a file that somebody else can verify: JSON lines, and a signed checkpoint at the end (spec 1 §9).

    {"journal":"<id>","version":1}
    {"seq":1,"hash":"<hex>","body":"<the record's exact text>"}
    ...
    {"checkpoint":{"version":1,"journal":"<id>","seq":N,"hash":"<hex>","at":<ms>,"public_key":"<hex>","signature":"<hex>"}}

1. Written record by record to a new private file, the checkpoint last: a file without it is not whole.
2. Read strictly, line by line: an unknown key, a line that is too long, or anything after the checkpoint is refused.
3. The checkpoint at the end is held against the chain before it, and against the verifier's key if there is one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Final, Literal, NamedTuple, TypeVar

import msgspec

from dragoman.errors import DragomanError
from dragoman.ledger.chain import Checkpoint, Hash, Head, JournalId, Number, Walk, altered

LINE_BYTES: Final = 1024 * 1024
Kind = TypeVar("Kind")


class Record(NamedTuple):
    """One record of the chain as it is stored."""

    seq: int
    body: str
    hash: bytes


class _First(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    journal: JournalId
    version: Literal[1]


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seq: Number
    hash: Hash
    body: str


class _Last(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    checkpoint: Checkpoint


def write(path: Path, records: Iterable[Record], checkpoint: Checkpoint) -> None:
    """Write a journal up to `checkpoint` to the new private file `path`, durable before this returns.

    Raises:
        DragomanError: `conflict` when the file exists, `ledger_broken` when it cannot be written.
    """
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as file:
            _put(file, _First(journal=checkpoint.journal, version=1))
            for record in records:
                _put(file, _Line(record.seq, record.hash.hex(), record.body))
            _put(file, _Last(checkpoint))
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise DragomanError("conflict", "the file exists", where=str(path), fix="choose another path") from None
    except OSError as error:
        fix = "choose a folder that exists, with room"
        raise DragomanError("ledger_broken", error.strerror or "", where=str(path), fix=fix) from error


def walked(path: Path, watched: Iterable[Checkpoint] = ()) -> tuple[Head, Checkpoint]:
    """Walk an exported journal to its end: its head, and the checkpoint that it ends with.

    Raises:
        DragomanError: `journal_altered` when it is not what was written, `input_invalid` when it is no such file.
    """
    try:
        with path.open("rb") as file:
            return _walked(_lines(file, path), list(watched))
    except OSError as error:
        raise DragomanError("input_invalid", error.strerror or "", where=str(path), fix="check the path") from error


def _walked(lines: Iterator[bytes], watched: list[Checkpoint]) -> tuple[Head, Checkpoint]:
    first = _read(next(lines, b""), _First, 0)
    walk = Walk(first.journal, watched)
    before: bytes | None = None
    for raw in lines:
        if before is not None:
            _step(walk, before)
        before = raw
    if before is None:
        raise altered("the file ends without a checkpoint: it is not whole")
    try:
        last = msgspec.json.decode(before, type=_Last).checkpoint
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise altered("the file ends without a checkpoint: it is not whole") from None
    head = walk.end()
    if (last.journal, last.seq, last.hash) != (first.journal, head.seq, head.hash):
        raise altered(f"the file's own checkpoint stands at {last.seq}, its records end at {head.seq}")
    return head, last


def _step(walk: Walk, raw: bytes) -> None:
    line = _read(raw, _Line, walk.head.seq + 1)
    walk.step(line.seq, line.body.encode(), bytes.fromhex(line.hash))


def _lines(file: IO[bytes], path: Path) -> Iterator[bytes]:
    while line := file.readline(LINE_BYTES + 1):
        if len(line) > LINE_BYTES:
            raise DragomanError("input_too_large", f"a line of more than {LINE_BYTES} bytes", where=str(path))
        yield line


def _put(file: IO[bytes], line: msgspec.Struct) -> None:
    file.write(msgspec.json.encode(line) + b"\n")


def _read(raw: bytes, kind: type[Kind], record: int) -> Kind:
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        if not record:
            fix = "give a file that `dragoman journal export` wrote"
            raise DragomanError("input_invalid", f"no exported journal: {error}", where="line 1", fix=fix) from None
        raise altered(f"record {record} is no record: {error}") from None
