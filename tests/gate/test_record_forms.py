"""What people write for a fact: every kind of saying the record check knows, and its contradictions (spec 1 §4)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dragoman.gate.claims import claims
from dragoman.gate.reading.patterns import READERS, gate
from dragoman.gate.reading.plain import plain
from dragoman.gate.records import compile_record, unverified
from tests.gate.labelled import NOW

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "record_forms.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=["; ".join(row["record"]) or "no record" for row in ROWS])
def test_sayings_of_a_fact(row: dict[str, Any]) -> None:
    """A fact states its value in every form listed, and none of its contradictions."""
    record = compile_record(tuple(row["record"]))

    assert [] == [text for text in row["same"] if unverified(text, record, NOW)]
    assert [] == [text for text in row["other"] if not unverified(text, record, NOW)]


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("half a tonne", "0.5 tonne"),
        ("a pound and a half", "1.5 pound"),
        ("room two-oh-six", "room 206"),
        ("in nineteen eighty-seven", "in 1987"),
        ("seven point two", "7.2"),
        ("eight minutes to seven", "6:52"),
        ("quarter past midnight", "00:15"),
        ("3 dozen eggs", "36 eggs"),
        ("第二季度", "q2"),
        ("六成五", "65%"),
        ("零六年建", "2006年建"),
        ("腊月二十", "12月20日"),
        ("周二、四", "周二、周四"),
        ("下周一至周三", "下周一、下周二、下周三"),
        ("零点三毫米", "0.3毫米"),
        ("八个g", "8gb"),
        ("零下十八度", "-18度"),
        ("第一次", "第一次"),
        ("周一一早", "周一一早"),
        ("三万一千", "三万一千"),
        ("twenty-five metres", "twenty-five metres"),
        ("the third quarter hour", "the q3 hour"),
    ],
)
def test_sayings_are_written_plainly(said: str, written: str) -> None:
    """A saying becomes figures; what only looks like one stays as it is."""
    assert written == plain(said, range(len(said)))[0]


def test_positions_survive() -> None:
    """A claim out of a saying covers all of the saying in the text as it was given."""
    text = "It weighs half a tonne, 内存八个G, and it starts at eight minutes to seven."

    assert ["half a tonne", "八个G", "eight minutes to seven"] == [text[one.start : one.end] for one in claims(text)]


def test_a_gate_is_open_wherever_its_pattern_matches() -> None:
    """No pattern matches a text for which its gate is shut: the one pass over a text leaves nothing out."""
    texts = [text.lower() for row in ROWS for text in (*row["record"], *row["same"], *row["other"])]

    shut = [
        (pattern.pattern, text)
        for text in texts
        for pattern in READERS.patterns
        if pattern.search(text) and id(pattern) not in READERS.of(text)
    ]

    assert [] == shut
    assert gate(READERS.patterns[0]) != ""
