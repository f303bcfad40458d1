"""What became of every failure report: the tests say which they are for, this file says the rest.

`python -m tests.cases.account` writes the page `docs/reference/cases.md`; `test_coverage` holds the page, these tables
and the tests together.

1. A report is a test when a test of this folder is marked for it and has one of the three doors (`doors`).
2. `RESTATED`: the rule is a test, but the report's platform is not built. Its facts are said in the words of the fake
   platform; that an adapter reads them out of the payload rightly is not shown, and is what is said here.
3. `ELSEWHERE`: a life over a hub or a packet, which has no policy of a channel in it: real processes of another folder.
   A report of a receiver's life (`R…`) is elsewhere only by tests that carry its mark.
4. `LATER`: one platform's payload and nothing else, or a part that is not built, with what is missing.
5. `DISAGREE`: where a report wants one thing and the specification another, or where a part of a report is not built.
   The reports are not edited.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.cases.reports import Report, reports

ROOT: Final = Path(__file__).parents[2]
HERE: Final = Path(__file__).parent
PAGE: Final = ROOT / "docs" / "reference" / "cases.md"
SCENARIOS: Final = "channel-scenarios.jsonl"
EVENTS: Final = "events.jsonl"
LIVES: Final = "receiver-scenarios.jsonl"
FILES: Final = (SCENARIOS, EVENTS, LIVES)
DOORS: Final = frozenset({"desk", "desks", "daemon", "bot", "stage", "own_stage", "stages", "moved_stage"})

LATER: Final = {}
RESTATED: Final = {
    "I04": "SimpleX: display names",
    "I15": "Matrix: tokens of an application service; the adapter is a client",
    "K07": "a click on a button; approval in words and on the command line is shown",
    "P01": "Chatwoot: the state of a conversation",
    "P04": "Chatwoot: private notes",
    "C027": "LINE: kinds of messages",
    "C044": "Chatwoot: private notes",
}
ELSEWHERE: Final = {
    "M04": ("tests/receiver/test_email.py::test_who_writes_to_us_is_answered_and_copies_are_not",),
    "C058": ("tests/crash/test_every_arrow.py::test_killed_at",),
    "C060": ("tests/crash/test_storms.py::test_a_long_turn_keeps_its_lease", "tests/hub/test_lease_machine.py"),
    "C061": (
        "tests/receiver/test_life.py::test_the_turn_limit_stops_with_one_notice",
        "tests/receiver/test_broken_machine.py::test_a_spoilt_state",
    ),
    "C064": (
        "tests/receiver/test_broken_machine.py::test_a_failed_turn_does_not_wait_for_a_clock_that_was_set_back",
        "tests/receiver/test_broken_machine.py::test_a_pause_under_a_wrong_clock_does_not_hide_the_message",
    ),
    "C067": ("tests/receiver/test_life.py::test_one_wait_reminder_per_message",),
    "C068": (
        "tests/receiver/test_life.py::test_a_completed_conversation_stays_completed",
        "tests/receiver/test_life.py::test_courtesies_end_with_the_owner",
    ),
    "C077": (
        "tests/packets/test_canonical.py::test_keys_sort_by_utf16_and_nothing_is_normalised",
        "tests/packets/test_read.py::test_what_is_not_strict_json_is_refused_with_its_place",
    ),
    "C081": (
        "tests/packets/test_chain.py::test_accepted_is_not_completed",
        "tests/packets/test_chain.py::test_rejected_after_accepted_is_a_contradiction",
    ),
    "C083": ("tests/packets/test_claims.py::test_an_assertion_is_a_claim",),
}
DISAGREE: Final = {
    "A07": "the report classifies the assembled text; spec 1 §4: nothing guesses a class from finished text. Typed as "
    "`internals` it never leaves; typed as `final`, with nothing guarded in it, it does",
    "A08": "as A07",
    "A12": "the report hopes for a pattern check; prose that a handler calls final is sent: its class keeps it in",
    "A21": "a text with such an address is held, so nothing is previewed; Slack's own switches are off besides",
    "C12": "the report answers `/status@desk` of a buyer; spec 1 §3 step 8: it is a control command of one who is no "
    "operator, and asks nothing. `/order@desk` is answered",
    "C34": "silent, as the report wants, with the reason `addressed_to_other`: who is mentioned is not known, so "
    "another may be. No health fact is raised",
    "E03": "silent, as the report wants; where unknown places are closed the reason is `access_denied`",
    "F01": "`attachment_burst` is the report's `attachment_burst_pending`",
    "H26": "each send reports its own outcome; there is no overall result",
    "K06": "silent: of the two answers that the report allows",
    "L01": "the fake platform de-duplicates by key: what was being sent when the receiver died is sent under its key "
    "once more and stands there once; a bot's own lost answer is `uncertain` and is not repeated",
    "M04": "no mail leaves by Graph; by SMTP all three headers are set",
    "Q09": "an operators' room that is misspelt is no policy: it does not load",
    "C012": "`never_silent_ack` at an external target is refused when the policy is loaded",
    "C016": "the conflict is in the journal and not reported to the operators' room",
    "C044": "the report withholds a filing notice that a handler calls final; spec 1 §4: nothing guesses a class from "
    "finished text",
    "C048": "the report withholds a signature with our own mail address; spec 1 §5 guards no name and no address of "
    "ours",
    "R003": "a row that was `sending` is asked about first and called `uncertain_send` only where the hub's answer "
    "proves nothing (spec 2 §3.4)",
    "R037": "the fault is named `not_utf8`",
    "R046": "which word means silence is the policy's `silence_token`, `NO_REPLY` unless set; other words are words",
    "R048": "who spoke last hears of its limit with the next message: here one written by the peer's owner",
    "R053": "what the hub refuses stays saved and is offered again; what the owner no longer covers is stopped and "
    "told: after the grant nothing is sent, saved decisions included (spec 2 §3.1)",
    "R059": "a word without `question_id` (spec 2 §3.6 asks for none) is for whatever the conversation waits for then; "
    "`status` prints its commands with it",
    "R083": "a signature holds no time of the client's, so no skew makes one fail; a log-in carries the server's time",
    "R084": "a log-in is refused the second time; a send has its own id, and the same one again is the first message",
    "R085": "the notice is an event of the sender's stream and stands in the conversation's state",
    "R086": "a far `retry_at` of the hub is waited for an hour at most; the receiver's own pauses end at a minute",
    "R090": "after the reply the row stays `sending` and is settled by the hub's answer: sent, not uncertain",
    "R088": "shown at the hub: the receiver's own status is read from its ledger, which has no such bound",
    "R100": "the counter is shown, and nothing is claimed of a frozen process here or at the hub; a watchdog inside it "
    "is not built",
    "C072": "the policy is narrowed here; edits of the grant are `tests/receiver/test_life.py::"
    "test_the_same_grant_id_with_another_scope_is_refused`, where narrowing under the same id is refused too",
}

Account = dict[str, list[str]]
"""Report id → the tests that are marked for it, `file::function`; one without a door ends with ` (no door)`."""


def pytest_collection_finish(session: pytest.Session) -> None:
    """As a plugin (`-p tests.cases.account --collect-only`): print the account of what was collected."""
    found: Account = {}
    for item in session.items:
        doors = DOORS & set(getattr(item, "fixturenames", ()))
        for mark in item.iter_markers("case"):
            file = item.path.relative_to(HERE) if item.path.is_relative_to(HERE) else item.path.relative_to(ROOT)
            place = f"{file}::{getattr(item, 'originalname', item.name)}" + ("" if doors else " (no door)")
            found.setdefault(mark.args[0], []).append(place)
    print("\n" + json.dumps({name: sorted(set(places)) for name, places in sorted(found.items())}))


def collected() -> Account:
    """Every marked test of this folder, by the report that it is marked for, as pytest itself collects them."""
    words = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    words += ["-p", "tests.cases.account", "--ignore", str(HERE / "test_coverage.py"), str(HERE)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    found: Account = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    return found


def fate(name: str, account: Account) -> str:
    """What became of one report: `test`, `test (restated)`, `elsewhere` or `later`."""
    if name in LATER:
        return "later"
    if name in account:
        return "test (restated)" if name in RESTATED else "test"
    return "elsewhere"


def page(account: Account) -> str:
    """The page, whole."""
    parts = [HEAD]
    for file in FILES:
        known = reports(file)
        fates = [fate(name, account) for name in known]
        counts = ", ".join(f"{fates.count(each)} {each}" for each in ("test", "test (restated)", "elsewhere", "later"))
        parts.append(f"\n## `{file}`: {len(known)} reports: {counts}\n\n")
        parts.append("| id | symptom | what became of it |\n|---|---|---|\n")
        for name, report in known.items():
            parts.append(f"| {name} | {_cell(report.symptom)} | {_became(report, account)} |\n")
    parts.append("\n## Where a report and Dragoman differ\n\n| id | how |\n|---|---|\n")
    parts += [f"| {name} | {how} |\n" for name, how in sorted(DISAGREE.items())]
    return "".join(parts)


HEAD: Final = """# The failure reports

