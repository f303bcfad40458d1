"""The pages on running a receiver and on backups do what they say: files are written, examples run in their order."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["run-it-always", "backup-and-upgrade"])
def test_the_page_does_what_it_says(tmp_path: Path, page: str) -> None:
    """Each command writes what stands under it, `…` aside, and nothing on standard error."""
    tmp_path.chmod(0o700)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    shown = 0
    for kind, file, text in BLOCK.findall((ROOT / f"docs/how-to/{page}.md").read_text()):
        if file:
            (tmp_path / file).write_text(text)
            (tmp_path / file).chmod(0o600)
        for part in re.split(r"(?m)^\$ ", text)[1:] if kind == "console" else ():
            command, _, expected = part.partition("\n")
            done = subprocess.run(
                ["bash", "-c", f"umask 077; {command}"],
                cwd=tmp_path,
                env={**os.environ, "PATH": path, "LC_ALL": "C"},
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            pattern = ".*".join(map(re.escape, expected.split("…")))
            assert re.fullmatch(pattern, done.stdout, re.DOTALL), f"{command}\n{done.stdout}"
            assert "" == done.stderr, command
            shown += 1
    assert shown >= 5
