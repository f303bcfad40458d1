"""Contacts and the messages in them."""

from __future__ import annotations

from litestar import get, post
from litestar.params import JSONBody

from dragoman import wire
from dragoman.hub.routes.request import After, AnyRequest, PathId, Since, TheHub, token_of


@post("/contacts", status_code=200)
async def open_contact(hub: TheHub, request: AnyRequest, data: JSONBody[wire.OpenContact]) -> wire.Contact:
    """Open a contact with another role."""
    return await hub.contacts.open(token_of(request), data)


@get("/contacts")
async def contacts(hub: TheHub, request: AnyRequest, after: After = 0) -> wire.Contacts:
    """The caller's contacts, oldest first."""
    return await hub.contacts.page(token_of(request), after)


@get("/contacts/{contact_id:str}")
async def contact(hub: TheHub, request: AnyRequest, contact_id: PathId) -> wire.Contact:
    """One contact."""
    return await hub.contacts.one(token_of(request), contact_id)


@post("/contacts/{contact_id:str}/close", status_code=200)
async def close_contact(
    hub: TheHub, request: AnyRequest, contact_id: PathId, data: JSONBody[wire.CloseContact]
) -> wire.Contact:
    """Close a contact for both sides."""
    return await hub.contacts.close(token_of(request), contact_id, data)


@post("/contacts/{contact_id:str}/messages", status_code=200, request_max_body_size=wire.Limits().body_bytes)
async def send(hub: TheHub, request: AnyRequest, contact_id: PathId, data: JSONBody[wire.SendMessage]) -> wire.Sent:
    """Send a message; the answer means that it is durable."""
    return await hub.messages.send(token_of(request), contact_id, data)


@get("/contacts/{contact_id:str}/messages")
async def messages(hub: TheHub, request: AnyRequest, contact_id: PathId, after: After = 0) -> wire.Messages:
    """A contact's messages after a sequence number, both sides'."""
    return await hub.messages.page(token_of(request), contact_id, after)


@get("/replies/{reply_id:str}")
async def reply(hub: TheHub, request: AnyRequest, reply_id: PathId, since: Since = None) -> wire.Sent:
    """What was accepted under the caller's reply id. `since`: when the caller minted it, so that `reply_unknown` is
    said only where it is proof; else `proof_gone`."""
    return await hub.messages.reply(token_of(request), reply_id, since)


HANDLERS = [open_contact, contacts, contact, close_contact, send, messages, reply]
