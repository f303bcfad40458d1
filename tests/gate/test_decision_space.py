"""The whole decision space of admission against the invariants (spec 1 §10): enumerated, not sampled.

`decide` is the door first and the question only when the door lets the event pass, so both records are walked whole.
The fast tests walk all of the door and a thinned question; the slow one walks every combination.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable
from enum import StrEnum
from itertools import islice, product, zip_longest
from typing import Any

import msgspec
import pytest

from dragoman.gate.admit import decide, decide_asked
from dragoman.gate.asked import Asked, Door
from dragoman.words import Outcome, Reason
from tests.gate.facts import ASKED_FACTS, CHATTER, DOOR_FACTS, NO_OR_YES, askeds, at_the_door, doors, size
from tests.gate.invariants import ASKED_LAWS
from tests.gate.invariants_of_change import ASKED_CHANGES
from tests.gate.invariants_of_door import DOOR_CHANGES, DOOR_LAWS
from tests.gate.laws import ASKED_REASONS, DOOR_REASONS, REASONS, ChangeLaw, Law, Verdict, breaches

LOUD = msgspec.structs.replace(CHATTER, mention=True)
door_verdict = at_the_door(decide, LOUD)

THIN = ((37, 0), (101, 5), (1009, 11))
"""Strides that divide no size, with where they start: every fact still meets every value."""


VERDICTS: tuple[Verdict, ...] = tuple((outcome, reason) for outcome, each in REASONS.items() for reason in sorted(each))


def test_sizes_are_known(capsys: pytest.CaptureFixture[str]) -> None:
    """The size of the space is printed and pinned, so that a new fact or value is noticed here first."""
    with capsys.disabled():
        print(f"\ndecision space: door {size(DOOR_FACTS):,} x question {size(ASKED_FACTS):,} combinations")

    assert (size(DOOR_FACTS), size(ASKED_FACTS)) == (11_664, 737_280)


@pytest.mark.parametrize(("record", "table"), [(Door, DOOR_FACTS), (Asked, ASKED_FACTS)])
def test_every_value_of_every_fact_is_walked(record: type[msgspec.Struct], table: dict[str, tuple[Any, ...]]) -> None:
    """The tables of facts name every field of the record, and every value that its type can take."""
    hints = typing.get_type_hints(record)

    assert {
        name: NO_OR_YES if kind is bool else tuple(kind) for name, kind in hints.items() if not name.startswith("__")
    } == table
    assert all(kind is bool or issubclass(kind, StrEnum) for kind in hints.values())


@pytest.mark.parametrize(("stride", "start"), THIN)
def test_a_thinned_walk_meets_every_value(stride: int, start: int) -> None:
    """Thinning loses combinations, but no value of any fact."""
    met: dict[str, set[object]] = {name: set() for name in ASKED_FACTS}
    for asked in askeds(stride, start):
        for name, values in met.items():
            values.add(getattr(asked, name))

    assert {name: set(values) for name, values in ASKED_FACTS.items()} == met


def test_the_whole_door_keeps_every_law() -> None:
    """Steps 0 to 6: every combination of the door's facts keeps every law of the door."""
    assert breaches(DOOR_LAWS, DOOR_CHANGES, doors(), door_verdict) == {}


@pytest.mark.parametrize(("stride", "start"), THIN)
def test_a_thinned_question_keeps_every_law(stride: int, start: int) -> None:
    """Steps 7 to 10: the combinations at this stride keep every law of the question."""
    assert breaches(ASKED_LAWS, ASKED_CHANGES, askeds(stride, start), decide_asked) == {}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_whole_question_keeps_every_law() -> None:
    """Steps 7 to 10: every combination of the question's facts keeps every law of the question."""
    assert breaches(ASKED_LAWS, ASKED_CHANGES, askeds(), decide_asked) == {}


