"""What can a draft carry beside its text, and which texts are in it? (spec 1 §5 "Checked", §7)

1. Parts are a subject, files, buttons, cards, polls and links; every one of their strings is a passage with a place
   ("subject", "file[0].name", "card[1].field[2].value"), in the order in which they are read. Nothing else of a part
   can be shown.
2. The content of a file is a passage when it can be read: UTF-8, at most `READ_BYTES`, no control characters, and no
   format that writes its words in a code of its own. What cannot be read is named by `unread`, never guessed at.
3. Number and size of everything are bounded (`fault`), names are names and not paths, single lines are single lines.
4. Two neighbours may be read as one: `neighbours` gives the sequences in which what is cut in two must be looked for.

Pure; decides nothing. `encoded` is the one byte form of parts: what is hashed, filed and sent again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

READ_BYTES: Final = 262_144
"""Bytes of a file's content that are read; more is content that nobody checked."""
FILE_BYTES: Final = 16 * 1024 * 1024
ALL_BYTES: Final = 32 * 1024 * 1024
JOINT: Final = 1_200
"""Characters on each side of a joint that matter: no guarded thing is longer."""


class PartKind(StrEnum):
    """What an operation may be declared to carry."""

    SUBJECT = "subject"
    FILE = "file"
    BUTTON = "button"
    CARD = "card"
    POLL = "poll"
    LINK = "link"


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part is strict: an unknown key is an error."""


class File(_Part, frozen=True, kw_only=True):
    """One file. `content` is what leaves, byte for byte; in JSON it is base64."""

    name: str
    content: bytes
    media_type: str = "application/octet-stream"
    caption: str = ""
    alt: str = ""


class Button(_Part, frozen=True, kw_only=True):
    """Something to press; without a `link` the platform reports the press."""

    label: str
    link: str = ""


class Field(_Part, frozen=True, kw_only=True):
    """One row of a card."""

    name: str
    value: str


class Card(_Part, frozen=True, kw_only=True):
    """A rich block."""

    title: str = ""
    text: str = ""
    fields: tuple[Field, ...] = ()
    buttons: tuple[Button, ...] = ()


class Poll(_Part, frozen=True, kw_only=True):
    """A question with options."""

    question: str
    options: tuple[str, ...]


class Link(_Part, frozen=True, kw_only=True):
    """A shown link: where it goes, and what is shown instead of it."""

    target: str
    title: str = ""


class Parts(_Part, frozen=True, kw_only=True):
    """Everything that a draft carries beside its text."""

    subject: str = ""
    files: tuple[File, ...] = ()
    buttons: tuple[Button, ...] = ()
    cards: tuple[Card, ...] = ()
    polls: tuple[Poll, ...] = ()
    links: tuple[Link, ...] = ()

    def __bool__(self) -> bool:
        return any(self.counts().values())

    def counts(self) -> Mapping[PartKind, int]:
        """How many parts of each kind there are."""
        return {
            PartKind.SUBJECT: int(bool(self.subject)),
            PartKind.FILE: len(self.files),
            PartKind.BUTTON: len(self.buttons),
            PartKind.CARD: len(self.cards),
            PartKind.POLL: len(self.polls),
            PartKind.LINK: len(self.links),
        }


NOTHING: Final = Parts()


def encoded(parts: Parts) -> bytes:
    """The byte form of parts; empty when there are none. Equal parts have equal bytes."""
    return msgspec.msgpack.encode(parts) if parts else b""


def decoded(body: bytes) -> Parts:
    """The parts of a byte form.

    Raises:
        msgspec.DecodeError: the bytes are none.
    """
    return msgspec.msgpack.decode(body, type=Parts) if body else NOTHING


# --- passages --------------------------------------------------------------------------------------------------------


class Voice(StrEnum):
    """How a passage is read: as prose, as an address or type that is not prose, or only when the file is opened."""

    PROSE = "prose"
    ADDRESS = "address"
    CONTENT = "content"


class Passage(NamedTuple):
    """One text of a draft and its place."""

    place: str
    text: str
    voice: Voice = Voice.PROSE


def passages(text: str, parts: Parts) -> tuple[Passage, ...]:
    """Every text of a draft that is not empty, in reading order."""
    if not parts:
        return (Passage("text", text),) if text else ()
    return tuple(passage for passage in _all(text, parts) if passage.text)


def _all(text: str, parts: Parts) -> Iterator[Passage]:
    yield Passage("subject", parts.subject)
    yield Passage("text", text)
    for at, link in enumerate(parts.links):
        yield Passage(f"link[{at}].title", link.title)
        yield Passage(f"link[{at}].target", link.target, Voice.ADDRESS)
    for at, card in enumerate(parts.cards):
        yield Passage(f"card[{at}].title", card.title)
        yield Passage(f"card[{at}].text", card.text)
        for row, field in enumerate(card.fields):
            yield Passage(f"card[{at}].field[{row}].name", field.name)
            yield Passage(f"card[{at}].field[{row}].value", field.value)
        yield from _buttons(f"card[{at}].", card.buttons)
    for at, poll in enumerate(parts.polls):
        yield Passage(f"poll[{at}].question", poll.question)
        yield from (Passage(f"poll[{at}].option[{row}]", option) for row, option in enumerate(poll.options))
    yield from _buttons("", parts.buttons)
    for at, file in enumerate(parts.files):
        yield Passage(f"file[{at}].name", file.name)
        yield Passage(f"file[{at}].media_type", file.media_type, Voice.ADDRESS)
        yield Passage(f"file[{at}].caption", file.caption)
        yield Passage(f"file[{at}].alt", file.alt)
        yield Passage(f"file[{at}].content", read(file.content) or "", Voice.CONTENT)


def _buttons(where: str, buttons: tuple[Button, ...]) -> Iterator[Passage]:
    for at, button in enumerate(buttons):
        yield Passage(f"{where}button[{at}].label", button.label)
        yield Passage(f"{where}button[{at}].link", button.link, Voice.ADDRESS)


def as_said(text: str, parts: Parts) -> tuple[str, ...]:
    """What of a draft is seen without opening a file, the text last or what comes with it: what the next message stands
    behind, in each order in which a client may show it."""
    rest = [passage.text for passage in passages("", parts) if passage.voice is Voice.PROSE] if parts else []
    return tuple("\n".join(filter(None, order)) for order in ([*rest, text], [text, *rest]))


_INDEX: Final = re.compile(r"\[\d+\]")


def neighbours(said: tuple[Passage, ...], shown: str = "") -> Iterator[tuple[Passage, ...]]:
    """Sequences of passages that may be read one after the other, the middle of long ones left out.

    They are: all of them; what is seen without opening a file; the text followed by all passages of one kind (the
    values of a card without their names, the labels of a row of buttons). `shown` is what stood there before.
    """
    before = (Passage("shown", shown[-JOINT:]),) if shown else ()
    kinds: dict[str, list[Passage]] = {}
    for passage in said:
        kinds.setdefault(_INDEX.sub("[]", passage.place), []).append(passage)
    lead = tuple(kinds.pop("text", ()))
    seen: set[tuple[str, ...]] = set()
    for sequence in (
        said,
        tuple(passage for passage in said if passage.voice is Voice.PROSE),
        *((*lead, *column) for column in kinds.values()),
    ):
        for run in _runs((*before, *sequence)):
            places = tuple(passage.place for passage in run)
            if len(run) > 1 and places not in seen:
                seen.add(places)
                yield run


def _runs(sequence: tuple[Passage, ...]) -> Iterator[tuple[Passage, ...]]:
    """The sequence, cut in the middle of every passage that is longer than both its joints."""
    run: list[Passage] = []
    for passage in sequence:
        if len(passage.text) <= 2 * JOINT:
            run.append(passage)
            continue
        yield (*run, passage._replace(text=passage.text[:JOINT]))
        run = [passage._replace(text=passage.text[-JOINT:])]
    yield tuple(run)


# --- file content ----------------------------------------------------------------------------------------------------

_CODED: Final = (b"%PDF", b"%!PS", b"{\\rtf", b"begin ", b"From ", b"Return-Path:", b"MIME-Version:", b"Received:")
"""Beginnings of formats whose bytes are readable and whose words are not."""
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f\x7f]")


def read(content: bytes) -> str | None:
    """The text of a file's content, or None when it cannot be checked as text."""
    if len(content) > READ_BYTES or _CONTROL.search(content) or content.lstrip().startswith(_CODED):
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def unread(parts: Parts) -> tuple[str, ...]:
    """The places of the files whose content nobody checked."""
    return tuple(f"file[{at}].content" for at, file in enumerate(parts.files) if read(file.content) is None)


