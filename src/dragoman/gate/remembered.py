"""What is kept of an event so that it can be decided once more, and how it is read back (spec 1 §9). Pure.

1. Kinds, booleans, counts and ages; no text, no name and no id in clear. What a new policy must be able to compare
   (the quoted grant, the grants that were spent, a command's name, the first sign of the text, the names and prefixes
   that the text was read with) goes into `named`: the journal keeps keyed pseudonyms of it.
2. Reading back never guesses. What the record does not say, or says only under names or prefixes that have changed
   since, is `NotReplayable`, with why.
3. Whoever adds an input to `weigh` adds it here; the property over random events and policies fails until then.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypeVar

import msgspec

from dragoman.gate.asked import Standing, Substance
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.gate.live_text import leading_name
from dragoman.gate.policy import Policy
from dragoman.gate.ports import SeenState
from dragoman.gate.said import LiveText
from dragoman.gate.weigh import CONTROL_COMMANDS
from dragoman.grants import Spent
from dragoman.identity import Party, Target
from dragoman.words import Fact

Kind = TypeVar("Kind", bound=StrEnum)

GRANTS: Final = 16
"""How many grants of one target are remembered with what was spent of them."""


class NotReplayable(Exception):
    """A record does not hold what a decision under this policy would have to know; `args[0]` is why."""


class Names(msgspec.Struct, frozen=True):
    """The pseudonyms that a record's words are compared with: of the policy that is replayed."""

    names: str
    prefixes: str
    signs: frozenset[str]
    """Of the first characters of all prefixes."""


def remembered(event: Event, policy: Policy, standing: Standing) -> tuple[dict[str, str], dict[str, str]]:
    """What is kept of one event: facts as they are, and what becomes a pseudonym, by the same keys."""
    facts: dict[str, str] = {
        "kind": event.kind,
        "authenticated": event.authenticated,
        "author_kind": event.author_kind,
        "chat": event.chat,
        "shared": event.shared,
        "other_bots": event.other_bots,
        "mentions_agent": event.mentions_agent,
        "mentions_other": event.mentions_other,
        "reply_to": event.reply_to,
        "edit_marks": _yes(event.edit_marks_mentions),
        "identified": _yes(bool(event.dedupe_key and event.event_id)),
        "attachments": str(event.attachments),
        "album": _yes(event.album is not None),
        "thread": _yes(event.thread is not None),
        "malformed": " ".join(event.malformed),
        "age": str(standing.now - (event.received_at if event.sent_at is None else event.sent_at)),
        "seen": standing.seen,
        "paused": _yes(standing.paused),
        "burst_open": _yes(standing.burst_open),
    }
    if standing.colleague_at is not None:
        facts["colleague_age"] = str(standing.now - standing.colleague_at)
    named: dict[str, str] = {}
    if event.grant_id is not None:
        named["grant"] = grant_name(event.grant_id)
    if len(standing.spent) > GRANTS:
        facts["grants_cut"] = "yes"
    for number, (grant_id, spent) in enumerate(sorted(standing.spent.items())[:GRANTS]):
        named[f"grant_{number}"] = grant_name(grant_id)
        facts[f"spent_{number}"] = f"{spent.total} {spent.on_target} {spent.today}"
    try:
        words, word_names = _words(event, policy)
    except Exception:  # noqa: BLE001  a rule that fails must not keep the decision from being written down
        words, word_names = {}, {}
    return facts | words, named | word_names


def _words(event: Event, policy: Policy) -> tuple[dict[str, str], dict[str, str]]:
    """What the words say; nothing of the words."""
    said = LiveText(event.text)
    command = event.command or said.command(policy)
    called = leading_name(event.text, frozenset())
    facts = {
        "substance": str(said.substance()),
        "calls_anyone": _yes(called),
        "calls_other": _yes(called and said.calls_other(policy)),
        "command": "none",
        "command_from": "text" if event.command is None else "platform",
    }
    named = {"names": names_name(policy), "prefixes": prefixes_name(policy)}
    if event.text:
        named["sign"] = sign_name(event.text)
    if command is not None:
        facts["directed"] = command.directed
        if command.name in CONTROL_COMMANDS:
            facts["command"] = command.name
        else:
            del facts["command"]
            named["command"] = command_name(command.name)
    return facts, named


