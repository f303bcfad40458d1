"""What does this update of the Bot API say? Raw update and what is known of the chat in, `Event` out.

1. The target is telegram / our bot's id / the chat's id. A chat of a business connection is named with the connection,
   so that it is never our own chat with that person. A group that gets another id is another target.
2. `message` and `channel_post` are messages when they hold something that somebody can say; `edited_…` are edits;
   service messages (joins, pins, upgrades ...), reactions, buttons, guests' queries and every other update are `OTHER`.
3. The author is `from`. Where a chat speaks (`sender_chat`), or an account that stands for somebody else, nobody knows
   who spoke: the author's kind is unknown. So it is with business messages, which are said to somebody else.
4. One-to-one: a private chat whose id is its human author's, without a business connection.
5. A reply is `reply_to_message` in the same chat, by its author; never the message that opened a topic, never a quote,
   nor a reply into another chat.
6. Mentions, command and live text are those of `live.py`. What was forwarded was not said now: it mentions nobody.
7. Shared is a public group, one in which an outsider speaks, or one that is not only of our colleagues; a business
   chat; of other groups that is unknown. A one-to-one is not.
8. What is missing is unknown, what has the wrong type is named in `malformed`. Nothing here raises, whatever the JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from dragoman.channels.payload import Payload
from dragoman.channels.telegram.live import Said, said
from dragoman.channels.telegram.state import PSEUDO, ChatState, TelegramAgent
from dragoman.clock import SECOND
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind, ReplyTo
from dragoman.identity import party, target
from dragoman.words import Fact

PLATFORM: Final = "telegram"
KINDS: Final[Mapping[str, EventKind]] = {
    "message": EventKind.MESSAGE,
    "edited_message": EventKind.EDIT,
    "channel_post": EventKind.MESSAGE,
    "edited_channel_post": EventKind.EDIT,
    "business_message": EventKind.MESSAGE,
    "edited_business_message": EventKind.EDIT,
}
"""The updates that hold a message; the rest is `OTHER`."""
MEDIA: Final = ("animation", "audio", "document", "live_photo", "paid_media", "video", "video_note", "voice")
"""What counts as an attachment, besides `photo`, which is a list of sizes."""
_OTHERS: Final = ("sticker", "story", "checklist", "contact", "dice", "game", "poll", "venue", "location")
_SAYS: Final = frozenset({"text", "photo", *MEDIA, *_OTHERS})
_SERVICE: Final = ("migrate_to_chat_id", "migrate_from_chat_id", "pinned_message", "forum_topic_created")
_FORWARDED: Final = (
    *("forward_origin", "forward_from", "forward_from_chat", "forward_sender_name", "forward_date"),
    "is_automatic_forward",
)
_ELSEWHERE: Final = ("external_reply", "reply_to_story")
_BY_A_BOT: Final = ("sender_business_bot", "guest_bot_caller_user", "guest_bot_caller_chat")
_CHATS: Final = {"private": ChatKind.DIRECT, "group": ChatKind.GROUP, "supergroup": ChatKind.GROUP}
_AUTHORS: Final = {Fact.YES: AuthorKind.BOT, Fact.NO: AuthorKind.HUMAN, Fact.UNKNOWN: AuthorKind.UNKNOWN}
_TIME_LIMIT: Final = 2**40
"""Seconds; no date of a message is beyond it."""


def facts(
    raw: Mapping[str, Any], agent: TelegramAgent, chat: ChatState | None, *, received_at: int, authenticated: Fact
) -> Event:
    """The facts of one update (spec 1 §2, §3; never raises)."""
    update = Payload(raw)
    name, message = _message(update)
    kind = _kind(name, message)
    chat_id = message.inside("chat").number_id("id", needed=kind is not EventKind.OTHER)
    workspace, channel = str(agent.id), _channel(message, chat_id)
    author, author_kind = _author(name, message, agent)
    direct = _chat_kind(message, chat_id, author, author_kind)
    event_id = message.number_id("message_id", needed=kind is not EventKind.OTHER)
    update_id = update.number_id("update_id", needed=True)
    event = Event(
        kind=kind,
        target=target(PLATFORM, workspace, channel),
        event_id=event_id or update_id,
        dedupe_key=f"{channel}\n{event_id}" if kind is EventKind.MESSAGE else f"update\n{update_id}",
        received_at=received_at,
        sent_at=_time(message, "edit_date" if kind is EventKind.EDIT else "date", kind),
        authenticated=authenticated,
        author=party(PLATFORM, workspace, author),
        author_kind=author_kind,
        chat=direct,
        shared=_shared(message, direct, author, agent, chat or ChatState()),
        other_bots=Fact.NO if direct is ChatKind.DIRECT else Fact.UNKNOWN,
    )
    told = _told(message, chat_id, agent) if kind in (EventKind.MESSAGE, EventKind.EDIT) else {}
    return msgspec.structs.replace(event, **told, malformed=update.malformed)


def worth_asking(raw: Mapping[str, Any], agent: TelegramAgent) -> str | None:
    """The chat whose members could still decide whether an outsider listens, or None: then nobody is asked.

    They matter only where somebody of ours speaks in a group that is not public; nothing else can ever be internal.
    """
    if not agent.colleagues:
        return None
    event = facts(raw, agent, None, received_at=0, authenticated=Fact.YES)
    open_ = event.kind is EventKind.MESSAGE and event.shared is Fact.UNKNOWN and event.chat is ChatKind.GROUP
    return event.target.channel if open_ and event.author_kind is AuthorKind.HUMAN and not event.malformed else None


# --- who, where, what kind -------------------------------------------------------------------------------------------


def _message(update: Payload) -> tuple[str, Payload]:
    """The one thing that the update tells, by its name; of two nobody knows which."""
    names = [name for name in update.raw if name != "update_id" and isinstance(name, str) and update.has(name)]
    if len(names) != 1:
        if len(names) > 1:
            update.wrong("update_id")
        return "", Payload(None)
    return names[0], update.inside(names[0])


def _kind(name: str, message: Payload) -> EventKind:
    kind = KINDS.get(name, EventKind.OTHER)
    silent = not any(message.has(key) for key in _SAYS) or any(message.has(key) for key in _SERVICE)
    return EventKind.OTHER if silent or message.has("guest_query_id") else kind


def _channel(message: Payload, chat_id: str) -> str:
    if not message.has("business_connection_id"):
        return chat_id
    connection = message.id("business_connection_id")
    return f"{connection}/{chat_id}" if connection and chat_id else ""


def _author(name: str, message: Payload, agent: TelegramAgent) -> tuple[str, AuthorKind]:
    sender, posted = message.inside("from"), message.has("sender_chat")
    if posted or name.endswith("channel_post"):
        speaks = message.inside("sender_chat" if posted else "chat")
        return speaks.number_id("id", needed=True), AuthorKind.UNKNOWN
    user_id = sender.number_id("id", needed=name in KINDS)
    if user_id == str(agent.id):
        return user_id, AuthorKind.SELF
    if user_id in map(str, PSEUDO) or not user_id:
        return "", AuthorKind.UNKNOWN
    if any(message.has(key) for key in _BY_A_BOT):
        return user_id, AuthorKind.BOT
    kind = _AUTHORS[sender.flag("is_bot")]
    nobody_now = message.flag("is_from_offline") is not Fact.UNKNOWN or message.has("business_connection_id")
    automatic = message.flag("is_automatic_forward") is Fact.YES
    return user_id, AuthorKind.UNKNOWN if nobody_now or automatic else kind


def _chat_kind(message: Payload, chat_id: str, author: str, author_kind: AuthorKind) -> ChatKind:
    kind = _CHATS.get(message.inside("chat").text("type"), ChatKind.UNKNOWN)
    if kind is not ChatKind.DIRECT:
        return kind
    real = author_kind is AuthorKind.HUMAN and author == chat_id and not message.has("business_connection_id")
    return ChatKind.DIRECT if real else ChatKind.UNKNOWN


def _shared(message: Payload, direct: ChatKind, author: str, agent: TelegramAgent, chat: ChatState) -> Fact:
    if direct is ChatKind.DIRECT:
        return Fact.NO
    public = message.inside("chat").has("username") and direct is ChatKind.GROUP
    if public or message.has("business_connection_id"):
        return Fact.YES
    if not agent.colleagues or not author or direct is not ChatKind.GROUP:
        return Fact.UNKNOWN
    if author not in map(str, agent.colleagues):
        return Fact.YES
    return {True: Fact.NO, False: Fact.YES, None: Fact.UNKNOWN}[chat.only_ours]


def _time(message: Payload, key: str, kind: EventKind) -> int | None:
    seconds = message.whole(key)
    if seconds is not None and 0 <= seconds < _TIME_LIMIT:
        return seconds * SECOND
    if seconds is not None or kind is not EventKind.OTHER:
        message.wrong(key)  # Telegram always stamps; a message of unknown age is not fresh
    return None


# --- what a message says ---------------------------------------------------------------------------------------------


def _told(message: Payload, chat_id: str, agent: TelegramAgent) -> dict[str, Any]:
    where = "text" if message.has("text") else "caption"
    body = message.text(where)
    before = len(message.malformed)
    entities = message.objects("entities" if where == "text" else "caption_entities")
    forwarded = any(message.has(key) for key in _FORWARDED)
    words = Said() if forwarded else said(body, entities, agent)
    known = len(message.malformed) == before
    in_topic = message.flag("is_topic_message") is Fact.YES
    return {
        "mentions_agent": _fact(words.mentions_agent, known),
        "mentions_other": _fact(words.mentions_other, known),
        "reply_to": _reply_to(message, chat_id, agent),
        "command": words.command,
        "text": words.text,
        "body": body,
        "attachments": _attachments(message),
        "album": message.id("media_group_id") or None,
        "thread": (message.number_id("message_thread_id", needed=True) or None) if in_topic else None,
    }


def _fact(yes: bool, known: bool) -> Fact:
    if not known:
        return Fact.UNKNOWN
    return Fact.YES if yes else Fact.NO


def _reply_to(message: Payload, chat_id: str, agent: TelegramAgent) -> ReplyTo:
    if any(message.has(key) for key in _ELSEWHERE):
        return ReplyTo.OTHER
    if not message.has("reply_to_message"):
        return ReplyTo.NOBODY
    answered = message.inside("reply_to_message")
    if answered.has("forum_topic_created"):
        return ReplyTo.NOBODY  # how clients say in which topic a message stands
    sender, where = answered.inside("from").number_id("id"), answered.inside("chat").number_id("id")
    if answered.has("sender_chat"):
        return ReplyTo.OTHER
    if not sender or where != chat_id:
        return ReplyTo.UNKNOWN
    return ReplyTo.AGENT if sender == str(agent.id) else ReplyTo.OTHER


def _attachments(message: Payload) -> int:
    held = [bool(message.inside(key)) for key in MEDIA]
    return int(bool(message.objects("photo")) or any(held))
