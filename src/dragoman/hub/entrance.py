"""The entrance of the hub: roles, nonces, log-ins and the tokens they give (spec 2 §1).

1. A nonce costs nothing: it carries its own time and keyed hash, is bound to the role that asked, and is written down
   only when a right signature uses it. So nobody fills the store by asking, and asking does not tell which roles exist.
2. A log-in is one transaction: nonce ours and in time, origin ours, signature right by `custody`, nonce unused, then
   `rules.log_in`. A refused one writes nothing; the nonce stays good for its owner.
3. A token is kept as its SHA-256 and speaks for one instance under one generation until it ends. A role has at most
   `TOKENS` of them; the one that ends first gives way, so that nobody fills the store by logging in.
4. A new role belongs to the tenant of its invitation, else to `default`. A role that is known needs no invitation, so
   that repeating a registration uses none up.
"""

from __future__ import annotations

from typing import Final

import msgspec

from dragoman import wire
from dragoman.clock import DAY
from dragoman.hub import custody, rows, rules, tenants
from dragoman.hub.desk import Desk
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Row, Transaction

TOKENS: Final = 64
NONCES_MS: Final = DAY
"""How long a used nonce is known after its end: no clock that is wrong, nor another hub's, makes it good again."""


class Entrance:
    """Who may come in."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def register(self, body: wire.RegisterRole) -> wire.Role:
        """Make a role of a public key."""
        if body.origin not in self._desk.origins:
            raise Refusal("origin_mismatch")
        if not rules.signature_fits(body.public_key, wire.register_input(body.origin, body.public_key), body.signature):
            raise Refusal("signature_invalid")
        made = wire.role_id_of(body.public_key)
        role_id = body.role_id or made

        async def work(tx: Transaction) -> wire.Role:
            # A key that took another one's place names its role; only a key that a role is made of makes one.
            added = role_id == made and await self._add(tx, role_id, body)
            row = rows.must(await tx.one("role_get", role_id=role_id), "signature_invalid")
            refusal = custody.may_register(rows.keys_of(row), body.public_key)
            if refusal is not None:
                raise Refusal(refusal if role_id == made else "signature_invalid")
            return wire.Role(
                role_id=role_id, public_key=row["public_key"], created_at=row["created_at"], replayed=not added
            )

        return await self._desk.store.write(work)

    async def _add(self, tx: Transaction, role_id: str, body: wire.RegisterRole) -> bool:
        """Make the role unless it is known; with the tenant that the invitation leads to."""
        if await tx.one("role_get", role_id=role_id) is not None:
            return False
        now = self._desk.clock.now()
        tenant_id = tenants.DEFAULT
        if body.invitation is not None:
            tenant_id = await self._invited(tx, rows.token_hash(body.invitation), now)
        elif self._desk.invited:
            raise Refusal("invitation_needed")
        tenant = rows.must(await tx.one("tenant_hold", tenant_id=tenant_id), "invitation_invalid")
        if tenant["suspended_at"] is not None:
            raise Refusal("tenant_suspended")
        most = tenants.within(self._desk.limits, tenant["limits"]).roles_per_tenant
        if most is not None and await tx.one("tenant_full", tenant_id=tenant_id, before=most - 1) is not None:
            raise Refusal("tenant_full")
        added = await tx.run("role_add", role_id=role_id, public_key=body.public_key, now=now, tenant_id=tenant_id)
        if added:
            await rows.audited(tx, now, role_id, "register", role_id=role_id, tenant_id=tenant_id)
        elif body.invitation is not None:
            # Another request of the same key came first; this one must not cost a use.
            raise Refusal("overloaded")
        return added > 0

    async def _invited(self, tx: Transaction, code_hash: str, now: int) -> str:
        if await tx.run("invitation_use", code_hash=code_hash, now=now) == 0:
            raise Refusal("invitation_invalid")
        row = rows.must(await tx.one("invitation_get", code_hash=code_hash), "invitation_invalid")
        tenant_id: str = row["tenant_id"]
        return tenant_id

    async def nonce(self, body: wire.AskNonce) -> wire.GivenNonce:
        """A nonce for one log-in; the same answer whether or not the role exists, and nothing is stored."""
        secret = await self._desk.store.read(rows.nonce_secret)
        now = self._desk.clock.now()
        salt = bytes.fromhex(self._desk.new_id(""))
        return wire.GivenNonce(
            nonce=rules.nonce_of(secret, body.role_id, now, salt),
            expires_at=now + self._desk.limits.nonce_ms,
            server_time=now,
        )

    async def log_in(self, body: wire.LogIn) -> wire.Session:
        """Exchange a signed nonce for a token. A failed log-in writes nothing and leaves the nonce unused."""

        async def work(tx: Transaction) -> wire.Session:
            now = self._desk.clock.now()
            role, ends = await asked(tx, self._desk, body.role_id, body.nonce, body.origin, now)
            signed = wire.login_input(body.origin, body.role_id, body.instance_id, body.nonce, body.takeover)
            verdict = custody.may_enter(rows.keys_of(role), signed_by(signed, body.signature), body.takeover, now)
            if verdict.refusal is not None:
                raise Refusal(verdict.refusal)
            if await tx.run("nonce_use", nonce=body.nonce, expires_at=ends) == 0:
                raise Refusal("nonce_used")
            return await self._enter(tx, role, body, now, verdict.until)

        return await self._desk.store.write(work)

    async def _enter(self, tx: Transaction, role: Row, body: wire.LogIn, now: int, until: int | None) -> wire.Session:
        fence = rows.fence_of(role)
        entry = rules.log_in(fence, body.instance_id, body.takeover)
        if entry.fence != fence:
            await tx.run("role_fence", role_id=body.role_id, **msgspec.structs.asdict(entry.fence))
        await tx.run("nonce_sweep", before=now - NONCES_MS)
        await tx.run("session_sweep", before=now - DAY)
        tenant = rows.must(await tx.one("tenant_get", tenant_id=role["tenant_id"]), "internal")
        ends = now + tenants.within(self._desk.limits, tenant["limits"]).token_ms
        session = wire.Session(
            token=self._desk.new_id("tok_"),
            expires_at=ends if until is None else min(ends, until),
            role_id=body.role_id,
            instance_id=body.instance_id,
            generation=entry.fence.generation,
            primary=entry.primary,
            server_time=now,
        )
        await tx.run(
            "session_add",
            token_hash=rows.token_hash(session.token),
            role_id=session.role_id,
            instance_id=session.instance_id,
            generation=session.generation,
            expires_at=session.expires_at,
        )
        await tx.run("session_trim", role_id=session.role_id, keep=TOKENS)
        return session

    async def me(self, token: str | None) -> wire.Me:
        """What the hub holds of the caller now."""

        async def work(tx: Transaction) -> wire.Me:
            now = self._desk.clock.now()
            found = await rows.seen(tx, token)
            caller, fence = rows.caller_in(found, token, now)
            superseded = caller.generation != fence.generation
            return wire.Me(
                role_id=caller.role_id,
                instance_id=caller.instance_id,
                generation=fence.generation,
                primary=not superseded and caller.instance_id == fence.primary_instance,
                superseded=superseded,
                server_time=now,
                tenant=rows.tenant_in(found, token),
                limits=rows.limits_in(found, token, self._desk.limits),
            )

        return await self._desk.store.read(work)


async def asked(tx: Transaction, desk: Desk, role_id: str, nonce: str, origin: str, now: int) -> tuple[Row, int]:
    """The role that a signed request speaks of, held, and the end of its nonce, which is ours and in time.

    An unknown role and a wrong signature look the same from outside.
    """
    ends = rules.nonce_ends(await rows.nonce_secret(tx), role_id, nonce, desk.limits.nonce_ms)
    if ends is None or now >= ends:
        raise Refusal("nonce_invalid")
    if origin not in desk.origins:
        raise Refusal("origin_mismatch")
    return rows.must(await tx.one("role_hold", role_id=role_id), "signature_invalid"), ends


def signed_by(data: bytes, signature: str | None) -> custody.Fits:
    """Whether `signature` over `data` was made by a key."""
    return lambda key: signature is not None and rules.signature_fits(key, data, signature)
