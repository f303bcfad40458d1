"""The reports about who is asked: every line of the gate's transcripts goes through `dragoman gate check`.

The transcripts (`tests/gate/transcripts`) can be read without knowing the code; here each of their lines is written as
the JSON of the fake platform, which can state any fact, and goes through the public command with the policy of the
transcripts. What another platform's payload looks like is not shown here: its facts are restated (`account.RESTATED`).
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from typing import Any, Final

import pytest

from dragoman.clock import MINUTE, parse_rfc3339
from tests.cases.doors import Desk, Desks
from tests.cases.reports import case
from tests.cli.desk import told
from tests.gate.transcript_lines import COMMAND, EVENT, MENTION, Row, policy_text
from tests.gate.transcript_lines import rows as lines

NOW: Final = "2026-10-06T09:00:00Z"
BOTS: Final = {"B2": True, "B3": True, "unproven": None}
"""Whom the platform marks as a bot, or does not tell; everybody else is a person."""
DIRECT: Final = {"DM1": True, "UNSURE": None}

Set = Callable[[str], dict[str, Any]]
EVENT_FACTS: Final[dict[str, Set]] = {
    r"replies to (\w+)": lambda whom: {"reply_to": whom},
    r"(\d+) files?": lambda count: {"attachments": int(count)},
    r"(\d+) min old": lambda age: {"sent_at": parse_rfc3339(NOW) - int(age) * MINUTE},
    r"grant (\S+)": lambda grant: {"grant_id": grant},
    r"malformed (\w+)": lambda fact: {fact: 7},
    r"(thread)": lambda _: {"thread": "t1"},
    r"(album)": lambda _: {"album": "a1"},
    r"(edit)": lambda _: {"kind": "edit"},
    r"(edit marks mentions)": lambda _: {"kind": "edit", "edit": True},
    r"(not a message)": lambda _: {"kind": "other"},
    r"(shared)": lambda _: {"shared": True},
    r"(members unknown)": lambda _: {"shared": None},
    r"(direct)": lambda _: {"direct": True},
    r"(no other bots)": lambda _: {"other_bots": False},
    r"(not authentic)|(plain)": lambda _: {},
}
STATE_FACTS: Final[dict[str, Set]] = {
    r"(seen before)": lambda _: {"seen": "duplicate"},
    r"(twin)": lambda _: {"seen": "twin"},
    r"(paused)": lambda _: {"paused": True},
    r"(burst)": lambda _: {"burst_open": True},
    r"colleague wrote (\d+) min ago": lambda age: {"colleague_at": parse_rfc3339(NOW) - int(age) * MINUTE},
    r"spent (\d+)": lambda count: {
        "spent": {
            grant: {"total": int(count), "on_target": int(count), "today": int(count)} for grant in ("digest", "peer")
        }
    },
}


def ids_of(row: Row) -> list[str]:
    """The reports that a line's heading names."""
    return re.findall(r"\b[A-Z]\d{2}b?\b", row.about)


ELSEWHERE: Final = (" of w2 in ", "mention unknown")
"""What the fake platform cannot say: an author of another workspace (`test_matrix`), and that it does not know of the
agent alone whether it is mentioned (`test_c34`)."""
TRANSCRIBED: Final = [
    pytest.param(row, id=f"{row.place}-{'-'.join(ids_of(row))}", marks=[case(each) for each in ids_of(row)])
    for row in lines()
    if ids_of(row) and not any(each in row.said for each in ELSEWHERE)
]


def raw(said: str) -> tuple[dict[str, Any], dict[str, Any], str]:
    """The platform's event that a `>` line tells of, what a running gate would know, and in which workspace it came."""
    found = EVENT.fullmatch(said)
    assert found is not None, said
    facts = found["facts"].split("; ") if found["facts"] else []
    unknown = [fact for fact in facts if not any(re.fullmatch(each, fact) for each in (*EVENT_FACTS, *STATE_FACTS))]
    assert [] == unknown, said
    who, where = found["who"], found["where"]
    event: dict[str, Any] = {
        "kind": "synthetic" if who == "schedule" else "message",
        "id": "e1",
        "channel": where,
        "author": who,
        "bot": BOTS.get(who, False),
        "direct": DIRECT.get(where, False),
        "shared": False,
        "other_bots": True,
        **spoken(found["text"], plain="plain" in facts),
        **stated(EVENT_FACTS, facts),
    }
    for key, absent in (("author", who in ("nobody", "schedule")), ("channel", where == "nowhere")):
        if absent:
            del event[key]
    return event, stated(STATE_FACTS, facts), found["workspace"] or "w1"


def stated(language: dict[str, Set], facts: list[str]) -> dict[str, Any]:
    """The keys that these facts set."""
    keys: dict[str, Any] = {}
    for fact in facts:
        for pattern, sets in language.items():
            if found := re.fullmatch(pattern, fact):
                keys |= sets(found[1])
    return keys


def spoken(text: str, *, plain: bool) -> dict[str, Any]:
    """Text, mentions and command as a platform with marked entities tells them."""
    if plain:
        return {"text": text.strip()}
    command = COMMAND.match(text)
    keys: dict[str, Any] = {"text": re.sub(r"(?<!\S)@desk\s*", "", text).strip(), "mentions": MENTION.findall(text)}
    if command is not None:
        directed = {None: None, "desk": True}.get(command[2], False)
        keys["command"] = {"name": command[1], "argument": command[3] or "", "directed": directed}
    return keys


def desk_of(desks: Desks, policy: str, workspace: str) -> Desk:
    """The transcripts' desk on the fake platform."""
    text = policy_text(policy).replace('"chat"', '"memory"').replace('"chat/', '"memory/')
    return desks(text, {"workspace": workspace, "id": "desk"})


@pytest.mark.parametrize("row", TRANSCRIBED)
def test_line(desks: Desks, row: Row) -> None:
    """The command decides the line as the transcript says, and what is not answered may say nothing at all."""
    event, state, workspace = raw(row.said)
    body: object = event
    if "not authentic" in row.said:
        body = {"headers": {}, "body_base64": base64.b64encode(json.dumps(event).encode()).decode()}

    answer = told(desk_of(desks, row.policy, workspace).check(body, state=state, now=NOW))

    assert row.expected == f"{answer['outcome']} {answer['reason']} {answer['audience']}"
    assert ("respond" == answer["outcome"]) == bool(answer["allowed_classes"])


@case("C34", "MUTE")
def test_c34_mentions_are_not_known_yet(desks: Desks) -> None:
    """The adapter does not know yet who is mentioned: nobody is answered, whatever the text says."""
    event, _, workspace = raw("> buyer in EXT: desk, which dates are open?")

    answer = told(desk_of(desks, "closed", workspace).check({**event, "mentions": None}, now=NOW))

    assert ("silent", []) == (answer["outcome"], answer["allowed_classes"])
