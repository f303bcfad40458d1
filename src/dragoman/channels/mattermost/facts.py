"""What does this Mattermost event say? Websocket event and known look-ups in, `Event` out.

1. The target is mattermost / `TEAM_ID@SERVER` (or `SERVER` alone, for direct and group messages) / the channel id.
   Names, display names and `sender_name` are never an identity.
2. `posted` is a message, `post_edited` an edit, `post_deleted` names what was deleted. A post of a type that begins
   with `system_`, or of one that plug-ins made up, is no message.
3. A mention is our id in the server-made `mentions` *and* our `@username` in the live text: the server also lists us
   for `@all`, `@channel`, `@here` and for words of our notification settings, and those are nobody's mention. A post
   that was read back after an outage has no such list: whether it mentions us is not known. A `/command` typed right
   after our name at the beginning is for us.
4. Another is mentioned when the server lists him, or the live text has an `@name` that is not ours; text may silence.
5. There is no reply to a message, only a thread with a root: nobody is answered by it.
6. One-to-one is channel type `D` alone. A person is who the look-up knows as no bot and whose post no webhook, plug-in
   or application made; a borrowed name (`override_username`) is a bot's.
7. Shared: the channel is shared with another server, the post came from one, or a guest is in it. Unknown is unknown.

Nothing here raises, whatever the JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from dragoman.channels.mattermost.live import begins, live_text, named
from dragoman.channels.mattermost.state import OF_A_TEAM, OF_NO_TEAM, MattermostAgent, MattermostPlace, workspace
from dragoman.channels.payload import TEXT_LIMIT, Payload
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.gate.live_text import command_of
from dragoman.identity import party, target
from dragoman.words import Fact

PLATFORM: Final = "mattermost"
_KINDS: Final = {"posted": EventKind.MESSAGE, "post_edited": EventKind.EDIT}
_SAID: Final = frozenset({"", "me", "slack_attachment"})
"""Types of posts that somebody wrote."""
_MADE_BY: Final = ("from_bot", "from_webhook", "from_plugin", "from_oauth_app", "override_username")
_WRONG: Final = object()
"""Of no type that JSON has."""


def facts(
    raw: Mapping[str, Any],
    agent: MattermostAgent,
    place: MattermostPlace | None,
    *,
    received_at: int,
    authenticated: Fact,
) -> Event:
    """The facts of one websocket event (spec 1 §2, §3; never raises)."""
    place = place or MattermostPlace()
    event = Payload(_opened(raw))
    data = event.inside("data")
    post = data.inside("post")
    name = event.text("event")
    kind = _KINDS.get(name, EventKind.OTHER) if post.text("type") in _SAID else EventKind.OTHER
    type = _type(data, place)
    channel, id, author = (
        post.id("channel_id", needed=True),
        post.id("id", needed=True),
        post.id("user_id", needed=True),
    )
    team = place.channel.team_id if place.channel.team_id is not None else data.id("team_id")
    version = str(post.whole("update_at") or 0) if name == "post_edited" else ""
    told = _told(event, data, post, agent, name, type) if kind is not EventKind.OTHER else {}
    return Event(
        kind=kind,
        target=target(PLATFORM, workspace(agent.server, type, team), channel),
        event_id=id,
        dedupe_key="\n".join(filter(None, (channel, id, version))),
        received_at=received_at,
        sent_at=_time(post, "create_at" if name == "posted" else "update_at"),
        authenticated=authenticated,
        author=party(PLATFORM, agent.server, author),
        author_kind=_author_kind(post, author, agent, place),
        chat={"D": ChatKind.DIRECT, "": ChatKind.UNKNOWN}.get(type, ChatKind.GROUP),
        shared=_shared(post, place),
        other_bots=_fact(place.channel.bots),
        deletes=id if name == "post_deleted" and id else None,
        **told,
        malformed=event.malformed,
    )


def _opened(raw: Any) -> Any:
    """The event with what stands in it as text of JSON decoded; what cannot be is of a wrong type then."""
    data = raw.get("data") if isinstance(raw, Mapping) else None
    if not isinstance(data, Mapping):
        return raw
    packed = {key: _decoded(data[key]) for key in ("post", "mentions") if data.get(key) is not None}
    return {**raw, "data": {**data, **packed}}


def _decoded(packed: object) -> object:
    try:
        return msgspec.json.decode(packed) if type(packed) is str and len(packed) <= TEXT_LIMIT else _WRONG
    except (msgspec.DecodeError, ValueError, RecursionError):
        return _WRONG


def _type(data: Payload, place: MattermostPlace) -> str:
    found = place.channel.type if place.channel.type is not None else data.text("channel_type")
    if found not in OF_A_TEAM | OF_NO_TEAM:
        data.wrong("channel_type")
        return ""
    return found


def _time(post: Payload, key: str) -> int | None:
    found = post.whole(key)
    if found is None or not 0 <= found < 2**53:
        post.wrong(key)  # the server always stamps; a post of unknown age is not fresh
        return None
    return found


def _author_kind(post: Payload, author: str, agent: MattermostAgent, place: MattermostPlace) -> AuthorKind:
    if not author:
        return AuthorKind.UNKNOWN
    if author == agent.user_id:
        return AuthorKind.SELF
    props = post.inside("props").raw
    made = any(props.get(key) not in (None, False, "", "false") for key in _MADE_BY)
    if made or place.author.is_bot or post.text("type") == "slack_attachment":
        return AuthorKind.BOT
    return AuthorKind.HUMAN if place.author.is_bot is False else AuthorKind.UNKNOWN


def _shared(post: Payload, place: MattermostPlace) -> Fact:
    if post.text("remote_id") or place.channel.shared or place.author.guest:
        return Fact.YES
    return Fact.NO if place.channel.shared is False and place.author.guest is False else Fact.UNKNOWN


def _fact(known: bool | None) -> Fact:
    return Fact.UNKNOWN if known is None else Fact.YES if known else Fact.NO


# --- what a post says ------------------------------------------------------------------------------------------------


def _told(event: Payload, data: Payload, post: Payload, agent: MattermostAgent, name: str, type: str) -> dict[str, Any]:
    body = post.text("message")
    listed = data.texts("mentions")
    mine, others = named(body, agent.username)
    mentioned = Fact.YES if mine and agent.user_id in listed else Fact.NO
    if mine and type != "D" and (name == "post_edited" or event.has("read_back")):
        mentioned = Fact.UNKNOWN
    other = others or any(user != agent.user_id for user in listed)
    live = live_text(body, agent.username, mentioned=mentioned is Fact.YES)
    return {
        "mentions_agent": mentioned,
        "mentions_other": Fact.YES if other else Fact.NO,
        "reply_to": ReplyTo.NOBODY,
        "command": _command(live) if mentioned is Fact.YES and begins(body, agent.username) else None,
        "text": live,
        "body": body,
        "attachments": len(post.texts("file_ids")),
        "thread": post.id("root_id") if post.text("root_id") else None,
    }


def _command(live: str) -> Command | None:
    """A `/command` typed right after our name at the very beginning: the name says whom it is for."""
    found = command_of(live, ("/",), frozenset())
    if found is None or found.directed is Fact.NO:
        return None
    return msgspec.structs.replace(found, directed=Fact.YES)
