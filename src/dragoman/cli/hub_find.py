"""`dragoman hub search|stall|subscribe|delegate|show|block|events|trade`: finding others, and being told (spec 2 §1).

JSON in, JSON out. What is published comes from a file or stdin; a word to search for may be an argument. A first
contact is opened with `hub contact`; from there on the receiver talks. `hub trade` is the hub's operator's alone.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from dragoman import wire
from dragoman.cli.hub_ask import (
    After,
    AsJson,
    ContactId,
    KeyFile,
    PasswordFile,
    Url,
    ask,
    password_in,
    raw_of,
    text_of,
)
from dragoman.cli.output import decode_once, emit
from dragoman.clock import SECOND, SystemClock
from dragoman.errors import DragomanError

if TYPE_CHECKING:
    from dragoman.channels.hub.client import HubClient

app = typer.Typer()

Query = Annotated[str, typer.Argument(help="Words, English or Chinese, that must all be there.")]
TagsOption = Annotated[list[str] | None, typer.Option("--tag", help="A tag that must be there; again for more.")]
Delegations = Annotated[bool, typer.Option("--delegations", help="Delegations instead of stalls.")]
Before = Annotated[int | None, typer.Option("--before", min=1, help="Go on before this `next_before`.")]


class StallFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `hub stall --put` reads."""

    title: str
    text: str = ""
    tags: list[str] = msgspec.field(default_factory=list)
    open: bool = True


class DelegationFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `hub delegate --publish` reads. `expires_at`: milliseconds since the epoch."""

    title: str
    expires_at: int
    text: str = ""
    tags: list[str] = msgspec.field(default_factory=list)


@app.command()
def search(
    url: Url,
    key: KeyFile,
    query: Query = "",
    tag: TagsOption = None,
    delegations: Delegations = False,
    before: Before = None,
    as_json: AsJson = False,
) -> None:
    """Search the directory; everything, newest first, when nothing is asked for."""
    ask(url, key, lambda client: client.finding.search(query, tag or [], kind=_kind(delegations), before=before))


@app.command()
def stall(
    url: Url,
    key: KeyFile,
    put: Annotated[
        str | None,
        typer.Option("--put", help="Make this the stall: JSON with `title`, `text`, `tags`, `open`; or `-`."),
    ] = None,
    role: Annotated[str | None, typer.Option("--role", help="Show another role's open stall.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show this role's stall, or another's; or put it."""
    _at_most_one(("--put", put), ("--role", role))
    if put is not None:
        made: StallFile = decode_once(raw_of(put), StallFile, "--put")
        ask(
            url,
            key,
            lambda client: client.finding.put_stall(made.title, made.text, made.tags, open_to_all=made.open),
        )
    else:
        ask(url, key, lambda client: client.finding.stall(role) if role else client.finding.my_stall())


@app.command()
def subscribe(
    url: Url,
    key: KeyFile,
    query: Query = "",
    tag: TagsOption = None,
    delegations: Delegations = False,
    show: Annotated[bool, typer.Option("--list", help="Show this role's subscriptions.")] = False,
    end: Annotated[str | None, typer.Option("--end", help="End the subscription with this id.")] = None,
    as_json: AsJson = False,
) -> None:
    """Save a search: new matches come as events. Or list them, or end one."""
    _at_most_one(("QUERY", query or tag), ("--list", show), ("--end", end))

    async def verb(client: HubClient) -> wire.Answer:
        if end is not None:
            return await client.finding.end_subscription(end)
        if show:
            return await client.finding.subscriptions()
        return await client.finding.subscribe(query, tag or [], kind=_kind(delegations))

    ask(url, key, verb)


@app.command()
def delegate(
    url: Url,
    key: KeyFile,
    publish: Annotated[
        str | None, typer.Option("--publish", help="JSON with `title`, `text`, `tags`, `expires_at`; or `-`.")
    ] = None,
    publish_id: Annotated[
        str | None, typer.Option("--publish-id", help="Repeat a publishing under its id; shown when it failed.")
    ] = None,
    show: Annotated[str | None, typer.Option("--id", help="Show the delegation with this id.")] = None,
    close: Annotated[str | None, typer.Option("--close", help="Take back the delegation with this id.")] = None,
    before: Before = None,
    as_json: AsJson = False,
) -> None:
    """Publish a request to which others answer by a contact. Or list this role's, show or take back one."""
    _at_most_one(("--publish", publish), ("--id", show), ("--close", close), ("--before", before))
    minted = publish_id or f"pub_{os.urandom(16).hex()}"
    made: DelegationFile | None = None
    if publish is not None:
        made = decode_once(raw_of(publish), DelegationFile, "--publish")

    async def verb(client: HubClient) -> wire.Answer:
        room = client.finding
        if made is not None:
            return await room.publish(minted, made.title, made.expires_at, made.text, made.tags)
        if close is not None:
            return await room.close_delegation(close)
        return await room.delegation(show) if show is not None else await room.delegations(before=before)

    ask(url, key, verb, repeat=f"--publish-id {minted}" if made is not None else "")


