"""The reader: strict JSON or findings, never an exception (spec 3 §1)."""

from __future__ import annotations

import json
from collections.abc import Iterator

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dragoman.packets.read import Document, Limits, Problem, glance, read
from dragoman.packets.strict import read_strictly, writable
from tests.packets.material import shared

NUMBERS = st.integers(-(2**53 - 1), 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False).filter(writable)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)

REFUSED = [
    (b"", "json_invalid", ""),
    (b"\xef\xbb\xbf{}", "encoding_invalid", ""),
    (b'"\xff"', "encoding_invalid", ""),
    (b"{}x", "json_invalid", ""),
    (b"[1,]", "json_invalid", "/1"),
    (b"{'a':1}", "json_invalid", ""),
    (b"NaN", "json_invalid", ""),
    (b"[-Infinity]", "json_invalid", "/0"),
    (b"01", "json_invalid", ""),
    (b'"tab\there"', "json_invalid", ""),
    (b'{"a":1,"a":1}', "duplicate_key", "/a"),
    (b'{"a":{"b":1,"\\u0062":2}}', "duplicate_key", "/a/b"),
    (b'["\\ud800"]', "lone_surrogate", "/0"),
    (b'{"a":{"\\udc00":1}}', "lone_surrogate", "/a"),
    (b'{"name":"\\udc00\\ud800"}', "lone_surrogate", "/name"),
    (b"[9007199254740992]", "number_out_of_range", "/0"),
    (b'{"a":[0,-9007199254740992]}', "number_out_of_range", "/a/1"),
    (b"[1e999]", "number_out_of_range", "/0"),
    (b"[1e16]", "number_out_of_range", "/0"),
    (b'{"a":-9007199254740992.0}', "number_out_of_range", "/a"),
    (b"[" + b"1" * 5000 + b"]", "number_out_of_range", "/0"),
    (b"[" * 65 + b"]" * 65, "too_deep", "/0" * 64),
    (b"[" * 200_000, "too_deep", "/0" * 64),
    (b'{"a":' * 100_000, "too_deep", "/a" * 64),
    (b'{"a":[' + b"[" * 2000 + b"]" * 2000 + b'],"a":1}', "too_deep", "/a" + "/0" * 63),
]
ACCEPTED = [
    (b"null", None),
    (b'"\\ud83d\\ude00"', "\U0001f600"),
    (b"[9007199254740991,-9007199254740991]", [2**53 - 1, -(2**53 - 1)]),
    (b"[-0,1.5,1E2]", [0, 1.5, 100.0]),
    (b' { "a" : [ true , false ] } ', {"a": [True, False]}),
    (b"[" * 64 + b"]" * 64, json.loads("[" * 64 + "]" * 64)),
    ('{"\u00e9":1,"e\u0301":2}'.encode(), {"\u00e9": 1, "e\u0301": 2}),
]


@pytest.mark.parametrize(("raw", "rule", "path"), REFUSED)
def test_what_is_not_strict_json_is_refused_with_its_place(raw: bytes, rule: str, path: str) -> None:
    """Each defect has its own rule id and a pointer to where it is."""
    problems = read(raw)
    assert isinstance(problems, tuple)
    assert [(problem.rule, problem.path) for problem in problems] == [(rule, path)]


@pytest.mark.parametrize(("raw", "value"), ACCEPTED)
def test_strict_json_is_read(raw: bytes, value: object) -> None:
    """White space, escapes, the exact integer bounds and two Unicode spellings of one letter are fine."""
    found = read(raw)
    assert isinstance(found, Document)
    assert found.value == value


def test_a_problem_names_line_and_column() -> None:
    """A person finds the place in an editor."""
    assert read(b'{\n "a": 1,\n "a": 2}') == (
        Problem("duplicate_key", "/a", "the object has this key more than once (line 3, column 2)"),
    )


