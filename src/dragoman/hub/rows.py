"""Rows into words and back: what the rules need to know of one transaction, and what the wire shows of a row.

A look-up that finds nothing raises the `Refusal` that the caller is told. A contact, lease or message of somebody else
is not found, never forbidden: outside there is no difference.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from dragoman import wire
from dragoman.hub import rules
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Transaction


def caller_of(tx: Transaction, token: str | None, now: int) -> tuple[rules.Caller, rules.Fence]:
    """Whom a token speaks for, and the fence of that role."""
    if not token:
        raise Refusal("token_missing")
    row = must(tx.one("session_get", token_hash=token_hash(token)), "token_invalid")
    if now >= row["expires_at"]:
        raise Refusal("token_expired")
    caller = rules.Caller(role_id=row["role_id"], instance_id=row["instance_id"], generation=row["generation"])
    return caller, rules.Fence(generation=row["role_generation"], primary_instance=row["primary_instance"])


def writer(tx: Transaction, token: str | None, generation: int, now: int) -> rules.Caller:
    """The caller, if it may write under `generation`."""
    caller, fence = caller_of(tx, token, now)
    refusal = rules.may_write(caller, generation, fence)
    if refusal is not None:
        raise Refusal(refusal)
    return caller


def lease_of(tx: Transaction, caller: rules.Caller, lease_token: str, now: int) -> tuple[rules.LeaseRow | None, bool]:
    """A lease of the caller, and whether it is live."""
    row = tx.one("lease_get", lease_token=lease_token, role_id=caller.role_id)
    lease = rules.LeaseRow(**dict(row)) if row is not None else None
    # Past `writer` the caller's generation is the role's.
    fence = rules.Fence(generation=caller.generation, primary_instance=caller.instance_id)
    return lease, rules.lease_live(lease, fence, now)


def live_lease(tx: Transaction, caller: rules.Caller, lease_token: str, now: int) -> rules.LeaseRow:
    """A live lease of the caller; else refuses `lease_lost`."""
    lease, live = lease_of(tx, caller, lease_token, now)
    if lease is None or not live:
        raise Refusal("lease_lost")
    return lease


def settling(
    tx: Transaction,
    caller: rules.Caller,
    body: wire.AckMessages | wire.ReleaseMessages,
    now: int,
    rule: Callable[[list[str], dict[str, rules.Held], str, bool], rules.Settling],
) -> rules.Settling:
    """What `rule` (ack or release) says about the named messages; raises its refusal."""
    _, live = lease_of(tx, caller, body.lease_token, now)
    rows = tx.all("message_held", message_ids=id_list(body.message_ids), role_id=caller.role_id)
    found = {
        row["message_id"]: rules.Held(
            message_id=row["message_id"], lease_token=row["lease_token"], acked=row["acked_at"] is not None
        )
        for row in rows
    }
    settling = rule(body.message_ids, found, body.lease_token, live)
    if settling.refusal is not None:
        raise Refusal(settling.refusal)
    return settling


def facts(tx: Transaction, contact: sqlite3.Row, role_id: str, now: int) -> rules.Facts:
    """What the tables say of one contact, from the side of `role_id`."""
    counts = {row["recipient"]: row for row in tx.all("contact_waiting", contact_id=contact["contact_id"], now=now)}
    peer = contact["peer"] if contact["opener"] == role_id else contact["opener"]
    mine, theirs = counts.get(role_id), counts.get(peer)
    return rules.Facts(
        closed=contact["closed_at"] is not None,
        completed=tx.one("contact_completed", contact_id=contact["contact_id"]) is not None,
        inbound=mine["waiting"] if mine else 0,
        inbound_leased=mine["leased"] if mine else 0,
        outbound=theirs["waiting"] if theirs else 0,
        outbound_leased=theirs["leased"] if theirs else 0,
        mine_to_open=contact["opener"] == role_id and contact["last_seq"] == 0,
    )


def contact_row(tx: Transaction, contact_id: str, role_id: str) -> sqlite3.Row:
    """A contact of this role; to everyone else it does not exist."""
    if not rules.is_contact_id(contact_id):
        raise Refusal("contact_unknown")
    return must(tx.one("contact_get", contact_id=contact_id, role_id=role_id), "contact_unknown")


def contact_seen(row: sqlite3.Row, role_id: str, *, replayed: bool = False) -> wire.Contact:
    """A contact as one of its two roles sees it."""
    mine = row["opener"] == role_id
    return wire.Contact(
        contact_id=row["contact_id"],
        peer_role_id=row["peer"] if mine else row["opener"],
        opened_by_me=mine,
        created_at=row["created_at"],
        closed_at=row["closed_at"],
        replayed=replayed,
    )


def sent(row: sqlite3.Row, *, replayed: bool) -> wire.Sent:
    """A message as its sender sees it."""
    return wire.Sent(
        message_id=row["message_id"],
        contact_id=row["contact_id"],
        reply_id=row["reply_id"],
        seq=row["seq"],
        created_at=row["created_at"],
        replayed=replayed,
    )


def fitting(rows: list[sqlite3.Row]) -> list[wire.Message]:
    """The first rows as messages, as many as one answer carries, at least one."""
    taken: list[wire.Message] = []
    size = 0
    for row in rows:
        size += len(row["text"].encode()) + len((row["packet"] or "").encode())
        if taken and size > wire.BATCH_BYTES:
            break
        taken.append(
            wire.Message(
                message_id=row["message_id"],
                contact_id=row["contact_id"],
                seq=row["seq"],
                sender_role_id=row["sender"],
                reply_id=row["reply_id"],
                text=row["text"],
                packet=row["packet"],
                complete=bool(row["complete"]),
                created_at=row["created_at"],
            )
        )
    return taken


def wanted(caller: rules.Caller, body: wire.TakeLease) -> dict[str, Any]:
    """The values that choose what a poll wants."""
    return {
        "role_id": caller.role_id,
        "generation": caller.generation,
        "contact_ids": id_list(body.contact_ids) if body.contact_ids is not None else None,
        "message_ids": id_list(body.message_ids) if body.message_ids is not None else None,
    }


def fence_of(row: sqlite3.Row) -> rules.Fence:
    """The fence of a role's row."""
    return rules.Fence(generation=row["generation"], primary_instance=row["primary_instance"])


def nonce_secret(tx: Transaction) -> bytes:
    """The secret that this installation's nonces are keyed with."""
    secret: bytes = must(tx.one("meta_get", key="nonce_secret"), "internal")["value"]
    return secret


def id_list(ids: Iterable[str]) -> str:
    """Ids as the JSON list that a statement unfolds."""
    return msgspec.json.encode(list(ids)).decode()


def token_hash(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def must(row: sqlite3.Row | None, code: str) -> sqlite3.Row:
    """The row, or the refusal `code`."""
    if row is None:
        raise Refusal(code)
    return row
