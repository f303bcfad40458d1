"""The life of a role's keys; signed, so no token is needed."""

from __future__ import annotations

from litestar import post
from litestar.params import JSONBody

from dragoman import wire
from dragoman.hub.routes.request import TheHub


@post("/keys/rotate", status_code=200)
async def rotate(hub: TheHub, data: JSONBody[wire.RotateKey]) -> wire.KeyState:
    """Put a new key in the place of the present one."""
    return await hub.keys.rotate(data)


@post("/keys/revoke", status_code=200)
async def revoke(hub: TheHub, data: JSONBody[wire.RevokeKey]) -> wire.KeyState:
    """Let no key be good for the role any more, until it is recovered."""
    return await hub.keys.revoke(data)


@post("/keys/recovery", status_code=200)
async def name_recovery(hub: TheHub, data: JSONBody[wire.NameRecoveryKey]) -> wire.KeyState:
    """Name the key that may put a new one in place."""
    return await hub.keys.name_recovery(data)


@post("/keys/recover", status_code=200)
async def recover(hub: TheHub, data: JSONBody[wire.RecoverKey]) -> wire.KeyState:
    """Put a new key in the place of all others, by the recovery key or an operator's code."""
    return await hub.keys.recover(data)


@post("/keys/erase", status_code=200)
async def erase(hub: TheHub, data: JSONBody[wire.EraseRole]) -> wire.Erased:
    """Erase the role, its words and all it had here; nothing undoes it."""
    return await hub.keys.erase(data)


OPEN = [rotate, revoke, name_recovery, recover, erase]
"""Answered to whoever signs."""
