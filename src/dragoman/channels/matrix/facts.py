"""What does this Matrix event say? Raw client event and known room state in, `Event` out.

1. The target is matrix / our own user id / the room id; an alias or a name is never an identity.
2. Only `m.room.message` without a state key is a message; encrypted, redacted, state, reaction and receipt events,
   unknown message types and invalid or forged edits are `OTHER`.
3. A mention is our exact id in `m.mentions.user_ids`: never the body, never `room`. In an edit only the top level
   counts (what was newly mentioned); the edit marks its mentions only if its original is known to be the same author's.
4. A reply is `m.in_reply_to` whose sender is known from `RoomState.senders`; a thread's fallback pointer is no reply.
5. One-to-one: flagged direct, *and* exactly two joined members, the author one of them, the other not a known bot.
6. A bot is an `m.notice`, or an id that the operator listed; Matrix itself has no flag.
7. What is missing is unknown, what has the wrong type is named in `malformed`. Nothing here raises, whatever the JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from dragoman.channels.matrix.live import live_text
from dragoman.channels.matrix.state import MatrixAgent, RoomState, is_id, is_user_id, of_another_server
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind, ReplyTo
from dragoman.identity import party, target
from dragoman.words import Fact

PLATFORM: Final = "matrix"
BODY_LIMIT: Final = 65_536
"""Characters of a body that are read; a real event of 65,536 bytes cannot hold more."""

_WORDS: Final = frozenset({"m.text", "m.notice", "m.emote", "m.location"})
_MEDIA: Final = frozenset({"m.image", "m.file", "m.audio", "m.video"})
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_TIME_LIMIT: Final = 2**53


def facts(
    raw: Mapping[str, Any], agent: MatrixAgent, room: RoomState | None, *, received_at: int, authenticated: Fact
) -> Event:
    """The facts of one client event; `raw` carries its `room_id` (spec 1 §2, §3; never raises)."""
    bad: list[str] = []
    room = room or RoomState()
    sender = _id(raw, "sender", "@", bad)
    room_id, event_id = _id(raw, "room_id", "!", bad), _id(raw, "event_id", "$", bad)
    kind = _kind(raw, sender, room, bad)
    event = Event(
        kind=kind,
        target=target(PLATFORM, agent.user_id, room_id),
        event_id=event_id,
        dedupe_key=f"{room_id}\n{event_id}",
        received_at=received_at,
        sent_at=_time(raw, bad),
        authenticated=authenticated,
        author=party(PLATFORM, agent.user_id, sender),
        author_kind=_author_kind(sender, agent),
        chat=_chat(room_id, sender, agent, room),
        shared=_shared(agent.user_id, room),
        other_bots=_other_bots(agent, room),
        deletes=_deletes(raw),
    )
    told = _told(raw, kind, sender, agent, room, bad) if kind in (EventKind.MESSAGE, EventKind.EDIT) else {}
    return msgspec.structs.replace(event, **told, malformed=tuple(bad))


def pointer(raw: Mapping[str, Any]) -> str | None:
    """The id of the event that this one answers or edits: whose sender `RoomState.senders` should name."""
    relates = _mapping(_mapping(raw, "content"), "m.relates_to")
    if relates.get("rel_type") == "m.replace":
        found = relates.get("event_id")
    elif relates.get("rel_type") == "m.thread" and relates.get("is_falling_back") is True:
        found = None
    else:
        found = _mapping(relates, "m.in_reply_to").get("event_id")
    return found if is_id(found, "$") else None


def worth_asking(raw: Mapping[str, Any], agent: MatrixAgent, room: RoomState) -> str | None:
    """The event id whose unknown sender could still change the decision, or None: then nobody is asked.

    Whose message was answered is of no weight when the event is no message of a human, when we are mentioned anyway, or
    in a real one-to-one. Whether an edit's original is its author's own matters only when the edit mentions us.
    """
    wanted = pointer(raw)
    if wanted is None or wanted in room.senders:
        return None
    event = facts(raw, agent, room, received_at=0, authenticated=Fact.YES)
    if event.malformed or event.author_kind is not AuthorKind.HUMAN:
        return None
    mentioned = event.mentions_agent is Fact.YES
    if event.kind is EventKind.EDIT:
        return wanted if mentioned else None
    if event.kind is not EventKind.MESSAGE or mentioned or event.chat is ChatKind.DIRECT:
        return None
    return wanted


# --- who, where, what kind -------------------------------------------------------------------------------------------


def _kind(raw: Mapping[str, Any], sender: str, room: RoomState, bad: list[str]) -> EventKind:
    if type(raw.get("type")) is not str:
        bad.append("type")
        return EventKind.OTHER
    content = raw.get("content")
    if raw["type"] != "m.room.message" or "state_key" in raw or _redacted(raw):
        return EventKind.OTHER
    if not isinstance(content, Mapping):
        bad.append("content")
        return EventKind.OTHER
    relates = _mapping(content, "m.relates_to")
    if relates.get("rel_type") != "m.replace":
        return EventKind.MESSAGE if _known_type(content, bad) else EventKind.OTHER
    original = relates.get("event_id")
    shaped = is_id(original, "$") and _known_type(content, []) and _known_type(_mapping(content, "m.new_content"), [])
    forged = shaped and room.senders.get(str(original), sender) != sender
    return EventKind.EDIT if shaped and not forged else EventKind.OTHER


def _known_type(content: Mapping[str, Any], bad: list[str]) -> bool:
    msgtype = content.get("msgtype")
    if type(msgtype) is not str:
        bad.append("content.msgtype")
        return False
    return msgtype in _WORDS or msgtype in _MEDIA


def _redacted(raw: Mapping[str, Any]) -> bool:
    return "redacted_because" in _mapping(raw, "unsigned") or raw.get("content") == {}


def _deletes(raw: Mapping[str, Any]) -> str | None:
    """The event that a redaction takes away; the server hands on only what its sender may take away."""
    if raw.get("type") != "m.room.redaction":
        return None
    found = raw.get("redacts", _mapping(raw, "content").get("redacts"))
    return found if is_id(found, "$") else None


def _author_kind(sender: str, agent: MatrixAgent) -> AuthorKind:
    if not sender:
        return AuthorKind.UNKNOWN
    if sender == agent.user_id:
        return AuthorKind.SELF
    return AuthorKind.BOT if sender in agent.bots else AuthorKind.HUMAN


def _chat(room_id: str, sender: str, agent: MatrixAgent, room: RoomState) -> ChatKind:
    members, own = room.joined_members, agent.user_id
    if members is None or not room_id or own not in members or sender not in members:
        return ChatKind.UNKNOWN
    others = members - {own}
    if len(others) != 1 or others & agent.bots:
        return ChatKind.GROUP
    flagged = _flagged_direct(room_id, next(iter(others)), room)
    return {Fact.YES: ChatKind.DIRECT, Fact.NO: ChatKind.GROUP}.get(flagged, ChatKind.UNKNOWN)


def _flagged_direct(room_id: str, other: str, room: RoomState) -> Fact:
    """YES by any of the three marks; NO when at least one was looked at and none holds."""
    event = room.agent_member_event or {}
    marks = (
        room.is_direct,
        None if room.m_direct is None else room_id in room.m_direct.get(other, ()),
        None
        if room.agent_member_event is None
        else _mapping(event, "content").get("is_direct") is True
        or _mapping(_mapping(event, "unsigned"), "prev_content").get("is_direct") is True,
    )
    if True in marks:
        return Fact.YES
    return Fact.UNKNOWN if all(mark is None for mark in marks) else Fact.NO


def _shared(own: str, room: RoomState) -> Fact:
    if room.world_readable:
        return Fact.YES
    if room.joined_members is None:
        # a room that does not federate can hold nobody of another server: the creation event is immutable
        return Fact.NO if room.federate is False else Fact.UNKNOWN
    return of_another_server(room.joined_members, own)


def _other_bots(agent: MatrixAgent, room: RoomState) -> Fact:
    """NO means: none that the operator listed; Matrix cannot say more."""
    if room.joined_members is None:
        return Fact.UNKNOWN
    return Fact.YES if (room.joined_members - {agent.user_id}) & agent.bots else Fact.NO


# --- what a message says ---------------------------------------------------------------------------------------------


def _told(
    raw: Mapping[str, Any], kind: EventKind, sender: str, agent: MatrixAgent, room: RoomState, bad: list[str]
) -> dict[str, Any]:
    content = _mapping(raw, "content")
    edit = kind is EventKind.EDIT
    shown = _mapping(content, "m.new_content") if edit else content
    told = _mentions(content, agent.user_id, bad)
    told |= _words(shown, agent.user_id, told["mentions_agent"] is Fact.YES, bad)
    if edit:
        same = room.senders.get(pointer(raw) or "") == sender
        told["edit_marks_mentions"] = same and "m.mentions" in content
    else:
        told |= _relations(content, agent.user_id, room, bad)
    notice = "m.notice" in (content.get("msgtype"), shown.get("msgtype"))
    if notice and agent.notice_is_bot and sender and sender != agent.user_id:
        told["author_kind"] = AuthorKind.BOT
    return told


def _mentions(content: Mapping[str, Any], own: str, bad: list[str]) -> dict[str, Any]:
    mentions = content.get("m.mentions", {})
    ids = mentions.get("user_ids", []) if isinstance(mentions, Mapping) else None
    if type(ids) is not list or any(type(user_id) is not str for user_id in ids):
        bad.append("content.m.mentions")
        return {"mentions_agent": Fact.UNKNOWN, "mentions_other": Fact.UNKNOWN}
    return {
        "mentions_agent": Fact.YES if own in ids else Fact.NO,
        "mentions_other": Fact.YES if any(user_id != own for user_id in ids) else Fact.NO,
    }


def _relations(content: Mapping[str, Any], own: str, room: RoomState, bad: list[str]) -> dict[str, Any]:
    relates = content.get("m.relates_to", {})
    if not isinstance(relates, Mapping):
        bad.append("content.m.relates_to")
        return {"reply_to": ReplyTo.UNKNOWN}
    thread, falling_back = None, relates.get("is_falling_back", False)
    if relates.get("rel_type") == "m.thread":
        thread = relates.get("event_id")
        if not is_id(thread, "$") or type(falling_back) is not bool:
            bad.append("content.m.relates_to")
            return {"reply_to": ReplyTo.UNKNOWN}
        if falling_back:
            return {"thread": thread}
    return {"thread": thread, "reply_to": _reply_to(relates, own, room, bad)}


def _reply_to(relates: Mapping[str, Any], own: str, room: RoomState, bad: list[str]) -> ReplyTo:
    if "m.in_reply_to" not in relates:
        return ReplyTo.NOBODY
    answered = _mapping(relates, "m.in_reply_to").get("event_id")
    if not is_id(answered, "$"):
        bad.append("content.m.relates_to.m.in_reply_to")
        return ReplyTo.UNKNOWN
    author = room.senders.get(str(answered))
    if not is_user_id(author):
        return ReplyTo.UNKNOWN
    return ReplyTo.AGENT if author == own else ReplyTo.OTHER


def _words(shown: Mapping[str, Any], own: str, mentioned: bool, bad: list[str]) -> dict[str, Any]:
    body, formatted = shown.get("body"), shown.get("formatted_body", "")
    if type(body) is not str or len(body) > BODY_LIMIT or _SURROGATE.search(body):
        bad.append("content.body")
        return {}
    if type(formatted) is not str or len(formatted) > BODY_LIMIT:
        bad.append("content.formatted_body")
        return {"body": body}
    media = shown.get("msgtype") in _MEDIA
    name = shown.get("filename")
    if shown.get("msgtype") == "m.location" or (media and (type(name) is not str or name == body)):
        live = ""  # a place's description or a file's name; nobody said it
    else:
        live = live_text(body, formatted, own, mentioned=mentioned)
    return {"text": live, "body": body, "attachments": int(media)}


# --- reading untrusted JSON ------------------------------------------------------------------------------------------


def _id(raw: Mapping[str, Any], key: str, sigil: str, bad: list[str]) -> str:
    value = raw.get(key)
    if is_id(value, sigil) and (sigil != "@" or is_user_id(value)):
        return str(value)
    bad.append(key)
    return ""


def _mapping(source: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = source.get(key)
    return value if isinstance(value, Mapping) else {}


def _time(raw: Mapping[str, Any], bad: list[str]) -> int | None:
    value = raw.get("origin_server_ts")
    if type(value) is int and 0 <= value < _TIME_LIMIT:
        return value
    bad.append("origin_server_ts")  # a homeserver always stamps; an event of unknown age is not fresh
    return None
