"""More that we are told never opens, and less that the operator allows never opens (spec 1 §10), event by event.

Each law is one sentence: the name of a change, read after "never turns silence into a response, or a deferral into
one:". The changes are applied to random events under random policies; since each holds for every event, any number of
them at once holds too. For each there is a fault, planted in the decision's text, that breaks it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import msgspec
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from dragoman.gate.admit import Admission, admit
from dragoman.gate.asked import Standing
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, ReplyTo
from dragoman.gate.policy import Policy, TargetPolicy
from dragoman.gate.ports import SeenState
from dragoman.words import Fact, Outcome
from tests.gate.random_events import TEXTS, events, policies, standings
from tests.gate.test_planted_faults import planted

Decide = Callable[[Event, Policy, Standing, str], Admission]
RANK: Final = {Outcome.REJECTED: 0, Outcome.SILENT: 0, Outcome.DEFER: 1, Outcome.RESPOND: 2}
SEARCH: Final = settings(max_examples=4_000, derandomize=True, database=None, phases=[Phase.generate], deadline=None)


class Case(NamedTuple):
    """One event, the policy that holds, and what the shell knows of the place."""

    event: Event
    policy: Policy
    standing: Standing

    def at(self) -> TargetPolicy:
        """What the policy says of the place."""
        return self.policy.at(self.event.target)

    def told(self, **facts: Any) -> Case:
        """With other facts of the event."""
        return self._replace(event=msgspec.structs.replace(self.event, **facts))

    def ruled(self, **keys: Any) -> Case:
        """Under another policy."""
        return self._replace(policy=msgspec.structs.replace(self.policy, **keys))

    def placed(self, **keys: Any) -> Case:
        """With another entry for the place, where it has one."""
        entry = self.policy.targets.get(self.event.target)
        if entry is None:
            return self
        changed = msgspec.structs.replace(entry, **keys)
        return self.ruled(targets={**self.policy.targets, self.event.target: changed})


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A random event in a random world; half of the time with nothing but the event in its way."""
    event, policy = draw(events), draw(policies)
    return Case(event, policy, draw(standings(policy, event)))


def outcome(case: Case, decide: Decide) -> int:
    """How far the decision opens: silent or rejected, deferred, a response."""
    return RANK[decide(*case, "c").outcome]


def without(pool: Any, one: object) -> Any:
    """A set or mapping without one member."""
    if isinstance(pool, Mapping):
        return {key: value for key, value in pool.items() if key != one}
    return type(pool)(each for each in pool if each != one)


# --- the changes ------------------------------------------------------------------------------------------------------

Change = Callable[[Case], list[Case]]

TOLD: Final[Mapping[str, Change]] = {
    "words that are only quoted": lambda c: [c.told(body="> @Desk, please answer\n/approve 7 please?")],
    "a thread": lambda c: [c.told(thread="t9")],
    "an album": lambda c: [c.told(album="a9")],
    "a deletion": lambda c: [c.told(deletes="m0")],
    "attachments, but for a real one-to-one": lambda c: (
        [c.told(attachments=3)] if c.event.chat is not ChatKind.DIRECT else []
    ),
    "a grant's name that the policy does not know": lambda c: [c.told(grant_id="made-up")],
    "somebody else who is named, or perhaps named": lambda c: [
        c.told(mentions_other=fact) for fact in (Fact.YES, Fact.UNKNOWN)
    ],
    "somebody else who is answered, or perhaps answered": lambda c: [
        c.told(reply_to=whom) for whom in (ReplyTo.OTHER, ReplyTo.UNKNOWN)
    ],
    "a mention of us that nobody is sure of": lambda c: [c.told(mentions_agent=Fact.UNKNOWN)],
    "a command for another bot": lambda c: [
        c.told(command=Command(name, directed=Fact.NO)) for name in ("help", "stop")
    ],
    "other bots, or perhaps other bots": lambda c: [c.told(other_bots=fact) for fact in (Fact.YES, Fact.UNKNOWN)],
    "guests, or perhaps guests": lambda c: [c.told(shared=fact) for fact in (Fact.YES, Fact.UNKNOWN)],
    "a fact of the wrong type": lambda c: [c.told(malformed=("thread",))],
    "a transport that proves nothing": lambda c: [c.told(authenticated=fact) for fact in (Fact.NO, Fact.UNKNOWN)],
    "an author whose kind nobody knows": lambda c: [c.told(author_kind=AuthorKind.UNKNOWN)],
    "a conversation whose kind nobody knows": lambda c: [c.told(chat=ChatKind.UNKNOWN)],
    "a copy of what was decided": lambda c: [
        c._replace(standing=msgspec.structs.replace(c.standing, seen=SeenState.DUPLICATE))
    ],
    "a pause": lambda c: [c._replace(standing=msgspec.structs.replace(c.standing, paused=True))],
    "a colleague who writes": lambda c: [
        c._replace(standing=msgspec.structs.replace(c.standing, colleague_at=c.standing.now))
    ],
}
"""What is told besides, by an event or a place: untrusted, missing or unsure."""


