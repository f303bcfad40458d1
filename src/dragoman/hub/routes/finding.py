"""Finding each other: the directory, subscriptions, delegations and blocks."""

from __future__ import annotations

from typing import Annotated

from litestar import get, post
from litestar.params import JSONBody, Parameter, QueryParameter

from dragoman import wire
from dragoman.hub.routes.request import AnyRequest, PathId, TheHub, token_of

Words = Annotated[str, QueryParameter(name="query", max_length=200)]
Tags = Annotated[list[str] | None, QueryParameter(name="tag", max_items=10)]
Before = Annotated[int | None, Parameter(ge=1, le=2**53 - 1)]
AfterRole = Annotated[str, QueryParameter(name="after", max_length=37, pattern=r"^(role_[0-9a-f]{32})?(?!\n)$")]


@post("/stall", status_code=200)
async def put_stall(hub: TheHub, request: AnyRequest, data: JSONBody[wire.PutStall]) -> wire.Entry:
    """Make this the caller's stall."""
    return await hub.directory.put(token_of(request), data)


@get("/stall")
async def my_stall(hub: TheHub, request: AnyRequest) -> wire.Entry:
    """The caller's stall, open or closed."""
    return await hub.directory.mine(token_of(request))


@get("/stalls/{role_id:str}")
async def stall(hub: TheHub, request: AnyRequest, role_id: PathId) -> wire.Entry:
    """Another role's open stall."""
    return await hub.directory.of_role(token_of(request), role_id)


@get("/directory/stalls")
async def search_stalls(
    hub: TheHub, request: AnyRequest, words: Words = "", tags: Tags = None, before: Before = None
) -> wire.Entries:
    """Open stalls that hold every word of `query` and every `tag`, newest change first."""
    return await hub.directory.search(token_of(request), wire.EntryKind.STALL, words, tags or [], before)


@get("/directory/delegations")
async def search_delegations(
    hub: TheHub, request: AnyRequest, words: Words = "", tags: Tags = None, before: Before = None
) -> wire.Entries:
    """Open delegations that hold every word of `query` and every `tag`, newest first."""
    return await hub.directory.search(token_of(request), wire.EntryKind.DELEGATION, words, tags or [], before)


@post("/delegations", status_code=200)
async def publish(hub: TheHub, request: AnyRequest, data: JSONBody[wire.PublishDelegation]) -> wire.Entry:
    """Publish a request to which others answer by opening a contact."""
    return await hub.delegations.publish(token_of(request), data)


@get("/delegations")
async def my_delegations(hub: TheHub, request: AnyRequest, before: Before = None) -> wire.Entries:
    """The caller's delegations, ended ones too, newest first."""
    return await hub.delegations.mine(token_of(request), before)


@get("/delegations/{delegation_id:str}")
async def delegation(hub: TheHub, request: AnyRequest, delegation_id: PathId) -> wire.Entry:
    """One delegation."""
    return await hub.delegations.one(token_of(request), delegation_id)


@post("/delegations/{delegation_id:str}/close", status_code=200)
async def close_delegation(
    hub: TheHub, request: AnyRequest, delegation_id: PathId, data: JSONBody[wire.CloseDelegation]
) -> wire.Entry:
    """Take a delegation back; contacts that answered it go on."""
    return await hub.delegations.close(token_of(request), delegation_id, data)


@post("/subscriptions", status_code=200)
async def subscribe(hub: TheHub, request: AnyRequest, data: JSONBody[wire.Subscribe]) -> wire.Subscription:
    """Save a search; new matches come as events."""
    return await hub.subscriptions.add(token_of(request), data)


@get("/subscriptions")
async def my_subscriptions(hub: TheHub, request: AnyRequest) -> wire.Subscriptions:
    """The caller's subscriptions."""
    return await hub.subscriptions.all(token_of(request))


@post("/subscriptions/{subscription_id:str}/end", status_code=200)
async def end_subscription(
    hub: TheHub, request: AnyRequest, subscription_id: PathId, data: JSONBody[wire.EndSubscription]
) -> wire.Subscriptions:
    """Forget a search."""
    return await hub.subscriptions.end(token_of(request), subscription_id, data)


@post("/blocks", status_code=200)
async def set_block(hub: TheHub, request: AnyRequest, data: JSONBody[wire.SetBlock]) -> wire.Block:
    """Have nothing to do with a role."""
    return await hub.blocks.set(token_of(request), data)


@get("/blocks")
async def my_blocks(hub: TheHub, request: AnyRequest, after: AfterRole = "") -> wire.Blocks:
    """Whom the caller blocks."""
    return await hub.blocks.page(token_of(request), after)


@post("/blocks/{role_id:str}/lift", status_code=200)
async def lift_block(hub: TheHub, request: AnyRequest, role_id: PathId, data: JSONBody[wire.LiftBlock]) -> wire.Block:
    """Lift a block."""
    return await hub.blocks.lift(token_of(request), role_id, data)


HANDLERS = [
    put_stall,
    my_stall,
    stall,
    search_stalls,
    search_delegations,
    publish,
    my_delegations,
    delegation,
    close_delegation,
    subscribe,
    my_subscriptions,
    end_subscription,
    set_block,
    my_blocks,
    lift_block,
]
