"""Topics and hard stops: every row proves itself, and whole sentences show what the tables do together (spec 1 §4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from dragoman.gate.topics import HARD_STOPS, TOPICS, hard_stops_in, topics_in
from dragoman.gate.wording.excuses import ACT_EXCUSES, BARS, WORD_EXCUSES, Excuse
from dragoman.gate.wording.rule import Rule, Table, named_readings, readings
from dragoman.words import HardStop, Topic

DATA = Path(__file__).parent / "data"
ROWS: list[Rule[Any]] = [*TOPICS.rules, *HARD_STOPS.rules]


def sentences(name: str) -> list[str]:
    """One sentence per line."""
    return (DATA / name).read_text(encoding="utf-8").splitlines()


def matches(rule: Rule[Any], text: str) -> bool:
    """Whether this row alone matches."""
    return any(re2.search(rule.pattern, form) for form in (named_readings(text) if rule.named else readings(text)))


@pytest.mark.parametrize("rule", ROWS, ids=lambda rule: f"{rule.mark}-{rule.id}")
def test_row(rule: Rule[Any]) -> None:
    """Every row hits its own example and leaves its near miss alone."""
    assert (matches(rule, rule.hit), matches(rule, rule.miss)) == (True, False)


def test_rows_are_named_once() -> None:
    """A row's id is its own, so that a finding can be traced to one row."""
    ids = [(rule.mark, rule.id) for rule in ROWS]
    assert len(ids) == len(set(ids))


def test_patterns_are_filled_in() -> None:
    """No row carries braces of an unfilled template, which would match themselves and nothing else."""
    assert [] == [rule.id for rule in ROWS if "{{" in rule.pattern or "{_" in rule.pattern]


@pytest.mark.parametrize(
    ("text", "named_text"),
    [
        ("I hear that Brightwater's contract with us ends.", "i hear that ¤'s contract with us ends."),
        ("The Grand Hotel on Monday, Marlow & Sons in May.", "the ¤ on monday, ¤ in may."),
        ("We will be there on Friday.", None),
    ],
)
def test_names(text: str, named_text: str | None) -> None:
    """A row about somebody named reads names as one mark; days, months and beginnings are no names."""
    assert named_readings(text) == (() if named_text is None else (named_text,))


@pytest.mark.parametrize(
    ("mark", "languages"),
    [
        *((mark, {"en", "zh"}) for mark in (Topic.COMMITMENTS, Topic.CONTRACT_LANGUAGE, Topic.LEGAL, *HardStop)),
        (Topic.PRICES, {"any", "en", "zh"}),
    ],
)
def test_every_mark_has_rows_in_both_languages(mark: Topic | HardStop, languages: set[str]) -> None:
    """No topic and no hard stop is left with one language only."""
    assert {rule.language for rule in ROWS if rule.mark is mark} == languages


@pytest.mark.parametrize("language", ["en", "zh"])
def test_lists_are_long_enough(language: str) -> None:
    """At least 80 price sentences and 120 ordinary ones per language, none twice."""
    yes, no = sentences(f"prices_{language}_yes.txt"), sentences(f"prices_{language}_no.txt")
    assert len(set(yes)) == len(yes) >= 80
    assert len(set(no)) == len(no) >= 120


@pytest.mark.parametrize("text", sentences("prices_en_yes.txt") + sentences("prices_zh_yes.txt"))
def test_prices_are_seen(text: str) -> None:
    """A sentence about money is a price."""
    assert Topic.PRICES in topics_in(text)


@pytest.mark.parametrize("text", sentences("prices_en_no.txt") + sentences("prices_zh_no.txt"))
def test_ordinary_sentences_are_free(text: str) -> None:
    """Scheduling, logistics and facts touch no topic and no hard stop."""
    assert (topics_in(text), hard_stops_in(text)) == (frozenset(), frozenset())


SEEN: list[tuple[str, set[Topic], set[HardStop]]] = [
    ("10月6日和13日有空。哪个日期适合您？", set(), set()),
    ("Deal for 1 unit of currency, this is binding.", {Topic.COMMITMENTS}, set()),
    ("We refund late pallets in full.", {Topic.COMMITMENTS}, set()),
    ("I accept your terms and conditions.", {Topic.COMMITMENTS, Topic.CONTRACT_LANGUAGE}, set()),
    ("I have signed the attached order and paid the deposit.", {Topic.PRICES}, {HardStop.SIGNING}),
    ("We have paid the deposit.", {Topic.PRICES}, {HardStop.MOVING_MONEY}),
    ("The other client pays 20% less.", {Topic.PRICES}, {HardStop.CROSS_COUNTERPARTY_DISCLOSURE}),
    ("我们的另一个客户拿的价更低。", {Topic.PRICES}, {HardStop.CROSS_COUNTERPARTY_DISCLOSURE}),
    ("I logged in with your password.", set(), {HardStop.ENTERING_CREDENTIALS}),
    ("I pushed the package to PyPI.", set(), {HardStop.PUBLISHING_PACKAGES}),
    ("The signed delivery note is in the box.", set(), set()),
    ("我们保证按时交货，违约赔偿。", {Topic.COMMITMENTS, Topic.CONTRACT_LANGUAGE}, set()),
    ("此事请咨询律师。", {Topic.LEGAL}, set()),
]


