"""The language of the transcripts: events and decisions of a small world, readable without knowing the code.

A line `> who in place (facts): text` is an event, the line after it `< outcome reason audience` the decision.
`@name` at a word's start is a mention that the platform marks, a text that starts with `/` a command that it marks;
with `plain` both are only text. A file that says `policy explicit_requests` opens unknown places for such requests.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import msgspec

from dragoman.clock import MINUTE, parse_rfc3339
from dragoman.gate.admit import Admission, admit
from dragoman.gate.asked import Standing
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.gate.policy import Policy
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.ports import SeenState
from dragoman.grants import Spent
from dragoman.identity import NOBODY, UNKNOWN, Party, Target
from dragoman.words import Fact
from tests.gate.transcript_lines import COMMAND, EVENT, MENTION, Row, policy_text
from tests.gate.transcript_lines import TRANSCRIPTS as TRANSCRIPTS
from tests.gate.transcript_lines import rows as rows

NOW: Final = parse_rfc3339("2026-10-06T09:00:00Z")

KINDS: Final = {
    "schedule": (EventKind.SYNTHETIC, AuthorKind.UNKNOWN),
    "desk": (EventKind.MESSAGE, AuthorKind.SELF),
    "B2": (EventKind.MESSAGE, AuthorKind.BOT),
    "B3": (EventKind.MESSAGE, AuthorKind.BOT),
    "unproven": (EventKind.MESSAGE, AuthorKind.UNKNOWN),
}
CHATS: Final = {"DM1": ChatKind.DIRECT, "UNSURE": ChatKind.UNKNOWN}

EVENT_FACTS: Final[dict[str, Callable[[str], dict[str, Any]]]] = {
    r"replies to (\w+)": lambda whom: {"reply_to": ReplyTo.AGENT if whom == "desk" else ReplyTo.OTHER},
    r"(\d+) files?": lambda count: {"attachments": int(count)},
    r"(\d+) min old": lambda age: {"sent_at": NOW - int(age) * MINUTE},
    r"grant (\S+)": lambda grant: {"grant_id": grant},
    r"malformed (\w+)": lambda fact: {"malformed": (fact,)},
    r"(thread)": lambda _: {"thread": "t1"},
    r"(album)": lambda _: {"album": "a1"},
    r"(edit)": lambda _: {"kind": EventKind.EDIT},
    r"(edit marks mentions)": lambda _: {"kind": EventKind.EDIT, "edit_marks_mentions": True},
    r"(not a message)": lambda _: {"kind": EventKind.OTHER},
    r"(not authentic)": lambda _: {"authenticated": Fact.NO},
    r"(mention unknown)": lambda _: {"mentions_agent": Fact.UNKNOWN},
    r"(shared)": lambda _: {"shared": Fact.YES},
    r"(members unknown)": lambda _: {"shared": Fact.UNKNOWN},
    r"(direct)": lambda _: {"chat": ChatKind.DIRECT},
    r"(no other bots)": lambda _: {"other_bots": Fact.NO},
    r"(plain)": lambda _: {},
}
STANDING_FACTS: Final[dict[str, Callable[[str], dict[str, Any]]]] = {
    r"(seen before)": lambda _: {"seen": SeenState.DUPLICATE},
    r"(twin)": lambda _: {"seen": SeenState.TWIN},
    r"(paused)": lambda _: {"paused": True},
    r"(burst)": lambda _: {"burst_open": True},
    r"colleague wrote (\d+) min ago": lambda age: {"colleague_at": NOW - int(age) * MINUTE},
    r"spent (\d+)": lambda count: {
        "spent": {
            grant: Spent(total=int(count), on_target=int(count), today=int(count)) for grant in ("digest", "peer")
        }
    },
}


@cache
def world(unknown_targets: str) -> Policy:
    """The policy of the transcripts."""
    return parse_policy(policy_text(unknown_targets).encode())


def read(said: str) -> tuple[Event, Standing]:
    """The event and the standing that a `>` line tells of.

    Raises:
        ValueError: the line, or one of its facts, is not in the language of the transcripts.
    """
    found = EVENT.fullmatch(said)
    if found is None:
        raise ValueError(f"not an event: `{said}`")
    facts = found["facts"].split("; ") if found["facts"] else []
    standing = Standing(now=NOW, **_told(STANDING_FACTS, facts))
    leftover = [fact for fact in facts if not any(re.fullmatch(p, fact) for p in (*EVENT_FACTS, *STANDING_FACTS))]
    if leftover:
        raise ValueError(f"unknown facts {leftover} in `{said}`")
    kind, author_kind = KINDS.get(found["who"], (EventKind.MESSAGE, AuthorKind.HUMAN))
    where = found["where"]
    event = Event(
        kind=kind,
        target=UNKNOWN if where == "nowhere" else Target("chat", found["workspace"] or "w1", where),
        event_id="e1",
        dedupe_key="e1",
        received_at=NOW,
        authenticated=Fact.YES,
        author=NOBODY if found["who"] in ("nobody", "schedule") else Party("chat", found["home"] or "w1", found["who"]),
        author_kind=author_kind,
        chat=CHATS.get(where, ChatKind.GROUP),
        shared=Fact.NO,
        other_bots=Fact.YES,
        **_spoken(found["text"], plain="plain" in facts),
    )
    return msgspec.structs.replace(event, **_told(EVENT_FACTS, facts)), standing


def _told(language: dict[str, Callable[[str], dict[str, Any]]], facts: list[str]) -> dict[str, Any]:
    """The fields that these facts set."""
    fields: dict[str, Any] = {}
    for fact in facts:
        for pattern, set_by in language.items():
            if found := re.fullmatch(pattern, fact):
                fields |= set_by(found[1])
    return fields


def _spoken(text: str, *, plain: bool) -> dict[str, Any]:
    """Text, mentions and command as a platform with marked entities would tell them."""
    if plain:
        return {"text": text.strip()}
    names = MENTION.findall(text)
    command = COMMAND.match(text)
    directed = None if command is None else {None: Fact.UNKNOWN, "desk": Fact.YES}.get(command[2], Fact.NO)
    return {
        "text": re.sub(r"(?<!\S)@desk\s*", "", text).strip(),
        "mentions_agent": Fact.YES if "desk" in names else Fact.NO,
        "mentions_other": Fact.YES if set(names) - {"desk"} else Fact.NO,
        "command": None if command is None else Command(command[1], command[3] or "", directed or Fact.NO),
    }


def decided(row: Row, by: Callable[..., Admission] = admit) -> str:
    """The decision on a row, as the transcripts write it."""
    event, standing = read(row.said)
    admission = by(event, world(row.policy), standing, "c1")
    return f"{admission.outcome} {admission.reason} {admission.audience}"
