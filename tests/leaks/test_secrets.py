"""The table of shapes: each row finds what it is for, spares what comes near, and opens before it matches."""

from __future__ import annotations

import base64
import re
import time
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.leaks import Engine, Guard, Kind, StreamScan, Terms
from dragoman.leaks.secrets import SHAPES
from dragoman.leaks.shape import Shape

from .samples import ORDINARY_EN, ORDINARY_ZH, SHAPE_SAMPLES


@pytest.fixture(scope="module")
def guard(engine: Engine) -> Guard:
    """The guard of these tests over each engine."""
    return Guard(Terms({}, engine=engine))


ALPHABET = st.sampled_from([*map(chr, range(0x20, 0x7F)), "\n", "\t", *"密码口令密钥是为"])


def rules(guard: Guard, text: str) -> set[str]:
    """The rules that fire on a text."""
    return {hit.rule for hit in guard.scan(text)}


@pytest.mark.parametrize(("rule", "found", "near"), SHAPE_SAMPLES, ids=[row[0] for row in SHAPE_SAMPLES])
def test_shape_is_found_and_near_miss_is_not(guard: Guard, rule: str, found: str, near: str) -> None:
    """Each shape is found in its sample, alone and between Chinese words, and not in what merely resembles it."""
    assert rule in rules(guard, found)
    assert rule in rules(guard, f"请看 {found} 谢谢")
    assert rule not in rules(guard, near)


def holds_what_is_scanned(guard: Guard, text: str) -> None:
    """The short answer is the long one without its places."""
    assert guard.holds_secret(text) is any(hit.kind is Kind.SECRET for hit in guard.scan(text, terms=False))


def test_a_secret_is_held_where_one_is_found(guard: Guard) -> None:
    """Samples, near misses and ordinary talk, also encoded, escaped, among words and beyond the length of a run."""
    pieces = [*(row[1] for row in SHAPE_SAMPLES), *(row[2] for row in SHAPE_SAMPLES), *ORDINARY_EN, *ORDINARY_ZH]
    for piece in pieces:
        coded = base64.b64encode(piece.encode()).decode()
        for text in (piece, f"请看 {piece} ok", coded, quote(piece, safe=""), piece + " word" * 1_000, piece * 120):
            holds_what_is_scanned(guard, text)
    for text in ("", "\x00", "\u200b", "x" * 5_000, "\n"):
        holds_what_is_scanned(guard, text)


@given(st.lists(st.sampled_from([*(row[1] for row in SHAPE_SAMPLES), " ", "a", "=", "%41", "key"]), max_size=4))
def test_a_secret_is_held_in_any_mixture_where_one_is_found(guard: Guard, pieces: list[str]) -> None:
    """Samples glued to each other and to what surrounds them."""
    holds_what_is_scanned(guard, "".join(pieces))


def test_every_shape_has_a_sample() -> None:
    """No row of the table is without a sample, and no sample without a row."""
    assert {shape.rule for shape in SHAPES} == {rule for rule, _, _ in SHAPE_SAMPLES}


@pytest.mark.parametrize("text", ORDINARY_EN + ORDINARY_ZH)
def test_ordinary_message_is_clean(guard: Guard, text: str) -> None:
    """Dates, prices, phone numbers, links, addresses and trade talk in many languages hold nothing guarded."""
    assert set() == rules(guard, text)


def test_there_are_enough_ordinary_messages() -> None:
    """The list of ordinary messages stays long enough to mean something, in both languages."""
    assert len(set(ORDINARY_EN)) >= 80
    assert len(set(ORDINARY_ZH)) >= 39


@pytest.mark.parametrize("shape", SHAPES, ids=[shape.rule for shape in SHAPES])
def test_shape_without_opening_stays_within_one_run(shape: Shape) -> None:
    """A row without an opening cannot match white space or Chinese, so holding back one run holds back its match."""
    inside = shape.pattern[shape.pattern.index("(") :]
    wide = re.search(r"\\s|\\S|\\W|\(\?s|(?<!\\)\[\^|(?<![\\\[])\. ", inside[: _group_end(inside)])

    assert shape.opening or wide is None


