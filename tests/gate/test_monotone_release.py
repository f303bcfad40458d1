"""More that is declared, guarded or unsure never lets more out; nor does less that the operator allows (spec 1 §10).

Each law is one sentence: the name of a change, read after "never lets out what was held or denied:". The changes are
applied to random drafts in random worlds. For each there is a fault, planted in the text of `release.py` or
`checks.py`, that breaks it.
"""

from __future__ import annotations
import __future__

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis.errors import NoSuchExample

from dragoman.gate import checks, release
from dragoman.gate.admit import Admission
from dragoman.gate.outgoing import Step
from dragoman.gate.parts import Parts
from dragoman.gate.ports import Presence
from dragoman.words import Fact, Outcome, Reason, ReleaseOutcome, Topic
from tests.gate.random_drafts import OWNED, WORLD, Trial, guard, holds_nothing_back, trials
from tests.gate.test_release import attempt

Decide = Callable[..., release.Decision]
Change = Callable[[Trial], list[Trial]]
FUTURE: Final = __future__.annotations.compiler_flag
"""The files say `from __future__ import annotations` before the part that is read here."""
SEARCH: Final = settings(max_examples=4_000, derandomize=True, database=None, phases=[Phase.generate], deadline=None)


def _guarding(owner: str, *terms: str) -> Any:
    """The leak check with these terms more, compiled once."""
    return guard({**OWNED, owner: (*OWNED.get(owner, ()), *terms)})


NEW_TERMS: Final = (
    _guarding("zenith", "Falcon"),
    _guarding("zenith", "42 shelves"),
    _guarding("third", "Good morning", "40 kg", "Delivery"),
    _guarding("third", "Northwind depot", "Project Falcon"),
    _guarding("acme", "The Northwind depot is", "Kestrel-7 and", "Northwind"),
)
"""Terms of others, terms within terms, and own terms that hold another's; none gives this place what is another's."""


def _without_a_fact(trial: Trial) -> list[Trial]:
    rows = trial.policy.owner_records["acme"]
    return [trial.ruled(owner_records={"acme": rows[:at] + rows[at + 1 :]}) for at in range(len(rows))]


def _without_its_entry(trial: Trial) -> list[Trial]:
    if not holds_nothing_back(trial.policy.at(trial.attempt.target)):
        return []
    return [
        trial.ruled(targets={at: entry for at, entry in trial.policy.targets.items() if at != trial.attempt.target})
    ]


def _admitted(trial: Trial, **facts: Any) -> list[Trial]:
    authority = trial.attempt.authority
    return (
        [trial.tried(authority=msgspec.structs.replace(authority, **facts))] if isinstance(authority, Admission) else []
    )


CHANGES: Final[Mapping[str, Change]] = {
    "a topic that the handler declares": lambda t: [
        t.drafted(topics=t.attempt.draft.topics | {topic}) for topic in Topic
    ],
    "a term more": lambda t: [t.ruled(guard=terms) for terms in NEW_TERMS],
    "a fact of the record that goes": _without_a_fact,
    "a grant that is taken back": lambda t: [t.tried(grant=None)],
    "an entry that goes, when it held nothing back": _without_its_entry,
    "a place that is nobody's": lambda t: [t.placed(owners=frozenset())],
    "a place whose every answer stays a draft": lambda t: [t.placed(draft_only=True)],
    "a place that is public": lambda t: [t.placed(public=True)],
    "a topic that stays a draft": lambda t: [t.ruled(draft_only=t.policy.draft_only | {topic}) for topic in Topic],
    "a policy that is broken": lambda t: [t.ruled(broken=True)],
    "another policy": lambda t: [t.ruled(version="other")],
    "guests, or perhaps guests": lambda t: [
        t.tried(presence=Presence(shared=fact))
        for fact in (Fact.YES, Fact.UNKNOWN)
        if t.attempt.presence.shared is Fact.NO
    ],
    "a pause": lambda t: [t.tried(paused=True)],
    "a send more that was paid": lambda t: [t.tried(sends=t.attempt.sends + 1)],
    "an admission that is over": lambda t: _admitted(t, expires_at=0),
    "an admission that is silent": lambda t: _admitted(t, outcome=Outcome.SILENT),
}


