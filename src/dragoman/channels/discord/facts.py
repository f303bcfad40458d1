"""What does this Discord event say? Raw gateway event (or interaction) and known place in, `Event` out.

1. The target is discord / server id / channel id; in a direct message the workspace is our application's id. A thread
   that everybody of its channel reads is the channel's target, with the thread named; a private one is its own target.
2. `MESSAGE_CREATE` of type 0, 19, 20 or 23 is a message; `MESSAGE_UPDATE` is an edit only with an edit time (previews
   of links come as updates too); a chat command (interaction) is a message with its command; all else is `OTHER`.
3. A mention is our user id in `mentions`, or our own managed role in `mention_roles`, *and* its mark in the live text:
   a reply's ping stands in `mentions` alone, and a mark in a quote or in code is nobody's request. Never everyone,
   never another role, never a name. A `/command` typed right after our mention is for us.
4. A reply is to the author of `referenced_message`; deleted or not loaded is unknown. A forward says nothing itself.
5. One-to-one: no server, and a channel of type 1. What is unknown is judged as a group.
6. Webhooks, crossposts, `bot`, `system` and messages of an application are bots.
7. A message of a server with nothing in it at all was hidden from us (the message content intent is missing): what it
   says is not known, and it is malformed, never a request.
8. What is missing is unknown, what has the wrong type is named in `malformed`. Nothing here raises, whatever the JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec

from dragoman.channels.discord.live import live_text, mentions, without_mentions
from dragoman.channels.discord.state import (
    DIRECT,
    GROUP_DIRECT,
    OPEN_THREADS,
    DiscordAgent,
    PlaceState,
    is_snowflake,
)
from dragoman.channels.payload import Payload
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.gate.live_text import command_of
from dragoman.identity import party, target
from dragoman.words import Fact

PLATFORM: Final = "discord"
EPOCH: Final = 1_420_070_400_000
"""The first millisecond of 2015: what the time in an id counts from."""
CREATED, UPDATED, DELETED = "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE"
INTERACTION: Final = "INTERACTION_CREATE"
READ: Final = frozenset({CREATED, UPDATED, DELETED, INTERACTION})
"""The gateway's events that can say anything here."""

_SAID: Final = frozenset({0, 19, 20, 23})
_REPLY, _FORWARD = 19, 1
_CROSSPOST, _SNAPSHOT = 1 << 1, 1 << 14
_GUEST: Final = 1 << 4
_COMMAND, _CHAT_INPUT = 2, 1
_IN_A_DIRECT, _ELSEWHERE = 1, 2
_CONTENTS: Final = ("attachments", "embeds", "components", "sticker_items", "stickers", "message_snapshots", "poll")
_OPTIONS: Final = 25


class _Where(NamedTuple):
    """The ids of an event's place: of the server (or empty), of the channel as sent, of the target, of the thread."""

    guild: str
    channel: str
    target: str
    thread: str | None


def facts(
    raw: Mapping[str, Any], agent: DiscordAgent, place: PlaceState | None, *, received_at: int, authenticated: Fact
) -> Event:
    """The facts of one event of the gateway, `{"t": name, "d": data}` (spec 1 §2, §3; never raises)."""
    top = Payload(raw)
    said, name = top.inside("d"), top.text("t")
    if not name:
        top.wrong("t")
    known = place or PlaceState()
    where = _where(said, known)
    workspace = where.guild or (agent.account if not said.has("guild_id") else "")
    kind = _kind(name, said)
    interaction = name == INTERACTION
    member = said.inside("member")
    author = _writer(said, member) if interaction else said.inside("author")
    author_id = _id(author, "id", needed=kind is not EventKind.OTHER)
    event_id = _id(said, "id", needed=True)
    event = Event(
        kind=kind,
        target=target(PLATFORM, workspace, where.target),
        event_id=event_id,
        dedupe_key=_dedupe_key(name, kind, where.channel, event_id, said),
        received_at=received_at,
        sent_at=(int(event_id) >> 22) + EPOCH if event_id else None,
        authenticated=authenticated,
        author=party(PLATFORM, workspace, author_id),
        author_kind=_author_kind(said, author, author_id, agent),
        chat=_chat(said, where, known, interaction=interaction),
        shared=_shared(said, member, where, known, interaction=interaction),
        other_bots=Fact.NO if not where.guild and _type(where, known) == DIRECT else Fact.UNKNOWN,
        deletes=event_id if name == DELETED and event_id else None,
        thread=where.thread,
    )
    told: dict[str, Any] = {}
    if kind is not EventKind.OTHER:
        told = _command(said) if interaction else _told(said, where, agent, known)
    return msgspec.structs.replace(event, **told, malformed=top.malformed)