# --- limits ----------------------------------------------------------------------------------------------------------

MOST: Final[Mapping[PartKind, int]] = {
    PartKind.SUBJECT: 1,
    PartKind.FILE: 10,
    PartKind.BUTTON: 25,
    PartKind.CARD: 10,
    PartKind.POLL: 4,
    PartKind.LINK: 25,
}
"""The most parts of each kind in one draft; an operation may be declared to carry fewer."""
ROWS: Final = 25
"""The most fields or buttons of one card, and options of one poll."""
LONGEST: Final[Mapping[str, int]] = {
    "subject": 255,
    "title": 300,
    "name": 255,
    "value": 2_000,
    "media_type": 127,
    "caption": 4_000,
    "alt": 2_000,
    "label": 200,
    "question": 500,
    "option": 200,
    "link": 2_048,
    "target": 2_048,
}
"""The most characters of a passage, by the last word of its place; the text of a card is bounded as a value is."""
_SINGLE_LINE: Final = frozenset(LONGEST) - {"caption", "alt", "value"}
_LINE_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_TEXT_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MEDIA_TYPE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*")
_LAST: Final = re.compile(r"([a-z_]+)(?:\[\d+\])?\Z")


def fault(parts: Parts) -> tuple[str, str] | None:
    """The first thing that is too many, too large or malformed: its place and a rule id; None when all is well."""
    for kind, count in parts.counts().items():
        if count > MOST[kind]:
            return kind, "part:too_many"
    for place, count in _rows(parts):
        if not 0 <= count <= ROWS:
            return place, "part:too_many"
    if sum(len(file.content) for file in parts.files) > ALL_BYTES:
        return "file", "part:too_large"
    for at, file in enumerate(parts.files):
        if len(file.content) > FILE_BYTES:
            return f"file[{at}].content", "part:too_large"
        if not _MEDIA_TYPE.fullmatch(file.media_type):
            return f"file[{at}].media_type", "part:media_type"
        if file.name != file.name.strip() or file.name in {".", ".."} or set(file.name) & set("/\\"):
            return f"file[{at}].name", "part:file_name"
    return _missing(parts) or _malformed(parts)


