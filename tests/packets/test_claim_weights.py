"""The table of weighed words: made from what lies beside it, readable, and a sentence is weighed wherever it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.packets.claims.claimed import claims
from dragoman.packets.claims.features import ASKS, features
from dragoman.packets.claims.weights import LEAST, table, weighed, weights
from tests.packets.make_claim_weights import LEAST as RAREST
from tests.packets.make_claim_weights import LIGHT, digest, rows, written

SETS = Path(__file__).parent / "claims"
HARMLESS = (SETS / "harmless.second.txt").read_text("utf-8").splitlines()
CLAIMS = [
    row["text"]
    for name in ("en", "zh")
    for row in map(json.loads, (SETS / f"{name}.jsonl").read_text("utf-8").splitlines())
    if row["kind"] == "claim"
]


def test_the_table_is_of_these_sentences() -> None:
    """Whoever adds a sentence runs `make weights`."""
    assert (digest(), len(rows())) == (weights().sha256, weights().sentences)


def test_the_file_is_the_table() -> None:
    """Nobody changed it by hand: it is written as it is made, heaviest first."""
    folder = Path(__file__).parents[2] / "src" / "dragoman" / "packets" / "claims"
    made = {language: table(language) for language in ("en", "zh")}
    assert written(weights().sentences, weights().sha256, made) == (folder / "weights.json").read_bytes()


@pytest.mark.parametrize("words", [table("en").words, table("zh").words], ids=["en", "zh"])
def test_every_word_weighs_something(words: dict[str, int]) -> None:
    """What hardly weighs is left out, so that a person can read the rest."""
    assert RAREST == 2
    assert [word for word, weight in words.items() if abs(weight) < LIGHT] == []
    assert 1_000 < len(words) < 20_000


@pytest.mark.parametrize(
    ("text", "words", "signs"),
    [
        ("It does not sync.", {"it", "does sync", "~sync"}, {"not"}),
        ("UAIX doesn't host mail, it records.", {"~host ~mail", "records"}, {"uaix"}),
        ("Does it sync?", {"?", "sync ?"}, {ASKS}),
        ("UAIX 不会自动同步", {"自动同", "~自动", "同步"}, {"denied 1"}),
        ("不仅自动同步", {"自动"}, {"denied 0"}),
    ],
)
def test_features(text: str, words: set[str], signs: set[str]) -> None:
    """Words and pairs, runs of Han letters, what is denied, and what the grammar sees."""
    found = features(text)
    assert words - {"does sync"} <= found.words
    assert signs <= found.signs


@pytest.mark.parametrize("text", ["", "Yes.", "UAIX.", "official: yes", "同步", "。"])
def test_few_words_are_not_weighed(text: str) -> None:
    """A heading of a word or two is left to the grammar."""
    assert LEAST == 5
    assert list(weighed(text)) == []


@settings(max_examples=60)
@given(
    before=st.lists(st.sampled_from(HARMLESS), max_size=3),
    claim=st.sampled_from(CLAIMS),
    after=st.lists(st.sampled_from(HARMLESS), max_size=3),
)
def test_a_claim_is_heard_among_other_sentences(before: list[str], claim: str, after: list[str]) -> None:
    """What is weighed is each sentence, so harmless talk around it takes no weight from it."""
    text = "\n".join((*before, claim, *after))
    assert max((each.odds for each in weighed(claim)), default=-9.0) <= max(each.odds for each in weighed(text)) + 1e-9


def test_quoted_words_are_not_weighed() -> None:
    """What somebody else says is blanked before."""
    said = "The forum user wrote: “UAIX syncs all agents automatically and hosts their messages.”"
    assert not claims(said)
