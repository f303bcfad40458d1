"""What a fact states beyond its own words, each kind with what it must not state (spec 1 §4 step 5)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from dragoman.gate.records import compile_record, unverified
from dragoman.gate.topics import hard_stops_in, topics_in

NOW = int(datetime(2026, 9, 21, 9, tzinfo=UTC).timestamp() * 1000)
"""A Monday."""
DATA = Path(__file__).parent / "data"

KINDS: list[tuple[str, list[str], list[str]]] = [
    # fact, what it states, what it does not
    (
        "Each crate is 200 x 80 x 40 cm.",
        ["200 cm wide", "it is 2 m long", "200 by 80 by 40 cm", "2000 mm"],
        ["20 cm", "3 m", "80 x 200 x 40 cm", "200 mm", "2 km", "240 cm"],
    ),
    (
        "Each shelf weighs 18.5 kg. The hall has 6 docks.",
        ["18.5 kg per shelf", "18500 g", "每个货架18.5公斤"],
        ["18.5 kg per box", "18.5 kg per hour", "6 docks per shelf", "18.5 g", "1.85 kg"],
    ),
    (
        "Maximum load is 150 kg per shelf board.",
        ["150 kg", "0.15 t", "150 kg per board", "150 kg/board"],
        ["150 kg per pallet", "150 lb", "15 kg", "150 kg per day"],
    ),
    ("The line packs 36 boxes per hour.", ["36 boxes per hour"], ["36 boxes", "36 boxes per pallet", "36 hours"]),
    (
        "Unloading takes 45 minutes.",
        ["three quarters of an hour", "0.75 hours"],
        ["45 hours", "half an hour", "45 days"],
    ),
    (
        "Goods are received on weekdays from 07:30 to 15:30.",
        ["Monday to Friday", "周一至周五", "on Mondays", "工作日", "Tuesday to Thursday", "half past three"],
        ["on Monday", "Monday to Saturday", "at weekends", "Sundays", "周末", "half past four", "15:30 UTC"],
    ),
    ("Deliveries are on Mondays.", ["on Monday", "every Monday"], ["on weekdays", "Monday to Tuesday", "Tuesdays"]),
    (
        "Open dates are 6 October 2026 and 13 October 2026.",
        ["two dates", "两个日期", "the 6th or the 13th", "early October", "mid-October", "十月初"],
        ["three dates", "2 options", "late October", "the 7th", "十月底", "early November", "first week of October"],
    ),
    (
        "The order is PO-4410.",
        ["PO 4410", "PO4410", "order 4410 is here"],
        ["PO-4411", "4410 boxes", "order 441", "INV-4410"],
    ),
    ("Colour RAL 7035.", ["RAL7035", "RAL-7035", "ral 7035"], ["RAL 7036", "RAL 703", "7035 shelves"]),
    (
        "Hafenstrasse 12, 20457 Hamburg.",
        ["postcode 20457", "邮编20457", "20457 Hamburg", "number 12", "Hafenstrasse 12号"],
        ["postcode 20458", "20457 boxes", "12 boxes", "12 hours"],
    ),
    ("There are 20000 widgets.", ["20000 widgets"], ["There are 20001.", "20000 boxes per day"]),
    (
        "Phone +49 40 555 0137.",
        ["+49 (0)40 5550137", "+49-40-555-0137", "电话+49 40 555 0137"],
        ["+49 40 555 0138", "+49 40 555 013", "+48 40 555 0137", "0137 boxes"],
    ),
    (
        "Delivery takes 3 to 5 working days.",
        ["3-5 working days", "三到五个工作日"],
        ["3-6 working days", "3-5 days", "5-3 weeks"],
    ),
    ("Same-day delivery is possible.", ["same-day delivery"], ["next-day delivery", "overnight", "当天送达"]),
    ("A call is planned at 14:00.", ["2 o'clock", "at 2 pm", "下午两点"], ["at 2 am", "3 o'clock", "half past two"]),
    (
        "Ambient temperature is between -10 °C and 45 °C.",
        ["-10 °C to +45 °C", "minus 10 to 45 degrees Celsius", "零下10到45摄氏度", "环境温度-10到45摄氏度"],
        ["10 °C", "-45 °C", "+10 °C", "minus 45 degrees Celsius"],
    ),
    (
        "A pallet carries 4 pumps.",
        ["One pallet carries 4 pumps.", "4 pumps per pallet"],
        ["One pallet is left.", "4 pumps per hour", "2 pallets", "One box is left."],
    ),
    ("The tank holds 1,500 litres.", ["1.5 m³", "1500 L"], ["1.5 l", "1500 m³", "15 m³"]),
    ("The manual is version 3.2.", ["v3.2", "version 3.2"], ["v3.3", "v32", "3.2 kg"]),
    ("The pump delivers 12 litres per minute.", ["12 l/min", "每分钟12升"], ["12 litres per hour", "每小时12升"]),
    ("The filter lasts 6 months.", ["half a year", "半年"], ["takes a year", "6 weeks", "twice a year"]),
    ("Please come to dock 2.", ["在2号月台提货"], ["在3号月台提货", "2号提货"]),
    ("Half of the hall is free.", ["half of it"], ["a third of it", "twice the size"]),
    (
        "42 shelves are in stock.",
        ["货架共42个", "42组货架", "forty-two shelves"],
        ["货架共43个", "42个", "托盘共42个", "42组"],
    ),
]


@pytest.mark.parametrize(("fact", "states", "not_states"), KINDS, ids=[fact for fact, _, _ in KINDS])
def test_less_is_stated_and_more_is_not(fact: str, states: list[str], not_states: list[str]) -> None:
    """A fact states the same in other words and units, and nothing beside it."""
    record = compile_record((fact,))

    assert [] == [text for text in states if unverified(text, record, NOW)]
    assert [] == [text for text in not_states if not unverified(text, record, NOW)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_ordinary_answers_go_out(language: str) -> None:
    """Of answers that state only the record's facts, in natural words, at most three in a hundred are held."""
    record = compile_record(tuple((DATA / "answers_facts.txt").read_text(encoding="utf-8").splitlines()))
    lines = (DATA / f"answers_{language}.txt").read_text(encoding="utf-8").splitlines()
    answers = [line.replace("\\n", "\n") for line in lines]

    held = [text for text in answers if unverified(text, record, NOW) or topics_in(text) or hard_stops_in(text)]

    assert len(set(answers)) == len(answers) >= 70
    assert len(held) * 100 <= len(answers) * 3, held


@pytest.mark.parametrize("language", ["en", "zh"])
def test_answers_with_another_number_are_held(language: str) -> None:
    """The matching negative: whichever digit of those answers is changed, hardly one goes out unnoticed."""
    record = compile_record(tuple((DATA / "answers_facts.txt").read_text(encoding="utf-8").splitlines()))
    lines = (DATA / f"answers_{language}.txt").read_text(encoding="utf-8").splitlines()
    changed = [
        line[:at] + str((int(char) + 4) % 10) + line[at + 1 :]
        for line in lines
        for at, char in enumerate(line)
        if char in "0123456789" and "\\n" not in line
    ]

    passed = [text for text in changed if not unverified(text, record, NOW)]

    assert len(passed) * 50 <= len(changed), passed
