"""What is left of a role that is erased, or revoked? The two ends of a role, by itself or by the operator.

1. Both end every token at once and let the generation grow; a revoked role can be recovered, an erased one never.
2. Erased: the words of every message it sent and their digests, its keys, its leases, and what each room names
   `<something>_erase` in its statements. Its contacts are closed.
3. Left: that a message was there (who and when, another id in the place of its `reply_id`), that a contact was, and the
   role's id, so that its key makes no second role. Peers see `erased`.
4. What its peers said to it is theirs and stays until their retention ends.

All of it is one transaction. Each is written down in the audit.
"""

from __future__ import annotations

from typing import Final

from dragoman import wire
from dragoman.hub import rows
from dragoman.hub.store import Row, Transaction, statements

OPERATOR: Final = "operator"
_FIRST: Final = ("role_erase", "message_erase", "contact_erase")
_OTHERS: Final = tuple(sorted(name for name in statements("sqlite") if name.endswith("_erase") and name not in _FIRST))
"""What the rooms have of a role besides; each takes `role_id` and `now`."""


async def erase(tx: Transaction, role: Row, now: int, actor: str) -> wire.Erased:
    """Erase a role that is held; erasing it again changes nothing and counts nothing."""
    role_id = role["role_id"]
    if role["erased_at"] is not None:
        return wire.Erased(role_id=role_id, erased_at=role["erased_at"], messages=0, contacts=0)
    peers = {row["role_id"] for row in await tx.all("contact_peers", role_id=role_id)}
    await tx.run("session_end", role_id=role_id)
    await tx.run("recovery_code_end", role_id=role_id, now=now)
    for name in ("erasing_contacts", "erasing_messages"):
        await tx.one(name, role_id=role_id)
    counts = [await tx.run(name, role_id=role_id, now=now) for name in _FIRST]
    for name in _OTHERS:
        await tx.run(name, role_id=role_id, now=now)
    await tx.wipe()
    await rows.audited(tx, now, actor, "erase", role_id=role_id, tenant_id=role["tenant_id"])
    for each in sorted({role_id, *peers}):
        await tx.ring(each)
    return wire.Erased(role_id=role_id, erased_at=now, messages=counts[1], contacts=counts[2])


async def revoke(tx: Transaction, role: Row, now: int, actor: str) -> None:
    """Let no key be good for a role that is held, until it is recovered."""
    role_id = role["role_id"]
    await tx.run("session_end", role_id=role_id)
    await tx.run("key_revoke", role_id=role_id, former_key=role["public_key"], now=now)
    await rows.audited(tx, now, actor, "revoke", role_id=role_id, tenant_id=role["tenant_id"])
    await tx.ring(role_id)
