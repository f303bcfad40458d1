"""The tokens by which texts are found: the same for entries, queries and subscriptions, in English and Chinese."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.hub import tokens

HELD = [
    ("Ｌｅｇａｌ　ＡＤＶＩＣＥ", {"legal", "advice"}),
    ("iPhone手机壳", {"iphone", "手", "机", "壳", "手机", "机壳"}),
    ("Translations, taxes & companies", {"translation", "taxe", "company"}),
    ("glass bus this as", {"glass", "bus", "this", "as"}),
    ("ﾃﾞｰﾀ", {"デ", "ー", "タ", "デー", "ータ"}),
    ("Straße", {"strasse"}),
    ("  …!?  ", set()),
]


@pytest.mark.parametrize(("text", "expected"), HELD, ids=[text for text, _ in HELD])
def test_what_a_text_holds(text: str, expected: set[str]) -> None:
    """Width and case are folded, plurals are singular, Han is cut into characters and pairs."""
    assert expected == set(tokens.held("", text))


WANTED = [
    ("翻译", ["翻译"]),
    ("译", ["译"]),
    ("中英翻译", ["中英", "翻译", "英翻"]),
    ("legal 翻译", ["legal", "翻译"]),
    ("", []),
    ("？！", []),
]


@pytest.mark.parametrize(("query", "expected"), WANTED, ids=[query for query, _ in WANTED])
def test_what_a_query_asks_for(query: str, expected: list[str]) -> None:
    """Pairs of a Chinese word, the character when it is alone, every English word; punctuation asks for nothing."""
    assert expected == tokens.wanted(query)


TAGS = [
    ("Machine Translation", "machine-translation"),
    ("机器 翻译", "机器-翻译"),
    ("ｃ++", "c"),
    ("a_b", "a-b"),
    ("§§", ""),
]


@pytest.mark.parametrize(("text", "expected"), TAGS, ids=[text for text, _ in TAGS])
def test_a_tag_has_one_spelling(text: str, expected: str) -> None:
    """Whatever way it was typed, and the spelling of a spelling is itself."""
    assert (expected, expected) == (tokens.tag_of(text), tokens.tag_of(expected))


TEXT = st.text(
    st.one_of(st.sampled_from("abcs 翻译法律手机，。§·-'\"\\ﾃﾞÀß"), st.characters(codec="utf-8")), max_size=40
)


@given(TEXT, TEXT, st.lists(TEXT, max_size=3))
def test_an_entry_is_found_by_its_own_words(title: str, text: str, raw: list[str]) -> None:
    """Asking for the title, the text or a tag of an entry finds it."""
    tags = [tag for each in raw if (tag := tokens.tag_of(each))]
    found = tokens.held(title, text, tags)

    assert tokens.matches(tokens.wanted(title), found)
    assert tokens.matches(tokens.wanted(text, tags), found)


HAN = st.text(st.sampled_from("翻译法律手机合同审查"), min_size=1, max_size=8)


@given(HAN, HAN, HAN)
def test_a_chinese_word_finds_every_text_that_holds_it(before: str, word: str, after: str) -> None:
    """Whatever stands before and behind it, spaces or none."""
    assert tokens.matches(tokens.wanted(word), tokens.held("", before + word + after))


@given(TEXT)
def test_tokens_are_safe_words_for_any_engine(text: str) -> None:
    """No token holds a space, a quote, a backslash or a control character; folding again changes nothing."""
    found = [*tokens.held(text, text, [tag] if (tag := tokens.tag_of(text)) else []), *tokens.wanted(text)]

    assert [] == [token for token in found if not token or any(each in " \t\n\r\0'\"\\&|!():*" for each in token)]
    assert max((len(token) for token in found if not token.startswith("§")), default=0) <= tokens.WORD


@given(TEXT, TEXT)
def test_asking_for_more_finds_no_more(one: str, two: str) -> None:
    """The tokens of two words asked together are those of each."""
    assert set(tokens.wanted(f"{one} {two}")) == {*tokens.wanted(one), *tokens.wanted(two)}
