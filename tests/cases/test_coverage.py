"""Every failure report is a test or says why not, and a test of one asks only as anybody could (`account`, `doors`)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.account import (
    DISAGREE,
    ELSEWHERE,
    EVENTS,
    FILES,
    LATER,
    LIVES,
    PAGE,
    RESTATED,
    ROOT,
    SCENARIOS,
    Account,
    collected,
    fate,
    page,
)
from tests.cases.reports import Report

HERE = Path(__file__).parent
ALLOWED = {
    "a_bot.py": {
        "dragoman",  # a user's bot imports what its README tells it to
        "dragoman.channels.memory.adapter",
        "dragoman.channels.memory.facts",
        "dragoman.clock",
        "dragoman.gate.parts",
        "dragoman.gate.operations",  # a tool of its own names the operation that it wants
        "dragoman.gate.ports",
        "dragoman.gate.release",  # and one that forges makes an approval of what it can import
        "dragoman.grants",
        "dragoman.identity",
        "dragoman.words",
    },
    "doors.py": {"dragoman.cli.receiver", "dragoman.clock", "tests.cli.desk"},
    "test_transcripts.py": {"dragoman.clock", "tests.cli.desk", "tests.gate.transcript_lines"},
    "reports.py": {"tests.packets.material"},
    "receiver/at.py": {
        "dragoman.cli.output",
        "dragoman.cli.receiver",
        "dragoman.clock",
        "dragoman.errors",
        "dragoman.ledger.store",  # the page limit, which is a full disk in small
        "dragoman.receiver",
        "dragoman.receiver.books",
        "dragoman.receiver.config",
        "dragoman.receiver.cycle",
        "dragoman.receiver.lock",
        "dragoman.receiver.status",
        "dragoman.receiver.wiring",
        "dragoman.words",
    },
    "receiver/charge.py": {
        "dragoman.channels.hub.facts",
        "dragoman.clock",
        "dragoman.grants",
        "dragoman.receiver.books",
        "dragoman.receiver.config",
        "dragoman.words",
    },
    "receiver/conftest.py": {"tests.hub_process"},
    "receiver/hub_at.py": {"dragoman", "dragoman.cli.output", "dragoman.clock", "dragoman.hub.serve"},
    "receiver/stage.py": {
        "dragoman",
        "dragoman.channels.hub.client",  # the peer
        "dragoman.channels.hub.keys",
        "dragoman.clock",
        "tests.hub_process",
        "tests.receiver.world",
    },
}
"""What each file may import of Dragoman and of other tests; every other file of this folder: `EVERYBODY`."""
EVERYBODY = {"dragoman.words", "dragoman.identity", "tests.cli.desk"}
A_LIFE = {"tests.receiver.world"}
"""What a case of a receiver's life may know besides: how to wait."""
NO_CASES = {"test_coverage.py", "receiver/test_beyond.py"}


@pytest.fixture(scope="module")
def account() -> Account:
    """What pytest collects in this folder."""
    return collected()


@pytest.mark.parametrize("file", FILES)
def test_every_report_is_accounted_for(
    file: str, account: Account, cases: dict[str, Report], scenarios: dict[str, Report], lives: dict[str, Report]
) -> None:
    """Each report is a test here, a named test elsewhere, or later with its reason; never two of them, never none."""
    known = {SCENARIOS: scenarios, EVENTS: cases, LIVES: lives}[file]
    for name in known:
        print(name, fate(name, account), ", ".join(account.get(name, ELSEWHERE.get(name, [LATER.get(name, "")]))))

    places = {name: [name in table for table in (account, ELSEWHERE, LATER)] for name in known}
    assert {} == {name: found for name, found in places.items() if sum(found) != 1}


def test_the_tables_name_reports_that_are_there(
    account: Account, cases: dict[str, Report], scenarios: dict[str, Report], lives: dict[str, Report]
) -> None:
    """No row of the account is left over, and only what is a test can be restated."""
    known = set(cases) | set(scenarios) | set(lives)

    assert set() == (set(account) | set(LATER) | set(ELSEWHERE) | set(DISAGREE)) - known
    assert set() == set(RESTATED) - set(account)


def test_every_test_of_a_report_goes_through_a_door(account: Account) -> None:
    """What is marked for a report asks the public command, a receiver or a bot; and every test here is marked."""
    assert [] == [place for places in account.values() for place in places if place.endswith("(no door)")]
    marked = {place for places in account.values() for place in places}
    functions = {
        f"{_named(path)}::{node.name}"
        for path in HERE.rglob("test_*.py")
        if _named(path) not in NO_CASES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }
    assert functions == marked


BEGINS = {"tests"}
"""`from tests import born`: how a process begins."""


def test_nothing_here_imports_what_decides() -> None:
    """Of Dragoman a case may know words and identities; whoever needs more is named, with what it needs."""
    found = {
        f"{_named(path)}: {module}"
        for path in HERE.rglob("*.py")
        for module in imported(path)
        if module not in allowed(path) | BEGINS and not module.startswith("tests.cases")
    }

    assert set() == found


def allowed(path: Path) -> set[str]:
    """What one file may import of Dragoman and of other tests."""
    return ALLOWED.get(_named(path), EVERYBODY | (A_LIFE if path.parent != HERE else set()))


def _named(path: Path) -> str:
    return str(path.relative_to(HERE))


def imported(path: Path) -> Iterator[str]:
    """The modules of ours that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [name.name for name in node.names] if isinstance(node, ast.Import) else []
        yield from (name for name in names if name.partition(".")[0] in ("dragoman", "tests"))


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_is_tested_elsewhere_is_there(name: str) -> None:
    """The file and the function that the account names exist."""
    for place in ELSEWHERE[name]:
        file, _, function = place.partition("::")
        text = (ROOT / file).read_text()
        assert f"def {function}" in text
        assert not name.startswith("R") or f'@case("{name}"' in text, "a test elsewhere carries the mark"


def test_the_page_is_what_the_account_says(account: Account, cases: dict[str, Report]) -> None:
    """`docs/reference/cases.md` is written by `python -m tests.cases.account`, and by nobody else."""
    assert page(account) == PAGE.read_text(encoding="utf-8")