Public failure reports of software of this kind, as small synthetic scenarios, and the test that holds Dragoman to each.
Written by `python -m tests.cases.account`; a test compares. A test here goes through the public command, a real
receiver, or a real process of a bot with the gate in it; its marks name the report and quote the words it holds to.
Rows of a table have the id in their names. The reports of a receiver's and a hub's life are played with real processes
of both, with kills, clocks and full disks; what they did is counted by the hub, by the road between them, and by the
handler itself.

- **test**: the report's right value, with the facts as they are.
- **test (restated)**: the rule is a test; the platform of the report is not built, so that its facts are said in the
  words of the fake platform. What is not shown is that an adapter reads them out of that payload.
- **elsewhere**: real processes in another folder of the tests.
- **later**: one platform's payload and nothing else, or a part that is not built.
"""


def _cell(text: str) -> str:
    return text.replace("|", "\\\\|")


def _became(report: Report, account: Account) -> str:
    name = report.id
    if name in LATER:
        return f"later: {LATER[name]}"
    tests = ", ".join(f"`{each}`" for each in account.get(name, ELSEWHERE.get(name, ())))
    return f"{tests}; restated: {RESTATED[name]}" if name in RESTATED else tests


if __name__ == "__main__":
    PAGE.write_text(page(collected()), encoding="utf-8")