def let_out(change: Change, trial: Trial, decide: Decide = release.release) -> list[Trial]:
    """The changed attempts that leave though the attempt itself does not."""
    if decide(*trial).sends:
        return []
    return [each for each in change(trial) if decide(*each).sends]


@settings(max_examples=300, deadline=None)
@given(trial=trials())
def test_nothing_more_is_let_out(trial: Trial) -> None:
    """No declaration, term, guest or pause more, and no grant, fact or entry less, lets out what was kept."""
    assert {} == {name: found for name, change in CHANGES.items() if (found := let_out(change, trial))}


# --- declared topics --------------------------------------------------------------------------------------------------

CLAIMED: Final = frozenset({Topic.UNVERIFIED_CLAIM, Topic.UNMEASURED_SPECIFICATION})
"""The topics of a claim, which is not looked for in what is held for a topic already."""


def not_only_held(trial: Trial, decide: Decide = release.release) -> list[Trial]:
    """The declarations after which the decision is another one, and no hold that tells of what was declared."""
    before = decide(*trial)
    wrong = []
    for topic in Topic:
        declared = trial.drafted(topics=trial.attempt.draft.topics | {topic})
        after = decide(*declared)
        held = after.outcome is ReleaseOutcome.HOLD and {topic, *before.topics} <= {*after.topics, *CLAIMED}
        if after != before and not held:
            wrong.append(declared)
    return wrong


@settings(max_examples=300, deadline=None)
@given(trial=trials())
def test_a_declaration_only_adds_holds(trial: Trial) -> None:
    """What a handler declares changes nothing, or holds the draft and is told; it takes no topic away."""
    assert [] == not_only_held(trial)


# --- a second look ----------------------------------------------------------------------------------------------------


def as_it_left(steps: tuple[Step, ...]) -> tuple[str, Parts]:
    """Text and parts of what left by these steps, put together again."""
    text = "".join(step.text for step in steps)
    parts = Parts(
        subject="".join(step.parts.subject for step in steps),
        **{
            kind: tuple(each for step in steps for each in getattr(step.parts, kind))
            for kind in ("files", "buttons", "cards", "polls", "links")
        },
    )
    return text, parts


def looked_at_otherwise(trial: Trial, decide: Decide = release.release) -> list[release.Decision]:
    """The decisions on what left that differ from the one by which it left."""
    first = decide(*trial)
    if not first.sends:
        return []
    text, parts = as_it_left(first.steps)
    second = decide(*trial.drafted(text=text, parts=parts))
    return [] if second == first else [first, second]


@settings(max_examples=300, deadline=None)
@given(trial=trials())
def test_a_second_look_sees_the_same(trial: Trial) -> None:
    """What was let out, put together from the steps by which it left and checked again, is let out the same way."""
    assert [] == looked_at_otherwise(trial)


# --- that each law can fail -------------------------------------------------------------------------------------------

