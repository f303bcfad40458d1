"""What a text states, and what a record verifies of it (spec 1 §4 step 5)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.gate.claims import LIMIT
from dragoman.gate.records import Claim, ClaimKind, claims, compile_record, unverified

NOW = int(datetime(2026, 9, 30, 9, tzinfo=UTC).timestamp() * 1000)
"""A Wednesday."""

D, T, A, Q, S, P, N = (
    ClaimKind.DATE,
    ClaimKind.TIME,
    ClaimKind.AMOUNT,
    ClaimKind.QUANTITY,
    ClaimKind.SPECIFICATION,
    ClaimKind.PERCENT,
    ClaimKind.NUMBER,
)

STATED: list[tuple[str, list[tuple[ClaimKind, str]]]] = [
    # dates
    ("6 October", [(D, "--10-06")]),
    ("Oct 6", [(D, "--10-06")]),
    ("Oct. 6", [(D, "--10-06")]),
    ("October 6th", [(D, "--10-06")]),
    ("the 6th of October", [(D, "--10-06")]),
    ("the sixth of October", [(D, "--10-06")]),
    ("6 OCTOBER", [(D, "--10-06")]),
    ("10月6日", [(D, "--10-06")]),
    ("10月6号", [(D, "--10-06")]),
    ("１０月６日", [(D, "--10-06")]),
    ("十月六日", [(D, "--10-06")]),
    ("2026-10-06", [(D, "2026-10-06")]),
    ("2026/10/6", [(D, "2026-10-06")]),
    ("October 6, 2026", [(D, "2026-10-06")]),
    ("6 Oct 2026", [(D, "2026-10-06")]),
    ("6.10.2026", [(D, "2026-10-06")]),
    ("13/10/2026", [(D, "2026-10-13")]),
    ("2026年10月6日", [(D, "2026-10-06")]),
    ("二〇二六年十月六日", [(D, "2026-10-06")]),
    ("Tuesday, 6 October 2026", [(D, "2026-10-06@2")]),
    ("2026年10月6日（周二）", [(D, "2026-10-06@2")]),
    ("6/10", [(D, "--10-06|--06-10")]),
    ("6/10/2026", [(D, "2026-10-06|2026-06-10")]),
    ("30/10", [(D, "--10-30")]),
    ("6–8 October", [(D, "--10-06"), (D, "--10-08")]),
    ("6 to 8 October 2026", [(D, "2026-10-06"), (D, "2026-10-08")]),
    ("6, 13 and 20 October", [(D, "--10-06"), (D, "--10-13"), (D, "--10-20")]),
    ("October 6 and 13 are free", [(D, "--10-06"), (D, "--10-13")]),
    ("10月6日和13日有空", [(D, "--10-06"), (D, "--10-13")]),
    ("10月6日至8日", [(D, "--10-06"), (D, "--10-08")]),
    ("in October", [(D, "--10")]),
    ("October 2026", [(D, "2026-10")]),
    ("10月份", [(D, "--10")]),
    ("2026年", [(D, "2026")]),
    ("13号", [(D, "---13")]),
    ("on Monday", [(D, "wd:1")]),
    ("Mondays", [(D, "every:1")]),
    ("every Friday", [(D, "every:5")]),
    ("周五", [(D, "wd:5")]),
    ("每周五", [(D, "every:5")]),
    ("tomorrow", [(D, "rel:+1")]),
    ("明天", [(D, "rel:+1")]),
    ("大后天", [(D, "rel:+3")]),
    ("next Friday", [(D, "rel:next:5")]),
    ("下周五", [(D, "rel:week+1:5")]),
    ("next week", [(D, "rel:?next week")]),
    # times
    ("at 3pm", [(T, "15:00")]),
    ("at 3 p.m.", [(T, "15:00")]),
    ("15:00", [(T, "15:00")]),
    ("15：00", [(T, "15:00")]),
    ("下午三点", [(T, "15:00")]),
    ("下午3点半", [(T, "15:30")]),
    ("15点30分", [(T, "15:30")]),
    ("下午三点到五点", [(T, "15:00"), (T, "17:00")]),
    ("3–5 pm", [(T, "15:00"), (T, "17:00")]),
    ("10-2pm", [(T, "10:00|22:00"), (T, "14:00")]),
    ("9:30 am", [(T, "09:30")]),
    ("three o'clock", [(T, "03:00|15:00")]),
    ("half past three", [(T, "03:30|15:30")]),
    ("at noon", [(T, "12:00")]),
    ("15:00 UTC", [(T, "15:00 utc")]),
    ("2026-10-06T09:00:00Z", [(D, "2026-10-06"), (T, "09:00 utc")]),
    # amounts
    ("€1,200", [(A, "1200 eur")]),
    ("EUR 1200", [(A, "1200 eur")]),
    ("1200 euros", [(A, "1200 eur")]),
    ("1.200,00 €", [(A, "1200 eur")]),
    ("1.200 €", [(A, "1200 eur|1.2 eur")]),
    ("€1.2m", [(A, "1.2 m eur")]),
    ("1200元", [(A, "1200 cny")]),
    ("一千二百元", [(A, "1200 cny")]),
    ("RMB 1,200", [(A, "1200 cny")]),
    ("￥1200", [(A, "1200 ¥")]),
    ("$40", [(A, "40 $")]),
    ("US$40", [(A, "40 usd")]),
    ("40美元", [(A, "40 usd")]),
    ("€5–10", [(A, "5 eur"), (A, "10 eur")]),
    ("forty-two euros per hour", [(A, "42 eur/hour")]),
    ("€40/day", [(A, "40 eur/day")]),
    # quantities
    ("40 pallets", [(Q, "40 pallet")]),
    ("40 free pallets", [(Q, "40 pallet")]),
    ("forty pallets", [(Q, "40 pallet")]),
    ("40个托盘", [(Q, "40 pallet")]),
    ("四十二箱", [(Q, "42 box")]),
    ("a dozen boxes", [(Q, "12 box")]),
    ("half a dozen boxes", [(Q, "6 box")]),
    ("one hundred and twenty boxes", [(Q, "120 box")]),
    ("12k boxes", [(Q, "12000 box")]),
    ("1.2万件", [(Q, "12000 piece")]),
    ("5 to 10 boxes", [(Q, "5 box"), (Q, "10 box")]),
    ("5到10箱", [(Q, "5 box"), (Q, "10 box")]),
    ("40 boxes per hour", [(Q, "40 box/hour")]),
    ("每小时40箱", [(Q, "40 box/hour")]),
    ("within 3 days", [(Q, "3 day")]),
    ("3天内", [(Q, "3 day")]),
    ("2½ hours", [(Q, "2.5 hour")]),
    ("两个日期", [(Q, "2 date")]),
    ("the two open dates", [(Q, "2 date")]),
    ("货架共42个", [(Q, "42 shelf")]),
    ("42组货架", [(Q, "42 shelf")]),
    ("within 3-5 working days", [(Q, "3 working day"), (Q, "5 working day")]),
    ("order 48213-77", [(N, "48213-77")]),
    ("18.5千克", [(S, "18.5 kg")]),
    ("2千个", [(Q, "2000 个")]),
    ("200 by 80 by 40 cm", [(S, "200x80x40 cm")]),
    ("壹佰贰拾箱", [(Q, "120 box")]),
    ("fourty boxes", [(Q, "40 box")]),
    # sizes without a number
    ("it takes a week", [(Q, "1 week")]),
    ("within an hour", [(Q, "1 hour")]),
    ("in half an hour", [(Q, "0.5 hour")]),
    ("three quarters of an hour", [(Q, "0.75 hour")]),
    ("半天送达", [(Q, "0.5 day")]),
    ("twice as many", [(Q, "?twice as")]),
    ("double that", [(Q, "?double that")]),
    ("half of them", [(Q, "?half of")]),
    ("a couple of shelves", [(Q, "?a couple of shelves")]),
    ("hundreds of shelves", [(Q, "?hundreds of shelves")]),
    ("one third of the stock", [(Q, "?one third")]),
    ("same-day delivery", [(Q, "?same-day")]),
    ("库存翻倍了", [(Q, "?翻倍")]),
    ("次日送达", [(Q, "?次日")]),
    # stretches and parts
    ("Monday to Wednesday", [(D, "each:1|each:2|each:3")]),
    ("Sat-Mon", [(D, "each:6|each:7|each:1")]),
    ("周一至周三", [(D, "each:1|each:2|each:3")]),
    ("on weekdays", [(D, "each:1|each:2|each:3|each:4|each:5")]),
    ("early October", [(D, "--10~early")]),
    ("at the end of October", [(D, "--10~late")]),
    ("十月中旬", [(D, "--10~mid")]),
    ("the first week of October", [(D, "--10~?first week of")]),
    ("on Christmas Eve", [(D, "?christmas eve")]),
    ("春节前", [(D, "?春节")]),
    ("the 6th or the 13th", [(D, "---06"), (D, "---13")]),
    ("Tuesday the 6th", [(D, "---06@2")]),
    # phone numbers and codes
    ("+49 (0)40 555-0137", [(N, "?tel+49405550137")]),
    ("RAL 7035", [(N, "?ral 7035")]),
    ("三个月", [(Q, "3 month")]),
    ("5 working days", [(Q, "5 working day")]),
    ("40 widgets", [(Q, "40 widget")]),
    # specifications and percentages
    ("5kg", [(S, "5 kg")]),
    ("5 kg", [(S, "5 kg")]),
    ("5公斤", [(S, "5 kg")]),
    ("5 kilograms", [(S, "5 kg")]),
    ("230V", [(S, "230 v")]),
    ("230伏", [(S, "230 v")]),
    ("500 GB", [(S, "500 gb")]),
    ("is -20 °C", [(S, "-20 °c")]),
    ("20℃", [(S, "20 °c")]),
    ("5 mW", [(S, "5 milliwatt")]),
    ("5 MW", [(S, "5 megawatt")]),
    ("5 m²", [(S, "5 m^2")]),
    ("40 x 60 x 80 cm", [(S, "40x60x80 cm")]),
    ("5–10 mm", [(S, "5 mm"), (S, "10 mm")]),
    ("三点五公斤", [(S, "3.5 kg")]),
    ("10%", [(P, "10 %")]),
    ("10 percent", [(P, "10 %")]),
    ("百分之十", [(P, "10 %")]),
    ("百分之十二点五", [(P, "12.5 %")]),
    # numbers
    ("it is 40", [(N, "40")]),
    ("it is forty-two", [(N, "42")]),
    ("a total of 1,200", [(N, "1200")]),
    ("PO-4410", [(N, "?po-4410")]),
    ("the 3rd batch", [(N, "#3")]),
    ("第3条", [(N, "#3")]),
    ("24/7", [(N, "24/7")]),
    ("三分之一", [(N, "?三分之一")]),
    ("٤٠ boxes", [(Q, "40 box")]),
    ("42. is the answer", [(N, "42")]),
]


@pytest.mark.parametrize(("text", "expected"), STATED)
def test_claims(text: str, expected: list[tuple[ClaimKind, str]]) -> None:
    """Kind and normal form of what a text states, alone and inside a sentence."""
    assert [(claim.kind, claim.value) for claim in claims(text)] == expected
    assert [(claim.kind, claim.value) for claim in claims(f"Well: {text}.")] == expected


def test_spans_are_of_the_text_as_given() -> None:
    """The span cuts the claim out of the original text, invisible and full-width characters included."""
    text = "好：\u200b１０月６日，４０\u200b箱"
    assert [text[claim.start : claim.end] for claim in claims(text)] == ["１０月６日", "４０\u200b箱"]


ORDINARY = """
您看哪一天合适？
每一天都开门。
Which one day suits you?
Which date suits you?
I can't read that attachment here. Please paste the relevant part.
Could you confirm the shelf count?
One of us will call you back.
No one was at the gate, but someone left a note.
The first pallet is here, the second follows.
A few boxes are missing.
Let me double-check that.
I have a couple of questions.
Merry Christmas and a happy New Year!
春节快乐！
Have a good day.
请收拾一下。
You may call the depot.
They march on regardless.
1. Packing list
(1) packing list
The sun sat low.
哪个日期适合您？
请确认一下货架数量。
我无法在此处读取该附件。请粘贴相关部分。
十分感谢您的耐心。
万一下雨就改期。
千万别忘了装箱单。
有一点问题，晚一点再说。
一个问题：大门开着吗？
我们一起统一安排。
第一次来请走侧门。
这是唯一的出口。
四川的货已到。
一、装箱单
""".strip().split("\n")


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_sentences_state_nothing(text: str) -> None:
    """Sentences without date, amount or number hold no claim, and neither do list markers alone."""
    assert claims(text) == ()


def test_list_markers_count_up_from_one() -> None:
    """Markers that count 1, 2, 3 at line starts state nothing; one out of order, or inside a line, is a number."""
    assert claims("1. labels\n2. boxes\n3) seals") == ()
    assert claims("一、标签\n二、箱子") == ()
    assert [claim.value for claim in claims("1. labels\n7. boxes")] == ["7"]
    assert [claim.value for claim in claims("see 1. labels")] == ["1"]
    assert [claim.value for claim in claims("1. October is free")] == ["1", "--10"]
    assert [claim.value for claim in claims("1. 40 boxes")] == ["40 box"]
    assert [claim.value for claim in claims("1、2号有空")] != ["---02"]


FACTS = (
    "Free start dates: 2026-10-06 and 2026-10-13.",
    "Goods are received on weekdays from 07:00 to 15:30 UTC.",
    "The hall is closed on 25 December.",
    "There are 40 free pallets and 12 docks.",
    "Each crate holds 25 kg and measures 40 x 60 x 85 cm.",
    "The lead time is 9 working days.",
    "The fee is USD 1,250.",
    "At most 15% of the labels are blank.",
    "托盘每小时处理36箱。",
    "11月17日下午2点开会。",
    "Deliveries are on Mondays.",
    "The order is PO-4410.",
    "Call window: 6/10.",
)
RECORD = compile_record(FACTS)

VERIFIED = """
6 and 13 October are free. Which date suits you?
10月6日和13日有空。哪个日期适合您？
October 6, 2026 works.
Tuesday 6 October works.
We are shut on 25 December 2027.
October works.
2026年10月13日有空
十月六日有空
Come at 15:30.
Come at 3:30 pm UTC.
下午三点半
We have forty pallets.
还有40个托盘。
A crate takes 25kg.
Each measures 40×60×85cm.
It costs $1250.
百分之十五
We process 36 boxes per hour.
17 November at 2 pm.
We come on Monday.
Your order is PO-4410.
The window is 6/10.
""".strip().split("\n")


NOT_VERIFIED = """
7 October is free.
6 October 2027 is free.
6 November is free.
14号有空
Monday, 6 October works.
Come at 15:30 CET.
Come at 16:30.
We have 41.
We have 40 docks.
We have 400 pallets.
26 kg in a crate.
25 g in a crate.
60 x 40 x 85 cm
It costs €1250.
It costs 1250 CAD.
16%
36 boxes per day.
36 boxes.
10 June
Next week works.
Tomorrow works.
PO-4411
Free on 10/6/2026.
""".strip().split("\n")


def unverified_values(text: str, now: int = NOW) -> list[str]:
    """The normal forms that RECORD does not state."""
    return [claim.value for claim in unverified(text, RECORD, now)]


@pytest.mark.parametrize("text", VERIFIED)
def test_verified(text: str) -> None:
    """Any spelling of what the record states, or of less, is verified."""
    assert unverified_values(text) == []


@pytest.mark.parametrize("text", NOT_VERIFIED)
def test_not_verified(text: str) -> None:
    """Another day, year, unit, currency, zone or noun, more detail than the fact has, or one reading of two, is not."""
    assert unverified_values(text) != []


def test_weekday_beside_a_date_must_be_right() -> None:
    """A date said with the wrong weekday is not what the record states."""
    assert unverified_values("Saturday, 6 October 2026") == ["2026-10-06@6"]
    assert unverified_values("Tuesday, 6 October 2026") == []


def test_no_record_verifies_nothing() -> None:
    """Without a record, and with an empty one, every claim is unverified."""
    assert unverified("6 October", None, NOW) == claims("6 October")
    assert unverified("6 October", compile_record(()), NOW) == claims("6 October")
    assert unverified("Which date suits you?", None, NOW) == ()


@pytest.mark.parametrize("fact", FACTS)
def test_every_fact_verifies_itself(fact: str) -> None:
    """A fact's own sentence is verified by a record of that fact alone, and by the whole record."""
    assert unverified(fact, compile_record((fact,)), NOW) == ()
    assert unverified(fact, RECORD, NOW) == ()


