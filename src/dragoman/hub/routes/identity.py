"""Roles, nonces, log-ins."""

from __future__ import annotations

from litestar import get, post
from litestar.params import JSONBody

from dragoman import wire
from dragoman.hub.routes.request import AnyRequest, TheHub, token_of


@post("/roles", status_code=200)
async def register(hub: TheHub, data: JSONBody[wire.RegisterRole]) -> wire.Role:
    """Make a role of a public key; registering twice is one role."""
    return await hub.entrance.register(data)


@post("/nonces", status_code=200)
async def nonce(hub: TheHub, data: JSONBody[wire.AskNonce]) -> wire.GivenNonce:
    """A nonce for one log-in."""
    return await hub.entrance.nonce(data)


@post("/sessions", status_code=200)
async def log_in(hub: TheHub, data: JSONBody[wire.LogIn]) -> wire.Session:
    """Exchange a signed nonce for a bearer token."""
    hub.porter.may_log_in(data.role_id)
    session = await hub.entrance.log_in(data)
    hub.porter.logged_in(data.role_id)
    return session


@get("/me")
async def me(hub: TheHub, request: AnyRequest) -> wire.Me:
    """What the hub holds of the caller now."""
    return await hub.entrance.me(token_of(request))


OPEN = [register, nonce, log_in]
"""Answered before anybody is known."""
HANDLERS = [me]
