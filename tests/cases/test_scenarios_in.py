"""The reports about who is asked that a transcript does not tell: names, lists, broken policies, lint.

World of `tests.cli.desk`, through `dragoman gate check` and `dragoman policy lint`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.cases.doors import Desk, Desks
from tests.cases.reports import case, rows
from tests.cli.desk import POLICY, asked, one_object, refused, said, told

STOP = {"name": "pause", "directed": True}


class Row(NamedTuple):
    """One event and its decision."""

    case: str
    right: str
    event: dict[str, Any]
    outcome: str
    reason: str
    audience: str = "external"


TABLE = [
    # a display name, a nick, an id in another letter case: only the exact id commands
    *(
        Row(
            "I04",
            "sender_is_operator=False",
            said(channel="INT", author=who, command=STOP, **names),
            "silent",
            "not_requested",
            "internal",
        )
        for who, names in (
            ("buyer", {"name": "oper", "nick": "oper"}),
            ("Oper", {}),
            ("oper2", {"name": "oper"}),
            ("OPER", {}),
        )
    ),
    Row(
        "I04",
        "sender_is_operator=False",
        said(channel="INT", author="oper", command=STOP),
        "respond",
        "operator_command",
        "internal",
    ),
    Row(
        "D13",
        "sender_is_bot; operator=False; MUTE",
        asked(author="B9", bot=True, name="oper", channel="INT"),
        "silent",
        "bot_without_grant",
        "internal",
    ),
    Row("N02", "external sender", asked(channel="INT", author="stranger", shared=True), "respond", "agent_mentioned"),
    Row("N03b", "never attributed to the previous speaker", asked(author=None), "silent", "invalid_facts"),
    Row("K06", "never treated as control", said(command={"name": "foo", "directed": True}), "silent", "not_requested"),
    Row(
        "H03",
        "SEND-DENY/synthetic_requires_exact_target",
        {"kind": "synthetic", "id": "s", "grant_id": "weekly"},
        "silent",
        "synthetic_without_target",
    ),
    Row("I25", "default external", asked(channel="ext"), "respond", "agent_mentioned"),
]


@pytest.mark.parametrize("row", rows(TABLE, name=lambda row: f"{row.outcome}-{row.reason}"))
def test_event(desk: Desk, row: Row) -> None:
    """Each event is decided as its report says."""
    answer = told(desk.check(row.event))

    assert (row.outcome, row.reason, row.audience) == (answer["outcome"], answer["reason"], answer["audience"])


@case("I25", "default external; load error reported")
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('channel = "EXT"', "channel = 7"),
        ('channel = "EXT"', 'channel = ["EXT"]'),
        ('channel = "EXT"', "channel = true"),
        ('channel = "EXT"', 'channel = ""'),
        ('channel = "EXT"', 'Channel = "EXT"'),
        ('audience = "internal"', 'audience = "Internal"'),
        ('audience = "internal"', 'audience = "INTERNAL"'),
        ("version = 1", 'version = "1"'),
    ],
)
def test_i25_a_broken_key_is_no_policy(desks: Desks, right: str, wrong: str) -> None:
    """A number, a list, nothing, another letter case: refused with its place, and nothing is decided by it."""
    error = refused(desks(POLICY.replace(right, wrong, 1)).check(asked()), "policy_invalid")

    assert error["where"] or error["detail"]
    assert error["fix"]


@case("D09", "an ineffective allow entry is reported at load")
def test_d09_a_grant_that_lets_nobody_in_is_reported(desks: Desks) -> None:
    """The bot's grant names a place whose list of senders does not hold the bot: the lint says so."""
    desk = desks(POLICY.replace('channel = "EXT"', 'channel = "EXT"\nallowed_senders = ["memory/desk/buyer"]', 1))

    done = desk.command("policy", "lint", desk.policy, "--now", "2026-09-21T14:13:20Z", "--json")

    assert "bot_grant_out_of_reach" in {each["rule"] for each in one_object(done.out)["findings"]}


@case("Q05", "MUTE/no_request (auto is not send permission)")
def test_q05_auto_is_no_permission(desks: Desks) -> None:
    """The policy says that routine answers go out by themselves: unasked nothing is answered."""
    desk = desks(POLICY.replace("version = 1", 'version = 1\nautonomy = "auto"'))

    assert "not_requested" == told(desk.check(said("we are thinking about October")))["reason"]
