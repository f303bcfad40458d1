"""What the operator does to a hub's store, beside the hubs that serve it or without them.

1. Each thing is one transaction, and written down in the audit as done by `operator`.
2. Codes are shown once, where they are made; the store keeps their SHA-256.
3. Nothing here speaks for a role: the operator may end roles and let them have a new key, and never has one.
"""

from __future__ import annotations

from typing import Final

import msgspec

from dragoman import wire
from dragoman.errors import DragomanError
from dragoman.hub import erasure, rows, tenants
from dragoman.hub.desk import Desk
from dragoman.hub.erasure import OPERATOR
from dragoman.hub.pulse import Pulse
from dragoman.hub.store import Row, Transaction
from dragoman.hub.upkeep import Upkeep

PAGE: Final = 500
ROUNDS: Final = 10_000


class RoleLine(msgspec.Struct, frozen=True, kw_only=True):
    """One role as the operator sees it. Times are milliseconds since the epoch."""

    role_id: str
    tenant: str
    state: str
    generation: int
    primary_instance: str | None
    last_poll: int | None
    contacts: int
    recovery: bool
    created_at: int


class TenantLine(msgspec.Struct, frozen=True, kw_only=True):
    """One tenant: its own limits, and how many roles it has."""

    tenant: str
    roles: int
    limits: dict[str, int | None]
    suspended_at: int | None


