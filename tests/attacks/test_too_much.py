"""Denial of service: events and answers that are large, deep or hostile to a reader. Each is decided in a moment.

Four times the text may take about four times as long; what takes longer and more than a moment is a defect.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.attacks.test_injection import group
from tests.cases.doors import Daemon, Desk, Desks
from tests.cases.test_matrix import DESK
from tests.cases.test_matrix import POLICY as MATRIX
from tests.cli.desk import Done, told

LONG = 60_000
UNITS = (
    *(
        "a",
        " ",
        "\n",
        "#",
        "@a ",
        "/",
        "`",
        "```\n",
        "> ",
        "[",
        "](",
        "[a](",
        "<a ",
        "<a href=x",
        "<blockquote>",
        "&amp;",
    ),
    *(
        "\u200b",
        "\u0301",
        "\u202e",
        "中",
        "。",
        "👍",
        "👨‍👩‍👧",
        "-",
        "(",
        "\\",
        "password is ",
        "sk-",
        "eyJ",
        "/home/a/",
    ),
    *("Project ", "Kestrel-", "NO_", "a.b.", "a@", "https://", "http://a.b/ ", "Hi, ", "Desk, ", "hello @", "@desk "),
)


def moment(work: Callable[[], Any], seconds: float) -> Any:
    """What comes of it, within this time of the processor."""
    began = time.process_time()
    found = work()
    assert time.process_time() - began < seconds
    return found


@pytest.mark.parametrize("unit", UNITS)
def test_a_hostile_text_is_decided_in_a_moment(desk: Desk, unit: str) -> None:
    """An event that is one beginning of something, over and over."""
    text = (unit * LONG)[:LONG]
    for facts in ({}, {"channel": "DM1", "direct": True}, {"author": "oper"}):
        moment(lambda facts=facts: told(desk.check(group(text=text, **facts))), 2)


@pytest.mark.parametrize("unit", UNITS)
def test_a_hostile_matrix_body_is_decided_in_a_moment(desks: Desks, unit: str) -> None:
    """The same in body and formatted body of a Matrix event that mentions the agent."""
    body = (unit * LONG)[:LONG]
    content = {"msgtype": "m.text", "body": body, "formatted_body": body, "m.mentions": {"user_ids": [DESK]}}
    event = {"type": "m.room.message", "room_id": "!room:desk.example", "event_id": "$1", "sender": "@b:c.example"}
    event |= {"content": content, "origin_server_ts": 1_790_000_000_000}
    desk = desks(MATRIX, {"user_id": DESK})

    moment(lambda: told(desk.check(event, platform="matrix")), 2)


@pytest.mark.parametrize("unit", UNITS)
def test_a_hostile_answer_is_weighed_in_a_moment(desk: Desk, unit: str) -> None:
    """An answer that is one beginning of something, over and over, whole."""
    text = (unit * 20_000)[:20_000]

    moment(lambda: told(desk.release(text, "--admitted")), 4)


@pytest.mark.parametrize(
    "facts",
    [
        {"mentions": ["x"] * 100_000},
        {"mentions": [f"user{number}" for number in range(100_000)] + ["desk"]},
        {"text": "a" * 1_000_000},
        {"body": "a" * 1_000_000},
        {"author": "a" * 1_000_000},
        {"channel": "a" * 1_000_000},
        {"id": "a" * 1_000_000},
        {"album": "a" * 1_000_000},
        {"unknown": "a" * 3_000_000},
        {"attachments": 2**60},
        {"attachments": -1},
        {"sent_at": 10**30},
    ],
)
def test_a_large_event_is_decided_in_a_moment(desk: Desk, facts: dict[str, Any]) -> None:
    """A megabyte of text, of ids, of mentions: malformed or read, and never answered for its size."""
    done: Done = moment(lambda: desk.check(group(**facts)), 3)

    assert done.code != 0 or told(done)["outcome"] in ("silent", "rejected", "respond")
    assert "desk" in facts.get("mentions", ()) or done.code != 0 or told(done)["outcome"] != "respond"


@pytest.mark.parametrize(
    "raw", [b"[" * 1_000_000, b'{"a":' * 500_000, b'{"text":' + b"[" * 200_000 + b"]" * 200_000 + b"}"]
)
def test_a_deep_event_is_refused_in_a_moment(desk: Desk, raw: bytes) -> None:
    """Nesting without end is an error of the input, and no crash."""
    done: Done = moment(lambda: desk.check(raw), 3)

    assert done.code != 0
    assert "Traceback" not in done.out + done.err


@pytest.mark.slow
def test_a_flood_of_hostile_lines_stops_nobody(daemon: Daemon) -> None:
    """A megabyte line, half a line, no JSON, depth and a torn character come before a good question: it is answered."""
    inbox = daemon.platform.folder / "inbox.jsonl"
    with inbox.open("ab") as file:
        for line in (b"a" * 3_000_000, b"[" * 500_000, b'{"a":' * 100_000, b"\xff\xfe", b"{}", b"null", b"1" * 5_000):
            file.write(line + b"\n")
        file.write(json.dumps(group(text="a" * 900_000, mentions=["desk"])).encode() + b"\n")
    daemon.platform.ask(id="good")
    daemon.until(lambda: bool(daemon.calls()))

    assert ["Good morning."] == daemon.platform.texts("EXT")
    assert 1 == len(daemon.calls())
