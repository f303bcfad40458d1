"""What does this Zulip event say? Event of the queue and known look-ups in, `Event` out.

1. The target is zulip / the realm's host / `stream:ID` or `direct:ID,ID`. Names of channels, topics and people are
   never an identity; the topic is the thread.
2. `message` is a message, `update_message` with a new content an edit; a new topic, or the server's own rendering, is
   neither. `delete_message` names what was deleted.
3. A mention is the server's flag `mentioned` *and* our own id in the rendered message: the flag alone also stands for a
   group of ours, and channel or topic wildcards have flags of their own. Silent mentions and quotes mention nobody.
4. There is no reply to a message: people quote.
5. One-to-one is a direct message of exactly two people, one of them we.
6. A person is who the look-up knows as no bot, of our own realm; a sender of another realm is one of the server's bots.
7. Shared: anybody may read it, or a guest is in it. Unknown is unknown.

Nothing here raises, whatever the JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from dragoman.channels.payload import Payload
from dragoman.channels.zulip.live import read
from dragoman.channels.zulip.state import ZulipAgent, ZulipPlace, direct_channel, recipient, stream_channel
from dragoman.clock import SECOND
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.gate.live_text import command_of
from dragoman.identity import party, target
from dragoman.words import Fact

PLATFORM: Final = "zulip"
_DIRECT: Final = frozenset({"private", "direct"})
_STREAM: Final = frozenset({"stream", "channel"})


def facts(
    raw: Mapping[str, Any], agent: ZulipAgent, place: ZulipPlace | None, *, received_at: int, authenticated: Fact
) -> Event:
    """The facts of one event (spec 1 §2, §3; never raises)."""
    place = place or ZulipPlace()
    event = Payload(raw)
    type = event.text("type")
    message = event.inside("message") if type == "message" else event
    kind = _kind(event, type)
    id = message.number_id("id" if type == "message" else "message_id", needed=type == "message")
    version = str(event.whole("edit_timestamp") or 0) if type == "update_message" else ""
    author = _author(message, type)
    channel = _channel(message, type)
    told = _told(event, message, agent, type) if kind is not EventKind.OTHER else {}
    return Event(
        kind=kind,
        target=target(PLATFORM, agent.realm, channel),
        event_id=id,
        dedupe_key="\n".join(filter(None, (id, version))),
        received_at=received_at,
        sent_at=_time(message, "timestamp" if type == "message" else "edit_timestamp"),
        authenticated=authenticated,
        author=party(PLATFORM, agent.realm, str(author) if author else ""),
        author_kind=_author_kind(message, author, agent, place),
        chat=_chat(channel, agent),
        shared=_shared(message, agent, place),
        other_bots=Fact.UNKNOWN if place.bots is None else Fact.YES if place.bots else Fact.NO,
        deletes=id if type == "delete_message" and id else None,
        **told,
        malformed=event.malformed,
    )


def _kind(event: Payload, type: str) -> EventKind:
    if type == "message":
        return EventKind.MESSAGE
    edited = type == "update_message" and event.has("rendered_content")
    return EventKind.EDIT if edited and event.flag("rendering_only") is not Fact.YES else EventKind.OTHER


def _author(message: Payload, type: str) -> int:
    key = "sender_id" if type == "message" else "user_id"
    found = message.whole(key)
    if found is not None and found > 0:
        return found
    if type == "message":
        message.wrong(key)
    return 0


def _channel(message: Payload, type: str) -> str:
    """The channel; of an edit or a deletion only a stream is told."""
    where = message.text("type" if type == "message" else "message_type")
    stream = message.whole("stream_id")
    if where in _STREAM or (type == "update_message" and stream is not None):
        if stream is not None and stream > 0:
            return stream_channel(stream)
        message.wrong("stream_id")
    elif where in _DIRECT and type == "message":
        people = [person.whole("id") or 0 for person in message.objects("display_recipient")]
        found = direct_channel(people)
        if found:
            return found
        message.wrong("display_recipient")
    elif type == "message":
        message.wrong("type")
    return ""


def _chat(channel: str, agent: ZulipAgent) -> ChatKind:
    where = recipient(channel)
    if where is None:
        return ChatKind.UNKNOWN
    return ChatKind.DIRECT if len(where.people) == 2 and agent.user_id in where.people else ChatKind.GROUP


def _time(message: Payload, key: str) -> int | None:
    found = message.whole(key)
    if found is None or not 0 <= found < 2**43:
        if message.text("type") != "delete_message":
            message.wrong(key)  # the server always stamps; a message of unknown age is not fresh
        return None
    return found * SECOND


def _foreign(message: Payload, agent: ZulipAgent) -> bool:
    realm = message.text("sender_realm_str")
    return agent.realm_str is not None and message.has("sender_realm_str") and realm != agent.realm_str


def _author_kind(message: Payload, author: int, agent: ZulipAgent, place: ZulipPlace) -> AuthorKind:
    if not author:
        return AuthorKind.UNKNOWN
    if author == agent.user_id:
        return AuthorKind.SELF
    if _foreign(message, agent) or place.author_is_bot:
        return AuthorKind.BOT
    return AuthorKind.HUMAN if place.author_is_bot is False else AuthorKind.UNKNOWN


def _shared(message: Payload, agent: ZulipAgent, place: ZulipPlace) -> Fact:
    if place.shared or place.author_is_guest or _foreign(message, agent):
        return Fact.YES
    return Fact.NO if place.shared is False and place.author_is_guest is False else Fact.UNKNOWN


# --- what a message says ---------------------------------------------------------------------------------------------


def _told(event: Payload, message: Payload, agent: ZulipAgent, type: str) -> dict[str, Any]:
    flagged = "mentioned" in event.texts("flags")
    content = message.text("content" if type == "message" else "rendered_content")
    if type == "message" and message.text("content_type") not in ("", "text/html"):
        message.wrong("content_type")  # only what the server rendered says whom a message means
    said = read(content, agent.user_id, mentioned=flagged)
    mentioned = flagged and agent.user_id in said.mentions
    others = said.mentions - {agent.user_id}
    subject = message.text("subject") if message.text("type") in _STREAM else ""
    return {
        "mentions_agent": Fact.YES if mentioned else Fact.NO,
        "mentions_other": Fact.YES if others else Fact.NO,
        "reply_to": ReplyTo.NOBODY,
        "command": _command(said.text) if mentioned and agent.user_id in said.begins else None,
        "text": said.text,
        "body": said.body,
        "attachments": said.files,
        "thread": subject or None,
    }


def _command(live: str) -> Command | None:
    """A `/command` typed right after our mention at the very beginning: the mention says whom it is for."""
    found = command_of(live, ("/",), frozenset())
    if found is None or found.directed is Fact.NO:
        return None
    return msgspec.structs.replace(found, directed=Fact.YES)