def _rows(parts: Parts) -> Iterator[tuple[str, int]]:
    for at, card in enumerate(parts.cards):
        yield f"card[{at}].field", len(card.fields)
        yield f"card[{at}].button", len(card.buttons)
    for at, poll in enumerate(parts.polls):
        yield f"poll[{at}].option", len(poll.options) if len(poll.options) > 1 else -1


def _missing(parts: Parts) -> tuple[str, str] | None:
    """What is nothing without a word: a file's name, a label, a question, a target, a whole card."""
    needed = [(f"file[{at}].name", file.name) for at, file in enumerate(parts.files)]
    needed += [(f"link[{at}].target", link.target) for at, link in enumerate(parts.links)]
    needed += [(f"button[{at}].label", button.label) for at, button in enumerate(parts.buttons)]
    for at, poll in enumerate(parts.polls):
        needed += [(f"poll[{at}].question", poll.question)]
        needed += [(f"poll[{at}].option[{row}]", option) for row, option in enumerate(poll.options)]
    for at, card in enumerate(parts.cards):
        needed += [(f"card[{at}].button[{row}].label", button.label) for row, button in enumerate(card.buttons)]
        needed += [(f"card[{at}]", card.title + card.text + "".join(f.name + f.value for f in card.fields))]
    return next(((place, "part:empty") for place, text in needed if not text.strip()), None)


def _malformed(parts: Parts) -> tuple[str, str] | None:
    for place, text, voice in passages("", parts):
        found = _LAST.search(place)
        word = found[1] if found else ""
        if voice is Voice.CONTENT:
            continue
        if len(text) > LONGEST.get(word, LONGEST["value"]):
            return place, "part:too_long"
        if (_LINE_CONTROL if word in _SINGLE_LINE else _TEXT_CONTROL).search(text):
            return place, "part:control_character"
    return None
