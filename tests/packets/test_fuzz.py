"""Bytes of nobody's making: no exception, no hang, bounded memory; what is accepted has one stable byte form.

`make test` takes some hundred; `DRAGOMAN_FUZZ_SECONDS` goes on for so long (`make soak`: ten minutes, a fresh seed).
"""

from __future__ import annotations

import json
import os
import random
import resource
import time
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.packets.canonical import canonical
from dragoman.packets.forms import keyless
from dragoman.packets.read import DEFAULT_LIMITS, Document, read
from dragoman.packets.seal import keyed_of, written
from dragoman.packets.strict import places, read_strictly
from dragoman.packets.validate import validate
from dragoman.packets.verdict import Result
from tests.packets.material import NOW, vectors

SECONDS = int(os.environ.get("DRAGOMAN_FUZZ_SECONDS", "4"))
SLOWEST = 5.0
"""Seconds of processor time that the worst megabyte may take."""
MEGABYTE = DEFAULT_LIMITS.max_bytes

SEEDS = [each.raw for each in vectors()]
PASSING = [each for each in vectors() if each.expect["result"] == "pass" and isinstance(each.packet, dict)]
TOKENS = [
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\"),
    *(b"\\u0000", b"\\ud800", b"\xff", b"\xef\xbb\xbf", b"\x00", b"null"),
    *(b"1e400", b"-0", b"1.0", b"9007199254740992", b"{}", b"[]", b'"profile":', b'"a":1,"\\u0061":2', b"Infinity"),
    *("\u202e".encode(), "é".encode(), b"e\xcc\x81", b"[" * 70, b'{"a":' * 70),
]  # fmt: skip


def forms(packet: dict[str, Any]) -> tuple[bytes, bytes, bytes]:
    """Keyed with white space, minified, keyless."""
    return json.dumps(packet, indent=1).encode(), written(packet), orjson.dumps(keyless(packet))


def judge_all(raw: bytes) -> None:
    """Everything that reads these bytes does, and says the same again; what passes has one byte form in three forms."""
    verdict = validate(raw, now=NOW)
    assert verdict == validate(raw, now=NOW)
    assert isinstance(places(raw, DEFAULT_LIMITS), dict)
    document = read(raw)
    slow, problems = read_strictly(raw, DEFAULT_LIMITS)
    assert isinstance(document, Document) is (not problems) or document[0].rule in ("too_large", "too_deep")  # type: ignore[index]
    if not isinstance(document, Document):
        assert Result.FAIL is verdict.result
        return
    assert orjson.dumps(document.value) == orjson.dumps(slow)
    body = canonical(document.value, plain=document.plain)
    again = read(body)
    assert isinstance(again, Document)
    assert body == canonical(again.value, plain=again.plain) == canonical(again.value)
    if verdict.result is Result.PASS:
        packet = keyed_of(raw)
        for form in forms(packet):
            assert canonical(keyed_of(form)) == canonical(packet)
            assert (verdict.rules, verdict.message_id) == (
                (found := validate(form, now=NOW)).rules,
                found.message_id,
            )


def mutated(raw: bytes, chance: random.Random) -> bytes:
    """A few cuts, doublings, tokens and turned bits."""
    made = bytearray(raw)
    for _ in range(chance.randint(1, 4)):
        at, to = sorted((chance.randrange(len(made) + 1), chance.randrange(len(made) + 1)))
        what = chance.randrange(5)
        if what == 0:
            made[at:at] = chance.choice(TOKENS)
        elif what == 1:
            del made[at : min(to, at + 20)]
        elif what == 2:
            made[at:at] = made[at : min(to, at + 200)]
        elif what == 3 and made:
            made[at % len(made)] ^= 1 << chance.randrange(8)
        else:
            made[at : at + 1] = chance.choice(TOKENS)
    return bytes(made)


