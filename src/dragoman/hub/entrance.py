"""The entrance of the hub: roles, nonces, log-ins and the tokens they give (spec 2 §1).

1. A nonce costs nothing: it carries its own time and keyed hash, is bound to the role that asked, and is written down
   only when a right signature uses it. So nobody fills the store by asking, and asking does not tell which roles exist.
2. A log-in is one transaction: nonce ours and in time, origin ours, signature right, nonce unused, then `rules.log_in`.
   A refused one writes nothing; the nonce stays good for its owner.
3. A token is kept as its SHA-256 and speaks for one instance under one generation until it ends. A role has at most
   `TOKENS` of them; the one that ends first gives way, so that nobody fills the store by logging in.
"""

from __future__ import annotations

from typing import Final

import msgspec

from dragoman import wire
from dragoman.clock import DAY
from dragoman.hub import rows, rules
from dragoman.hub.desk import Desk
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Transaction

TOKENS: Final = 64


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
        role_id = wire.role_id_of(body.public_key)

        async def work(tx: Transaction) -> wire.Role:
            added = await tx.run("role_add", role_id=role_id, public_key=body.public_key, now=self._desk.clock.now())
            row = rows.must(await tx.one("role_get", role_id=role_id), "internal")
            if row["public_key"] != body.public_key:
                raise Refusal("signature_invalid")
            return wire.Role(
                role_id=role_id, public_key=row["public_key"], created_at=row["created_at"], replayed=added == 0
            )

        return await self._desk.store.write(work)

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
            ends = rules.nonce_ends(await rows.nonce_secret(tx), body.role_id, body.nonce, self._desk.limits.nonce_ms)
            if ends is None or now >= ends:
                raise Refusal("nonce_invalid")
            if body.origin not in self._desk.origins:
                raise Refusal("origin_mismatch")
            role = await tx.one("role_hold", role_id=body.role_id)
            signed = wire.login_input(body.origin, body.role_id, body.instance_id, body.nonce, body.takeover)
            # An unknown role and a wrong signature look the same from outside.
            if role is None or not rules.signature_fits(role["public_key"], signed, body.signature):
                raise Refusal("signature_invalid")
            if await tx.run("nonce_use", nonce=body.nonce, expires_at=ends) == 0:
                raise Refusal("nonce_used")
            return await self._enter(tx, rows.fence_of(role), body, now)

        return await self._desk.store.write(work)

    async def _enter(self, tx: Transaction, fence: rules.Fence, body: wire.LogIn, now: int) -> wire.Session:
        entry = rules.log_in(fence, body.instance_id, body.takeover)
        if entry.fence != fence:
            await tx.run("role_fence", role_id=body.role_id, **msgspec.structs.asdict(entry.fence))
        await tx.run("nonce_sweep", now=now)
        await tx.run("session_sweep", before=now - DAY)
        session = wire.Session(
            token=self._desk.new_id("tok_"),
            expires_at=now + self._desk.limits.token_ms,
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
            caller, fence = await rows.caller_of(tx, token, now)
            superseded = caller.generation != fence.generation
            return wire.Me(
                role_id=caller.role_id,
                instance_id=caller.instance_id,
                generation=fence.generation,
                primary=not superseded and caller.instance_id == fence.primary_instance,
                superseded=superseded,
                server_time=now,
            )

        return await self._desk.store.read(work)
