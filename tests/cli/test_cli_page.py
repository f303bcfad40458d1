"""The page `docs/reference/cli.md` says what the commands do: its files are written, its examples run, in order.

`…` in an expected line stands for anything; every other character is compared.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from dragoman.cli.main import PARTS
from dragoman.errors import CODES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/cli.md").read_text()
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


class Step(NamedTuple):
    """A file to write, or a command to run with the output it must have."""

    file: str = ""
    text: str = ""
    command: str = ""


def steps() -> Iterator[Step]:
    """What the page does, in its order."""
    for kind, file, text in BLOCK.findall(PAGE):
        if file:
            yield Step(file=file, text=text)
        elif kind == "console":
            for part in re.split(r"(?m)^\$ ", text)[1:]:
                command, _, expected = part.partition("\n")
                yield Step(command=command, text=expected)


STEPS = list(steps())
COMMANDS = [step.command for step in STEPS if step.command]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str, str]]:
    """Every command of the page with what it should have written, what it wrote, and its standard error."""
    folder = tmp_path_factory.mktemp("page")
    folder.chmod(0o700)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    found = {}
    for number, step in enumerate(STEPS):
        if step.file:
            (folder / step.file).write_text(step.text)
            (folder / step.file).chmod(0o600)
            continue
        done = subprocess.run(
            ["bash", "-c", f"umask 077; {step.command}"],
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        found[f"{number}"] = (step.text, done.stdout, done.stderr)
    return found


@pytest.mark.parametrize(
    "number",
    [str(number) for number, step in enumerate(STEPS) if step.command],
    ids=[" ".join(command.split()[:4]) for command in COMMANDS],
)
def test_each_example_writes_what_it_says(played: dict[str, tuple[str, str, str]], number: str) -> None:
    """Line by line, with nothing on standard error."""
    expected, out, err = played[number]

    assert "" == err
    assert re.fullmatch(".*".join(map(re.escape, expected.split("…"))), out, re.DOTALL), (
        f"expected\n{expected}\ngot\n{out}"
    )


def test_the_page_has_examples_of_every_part() -> None:
    """Each group of commands is shown at work; `run`, `probe`, `status`, `resolve` and the like stand in the table."""
    shown = " ".join(COMMANDS)

    assert [] == [
        name
        for name in ("gate check", "gate release", "packet validate", "hub serve", "doctor", "once", "why")
        if f"dragoman {name}" not in shown
    ]
    assert [] == [name for name in PARTS if f"`dragoman {name}" not in PAGE]


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_its_row(code: str) -> None:
    """With its exit code and the sentence that may be shown."""
    number, sentence = CODES[code]

    assert f"| `{code}` | {int(number)} | {sentence}" in PAGE
