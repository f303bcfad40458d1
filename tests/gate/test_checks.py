"""What is found in the texts of a draft, and at which place (spec 1 §4 steps 1 to 5, §5)."""

from __future__ import annotations

import msgspec
import pytest

from dragoman.gate.checks import Finding, Leaks, Said, claims, links, marked, stops, topics
from dragoman.gate.operations import Operation
from dragoman.gate.outgoing import Bound, Step
from dragoman.gate.parts import Button, Card, Link, Parts, Passage, Voice
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.records import compile_record
from dragoman.identity import Target
from dragoman.words import Audience, Fact, Topic
from tests.gate.world import EXT, INT, NOW, POLICY, RIVAL, UNK

WORLD = parse_policy(POLICY.encode())
BOTH = msgspec.structs.replace(
    WORLD,
    targets={**WORLD.targets, EXT: msgspec.structs.replace(WORLD.targets[EXT], owners=frozenset({"acme", "zenith"}))},
)


def told(*texts: str, voice: Voice = Voice.PROSE) -> Said:
    """Passages in reading order, at the places `0`, `1` ..."""
    return tuple(Passage(str(at), text, voice) for at, text in enumerate(texts))


def written(findings: tuple[Finding, ...]) -> list[str]:
    """The findings as they are written, without the number of a term."""
    return [f"{finding.rule.partition(':')[0]}{str(finding).removeprefix(finding.rule)}" for finding in findings]


# --- step 1: the marker of silence -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "token", "expected"),
    [
        ("NO_REPLY", "NO_REPLY", True),
        ("so: NO_REPLY.", "NO_REPLY", True),
        ("好NO_REPLY好", "NO_REPLY", True),
        ("_NO_REPLY_", "NO_REPLY", True),
        ("-NO_REPLY-", "NO_REPLY", True),
        ("XNO_REPLY", "NO_REPLY", False),
        ("NO_REPLYX", "NO_REPLY", False),
        ("aNO_REPLY", "NO_REPLY", False),
        ("NO_REPLY9", "NO_REPLY", False),
        ("0NO_REPLY", "NO_REPLY", False),
        ("NO_REPLYS NO_REPLY", "NO_REPLY", True),
        ("no_reply", "NO_REPLY", False),
        ("NO REPLY", "NO_REPLY", False),
        ("hush", "h.sh", False),
        ("say h.sh", "h.sh", True),
    ],
)
def test_where_the_marker_of_silence_stands(text: str, token: str, expected: bool) -> None:
    """As a word of its own, in Latin letters and digits, exactly as it is written; in any passage."""
    assert expected == marked(told(text), token)
    assert expected == marked(told("hello", text, "hello"), token)


# --- steps 2 and 4: stops and topics ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (told("Good morning."), []),
        (told("I have signed the order for you."), ["signing@0"]),
        (told("Hello", "I have signed the order for you."), ["signing@1"]),
        (told("Please", "enter your", "password"), ["entering_credentials@+"]),
        (told("Please enter", "your password"), ["entering_credentials@+"]),
        (told("I have signed it for you.", "Please enter", "your password"), ["signing@0"]),
        (told("I have signed the order for you.", voice=Voice.ADDRESS), []),
        (told("I have signed the order for you.", voice=Voice.CONTENT), ["signing@0"]),
        (told("Please enter", "your password", voice=Voice.CONTENT), []),
        (told("I have paid the invoice.", "I have signed the order for you."), ["moving_money@0", "signing@1"]),
        (told("I have signed the order for you.", "I have paid the invoice."), ["moving_money@1", "signing@0"]),
    ],
)
def test_where_a_hard_stop_stands(said: Said, expected: list[str]) -> None:
    """In each passage, or else across all that is seen; sorted; an address is no prose, a file is not seen."""
    assert expected == [str(finding) for finding in stops(said)]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (told("Good morning."), set()),
        (told("The price is 40 EUR."), {Topic.PRICES}),
        (told("Hello", "The price is 40 EUR."), {Topic.PRICES}),
        (told("It costs", "40"), {Topic.PRICES}),
        (told("force", "majeure"), {Topic.CONTRACT_LANGUAGE}),
        (told("force", "majeure", voice=Voice.CONTENT), set()),
        (told("You", "have", "our word"), {Topic.COMMITMENTS}),
        (told("The price is 40 EUR.", voice=Voice.ADDRESS), set()),
        (told("The price is 40 EUR.", voice=Voice.CONTENT), {Topic.PRICES}),
        (told("The price is", "forty euros", voice=Voice.CONTENT), {Topic.PRICES}),
        ((), set()),
    ],
)
def test_which_topics_are_touched(said: Said, expected: set[Topic]) -> None:
    """In each passage and across all that is seen."""
    assert expected <= topics(said)
    assert bool(expected) == bool(topics(said))


def test_where_a_claim_stands() -> None:
    """Each statement that the record does not make, at its place; an address states nothing."""
    record = compile_record(("6 October 2026 is open.",))

    assert ["0:0-2", "1:3-5"] == [
        str(finding).partition("@")[2] for finding in claims(told("14 October 2026", "On 15 October 2026"), record, NOW)
    ]
    assert () == claims(told("6 October 2026"), record, NOW)
    assert () == claims(told("14 October 2026", voice=Voice.ADDRESS), record, NOW)


# --- step 3: links ----------------------------------------------------------------------------------------------------


