"""Words of others on a terminal: what steers or hides is written as an escape; nothing else is touched."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.shown import json_shown, shown

SHOWN = [
    ("plain words", "Price: 5 €, 十元, Ünïcode, 👍🏽", "Price: 5 €, 十元, Ünïcode, 👍🏽"),
    ("colours", "\x1b[31mred", "\\x1b[31mred"),
    ("a title, by a C1 control", "\x9d0;owner\x9c", "\\x9d0;owner\\x9c"),
    ("a line that looks like ours", "ok\ndraft: dft-1 (approved)", "ok\\x0adraft: dft-1 (approved)"),
    ("back over the line", "no\ryes", "no\\x0dyes"),
    ("turned around", "pay \u202eEUR 1", "pay \\u202eEUR 1"),
    ("hidden between letters", "pay\u200bpal", "pay\\u200bpal"),
    ("hidden tags", "\U000e0041", "\\U000e0041"),
    ("half a character", "\udce9", "\\udce9"),
]


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in SHOWN], ids=[row[0] for row in SHOWN])
def test_what_is_shown(text: str, expected: str) -> None:
    """One line, only itself."""
    assert shown(text) == expected


def test_a_text_of_several_lines_keeps_them() -> None:
    """Only its line feeds stay; a lone carriage return does not."""
    assert shown("one\ntwo\r\n\x1b", lines=True) == "one\ntwo\\x0d\n\\x1b"


@given(st.text())
def test_nothing_active_is_left(text: str) -> None:
    """Whatever comes in: no control, no format character, no separator of lines comes out."""
    found = {unicodedata.category(char) for char in shown(text)}
    assert found & {"Cc", "Cf", "Cs", "Zl", "Zp"} == set()


@given(st.dictionaries(st.text(), st.text()))
def test_json_keeps_its_value(value: dict[str, str]) -> None:
    """The escapes of JSON mean the same."""
    encoded = json_shown(json.dumps(value, ensure_ascii=False))

    assert json.loads(encoded) == value
    assert "\x1b" not in encoded
