"""A long text in several messages: nothing is lost, nothing is cut that people see as one (spec 1 §4, §5)."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.gate.graphemes import may_cut
from dragoman.gate.split import split

CLUSTERS = [
    "e\u0301",
    "👩\u200d👩\u200d👧",
    "👍🏽",
    "🇩🇪",
    "❤\ufe0f",
    "각",
    "\u1112\u1161\u11ab",
    "क\u094dषि",
    "\u0e01\u0e33",
    "\r\n",
]
"""What people see as one character, though it is several."""
PROSE = st.lists(
    st.sampled_from(
        ["word", " ", ". ", "\n\n", "\n", "日期已定。", "，", *CLUSTERS, "`x y`", "https://a.example/b?c=d "]
    ),
    max_size=60,
).map("".join)


@given(text=PROSE, limit=st.integers(8, 60))
def test_nothing_is_lost_and_no_cluster_is_cut(text: str, limit: int) -> None:
    """The pieces in their order are the text, none is too long or empty to the eye, and each cut is allowed."""
    pieces = split(text, limit, 100)

    if pieces is None:
        return
    assert text == "".join(pieces)
    assert all(len(piece) <= limit for piece in pieces)
    if len(pieces) > 1:
        assert all(piece.strip() for piece in pieces)
    places = [sum(map(len, pieces[:n])) for n in range(1, len(pieces))]
    inside = [
        m.span() for m in re.finditer("|".join(map(re.escape, (*CLUSTERS, "`x y`", "https://a.example/b?c=d"))), text)
    ]
    assert not [at for at in places for start, end in inside if start < at < end]


@given(st.text(max_size=400), st.integers(20, 60))
def test_any_text_is_split_whole_or_not_at_all(text: str, limit: int) -> None:
    """Whatever it is: the pieces make the text, or there are none; a mark never begins a piece."""
    pieces = split(text, limit, 50)

    assert pieces is None or text == "".join(pieces)
    for piece in (pieces or ())[1:]:
        assert unicodedata.category(piece[0]) not in {"Mn", "Me", "Mc", "Cf"}


@pytest.mark.parametrize("cluster", CLUSTERS, ids=ascii)
def test_a_cluster_has_no_place_to_cut(cluster: str) -> None:
    """Marks, joiners, skin tones, flags, jamo, conjuncts: cut before or behind, never inside."""
    text = f"a{cluster}b"

    assert [1, len(text) - 1] == [at for at in range(1, len(text)) if may_cut(text, at)]


def test_flags_in_a_row_are_counted_from_the_first() -> None:
    """Between two flags there is a place, inside one there is none."""
    text = "🇩🇪🇫🇷🇨🇳"

    assert [0, 2, 4, 6] == [at for at in range(len(text) + 1) if may_cut(text, at)]


FENCE = "```\nfirst line\nsecond line\n```\n"


@pytest.mark.parametrize(
    ("text", "limit", "pieces"),
    [
        ("One two. Three four.\n\nFive six.", 24, ("One two. Three four.\n\n", "Five six.")),
        ("One two. Three four. Five six.", 24, ("One two. Three four. ", "Five six.")),
        ("one two three four five six", 16, ("one two three ", "four five six")),
        ("日期已定。我们周一见。请确认。", 12, ("日期已定。我们周一见。", "请确认。")),
        ("abcdefghij", 4, ("abcd", "efgh", "ij")),
        (f"Some words.\n{FENCE}", 32, ("Some words.\n", FENCE)),
        (f"Some words.\n{FENCE}", 20, None),
        ("See https://a.example/long/path/to/it now", 36, ("See ", "https://a.example/long/path/to/it ", "now")),
        ("See https://a.example/long/path/to/it now", 20, None),
        ("See [the long list](https://a.example) now", 36, ("See ", "[the long list](https://a.example) ", "now")),
        ("a" + " " * 30 + "b", 10, None),
        ("short", 5, ("short",)),
        ("longer", 0, None),
    ],
    ids=ascii,
)
def test_where_a_text_is_cut(text: str, limit: int, pieces: tuple[str, ...] | None) -> None:
    """Paragraph, sentence, word, character; code and links whole, or not at all."""
    assert pieces == split(text, limit, 9)


def test_more_pieces_than_there_may_be_are_none() -> None:
    """The number of messages is bounded."""
    assert split("word " * 8, 10, 4) is not None
    assert split("word " * 9, 10, 4) is None
