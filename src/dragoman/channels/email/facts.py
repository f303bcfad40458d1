"""What does this mail say? The bytes of one RFC 5322 message in, `Event` out.

`raw` is `mail` (the message as text) or `mail_base64` (its bytes), and what our own server knows of it: `uid_validity`,
`uid`, and `arrived_at`, when it took the mail, in epoch ms.

1. The workspace is our mailbox; the channel is everybody else in From, To, Cc and Reply-To (`addresses.channel_of`).
   Whoever is added, left out or only named in Reply-To makes another channel. The thread is that of `References`: a
   claim, by which nobody comes to hear anything.
2. The author is the one address of the one `From`; two, none, or one that is not exact is nobody. He is proven only by
   our own server's `Authentication-Results` (`proof`), on a connection that is proven itself.
3. We are asked by standing in `To`: never by Cc, by a blind copy, or by a name in the text. Somebody else in `To` is
   asked too. An answer to us is one whose `In-Reply-To` is a message id that we issued.
4. One-to-one: we stand in `To`, and exactly one other address, the author's, stands anywhere. There standing in `To`
   says no more than that: it is no mention, so that a mere "thanks" asks for nothing.
5. What a machine says of itself makes a bot: RFC 3834, lists, bulk. A report, and a mail with an empty return path, is
   no message at all, so that no grant ever lets it be answered.
6. Everybody outside of our own domains makes the channel shared.
7. A copy is known by author and message id, or without one by its place in the mailbox. What is not proven is a copy of
   nothing that is: a forged mail that comes first does not take the place of the real one.
8. What is missing is unknown, what has the wrong form is named in `malformed`. Nothing here raises.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import msgspec

from dragoman.channels.email.addresses import Addresses, People, addresses, channel_of, domain_of, of_another
from dragoman.channels.email.live import live_text
from dragoman.channels.email.mime import Mail, read
from dragoman.channels.email.proof import proven
from dragoman.channels.email.state import EmailAgent, issued
from dragoman.channels.payload import Payload
from dragoman.clock import SECOND
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind, ReplyTo
from dragoman.identity import party, target
from dragoman.words import Fact

PLATFORM: Final = "email"
ID_LIMIT: Final = 400
"""Characters of a message id."""
_ID: Final = re.compile(r"<[!-;=?-~]{1,398}>")
_PEOPLE: Final = ("from", "to", "cc", "reply-to")
_ONCE: Final = frozenset({*_PEOPLE, "message-id", "in-reply-to", "references", "date"})
"""Header fields that a mail may have once (RFC 5322 §3.6)."""
_SILENT: Final = ("auto-submitted", "precedence", "x-auto-response-suppress", "x-autoreply", "x-autorespond")


def facts(raw: Mapping[str, Any], agent: EmailAgent, *, received_at: int, authenticated: Fact) -> Event:
    """The facts of one mail (spec 1 §2, §3; never raises)."""
    payload = Payload(raw)
    mail = read(_bytes(payload))
    named = {name: _named(mail, name) for name in _PEOPLE}
    bad = [*payload.malformed, *_malformed(mail, named)]
    author = named["from"].found[0] if len(named["from"].found) == 1 and not named["from"].spoilt else ""
    people = _people(named, author, agent)
    id, place = _id_of(mail), _place(payload)
    sent_at = payload.whole("arrived_at") if payload.has("arrived_at") else _date(mail)
    bad += [name for name, value in (("message-id", id or place), ("date", sent_at)) if not value]
    proof = _proven(mail, author, agent, authenticated)
    known, chat = bool(people.written_to), _chat(named, people, author, agent)
    shared = Fact.YES if of_another(people.all, agent.domains) else Fact.UNKNOWN if _hidden(named) else Fact.NO
    return Event(
        kind=EventKind.OTHER if _report(mail) else EventKind.MESSAGE,
        target=target(PLATFORM, agent.mailbox, channel_of(people)),
        event_id=id or place,
        dedupe_key=f"{author}\n{id or place}" + ("\nunproven" if proof is Fact.NO else ""),
        received_at=received_at,
        sent_at=sent_at,
        authenticated=proof,
        author=party(PLATFORM, agent.mailbox, author),
        author_kind=_author_kind(author, mail, agent),
        chat=chat,
        shared=shared if known else Fact.UNKNOWN,
        other_bots=_yes(bool(agent.bots.intersection(people.all))) if known else Fact.UNKNOWN,
        text=live_text(mail.text),
        body=mail.text,
        attachments=mail.attachments,
        thread=root_of(mail) or None,
        malformed=tuple(dict.fromkeys((*bad, *payload.malformed))),
        **_asked(named, mail, agent, chat),
    )


def root_of(mail: Mail) -> str:
    """The message id that its thread began with, as far as the mail says; else its own."""
    found = _ID.findall(mail.one("references")[:65_536]) or _ID.findall(mail.one("in-reply-to")[:1_000])
    return (found[0] if found else "") or _id_of(mail)


def encoded(mail: bytes, **known: int) -> bytes:
    """What `facts` reads, of the bytes of a mail."""
    try:
        raw: dict[str, Any] = {"mail": mail.decode()}
    except UnicodeDecodeError:
        raw = {"mail_base64": base64.b64encode(mail).decode("ascii")}
    return msgspec.json.encode(raw | known)


# --- who --------------------------------------------------------------------------------------------------------------


def _named(mail: Mail, name: str) -> Addresses:
    """The addresses of a header that may stand there once."""
    values = mail.all(name)
    return addresses(values[0]) if len(values) == 1 else Addresses(spoilt=bool(values))


def _people(named: Mapping[str, Addresses], author: str, agent: EmailAgent) -> People:
    """Everybody but us; nobody when any of it cannot be read."""
    if not author or any(each.spoilt for each in named.values()):
        return People(())
    written_to = {author, *named["to"].found, *named["cc"].found} - agent.own
    heard_by = set(named["reply-to"].found) - agent.own - written_to
    return People(tuple(sorted(written_to)), tuple(sorted(heard_by)))


def _malformed(mail: Mail, named: Mapping[str, Addresses]) -> list[str]:
    found = [name for name, each in named.items() if each.spoilt]
    found += [name for name in sorted(_ONCE) if len(mail.all(name)) > 1]
    if len(named["from"].found) != 1:
        found.append("from")
    return found if mail.readable else ["mail"]


def _proven(mail: Mail, author: str, agent: EmailAgent, connection: Fact) -> Fact:
    if connection is not Fact.YES:
        return connection
    return proven(mail.all("authentication-results"), domain_of(author), agent.authserv_id)


def _author_kind(author: str, mail: Mail, agent: EmailAgent) -> AuthorKind:
    if not author:
        return AuthorKind.UNKNOWN
    if author in agent.own:
        return AuthorKind.SELF
    return AuthorKind.BOT if author in agent.bots or _automatic(mail) else AuthorKind.HUMAN


def _automatic(mail: Mail) -> bool:
    """Whether the mail says that nobody wrote it to anybody (RFC 3834 §2, §5; RFC 2369; RFC 2919)."""
    submitted, precedence, suppress, *replies = [
        [value.partition(";")[0].strip().lower() for value in mail.all(name)] for name in _SILENT
    ]
    return (
        any(value != "no" for value in submitted)
        or any(value in ("bulk", "list", "junk", "auto_reply") for value in precedence)
        or any(value not in ("none", "") for value in suppress)
        or any(replies)
        or any(name.startswith("list-") for name, _ in mail.headers)
        or _report(mail)
    )


def _report(mail: Mail) -> bool:
    """Whether this tells what became of a mail, or wants no answer to come back to anybody."""
    returns = mail.all("return-path")
    return mail.content_type == "multipart/report" or any(value.strip() == "<>" for value in returns)


def _hidden(named: Mapping[str, Addresses]) -> bool:
    return any(each.hidden for each in named.values())


def _chat(named: Mapping[str, Addresses], people: People, author: str, agent: EmailAgent) -> ChatKind:
    if not people.written_to:
        return ChatKind.UNKNOWN
    alone = people.all == (author,) and not agent.bots.intersection(people.all)
    to_us = bool(agent.own.intersection(named["to"].found)) and not _hidden(named)
    return ChatKind.DIRECT if alone and to_us else ChatKind.GROUP


# --- what -------------------------------------------------------------------------------------------------------------


def _asked(named: Mapping[str, Addresses], mail: Mail, agent: EmailAgent, chat: ChatKind) -> dict[str, Any]:
    """Whom the mail is for: the facts by those names."""
    to, answered = named["to"], _ID.findall(mail.one("in-reply-to")[:1_000])
    reply = ReplyTo.NOBODY if not mail.all("in-reply-to") else ReplyTo.UNKNOWN
    if len(answered) == 1:
        reply = ReplyTo.AGENT if issued(answered[0], agent) else ReplyTo.OTHER
    if to.spoilt:
        return {"mentions_agent": Fact.UNKNOWN, "mentions_other": Fact.UNKNOWN, "reply_to": reply}
    return {
        "mentions_agent": _yes(chat is not ChatKind.DIRECT and bool(agent.own.intersection(to.found))),
        "mentions_other": _yes(bool(set(to.found) - agent.own)),
        "reply_to": reply,
    }


def _yes(true: bool) -> Fact:
    return Fact.YES if true else Fact.NO


def _id_of(mail: Mail) -> str:
    found = _ID.fullmatch(mail.one("message-id"))
    return found[0] if found else ""


def _place(payload: Payload) -> str:
    """The mail's place in the mailbox, as an id."""
    validity, uid = payload.whole("uid_validity"), payload.whole("uid")
    return f"uid:{validity}:{uid}" if validity is not None and uid is not None else ""


def _date(mail: Mail) -> int | None:
    """The time that its author claims."""
    try:
        found = parsedate_to_datetime(mail.one("date")[:100])
        found = found if found.tzinfo else found.replace(tzinfo=UTC)
        return max(0, int((found - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()) * SECOND)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _bytes(payload: Payload) -> bytes:
    if payload.has("mail"):
        return payload.text("mail").encode()
    try:
        return base64.b64decode(payload.text("mail_base64"), validate=True)
    except (binascii.Error, ValueError):
        payload.wrong("mail_base64")
        return b""
