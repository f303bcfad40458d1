"""The handler contract: which answers count, and by which name each of the others is refused."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.agents.contract import (
    ANSWER_BYTES,
    ANSWER_SCHEMA,
    Fault,
    HandlerAnswer,
    HandlerFailed,
    HandlerLimits,
    HandlerMessage,
    HandlerRequest,
    parse_answer,
    read_request,
    silence,
    write_answer,
    write_request,
)
from dragoman.errors import DragomanError
from dragoman.words import Action, Topic

REPLY = '{"schema_version":1,"action":"reply","message":"Hello"'

GOOD = [
    ("a reply", REPLY + "}", Action.REPLY),
    ("a last reply", REPLY + ',"complete":true,"owner_summary":"done"}', Action.REPLY),
    ("a reply with declared topics", REPLY + ',"topics":["prices"]}', Action.REPLY),
    ("white space around it", "\n  " + REPLY + "}\n", Action.REPLY),
    (
        "a question to the owner",
        '{"schema_version":1,"action":"waiting_owner","owner_summary":"May I?"}',
        "waiting_owner",
    ),
    ("nothing more to say", '{"schema_version":1,"action":"no_reply","message":""}', Action.NO_REPLY),
    ("an end without reply", '{"schema_version":1,"action":"completed"}', Action.COMPLETED),
]

BAD = [
    ("nothing", b"", Fault.NOT_JSON),
    ("prose", b"Sure, here you go", Fault.NOT_JSON),
    ("a fence around it", b"```json\n" + REPLY.encode() + b"}\n```", Fault.NOT_JSON),
    ("two objects", REPLY.encode() + b"}{}", Fault.NOT_JSON),
    ("words after it", REPLY.encode() + b"} done", Fault.NOT_JSON),
    ("a list", b"[]", Fault.NOT_JSON),
    ("a byte order mark", b"\xef\xbb\xbf" + REPLY.encode() + b"}", Fault.NOT_JSON),
    ("NaN", REPLY.encode() + b',"x":NaN}', Fault.NOT_JSON),
    ("an endless number", REPLY.encode() + b',"x":' + b"9" * 5000 + b"}", Fault.NOT_JSON),
    ("depth", REPLY.encode() + b',"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}", Fault.NOT_JSON),
    ("a broken byte", b'{"schema_version":1,"action":"reply","message":"\xff"}', Fault.NOT_UTF8),
    ("UTF-16", (REPLY + "}").encode("utf-16"), Fault.NOT_UTF8),
    ("half a surrogate pair", b'{"schema_version":1,"action":"reply","message":"\\ud800"}', Fault.NOT_UTF8),
    ("the same key twice", REPLY.encode() + b',"message":"Bye"}', Fault.DUPLICATE_KEY),
    ("the same key twice, deep down", REPLY.encode() + b',"x":{"a":1,"a":2}}', Fault.DUPLICATE_KEY),
    ("an unknown key", REPLY.encode() + b',"send_to":"everybody"}', Fault.UNKNOWN_KEY),
    ("no version", b'{"action":"reply","message":"Hi"}', Fault.WRONG_SCHEMA),
    ("true for 1", b'{"schema_version":true,"action":"reply","message":"Hi"}', Fault.WRONG_SCHEMA),
    ("another version", b'{"schema_version":2,"action":"reply","message":"Hi"}', Fault.WRONG_SCHEMA),
    ("an action of its own", b'{"schema_version":1,"action":"pay"}', Fault.WRONG_SCHEMA),
    ("a topic of its own", REPLY.encode() + b',"topics":["gossip"]}', Fault.WRONG_SCHEMA),
    ("a number as message", b'{"schema_version":1,"action":"reply","message":1}', Fault.WRONG_SCHEMA),
    ("words with no_reply", b'{"schema_version":1,"action":"no_reply","message":"Hi"}', Fault.WRONG_SCHEMA),
    (
        "complete without reply",
        b'{"schema_version":1,"action":"no_reply","complete":true}',
        Fault.COMPLETE_WITHOUT_REPLY,
    ),
    ("a reply without words", b'{"schema_version":1,"action":"reply"}', Fault.EMPTY_MESSAGE),
    ("a reply of blanks", b'{"schema_version":1,"action":"reply","message":" \\u200b\\u3164\\n"}', Fault.EMPTY_MESSAGE),
    ("no question", b'{"schema_version":1,"action":"waiting_owner"}', Fault.EMPTY_MESSAGE),
    (
        "a long reply",
        json.dumps({"schema_version": 1, "action": "reply", "message": "é" * 51}).encode(),
        "message_too_large",
    ),
    ("a flood", b" " * (ANSWER_BYTES + 1), Fault.OUTPUT_TOO_LARGE),
]


def fault(raw: bytes, *, probe: bool = False) -> Fault | None:
    """By which name `raw` is refused, or None."""
    try:
        parse_answer(raw, probe=probe, max_message_bytes=100)
    except HandlerFailed as failed:
        return failed.fault if failed.code == "handler_failed" else None
    return None


@pytest.mark.parametrize(("what", "raw", "action"), GOOD, ids=[row[0] for row in GOOD])
def test_good_answers_count(what: str, raw: str, action: Action) -> None:
    """Each well-formed answer is taken as it stands."""
    answer = parse_answer(raw.encode(), probe=False, max_message_bytes=100)

    assert Action(action) == answer.action


@pytest.mark.parametrize(("what", "raw", "expected"), BAD, ids=[row[0] for row in BAD])
def test_bad_answers_are_refused_by_name(what: str, raw: bytes, expected: Fault) -> None:
    """Each way to be wrong has its own stable name, and none becomes a reply."""
    assert Fault(expected) == fault(raw)


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        (REPLY + ',"reply":"Hi"}', "accepted keys: schema_version, action, message, complete, owner_summary, topics"),
        ('{"schema_version":1,"action":"hunter2"}', f"accepted values: {', '.join(Action)}"),
        (REPLY + ',"topics":["hunter2"]}', f"accepted values: {', '.join(Topic)}"),
    ],
    ids=["key", "action", "topic"],
)
def test_a_refusal_names_what_is_accepted(raw: str, named: str) -> None:
    """Names of ours only: the handler's own value is not repeated."""
    with pytest.raises(HandlerFailed) as failed:
        parse_answer(raw.encode(), probe=False, max_message_bytes=100)

    assert named in failed.value.detail
    assert "hunter2" not in failed.value.detail


