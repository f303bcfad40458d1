"""What was decided, written so that an edit shows (spec 1 §9). Implements the gate's `Journal`.

1. A record holds no body, no party terms, no channel ids, no secrets: targets and authors are HMAC pseudonyms.
2. Each record's hash covers its bytes and the hash before it; rows can be added, never changed or removed.
3. `verify` finds any change inside the chain; a cut-off tail, or a chain that was made anew, shows only against a
   checkpoint that was kept elsewhere (`chain.py`, `checkpoint.py`).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from dragoman.gate.ports import Entry
from dragoman.identity import Party, Target
from dragoman.ledger.chain import Checkpoint, Head, Walk, link, origin
from dragoman.ledger.checkpoint import signed
from dragoman.ledger.exported import Record, write
from dragoman.ledger.queries import queries
from dragoman.ledger.store import Ledger

_PAGE: Final = 1000


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """One record as it is stored; `target` and `author` are pseudonyms or empty."""

    correlation_id: str
    kind: str
    outcome: str
    reason: str
    time: int
    audience: str
    output_class: str
    consumer: str
    policy_version: str
    target: str
    author: str
    evidence: str
    facts: dict[str, str]


def pseudonym(key: bytes, identity: Target | Party | str) -> str:
    """What stands for an identity, or for a name, in the journal whose key this is; 16 hex."""
    mark = "t:" if isinstance(identity, Target) else "p:" if isinstance(identity, Party) else "n:"
    return hmac.new(key, f"{mark}{identity}".encode(), hashlib.sha256).hexdigest()[:16]


class LedgerJournal:
    """The journal of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queries = queries("journal")

    def record(self, entry: Entry) -> None:
        """Write one record durably (in the open transaction, or one of its own).

        Raises:
            DragomanError: `ledger_broken`; the act that the record describes must not happen.
        """
        body = msgspec.json.encode(self._recorded(entry), order="deterministic")
        with self._ledger.write():
            head = self._head()
            digest = link(bytes.fromhex(head.hash), body)
            self._ledger.change(self._queries["append"], seq=head.seq + 1, body=body.decode(), hash=digest)

    def pseudonym(self, identity: Target | Party | str) -> str:
        """The keyed pseudonym that stands for an identity, or for a name, in this journal."""
        return pseudonym(self._ledger.pseudonym_key, identity)

    def head(self) -> Head:
        """The newest record, to be kept elsewhere as a checkpoint."""
        return self._head()

    def verify(self, watched: Iterable[Checkpoint] = ()) -> Head:
        """The head of a journal whose records are all unchanged, with every checkpoint of `watched` among them.

        Whether a checkpoint is genuine is asked first, of `checkpoint.genuine`.

        Raises:
            DragomanError: `journal_altered`, naming the first record that does not fit.
        """
        walk = Walk(self._ledger.install_id, watched)
        for record in self._records(2**53):
            walk.step(record.seq, record.body.encode(), record.hash)
        return walk.end()

    def checkpoint(self, now: int) -> Checkpoint:
        """The present head, signed with this ledger's key.

        Raises:
            DragomanError: `key_invalid` when the key cannot be used.
        """
        return signed(self._ledger.folder, self._ledger.install_id, self._head(), now)

    def export(self, path: Path, now: int) -> Checkpoint:
        """Write the journal to a new private file that ends with a checkpoint; the checkpoint.

        Raises:
            DragomanError: `conflict` when the file exists, `ledger_broken`, `key_invalid`.
        """
        checkpoint = self.checkpoint(now)
        write(path, self._records(checkpoint.seq), checkpoint)
        return checkpoint

    def why(self, correlation_id: str | None = None) -> list[Recorded]:
        """The records of one decision, or of the newest; empty when there is none."""
        if correlation_id is None:
            found = self._ledger.row(self._queries["last_of_kind"])
            if found is None:
                return []
            correlation_id = str(found["correlation_id"])
        return self.of(correlation_id)

    def newest(self, limit: int, kind: str = "") -> list[Recorded]:
        """The newest `limit` records, oldest first; of one kind when `kind` is given."""
        rows = self._ledger.rows(self._queries["newest"], kind=kind, limit=limit)
        return [msgspec.json.decode(row["body"], type=Recorded) for row in reversed(rows)]

    def of(self, correlation_id: str) -> list[Recorded]:
        """All records of one correlation id, oldest first."""
        rows = self._ledger.rows(self._queries["of"], correlation_id=correlation_id)
        return [msgspec.json.decode(row["body"], type=Recorded) for row in rows]

    def every(self) -> Iterator[Recorded]:
        """All records, oldest first, one by one."""
        for record in self._records(self._head().seq):
            yield msgspec.json.decode(record.body, type=Recorded)

    def paths(self) -> list[dict[str, Any]]:
        """Every consumer path that was exercised: `consumer`, `times`, `last` (epoch milliseconds)."""
        return [dict(row) for row in self._ledger.rows(self._queries["paths"])]

    def _head(self) -> Head:
        found = self._ledger.row(self._queries["head"])
        start = origin(self._ledger.install_id).hex()
        return Head(0, start) if found is None else Head(found["seq"], found["hash"].hex())

    def _records(self, last: int) -> Iterator[Record]:
        """Every record up to number `last`, in order, a page at a time."""
        after = -(2**62)  # a record slipped in before the first one is a record out of order
        while rows := self._ledger.rows(self._queries["page"], after=after, last=last, limit=_PAGE):
            yield from (Record(row["seq"], row["body"], row["hash"]) for row in rows)
            after = rows[-1]["seq"]

    def _recorded(self, entry: Entry) -> Recorded:
        return Recorded(
            correlation_id=entry.correlation_id,
            kind=entry.kind,
            outcome=str(entry.outcome),
            reason=str(entry.reason),
            time=entry.time,
            audience=str(entry.audience),
            output_class=str(entry.output_class or ""),
            consumer=entry.consumer,
            policy_version=entry.policy_version,
            target=self.pseudonym(entry.target) if entry.target is not None and entry.target.known else "",
            author=self.pseudonym(entry.author) if entry.author is not None and entry.author.known else "",
            evidence=entry.evidence,
            facts={str(name): str(fact) for name, fact in entry.facts.items()}
            | {name: self.pseudonym(text) for name, text in entry.named.items()},
        )
