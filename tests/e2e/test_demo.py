"""The demo's story with real processes and the real model: every promise of its table, for ten shuffles."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dragoman.cli.demo_story import QUESTIONS

pytestmark = [pytest.mark.slow, pytest.mark.model, pytest.mark.timeout(600)]

SHUFFLES = int(os.environ.get("DRAGOMAN_SHUFFLES", "1"))
"""How many orders of the story are tried; the soak tries more."""


def run_demo(folder: Path, seed: int) -> dict[str, Any]:
    """The ending of one run, as the command prints it."""
    words = ["demo", "--seed", str(seed), "--folder", str(folder), "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "dragoman.cli", *words], capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    ending = json.loads(done.stdout)
    assert isinstance(ending, dict)
    return ending


@pytest.fixture(autouse=True)
def model() -> None:
    """The demo's model must be there; on a machine that has to run everything its absence is a failure."""
    try:
        import xllamacpp

        from dragoman.agents.local import find_model

        assert xllamacpp.__name__
        find_model()
    except Exception as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"the demo's model is not installed ({error}); see `make demo`")


@pytest.mark.parametrize("seed", range(1, SHUFFLES + 1))
def test_the_story_holds_for_every_shuffle(seed: int, tmp_path: Path) -> None:
    """Whatever the order and the kill: once, stopped, told, silent, verified, and the folder stays private."""
    folder = tmp_path / "run"
    ending = run_demo(folder, seed)
    files = [path for path in folder.rglob("*") if path.is_file()]

    assert dict.fromkeys(ending["promises"], True) == ending["promises"]
    assert sorted(QUESTIONS) == sorted(matter["question"] for matter in ending["matters"])
    assert {0} == {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in [folder, *files]}
    assert len(QUESTIONS) == len(list((folder / "packets").iterdir()))
