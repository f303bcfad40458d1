"""The page `docs/how-to/approvals.md` is true: its commands are run, its codes are those of the code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.gate.command_words import ACTED
from dragoman.gate.commands import Control, Said
from tests.cli.test_cli_page import BLOCK

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/approvals.md").read_text()


@pytest.mark.slow
def test_the_commands_of_the_page_do_what_it_says(tmp_path: Path) -> None:
    """In order, in one folder; `…` in an expected line stands for anything."""
    tmp_path.chmod(0o700)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    ran = 0
    for kind, file, text in BLOCK.findall(PAGE):
        if file:
            (tmp_path / file).write_text(text)
            (tmp_path / file).chmod(0o600)
        for part in re.split(r"(?m)^\$ ", text)[1:] if kind == "console" else ():
            command, _, expected = part.partition("\n")
            words = ["bash", "-c", f"umask 077; {command}"]
            done = subprocess.run(
                words,
                cwd=tmp_path,
                env={**os.environ, "PATH": path},
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            pattern = re.escape(expected).replace("…", ".*")
            assert re.fullmatch(pattern, done.stdout), (command, done.stdout, done.stderr)
            ran += 1
    assert ran > 10


def test_the_page_knows_every_command_and_every_code() -> None:
    """What an operator can type, and every answer that says that nothing was done."""
    assert all(f"`{control}" in PAGE for control in Control)
    for code in set(Said) - ACTED - {Said.NOT_THEIRS}:
        assert f"`{code}`" in PAGE, code