def test_the_decision_is_the_door_then_the_question() -> None:
    """For pairs across both records: the door's verdict where it has one, else what the question says."""
    answers = [(asked, decide_asked(asked)) for asked in askeds(14_407, 3)]
    wrong = [
        (door, asked)
        for door, refusal in ((door, door_verdict(door)) for door in doors(7))
        for asked, answer in answers
        if decide(door, asked) != (refusal or answer)
    ]

    assert wrong == []


def test_every_door_meets_a_question_of_its_own() -> None:
    """The same, with every door there is and a question that is different for each."""
    questions = islice(askeds(61, 7), size(DOOR_FACTS))
    pairs = zip_longest(doors(), questions)
    wrong = [pair for pair in pairs if decide(*pair) != (door_verdict(pair[0]) or decide_asked(pair[1]))]

    assert wrong == []


def test_an_open_door_lets_both_answers_through() -> None:
    """Where the door is open, who names us is answered and who does not is met with silence."""
    opened = [door for door in doors() if door_verdict(door) is None]

    assert opened
    assert {(Outcome.SILENT, Reason.NOT_REQUESTED)} == {decide(door, CHATTER) for door in opened}
    assert {(Outcome.RESPOND, Reason.AGENT_MENTIONED)} == {decide(door, LOUD) for door in opened}


def test_every_reason_of_the_door_is_reached() -> None:
    """No reason of the door is dead, and no other is given there."""
    given = {verdict[1] for door in doors() if (verdict := door_verdict(door)) is not None}

    assert given == DOOR_REASONS


def test_every_reason_of_the_question_is_reached() -> None:
    """No reason of the question is dead, and no other is given there."""
    assert {decide_asked(asked)[1] for asked in askeds(37)} == ASKED_REASONS


def test_reasons_belong_to_one_outcome() -> None:
    """No reason is listed under two outcomes, and the door and the question share none."""
    listed = [reason for reasons in REASONS.values() for reason in reasons]

    assert len(set(listed)) == len(listed)
    assert not DOOR_REASONS & ASKED_REASONS


def test_laws_are_told_in_one_sentence_each() -> None:
    """At least 25 laws, each with one sentence that a product owner can read, and no name twice."""
    laws: list[Law | ChangeLaw] = [*DOOR_LAWS, *ASKED_LAWS, *DOOR_CHANGES, *ASKED_CHANGES]
    names = [law.name for law in laws]

    assert len(set(names)) == len(names)
    assert len({law.sentence for law in laws}) >= 25
    assert [law.name for law in laws if not law.sentence.endswith(".") or "\n" in law.sentence] == []


@pytest.mark.parametrize("law", [*DOOR_LAWS, *ASKED_LAWS], ids=lambda law: law.name)
def test_every_law_can_be_broken(law: Law) -> None:
    """A law that no wrong verdict breaks would say nothing: for each there are facts and a verdict that break it."""
    walk: Iterable[Any] = doors(5) if law in DOOR_LAWS else askeds(101)
    verdicts: tuple[Verdict | None, ...] = (None, *VERDICTS) if law in DOOR_LAWS else VERDICTS
    broken: Callable[[Any, Any], bool] = lambda facts, verdict: not law.holds(facts, verdict)  # noqa: E731

    assert any(broken(facts, verdict) for facts, verdict in product(walk, verdicts))


@pytest.mark.parametrize("law", [*DOOR_CHANGES, *ASKED_CHANGES], ids=lambda law: law.name)
def test_every_law_of_change_can_be_broken(law: ChangeLaw) -> None:
    """For each law of change there are facts and two verdicts that break it."""
    walk: Iterable[Any] = doors(5) if law in DOOR_CHANGES else askeds(101)
    from_here = (each for each in walk if getattr(each, law.fact) == law.before)
    verdicts: tuple[Verdict | None, ...] = (None, *VERDICTS) if law in DOOR_CHANGES else VERDICTS

    assert any(not law.holds(*each) for each in product(islice(from_here, 200), verdicts, verdicts))
