"""The text of the transcripts, line by line: what is said in them, and nothing of what decides (see `transcript`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

TRANSCRIPTS: Final = Path(__file__).parent / "transcripts"
EVENT: Final = re.compile(
    r"> (?P<who>\S+)(?: of (?P<home>\S+))? in (?P<where>\w+)(?: of (?P<workspace>\w+))?"
    r"(?: \((?P<facts>.*?)\))?:(?P<text>.*)"
)
"""A `>` line. Facts are separated by `; `."""
MENTION: Final = re.compile(r"(?<!\S)@(\w+)")
COMMAND: Final = re.compile(r" /(\w+)(?:@(\w+))?(?:\s+(.*))?$")


class Row(NamedTuple):
    """One event of a transcript and the decision that is expected."""

    place: str
    about: str
    policy: str
    said: str
    expected: str


def policy_text(unknown_targets: str) -> str:
    """The policy of the transcripts."""
    text = (TRANSCRIPTS / "world.toml").read_text()
    return text.replace('unknown_targets = "closed"', f'unknown_targets = "{unknown_targets}"')


def rows() -> Iterator[Row]:
    """Every event of every transcript, in order."""
    for path in sorted(TRANSCRIPTS.glob("*.txt")):
        policy, about, said = "closed", "", ""
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.startswith("policy "):
                policy = line.removeprefix("policy ")
            elif line.startswith("# "):
                about = line[2:]
            elif line.startswith("> "):
                said = line
            elif line.startswith("< "):
                yield Row(f"{path.name}:{number - 1}", about, policy, said, line[2:])