def grafted(raw: bytes, chance: random.Random) -> bytes:
    """A packet with a value of another put in some place, sealed by nobody."""
    try:
        value, other = orjson.loads(raw), orjson.loads(chance.choice(SEEDS))
    except orjson.JSONDecodeError:
        return raw
    box: Any = value
    while isinstance(box, (dict, list)) and box:
        key: Any = chance.choice(list(box)) if isinstance(box, dict) else chance.randrange(len(box))
        if not isinstance(box[key], (dict, list)) or not box[key] or chance.random() < 0.3:
            box[key] = chance.choice([other, None, {}, [], "", -1, 1.5, True, "\u202e\x00", {"\u00e9": [1e300]}])
            break
        box = box[key]
    return orjson.dumps(value)


@pytest.mark.timeout(SECONDS + 60)
def test_bytes_of_nobodys_making() -> None:
    """Vectors, broken in bytes and in values, in every form, for as long as it was told; memory does not grow."""
    chance = random.Random(20261006 if SECONDS < 60 else time.time_ns())
    end, count, settled = time.monotonic() + SECONDS, 0, 0
    while time.monotonic() < end:
        raw = chance.choice(SEEDS)
        judge_all(raw if chance.random() < 0.02 else chance.choice((mutated, grafted))(raw, chance))
        count += 1
        if count == 2_000:
            settled = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    print(f"{count} inputs")
    assert count > 100
    assert not settled or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - settled < 200_000


@given(st.binary(max_size=300))
def test_any_bytes(raw: bytes) -> None:
    """Bytes without any plan."""
    judge_all(raw)


@pytest.mark.parametrize("vector", PASSING[::7], ids=lambda each: f"{each.profile}-{each.name}")
def test_what_passes_is_stable(vector: Any) -> None:
    """In each of the three forms."""
    for form in forms(vector.packet):
        judge_all(form)


def worst() -> dict[str, Callable[[], bytes]]:
    """Megabytes that are meant to be slow."""
    example = PASSING[0].raw
    head, tail = example[:-1], b"}"
    return {
        "open arrays": lambda: b"[" * MEGABYTE,
        "open objects": lambda: b'{"a":' * (MEGABYTE // 5),
        "one text": lambda: b'"' + b"a" * (MEGABYTE - 2) + b'"',
        "escapes": lambda: b'"' + b"\\u0061" * (MEGABYTE // 6 - 1) + b'"',
        "wide text": lambda: b'"' + "𝄞".encode() * (MEGABYTE // 4 - 1) + b'"',
        "an open text": lambda: b'"' + b"\\" * (MEGABYTE - 1),
        "a long number": lambda: b"9" * MEGABYTE,
        "a long fraction": lambda: b"0." + b"9" * (MEGABYTE - 2),
        "lines": lambda: b"\n" * (MEGABYTE - 1) + b"1",
        "names twice": lambda: b"{" + b",".join([b'"a":1'] * (MEGABYTE // 6 - 1)) + b"}",
        "many names": lambda: b"{" + b",".join(b'"%d":1' % n for n in range(19_000)) + b"}",
        "unknown fields": lambda: head + b"," + b",".join(b'"f%d":1' % n for n in range(19_000)) + tail,
        "a claim again and again": lambda: example.replace(
            b'"support_boundary":"', b'"support_boundary":"' + b"UAIX delivers this by hosted messaging, not. " * 22_000
        ),
        "a secret again and again": lambda: example.replace(
            b'"support_boundary":"', b'"support_boundary":"' + b"password=hunter2horse " * 44_000
        ),
        "base64": lambda: example.replace(
            b'"support_boundary":"', b'"support_boundary":"' + b"cGFzc3dvcmQ9aHVudGVyMmhvcnNl" * 35_000
        ),
    }


@pytest.mark.parametrize("name", worst())
def test_the_worst_megabyte(name: str) -> None:
    """It is judged in bounded time, and its places are found in bounded time."""
    raw = worst()[name]()[:MEGABYTE]
    start = time.process_time()
    verdict = validate(raw, now=NOW)
    places(raw, DEFAULT_LIMITS)
    took = time.process_time() - start
    print(f"{name}: {took:.2f} s")

    assert Result.FAIL is verdict.result
    assert took < SLOWEST