# --- who, where, what kind -------------------------------------------------------------------------------------------


def _where(said: Payload, place: PlaceState) -> _Where:
    guild, channel = _id(said, "guild_id"), _id(said, "channel_id", needed=True)
    known = place.channel
    if known and known.id == channel and known.type in OPEN_THREADS and known.parent_id:
        return _Where(guild, channel, known.parent_id, channel)
    return _Where(guild, channel, channel, None)


def _kind(name: str, said: Payload) -> EventKind:
    if name in (CREATED, UPDATED):
        if name == UPDATED and not said.text("edited_timestamp"):
            return EventKind.OTHER
        of = said.whole("type")
        if of is None:
            said.wrong("type")
        usual = EventKind.MESSAGE if name == CREATED else EventKind.EDIT
        return usual if of in _SAID else EventKind.OTHER
    if name == INTERACTION:
        chat_input = said.whole("type") == _COMMAND and said.inside("data").whole("type") == _CHAT_INPUT
        return EventKind.MESSAGE if chat_input else EventKind.OTHER
    return EventKind.OTHER


def _dedupe_key(name: str, kind: EventKind, channel: str, id: str, said: Payload) -> str:
    """Updates and deletions name the message they are about, and are no copies of it."""
    about = {UPDATED: said.text("edited_timestamp") or "update", DELETED: "delete"}.get(name)
    return "\n".join(filter(None, (channel, id, about)))


def _author_kind(said: Payload, author: Payload, id: str, agent: DiscordAgent) -> AuthorKind:
    marks = [author.flag("bot"), author.flag("system")]
    flags = said.whole("flags") or 0
    hook = said.has("webhook_id") or bool(flags & _CROSSPOST)
    _id(said, "webhook_id")
    if not id:
        return AuthorKind.UNKNOWN
    if id == agent.user_id and not hook:
        return AuthorKind.SELF
    if hook or Fact.YES in marks or (said.has("application_id") and not said.has("data")):
        return AuthorKind.BOT
    return AuthorKind.HUMAN


def _writer(said: Payload, member: Payload) -> Payload:
    """Who used a command: a member of the server, or a user in a direct message."""
    return member.inside("user") if member.has("user") else said.inside("user")


def _type(where: _Where, place: PlaceState) -> int | None:
    known = place.channel
    return known.type if known and known.id == where.channel else None


def _chat(said: Payload, where: _Where, place: PlaceState, *, interaction: bool) -> ChatKind:
    if where.guild or said.has("guild_id"):
        return ChatKind.GROUP
    if interaction:
        context = said.whole("context")
        return {_IN_A_DIRECT: ChatKind.DIRECT, _ELSEWHERE: ChatKind.GROUP}.get(context or 0, ChatKind.UNKNOWN)
    of = _type(where, place)
    if of is None:
        return ChatKind.UNKNOWN
    return ChatKind.DIRECT if of == DIRECT else ChatKind.GROUP


def _shared(said: Payload, member: Payload, where: _Where, place: PlaceState, *, interaction: bool) -> Fact:
    """Whether outsiders read along: a server that anybody may look into, a guest, a place without us."""
    owners = said.inside("authorizing_integration_owners")
    if interaction and (said.whole("context") == _ELSEWHERE or (owners and not owners.has("0"))):
        return Fact.YES
    if not where.guild:
        of = _type(where, place)
        direct = of == DIRECT or (interaction and said.whole("context") == _IN_A_DIRECT)
        return Fact.NO if direct else Fact.YES if of == GROUP_DIRECT else Fact.UNKNOWN
    if (member.whole("flags") or 0) & _GUEST:
        return Fact.YES
    if place.features is None:
        return Fact.UNKNOWN
    return Fact.YES if "DISCOVERABLE" in place.features else Fact.NO