def test_every_duplicate_key_is_told() -> None:
    """One repeated key does not hide the next; the list of problems is bounded all the same."""
    assert len(read(b'{"a":1,"a":1,"b":1,"b":1}')) == 2  # type: ignore[arg-type]
    assert len(read(b"{" + b'"a":1,' * 10_000 + b'"a":1}')) == 50  # type: ignore[arg-type]


def test_limits_are_the_callers() -> None:
    """Size, depth and number of values are arguments."""
    assert [p.rule for p in read(b"[1,2,3]", Limits(max_bytes=3))] == ["too_large"]  # type: ignore[union-attr]
    assert [p.rule for p in read(b"[[1]]", Limits(max_depth=1))] == ["too_deep"]  # type: ignore[union-attr]
    assert [p.rule for p in read(b"[1,2,3]", Limits(max_values=2))] == ["too_large"]  # type: ignore[union-attr]


@given(st.binary(max_size=200))
@example(b"\xed\xa0\x80")
@example(b'{"a":1')
def test_no_bytes_raise(raw: bytes) -> None:
    """Whatever the bytes are, the answer is a document or problems."""
    assert isinstance(read(raw), (Document, tuple))


@given(JSON_VALUES, st.sampled_from([None, 1]))
def test_fast_and_slow_reader_agree(value: object, indent: int | None) -> None:
    """What a JSON library writes is read to the same value by both ways."""
    raw = json.dumps(value, indent=indent, ensure_ascii=bool(indent)).encode("utf-8", "surrogatepass")
    slow, problems = read_strictly(raw, Limits())
    fast = read(raw)
    assert (problems == ()) == isinstance(fast, Document)
    if isinstance(fast, Document):
        assert (json.dumps(fast.value), json.dumps(slow)) == (json.dumps(value), json.dumps(value))


@given(st.text(alphabet='{}[]:,"a1\\u0 tfn.eE-', max_size=24))
def test_fast_and_slow_reader_agree_on_broken_input(text: str) -> None:
    """Near-JSON is accepted by both ways or by none."""
    raw = text.encode()
    assert (read_strictly(raw, Limits())[1] == ()) == isinstance(read(raw), Document)


def test_json_test_suite() -> None:
    """The public suite of JSON parsers: `y` is read (but for repeated keys, which packets forbid), `n` refused."""
    wrong = []
    for file in sorted(shared("data", "json-parsing").rglob("*.json")):
        accepted = isinstance(read(file.read_bytes()), Document)
        repeats = file.name in ("y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json")
        if file.name[0] != "i" and accepted != (file.name[0] == "y" and not repeats):
            wrong.append(file.name)
    assert wrong == []


PIECES = [
    '{"a":',
    '{"a":1,',
    '"a":2}',
    "[",
    "]",
    "}",
    ",",
    "1",
    "-0",
    "12345678901234567890",
    '"b"',
    '"\\/"',
    '"\\u0041"',
    " ",
    "null",
]


@given(st.one_of(JSON_VALUES.map(json.dumps), st.lists(st.sampled_from(PIECES), max_size=12).map("".join)))
@example('{"a":1,"a":2}')
@example('{"a":[1,2],"b":"x"}')
@example('["\\u00e9"]')
@example('["\\/"]')
@example("-0")
def test_a_glance_believes_only_its_own_bytes(text: str) -> None:
    """What a glance takes for strict is, floats aside, written in exactly these bytes, and nothing that is written
    so is turned away but control characters."""
    for raw in (text.encode(), text.replace(" ", "").encode()):
        seen = glance(raw, Limits())
        value = orjson.loads(raw) if seen else None
        if seen is not None and not any(type(each) is float for each in everything(value)):
            assert (value, raw) == (seen[0], orjson.dumps(value))
        if isinstance(found := read(raw), Document) and orjson.dumps(found.value) == raw and b"\\u00" not in raw:
            assert seen is not None


def everything(value: object) -> Iterator[object]:
    """A value and all that is in it."""
    yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from everything(item)
