"""What does this Slack event say? The raw envelope of the Events API and what was looked up in, `Event` out.

1. The workspace is the one that our installation is in: `authorizations[0].team_id`; without it (installations of a
   whole organisation, old envelopes) `context_team_id`, `team_id`. Never the author's own workspace.
2. A message is `message` or `app_mention` of a subtype in `_SAID`; a user's change of one is an edit; all else `OTHER`.
   Both copies of one message have the same key: app, workspace, channel, `ts`. An event for another app is malformed.
3. Mentions are `live`'s. A `/word` right behind our mention is a command to us; Slack's own slash commands are forms.
   There is no reply-to: `parent_user_id` names the author of a thread's root. No edit marks mentions as new.
4. One-to-one is `im` and nothing else: not a group direct message, never the first letter of an id. Where the type is
   missing, `conversations.info` says it.
5. A bot is whatever has a bot's or an app's id, or is one by `users.info`; nobody at all is unknown.
6. Shared: YES by any one sign of another organisation or of a guest, in the envelope, the place, or the author. NO only
   when both the place is known not to be shared, and the author is known to be one of ours.
7. What is missing is unknown, what has the wrong type is named in `malformed`. Nothing here raises, whatever the JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from dragoman.channels.payload import Payload
from dragoman.channels.slack.live import Said, body_of, in_blocks, in_text
from dragoman.channels.slack.state import SlackAgent, SlackLookup, is_ts, moment
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind
from dragoman.identity import Party, party, target, well_formed
from dragoman.words import Fact

PLATFORM: Final = "slack"

_SAID: Final = frozenset({"", "file_share", "me_message", "thread_broadcast", "bot_message"})
_KINDS: Final = {"im": ChatKind.DIRECT, "mpim": ChatKind.GROUP, "channel": ChatKind.GROUP, "group": ChatKind.GROUP}
_COMMAND: Final = re.compile(r"/([A-Za-z][A-Za-z0-9_-]{0,31})(?=\s|\Z)")
_SLACKBOT: Final = "USLACKBOT"


class _Seen(msgspec.Struct, frozen=True, kw_only=True):
    """One envelope, opened. `told` is where author and text stand: in an edit, the message as it is now."""

    envelope: Payload
    event: Payload
    told: Payload
    kind: EventKind
    workspace: str
    channel: Payload
    """`conversations.info`, if it is about this place."""
    user: Payload
    """`users.info`, if it is about this author."""


def facts(
    raw: Mapping[str, Any],
    agent: SlackAgent,
    lookup: SlackLookup | None,
    *,
    received_at: int,
    authenticated: Fact,
) -> Event:
    """The facts of one envelope, or of one slash command's form (spec 1 §2, §3; never raises)."""
    envelope = Payload(raw)
    if envelope.has("command") and not envelope.has("event"):
        return _slash(envelope, agent, received_at, authenticated)
    seen = _opened(envelope, lookup or SlackLookup())
    heard = seen.kind is not EventKind.OTHER
    channel = seen.event.id("channel", needed=True) if heard else _known(seen.event, "channel")
    ts = _ts(seen.told if seen.kind is EventKind.EDIT else seen.event, needed=seen.kind is EventKind.MESSAGE)
    stamp = _ts(seen.event, needed=heard) or _known(seen.event, "event_ts")
    app = envelope.id("api_app_id")
    if heard and app and app != agent.app_id:
        envelope.wrong("api_app_id")
    event = Event(
        kind=seen.kind,
        target=target(PLATFORM, seen.workspace, channel),
        event_id=ts,
        dedupe_key="\n".join((app or agent.app_id, seen.workspace, channel, stamp or _known(envelope, "event_id"))),
        received_at=received_at,
        sent_at=moment(stamp) if is_ts(stamp) else None,
        authenticated=authenticated,
        author=_author(seen),
        author_kind=_author_kind(seen, agent),
        chat=_chat(seen),
        shared=_shared(seen),
        other_bots=Fact.NO if _chat(seen) is ChatKind.DIRECT else Fact.UNKNOWN,
        deletes=_deleted(seen.event),
    )
    told = _words(seen, agent.user_id) if heard else {}
    return msgspec.structs.replace(event, **told, malformed=envelope.malformed)


class Wanted(msgspec.Struct, frozen=True):
    """What is worth looking up before an event is judged; empty texts where nothing is."""

    channel: str = ""
    user: str = ""


