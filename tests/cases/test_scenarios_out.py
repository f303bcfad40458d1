"""The failure reports about output: class, leak, topic, record, delivery. Through the real command line.

World of `tests.cli.desk`: `EXT` an external group of acme, `DM1` a one-to-one with them, `INT` and `OPS` ours, `zenith`
another counterparty whose terms are guarded. The reports' names are translated: `target_mismatch*` and `no_grant*` are
`grant_other_target`, `draft_only*` is `draft_only_topic`, `synthetic_requires_exact_target` is
`synthetic_without_target`, `runtime_internals` is the class `internals`.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.cases.doors import SAFE, Desk, Desks
from tests.cases.reports import case, rows
from tests.cli.desk import POLICY, asked, refused, told, visible

EXT, DM1, INT, OPS, UNK = (f"memory/desk/{channel}" for channel in ("EXT", "DM1", "INT", "OPS", "UNK"))
ADMITTED, WEEKLY, NOTHING = ("--admitted",), ("--grant", "weekly"), ()
CLEAN = "Thank you for asking. The open start dates are 6 October 2026 and 13 October 2026."
PLAIN = "Good morning."
FOREIGN = "They also supply the Northwind depot."
THOUGHT = "The buyer sounds eager, so stay firm."
BLOCK = "<<context>> origin: memory store; scope: operators <</context>> Hello."
SECRET = "sk-live-abcdefghijklmnop1234"


class Row(NamedTuple):
    """One text, or one stream, and what the door answers."""

    case: str
    right: str
    target: str
    output_class: str
    words: tuple[str, ...]
    text: str | list[str]
    release: str
    reason: str
    shown: str | None = None
    """What stands in the channel afterwards; by default the text if it was sent, else nothing."""


CLASS, LEAK, OTHER = "class_not_allowed", "leak_suspected", "grant_other_target"
SIGN, PAY, LOGIN, PUBLISH, TELL = (
    "I have signed the order for you.",
    "I have paid the deposit by bank transfer.",
    "Please enter your password here to continue.",
    "I published the package to the registry.",
    "Our other customer pays less.",
)
ROWS = [
    # class against audience
    Row(
        "A06",
        "no transport edit ever carries progress",
        DM1,
        "progress",
        ADMITTED,
        "Calling the calendar tool.",
        "deny",
        CLASS,
    ),
    Row(
        "A06",
        "only fragments of class final reach edit",
        DM1,
        "final",
        ADMITTED,
        [PLAIN, " All is well."],
        "send",
        "released",
    ),
    Row("A07", "SEND-DENY/class_not_allowed*", EXT, "internals", ADMITTED, BLOCK, "deny", CLASS),
    Row("A08", "same as A07", EXT, "internals", ADMITTED, BLOCK, "deny", CLASS),
    Row("A09", "class reasoning never passes", EXT, "reasoning", WEEKLY, THOUGHT, "deny", CLASS),
    *(
        Row(
            "A11",
            "SEND-DENY/class_not_allowed* on every audience",
            target,
            "reasoning",
            ADMITTED,
            THOUGHT,
            "deny",
            CLASS,
        )
        for target in (EXT, DM1, INT, OPS, UNK)
    ),
    Row("O07", "no interim ack on ext", EXT, "operational", ADMITTED, "On it.", "deny", CLASS),
    Row("O09", "one operational ack allowed", INT, "operational", ADMITTED, "On it.", "send", "released"),
    Row("P04", "never sent outward; never an external final", EXT, "internals", ADMITTED, "Stall him.", "deny", CLASS),
    # leaks
    Row("A13", "if text appears anyway HOLD/leak_suspected*", EXT, "final", ADMITTED, FOREIGN, "hold", LEAK),
    Row(
        "G06",
        "edit refused before the join is visible",
        EXT,
        "final",
        ADMITTED,
        ["Key: sk-li", SECRET[5:]],
        "hold",
        LEAK,
    ),
    Row("G06", "check on the accumulated text", EXT, "final", ADMITTED, list(f"It is {SECRET}"), "hold", LEAK),
    Row(
        "G07",
        "stop stream; HOLD",
        EXT,
        "final",
        ADMITTED,
        [PLAIN, " ", "It is at the North", "wind depot. ", "Bye."],
        "hold",
        LEAK,
        PLAIN,
    ),
    Row("H28", "HOLD/leak_suspected*", EXT, "final", ADMITTED, "MEDIA:/etc/passwd", "hold", LEAK),
    Row("H28", "HOLD/leak_suspected*", INT, "final", ADMITTED, "MEDIA:/etc/passwd", "hold", LEAK),
    Row(
        "A21",
        "HOLD/leak_suspected* for external",
        EXT,
        "final",
        ADMITTED,
        "See https://intranet.acme.example/x",
        "hold",
        LEAK,
    ),
    # silence
    Row("B01", "zero sends, zero edits", EXT, "final", ADMITTED, ["NO", "_RE", "PLY"], "deny", "empty_text", ""),
    # topics, record, hard stops
    Row("Q01", "SEND-OK", EXT, "final", ADMITTED, CLEAN, "send", "released"),
    Row("Q01", "SEND-OK", EXT, "final", ADMITTED, [CLEAN[:25], CLEAN[25:60], CLEAN[60:]], "send", "released"),
    Row(
        "Q02", "HOLD/draft_only*", EXT, "final", ADMITTED, "Our rate is 12 euros per unit.", "hold", "draft_only_topic"
    ),
    Row("Q02", "EXT gets nothing about the filing", EXT, "internals", ADMITTED, "Filed for approval.", "deny", CLASS),
    *(
        Row("Q04", "hard_stop*", target, "final", ADMITTED, text, "deny", "hard_stop")
        for target in (EXT, INT, OPS)
        for text in (SIGN, PAY, LOGIN, PUBLISH, TELL)
    ),
    *(
        Row(
            "F12",
            "final = honest limit + smallest useful ask",
            EXT,
            "final",
            ADMITTED,
            text,
            "send",
            "released",
        )
        for text in ("I cannot read the attachment. Please paste the text that matters.", SAFE)
    ),
    # delivery
    Row("H02", "SEND-DENY/target_mismatch*", "telegram/desk/EXT", "final", WEEKLY, PLAIN, "deny", OTHER),
    Row("H04", "account/workspace is part of the identity", "memory/desk2/EXT", "final", WEEKLY, PLAIN, "deny", OTHER),
    Row("H05", "SEND-DENY/no_grant*", "memory/desk/desk", "final", WEEKLY, PLAIN, "deny", OTHER),
    Row("H09", "never last channel", EXT, "final", NOTHING, PLAIN, "deny", "no_delivery_authority"),
    Row("H09b", "zero sends to EXT", EXT, "final", ("--grant", "digest"), PLAIN, "deny", OTHER),
    Row("H10", "delivered only to OPS", OPS, "final", ("--grant", "digest"), PLAIN, "send", "released"),
    Row("H10", "delivered only to OPS", DM1, "final", ("--grant", "digest"), PLAIN, "deny", OTHER),
    Row(
        "H16",
        "workspace resolved for the target, never inherited",
        "slack/desk/EXT",
        "final",
        WEEKLY,
        PLAIN,
        "deny",
        OTHER,
    ),
    Row(
        "H25",
        "SEND-DENY/grant_expired*",
        EXT,
        "final",
        (*WEEKLY, "--now", "2026-10-21T14:13:20Z"),
        PLAIN,
        "deny",
        "grant_expired",
    ),
    Row("H26", "EXT delivered once", EXT, "final", WEEKLY, PLAIN, "send", "released"),
    Row("H26", "UNK2 denied", UNK, "final", WEEKLY, PLAIN, "deny", OTHER),
    Row("N05", "SEND-DENY/target_mismatch*", "memory/other/EXT", "final", WEEKLY, PLAIN, "deny", OTHER),
    # the audience of this moment
    Row(
        "M08",
        "protected terms of one toward the other: HOLD/leak_suspected*",
        "memory/desk/BOTH",
        "final",
        ADMITTED,
        FOREIGN,
        "hold",
        LEAK,
    ),
    Row(
        "M08",
        "protected terms of one toward the other: HOLD/leak_suspected*",
        "memory/desk/BOTH",
        "final",
        ADMITTED,
        "Project Falcon is on its way.",
        "hold",
        LEAK,
    ),
]
LONG = "\n\n".join("We are glad to help. " * 60 for _ in range(5))
ROWS += [
    Row("A19", "or split", EXT, "final", ADMITTED, LONG, "send", "released"),
    Row("A19", "footer without path", EXT, "final", ADMITTED, f"{LONG} Full answer: /srv/desk/9f.txt", "hold", LEAK),
]
KNOWN_WRONG = [
    pytest.param(
        Row(name, words, EXT, "final", ADMITTED, BLOCK, "deny", CLASS),
        id=f"{name}-typed final",
        marks=[
            case(name, words),
            pytest.mark.xfail(strict=True, reason="spec 1 §4: nothing guesses a class from finished text"),
        ],
    )
    for name, words in (("A07", "classification after assembly yields runtime_internals"), ("A08", "same as A07"))
]
"""What the reports want and Dragoman does not do, with the sentence of the specification that it follows."""

MORE = """
[[targets]]
platform = "memory"
workspace = "desk"
channel = "BOTH"
audience = "external"
counterparties = ["acme", "zenith"]

