"""The judge of the mutants can itself be wrong: it calls a sound file sound and a changed one changed."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.mutants import JUDGES, LEFT_OUT, ROOT

JUDGE = """
import sys
from tests.mutants import GATE, Mutant, verdicts
file, right, wrong = sys.argv[1:]
source = (GATE / f"{file}.py").read_text()
assert not right or source.count(right) == 1, source.count(right)
[(_, verdict)] = verdicts(file, [Mutant(1, 1, source.replace(right, wrong) if right else source)], 1)
print(verdict)
"""


@pytest.mark.parametrize(
    ("file", "right", "wrong", "verdict"),
    [
        ("admit", "", "", "survived"),
        ("admit", "bursting = asked.burst_open and not", "bursting = asked.burst_open or not", "killed"),
        ("admit", "lambda d: d.seen is SeenState.DUPLICATE", "lambda d: None", "killed"),
        ("admit", "MEMORY: Final = 16_384", "MEMORY: Final = 16_385", "killed"),
        ("checks", "def marked(", "def marked[(", "killed"),
        ("outgoing", "strict=True", "strict=False", "survived"),
    ],
)
def test_a_mutant_is_judged_as_it_is(file: str, right: str, wrong: str, verdict: str) -> None:
    """In a function that remembers its answers, in a table, in a constant; and a change that is none survives."""
    judging = subprocess.run(
        [sys.executable, "-c", JUDGE, file, right, wrong],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
        timeout=100,
    )

    assert (verdict, "") == (judging.stdout.strip(), judging.stderr)


def test_the_page_tells_of_every_file() -> None:
    """Each file that is judged has its row with a count, and each judge is a file that exists."""
    page = (ROOT / "docs/explanation/mutants.md").read_text()
    found = re.findall(r"`gate/(\w+).py` \| (\d+) \| (\d+) \| (\d+)", page)
    rows = {name: tuple(map(int, figures)) for name, *figures in found}

    assert set(JUDGES) == set(rows)
    assert all(noticed + survived == total and noticed >= 0.95 * total for total, noticed, survived in rows.values())
    for judge in (*LEFT_OUT, *(each for judges in JUDGES.values() for each in judges)):
        assert (ROOT / "tests" / "gate" / judge.partition("::")[0]).is_file()
