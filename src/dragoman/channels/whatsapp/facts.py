"""What does this WhatsApp webhook say? One envelope (or a body that holds one thing) in, `Event` out.

1. The workspace is `metadata.phone_number_id`, which must be ours; the channel is the sender's number, or the id
   (`from_user_id`) of who shows none, or `group_id` where the message carries one. Names are never an identity.
2. A message without `group_id` is one-to-one by the platform. Customers are never of our organisation: always shared.
3. There is no mark for mentions and none for bots. A reply is to us when `context.from` is our own number, to another
   when it is not, unknown when it says nobody; a forward's context is no reply.
4. Statuses, errors, reactions, system notices, deletions and unknown types are `OTHER`; so is a sender that is no
   number (`status@broadcast`). What our own app or number wrote is `SELF`. An edit is `EDIT` of its original.
5. Live text is what was typed or chosen now: of a forward nothing, of the rest without quoted lines and code.
6. What is missing is unknown, what has the wrong type is named in `malformed`. Nothing here raises, whatever the JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from dragoman.channels.payload import Payload
from dragoman.channels.whatsapp.envelope import ITEMS, split
from dragoman.channels.whatsapp.state import GROUP, Nothing, WhatsAppAgent, is_person
from dragoman.clock import SECOND
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind, ReplyTo
from dragoman.identity import party, target
from dragoman.words import Fact

PLATFORM: Final = "whatsapp"

_CAPTIONED: Final = frozenset({"image", "video", "document"})
_THINGS: Final = _CAPTIONED | {"audio", "voice", "contacts", "location", "order"}
"""What comes along as something to look at; a sticker is a mood, and counts for nothing."""
_MESSAGES: Final = _THINGS | {"text", "sticker", "interactive", "button"}
_CUT: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE)
_STAMP: Final = re.compile(r"[0-9]{1,12}")


def facts(
    raw: Mapping[str, Any], agent: WhatsAppAgent, lookup: Nothing | None, *, received_at: int, authenticated: Fact
) -> Event:
    """The facts of one webhook (spec 1 §2, §3; never raises)."""
    body = Payload(raw)
    value, item, name = _only(body, agent)
    number = value.inside("metadata").id("phone_number_id", needed=True)
    if number and number != agent.phone_number_id:
        value.inside("metadata").wrong("phone_number_id")
    sender, group = _sender(item, name), item.id("group_id")
    own = value.inside("metadata").id("display_phone_number")
    kind = _kind(item, name, sender)
    id = item.id("id", needed=name in ("messages", "statuses"))
    if "group_id" in item.raw and (not group or not GROUP.fullmatch(group)):
        item.wrong("group_id")  # only a message without the key is one-to-one
    grouped = "group_id" in item.raw
    event = Event(
        kind=kind,
        target=target(PLATFORM, number, _channel(item, sender, group, name)),
        event_id=id,
        dedupe_key="\n".join((PLATFORM, number, name, id, item.text("status") if name == "statuses" else "")),
        received_at=received_at,
        sent_at=_time(item, name),
        authenticated=authenticated,
        author=party(PLATFORM, number, sender),
        author_kind=_author_kind(name, sender, own),
        chat=ChatKind.GROUP if grouped else ChatKind.DIRECT if sender else ChatKind.UNKNOWN,
        shared=Fact.YES,
        other_bots=Fact.UNKNOWN if grouped else Fact.NO,
        deletes=item.inside("revoke").id("original_message_id") or None,
    )
    told = _told(item, kind, own) if kind in (EventKind.MESSAGE, EventKind.EDIT) else {}
    return msgspec.structs.replace(event, **told, malformed=body.malformed)


def number_of(raw: Mapping[str, Any]) -> str:
    """For which number of the app an envelope is, or an empty text."""
    changes = [change for entry in Payload(raw).objects("entry") for change in entry.objects("changes")]
    return changes[0].inside("value").inside("metadata").id("phone_number_id") if len(changes) == 1 else ""


def status_of(raw: Mapping[str, Any]) -> Payload | None:
    """The status that an envelope holds, if it holds one."""
    for entry in Payload(raw).objects("entry"):
        for change in entry.objects("changes"):
            return next(iter(change.inside("value").objects("statuses")), None)
    return None


# --- where, who, what kind -------------------------------------------------------------------------------------------


def _only(body: Payload, agent: WhatsAppAgent) -> tuple[Payload, Payload, str]:
    """The value, the one thing in it, and the name of its list; a body with several things is malformed."""
    if body.text("object") != "whatsapp_business_account":
        body.wrong("object")
    entries = body.objects("entry")
    changes = entries[0].objects("changes") if entries else []
    if not changes or len(split(body.raw)) > 1:
        body.wrong("entry")
        return Payload(None), Payload(None), ""
    if agent.business_id and entries[0].id("id", needed=True) != agent.business_id:
        entries[0].wrong("id")
    value = changes[0].inside("value")
    field = changes[0].text("field")
    for name in ITEMS:
        found = value.objects(name)
        if found:
            right = {"message_echoes": "smb_message_echoes"}.get(name, "messages")
            if field != right:
                changes[0].wrong("field")
            return value, found[0], name
    return value, Payload(None), ""


def _sender(item: Payload, name: str) -> str:
    """The number; the business-scoped id only where there is no number at all."""
    return item.id("from", needed=name == "messages" and not item.has("from_user_id")) or (
        "" if item.has("from") else item.id("from_user_id")
    )


def _channel(item: Payload, sender: str, group: str, name: str) -> str:
    if name == "statuses":
        return item.id("recipient_id")
    if name == "message_echoes":
        return item.id("to")
    if "group_id" in item.raw:
        return group if GROUP.fullmatch(group) else ""
    return sender


def _kind(item: Payload, name: str, sender: str) -> EventKind:
    type_ = item.text("type")
    if name not in ("messages", "message_echoes") or item.has("errors") or (sender and not is_person(sender)):
        return EventKind.OTHER
    if type_ == "edit":
        edited = item.inside("edit")
        return EventKind.EDIT if edited.id("original_message_id", needed=True) else EventKind.OTHER
    if not type_:
        item.wrong("type")
    return EventKind.MESSAGE if type_ in _MESSAGES else EventKind.OTHER


def _author_kind(name: str, sender: str, own: str) -> AuthorKind:
    if name == "message_echoes" or (sender and sender == own):
        return AuthorKind.SELF
    return AuthorKind.HUMAN if is_person(sender) else AuthorKind.UNKNOWN


def _time(item: Payload, name: str) -> int | None:
    stamp = item.text("timestamp")
    if _STAMP.fullmatch(stamp):
        return int(stamp) * SECOND
    if name in ("messages", "message_echoes"):
        item.wrong("timestamp")  # Meta always stamps; an event of unknown age is not fresh
    return None


# --- what a message says ---------------------------------------------------------------------------------------------


def _told(item: Payload, kind: EventKind, own: str) -> dict[str, Any]:
    edited = item.inside("edit")
    shown = edited.inside("message") if kind is EventKind.EDIT else item
    context = shown.inside("context")
    forwarded = Fact.YES in (context.flag("forwarded"), context.flag("frequently_forwarded"))
    body = _words(shown)
    told: dict[str, Any] = {
        "body": body,
        "text": "" if forwarded else _CUT.sub(" ", body).strip(),
        "attachments": int(shown.text("type") in _THINGS),
        "reply_to": _reply_to(context, own, forwarded=forwarded),
    }
    if kind is EventKind.EDIT:
        told["event_id"] = edited.id("original_message_id")
    return told


def _words(shown: Payload) -> str:
    match shown.text("type"):
        case "text":
            if not shown.inside("text").has("body"):
                shown.inside("text").wrong("body")
            return shown.inside("text").text("body")
        case "button":
            return shown.inside("button").text("text")
        case "interactive":
            chosen = shown.inside("interactive")
            name = chosen.text("type")
            return chosen.inside(name).text("title") if name in ("button_reply", "list_reply") else ""
        case type_ if type_ in _CAPTIONED:
            return shown.inside(type_).text("caption")
        case _:
            return ""


def _reply_to(context: Payload, own: str, *, forwarded: bool) -> ReplyTo:
    answered, author = context.id("id"), context.id("from")
    if forwarded or not context.has("id"):
        return ReplyTo.NOBODY
    if not answered or not author or not own:
        return ReplyTo.UNKNOWN
    return ReplyTo.AGENT if author == own else ReplyTo.OTHER
