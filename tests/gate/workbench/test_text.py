"""What is written down as a policy reads back as what went in, and every key is found again by its line."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dragoman.gate.policy_keys import CounterpartyEntry, PolicyFile, RecordEntry, TargetEntry, TargetName
from dragoman.gate.workbench.lines import line_numbers, line_of
from dragoman.gate.workbench.text import policy_text
from dragoman.words import Audience, Topic

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
TARGETS = st.builds(
    TargetEntry,
    platform=TEXTS,
    workspace=TEXTS,
    channel=TEXTS,
    audience=st.sampled_from(Audience),
    require_mention=st.booleans(),
    allowed_senders=st.none() | st.lists(TEXTS, max_size=9).map(tuple),
    takeover_seconds=st.integers(0, 9),
)
RECORDS = st.builds(
    RecordEntry,
    facts=st.lists(TEXTS, max_size=3).map(tuple),
    target=st.none() | st.builds(TargetName, platform=TEXTS, workspace=TEXTS, channel=TEXTS),
)
FILES = st.builds(
    PolicyFile,
    version=st.just(1),
    silence_token=TEXTS,
    burst_cap_seconds=st.floats(0, 60),
    draft_only=st.lists(st.sampled_from(Topic), max_size=7).map(tuple),
    targets=st.lists(TARGETS, max_size=3).map(tuple),
    counterparties=st.lists(st.builds(CounterpartyEntry, id=TEXTS, terms=st.lists(TEXTS).map(tuple)), max_size=2).map(
        tuple
    ),
    records=st.lists(RECORDS, max_size=2).map(tuple),
)


@given(FILES, TEXTS)
def test_what_is_written_reads_back(file: PolicyFile, note: str) -> None:
    """Whatever stands in a text or a note, no value ends its string and no note becomes a key."""
    text = policy_text(file, {"": note, "targets[0]": note, "targets[0].audience": note})

    assert file == msgspec.toml.decode(text, type=PolicyFile)


@given(FILES)
def test_every_row_has_its_line(file: PolicyFile) -> None:
    """The line of a row is the line of its header; the line of a key begins with the key."""
    text = policy_text(file)
    lines, numbers = text.split("\n"), line_numbers(text)

    for index in range(len(file.targets)):
        assert "[[targets]]" == lines[numbers[f"targets[{index}]"] - 1]
        assert lines[line_of(numbers, f"targets[{index}].audience") - 1].startswith("audience = ")
    assert lines[line_of(numbers, "version") - 1].startswith("version")


def test_what_stands_inside_a_string_or_a_bracket_is_no_key() -> None:
    """A header inside a text, a key inside an inline table, a comment that looks like a header."""
    text = 'version = 1\nsilence_token = """\n[[targets]]\nmode = 1"""\n# [[targets]]\n'
    text += 'targets = [\n  { platform = "a" },\n]\n'
    numbers = line_numbers(text)

    assert {"version": 1, "silence_token": 2, "targets": 6} == numbers


def test_the_line_of_what_has_none_is_the_line_around_it() -> None:
    """A path deeper than the file's lines is found at its row, its table, or not at all."""
    numbers = {"targets": 3, "targets[1]": 9}

    assert [9, 9, 3, 0] == [
        line_of(numbers, path)
        for path in ("targets[1].audience", "targets[1].allowed_senders[4]", "targets[...]", "grants[0].id")
    ]


def test_only_what_was_decided_is_written() -> None:
    """A default is not written."""
    assert "version = 1\n" == policy_text(PolicyFile(version=1))
