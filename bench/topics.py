"""What do the topic rules and the record check cost? `python bench/topics.py [FILE.jsonl ...]`: CPU ms per kB and step.

Texts are the labelled messages of the tests (or the files given), one by one as they are sent (short, so the fixed cost
per message shows) and sixteen to a text (about a kilobyte in which nearly every line states something: the dear case).
Patterns are compiled before; the median of the rounds is taken in CPU time, which a busy machine disturbs least.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from dragoman.gate.claims import claims
from dragoman.gate.reading.properties import properties
from dragoman.gate.records import Record, compile_record, unverified
from dragoman.gate.topics import hard_stops_in, topics_in
from dragoman.gate.wording.rule import readings

LABELLED = Path(__file__).parent.parent / "tests" / "gate" / "data" / "labelled"
NOW = 1_789_981_200_000
ROUNDS = 7
AT_ONCE = 16
Message = tuple[str, Record]
STEPS: dict[str, Callable[[Message], object]] = {
    "folding": lambda message: readings(message[0]),
    "topics": lambda message: topics_in(message[0]),
    "hard stops": lambda message: hard_stops_in(message[0]),
    "claims read": lambda message: claims(message[0]),
    "properties read": lambda message: list(properties(message[0])),
    "record check": lambda message: unverified(*message, NOW),
    "all three": lambda message: (topics_in(message[0]), hard_stops_in(message[0]), unverified(*message, NOW)),
}


def messages(path: Path) -> list[Message]:
    """The messages of one file with their records, compiled as a policy compiles them at load."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return [(line["text"], compile_record(tuple(line.get("record") or ()))) for line in lines]


def together(single: list[Message]) -> list[Message]:
    """Sixteen messages as one text, with the record of the first."""
    groups = [single[at : at + AT_ONCE] for at in range(0, len(single), AT_ONCE)]
    return [("\n".join(text for text, _ in group), group[0][1]) for group in groups]


def cost(step: Callable[[Message], object], texts: list[Message]) -> float:
    """Seconds of CPU for one pass over all texts, the median of the rounds."""
    spent = []
    for _ in range(ROUNDS + 1):
        started = time.process_time()
        for message in texts:
            step(message)
        spent.append(time.process_time() - started)
    return statistics.median(spent[1:])  # the first one compiles


def main(paths: list[Path]) -> None:
    """One table per file and size of text."""
    for path in paths:
        for name, texts in (("one by one", messages(path)), ("a kilobyte", together(messages(path)))):
            size = sum(len(text.encode()) for text, _ in texts) / 1024
            print(f"{path.name}, {name}: {len(texts)} texts, {size:.1f} kB")
            for step, run in STEPS.items():
                seconds = cost(run, texts)
                print(f"  {step:16} {seconds * 1000 / size:7.3f} ms/kB {seconds * 1e6 / len(texts):8.1f} us/text")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or sorted(LABELLED.glob("??_*.jsonl")))