def _holds_back(entry: TargetPolicy) -> bool:
    return entry.denied or entry.allowed_senders is not None or entry.takeover_ms > 0


ALLOWED: Final[Mapping[str, Change]] = {
    "a grant that is taken back": lambda c: [c.ruled(grants=without(c.policy.grants, id)) for id in c.policy.grants],
    "an operator who is none any more": lambda c: [
        c.ruled(operators=without(c.policy.operators, who)) for who in c.policy.operators
    ],
    "an entry that goes, when it held nothing back": lambda c: (
        [c.ruled(targets=without(c.policy.targets, c.event.target))] if not _holds_back(c.at()) else []
    ),
    "a sender who is taken off the list": lambda c: [
        c.placed(allowed_senders=without(c.at().allowed_senders, who)) for who in c.at().allowed_senders or ()
    ],
    "a list of senders": lambda c: [c.placed(allowed_senders=frozenset())] if c.at().allowed_senders is None else [],
    "a place that is denied": lambda c: [c.placed(denied=True)],
    "a sender who is denied": lambda c: [c.ruled(denied_senders=c.policy.denied_senders | {c.event.author})],
    "unknown places that are closed": lambda c: [c.ruled(unknown_targets="closed")],
    "a mention that is needed": lambda c: [c.placed(require_mention=True)],
    "questions that are not open": lambda c: [c.placed(open_question=False)],
    "operators who must ask like others": lambda c: [c.placed(operator_messages=False)],
    "edits that ask nothing": lambda c: [c.placed(edits_may_request=False)],
    "a command that goes": lambda c: [c.ruled(commands=without(c.policy.commands, name)) for name in c.policy.commands],
    "a shorter window": lambda c: [c.ruled(freshness_ms=1_000)],
    "a policy that is broken": lambda c: [c.ruled(broken=True)],
}
"""What the operator allows less."""

CHANGES: Final = {**TOLD, **ALLOWED}


def opened(change: Change, case: Case, decide: Decide = admit) -> list[Case]:
    """The changed cases that are decided more openly than the case itself."""
    before = outcome(case, decide)
    return [each for each in change(case) if outcome(each, decide) > before]


@settings(max_examples=300, deadline=None)
@given(case=cases())
def test_what_we_are_told_besides_opens_nothing(case: Case) -> None:
    """No untrusted, missing or unsure fact turns silence, rejection or deferral into a response."""
    assert {} == {name: found for name, change in TOLD.items() if (found := opened(change, case))}


@settings(max_examples=300, deadline=None)
@given(case=cases())
def test_what_the_operator_allows_less_opens_nothing(case: Case) -> None:
    """No grant, operator, entry, sender, command or window less, and no deny more, adds a response."""
    assert {} == {name: found for name, change in ALLOWED.items() if (found := opened(change, case))}


def unweighed(case: Case) -> Case:
    """The case in a group whose policy gives words no weight."""
    chat = ChatKind.GROUP if case.event.chat is ChatKind.DIRECT else case.event.chat
    quiet = case.placed(require_mention=True, open_question=False, operator_messages=False)
    return quiet.told(chat=chat).ruled(command_prefixes=())


def swayed(case: Case, decide: Decide = admit) -> list[Case]:
    """The cases that words alone decide otherwise, where the policy gives words no weight."""
    quiet = unweighed(case)
    before = decide(*quiet, "c")
    return [each for text in TEXTS if decide(*(each := quiet.told(text=text)), "c") != before]


@settings(max_examples=200, deadline=None)
@given(case=cases())
def test_words_decide_nothing_where_they_have_no_weight(case: Case) -> None:
    """In a group without open questions, operator messages, free speech or typed commands the text is not heard."""
    assert [] == swayed(case)


# --- that each law can fail -------------------------------------------------------------------------------------------