@app.command()
def show(
    url: Url,
    key: KeyFile,
    contact_id: ContactId,
    last: Annotated[int, typer.Option("--last", min=0, max=200, help="How many of the newest messages.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Show a contact, where it stands, and its newest messages."""

    async def verb(client: HubClient) -> dict[str, Any]:
        contact = await client.contact(contact_id)
        communication = await client.communication(contact_id)
        newest: list[wire.Message] = []
        after, more = 0, last > 0
        while more:
            page = await client.messages(contact_id, after=after)
            newest = [*newest, *page.messages][-last:]
            after, more = page.next_after, page.truncated
        return {"contact": contact, "communication": communication, "messages": newest}

    ask(url, key, verb)


@app.command()
def block(
    url: Url,
    key: KeyFile,
    role: Annotated[str | None, typer.Option("--role", help="The role to have nothing to do with.")] = None,
    lift: Annotated[bool, typer.Option("--lift", help="Lift the block instead.")] = False,
    after: Annotated[str, typer.Option("--after", help="Go on after this `next_after`.")] = "",
    as_json: AsJson = False,
) -> None:
    """Block a role, or lift its block; without `--role` list the blocks."""
    if role is None and lift:
        raise DragomanError("usage", "whose block?", where="--lift", fix="name the role with `--role`")

    async def verb(client: HubClient) -> wire.Answer:
        if role is None:
            return await client.finding.blocks(after=after)
        return await (client.finding.unblock(role) if lift else client.finding.block(role))

    ask(url, key, verb)


@app.command()
def events(
    url: Url,
    key: KeyFile,
    after: After = 0,
    kind: Annotated[
        list[wire.EventKind] | None, typer.Option("--kind", help="Only of this kind; again for more.")
    ] = None,
    wait_seconds: Annotated[int, typer.Option("--wait-seconds", min=0, max=30, help="Wait for the first.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Show what the hub told this role: matches, answers, expired messages, trade events."""
    ask(
        url,
        key,
        lambda client: client.finding.events(after=after, kinds=kind or [], wait_ms=wait_seconds * SECOND),
    )


@app.command()
def trade(
    db: Annotated[str, typer.Option("--db", help="The hub's store, as for `hub serve`.")],
    role: Annotated[str, typer.Option("--role", help="The role that the trade is of.")],
    kind: Annotated[str, typer.Option("--kind", help="What happened, in lower case: `order_placed`, `paid`.")],
    event_id: Annotated[str, typer.Option("--event-id", help="Names this happening; repeated, it is told once.")],
    reference: Annotated[str, typer.Option("--reference", help="The trade's own number.")] = "",
    text_file: Annotated[str | None, typer.Option("--text-file", help="What else to tell; a file, or `-`.")] = None,
    db_password_file: PasswordFile = None,
    as_json: AsJson = False,
) -> None:
    """For the hub's operator: write one trade event into a role's stream. Roles can only read it."""
    from dragoman.hub.refusal import Refusal
    from dragoman.hub.serve import store_of
    from dragoman.hub.trade import Trade, record
    from dragoman.hub.wake import Bell

    told = Trade(
        role_id=role, kind=kind, event_id=event_id, reference=reference, text=text_of(text_file) if text_file else ""
    )
    store = store_of(db, Bell(), password_in(db_password_file))

    async def work() -> bool:
        await store.open()
        try:
            return await record(store, SystemClock(), told)
        finally:
            await store.close()

    try:
        fresh = asyncio.run(work())
    except Refusal as refusal:
        sentence = wire.ERRORS[refusal.code][1]
        raise DragomanError("hub_refused", f"{refusal.code}: {sentence}", where="hub trade") from refusal
    emit({"role_id": role, "event_id": event_id, "trade_kind": kind, "replayed": not fresh})


def _kind(delegations: bool) -> wire.EntryKind:
    return wire.EntryKind.DELEGATION if delegations else wire.EntryKind.STALL


def _at_most_one(*options: tuple[str, object]) -> None:
    """Refuse options that ask for different things.

    Raises:
        DragomanError: `usage`.
    """
    given = [name for name, value in options if value]
    if len(given) > 1:
        raise DragomanError("usage", f"{' and '.join(given)} together", where="options", fix="give one of them")