@pytest.mark.parametrize(("text", "topics", "stops"), SEEN)
def test_whole_sentences(text: str, topics: set[Topic], stops: set[HardStop]) -> None:
    """What a whole sentence touches, topics and hard stops together."""
    assert (topics_in(text), hard_stops_in(text)) == (topics, stops)


@pytest.mark.parametrize(
    "text",
    [
        "p\u200bri\u200dce",
        "ＰＲＩＣＥ",
        "**price**",
        "`price`",
        "рriсe",
        "€\u00a040",
        "＄４０",
        "4\u200b0 €",
        "pri\u00adce",
    ],
)
def test_disguises(text: str) -> None:
    """Zero-width characters, full-width forms, Markdown and look-alikes hide no price."""
    assert topics_in(f"About the {text} of it.") == {Topic.PRICES}


@given(st.text(max_size=300), st.sampled_from(sentences("prices_en_yes.txt") + sentences("prices_zh_yes.txt")))
def test_more_text_takes_nothing_away(text: str, price: str) -> None:
    """Whatever stands in the lines around it, a price sentence stays one."""
    assert Topic.PRICES in topics_in(f"{text}\n\n{price}\n\n{text}")


@pytest.mark.parametrize(
    "part", ["signed ", "to the ", "请把", "9", "per ", "the price ", "另一个客户", "we have been "]
)
def test_long_text(part: str) -> None:
    """A hundred thousand characters are read in linear time (the test's own timeout), and to the end."""
    text = part * (100_000 // len(part)) + ". The fee is €40."
    assert Topic.PRICES in topics_in(text)
    assert isinstance(hard_stops_in(text), frozenset)


def test_a_table_can_miss() -> None:
    """A table without a row for it marks nothing: the marks come from the rows alone."""
    table = Table([Rule("en.x", Topic.LEGAL, "en", r"\bxyz\b", "xyz", "xy")])
    assert (table.marks_in("a price"), table.marks_in("XYZ")) == (frozenset(), frozenset({Topic.LEGAL}))


def test_oblique_stops_are_stopped() -> None:
    """Deeds told in other words: nearly all of them are stopped, whatever the phrase."""
    lines = sentences("stops_yes.txt")

    missed = [line for line in lines if not hard_stops_in(line)]

    assert len(set(lines)) == len(lines) >= 80
    assert len(missed) * 20 <= len(lines), missed


def test_ordinary_sentences_are_no_stops() -> None:
    """Sentences of the same words that do nothing of the kind pass; a hard stop cannot be lifted, so none may err."""
    lines = sentences("stops_no.txt")

    assert [] == [line for line in lines if hard_stops_in(line)]
    assert len(lines) >= 35


EXCUSES: list[Excuse] = [*ACT_EXCUSES, *WORD_EXCUSES, *BARS]


@pytest.mark.parametrize("excuse", EXCUSES, ids=lambda excuse: excuse.id)
def test_excuse_row(excuse: Excuse) -> None:
    """Every excuse, and every bar to one, matches its own example and leaves its near miss alone."""
    found = [any(re2.search(excuse.pattern, form) for form in readings(text)) for text in (excuse.hit, excuse.miss)]
    assert found == [True, False]


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("I cannot say anything about the price.", set()),
        ("I cannot say anything about the price, but it is 40 euros.", {Topic.PRICES}),
        ("We cannot agree to clause 7 as amended.", {Topic.CONTRACT_LANGUAGE}),
        ("We have not accepted your order.", set()),
        ("Our order is late. We accept your order.", {Topic.COMMITMENTS}),
        ('You wrote "please sign the contract".', set()),
        ('Please sign the contract "today".', {HardStop.SIGNING}),
        ("Please do not send the password by mail.", set()),
        ("Please send the password by mail.", {HardStop.ENTERING_CREDENTIALS}),
        ("价格的事我做不了主,得问经理。", set()),
        ("價格可以再降一點。", {Topic.PRICES}),
        ("我们还没签合同。", set()),
    ],
)
def test_excuses(text: str, marks: set[Topic | HardStop]) -> None:
    """What denies, defers or quotes is free; what goes on to do it, or takes a position, is not."""
    assert marks <= {*topics_in(text), *hard_stops_in(text)}
    assert marks or not {*topics_in(text), *hard_stops_in(text)}
