"""What was decided, written so that an edit shows (spec 1 §9). Implements the gate's `Journal`.

1. A record holds no body, no party terms, no channel ids, no secrets: targets and authors are HMAC pseudonyms.
2. Each record's hash covers its bytes and the hash before it; rows can be added, never changed or removed.
3. `verify` finds any change inside the chain; a cut-off tail shows only against a head that was exported before.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Any, Final

import msgspec

from dragoman.errors import DragomanError
from dragoman.gate.ports import Entry
from dragoman.identity import Party, Target
from dragoman.ledger.queries import queries
from dragoman.ledger.store import Ledger

_START: Final = b"dragoman-journal-v1:"


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


class Head(msgspec.Struct, frozen=True):
    """The newest record's number and hash; `seq` 0 is the empty journal."""

    seq: int
    hash: str


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
            digest = hashlib.sha256(bytes.fromhex(head.hash) + body).digest()
            self._ledger.change(self._queries["append"], seq=head.seq + 1, body=body.decode(), hash=digest)

    def pseudonym(self, identity: Target | Party) -> str:
        """The keyed pseudonym that stands for an identity in this journal; 16 hex."""
        mark = "t:" if isinstance(identity, Target) else "p:"
        return hmac.new(self._ledger.pseudonym_key, f"{mark}{identity}".encode(), hashlib.sha256).hexdigest()[:16]

    def head(self) -> Head:
        """The newest record, to be kept elsewhere as a checkpoint."""
        return self._head()

    def verify(self, checkpoint: Head | None = None) -> int:
        """How many records stand, all of them unchanged, and `checkpoint` among them.

        Raises:
            DragomanError: `ledger_broken`, naming the first record that does not fit.
        """
        before, count = self._origin(), 0
        seen = checkpoint is None or checkpoint.seq == 0
        for row in self._ledger.rows(self._queries["all"]):
            count += 1
            before = hashlib.sha256(before + str(row["body"]).encode()).digest()
            if row["seq"] != count or row["hash"] != before:
                raise DragomanError("ledger_broken", f"record {count} was changed", where="journal")
            seen = seen or (checkpoint is not None and checkpoint.seq == count and checkpoint.hash == before.hex())
        if not seen:
            raise DragomanError("ledger_broken", "the exported checkpoint is not in the chain", where="journal")
        return count

    def why(self, correlation_id: str | None = None) -> list[Recorded]:
        """The records of one decision, or of the newest; empty when there is none."""
        if correlation_id is None:
            found = self._ledger.row(self._queries["last_of_kind"])
            if found is None:
                return []
            correlation_id = str(found["correlation_id"])
        rows = self._ledger.rows(self._queries["of"], correlation_id=correlation_id)
        return [msgspec.json.decode(row["body"], type=Recorded) for row in rows]

    def newest(self, limit: int, kind: str = "") -> list[Recorded]:
        """The newest `limit` records, oldest first; of one kind when `kind` is given."""
        rows = self._ledger.rows(self._queries["newest"], kind=kind, limit=limit)
        return [msgspec.json.decode(row["body"], type=Recorded) for row in reversed(rows)]

    def paths(self) -> list[dict[str, Any]]:
        """Every consumer path that was exercised: `consumer`, `times`, `last` (epoch milliseconds)."""
        return [dict(row) for row in self._ledger.rows(self._queries["paths"])]

    def _head(self) -> Head:
        found = self._ledger.row(self._queries["head"])
        return Head(0, self._origin().hex()) if found is None else Head(found["seq"], found["hash"].hex())

    def _origin(self) -> bytes:
        return hashlib.sha256(_START + self._ledger.install_id.encode()).digest()

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
            facts={str(name): str(fact) for name, fact in entry.facts.items()},
        )