def worth_asking(raw: Mapping[str, Any], agent: SlackAgent) -> Wanted:
    """What could still change the decision about an event. Nobody in the workspace sees these requests.

    Nothing, when it is no message of a human, or one that asks nobody: in a group without a mention of us there is no
    look-up at all, neither of the place nor of a person.
    """
    event = facts(raw, agent, None, received_at=0, authenticated=Fact.YES)
    if event.malformed or event.kind is not EventKind.MESSAGE or event.author_kind is not AuthorKind.HUMAN:
        return Wanted()
    asks = event.mentions_agent is Fact.YES or event.command is not None
    if not asks and event.chat is ChatKind.GROUP:
        return Wanted()
    place = event.chat is ChatKind.UNKNOWN or Payload(raw).flag("is_ext_shared_channel") is Fact.UNKNOWN
    person = asks or event.chat is ChatKind.DIRECT
    return Wanted(event.target.channel if place else "", event.author.id if person else "")


# --- who, where, what kind -------------------------------------------------------------------------------------------


def _opened(envelope: Payload, lookup: SlackLookup) -> _Seen:
    event = envelope.inside("event")
    kind = _kind(envelope, event)
    told = event.inside("message") if kind is EventKind.EDIT else event
    channel, user = Payload(lookup.channel, "conversations.info"), Payload(lookup.user, "users.info")
    return _Seen(
        envelope=envelope,
        event=event,
        told=told,
        kind=kind,
        workspace=_workspace(envelope),
        channel=channel if _about(channel, event.raw.get("channel")) else Payload(None),
        user=user if _about(user, told.raw.get("user")) else Payload(None),
    )


def _kind(envelope: Payload, event: Payload) -> EventKind:
    if envelope.text("type") != "event_callback" or event.text("type") not in ("message", "app_mention"):
        return EventKind.OTHER
    subtype = event.text("subtype")
    if subtype == "message_changed":  # also sent when a preview or a reply is added: only people's changes are edits
        return EventKind.EDIT if event.inside("message").has("edited") else EventKind.OTHER
    return EventKind.MESSAGE if subtype in _SAID else EventKind.OTHER


def _workspace(envelope: Payload) -> str:
    installed = envelope.objects("authorizations")
    found = installed[0].id("team_id") if installed else ""
    return found or envelope.id("context_team_id") or envelope.id("team_id", needed=True)


def _home(seen: _Seen) -> str:
    """The author's own workspace, where the platform says that it is another than ours; else ours."""
    told, company = seen.told, seen.user.inside("enterprise_user").texts("teams")
    named = [told.id("user_team"), told.id("source_team"), told.id("team")]
    if seen.workspace not in company:  # somebody of our organisation whose first workspace is another
        named.append(seen.user.id("team_id"))
    return next((team for team in named if team not in _ours(seen)), seen.workspace)


def _ours(seen: _Seen) -> set[str]:
    """What names us among workspaces: ours, and the organisation it belongs to."""
    installed = seen.envelope.objects("authorizations")
    return {"", seen.workspace, *(one.id("enterprise_id") for one in installed[:1])}


def _author(seen: _Seen) -> Party:
    id = seen.told.id("user") or seen.told.id("bot_id")
    return party(PLATFORM, _home(seen), id)


def _author_kind(seen: _Seen, agent: SlackAgent) -> AuthorKind:
    told = seen.told
    user, bot, app = told.id("user"), told.id("bot_id"), told.id("app_id")
    profile = told.inside("bot_profile")
    if user == agent.user_id or (bot and bot == agent.bot_id) or agent.app_id in (app, profile.id("app_id")):
        return AuthorKind.SELF
    by_bot = bool(bot or app or profile) or told.text("subtype") == "bot_message" or user == _SLACKBOT
    if by_bot or Fact.YES in (seen.user.flag("is_bot"), seen.user.flag("is_workflow_bot")):
        return AuthorKind.BOT
    return AuthorKind.HUMAN if user else AuthorKind.UNKNOWN


def _chat(seen: _Seen) -> ChatKind:
    told = _KINDS.get(seen.event.text("channel_type"), ChatKind.UNKNOWN)
    looked = ChatKind.UNKNOWN
    if Fact.UNKNOWN not in (one := seen.channel.flag("is_im"), several := seen.channel.flag("is_mpim")):
        looked = ChatKind.DIRECT if (one, several) == (Fact.YES, Fact.NO) else ChatKind.GROUP
    return ChatKind.GROUP if ChatKind.GROUP in (told, looked) else looked if told is ChatKind.UNKNOWN else told


