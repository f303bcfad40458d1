"""What does this IRC line say? `{"line": "@tags :source PRIVMSG target :text"}` and the known place in, `Event` out.

1. The target is irc / our account `@` the network / the channel's name, folded by the network's case mapping; or for a
   message to our own nick the services account of who wrote it. A nick is nobody's: without an account there is none.
2. Who wrote it is the `account` tag, which the server sets and takes from nobody. Without one the author is nobody, of
   unknown kind: he is treated like a bot, and nothing that he says is answered.
3. Only a PRIVMSG to a channel or to us is a message. A NOTICE is never answered; CTCP, messages to the operators of a
   channel alone, and all other commands are `OTHER`. An ACTION is told about somebody, and addresses nobody.
4. IRC has no marks for mentions: one is our nick at the very start of the live text, followed by `:` or `,`.
5. A reply (`+reply`) is a claim; it counts when the message it names is one whose author is known.
6. A bot is who has the server's `bot` tag, or whom the operator listed.
7. `time` only ever makes older; a message of a playback is as old as it says. `msgid` names a message and its copies.
8. What is missing is unknown, what is malformed is named so. Nothing here raises, whatever the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dragoman.channels.irc.line import Line, folded, parsed
from dragoman.channels.irc.live import addressee, command, live_text, same
from dragoman.channels.irc.state import IrcAgent, IrcPlace, Member
from dragoman.channels.payload import Payload
from dragoman.clock import parse_rfc3339
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.identity import party, target, well_formed
from dragoman.words import Fact

PLATFORM: Final = "irc"
BOT_TAGS: Final = frozenset({"bot", "draft/bot", "inspircd.org/bot"})
_REPLIES: Final = ("+reply", "+draft/reply")
_IDS: Final = ("msgid", "draft/msgid")
_CTCP: Final = "\x01"
_ACTION: Final = "\x01ACTION "


def facts(
    raw: Mapping[str, Any], agent: IrcAgent, place: IrcPlace | None, *, received_at: int, authenticated: Fact
) -> Event:
    """The facts of one line that our server sent us (spec 1 §2, §3; never raises)."""
    payload = Payload(raw)
    line = parsed(payload.text("line"))
    if line is None:
        payload.wrong("line")
    return _Reading(line or Line("?"), agent, place or IrcPlace(), payload).event(received_at, authenticated)


class _Reading:
    """One line being read."""

    def __init__(self, line: Line, agent: IrcAgent, place: IrcPlace, payload: Payload) -> None:
        self.line, self.agent, self.place, self.payload = line, agent, place, payload
        self.mapping = place.casemapping
        self.account = self._account()
        self.own = same(line.nick, place.nick, self.mapping) or self.account == agent.account
        self.account = agent.account if self.own else self.account
        self.in_channel = line.target[:1] in tuple(place.chantypes) and bool(line.target)
        self.to_us = same(line.target, place.nick, self.mapping)
        self.action = line.text.startswith(_ACTION)
        self.body = line.text.removeprefix(_ACTION).strip(_CTCP) if self.action else line.text

    def event(self, received_at: int, authenticated: Fact) -> Event:
        """All of it."""
        channel = folded(self.line.target, self.mapping) if self.in_channel else self.account if self.to_us else ""
        kind = self._kind()
        id = next((self.line.tags[key] for key in _IDS if self.line.tags.get(key)), "")
        event_id = id or self.place.serial
        if kind is EventKind.MESSAGE and not well_formed(event_id):
            self.payload.wrong("msgid")
        return Event(
            kind=kind,
            target=target(PLATFORM, self.agent.workspace, channel),
            event_id=event_id,
            dedupe_key=f"{channel}\n{'id' if id else 'line'} {event_id}",
            received_at=received_at,
            sent_at=self._sent_at(received_at),
            authenticated=authenticated,
            author=party(PLATFORM, self.agent.workspace, self.account),
            author_kind=self._author_kind(),
            chat=self._chat(),
            shared=self._shared(),
            other_bots=self._other_bots(),
            body=self.body,
            **(self._told() if kind is EventKind.MESSAGE else {}),
            malformed=self.payload.malformed,
        )

    def _account(self) -> str:
        """The services account of the source; `*` and `!service` are none of a person."""
        found = self.line.tags.get("account", "")
        if not self.line.nick or not found or found[0] in "*!":
            return ""
        if not well_formed(found):
            self.payload.wrong("account")
            return ""
        return found

    def _kind(self) -> EventKind:
        line = self.line
        plain = self.action or _CTCP not in line.text
        here = self.in_channel or self.to_us
        said = line.command == "PRIVMSG" and len(line.params) == 2 and bool(line.text)
        return EventKind.MESSAGE if said and plain and here and line.nick else EventKind.OTHER

    def _author_kind(self) -> AuthorKind:
        if self.own:
            return AuthorKind.SELF
        if BOT_TAGS & self.line.tags.keys() or self.account in self.agent.bots:
            return AuthorKind.BOT
        return AuthorKind.HUMAN if self.account else AuthorKind.UNKNOWN

    def _chat(self) -> ChatKind:
        if self.in_channel:
            return ChatKind.GROUP
        return ChatKind.DIRECT if self.to_us and self.account else ChatKind.UNKNOWN

    def _shared(self) -> Fact:
        if self.in_channel:
            return strangers(self.place.members, self.agent)
        return Fact.UNKNOWN if not self.account else Fact.NO if self.account in self.agent.colleagues else Fact.YES

    def _other_bots(self) -> Fact:
        if not self.in_channel:
            return Fact.NO if self.account not in self.agent.bots else Fact.YES
        others = [each for each in self.place.members or () if not same(each.nick, self.place.nick, self.mapping)]
        if any(each.bot or each.account in self.agent.bots for each in others):
            return Fact.YES
        return Fact.UNKNOWN if self.place.members is None else Fact.NO

    def _sent_at(self, received_at: int) -> int:
        stamp = self.line.tags.get("time")
        if not stamp:
            return received_at
        try:
            return max(0, min(parse_rfc3339(stamp), received_at))
        except ValueError:
            self.payload.wrong("time")
            return received_at

    def _told(self) -> dict[str, Any]:
        live = live_text(self.body)
        name, rest = ("", live) if self.action else addressee(live)
        ours = same(name, self.place.nick, self.mapping)
        nicks = [each.nick for each in self.place.members or ()]
        other = self.in_channel and not ours and any(same(name, nick, self.mapping) for nick in nicks)
        found = command(rest) if ours else None
        return {
            "mentions_agent": Fact.YES if ours else Fact.NO,
            "mentions_other": Fact.YES if other else Fact.NO,
            "reply_to": self._reply_to(),
            "text": rest if ours else live,
            "command": Command(*found, Fact.YES) if found else None,
        }

    def _reply_to(self) -> ReplyTo:
        named = [self.line.tags[key] for key in _REPLIES if key in self.line.tags]
        if not named:
            return ReplyTo.NOBODY
        author = self.place.authors.get(named[0])
        if not author:
            return ReplyTo.UNKNOWN
        return ReplyTo.AGENT if author == self.agent.account else ReplyTo.OTHER


def replied(line: Line) -> str:
    """The id of the message that a line says it answers."""
    return next((line.tags[key] for key in _REPLIES if key in line.tags), "")


def strangers(members: tuple[Member, ...] | None, agent: IrcAgent) -> Fact:
    """Whether anybody but us and our colleagues is in a channel; unknown as soon as one cannot be told."""
    if members is None:
        return Fact.UNKNOWN
    ours = agent.colleagues | {agent.account}
    if any(each.account is not None and each.account not in ours for each in members):
        return Fact.YES
    return Fact.NO if members and all(each.account for each in members) else Fact.UNKNOWN
