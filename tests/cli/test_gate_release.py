"""`dragoman gate release`: one text or stream in, what would have left out; `sent` never says more than that."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.desk import COMMAND, Desk, one_object, process, refused, told, visible

CLEAN = "Thank you for asking. The open start dates are 6 October 2026 and 13 October 2026. Which one suits you?"
CHINESE = "谢谢您的询问。可以开始的日期是2026年10月6日和2026年10月13日。您看哪天合适？"
PATH = "The list lies in /srv/desk/contracts/list.yaml now."
FOREIGN = "We delivered to the Northwind depot last week."


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A fresh folder."""
    return Desk(tmp_path)


# --- the answer ------------------------------------------------------------------------------------------------------

SHAPE: dict[str, type | tuple[type, ...]] = {
    "release": str,
    "reason": str,
    "audience": str,
    "sent": list,
    "draft_sha256": (str, type(None)),
    "findings": list,
}
"""Every key that `release` prints, in this order, with its type. Changing one breaks its users."""
SENT_SHAPE = {"operation": str, "text": str}
"""Every key of one element of `sent`."""


@pytest.mark.parametrize(
    ("text", "words", "outcome", "reason"),
    [
        (CLEAN, ("--admitted",), "send", "released"),
        (CHINESE, ("--admitted",), "send", "released"),
        (CLEAN, ("--grant", "weekly"), "send", "released"),
        (CLEAN, (), "deny", "no_delivery_authority"),
        (CLEAN, ("--grant", "old"), "deny", "grant_expired"),
        (CLEAN, ("--admitted", "--now", "9999-01-01T00:00:00Z"), "send", "released"),
        ("", ("--admitted",), "deny", "empty_text"),
        (" \n", ("--admitted",), "deny", "empty_text"),
        ("NO_REPLY", ("--admitted",), "deny", "empty_text"),
        (" NO_REPLY\n", ("--grant", "weekly"), "deny", "empty_text"),
        ("Please sign the order and pay the deposit.", ("--admitted",), "deny", "hard_stop"),
        (PATH, ("--admitted",), "hold", "leak_suspected"),
        (FOREIGN, ("--admitted",), "hold", "leak_suspected"),
        ("Project Falcon is on its way.", ("--admitted",), "send", "released"),
        ("Our rate is 12 euros per unit.", ("--admitted",), "hold", "draft_only_topic"),
        ("20 October 2026 is open too.", ("--admitted",), "hold", "unverified_claim"),
        ("word " * 8001, ("--admitted",), "deny", "too_long"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else " ".join(value),
)
def test_one_text_one_decision(desk: Desk, text: str, words: tuple[str, ...], outcome: str, reason: str) -> None:
    """Each row is decided as said, with the same keys and types, and only what is released stands in `sent`."""
    answer = told(desk.release(text, *words))

    assert (outcome, reason) == (answer["release"], answer["reason"])
    assert list(SHAPE) == list(answer)
    assert {} == {key: answer[key] for key, kind in SHAPE.items() if not isinstance(answer[key], kind)}
    assert ([{"operation": "send", "text": text}] if outcome == "send" else []) == answer["sent"]
    assert (hashlib.sha256(text.encode()).hexdigest() if outcome == "hold" else None) == answer["draft_sha256"]


CLASSES = ("final", "safe_error", "operational", "progress", "reasoning", "internals", "secret", "path")


@pytest.mark.parametrize(
    ("target", "shared", "audience", "allowed"),
    [
        ("memory/desk/EXT", "no", "external", {"final", "safe_error"}),
        ("memory/desk/INT", "no", "internal", {"final", "safe_error", "operational", "progress"}),
        ("memory/desk/OPS", "no", "operator", {"final", "safe_error", "operational", "progress"}),
        ("memory/desk/NOWHERE", "no", "external", {"final", "safe_error"}),
        ("memory/desk/INT", "yes", "external", {"final", "safe_error"}),
        ("memory/desk/OPS", "unknown", "external", {"final", "safe_error"}),
        ("slack/T1/C1", "no", "external", {"final", "safe_error"}),
    ],
)
def test_class_against_audience(desk: Desk, target: str, shared: str, audience: str, allowed: set[str]) -> None:
    """Of the eight classes, exactly those of the audience of this moment leave; the rest are denied and dropped."""
    answers = {
        each: told(desk.release("Checking.", "--admitted", "--shared", shared, target=target, output_class=each))
        for each in CLASSES
    }

    assert {audience} == {answer["audience"] for answer in answers.values()}
    assert allowed == {each for each, answer in answers.items() if answer["release"] == "send"}
    assert {"class_not_allowed"} == {a["reason"] for each, a in answers.items() if each not in allowed}
    assert [] == [a["sent"] for each, a in answers.items() if each not in allowed and a["sent"]]


def test_a_grant_reaches_only_what_it_names(desk: Desk) -> None:
    """A granted target need not be listed and stays external-safe; every other target gets nothing."""
    elsewhere = told(desk.release("Good morning.", "--grant", "weekly", target="memory/desk/ELSEWHERE"))
    other = told(desk.release("Good morning.", "--grant", "weekly", target="memory/desk/INT"))
    progress = told(
        desk.release("Working.", "--grant", "weekly", target="memory/desk/ELSEWHERE", output_class="progress")
    )

    assert ("send", "external") == (elsewhere["release"], elsewhere["audience"])
    assert ("deny", "grant_other_target", []) == (other["release"], other["reason"], other["sent"])
    assert ("deny", "class_not_allowed", []) == (progress["release"], progress["reason"], progress["sent"])


# --- streams ---------------------------------------------------------------------------------------------------------


def cut(text: str, places: list[int]) -> list[str]:
    """`text` in pieces."""
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(edges)]


PLACES = st.lists(st.integers(0, 500), max_size=12)
LAX = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@LAX
@given(places=PLACES, text=st.sampled_from([CLEAN, CHINESE, "Good morning.", "Yes", "Fine.\nThanks.\n"]))
def test_a_stream_shows_the_same_as_the_text(desk: Desk, places: list[int], text: str) -> None:
    """However a clean text is cut, the channel ends up showing exactly that text."""
    whole = told(desk.release(text, "--admitted"))
    stream = told(desk.release(cut(text, places), "--admitted"))

    assert ("send", text) == (whole["release"], visible(whole["sent"]))
    assert (whole["release"], visible(whole["sent"])) == (stream["release"], visible(stream["sent"]))
    assert ["edit"] * (len(stream["sent"]) - 1) == [each["operation"] for each in stream["sent"][1:]]


@LAX
@given(
    places=PLACES, bad=st.sampled_from([PATH, FOREIGN, "Our rate is 12 euros.", "Key: sk-live-abcdefghijklmnop1234."])
)
def test_a_stream_stops_before_the_hold(desk: Desk, places: list[int], bad: str) -> None:
    """However it is cut, only what stood before the held sentence has left, and the whole text is filed."""
    before = "Good morning. "
    stream = told(desk.release(cut(before + bad, places), "--admitted"))
    whole = told(desk.release(before + bad, "--admitted"))

    assert "hold" == stream["release"]
    assert visible(stream["sent"]) in ("", before.strip(), before)
    assert (whole["draft_sha256"], []) == (stream["draft_sha256"], whole["sent"])


@pytest.mark.parametrize(
    "chunks", [["NO", "_RE", "PLY"], ["NO_REPLY"], list("NO_REPLY"), [" NO", "_REPLY\n"], [], [""]]
)
def test_the_silence_token_is_silence_however_it_is_cut(desk: Desk, chunks: list[str]) -> None:
    """No piece of it is ever sent, nor edited in."""
    answer = told(desk.release(chunks, "--admitted"))

    assert ("deny", "empty_text", []) == (answer["release"], answer["reason"], answer["sent"])


def test_only_an_admitted_final_text_streams(desk: Desk) -> None:
    """Without an admission, or in another class, chunks are one text: sent whole or not at all."""
    granted = told(desk.release(["Good ", "morning. ", PATH], "--grant", "weekly"))
    fine = told(desk.release(["Good ", "morning."], "--grant", "weekly"))
    nothing = told(desk.release(["Good ", "morning."]))

    assert ("hold", []) == (granted["release"], granted["sent"])
    assert [{"operation": "send", "text": "Good morning."}] == fine["sent"]
    assert ("deny", "no_delivery_authority", []) == (nothing["release"], nothing["reason"], nothing["sent"])


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(max_size=60),
    words=st.sampled_from([(), ("--admitted",), ("--grant", "weekly"), ("--grant", "old")]),
    target=st.sampled_from(["EXT", "INT", "OPS", "NOWHERE"]),
    output_class=st.sampled_from(CLASSES),
)
def test_nothing_is_sent_that_is_not_released(
    desk: Desk, text: str, words: tuple[str, ...], target: str, output_class: str
) -> None:
    """For any text, class, target and authority: `sent` is the text if it is released, and empty otherwise."""
    answer = told(desk.release(text, *words, target=f"memory/desk/{target}", output_class=output_class))

    expected = [{"operation": "send", "text": text}] if answer["release"] == "send" else []
    assert expected == answer["sent"]
    assert [list(SENT_SHAPE)] * len(expected) == [list(each) for each in answer["sent"]]