CHECKS_BEGIN, RELEASE_BEGINS = "def marked(", "def release("
AUDIENCE: Final = "if audience is Audience.EXTERNAL and not ours and not _approved(attempt):"
LETS_GO: Final[Mapping[str, str]] = {
    "a topic that the handler declares": "attempt.draft.topics",
    "a term more": "len(policy.guard.terms) > 4",
    "a fact of the record that goes": 'len(policy.owner_records["acme"]) < 2',
    "an entry that goes, when it held nothing back": "not policy.at(attempt.target).listed",
    "a place that is nobody's": "not policy.at(attempt.target).owners",
    "a place whose every answer stays a draft": "policy.at(attempt.target).draft_only",
    "a place that is public": "policy.at(attempt.target).public",
    "a topic that stays a draft": "len(policy.draft_only) == 1",
    "a policy that is broken": "policy.broken",
    "another policy": "policy.version == 'other'",
    "guests, or perhaps guests": "attempt.presence.shared is Fact.YES",
    "a send more that was paid": "attempt.sends > 0",
}
"""Change → what a door that falls for it takes for an approval."""
FAULTS: Final[Mapping[str, tuple[str, str]]] = {
    **{name: (AUDIENCE, f"{AUDIENCE[:-1]} and not ({when}):") for name, when in LETS_GO.items()},
    "a grant that is taken back": ("return Reason.GRANT_UNKNOWN", "return None"),
    "another policy": (
        "if authority.policy_version != policy.version:",
        "if authority.policy_version == policy.version:",
    ),
    "a pause": ("if attempt.paused and not", "if not attempt.paused and not"),
    "an admission that is over": ("attempt.now >= authority.expires_at", "attempt.now < authority.expires_at"),
    "an admission that is silent": ("not authority.responds", "authority.responds"),
}
"""Change → a fault in the door that it must show."""


def planted(right: str, wrong: str) -> Decide:
    """`release` from the text of `checks.py` and `release.py`, with `wrong` wherever `right` stands."""
    text = inspect.getsource(checks)[inspect.getsource(checks).index(CHECKS_BEGIN) :]
    text += inspect.getsource(release)[inspect.getsource(release).index(RELEASE_BEGINS) :]
    assert right in text, f"no place for `{right}`"
    names = vars(checks) | vars(release)
    exec(compile(text.replace(right, wrong), "release.py with a fault", "exec", flags=FUTURE, dont_inherit=True), names)
    decide: Decide = names["release"]
    return decide


@pytest.mark.parametrize("name", CHANGES)
def test_each_law_can_fail(name: str) -> None:
    """With its fault planted, some draft breaks the law; without it, that same draft keeps it."""
    faulty, change = planted(*FAULTS[name]), CHANGES[name]

    trial = find(trials(), lambda each: bool(let_out(change, each, faulty)), settings=SEARCH)

    assert [] == let_out(change, trial)


@pytest.mark.parametrize(
    ("law", "right", "wrong"),
    [
        (not_only_held, "attempt.draft.topics | topics(said)", "attempt.draft.topics or topics(said)"),
        (not_only_held, "attempt.draft.topics | topics(said)", "(topics(said) - attempt.draft.topics)"),
        (looked_at_otherwise, "steps=way)\n\n\ndef _judged", "steps=way[:1])\n\n\ndef _judged"),
    ],
)
def test_the_other_laws_can_fail(law: Callable[..., list[Any]], right: str, wrong: str) -> None:
    """A declaration that hides what the text says, or says nothing; a way out that loses a piece."""
    faulty = planted(right, wrong)

    assert [] == law(find(trials(), lambda each: bool(law(each, faulty)), settings=SEARCH))


def test_a_term_of_two_counterparties_is_both_of_theirs() -> None:
    """The one way in which a term more lets more out: the operator gives a place a term that another has too."""
    foreign = Trial(attempt(text="The Northwind depot is open."), WORLD)

    assert Reason.LEAK_SUSPECTED is release.release(*foreign).reason
    assert Reason.RELEASED is release.release(*foreign.ruled(guard=_guarding("acme", "Northwind depot"))).reason


def test_running_the_text_anew_changes_nothing() -> None:
    """Without a fault, the text run anew decides as the real code does."""
    same = planted(AUDIENCE, AUDIENCE)
    differs = lambda each: same(*each) != release.release(*each)  # noqa: E731

    with pytest.raises(NoSuchExample):
        find(trials(), differs, settings=settings(SEARCH, max_examples=200))


def test_the_positive_control() -> None:
    """Random drafts leave often enough, in pieces and with parts: the laws above are not about refusals alone."""
    in_pieces = lambda each: release.release(*each).sends and len(release.release(*each).steps) > 1  # noqa: E731
    assert find(trials(), in_pieces, settings=SEARCH)
    assert find(trials(), lambda each: bool(each.attempt.draft.parts) and release.release(*each).sends, settings=SEARCH)