def test_where_a_link_is_not_what_it_seems() -> None:
    """In the parts by number and length, in the markup of a text by its span; a good one is not told."""
    bad, good = "javascript:x", "https://desk.example.com/"
    parts = Parts(
        links=(Link(target=good, title="a"), Link(target=bad, title="a")),
        buttons=(Button(label="press"), Button(label="b", link=good), Button(label="b", link=bad)),
        cards=(Card(title="c"), Card(title="c", buttons=(Button(label="b"), Button(label="b", link=bad)))),
    )
    said = (*told("See [a](javascript:x)."), *told("[a](javascript:x)", voice=Voice.ADDRESS))

    assert [
        "link:scheme@link[1].target:0-12",
        "link:scheme@button[2].link:0-12",
        "link:scheme@card[1].button[1].link:0-12",
    ] == [str(finding) for finding in links((), parts)]
    assert ["link:scheme@0:4-21"] == [str(finding) for finding in links(said, Parts())]
    assert {"link:other_host"} == {
        finding.rule
        for finding in links(
            (),
            Parts(
                links=(Link(target="https://other.net/", title="desk.example.com"),),
                buttons=(Button(label="desk.example.com", link="https://other.net/"),),
            ),
        )
    }


# --- step 3: leaks ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "shown", "expected"),
    [
        (told("Good morning."), "", []),
        (told("Kestrel-7"), "", ["term@0:0-9"]),
        (told("Hello", "the Kestrel-7 is open"), "", ["term@1:4-13"]),
        (told("Kestrel-7", "Northwind depot"), "", ["term@0:0-9", "term@1:0-15"]),
        (told("we have Kest", "rel-7"), "", ["term@0+:8-17"]),
        (told("Northwind", "depot"), "", ["term@0+:0-14", "term@0+:0-15"]),
        (told("Hello", "Northwind", "depot"), "", ["term@1+:0-15"]),
        (told("is open: ", "Kest", "rel-7"), "", ["term@1+:0-9"]),
        (told("Hi", "North[wind](https://desk.example.com/) depot"), "", ["term@1"]),
        (told("Kestrel-7", "North[wind](https://desk.example.com/) depot"), "", ["term@0:0-9"]),
        (told("rel-7 is open"), "the Kest", ["term@shown+:4-13"]),
        (told("depot"), "Northwind", ["term@shown+:0-14", "term@shown+:0-15"]),
        (told("Kestrel-7", "depot"), "Northwind", ["term@0:0-9"]),
        (told("is open"), "Kestrel-7", []),
        (told("is open", "and green"), "Kestrel-7", []),
        (told("Kest", "rel-7", voice=Voice.ADDRESS), "", ["term@0+:0-9"]),
        (told("AKIA", "IOSFODNN7EXAMPLE"), "", ["secret@0+:0-20"]),
    ],
)
def test_where_a_term_stands(said: Said, shown: str, expected: list[str]) -> None:
    """In a passage; or else from the passage where it begins, with its length, over what follows."""
    found = Leaks(EXT, Audience.EXTERNAL, Fact.NO, WORLD).found(said, shown)

    assert expected == written(found)


@pytest.mark.parametrize(
    ("target", "audience", "shared", "text", "expected"),
    [
        (EXT, Audience.EXTERNAL, Fact.NO, "Kestrel-7", True),
        (EXT, Audience.EXTERNAL, Fact.NO, "Project Falcon", False),
        (EXT, Audience.EXTERNAL, Fact.YES, "Project Falcon", False),
        (EXT, Audience.EXTERNAL, Fact.UNKNOWN, "Project Falcon", True),
        (RIVAL, Audience.EXTERNAL, Fact.NO, "Kestrel-7", False),
        (RIVAL, Audience.EXTERNAL, Fact.NO, "Project Falcon", True),
        (UNK, Audience.EXTERNAL, Fact.NO, "Project Falcon", True),
        (INT, Audience.INTERNAL, Fact.NO, "Project Falcon", False),
        (INT, Audience.OPERATOR, Fact.NO, "Project Falcon", False),
        (INT, Audience.INTERNAL, Fact.NO, "AKIAIOSFODNN7EXAMPLE", True),
    ],
)
def test_who_may_be_told_a_term(target: Target, audience: Audience, shared: Fact, text: str, expected: bool) -> None:
    """Its own counterparty where the company is known, and our own people; a secret nobody."""
    assert expected == bool(Leaks(target, audience, shared, WORLD).found(told(text), ""))


def test_where_two_counterparties_meet() -> None:
    """Only what belongs to both could be told; each term is found once, in the order of the text."""
    leaks = Leaks(EXT, Audience.EXTERNAL, Fact.NO, BOTH)
    text = "Kestrel-7 and Project Falcon and the Northwind depot, AKIAIOSFODNN7EXAMPLE"

    assert ["term@0:0-9", "term@0:14-28", "term@0:37-52", "secret@0:54-74"] == written(leaks.found(told(text), ""))
    assert () == leaks.found(told("Good morning."), "")


# --- the words of a finding -------------------------------------------------------------------------------------------


def test_how_a_finding_is_written() -> None:
    """Rule and place, the span where there is one; in the text unless something else is said; in order."""
    assert "r@text" == str(Finding("r"))
    assert "r@text:0-3" == str(Finding("r", "text", 0, 3))
    assert Finding("r") == Finding("r", "text", 0, 0)
    assert [Finding("a", "z"), Finding("b", "a"), Finding("b", "b")] == sorted(
        [Finding("b", "b"), Finding("b", "a"), Finding("a", "z")]
    )


def test_nothing_that_was_found_or_bound_can_be_changed() -> None:
    """A finding, a step and what a draft is bound to stand as they were made."""
    for made in (Finding("r"), Step(Operation.SEND), Bound()):
        for name in type(made).__struct_fields__:
            with pytest.raises(AttributeError):
                setattr(made, name, None)
    with pytest.raises(TypeError):
        Bound("t1")  # type: ignore[misc]
    assert (None, None, None, None, False) == msgspec.structs.astuple(Bound())
    assert (Operation.SEND, "", Parts()) == msgspec.structs.astuple(Step(Operation.SEND))