@pytest.mark.parametrize("fact", FACTS)
def test_any_other_digit_is_unverified(fact: str) -> None:
    """Whichever digit of a fact is replaced by whichever other digit, the sentence is unverified by that fact."""
    record = compile_record((fact,))
    passed = [
        changed
        for at, char in enumerate(fact)
        if char.isdigit()
        for other in "0123456789"
        if other != char and not unverified(changed := fact[:at] + other + fact[at + 1 :], record, NOW)
    ]
    assert passed == []


@pytest.mark.parametrize(
    ("text", "day", "expected"),
    [
        ("tomorrow", "2026-10-05", True),
        ("tomorrow", "2026-10-06", False),
        ("today", "2026-10-06", True),
        ("明天有空", "2026-10-12", True),
        ("后天有空", "2026-10-04", True),
        ("on Tuesday", "2026-10-02", True),
        ("on Tuesday", "2026-10-06", True),
        ("on Tuesday", "2026-10-07", True),
        ("on Wednesday", "2026-10-02", False),
        ("this Tuesday", "2026-10-05", True),
        ("this Tuesday", "2026-10-07", False),
        ("next Tuesday", "2026-10-05", True),
        ("next Tuesday", "2026-10-12", False),
        ("next Tuesday", "2026-10-04", True),
        ("下周二", "2026-09-30", True),
        ("本周二", "2026-10-05", True),
        ("next week", "2026-09-30", False),
        ("next month", "2026-09-30", False),
        ("明年10月6日", "2026-09-30", False),
        ("the 13th is free", "2026-09-30", True),
        ("13号有空", "2026-09-30", True),
        ("13号有空", "2026-10-13", True),
        ("13号有空", "2026-10-14", False),
        ("13号有空", "2026-09-12", False),
        ("Tuesday the 13th is free", "2026-09-30", True),
        ("Monday the 13th is free", "2026-09-30", False),
        ("the 31st is free", "2026-09-30", False),
    ],
)
def test_relative_days(text: str, day: str, expected: bool) -> None:
    """Relative days are resolved against now in UTC; all days they may mean must be stated, else nothing is."""
    now = int(datetime.fromisoformat(f"{day}T12:00:00+00:00").timestamp() * 1000)
    record = compile_record(("Free: 2026-10-06 and 2026-10-13.",))
    assert (not unverified(text, record, now)) is expected


