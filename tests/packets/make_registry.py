"""Writes `src/dragoman/packets/registry.json` anew, after the schemas or the vectors changed.

`python -m tests.packets.make_registry`
"""

from __future__ import annotations

import json
from pathlib import Path

from dragoman.packets.registry import registry

FILE = Path(__file__).parents[2] / "src" / "dragoman" / "packets" / "registry.json"


def text() -> str:
    """The file's text."""
    return json.dumps(registry(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