# --- targets and flags -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target", ["", "memory", "memory/desk", "memory/desk/", "/desk/EXT", "memory//EXT", "a/b/c/d", "memory/desk/ EXT"]
)
def test_what_is_no_target(desk: Desk, target: str) -> None:
    """Three non-empty, unpadded parts, or an error that says how to write them."""
    assert "%2F" in refused(desk.release("hi", "--admitted", target=target), "input_invalid")["fix"]


def test_a_slash_inside_a_part(tmp_path: Path) -> None:
    """`%2F` and `%25` stand for `/` and `%`; the policy's row of exactly that channel is found."""
    policy = 'version = 1\n[[targets]]\nplatform = "zulip"\nworkspace = "w"\nchannel = "a/b%c"\naudience = "internal"\n'
    desk = Desk(tmp_path, policy)

    assert "internal" == told(desk.release("hi", "--admitted", target="zulip/w/a%2Fb%25c"))["audience"]
    assert "external" == told(desk.release("hi", "--admitted", target="zulip/w/A%2Fb%25c"))["audience"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--admitted", "--grant", "weekly"), "usage"),
        (("--grant", "made-up"), "not_found"),
        (("--grant", ""), "not_found"),
        (("--class", "public"), "usage"),
        (("--shared", "maybe"), "usage"),
        (("--now", "soon"), "input_invalid"),
        (("--policy", "missing.toml"), "policy_invalid"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_flags(desk: Desk, words: tuple[str, ...], code: str) -> None:
    """A flag that cannot be understood ends with its documented code and says how to mend it."""
    assert refused(desk.release("hi", *words), code)["fix"]


@pytest.mark.parametrize("flag", ["--policy", "--target", "--class"])
def test_needed_flags(desk: Desk, flag: str) -> None:
    """Each needed flag is asked for by name."""
    flags = {"--policy": desk.policy, "--target": "memory/desk/EXT", "--class": "final"}
    words = [word for name, value in flags.items() if name != flag for word in (name, value)]

    assert flag in refused(process("gate", "release", *words, "--json"), "usage")["detail"]


# --- input -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stdin", "words", "code"),
    [
        (b"\xff", (), "input_invalid"),
        (b"caf\xe9", (), "input_invalid"),
        (b"x" * (8 * 1024 * 1024 + 1), (), "input_too_large"),
        (b'"fine"\nnot json\n', ("--chunks",), "input_invalid"),
        (b'{"text": "x"}\n', ("--chunks",), "input_invalid"),
        (b"7\n", ("--chunks",), "input_invalid"),
        (b'"\\ud800"\n', ("--chunks",), "input_invalid"),
        (b'"\xff"\n', ("--chunks",), "input_invalid"),
        (json.dumps("a b. " * 40_001).encode(), ("--chunks",), "input_too_large"),
    ],
    ids=["bytes", "latin", "large", "words", "object", "number", "half", "bytes in a chunk", "long stream"],
)
def test_input_that_is_no_text(desk: Desk, stdin: bytes, words: tuple[str, ...], code: str) -> None:
    """Whatever is not UTF-8, or not one JSON string per line, is refused, as one JSON object."""
    assert "standard input" in refused(desk.release(stdin, "--admitted", *words), code)["where"]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stdin=st.binary(max_size=120), chunks=st.booleans())