def test_a_relative_fact_states_its_own_words_only() -> None:
    """A fact that says `tomorrow` verifies that word while it stands (its expiry is the operator's), and no date."""
    record = compile_record(("We open tomorrow.",))
    assert unverified("We open tomorrow.", record, NOW) == ()
    assert unverified("We open on 1 October.", record, NOW) != ()
    assert unverified("We open today.", record, NOW) != ()


def test_weekly_facts() -> None:
    """`Mondays` states a Monday, a single Monday does not state every Monday."""
    assert unverified("on Monday", compile_record(("Open on Mondays.",)), NOW) == ()
    assert unverified("Open on Mondays.", compile_record(("Open on Monday.",)), NOW) != ()


def test_less_is_stated_by_more_never_the_other_way() -> None:
    """Generic sign by currency, month by day, time by time with zone; not the reverse."""
    pairs = [("$40", "USD 40"), ("in October", "6 October"), ("15:00", "15:00 UTC"), ("6 October", "2026-10-06")]
    for less, more in pairs:
        assert unverified(less, compile_record((more,)), NOW) == ()
    for less, more in pairs[:3]:
        assert unverified(more, compile_record((less,)), NOW) != ()
    assert unverified("2026-10-06", compile_record(("6 October",)), NOW) == ()


def test_what_is_too_long_to_read_is_unverified() -> None:
    """The unread end of a text is one claim that nothing verifies."""
    text = "x" * (LIMIT + 1)
    assert claims(text) == (Claim(N, "?unread", LIMIT, LIMIT + 1),)


