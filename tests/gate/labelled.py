"""Measures the rules on labelled messages: `python -m tests.gate.labelled FILE... [--misses]`.

A file has one JSON object per line: `text`, `label` (a topic, a hard stop, or `none`), and the facts of the target in
`record`. A message is held or denied when a hard stop, a topic or an unverified claim is found in it, as
`gate/release.py` asks them. It is *right* when the mark named by its label is among those found, or nothing is found
for `none`; an unstated specification counts for both labels of the record check.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from dragoman.gate.records import ClaimKind, compile_record, unverified
from dragoman.gate.topics import hard_stops_in, topics_in

NOW = 1_789_981_200_000
"""Monday 21 September 2026, 9:00 UTC."""
FROM_RECORD = frozenset({"unverified_claim", "unmeasured_specification"})


class Line(msgspec.Struct, frozen=True):
    """One labelled message."""

    text: str
    label: str
    record: tuple[str, ...] = ()


class Tally(msgspec.Struct):
    """How the messages of one label fared."""

    total: int = 0
    held: int = 0
    right: int = 0


def read(path: Path) -> list[Line]:
    """The lines of one file."""
    return [msgspec.convert(json.loads(line), Line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def marks(line: Line, now: int = NOW) -> frozenset[str]:
    """Every mark that the gate would find in the message."""
    claims = unverified(line.text, compile_record(line.record), now)
    found: set[str] = {str(mark) for mark in (*topics_in(line.text), *hard_stops_in(line.text))}
    if claims:
        found.add("unverified_claim")
    if any(claim.kind is ClaimKind.SPECIFICATION for claim in claims):
        found.add("unmeasured_specification")
    return frozenset(found)


def right(line: Line, found: frozenset[str]) -> bool:
    """Whether the label's own mark is among those found."""
    if line.label == "none":
        return not found
    return line.label in found or bool(line.label in FROM_RECORD and found & FROM_RECORD)


def measure(lines: Iterable[Line]) -> tuple[dict[str, Tally], list[tuple[Line, frozenset[str]]]]:
    """The tally per label, and the messages that were not right."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    misses = []
    for line in lines:
        found, tally = marks(line), tallies[line.label]
        tally.total += 1
        tally.held += bool(found)
        tally.right += right(line, found)
        if not right(line, found):
            misses.append((line, found))
    return dict(tallies), misses


def figures(tallies: dict[str, Tally]) -> dict[str, float]:
    """Recall and precision of holding at all, share of right marks, and false holds among `none`."""
    guarded = [tally for label, tally in tallies.items() if label != "none"]
    none = tallies.get("none", Tally())
    total, held = sum(tally.total for tally in guarded), sum(tally.held for tally in guarded)
    return {
        "recall": held / total if total else 1.0,
        "right": sum(tally.right for tally in guarded) / total if total else 1.0,
        "precision": held / (held + none.held) if held else 1.0,
        "false_holds": none.held / none.total if none.total else 0.0,
    }


def table(tallies: dict[str, Tally]) -> str:
    """The tallies and figures as a table to read."""
    rows = [f"{label:30} {tally.total:4} {tally.held:4} {tally.right:5}" for label, tally in sorted(tallies.items())]
    last = "  ".join(f"{name} {value:.3f}" for name, value in figures(tallies).items())
    return "\n".join([f"{'label':30} {'all':>4} held right", *rows, last])


def main(arguments: list[str]) -> None:
    """Prints one table per file, and the misses when asked."""
    say: Any = sys.stdout.write
    for name in (one for one in arguments if one != "--misses"):
        tallies, misses = measure(read(Path(name)))
        say(f"{name}\n{table(tallies)}\n")
        for line, found in misses if "--misses" in arguments else ():
            say(f"  {line.label}: {line.text!r} {sorted(found)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
