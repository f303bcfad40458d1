"""`dragoman policy init`: a private policy from three answers, and the command that it prints does what it says."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
from pathlib import Path

import pytest

from tests.cli.desk import COMMAND, one_object, process, refused, run, told

MATRIX = ("--platform", "matrix", "--workspace", "@desk:example.org", "--channel", "!shelves:example.org")
MEMORY = ("--platform", "memory", "--workspace", "desk", "--channel", "it's 50% off/buyers")
SLACK = ("--platform", "slack", "--workspace", "T0A1B2", "--channel", "C0A1B2")


@pytest.mark.parametrize("place", [MATRIX, MEMORY, SLACK], ids=["matrix", "memory", "slack"])
@pytest.mark.parametrize("who", [("--counterparty", "acme"), ("--internal",)], ids=["external", "internal"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_result_passes_lint(tmp_path: Path, place: tuple[str, ...], who: tuple[str, ...], language: str) -> None:
    """Private, never overwritten, and well by every rule."""
    path = tmp_path / "policy.toml"
    words = ("policy", "init", str(path), *place, *who, "--language", language, "--yes", "--json")
    done = told(run(*words))

    assert path.read_text() == done["policy"]
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    lint = one_object(run("policy", "lint", str(path), "--json").out)
    assert (False, 0, 0) == (lint["failed"], lint["counts"]["error"], lint["counts"]["warning"])
    assert "conflict" == refused(run(*words), "conflict")["code"]


@pytest.mark.parametrize("place", [MATRIX, MEMORY], ids=["matrix", "memory"])
@pytest.mark.parametrize("who", [("--counterparty", "acme"), ("--internal",)], ids=["external", "internal"])
def test_the_printed_commands_decide_as_told(tmp_path: Path, place: tuple[str, ...], who: tuple[str, ...]) -> None:
    """Each command runs in bash as it stands, and its outcome and reason are those of the line above it."""
    done = process("policy", "init", str(tmp_path / "my policy.toml"), *place, *who, "--yes")
    shown = done.out.splitlines()
    commands = [(shown[at - 1], each) for at, each in enumerate(shown) if each.startswith("dragoman gate check")]

    assert 2 == len(commands)
    for expect, command in commands:
        path = f"{Path(COMMAND).parent}:{os.environ['PATH']}"
        ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True, env={"PATH": path})
        found = json.loads(ran.stdout)
        assert expect.endswith(f": {found['outcome']}, {found['reason']}")


def test_elsewhere_the_policy_is_explained(tmp_path: Path) -> None:
    """A platform whose events cannot be checked here is explained instead; that command runs too."""
    done = told(run("policy", "init", str(tmp_path / "p.toml"), *SLACK, "--counterparty", "acme", "--yes", "--json"))
    (check,) = done["checks"]
    ran = subprocess.run(
        ["bash", "-c", check["command"].replace("dragoman", COMMAND, 1)], capture_output=True, text=True, check=True
    )

    assert "At slack/T0A1B2/C0A1B2" in ran.stdout


def test_three_questions_on_a_terminal(tmp_path: Path) -> None:
    """Asked in order, a wrong answer asked again; the file says what was answered."""
    path = tmp_path / "policy.toml"
    ours, theirs = pty.openpty()
    child = subprocess.Popen([COMMAND, "policy", "init", str(path)], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.write(ours, b"somewhere\nmatrix/@desk:example.org/!shelves:example.org\nacme\n@olga:example.org\n")
    shown = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # the other end has gone
            break
        if not more:
            break
        shown += more
    os.close(ours)

    assert 0 == child.wait(timeout=30), shown.decode()
    asked = (b"1. Where?", b"2. Who is there?", b"3. Which account")
    assert [asked[0], *asked] == [each for line in shown.splitlines() for each in asked if each in line]
    text = path.read_text()
    assert 'counterparty = "acme"' in text
    assert 'id = "@olga:example.org"' in text


@pytest.mark.parametrize(
    ("words", "code", "where"),
    [
        (("--yes",), "usage", "dragoman policy init"),
        ((*MATRIX, "--yes"), "usage", "dragoman policy init"),
        ((*MATRIX, "--internal", "--counterparty", "acme"), "usage", "--internal"),
        ((*MATRIX, "--internal", "--language", "fr"), "usage", "--language"),
        ((*MATRIX[:4], "--channel", "#shelves:example.org", "--internal"), "input_invalid", "channel"),
        (("--platform", "Matrix", *MATRIX[2:], "--internal"), "input_invalid", "platform"),
        ((*MATRIX[:2], "--workspace", "example.org", *MATRIX[4:], "--internal"), "input_invalid", "workspace"),
        ((*MATRIX, "--internal", "--operator", "olga"), "input_invalid", "operator"),
        ((*MATRIX, "--internal", "--operator", "@desk:example.org"), "input_invalid", "operator"),
        ((*MATRIX, "--counterparty", " acme"), "input_invalid", "counterparty"),
    ],
)
def test_what_is_answered_wrongly_writes_nothing(tmp_path: Path, words: tuple[str, ...], code: str, where: str) -> None:
    """Without a terminal nothing is asked; an error names the answer, and no file is made."""
    path = tmp_path / "policy.toml"

    assert where == refused(run("policy", "init", str(path), *words, "--json"), code)["where"]
    assert not path.exists()


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """Is bad input."""
    words = ("policy", "init", str(tmp_path / "no" / "policy.toml"), *MATRIX, "--internal", "--json")

    assert "input_invalid" == refused(run(*words), "input_invalid")["code"]