@given(
    st.text(
        alphabet=st.one_of(st.sampled_from("0123456789.,/-:年月日点十一二百分之 €$kgapm\n()"), st.characters()),
        max_size=80,
    )
)
def test_every_digit_is_claimed(text: str) -> None:
    """Whatever the text, no digit stays outside a claim, unless it numbers a list from one at a line start."""
    found = claims(text)
    assert all(0 <= claim.start < claim.end <= len(text) for claim in found)
    covered = {at for claim in found for at in range(claim.start, claim.end)}
    if "\n" not in text and not text.lstrip(" \t>*-•(（").startswith("1"):
        assert [at for at, char in enumerate(text) if char.isascii() and char.isdigit() and at not in covered] == []


@given(st.integers(1, 12), st.integers(1, 28), st.integers(2000, 2099))
def test_every_spelling_of_a_date_is_one(month: int, day: int, year: int) -> None:
    """All spellings of one date have one normal form."""
    when = datetime(year, month, day, tzinfo=UTC)
    spellings = [
        f"{when:%Y-%m-%d}",
        f"{day} {when:%B} {year}",
        f"{when:%b} {day}, {year}",
        f"{when:%B} {day}, {year}",
        f"{year}年{month}月{day}日",
        f"{year}/{month}/{day}",
    ]
    assert {tuple((c.kind, c.value) for c in claims(text)) for text in spellings} == {((D, f"{when:%Y-%m-%d}"),)}


@given(st.integers(2, 999_999))
def test_every_spelling_of_an_amount_is_one(number: int) -> None:
    """All spellings of one amount have one normal form."""
    spellings = [f"€{number:,}", f"EUR {number}", f"{number} euros", f"{number:,}欧元", f"€ {number}.00"]
    assert {tuple((c.kind, c.value) for c in claims(text)) for text in spellings} == {((A, f"{number} eur"),)}


@pytest.mark.parametrize(
    "part",
    ["1", "1,", "1 ", "1-", "6, ", "10月6日、", "forty-", "一", "a1.", "Oct ", "6/", "€", "1.\n", "-", "十点", "3 to "],
)
def test_long_text(part: str) -> None:
    """Repetition is read in reasonable time (the test's own timeout)."""
    assert isinstance(claims(part * (20_000 // len(part))), tuple)
