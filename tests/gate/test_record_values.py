"""The same value in other clothes is verified, another value is not (spec 1 §4 step 5)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.gate.records import compile_record, unverified

NOW = int(datetime(2026, 9, 21, 9, tzinfo=UTC).timestamp() * 1000)

# fact, the same value, another value
SAME: list[tuple[str, list[str], list[str]]] = [
    ("Weight: 25 kg", ["55 lb", "25 kilos", "二十五公斤"], ["25 lb", "60 lb", "25 g"]),
    ("Cold room: 4 °C", ["4 degrees", "39 °F"], ["4 °F", "45 °F", "5 degrees"]),
    ("50% has arrived.", ["half the shipment", "一半的货"], ["a third of the shipment", "60 percent"]),
    ("Service is due twice a year.", ["every 6 months"], ["every 3 months", "every 6 weeks"]),
    ("Trade fair: 15–18 May", ["four days", "四天"], ["five days", "six days"]),
    ("Lesson: 16:00-16:45", ["45 minutes", "at four", "quarter to five"], ["50 minutes", "quarter past five"]),
    ("Tracking number 7781209344.", ["7781 2093 44", "number 209344"], ["7781 2093 45", "number 778120"]),
    ("registration KB21 OTM", ["KB 21 OTM"], ["KB 22 OTM"]),
    ("Fax: +49 30 5550144", ["0049 30 555 0144"], ["0049 30 555 0145"]),
    ("15 parking spaces", ["fifteen cars"], ["fifteen hours", "fourteen cars"]),
    ("Samples: red, blue and white", ["three colours"], ["four colours"]),
    ("Registration closes on 31 May.", ["the last day of May"], ["the last day of June"]),
    ("Closed on 24 December", ["closed on Christmas Eve"], ["closed on New Year's Eve"]),
    ("鱼缸长120cm", ["鱼缸长一米二"], ["鱼缸长一米三"]),
    ("工序需36小时", ["要一天半"], ["要两天半"]),
    ("Stock: 2,300 pcs", ["两千三百件", "两千三"], ["两千三百箱", "两千零三件"]),
    ("6 of 8 are inspected.", ["the remaining two"], ["the remaining three"]),
    ("卡车到达时间08:45", ["九点差一刻", "差一刻九点"], ["九点一刻"]),
    ("Delivery 36 boxes per hour", ["36 boxes per hour"], ["36 boxes", "36 boxes per day"]),
]  # fmt: skip


@pytest.mark.parametrize(("fact", "same", "other"), SAME, ids=[fact for fact, _, _ in SAME])
def test_same_value(fact: str, same: list[str], other: list[str]) -> None:
    """A fact verifies its value in every spelling listed, and none of its neighbours."""
    record = compile_record((fact,))

    assert [] == [text for text in same if unverified(f"It is so: {text}.", record, NOW)]
    assert [] == [text for text in other if not unverified(f"It is so: {text}.", record, NOW)]


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("Would Thursday suit you?", True),
        ("您周四方便吗?", True),
        ("Would 40 boxes suit you?", False),
        ("Would 6 October 2026 suit you?", False),
        ('You wrote: "please come on Friday". I cannot say.', True),
        ("Please come on Friday.", False),
        ("Thank you for your mail of yesterday.", True),
        ("We sent it yesterday.", False),
        ("Thanks a million!", True),
        ("您寄来的旧零件收到了。", True),
    ],
)
def test_what_asks_states_nothing(text: str, free: bool) -> None:
    """A question for a wish, the outsider's own words and figures of speech state nothing; a proposed count does."""
    assert (not unverified(text, None, NOW)) is free


WRITING = st.text(
    st.one_of(st.sampled_from('0123456789.,/-:年月日点十一二百 €$kgapm半米号差刻?\n()"not'), st.characters()),
    max_size=60,
)


@given(WRITING, WRITING)
def test_any_text_is_read_against_any_record(text: str, fact: str) -> None:
    """No text and no fact, lone surrogates included, makes the check raise; a fact verifies itself or says why not."""
    found = unverified(text, compile_record((fact,)), NOW)

    assert all(0 <= claim.start < claim.end <= max(len(text), claim.end) for claim in found)


@pytest.mark.parametrize("part", ["1, ", "tomorrow? ", '"1" ', "is not open, ", "没有货,", "四百五", "7781 20 "])
def test_long_texts_are_read_in_linear_time(part: str) -> None:
    """Twenty thousand characters of the same against a record end within the test's own timeout."""
    record = compile_record(("Open from 08:00.", "蓝色款有现货", "Number 7781209344"))
    assert isinstance(unverified(part * (20_000 // len(part)), record, NOW), tuple)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("We have 42 shelves in stock.", True),
        ("There are 42.", True),
        ("库存42。", True),
        ("The weight limit of a shelf in kg is 42.", False),
        ("The width of one shelf in cm is 42.", False),
        ("The limit is 42.", False),
        ("一个架子的宽度是42。", False),
    ],
)
def test_a_count_states_no_measure(text: str, stated: bool) -> None:
    """42 shelves in stock say nothing of a width or a limit, in whatever unit the number is said beside it."""
    record = compile_record(("42 shelves are in stock.",))

    assert stated is (unverified(text, record, 1_789_981_200_000) == ())