[[grants]]
id = "digest"
purpose = "schedule"
targets = [{ platform = "memory", workspace = "desk", channel = "OPS" }]
given_by = "oper"
expires_at = "2026-10-21T14:13:20Z"
"""


@pytest.fixture
def desk(desks: Desks) -> Desk:
    """The world of the file's first lines."""
    return desks(POLICY + MORE)


@pytest.mark.parametrize("row", [*rows(ROWS, name=lambda row: f"{row.release}-{row.reason}"), *KNOWN_WRONG])
def test_release(desk: Desk, row: Row) -> None:
    """Each text is answered as its report says; nothing but what was released stands in the channel."""
    whole = row.text if isinstance(row.text, str) else "".join(row.text)
    shown = row.shown if row.shown is not None else (whole if row.release == "send" else "")

    answer = told(desk.release(row.text, *row.words, target=row.target, output_class=row.output_class))

    assert (row.release, row.reason) == (answer["release"], answer["reason"])
    assert shown == visible(answer["sent"])
    assert (row.release == "hold") == (answer["draft_sha256"] is not None)


@case("A12", "class gate cannot see it")
def test_a12_the_class_gate_is_no_sanitizer(desk: Desk) -> None:
    """Reasoning that a handler typed as final looks like any other prose: what keeps it in is its class."""
    assert "send" == told(desk.release(THOUGHT, "--admitted"))["release"]
    assert CLASS == told(desk.release(THOUGHT, "--admitted", output_class="reasoning"))["reason"]


@case("B08", "treated as data; no effect on the gate")
def test_b08_the_token_in_a_question_is_data(desk: Desk) -> None:
    """A person who writes the silence token is answered like anybody else."""
    assert "respond" == told(desk.check(asked("NO_REPLY")))["outcome"]


@case("H03", "result not success")
def test_h03_no_target_is_no_success(desk: Desk) -> None:
    """Without an exact target the command fails; there is no default to fall back on."""
    refused(desk.release(PLAIN, "--grant", "weekly", target=""), "input_invalid")


@case("H09", "at definition time (error to operator) and at run time")
def test_h09_a_schedule_without_target(desk: Desk) -> None:
    """At definition an error of the policy, at run time silence."""
    event = {"kind": "synthetic", "id": "s1", "grant_id": "weekly"}

    assert "synthetic_without_target" == told(desk.check(event))["reason"]
    desk.policy = desk.write("policy.toml", POLICY.replace(', channel = "ELSEWHERE"', ""))
    assert "$.grants[0]" in refused(desk.release(PLAIN, "--grant", "weekly"), "policy_invalid")["detail"]