def _shared(seen: _Seen) -> Fact:
    channel, user = seen.channel, seen.user
    flagged, abroad = seen.envelope.flag("is_ext_shared_channel"), channel.flag("is_ext_shared")
    guest = [user.flag(key) for key in ("is_restricted", "is_ultra_restricted")]
    signs = [flagged, abroad, *guest, user.flag("is_stranger")]
    signs += [channel.flag("is_org_shared"), channel.flag("is_pending_ext_shared")]
    teams = {*channel.texts("connected_team_ids"), channel.id("conversation_host_id"), _home(seen)}
    if Fact.YES in signs or teams - _ours(seen):
        return Fact.YES
    ours = guest == [Fact.NO, Fact.NO] and seen.user.has("team_id")
    return Fact.NO if Fact.NO in (flagged, abroad) and ours else Fact.UNKNOWN


def _deleted(event: Payload) -> str | None:
    """What a deletion takes away."""
    if _known(event, "subtype") != "message_deleted":
        return None
    found = event.raw.get("deleted_ts")
    return str(found) if is_ts(found) else None


# --- what a message says ---------------------------------------------------------------------------------------------


def _words(seen: _Seen, own: str) -> dict[str, Any]:
    told, before = seen.told, len(seen.envelope.malformed)
    text, thread = told.text("text"), _ts(told, "thread_ts")
    said = in_blocks(told.objects("blocks")) or in_text(text)
    unclear = len(seen.envelope.malformed) > before
    return {
        "text": said.live,
        "body": body_of(text, own),
        "mentions_agent": Fact.UNKNOWN if unclear else _fact(own in said.mentioned),
        "mentions_other": Fact.UNKNOWN if unclear else _fact(bool(said.mentioned - {own})),
        "command": _command(said, own),
        "attachments": len(told.objects("files")),
        "thread": thread if thread and thread != told.raw.get("ts") else None,
    }


def _command(said: Said, own: str) -> Command | None:
    found = _COMMAND.match(said.live) if said.called == own else None
    return Command(found[1].lower(), said.live[found.end() :].strip(), Fact.YES) if found else None


def _slash(form: Payload, agent: SlackAgent, received_at: int, authenticated: Fact) -> Event:
    """A slash command of our app, as its request URL gets it: a form, decoded to an object.

    Its `channel_name` may say `directmessage` of a place between two other people, so that it is never a one-to-one.
    """
    workspace, channel = form.id("team_id", needed=True), form.id("channel_id", needed=True)
    name, argument, trigger = form.text("command"), form.text("text"), form.id("trigger_id", needed=True)
    app, user = form.id("api_app_id"), form.id("user_id", needed=True)
    if (app and app != agent.app_id) or not name.startswith("/"):
        form.wrong("api_app_id" if name.startswith("/") else "command")
    return Event(
        kind=EventKind.MESSAGE,
        target=target(PLATFORM, workspace, channel),
        event_id=trigger,
        dedupe_key="\n".join((app or agent.app_id, workspace, channel, trigger)),
        received_at=received_at,
        authenticated=authenticated,
        author=party(PLATFORM, workspace, user),
        author_kind=AuthorKind.HUMAN if user else AuthorKind.UNKNOWN,
        command=Command(name[1:], argument, Fact.YES),
        text=f"{name} {argument}".strip(),
        body=f"{name} {argument}".strip(),
        malformed=form.malformed,
    )


def _ts(payload: Payload, key: str = "ts", *, needed: bool = False) -> str:
    """A message's `ts`, or an empty text; one of another form is malformed."""
    value = payload.raw.get(key)
    if is_ts(value):
        return str(value)
    if needed or value is not None:
        payload.wrong(key)
    return ""


def _known(payload: Payload, key: str) -> str:
    """A text of an event that is no message: whatever else stands there is of no interest."""
    value = payload.raw.get(key)
    return str(value) if well_formed(value) else ""


def _about(looked: Payload, id: object) -> bool:
    return bool(looked) and type(id) is str and looked.raw.get("id") == id


def _fact(holds: bool) -> Fact:
    return Fact.YES if holds else Fact.NO
