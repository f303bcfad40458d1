"""Rows into words and back: what the rules need to know of one transaction, and what the wire shows of a row.

A look-up that finds nothing raises the `Refusal` that the caller is told. A contact, lease or message of somebody else
is not found, never forbidden: outside there is no difference.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ParamSpec, TypeVar

from dragoman import wire
from dragoman.hub import custody, rules, tenants
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Row, Transaction

P = ParamSpec("P")
T = TypeVar("T")

AckRule = Callable[[list[str], dict[str, rules.Held], str, bool], rules.Settling]
"""`rules.may_ack` or `rules.may_release`."""


# --- who asks --------------------------------------------------------------------------------------------------------


async def callers(tx: Transaction, tokens: Iterable[str | None], *, alone: bool = False) -> dict[str, Row]:
    """Whom these tokens speak for, by token hash, held for a write: no takeover slips in before the commit.

    `alone`: nor another write of theirs that asks for the same; whatever counts a role's things asks so from the start,
    since two that hold a role and then want it alone would wait for each other.
    """
    name = "session_hold_alone" if alone else "session_hold"
    return callers_of(await tx.all(name, **callers_asked(tokens)))


def callers_asked(tokens: Iterable[str | None]) -> dict[str, object]:
    """What the statements that hold callers need to know of their tokens."""
    return {"token_hashes": sorted({token_hash(token) for token in tokens if token})}


def callers_of(found: Iterable[Row]) -> dict[str, Row]:
    """What such a statement found, by token hash."""
    return {row["token_hash"]: row for row in found}


def known_asked(pairs: Iterable[tuple[str, str]]) -> dict[str, object]:
    """What `message_known` needs to know of senders and their reply ids, for either engine."""
    each = sorted(set(pairs))
    return {"pairs": each, "senders": [sender for sender, _ in each], "reply_ids": [reply_id for _, reply_id in each]}


def caller_in(found: Mapping[str, Row], token: str | None, now: int) -> tuple[rules.Caller, rules.Fence]:
    """Whom a token speaks for, and the fence of that role."""
    if not token:
        raise Refusal("token_missing")
    row = must(found.get(token_hash(token)), "token_invalid")
    if now >= row["expires_at"]:
        raise Refusal("token_expired")
    caller = rules.Caller(role_id=row["role_id"], instance_id=row["instance_id"], generation=row["generation"])
    return caller, rules.Fence(generation=row["role_generation"], primary_instance=row["primary_instance"])


def writer_in(found: Mapping[str, Row], token: str | None, generation: int, now: int) -> rules.Caller:
    """The caller, if it may write under `generation`."""
    caller, fence = caller_in(found, token, now)
    refusal = rules.may_write(caller, generation, fence)
    if refusal is not None:
        raise Refusal(refusal)
    if found[token_hash(token or "")]["suspended_at"] is not None:
        raise Refusal("tenant_suspended")
    return caller


def limits_in(found: Mapping[str, Row], token: str | None, hub: wire.Limits) -> wire.Limits:
    """The limits of the tenant of a caller that was found."""
    return tenants.within(hub, found[token_hash(token or "")]["limits"])


def tenant_in(found: Mapping[str, Row], token: str | None) -> str:
    """The tenant of a caller that was found."""
    tenant_id: str = found[token_hash(token or "")]["tenant_id"]
    return tenant_id


async def seen(tx: Transaction, token: str | None) -> dict[str, Row]:
    """Whom one token speaks for, to look at something; as `callers`, without holding it."""
    row = await tx.one("session_get", token_hashes=[token_hash(token)]) if token else None
    return {row["token_hash"]: row} if row is not None else {}


async def caller_of(tx: Transaction, token: str | None, now: int) -> tuple[rules.Caller, rules.Fence]:
    """Whom one token speaks for, to look at something."""
    return caller_in(await seen(tx, token), token, now)


async def writer(tx: Transaction, token: str | None, generation: int, now: int, *, alone: bool = False) -> rules.Caller:
    """Whom one token speaks for, to write under `generation`; `alone` as in `callers`."""
    return writer_in(await callers(tx, [token], alone=alone), token, generation, now)


# --- leases and what they hold ---------------------------------------------------------------------------------------


class Settlements:
    """Leases and held messages of one transaction, as an ack, a release or a reply needs them."""

    def __init__(self, leases: Mapping[str, Row], held: Mapping[str, Row]) -> None:
        self._leases = leases
        self._held = held
        self._settled: set[str] = set()

    def live(self, caller: rules.Caller, token: str, now: int) -> rules.LeaseRow:
        """A live lease of the caller; else refuses `lease_lost`."""
        lease, live = self._lease(caller, token, now)
        if lease is None or not live:
            raise Refusal("lease_lost")
        return lease

    def ask(self, caller: rules.Caller, token: str, ids: list[str], now: int, rule: AckRule) -> rules.Settling:
        """What `rule` says about the named messages; raises its refusal."""
        found = {
            each: rules.Held(
                message_id=each,
                lease_token=row["lease_token"],
                acked=row["acked_at"] is not None or each in self._settled,
            )
            for each in ids
            if (row := self._held.get(each)) is not None and row["recipient"] == caller.role_id
        }
        settling = rule(ids, found, token, self._lease(caller, token, now)[1])
        if settling.refusal is not None:
            raise Refusal(settling.refusal)
        return settling

    def settled(self, ids: Iterable[str]) -> None:
        """These are settled now, for whoever asks later in this transaction."""
        self._settled.update(ids)

    def _lease(self, caller: rules.Caller, token: str, now: int) -> tuple[rules.LeaseRow | None, bool]:
        row = self._leases.get(token)
        if row is None or row["role_id"] != caller.role_id:
            return None, False
        lease = rules.LeaseRow(
            lease_token=token, generation=row["generation"], expires_at=row["expires_at"], cap_at=row["cap_at"]
        )
        # Past `writer_in` the caller's generation is the role's.
        fence = rules.Fence(generation=caller.generation, primary_instance=caller.instance_id)
        return lease, rules.lease_live(lease, fence, now)


async def settlements(tx: Transaction, tokens: Iterable[str], message_ids: Iterable[str]) -> Settlements:
    """Fetch these leases, and hold these messages."""
    asked = settlements_asked(tokens, message_ids)
    return settlements_of(await tx.facts(asked) if asked else {})


def settlements_asked(tokens: Iterable[str], message_ids: Iterable[str]) -> dict[str, dict[str, object]]:
    """The statements that `settlements_of` reads from, as far as they are needed."""
    leases, ids = sorted(set(tokens)), sorted(set(message_ids))
    asked: dict[str, dict[str, object]] = {}
    if leases:
        asked["lease_get"] = {"lease_tokens": leases}
    if ids:
        asked["message_held"] = {"message_ids": ids}
    return asked


def settlements_of(found: Mapping[str, Sequence[Row]]) -> Settlements:
    """Leases and held messages, of what was found."""
    return Settlements(
        {row["lease_token"]: row for row in found.get("lease_get", ())},
        {row["message_id"]: row for row in found.get("message_held", ())},
    )


# --- contacts and messages -------------------------------------------------------------------------------------------


async def contact_row(tx: Transaction, contact_id: str, role_id: str) -> Row:
    """A contact of this role; to everyone else it does not exist."""
    if not rules.is_contact_id(contact_id):
        raise Refusal("contact_unknown")
    return must(await tx.one("contact_get", contact_id=contact_id, role_id=role_id), "contact_unknown")


def contact_seen(row: Row, role_id: str, *, replayed: bool = False) -> wire.Contact:
    """A contact as one of its two roles sees it."""
    mine = row["opener"] == role_id
    return wire.Contact(
        contact_id=row["contact_id"],
        peer_role_id=row["peer"] if mine else row["opener"],
        opened_by_me=mine,
        created_at=row["created_at"],
        closed_at=row["closed_at"],
        delegation_id=row["delegation_id"],
        erased=row["erased_at"] is not None,
        replayed=replayed,
    )


def sent(row: Row | Mapping[str, Any], *, replayed: bool) -> wire.Sent:
    """A message as its sender sees it."""
    return wire.Sent(
        message_id=row["message_id"],
        contact_id=row["contact_id"],
        reply_id=row["reply_id"],
        seq=row["seq"],
        created_at=row["created_at"],
        replayed=replayed,
    )


def fitting(rows: Sequence[Row]) -> list[wire.Message]:
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
                erased=row["erased_at"] is not None,
            )
        )
    return taken


def plain_id(text: str, code: str) -> str:
    """An id that an address names, if it may be one; a statement never sees another, which no row can have."""
    if not rules.is_minted_id(text):
        raise Refusal(code)
    return text


# --- small words -----------------------------------------------------------------------------------------------------


def fence_of(row: Row) -> rules.Fence:
    """The fence of a role's row."""
    return rules.Fence(generation=row["generation"], primary_instance=row["primary_instance"])


