"""What does this XMPP stanza say? `{"xml": "<message ...>"}` and the known place in, `Event` out.

1. The target is xmpp / our own bare JID / the other's bare JID, the room's, or for a private message inside a room the
   occupant's full address: an occupant is never a one-to-one, and nothing is ever sent to one.
2. A message has a body, is of type chat, normal or groupchat, and (groupchat) comes from an occupant of a room that we
   are in. Errors, headlines, invitations, what is encrypted, what the room itself says: `OTHER`.
3. A carbon copy counts only from our own bare JID; from anybody else it is forged, and nothing of it is authentic.
4. Who wrote it: one-to-one the bare JID that our server stamped. In a room the real JID that the room showed, else its
   occupant-id (`room:id`, if the room announces them), else a name for this one stay that no policy can hold
   (`?room/nick#stay`): a nick is free to whoever comes next.
5. Ids of messages: the `stanza-id` of our own server, or of the room, if it announces them; else the sender's own id,
   which in a room is no name that could be answered.
6. A mention is a reference (XEP-0372) to our JID or our occupant address where the text is live. Only if the operator
   says so, and the message has no reference at all, a line that begins with our nick and `:` or `,` is one.
7. A command is directed at us when it directly follows our mention at the start of the live text (`desk: /stop`).
8. A reply (XEP-0461) counts when its id is one whose author is known. A correction (XEP-0308) is an edit only if it is
   known to be the same sender's, else `OTHER`; so is a retraction, and only the same author's deletes.
9. A delay stamp only ever makes older. XMPP has no mark for bots: one is whom the operator listed.
10. What is missing is unknown, what is malformed is named so. Nothing here raises, whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from dragoman.channels.payload import Payload
from dragoman.channels.xmpp import stanza as x
from dragoman.channels.xmpp.live import Span, addressed, hidden, is_live, live_text
from dragoman.channels.xmpp.state import (
    Occupant,
    XmppAgent,
    XmppPlace,
    domain,
    identity,
    is_bare,
    of_another_server,
    split,
)
from dragoman.clock import parse_rfc3339
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.identity import party, target, well_formed
from dragoman.words import Fact

PLATFORM: Final = "xmpp"
_TYPES: Final = frozenset({"", "normal", "chat", "groupchat"})
_COMMAND: Final = re.compile(r"[/!]([A-Za-z][A-Za-z0-9_-]{0,31})(?!\S)")
_MOST: Final = 200
"""References and fallbacks that are read; more are malformed."""


def facts(
    raw: Mapping[str, Any], agent: XmppAgent, place: XmppPlace | None, *, received_at: int, authenticated: Fact
) -> Event:
    """The facts of one stanza that our server handed us (spec 1 §2, §3; never raises)."""
    payload = Payload(raw)
    outer = x.parsed(payload.text("xml"))
    if not x.is_message(outer) or outer is None:
        payload.wrong("xml")
        outer = Element(f"{{{x.CLIENT}}}message")
    message, forged = _unwrapped(outer, agent)
    reading = _Reading(message, agent, place or XmppPlace(), payload)
    return reading.event(received_at, Fact.NO if forged else authenticated)


def _unwrapped(outer: Element, agent: XmppAgent) -> tuple[Element, bool]:
    """The message inside a carbon copy, and whether the copy is forged; without one the message itself."""
    wrapper = x.first(outer, x.CARBONS, "received")
    wrapper = x.first(outer, x.CARBONS, "sent") if wrapper is None else wrapper
    if wrapper is None:
        return outer, False
    inner = x.first(x.first(wrapper, x.FORWARD, "forwarded"), x.CLIENT, "message")
    if outer.get("from") != agent.jid or inner is None:
        return outer, True
    return inner, False


class _Reading:
    """One message being read."""

    def __init__(self, message: Element, agent: XmppAgent, place: XmppPlace, payload: Payload) -> None:
        self.message, self.agent, self.place, self.payload = message, agent, place, payload
        self.bare, self.resource = split(message.get("from", ""))
        if not is_bare(self.bare) or (self.resource and not well_formed(self.resource)):
            payload.wrong("from")
            self.bare = self.resource = ""
        if (to := message.get("to")) is not None and split(to)[0] not in (agent.jid, self.bare):
            payload.wrong("to")
        self.type = message.get("type", "")
        self.in_room = self.type == "groupchat"
        self.private = not self.in_room and self._of_a_room()
        self.member = self._occupant()
        self.author = self._author()
        bodies = list(x.named(message, x.CLIENT, "body"))
        if len(bodies) > 1:
            payload.wrong("body")
        self.body = (bodies[0].text or "") if len(bodies) == 1 else ""
        if len(list(message)) > _MOST:
            payload.wrong("xml")
        self.mask = hidden(self.body, self._fallbacks())

    def event(self, received_at: int, authenticated: Fact) -> Event:
        """All of it."""
        kind = self._kind()
        channel = f"{self.bare}/{self.resource}" if self.private and self.resource else self.bare
        event_id, copy = self._ids(channel, kind)
        told = self._told() if kind in (EventKind.MESSAGE, EventKind.EDIT) else {}
        sent_at = self._sent_at(received_at)
        return Event(
            kind=kind,
            target=target(PLATFORM, self.agent.jid, channel),
            event_id=event_id,
            dedupe_key=f"{channel}\n{copy}",
            received_at=received_at,
            sent_at=sent_at,
            authenticated=authenticated,
            author=party(PLATFORM, self.agent.jid, self.author),
            author_kind=self._author_kind(),
            chat=self._chat(),
            shared=self._shared(),
            other_bots=self._other_bots(),
            deletes=self._deletes(),
            body=self.body,
            **told,
            malformed=self.payload.malformed,
        )

    # --- who and where -----------------------------------------------------------------------------------------------

    def _of_a_room(self) -> bool:
        """Whether a message that is not of type groupchat comes from a room, or by a room."""
        inside = self.bare in self.agent.rooms or domain(self.bare) in self.agent.services
        return inside or x.first(self.message, x.MUC_USER, "x") is not None

    def _occupant(self) -> Occupant | None:
        """Who in the room wrote it, as the room shows him: by his occupant-id, or (live only) by his nick."""
        if not (self.in_room or self.private):
            return None
        stamped = self._occupant_id()
        for each in self.place.occupants or ():
            if stamped and each.occupant_id == stamped:
                return each
            if not stamped and not self._delayed() and each.nick == self.resource:
                return each
        return Occupant(nick="", occupant_id=stamped) if stamped else None

    def _occupant_id(self) -> str:
        found = x.first(self.message, x.OCCUPANT_ID, "occupant-id")
        if found is None or not self.place.occupant_ids:
            return ""
        if x.doubled(self.message, x.OCCUPANT_ID, "occupant-id") or not well_formed(found.get("id")):
            self.payload.wrong("occupant-id")
            return ""
        return found.get("id", "")

    def _author(self) -> str:
        if not (self.in_room or self.private):
            return self.bare
        if self._mine():
            return self.agent.jid
        return identity(self.bare, self.member) if self.member else ""

    def _mine(self) -> bool:
        nick = self.place.nick or self.agent.rooms.get(self.bare, "")
        return bool(nick) and self.resource == nick

    def _author_kind(self) -> AuthorKind:
        if not self.bare:
            return AuthorKind.UNKNOWN
        if self.author == self.agent.jid:
            return AuthorKind.SELF
        return AuthorKind.BOT if self.author in self.agent.bots else AuthorKind.HUMAN

    def _chat(self) -> ChatKind:
        if not self.bare:
            return ChatKind.UNKNOWN
        return ChatKind.GROUP if self.in_room or self.private else ChatKind.DIRECT

    def _shared(self) -> Fact:
        """Whether somebody of another server is there; a room is known only if it shows everybody's real JID."""
        if not self.bare:
            return Fact.UNKNOWN
        if not (self.in_room or self.private):
            return Fact.NO if domain(self.bare) == domain(self.agent.jid) else Fact.YES
        return of_another_server(self.place.occupants, self.agent.jid)

    def _other_bots(self) -> Fact:
        if not (self.in_room or self.private):
            return Fact.YES if self.bare in self.agent.bots else Fact.NO
        ids = [identity(self.bare, each) for each in self.place.occupants or ()]
        if set(ids) & self.agent.bots:
            return Fact.YES
        return Fact.NO if ids and all(ids) else Fact.UNKNOWN

    # --- what kind, which id, when -----------------------------------------------------------------------------------

    def _kind(self) -> EventKind:
        message = self.message
        sealed = any(child.tag.startswith(f"{{{each}}}") for child in message for each in x.ENCRYPTED)
        from_room = self.in_room and (self.bare not in self.agent.rooms or not self.resource)
        from_room |= self.private and not self.resource
        if not self.body or self.type not in _TYPES or sealed or from_room:
            return EventKind.OTHER
        if self._retracted() is not None:
            return EventKind.OTHER
        if x.first(message, x.CORRECTS, "replace") is None:
            return EventKind.MESSAGE
        return EventKind.EDIT if self.place.corrects else EventKind.OTHER

    def _ids(self, channel: str, kind: EventKind) -> tuple[str, str]:
        """The id that a reply would name, and what copies have in common."""
        own = self.message.get("id", "")
        stamp = self._stamp()
        if not stamp and not well_formed(own) and kind is not EventKind.OTHER:
            self.payload.wrong("id")
        if self.in_room:
            return stamp or own, f"stamp {stamp}" if stamp else f"{self.resource}\n{own}"
        return own or stamp, f"stamp {stamp}" if stamp else f"id {own}"

    def _stamp(self) -> str:
        """The id that the room, or our own server, gave."""
        by = self.bare if self.in_room else self.agent.jid
        if by not in self.place.stamps:
            return ""
        found = [each for each in x.named(self.message, x.SID, "stanza-id") if each.get("by") == by]
        if len(found) > 1 or (found and not well_formed(found[0].get("id"))):
            self.payload.wrong("stanza-id")
            return ""
        return found[0].get("id", "") if found else ""

    def _delayed(self) -> bool:
        return x.first(self.message, x.DELAY, "delay") is not None

    def _sent_at(self, received_at: int) -> int:
        oldest = received_at
        for delay in x.named(self.message, x.DELAY, "delay"):
            try:
                oldest = min(oldest, parse_rfc3339(delay.get("stamp", "")))
            except ValueError:
                self.payload.wrong("delay")
        return max(oldest, 0)

    def _retracted(self) -> str | None:
        """The id that a retraction names, in its present form or in its first one; None for no retraction."""
        found = x.first(self.message, x.RETRACT, "retract")
        if found is None and x.first(x.first(self.message, x.FASTEN, "apply-to"), x.RETRACT_0, "retract") is not None:
            found = x.first(self.message, x.FASTEN, "apply-to")
        return None if found is None else found.get("id", "")

    def _deletes(self) -> str | None:
        """What a retraction takes away: only its own author's message."""
        id = self._retracted()
        return id if well_formed(id) and self.author and self.place.authors.get(str(id)) == self.author else None

    # --- what it says ------------------------------------------------------------------------------------------------

    def _told(self) -> dict[str, Any]:
        own, other, spans, any_reference = self._references()
        nick = self.place.nick or self.agent.rooms.get(self.bare, "")
        by_nick = self.agent.nick_is_mention and self.in_room and not any_reference
        live = live_text(self.body, self.mask, spans)
        first = any(not live_text(self.body[:start], self.mask[:start]) for start, _ in spans)
        if by_nick:
            own = first = addressed(live, nick)
            nicks = (each.nick for each in self.place.occupants or () if each.nick != nick)
            other = other or any(addressed(live, each) for each in nicks)
        if own:
            live = live_text(self.body, self.mask, spans, nick)
        attached = sum(1 for _ in x.named(self.message, x.OOB, "x"))
        links = {self._url(each) for each in x.named(self.message, x.OOB, "x")}
        return {
            "mentions_agent": Fact.YES if own else Fact.NO,
            "mentions_other": Fact.YES if other else Fact.NO,
            "reply_to": self._reply_to(),
            "text": "" if live in links else live,
            "attachments": attached,
            "command": _command(live) if own and first else None,
        }

    def _references(self) -> tuple[bool, bool, list[Span], bool]:
        """Whether we, and others, are mentioned; where we are; whether anybody is, anywhere in the message."""
        own, other, anybody, spans = False, False, False, []
        mine = {self.agent.jid, f"{self.bare}/{self.place.nick or self.agent.rooms.get(self.bare, '')}"}
        for each in x.named(self.message, x.REFERENCE, "reference"):
            if each.get("type") != "mention" or each.get("anchor") is not None:
                continue
            anybody = True
            span = self._span(each, "begin", "end", "reference")
            if span is not None and not is_live(self.mask, span):
                continue
            uri = each.get("uri", "")
            named = unquote(uri.removeprefix("xmpp:").partition("?")[0]) if uri.startswith("xmpp:") else ""
            if named in mine:
                own = True
                spans += [span] if span else []
            elif named and split(named)[0] != self.agent.jid:
                other = True
        return own, other, spans, anybody

    def _fallbacks(self) -> list[Span]:
        """What the message itself calls a stand-in for clients that do not know its payloads: a part, or all of it."""
        spans: list[Span] = []
        for each in (each for space in x.FALLBACKS for each in x.named(self.message, space, "fallback")):
            parts = list(x.named(each, each.tag[1:].partition("}")[0], "body"))
            found = [self._span(part, "start", "end", "fallback") or (0, len(self.body)) for part in parts]
            spans += found or [(0, len(self.body))]
        return spans

    def _span(self, element: Element, start: str, end: str, what: str) -> Span | None:
        """A range of characters, or None where none is given."""
        texts = (element.get(start), element.get(end))
        if texts == (None, None):
            return None
        numbers = [int(text) for text in texts if text and len(text) < 9 and text.isascii() and text.isdigit()]
        if len(numbers) != 2 or numbers[0] > numbers[1]:
            self.payload.wrong(what)
            return (0, 0)
        return numbers[0], numbers[1]

    def _reply_to(self) -> ReplyTo:
        found = x.first(self.message, x.REPLY, "reply")
        if found is None:
            return ReplyTo.NOBODY
        if x.doubled(self.message, x.REPLY, "reply") or not well_formed(found.get("id")):
            self.payload.wrong("reply")
            return ReplyTo.UNKNOWN
        author = self.place.authors.get(found.get("id", ""))
        if not author:
            return ReplyTo.UNKNOWN
        return ReplyTo.AGENT if author == self.agent.jid else ReplyTo.OTHER

    def _url(self, oob: Element) -> str:
        found = x.first(oob, x.OOB, "url")
        return (found.text or "") if found is not None else ""


def _command(live: str) -> Command | None:
    """The command that a text begins with which was said to us."""
    found = _COMMAND.match(live)
    return None if found is None else Command(found[1].lower(), live[found.end() :].strip(), Fact.YES)
