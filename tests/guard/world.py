"""A real gate over a real policy for the guarded bots of these tests."""

from __future__ import annotations

from pathlib import Path

from dragoman import Gate, load_policy
from dragoman.gate.in_memory import MemoryJournal
from dragoman.gate.ports import Entry

POLICY = """
version = 1
mode = "{mode}"

[[targets]]
platform = "{platform}"
workspace = "{workspace}"
channel = "{channel}"
audience = "external"
"""


def gate_at(
    folder: Path, platform: str, workspace: str, channel: str, *, mode: str = "enforce"
) -> tuple[Gate, MemoryJournal]:
    """A gate whose policy names one external target, and its journal."""
    path = folder / f"{mode}.toml"
    path.write_text(POLICY.format(mode=mode, platform=platform, workspace=workspace, channel=channel))
    path.chmod(0o600)
    journal = MemoryJournal()
    return Gate(policy=load_policy(path), journal=journal), journal


def stopped(journal: MemoryJournal) -> list[Entry]:
    """The records of what the guard stopped, or would have."""
    return [entry for entry in journal.entries if entry.reason == "ungated_send"]