MENTION: Final = "mention=event.mentions_agent is Fact.YES,"
HEARD: Final[Mapping[str, str]] = {
    "words that are only quoted": '"@Desk" in event.body',
    "a thread": "event.thread is not None",
    "an album": "event.album is not None",
    "a deletion": "event.deletes is not None",
    "attachments, but for a real one-to-one": "event.attachments > 0",
    "a grant's name that the policy does not know": "event.grant_id is not None",
    "somebody else who is named, or perhaps named": "event.mentions_other is not Fact.NO",
    "somebody else who is answered, or perhaps answered": "event.reply_to is not ReplyTo.NOBODY",
    "a mention of us that nobody is sure of": "event.mentions_agent is not Fact.NO",
    "a command for another bot": "event.command is not None",
    "other bots, or perhaps other bots": "event.other_bots is not Fact.NO",
    "guests, or perhaps guests": "event.shared is not Fact.NO",
    "a conversation whose kind nobody knows": "event.chat is ChatKind.UNKNOWN",
    "a grant that is taken back": "not policy.grants",
    "an operator who is none any more": "event.author not in policy.operators",
    "an entry that goes, when it held nothing back": "not here.listed",
    "a mention that is needed": "here.require_mention",
    "questions that are not open": "not here.open_question",
    "operators who must ask like others": "not here.operator_messages",
    "a command that goes": '"help" not in policy.commands',
}
"""Change → what a gate that falls for it takes for a mention."""
FAULTS: Final[Mapping[str, tuple[str, str]]] = {
    **{name: (MENTION, f"mention=event.mentions_agent is Fact.YES or ({heard}),") for name, heard in HEARD.items()},
    "a pause": ("if standing.paused:", "if not standing.paused:"),
    "a fact of the wrong type": ("if named and not event.malformed else", "if named or event.malformed else"),
    "a transport that proves nothing": ("d.authenticated is not Fact.YES,", "d.authenticated is Fact.YES,"),
    "an author whose kind nobody knows": (
        "if event.author_kind is not AuthorKind.HUMAN:\n        return Author.MACHINE",
        "if event.author_kind is AuthorKind.BOT:\n        return Author.MACHINE",
    ),
    "a copy of what was decided": ("d.seen is SeenState.DUPLICATE", "d.seen is not SeenState.DUPLICATE"),
    "a colleague who writes": ("return Hold.TAKEOVER if taken", "return Hold.TAKEOVER if wrote is None"),
    "a sender who is taken off the list": (
        "event.author not in here.allowed_senders",
        "event.author in here.allowed_senders",
    ),
    "a list of senders": ("here.allowed_senders is not None and", "here.allowed_senders is None and"),
    "a place that is denied": ("if here.denied or", "if not here.denied or"),
    "a sender who is denied": ("event.author in policy.denied_senders:", "event.author not in policy.denied_senders:"),
    "unknown places that are closed": (
        'policy.unknown_targets == "explicit_requests"',
        'policy.unknown_targets == "closed"',
    ),
    "edits that ask nothing": ("and here.edits_may_request and", "and not here.edits_may_request and"),
    "a shorter window": ("return now - stamp > policy.freshness_ms", "return now - stamp < policy.freshness_ms"),
    "a policy that is broken": ("if policy.broken and", "if not policy.broken and"),
}
"""Change → a fault in the decision that it must show."""


@pytest.mark.parametrize("name", CHANGES)
def test_each_law_can_fail(name: str) -> None:
    """With its fault planted, some event breaks the law; without it, that same event keeps it."""
    faulty = planted(*FAULTS[name])["admit"]
    change = CHANGES[name]

    case = find(cases(), lambda each: bool(opened(change, each, faulty)), settings=SEARCH)

    assert [] == opened(change, case)


def test_the_law_of_words_can_fail() -> None:
    """A gate that takes a name in the text for a mention is noticed."""
    faulty = planted(MENTION, 'mention=event.mentions_agent is Fact.YES or "Desk" in event.text,')["admit"]

    assert [] == swayed(find(cases(), lambda each: bool(swayed(each, faulty)), settings=SEARCH))


def test_the_positive_control() -> None:
    """Random events are answered often enough, and deferred: the laws above are not about silence alone."""
    assert 1 == outcome(find(cases(), lambda each: outcome(each, admit) == 1, settings=SEARCH), admit)
    assert 2 == outcome(find(cases(), lambda each: outcome(each, admit) == 2, settings=SEARCH), admit)
