"""Folding takes disguises off, one character at a time, and knows the way back."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.leaks import fold

DISGUISES = (
    # what is written, what it says
    ("FALCON", "falcon"),
    ("Ｆａｌｃｏｎ", "falcon"),
    ("F\u200ba\u200dl\u00adc\u2060o\ufeffn", "falcon"),
    ("Fаlсоn", "falcon"),
    ("Fαlcοn", "falcon"),
    ("F\u0301a\u0308lc\u0327o\u0302n", "falcon"),
    ("Fálçón", "falcon"),
    ("𝐅𝓪𝔩𝕔𝖔𝗇", "falcon"),
    ("ⓕⓐⓛⓒⓞⓝ", "falcon"),
    ("🅕🅐🅛🅒🅞🅝", "falcon"),
    ("ꜰᴀʟᴄᴏɴ", "falcon"),
    ("Straße, Łódź", "strasse, lodz"),
    ("４２．５", "42.5"),
    ("٤٢.٥ ४२", "42.5 42"),
    ("sk‐test–x", "sk-test-x"),
    ("ΣΑΣ σας", "σaσ σaσ"),
    ("猎鹰，项目。", "猎鹰,项目."),
    ("a\u2003b\u00a0c\u2028d", "a b c\nd"),
    ("a\x00b\x1bc\x7fd", "abcd"),
    ("é\x00", "e"),
    ("\ud800", " "),
    ("\U000e0046\U000e0061", " f  a "),
)


@pytest.mark.parametrize(("written", "says"), DISGUISES)
def test_disguise_is_taken_off(written: str, says: str) -> None:
    """Each way of writing folds to what a reader would read."""
    assert says == fold(written).text


@pytest.mark.slow
def test_folding_looks_at_single_characters_only() -> None:
    """All of Unicode folded at once is the same as each character folded alone, so chunk ends cannot matter."""
    everything = "".join(map(chr, range(sys.maxunicode + 1)))

    assert "".join(fold(char).text for char in everything) == fold(everything).text


def test_folding_twice_changes_nothing() -> None:
    """Every character's folded form is its own folded form."""
    folded = fold("".join(map(chr, range(sys.maxunicode + 1)))).text

    assert folded == fold(folded).text


@given(st.text())
def test_every_folded_character_knows_its_origin(text: str) -> None:
    """A folded place leads back to the original character that made it, in order."""
    folded = fold(text)

    assert len(folded.text) == len(folded.cased) == len(folded.origins)
    assert sorted(folded.origins) == folded.origins
    assert all(folded.text[nth] in fold(text[origin]).text for nth, origin in enumerate(folded.origins))


def test_span_leads_back_to_the_original() -> None:
    """The span of a folded word covers the written word with the invisible characters inside it."""
    written = "say Ｆ\u200bal\u0301con now"

    assert written[slice(*fold(written).span(4, 10))] == "Ｆ\u200bal\u0301con"