def test_a_message_of_exactly_the_limit_counts() -> None:
    """The limit counts UTF-8 bytes and includes its own value."""
    raw = json.dumps({"schema_version": 1, "action": "reply", "message": "é" * 50}).encode()

    assert None is fault(raw)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"schema_version":1,"action":"completed","owner_summary":"ready"}', None),
        (b'{"schema_version":1,"action":"completed"}', Fault.PROBE_ANSWER),
        (b'{"schema_version":1,"action":"no_reply","owner_summary":"ready"}', Fault.PROBE_ANSWER),
        (b'{"schema_version":1,"action":"waiting_owner","owner_summary":"?"}', Fault.PROBE_ANSWER),
        (REPLY.encode() + b"}", Fault.PROBE_ANSWER),
    ],
)
def test_a_probe_takes_only_completed_with_a_summary(raw: bytes, expected: Fault | None) -> None:
    """R047: a probe that wants to reply has failed."""
    assert expected == fault(raw, probe=True)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(raw: bytes) -> None:
    """Whatever a handler prints ends in an answer or in a named fault."""
    assert isinstance(fault(raw), Fault | None)


@given(
    st.builds(
        HandlerAnswer,
        schema_version=st.just(1),
        action=st.just(Action.REPLY),
        message=st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).map(lambda text: "x" + text),
        complete=st.booleans(),
        topics=st.lists(st.sampled_from(Topic), max_size=3).map(tuple),
    )
)
def test_what_is_written_is_read_back(answer: HandlerAnswer) -> None:
    """Writing and reading an answer loses nothing."""
    assert answer == parse_answer(write_answer(answer), probe=False, max_message_bytes=100)


def test_a_request_survives_the_pipe() -> None:
    """A handler reads exactly the request that was written, `from` included."""
    request = HandlerRequest(
        limits=HandlerLimits(max_message_bytes=4000, turns_left=2),
        owner_instruction="Answer questions about shelves.",
        messages=(HandlerMessage(id="m1", text="Hello\n", sent_at=1, origin="peer", sender="Ann"),),
        contact_id="con_1",
    )

    assert request == read_request(write_request(request))
    assert json.loads(write_request(request))["messages"][0]["from"] == "peer"


@pytest.mark.parametrize("raw", [b"", b"[]", b'{"probe":true}', b"[" * 100_000, b'{"\xff":1}'])
def test_a_broken_request_is_bad_input(raw: bytes) -> None:
    """A shipped handler that is fed nonsense says so and answers nothing."""
    with pytest.raises(DragomanError) as caught:
        read_request(raw)

    assert caught.value.code == "input_invalid"


@pytest.mark.parametrize(
    ("text", "token", "expected"),
    [
        ("", "", True),
        (" \n\u200b", "", True),
        ("NO_REPLY", "NO_REPLY", True),
        (" NO_REPLY\n", "NO_REPLY", True),
        ("no_reply", "NO_REPLY", False),
        ("NO_REPLY, sorry", "NO_REPLY", False),
        ("NO_REPLY", "", False),
        (".", "", False),
    ],
)
def test_silence(text: str, token: str, expected: bool) -> None:
    """R046: an empty answer or exactly the token is silence; anything else is speech."""
    assert expected is silence(text, token)


def test_the_schema_names_what_the_struct_takes() -> None:
    """The schema given to models and the struct that reads them hold the same keys, and agree on a full answer."""
    assert set(HandlerAnswer.__struct_encode_fields__) == set(ANSWER_SCHEMA["properties"])
    assert [str(action) for action in Action] == ANSWER_SCHEMA["properties"]["action"]["enum"]
    assert msgspec.json.encode(ANSWER_SCHEMA)
