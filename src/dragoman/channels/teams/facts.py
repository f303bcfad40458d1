"""What does this Teams activity say? Bot Framework activity and roster in, `Event` out.

1. The workspace is the tenant of the conversation, the channel `conversation.id` without `;messageid=…`, which is the
   thread. A team's or a chat's name is never an identity. The author is `aadObjectId` (of the author's own tenant,
   where the roster tells another), else `from.id` with its prefix (`29:…`); `from.name` is a label.
2. `message` is a message, `messageUpdate` with `editMessage` an edit; `messageDelete` deletes; all else is `OTHER`.
3. A mention is an entity whose `mentioned.id` is the recipient's, which is us: never the text of `<at>`, never a name,
   for teams, channels and tags are mentioned in the same shape. Teams marks no newly added mentions.
4. `replyToId` proves no reply to us, so there is none.
5. Only `personal` is one-to-one; group chats and channels are groups; anything else is unknown.
6. Guests, anonymous people and those of another tenant make a place shared, and so does a shared channel. Without a
   roster that tells of everybody it is unknown.
7. What is missing is unknown, what has the wrong type is named in `malformed`. Nothing here raises, whatever the JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from dragoman.channels.payload import Payload
from dragoman.channels.teams.live import live_text
from dragoman.channels.teams.state import TeamsAgent, TeamsLookup, shared_by
from dragoman.clock import parse_rfc3339
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind
from dragoman.identity import party, target
from dragoman.words import Fact

PLATFORM: Final = "teams"
THREAD: Final = ";messageid="
CHATS: Final = {"personal": ChatKind.DIRECT, "groupChat": ChatKind.GROUP, "channel": ChatKind.GROUP}
_STAMP: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,6})?\d{0,3}(?:Z|\+00:00)", re.ASCII)
_HTML: Final = "text/html"
_NOT_BROUGHT: Final = frozenset({_HTML, "messageReference", "forwardedMessageReference"})
"""Kinds of attachments that are the message itself, or a quote."""


def facts(
    raw: Mapping[str, Any], agent: TeamsAgent, lookup: TeamsLookup | None, *, received_at: int, authenticated: Fact
) -> Event:
    """The facts of one activity (spec 1 §2, §3; never raises)."""
    it = Payload(raw)
    members = lookup.members if lookup else None
    if it.text("channelId") != "msteams":
        it.wrong("channelId")
    conversation, recipient = it.inside("conversation"), it.inside("recipient").id("id", needed=True)
    if recipient and recipient != agent.recipient_id:
        it.inside("recipient").wrong("id")
    tenant = _tenant(it, conversation)
    channel, _, thread = conversation.id("id", needed=True).partition(THREAD)
    kind, id = _kind(it), it.id("id", needed=True)
    chat = _chat(conversation)
    event = Event(
        kind=kind,
        target=target(PLATFORM, tenant, channel),
        event_id=id,
        dedupe_key="\n".join((PLATFORM, tenant, channel, id, _again(it, kind))),
        received_at=received_at,
        sent_at=_time(it),
        authenticated=authenticated,
        author=_author(it.inside("from"), tenant, members),
        author_kind=_author_kind(it.inside("from"), agent),
        chat=chat,
        shared=_shared(it, members, agent.tenant_id or tenant),
        other_bots=Fact.NO if chat is ChatKind.DIRECT else Fact.UNKNOWN,
        thread=thread or None,
        deletes=(id or None) if it.text("type") == "messageDelete" else None,
    )
    told = _told(it, agent) if kind in (EventKind.MESSAGE, EventKind.EDIT) else {}
    return msgspec.structs.replace(event, **told, malformed=it.malformed)


# --- where, who, what kind -------------------------------------------------------------------------------------------


def _tenant(it: Payload, conversation: Payload) -> str:
    inside, beside = it.inside("channelData").inside("tenant").id("id"), conversation.id("tenantId")
    if (inside and beside and inside != beside) or not (inside or beside):
        it.inside("channelData").wrong("tenant")
        return ""
    return inside or beside


def _kind(it: Payload) -> EventKind:
    type_ = it.text("type")
    if not type_:
        it.wrong("type")
    if type_ == "messageUpdate" and it.inside("channelData").text("eventType") == "editMessage":
        return EventKind.EDIT
    return EventKind.MESSAGE if type_ == "message" else EventKind.OTHER


def _again(it: Payload, kind: EventKind) -> str:
    """What tells an edit or a deletion apart from the message that it is about, which has the same id."""
    return "" if kind is EventKind.MESSAGE else "\n".join((it.text("type"), it.text("timestamp")))


def _author(sender: Payload, tenant: str, members: tuple[Any, ...] | None) -> Any:
    id, account = sender.id("aadObjectId"), sender.id("id", needed=True)
    told = next((member.tenant_id for member in members or () if member.id == account and member.tenant_id), "")
    alone = account if account.startswith(("28:", "29:")) else ""  # never one that could be somebody's object id
    return party(PLATFORM, told or tenant, id if sender.has("aadObjectId") else alone)


def _author_kind(sender: Payload, agent: TeamsAgent) -> AuthorKind:
    id, role = sender.id("id"), sender.text("role")
    if id == agent.recipient_id:
        return AuthorKind.SELF
    if role in ("bot", "skill") or id.startswith("28:"):
        return AuthorKind.BOT
    return AuthorKind.HUMAN if id and role in ("", "user") else AuthorKind.UNKNOWN


def _chat(conversation: Payload) -> ChatKind:
    kind, group = conversation.text("conversationType"), conversation.flag("isGroup")
    found = CHATS.get(kind, ChatKind.UNKNOWN)
    return ChatKind.GROUP if found is ChatKind.DIRECT and group is Fact.YES else found


def _shared(it: Payload, members: tuple[Any, ...] | None, own: str) -> Fact:
    if it.inside("channelData").inside("channel").text("type").lower() == "shared":
        return Fact.YES
    return shared_by(members, own)


def _time(it: Payload) -> int | None:
    found = _STAMP.fullmatch(it.text("timestamp"))
    if found:
        try:
            return parse_rfc3339(f"{found[1]}{found[2] or ''}Z")
        except ValueError:
            pass
    it.wrong("timestamp")  # the connector always stamps; an activity of unknown age is not fresh
    return None


# --- what a message says ---------------------------------------------------------------------------------------------


def _told(it: Payload, agent: TeamsAgent) -> dict[str, Any]:
    text, attachments = it.text("text"), it.objects("attachments")
    html = next((each.text("content") for each in attachments if each.text("contentType") == _HTML), None)
    brought = [each for each in attachments if each.text("contentType") not in _NOT_BROUGHT]
    return {"body": text, "text": live_text(text, html), "attachments": len(brought), **_mentions(it, agent)}


def _mentions(it: Payload, agent: TeamsAgent) -> dict[str, Fact]:
    before = len(it.malformed)
    ids = [
        entity.inside("mentioned").id("id", needed=True)
        for entity in it.objects("entities")
        if entity.text("type") == "mention"
    ]
    if len(it.malformed) > before:
        return {"mentions_agent": Fact.UNKNOWN, "mentions_other": Fact.UNKNOWN}
    return {
        "mentions_agent": Fact.YES if agent.recipient_id in ids else Fact.NO,
        "mentions_other": Fact.YES if any(id != agent.recipient_id for id in ids) else Fact.NO,
    }
