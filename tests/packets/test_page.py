"""The page `docs/how-to/check-a-packet.md` is true: its commands run in one shell, in order, and write what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.packets.rules import CATALOG

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/check-a-packet.md").read_text()
MARK = "--- end of step ---"


def steps() -> list[tuple[str, str]]:
    """Every command of the page with the output that it shows."""
    blocks = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"(?m)^\$ ", block)[1:]]
    return [(command, expected) for command, _, expected in (part.partition("\n") for part in parts)]


@pytest.mark.slow
def test_the_page_runs(tmp_path: Path) -> None:
    """`…` stands for anything; every other character of an expected output is compared, and nothing goes wrong."""
    script = "".join(f"{command}\necho '{MARK}'\n" for command, _ in steps())
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash"],
        input=script,
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    shown = done.stdout.split(f"{MARK}\n")

    assert "" == done.stderr
    assert len(steps()) + 1 == len(shown)
    for (command, expected), out in zip(steps(), shown, strict=False):
        pattern = ".*".join(map(re.escape, expected.split("…")))
        assert re.fullmatch(pattern, out, re.DOTALL), f"{command}\nexpected\n{expected}\ngot\n{out}"


def test_the_page_of_rules_is_printed_from_the_table() -> None:
    """`docs/reference/packet-rules.md` is what `python docs/make_packet_rules.py` prints, and has every rule."""
    command = [sys.executable, str(ROOT / "docs/make_packet_rules.py")]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout

    assert printed == (ROOT / "docs/reference/packet-rules.md").read_text()
    assert all(f"`{rule.id}`" in printed for rule in CATALOG)
