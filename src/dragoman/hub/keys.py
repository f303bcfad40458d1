"""The life of role keys: rotation, revocation, recovery, and the end of a role by its own wish (spec 2 §1).

1. Every request is one transaction: nonce ours and in time, origin ours, the role held, `custody`'s verdict, nonce
   unused, then the writing and its line in the audit. A refused one writes nothing and leaves the nonce good.
2. Nobody needs a token here: the keys themselves sign. A captured request is worth nothing: its nonce is used.
3. Rotation keeps generation and primary instance, so that a receiver goes on; its tokens end at once unless the old key
   has a grace. Revocation and recovery end every token and let the generation grow.
4. Whoever asks again for what is done, with a new nonce, is told that it is done.
5. A revoked role has left its place in its tenant; it is recovered only where there is one.
"""

from __future__ import annotations

from collections.abc import Callable

from dragoman import wire
from dragoman.hub import custody, erasure, rows, rules, tenants
from dragoman.hub.custody import Verdict
from dragoman.hub.desk import Desk
from dragoman.hub.entrance import asked, signed_by
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Row, Transaction

Signed = wire.RotateKey | wire.RevokeKey | wire.NameRecoveryKey | wire.RecoverKey | wire.EraseRole


class Keys:
    """The verbs of a role's keys."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def rotate(self, body: wire.RotateKey) -> wire.KeyState:
        """Put a new key in the place of the present one."""
        signed = wire.rotate_input(body)
        new_signed = rules.signature_fits(body.public_key, signed, body.new_signature)
        fits = signed_by(signed, body.signature)

        async def work(tx: Transaction) -> wire.KeyState:
            now = self._desk.clock.now()
            role, verdict = await self._asked(
                tx, body, now, lambda keys: custody.may_rotate(keys, fits, body.public_key, new_signed)
            )
            if not verdict.done:
                await tx.run(
                    "key_rotate",
                    role_id=body.role_id,
                    public_key=body.public_key,
                    grace_key=role["public_key"],
                    grace_until=now + body.grace_ms,
                )
                if not body.grace_ms:
                    await tx.run("session_end", role_id=body.role_id)
                    await tx.ring(body.role_id)
                await self._audited(tx, now, "rotate", role, f"grace_ms={body.grace_ms}")
            return await self._state(tx, body.role_id, verdict, now)

        return await self._desk.store.write(work)

    async def revoke(self, body: wire.RevokeKey) -> wire.KeyState:
        """Let no key be good for the role any more, until it is recovered."""
        fits = signed_by(wire.plain_input("revoke", body), body.signature)

        async def work(tx: Transaction) -> wire.KeyState:
            now = self._desk.clock.now()
            role, verdict = await self._asked(tx, body, now, lambda keys: custody.may_revoke(keys, fits))
            if not verdict.done:
                await erasure.revoke(tx, role, now, body.role_id)
            return await self._state(tx, body.role_id, verdict, now)

        return await self._desk.store.write(work)

    async def name_recovery(self, body: wire.NameRecoveryKey) -> wire.KeyState:
        """Name the key that may put a new one in place."""
        signed = wire.recovery_input(body)
        fits, former = signed_by(signed, body.signature), signed_by(signed, body.former_signature)

        async def work(tx: Transaction) -> wire.KeyState:
            now = self._desk.clock.now()
            role, verdict = await self._asked(
                tx, body, now, lambda keys: custody.may_name_recovery(keys, fits, body.recovery_key, former)
            )
            if not verdict.done:
                await tx.run("key_recovery", role_id=body.role_id, recovery_key=body.recovery_key)
                await self._audited(tx, now, "name_recovery", role)
            return await self._state(tx, body.role_id, verdict, now)

        return await self._desk.store.write(work)

    async def recover(self, body: wire.RecoverKey) -> wire.KeyState:
        """Put a new key in the place of all others."""
        signed = wire.recover_input(body)
        new_signed = rules.signature_fits(body.public_key, signed, body.new_signature)
        by_key = signed_by(signed, body.signature)

        async def work(tx: Transaction) -> wire.KeyState:
            now = self._desk.clock.now()
            await tx.one("role_hold", role_id=body.role_id)  # a role before its codes, as everywhere
            by_code = body.code is not None and await self._code_used(tx, body.role_id, body.code, now)
            role, verdict = await self._asked(
                tx, body, now, lambda keys: custody.may_recover(keys, new_signed, by_key, by_code)
            )
            if role["revoked_at"] is not None:
                await self._refuse_full(tx, role["tenant_id"])
            await tx.run("session_end", role_id=body.role_id)
            await tx.run("recovery_code_end", role_id=body.role_id, now=now)
            await tx.run("key_recover", role_id=body.role_id, public_key=body.public_key)
            await self._audited(tx, now, "recover", role, "by code" if by_code else "by recovery key")
            await tx.ring(body.role_id)
            return await self._state(tx, body.role_id, verdict, now)

        return await self._desk.store.write(work)

    async def erase(self, body: wire.EraseRole) -> wire.Erased:
        """End the role, and all of it that is here."""
        fits = signed_by(wire.plain_input("erase", body), body.signature)

        async def work(tx: Transaction) -> wire.Erased:
            now = self._desk.clock.now()
            role, _ = await self._asked(tx, body, now, lambda keys: custody.may_erase(keys, fits))
            return await erasure.erase(tx, role, now, body.role_id)

        return await self._desk.store.write(work)

    async def _asked(
        self, tx: Transaction, body: Signed, now: int, judge: Callable[[custody.Keys], Verdict]
    ) -> tuple[Row, Verdict]:
        """The role of a request that may go ahead, its nonce used; a no undoes the whole transaction."""
        role, ends = await asked(tx, self._desk, body.role_id, body.nonce, body.origin, now)
        verdict = judge(rows.keys_of(role))
        if verdict.refusal is not None:
            raise Refusal(verdict.refusal)
        if await tx.run("nonce_use", nonce=body.nonce, expires_at=ends) == 0:
            raise Refusal("nonce_used")
        return role, verdict

    async def _refuse_full(self, tx: Transaction, tenant_id: str) -> None:
        """A revoked role left its place: it comes back only where there is one."""
        tenant = rows.must(await tx.one("tenant_hold", tenant_id=tenant_id), "internal")
        most = tenants.within(self._desk.limits, tenant["limits"]).roles_per_tenant
        if most is not None and await tx.one("tenant_full", tenant_id=tenant_id, before=most - 1) is not None:
            raise Refusal("tenant_full")

    async def _code_used(self, tx: Transaction, role_id: str, code: str, now: int) -> bool:
        return await tx.run("recovery_code_use", code_hash=rows.token_hash(code), role_id=role_id, now=now) > 0

    async def _audited(self, tx: Transaction, now: int, action: str, role: Row, detail: str | None = None) -> None:
        await rows.audited(
            tx, now, role["role_id"], action, role_id=role["role_id"], tenant_id=role["tenant_id"], detail=detail
        )

    async def _state(self, tx: Transaction, role_id: str, verdict: Verdict, now: int) -> wire.KeyState:
        role = rows.must(await tx.one("role_get", role_id=role_id), "internal")
        return wire.KeyState(
            role_id=role_id,
            public_key=role["public_key"] or None,
            generation=role["generation"],
            recovery=role["recovery_key"] is not None,
            replayed=verdict.done,
            server_time=now,
        )
