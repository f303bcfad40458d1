"""A foreign file is read within bounds, keeps its letters, and what nobody read is told by its path."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import DragomanError
from dragoman.gate.workbench.imported.tree import (
    COUNT_LIMIT,
    DEPTH_LIMIT,
    JSON5_LIMIT,
    SIZE_LIMIT,
    read_tree,
    texts,
    truth,
)

LEAVES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab", min_size=1), inner)
)


@given(st.dictionaries(st.text("abcd", min_size=1), VALUES))
def test_json_reads_as_json(root: dict[str, object]) -> None:
    """Whatever JSON says is what the tree holds."""
    assert root == read_tree(json.dumps(root).encode()).root


@pytest.mark.parametrize(
    ("source", "root"),
    [
        ("a: -1001\nb: 0123\nc: 1e5\nd: yes\n", {"a": "-1001", "b": "0123", "c": "1e5", "d": "yes"}),
        ("a: ~\nb: null\nc:\nd: 'null'\n", {"a": None, "b": None, "c": None, "d": "null"}),
        ("a: [1, {b: c}]\n", {"a": ["1", {"b": "c"}]}),
        ('a: "x: y" # z\n', {"a": "x: y"}),
        ("<<: {a: b}\n", {"<<": {"a": "b"}}),
        ("{a: 1, // one\n b: ['x',], }", {"a": 1, "b": ["x"]}),
    ],
)
def test_texts_keep_their_letters(source: str, root: object) -> None:
    """An id is not a number, and a comment is nothing."""
    assert root == read_tree(source.encode()).root


@pytest.mark.parametrize(
    "source",
    [
        "a: &x [1]\nb: *x\n",
        "a: &x 1\n",
        "a: !!python/object/apply:os.system ['id']\n",
        "a: !!str 1\n",
        "a: 1\na: 2\n",
        "a: {b: 1, b: 2}\n",
        "? [1]\n: 2\n",
        "a: 1\n---\nb: 2\n",
        "a: [1\n",
        "- 1\n",
        "just words",
        "",
        '{"a": 1, "a": 2}',
        '{a: 1, "a": 2}',
        '{"a": [}',
        "a: " + "[" * (DEPTH_LIMIT + 1),
        '{"a": ' + "[" * (DEPTH_LIMIT + 1) + "]" * (DEPTH_LIMIT + 1) + "}",
        '{"a": ' + "[" * 50_000 + "]" * 50_000 + "}",
        "a:\n" + "- 1\n" * (COUNT_LIMIT + 1),
        "a: \x00\n",
    ],
)
def test_what_is_refused(source: str) -> None:
    """Anchors, tags, keys that stand twice, several documents, what is deep, broken or no mapping."""
    with pytest.raises(DragomanError) as caught:
        read_tree(source.encode())

    assert "input_invalid" == caught.value.code


@pytest.mark.parametrize("raw", [b"a: " + b"x" * SIZE_LIMIT, b"{a: '" + b"x" * JSON5_LIMIT + b"'}"])
def test_what_is_too_large(raw: bytes) -> None:
    """A file has a size that a person can have written."""
    with pytest.raises(DragomanError) as caught:
        read_tree(raw)

    assert "input_too_large" == caught.value.code


def test_not_utf_8() -> None:
    """Is told by its byte."""
    with pytest.raises(DragomanError, match="not UTF-8 at byte 3"):
        read_tree(b"a: \xff")


def test_what_nobody_read_is_told_at_its_top() -> None:
    """A path whose inside was partly read is opened; one that was not is told once; a leaf is never lost."""
    tree = read_tree(b"a: {b: 1, c: {d: 2}}\ne: [{f: 3, g: 4}, {f: 5}]\nh: 6\ni: 7\n")
    for steps in (("a", "b"), ("e", 0, "f"), ("h",), ("i", "deeper")):
        tree.get(*steps)

    assert ["a.c", "e[0].g", "e[1]", "i"] == list(tree.untaken())


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, True), ("true", True), ("on", True), ("No", False), ("1", None), (1, None), ("", None), (None, None)],
)
def test_a_yes_is_only_a_yes(value: object, expected: bool | None) -> None:
    """A yes or no by YAML's own words, and nothing else."""
    assert expected is truth(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["a", 12], ("a", "12")),
        ("a, b,", ("a", "b")),
        ("", ()),
        ([True], None),
        ([["a"]], None),
        (5, None),
        (None, None),
        ({"a": 1}, None),
    ],
)
def test_a_list_of_ids(value: object, expected: object) -> None:
    """A list or a text with commas; whatever else stands in it makes it no list."""
    assert expected == texts(value)
