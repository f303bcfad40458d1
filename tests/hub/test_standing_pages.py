"""The pages about delivery states and readiness are what the hub's tables say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["delivery-states", "readiness"])
def test_the_page_is_printed_from_the_table(page: str) -> None:
    """It stands as printed."""
    command = [sys.executable, str(ROOT / "docs/make_standing.py"), page]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)

    assert printed.stdout == (ROOT / "docs/reference" / f"{page}.md").read_text()