class AuditLine(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was done."""

    at: int
    actor: str
    action: str
    role_id: str | None
    tenant: str | None
    detail: str | None


class Minted(msgspec.Struct, frozen=True, kw_only=True):
    """A code, shown this once."""

    code: str
    expires_at: int


class Admin:
    """The operator's verbs over one open store."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def roles(self, tenant_id: str = "", after: str = "") -> list[RoleLine]:
        """At most `PAGE` roles after an id, of one tenant or of all."""
        found = await self._desk.store.read(
            lambda tx: tx.all("role_list", tenant_id=tenant_id, after=after, limit=PAGE)
        )
        return [_role_line(row) for row in found]

    async def tenants(self) -> list[TenantLine]:
        """Every tenant."""
        found = await self._desk.store.read(lambda tx: tx.all("tenant_list"))
        return [
            TenantLine(
                tenant=row["tenant_id"],
                roles=row["roles"],
                limits=tenants.parsed(row["limits"]) or {},
                suspended_at=row["suspended_at"],
            )
            for row in found
        ]

    async def set_tenant(
        self, tenant_id: str, limits: dict[str, int | None] | None, suspended: bool | None
    ) -> TenantLine:
        """Make a tenant, or change its limits (all of them) or whether it is suspended; None leaves as it is.

        Raises:
            DragomanError: `input_invalid` for limits that are none, or a name that is none.
        """
        if limits is not None and tenants.parsed(msgspec.json.encode(limits).decode()) is None:
            fix = f"name {', '.join(sorted(tenants.OWN))}, with whole numbers from 1 on"
            raise DragomanError("input_invalid", "not limits of a tenant", where="--limit", fix=fix)
        if not tenants.is_name(tenant_id):
            fix = "use 1 to 64 of a-z, 0-9 and `-`"
            raise DragomanError("input_invalid", "not a tenant's name", where="--name", fix=fix)

        async def work(tx: Transaction) -> None:
            now = self._desk.clock.now()
            added = await tx.run("tenant_add", tenant_id=tenant_id, limits="{}", now=now)
            row = rows.must(await tx.one("tenant_hold", tenant_id=tenant_id), "internal")
            text = row["limits"] if limits is None else msgspec.json.encode(limits).decode()
            since = row["suspended_at"] if suspended is None else ((row["suspended_at"] or now) if suspended else None)
            await tx.run("tenant_change", tenant_id=tenant_id, limits=text, suspended_at=since)
            detail = f"limits={text} suspended={since is not None}"
            action = "add_tenant" if added else "change_tenant"
            await rows.audited(tx, now, OPERATOR, action, tenant_id=tenant_id, detail=detail)

        await self._desk.store.write(work)
        return next(each for each in await self.tenants() if each.tenant == tenant_id)

    async def invite(self, tenant_id: str, uses: int, ttl_ms: int) -> Minted:
        """A code by which `uses` roles of this tenant may register.

        Raises:
            DragomanError: `not_found` when there is no such tenant.
        """
        code = self._desk.new_id("inv_")

        async def work(tx: Transaction) -> Minted | None:
            now = self._desk.clock.now()
            if await tx.one("tenant_get", tenant_id=tenant_id) is None:
                return None
            await tx.run("invitation_sweep", now=now)
            await tx.run(
                "invitation_add",
                code_hash=rows.token_hash(code),
                tenant_id=tenant_id,
                uses_left=uses,
                now=now,
                expires_at=now + ttl_ms,
            )
            await rows.audited(tx, now, OPERATOR, "invite", tenant_id=tenant_id, detail=f"uses={uses}")
            return Minted(code=code, expires_at=now + ttl_ms)

        minted = await self._desk.store.write(work)
        if minted is None:
            raise DragomanError("not_found", tenant_id, where="--tenant", fix="make it with `dragoman hub tenants`")
        return minted

    async def revoke(self, role_id: str) -> RoleLine:
        """Let no key be good for a role any more, until it is recovered.

        Raises:
            DragomanError: `not_found`.
        """

        async def work(tx: Transaction) -> bool:
            role = await self._held(tx, role_id)
            if role is not None and role["revoked_at"] is None:
                await erasure.revoke(tx, role, self._desk.clock.now(), OPERATOR)
            return role is not None

        return await self._done(await self._desk.store.write(work), role_id)

    async def recovery_code(self, role_id: str, ttl_ms: int) -> Minted:
        """A one-time code by which a role may have a new key.

        Raises:
            DragomanError: `not_found` when there is no such role, or it was erased.
        """
        code = self._desk.new_id("rec_")

        async def work(tx: Transaction) -> Minted | None:
            now = self._desk.clock.now()
            role = await self._held(tx, role_id)
            if role is None or role["erased_at"] is not None:
                return None
            await tx.run("recovery_code_end", role_id=role_id, now=now)
            await tx.run(
                "recovery_code_add",
                code_hash=rows.token_hash(code),
                role_id=role_id,
                now=now,
                expires_at=now + ttl_ms,
            )
            await rows.audited(tx, now, OPERATOR, "mint_code", role_id=role_id, tenant_id=role["tenant_id"])
            return Minted(code=code, expires_at=now + ttl_ms)

        minted = await self._desk.store.write(work)
        if minted is None:
            raise DragomanError("not_found", role_id, where="--role", fix="see `dragoman hub roles`")
        return minted

    async def erase(self, role_id: str) -> wire.Erased:
        """Erase a role for good.

        Raises:
            DragomanError: `not_found`.
        """

        async def work(tx: Transaction) -> wire.Erased | None:
            role = await self._held(tx, role_id)
            return None if role is None else await erasure.erase(tx, role, self._desk.clock.now(), OPERATOR)

        erased = await self._desk.store.write(work)
        if erased is None:
            raise DragomanError("not_found", role_id, where="--role", fix="see `dragoman hub roles`")
        return erased

    async def audit(self, limit: int) -> list[AuditLine]:
        """What was done last, newest first."""
        found = await self._desk.store.read(lambda tx: tx.all("audit_list", limit=limit))
        return [
            AuditLine(
                at=row["at"],
                actor=row["actor"],
                action=row["action"],
                role_id=row["role_id"],
                tenant=row["tenant_id"],
                detail=row["detail"],
            )
            for row in found
        ]

    async def prune(self) -> int:
        """Do the sweeps of retention now; how many messages they looked at."""
        upkeep = Upkeep(self._desk, Pulse(self._desk))
        done = 0
        for _ in range(ROUNDS):
            found = await upkeep.sweep()
            done += found
            if not found:
                break
        return done

    async def _held(self, tx: Transaction, role_id: str) -> Row | None:
        return await tx.one("role_hold", role_id=role_id)

    async def _done(self, found: bool, role_id: str) -> RoleLine:
        if not found:
            raise DragomanError("not_found", role_id, where="--role", fix="see `dragoman hub roles`")
        lines = await self._desk.store.read(
            lambda tx: tx.all("role_list", tenant_id="", after=role_id[:-1], limit=PAGE)
        )
        return next(_role_line(row) for row in lines if row["role_id"] == role_id)


def _role_line(row: Row) -> RoleLine:
    state = "erased" if row["erased_at"] is not None else "revoked" if row["revoked_at"] is not None else "active"
    return RoleLine(
        role_id=row["role_id"],
        tenant=row["tenant_id"],
        state=state,
        generation=row["generation"],
        primary_instance=row["primary_instance"],
        last_poll=row["polled_at"],
        contacts=row["contacts"],
        recovery=bool(row["recovery"]),
        created_at=row["created_at"],
    )
