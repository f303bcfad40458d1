"""The page on `curl` cannot rot: its commands run in one shell against a real hub, and say what the page says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.hub_process import running_hub

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "hub-by-curl.md"
SAID = re.compile(r"^(?P<command>.*\S) +# (?P<said>(?:true|\"state\"|\{\").*)$")


def commands(page: str) -> str:
    """Every shell block of the page; what a command is said to print stands before it as `== said`."""
    lines = []
    for line in "\n".join(re.findall(r"```sh\n(.*?)```", page, re.DOTALL)).splitlines():
        found = SAID.match(line)
        lines += ["echo", f"echo '== {found['said']}'", found["command"], "echo"] if found else [line]
    return "\n".join(lines)


def test_the_page_says_what_happens(tmp_path: Path) -> None:
    """Nothing on the page fails, and each command that is said to print something prints it."""
    if shutil.which("curl") is None or shutil.which("openssl") is None:
        pytest.skip("curl or openssl is not installed")
    with running_hub(tmp_path / "hub") as hub:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands(PAGE.read_text())],
            cwd=tmp_path,
            env={"HUB": hub.url, "PATH": os.environ["PATH"], "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    assert (0, "") == (done.returncode, done.stderr)
    promised = re.findall(r"^== (.*)\n(.*)$", done.stdout, re.MULTILINE)
    assert 4 == len(promised)
    for said, printed in promised:
        assert said in printed
    assert '"text":"6 October is open.","packet":null,"complete":true' in done.stdout
    assert '"result":"fail"' in done.stdout