def keys_of(row: Row) -> custody.Keys:
    """The keys of a role's row."""
    return custody.Keys(
        public_key=row["public_key"],
        former_key=row["former_key"],
        grace_key=row["grace_key"],
        grace_until=row["grace_until"],
        recovery_key=row["recovery_key"],
        revoked=row["revoked_at"] is not None,
        erased=row["erased_at"] is not None,
    )


async def audited(
    tx: Transaction,
    now: int,
    actor: str,
    action: str,
    *,
    role_id: str | None = None,
    tenant_id: str | None = None,
    detail: str | None = None,
) -> None:
    """Write down who did what to a role, a tenant or an invitation; never a secret, never a text."""
    await tx.run("audit_add", at=now, actor=actor, action=action, role_id=role_id, tenant_id=tenant_id, detail=detail)


async def nonce_secret(tx: Transaction) -> bytes:
    """The secret that this installation's nonces are keyed with."""
    return bytes(must(await tx.one("meta_get", key="nonce_secret"), "internal")["value"])


@lru_cache(maxsize=2048)
def token_hash(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def must(row: Row | None, code: str) -> Row:
    """The row, or the refusal `code`."""
    if row is None:
        raise Refusal(code)
    return row


def refused_or(decide: Callable[P, T], *asked: P.args, **named: P.kwargs) -> T | Refusal:
    """What `decide` answers, or its refusal, for one of many that are decided together."""
    try:
        return decide(*asked, **named)
    except Refusal as refusal:
        return refusal