# --- what a message says ---------------------------------------------------------------------------------------------


def _told(said: Payload, where: _Where, agent: DiscordAgent, place: PlaceState) -> dict[str, Any]:
    content, reference = said.text("content"), said.inside("message_reference")
    files = len(said.objects("attachments"))
    forward = reference.whole("type") == _FORWARD or bool((said.whole("flags") or 0) & _SNAPSHOT)
    forward = forward or bool(said.objects("message_snapshots"))
    live = "" if forward else live_text(content)
    told = _mentions(said, live, agent, place)
    if where.guild and not content and not any(said.raw.get(key) for key in _CONTENTS):
        said.wrong("content")
    reply = ReplyTo.NOBODY
    if said.whole("type") == _REPLY and not forward:
        reply = _reply_to(said, agent)
    own = place.own_roles(agent.user_id) or frozenset()
    asked = told["mentions_agent"] is Fact.YES
    text, body = (without_mentions(each, agent.user_id, own) if asked else each for each in (live, content))
    told["command"] = _named_command(live, text, agent) if asked else None
    return told | {"text": text, "body": body, "attachments": files, "reply_to": reply}


def _mentions(said: Payload, live: str, agent: DiscordAgent, place: PlaceState) -> dict[str, Any]:
    bad = len(said.malformed)
    ids = [_id(user, "id", needed=True) for user in said.objects("mentions")]
    roles = [role for role in said.texts("mention_roles") if is_snowflake(role)]
    if len(said.malformed) > bad:
        return {"mentions_agent": Fact.UNKNOWN, "mentions_other": Fact.UNKNOWN}
    told = {"mentions_other": Fact.YES if any(id != agent.user_id for id in ids) else Fact.NO}
    if agent.user_id in ids and mentions(live, (agent.user_id,)):
        return told | {"mentions_agent": Fact.YES}
    own, named = place.own_roles(agent.user_id), [role for role in roles if mentions(live, (role,), "@&")]
    if own is None:
        return told | {"mentions_agent": Fact.UNKNOWN if named else Fact.NO}
    return told | {"mentions_agent": Fact.YES if own.intersection(named) else Fact.NO}


def _reply_to(said: Payload, agent: DiscordAgent) -> ReplyTo:
    answered = said.inside("referenced_message")
    author = _id(answered.inside("author"), "id")
    hook = answered.has("webhook_id")
    if not author:
        return ReplyTo.UNKNOWN
    return ReplyTo.AGENT if author == agent.user_id and not hook else ReplyTo.OTHER


def _named_command(live: str, text: str, agent: DiscordAgent) -> Command | None:
    """A typed `/command` right after our mention at the very beginning: the mark before it names whom it is for."""
    if not live.startswith((f"<@{agent.user_id}>", f"<@!{agent.user_id}>")):
        return None
    found = command_of(text, ("/",), frozenset())
    named = found is not None and found.directed is Fact.UNKNOWN
    return msgspec.structs.replace(found, directed=Fact.YES) if found is not None and named else found


def _command(said: Payload) -> dict[str, Any]:
    """A chat command is one of ours by itself: the platform hands it to no other application."""
    of = said.inside("data")
    name = of.id("name", needed=True)
    argument = " ".join(_arguments(of, 0))
    text = f"/{name} {argument}".strip() if name else ""
    command = Command(name=name, argument=argument, directed=Fact.YES) if name else None
    return {"command": command, "text": text, "body": text}


def _arguments(of: Payload, depth: int) -> list[str]:
    """The values of a command's options in order, the names of subcommands before theirs."""
    found: list[str] = []
    for option in of.objects("options")[:_OPTIONS]:
        value = option.raw.get("value")
        if option.has("options") and depth < 2:
            found += [option.id("name"), *_arguments(option, depth + 1)]
        elif type(value) in (int, float, bool):
            found.append(str(value))
        else:
            found.append(option.text("value"))
    return [word for word in found if word]


def _id(of: Payload, key: str, *, needed: bool = False) -> str:
    """An id of Discord, or an empty text; anything else there is malformed."""
    value = of.id(key, needed=needed)
    if value and not is_snowflake(value):
        of.wrong(key)
        return ""
    return value
