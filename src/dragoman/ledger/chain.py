"""Does a journal hold together? The chain of its records, and what a checkpoint says of it (spec 1 §9). Pure.

1. The hash before the first record is made of the journal's own id; each record's hash covers its exact bytes and the
   hash before it.
2. A walk goes from the first record on. A number out of order, or a hash that does not fit, ends it.
3. A checkpoint that is watched for must be met: same journal, same number, same hash. One that lies beyond the end
   means that records were cut off; one with another hash means that what stands here was written later.

It knows no key: `checkpoint.py` says whether a checkpoint is genuine, this whether it fits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from dragoman.errors import DragomanError

_START: Final = b"dragoman-journal-v1:"

JournalId = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Number = Annotated[int, Meta(ge=0, le=2**53 - 1)]


class Head(msgspec.Struct, frozen=True):
    """The newest record's number and hash; `seq` 0 is the empty journal."""

    seq: Number
    hash: Hash


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A journal's head, signed. `at` is epoch milliseconds; `public_key` is told, never believed."""

    version: Annotated[int, Meta(ge=1, le=1)] = 1
    journal: JournalId
    seq: Number
    hash: Hash
    at: Number
    public_key: Hash
    signature: Annotated[str, Meta(pattern=r"^[0-9a-f]{128}\Z")]


def origin(journal_id: str) -> bytes:
    """The hash before the first record; no two journals share it."""
    return hashlib.sha256(_START + journal_id.encode()).digest()


def link(before: bytes, body: bytes) -> bytes:
    """The hash of a record after `before`."""
    return hashlib.sha256(before + body).digest()


class Walk:
    """One walk along a journal from its first record, watching for checkpoints.

    Raises:
        DragomanError: `journal_altered`, on making it when a watched checkpoint is of another journal.
    """

    def __init__(self, journal_id: str, watched: Iterable[Checkpoint] = ()) -> None:
        self._before = origin(journal_id)
        self._count = 0
        self._watched = sorted(watched, key=lambda checkpoint: checkpoint.seq)
        for checkpoint in self._watched:
            if checkpoint.journal != journal_id:
                raise altered(f"the checkpoint at record {checkpoint.seq} is of another journal")
        self._meet()

    @property
    def head(self) -> Head:
        """Where the walk has come to."""
        return Head(self._count, self._before.hex())

    def step(self, seq: int, body: bytes, digest: bytes) -> None:
        """The next record.

        Raises:
            DragomanError: `journal_altered`, naming the first record that does not fit.
        """
        self._count += 1
        self._before = link(self._before, body)
        if seq != self._count:
            raise altered(f"record {self._count} is missing, record {seq} stands in its place")
        if digest != self._before:
            raise altered(f"record {seq} was changed")
        self._meet()

    def end(self) -> Head:
        """The journal ends here.

        Raises:
            DragomanError: `journal_altered` when a watched checkpoint was not reached.
        """
        if self._watched:
            beyond = self._watched[-1].seq
            raise altered(f"records were cut off: a checkpoint stands at {beyond}, the end at {self._count}")
        return self.head

    def _meet(self) -> None:
        while self._watched and self._watched[0].seq == self._count:
            if self._watched.pop(0).hash != self._before.hex():
                raise altered(f"rewritten: record {self._count} has another hash than its checkpoint")


def altered(detail: str) -> DragomanError:
    """The journal is not what was written."""
    fix = "keep the file as it is; compare it with an exported copy, and restore from a backup"
    return DragomanError("journal_altered", detail, where="journal", fix=fix)