def _group_end(pattern: str) -> int:
    """Where the capturing group that opens the pattern closes."""
    depth, inside_class = 0, False
    for place, char in enumerate(pattern):
        escaped = place > 0 and pattern[place - 1] == "\\"
        if escaped:
            continue
        if inside_class:
            inside_class = char != "]"
        elif char == "[":
            inside_class = True
        elif char in "()":
            depth += 1 if char == "(" else -1
            if depth == 0:
                return place
    return len(pattern)


@given(st.data())
def test_beginning_of_a_shape_is_never_released(guard: Guard, data: st.DataObject) -> None:
    """Whatever text matches a row, and wherever it is cut, its stream shows none of it."""
    shape = data.draw(st.sampled_from([shape for shape in SHAPES if shape.opening]))
    inside = shape.pattern.removeprefix(r"\b")
    match = data.draw(st.from_regex(inside, fullmatch=True, alphabet=ALPHABET).filter(lambda text: len(text) < 900))
    text = "Hello, all. " + match + " "
    stream = StreamScan(guard)
    shown = max(stream.push(char).upto for char in text)

    hits = guard.scan(text)
    assert hits
    assert shown <= min(hit.start for hit in hits)
    assert stream.close().upto == shown


@pytest.mark.parametrize("disguise", ["%67%68%70_", "%2567%2568%2570_", "g\u200bh\u00adp_", "ｇｈｐ＿", "ghр_"])
def test_disguised_key_is_found(guard: Guard, disguise: str) -> None:
    """Percent-encoding once or twice, invisible, full-width and Cyrillic letters do not hide a key."""
    assert "secret:github_token" in rules(guard, f"key: {disguise}a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6")


def test_run_too_long_to_check_is_a_hit(guard: Guard) -> None:
    """Text without a break for more than 4096 characters is held rather than passed unchecked."""
    assert set() == rules(guard, "x" * 4096)
    assert {"secret:unbroken_run"} == rules(guard, "x" * 4097)


def test_hits_are_bounded_on_hostile_text(guard: Guard) -> None:
    """A text full of matches reports at most sixteen places for each rule, whatever its length."""
    text = "AKIA" + "IOSFODNN7EXAMPLE " * 1 + ("AKIA" + "IOSFODNN7EXAMPLE ") * 5_000
    hits = guard.scan(text)

    assert len([hit for hit in hits if hit.rule == "secret:aws_access_key"]) == 16


def test_a_glued_beginning_is_held_back(engine: Engine) -> None:
    """`uncaughtpromise error`: the words run together, and the gap comes before the last of them."""
    scan = StreamScan(Guard(Terms({}, engine=engine)))

    assert {0} == {scan.push(char).upto for char in "uncaughtpromise error"}


@pytest.mark.parametrize("gap", [" ", "\n", "\n\n", " \n"])
def test_a_key_on_the_line_after_a_link_is_no_part_of_it(guard: Guard, gap: str) -> None:
    """A link ends with its line."""
    assert guard.holds_secret(f"see https://x.example/a{gap}Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0")
    assert not guard.holds_secret("see https://x.example/Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0")


@pytest.mark.parametrize("piece", ["\\n", "\\nab\\", "\\tab.c-d\\r"])
def test_escapes_without_white_space_take_no_square_time(guard: Guard, piece: str) -> None:
    """Eight times the text takes about eight times as long."""

    def seconds(times: int) -> float:
        start = time.process_time()
        guard.scan(piece * times)
        return time.process_time() - start

    seconds(100)
    short = min(seconds(5_000) for _ in range(2))
    assert seconds(40_000) < max(0.2, 24 * short)