def test_any_bytes_end_in_a_decision_or_an_error(desk: Desk, stdin: bytes, chunks: bool) -> None:
    """Whatever arrives, the answer is one JSON object with exit 0 or 2, and nothing on standard error."""
    done = desk.release(stdin, "--admitted", *(["--chunks"] if chunks else []))

    assert (done.code in (0, 2), "") == (True, done.err)
    assert (done.code == 2) == ("error" in one_object(done.out))


def test_a_closed_standard_input(desk: Desk) -> None:
    """Started without one, the command says so instead of failing in an unforeseen way."""
    flags = f"--policy {desk.policy} --target memory/desk/EXT --class final --json"
    done = subprocess.run(
        f"{COMMAND} gate release {flags} <&-", shell=True, capture_output=True, check=False, text=True
    )

    assert (2, "") == (done.returncode, done.stderr)
    assert "input_invalid" == json.loads(done.stdout)["error"]["code"]


def test_the_installed_command(desk: Desk) -> None:
    """The same answers from the installed command, for a text and for a stream."""
    for text in (CLEAN, PATH, [CLEAN[:30], CLEAN[30:]]):
        here: dict[str, Any] = told(desk.release(text, "--admitted"))
        assert here == told(desk.release(text, "--admitted", launch=process))


# --- drafts with parts -----------------------------------------------------------------------------------------------


