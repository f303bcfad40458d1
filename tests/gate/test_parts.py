"""What a draft carries beside its text: every text of it has a place, is bounded, and is read (spec 1 §5)."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.gate.parts import (
    FILE_BYTES,
    MOST,
    NOTHING,
    READ_BYTES,
    ROWS,
    Button,
    Card,
    Field,
    File,
    Link,
    PartKind,
    Parts,
    Passage,
    Poll,
    decoded,
    encoded,
    fault,
    passages,
    read,
    unread,
)
from tests.gate.draft_parts import PICTURE, PLACES, PLAIN

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20)
NAMED = WORDS.filter(bool)
FILES = st.builds(File, name=NAMED, content=st.binary(max_size=64), media_type=NAMED, caption=WORDS, alt=WORDS)
BUTTONS = st.builds(Button, label=NAMED, link=WORDS)
CARDS = st.builds(
    Card,
    title=WORDS,
    text=WORDS,
    fields=st.lists(st.builds(Field, name=WORDS, value=WORDS), max_size=3).map(tuple),
    buttons=st.lists(BUTTONS, max_size=2).map(tuple),
)
POLLS = st.builds(Poll, question=WORDS, options=st.lists(WORDS, max_size=3).map(tuple))
LINKS = st.builds(Link, target=NAMED, title=WORDS)
PARTS = st.builds(
    Parts,
    subject=WORDS,
    files=st.lists(FILES, max_size=2).map(tuple),
    buttons=st.lists(BUTTONS, max_size=2).map(tuple),
    cards=st.lists(CARDS, max_size=2).map(tuple),
    polls=st.lists(POLLS, max_size=2).map(tuple),
    links=st.lists(LINKS, max_size=2).map(tuple),
)


@pytest.mark.parametrize("place", PLACES)
def test_a_text_is_found_at_its_place(place: str) -> None:
    """Each place of each kind of part is a passage that has the text that was put there."""
    found = {passage.place: passage.text for passage in passages(PLAIN, PLACES[place]("marker"))}

    assert "marker" in found[place]
    assert PLAIN == found["text"]


@given(PARTS)
def test_no_text_of_a_part_is_without_a_place(parts: Parts) -> None:
    """Whatever the parts are: each of their strings stands in some passage, so nothing can be shown unread."""

    def strings(value: object) -> list[str]:
        if isinstance(value, str):
            return [value]
        if isinstance(value, dict):
            return [text for each in value.values() for text in strings(each)]
        return [text for each in value for text in strings(each)] if isinstance(value, list | tuple) else []

    known = {passage.text for passage in passages("", parts)}
    assert set() == {text for text in strings(msgspec.to_builtins(parts, builtin_types=(bytes,))) if text} - known


@given(PARTS)
def test_parts_come_back_from_their_bytes(parts: Parts) -> None:
    """What is filed is what is sent again, and its bytes are the same, so that its hash is."""
    assert parts == decoded(encoded(parts)) if parts else NOTHING == decoded(encoded(parts))
    assert encoded(parts) == encoded(decoded(encoded(parts)))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", ""),
        (b"plain", "plain"),
        ("\ufeff日期".encode(), "日期"),
        (b"a\tb\r\nc", "a\tb\r\nc"),
        (b"\x89PNG\r\n", None),
        ("UTF-16".encode("utf-16"), None),
        (b"caf\xe9", None),
        (b"a\x00b", None),
        (b"a\x1b[31mb", None),
        (b"%PDF-1.4 Tj", None),
        (b"  {\\rtf1 \\'4e", None),
        (b"MIME-Version: 1.0", None),
        (b"x" * READ_BYTES, "x" * READ_BYTES),
        (b"x" * (READ_BYTES + 1), None),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_which_content_can_be_read(content: bytes, text: str | None) -> None:
    """UTF-8 without control characters, of bounded size, of no format with a code of its own; nothing is guessed."""
    assert text == read(content)
    assert (("file[0].content",) if text is None else ()) == unread(Parts(files=(File(name="a", content=content),)))


GOOD = File(name="note.txt", content=b"x")
POLL = Poll(question="Open?", options=("yes", "no"))

FAULTS: list[tuple[Parts, str, str]] = [
    (Parts(files=(GOOD,) * (MOST[PartKind.FILE] + 1)), "file", "part:too_many"),
    (Parts(links=(Link(target="https://a.example"),) * 26), "link", "part:too_many"),
    (Parts(cards=(Card(fields=(Field(name="a", value="b"),) * (ROWS + 1)),)), "card[0].field", "part:too_many"),
    (Parts(cards=(Card(title="a", buttons=(Button(label="b"),) * (ROWS + 1)),)), "card[0].button", "part:too_many"),
    (Parts(polls=(Poll(question="a", options=("b",)),)), "poll[0].option", "part:too_many"),
    (Parts(files=(File(name="a", content=bytes(FILE_BYTES + 1)),)), "file[0].content", "part:too_large"),
    (Parts(files=(File(name="a", content=bytes(FILE_BYTES)),) * 3), "file", "part:too_large"),
    (Parts(files=(File(name="../a", content=b""),)), "file[0].name", "part:file_name"),
    (Parts(files=(File(name="c:\\a", content=b""),)), "file[0].name", "part:file_name"),
    (Parts(files=(File(name="..", content=b""),)), "file[0].name", "part:file_name"),
    (Parts(files=(File(name=" a", content=b""),)), "file[0].name", "part:file_name"),
    (Parts(files=(File(name="", content=b""),)), "file[0].name", "part:empty"),
    (Parts(files=(File(name="a", content=b"", media_type="text"),)), "file[0].media_type", "part:media_type"),
    (Parts(files=(File(name="a", content=b"", media_type="a/b\r\nc: d"),)), "file[0].media_type", "part:media_type"),
    (Parts(subject="a\r\nBcc: b@c.example"), "subject", "part:control_character"),
    (Parts(subject="s" * 256), "subject", "part:too_long"),
    (Parts(buttons=(Button(label=" "),)), "button[0].label", "part:empty"),
    (Parts(buttons=(Button(label="a\nb"),)), "button[0].label", "part:control_character"),
    (Parts(cards=(Card(),)), "card[0]", "part:empty"),
    (Parts(cards=(Card(text="a\x1b[0m"),)), "card[0].text", "part:control_character"),
    (Parts(links=(Link(target=""),)), "link[0].target", "part:empty"),
    (Parts(polls=(Poll(question="", options=("b", "c")),)), "poll[0].question", "part:empty"),
    (Parts(polls=(Poll(question="a", options=("b", "c" * 201)),)), "poll[0].option[1]", "part:too_long"),
]


@pytest.mark.parametrize(
    ("parts", "place", "rule"), FAULTS, ids=[f"{row[1]} {row[2]} {n}" for n, row in enumerate(FAULTS)]
)
def test_what_is_wrong_with_parts_is_named(parts: Parts, place: str, rule: str) -> None:
    """Number, size and form of every part are bounded; the first fault is told by its place."""
    assert (place, rule) == fault(parts)


def test_ordinary_parts_have_no_fault() -> None:
    """The positive control: one of everything, line breaks where a text may have them."""
    parts = Parts(
        subject="Dates",
        files=(GOOD, PICTURE),
        buttons=(Button(label="Open", link="https://a.example"),),
        cards=(Card(title="Dates", text="One.\nTwo.", fields=(Field(name="Open", value="yes\nno"),)),),
        polls=(POLL,),
        links=(Link(target="https://a.example"),),
    )

    assert fault(parts) is None
    assert dict.fromkeys(PartKind, 1) | {PartKind.FILE: 2} == parts.counts()
    assert not NOTHING
    assert Passage("text", PLAIN) == passages(PLAIN, NOTHING)[0]
