"""The documentation cannot rot: what the code can say is in the docs, and the examples run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.cli.main import PARTS
from dragoman.errors import CODES
from dragoman.gate.policy_keys import (
    CounterpartyEntry,
    GrantEntry,
    PolicyFile,
    RecordEntry,
    TargetEntry,
)
from dragoman.gate.why import in_words
from dragoman.words import Reason

ROOT = Path(__file__).parent.parent
REASONS = (ROOT / "docs/reference/reasons.md").read_text()
CLI = (ROOT / "docs/reference/cli.md").read_text()
POLICY = (ROOT / "docs/reference/policy.md").read_text()


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_is_explained(reason: Reason) -> None:
    """A reason that nobody explains is no reason."""
    assert f"| `{reason}` |" in REASONS


@pytest.mark.parametrize("reason", Reason)
def test_the_words_of_a_reason_are_those_of_its_page(reason: Reason) -> None:
    """`dragoman why` and the page say the same; both languages have a sentence."""
    page = REASONS.replace("`", "")

    assert f"| {in_words(reason)} |" in page
    assert in_words(reason, "zh") not in ("", in_words(reason))


@pytest.mark.parametrize("code", CODES)
def test_every_error_code_is_explained(code: str) -> None:
    """Each code stands in the table of exit codes, with the code it ends a command with."""
    assert f"| `{code}` | {int(CODES[code][0])} |" in CLI


@pytest.mark.parametrize("command", PARTS)
def test_every_command_is_documented(command: str) -> None:
    """Each top-level command has its line."""
    assert f"`dragoman {command}" in CLI


@pytest.mark.parametrize(
    "key",
    sorted(
        {
            field
            for part in (PolicyFile, TargetEntry, CounterpartyEntry, GrantEntry, RecordEntry)
            for field in part.__struct_fields__
        }
    ),
)
def test_every_policy_key_is_documented(key: str) -> None:
    """Each key of the policy file stands in its reference."""
    assert f"`{key}`" in POLICY


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_every_example_runs(example: Path) -> None:
    """Examples are run, not only read."""
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, timeout=60, check=False)
    assert (0, "") == (done.returncode, done.stderr)


def test_the_first_decision_of_the_readme(tmp_path: Path) -> None:
    """The files that the README shows, and the command it shows, give the decision it shows; a mention turns it."""
    readme = (ROOT / "README.md").read_text()
    (policy,) = re.findall(r"```toml\n(.*?)```", readme, re.DOTALL)
    files = {"policy.toml": policy}
    files |= dict(re.findall(r"\$ cat (\w+\.json)\n(\{.*?\})(?=\n\$|\n```)", readme, re.DOTALL))
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (command,) = re.findall(r"\$ dragoman (gate check .*?) < event.json", readme)
    mentioned = files["event.json"].replace(
        '"content": {', '"content": {"m.mentions": {"user_ids": ["@desk:example.org"]}, '
    )

    def decided(event: str) -> tuple[str, str]:
        words = [sys.executable, "-m", "dragoman.cli", *command.split()]
        done = subprocess.run(words, input=event, capture_output=True, text=True, cwd=tmp_path, check=True)
        found = json.loads(done.stdout)
        return found["outcome"], found["reason"]

    assert {"policy.toml", "me.json", "room.json", "event.json"} == set(files)
    assert ("silent", "not_requested") == decided(files["event.json"])
    assert ("respond", "agent_mentioned") == decided(mentioned)


def test_the_page_of_decisions_is_what_the_tables_say() -> None:
    """`docs/reference/decisions.md` is printed from the gate's tables, and stands as printed."""
    printed = subprocess.run(
        [sys.executable, str(ROOT / "docs/make_decisions.py")], capture_output=True, text=True, timeout=60, check=True
    )
    assert (ROOT / "docs/reference/decisions.md").read_text() == printed.stdout