def file(content: bytes = b"Open dates.\n", **more: str) -> dict[str, str]:
    """A file as JSON."""
    return {"name": "list.txt", "content": base64.b64encode(content).decode(), "media_type": "text/plain", **more}


@pytest.mark.parametrize(
    ("parts", "reason", "findings"),
    [
        ({}, "released", []),
        ({"files": [file()]}, "released", []),
        ({"files": [file(b"\x89PNG\x00")]}, "unchecked_content", ["content:unread@file[0].content"]),
        ({"files": [file(), file(alt="at the Northwind depot")]}, "leak_suspected", ["term:*@file[1].alt:7-22"]),
        ({"files": [file(FOREIGN.encode())]}, "leak_suspected", ["term:*@file[0].content:20-35"]),
        ({"cards": [{"title": "a"}, {"fields": [{"name": "b", "value": "40 EUR"}]}]}, "draft_only_topic", []),
        (
            {"polls": [{"question": "Which?", "options": ["14 October", "no"]}]},
            "unverified_claim",
            ["date@poll[0].option[0]:0-2"],
        ),
        ({"links": [{"target": "http://wiki/", "title": "w"}]}, "leak_suspected", ["internal:url@link[0].target:0-11"]),
        (
            {"buttons": [{"label": "desk.example.com", "link": "https://other.net/"}]},
            "link_suspected",
            ["link:other_host@button[0].link:0-18"],
        ),
        ({"subject": "a\nb"}, "part_invalid", ["part:control_character@subject"]),
        ({"files": [file(name="../list.txt")]}, "part_invalid", ["part:file_name@file[0].name"]),
    ],
    ids=str,
)
def test_a_draft_with_parts(desk: Desk, parts: dict[str, Any], reason: str, findings: list[str]) -> None:
    """Each part is decided on, and what was found is told by place; the rule of a term stays opaque."""
    draft = json.dumps({"text": "Here is the list.", "parts": parts})
    answer = told(desk.release(draft, "--admitted", "--draft"))

    assert reason == answer["reason"]
    assert findings == [re.sub(r"term:\d+", "term:*", found) for found in answer["findings"]]


def test_a_whole_draft_leaves_and_is_counted(desk: Desk) -> None:
    """What would have left names its parts by kind; its hash covers them."""
    parts = {"files": [file(), file()], "subject": "List"}
    answer = told(desk.release(json.dumps({"text": "Here it is.", "parts": parts}), "--admitted", "--draft"))
    held = [
        told(desk.release(json.dumps({"text": "The price is 40 EUR.", "parts": each}), "--admitted", "--draft"))
        for each in ({}, parts)
    ]

    assert [{"operation": "send", "text": "Here it is.", "parts": {"subject": 1, "file": 2}}] == answer["sent"]
    assert hashlib.sha256(b"The price is 40 EUR.").hexdigest() == held[0]["draft_sha256"] != held[1]["draft_sha256"]


def test_matrix_uploads_beside_the_text(desk: Desk) -> None:
    """Where a message takes no files they are uploads of their own, and what Matrix has not is refused."""
    where = "matrix/@desk:example.org/!EXT:example.org"
    draft = {"text": "Here it is.", "parts": {"files": [file(), file()]}}
    sent = told(desk.release(json.dumps(draft), "--admitted", "--draft", target=where))["sent"]
    poll = {"parts": {"polls": [{"question": "Which?", "options": ["yes", "no"]}]}}

    assert ["send", "upload", "upload"] == [each["operation"] for each in sent]
    assert "part_not_carried" == told(desk.release(json.dumps(poll), "--admitted", "--draft", target=where))["reason"]


@pytest.mark.parametrize(
    "raw",
    [b"[]", b'{"text": 1}', b'{"text": "a", "file": []}', b'{"parts": {"files": [{"name": "a", "content": "%"}]}}'],
)
def test_a_malformed_draft_is_refused(desk: Desk, raw: bytes) -> None:
    """Strict: an unknown key, a wrong type or bad base64 decides nothing."""
    refused(desk.release(raw, "--admitted", "--draft"), "input_invalid", 2)


def test_a_draft_is_no_stream(desk: Desk) -> None:
    """The two readings of standard input exclude each other."""
    refused(desk.release("{}", "--admitted", "--draft", "--chunks"), "usage", 2)