class Remembered:
    """The words of a message that is not here any more, as its record tells them."""

    def __init__(self, facts: Mapping[str, str], names: Names) -> None:
        self._facts = facts
        self._names = names

    def command(self, policy: Policy) -> Command | None:
        """The command that the text started with; under other prefixes, none if its first sign is none of theirs."""
        facts, names = self._facts, self._names
        if _told(facts, "prefixes") != names.prefixes:
            if facts.get("sign", "") not in names.signs:
                return None
            raise NotReplayable("prefixes_changed")
        found = command_of_record(facts)
        if found is not None and found.directed is not Fact.UNKNOWN and _told(facts, "names") != names.names:
            raise NotReplayable("names_changed")
        return found

    def calls_other(self, policy: Policy) -> bool:
        """Whether somebody else was called; other own names matter only where anybody was."""
        if _told(self._facts, "calls_anyone") == "no":
            return False
        if _told(self._facts, "names") != self._names.names:
            raise NotReplayable("names_changed")
        return _told(self._facts, "calls_other") == "yes"

    def substance(self) -> Substance:
        """`NOTHING`, `TEXT` or `QUESTION`."""
        return _as(Substance, _told(self._facts, "substance"))


def command_of_record(facts: Mapping[str, str]) -> Command | None:
    """The command of a record; its name in clear only for control commands."""
    name = _told(facts, "command")
    return None if name == "none" else Command(name, directed=_as(Fact, _told(facts, "directed")))


def event_of(facts: Mapping[str, str], now: int, target: Target, author: Party) -> Event:
    """A stand-in for the event of a record: the same for every rule, with pseudonyms for ids and no words.

    Raises:
        NotReplayable: the record was written before this was kept, or is not one of an event.
    """
    told_by_platform = _told(facts, "command_from") == "platform"
    identified = _told(facts, "identified") == "yes"
    try:
        return Event(
            kind=EventKind(_told(facts, "kind")),
            target=target,
            event_id="id" if identified else "",
            dedupe_key="id" if identified else "",
            received_at=now - int(_told(facts, "age")),
            authenticated=Fact(_told(facts, "authenticated")),
            author=author,
            author_kind=AuthorKind(_told(facts, "author_kind")),
            chat=ChatKind(_told(facts, "chat")),
            shared=Fact(_told(facts, "shared")),
            other_bots=Fact(_told(facts, "other_bots")),
            mentions_agent=Fact(_told(facts, "mentions_agent")),
            mentions_other=Fact(_told(facts, "mentions_other")),
            reply_to=ReplyTo(_told(facts, "reply_to")),
            command=command_of_record(facts) if told_by_platform else None,
            edit_marks_mentions=_told(facts, "edit_marks") == "yes",
            attachments=int(_told(facts, "attachments")),
            grant_id=facts.get("grant"),
            malformed=tuple(_told(facts, "malformed").split()),
        )
    except ValueError:
        raise NotReplayable("facts_unreadable") from None


def standing_of(facts: Mapping[str, str], now: int) -> Standing:
    """What was known of the place then; what was spent, by the grants' pseudonyms.

    Raises:
        NotReplayable: the record was written before this was kept.
    """
    if "grants_cut" in facts:
        raise NotReplayable("grants_cut")
    try:
        age = facts.get("colleague_age")
        spent = {}
        for number in range(GRANTS):
            if f"spent_{number}" in facts:
                total, on_target, today = map(int, facts[f"spent_{number}"].split())
                spent[_told(facts, f"grant_{number}")] = Spent(total=total, on_target=on_target, today=today)
        return Standing(
            now=now,
            seen=SeenState(_told(facts, "seen")),
            paused=_told(facts, "paused") == "yes",
            colleague_at=None if age is None else now - int(age),
            burst_open=_told(facts, "burst_open") == "yes",
            spent=spent,
        )
    except ValueError:
        raise NotReplayable("facts_unreadable") from None


def grant_name(grant_id: str) -> str:
    """What a grant's pseudonym is made of."""
    return f"grant:{grant_id}"


def command_name(name: str) -> str:
    """What a command's pseudonym is made of."""
    return f"command:{name}"


def sign_name(text: str) -> str:
    """What the pseudonym of a text's first character is made of."""
    return f"sign:{text[0]}"


def names_name(policy: Policy) -> str:
    """What the pseudonym of all own names together is made of."""
    return "names:" + "\n".join(sorted(policy.agent_names))


def prefixes_name(policy: Policy) -> str:
    """What the pseudonym of all command prefixes together is made of."""
    return "prefixes:" + "\n".join(sorted(policy.command_prefixes))


def _told(facts: Mapping[str, str], name: str) -> str:
    try:
        return facts[name]
    except KeyError:
        raise NotReplayable("facts_missing") from None


def _as(kind: type[Kind], told: str) -> Kind:
    try:
        return kind(told)
    except ValueError:
        raise NotReplayable("facts_unreadable") from None


def _yes(value: bool) -> str:
    return "yes" if value else "no"
