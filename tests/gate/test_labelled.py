"""The labelled messages whose rules were written with them in sight: the floor that was reached holds (spec 1 §4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.gate.topics import hard_stops_in, topics_in
from tests.gate.labelled import FROM_RECORD, Line, figures, marks, measure, read, right, table

DATA = Path(__file__).parent / "data" / "labelled"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_visible_half(language: str) -> None:
    """Recall, right marks, precision and false holds of the visible half stay where they are."""
    lines = read(DATA / f"{language}_guarded.jsonl") + read(DATA / f"{language}_ordinary.jsonl")

    tallies, misses = measure(lines)

    print(table(tallies), *misses, sep="\n")
    reached = figures(tallies)
    assert (reached["recall"] >= 0.98, reached["right"] >= 0.97) == (True, True)
    assert (reached["precision"] >= 0.97, reached["false_holds"] <= 0.03) == (True, True)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("names", [("judged_{}_guarded", "judged_{}_ordinary"), ("rounds_{}",)])
def test_topics_alone(language: str, names: tuple[str, ...]) -> None:
    """What the first locked half, and five rounds of our own, missed at first stays found, each with its own mark."""
    lines = [line for name in names for line in read(DATA / f"{name.format(language)}.jsonl")]
    ours = [line for line in lines if line.label not in FROM_RECORD]

    found = [(line, {str(mark) for mark in (*topics_in(line.text), *hard_stops_in(line.text))}) for line in ours]

    missed = [line for line, marked in found if line.label != "none" and line.label not in marked]
    held = [line for line, marked in found if line.label == "none" and marked]
    print(*missed, *held, sep="\n")
    assert (len(missed) <= 10, len(held) <= 6) == (True, True)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_own_messages(language: str) -> None:
    """Messages of our own, oblique on purpose, by which the rules were widened: most are held, few ordinary ones."""
    tallies, misses = measure(read(DATA / f"own_{language}.jsonl"))

    print(table(tallies), *misses, sep="\n")
    reached = figures(tallies)
    assert (reached["recall"] >= 0.97, reached["false_holds"] <= 0.07) == (True, True)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_label_is_found(language: str) -> None:
    """No label is carried by the others: of each at least nine in ten get their own mark."""
    tallies, _ = measure(read(DATA / f"{language}_guarded.jsonl"))

    assert dict.fromkeys(tallies, True) == {
        label: tally.right * 10 >= tally.total * 9 for label, tally in tallies.items()
    }


def test_measuring_can_fail() -> None:
    """A message that is held though its label says `none`, or passes though it should not, is counted against us."""
    held, passed = Line("It costs 40 euros.", "none"), Line("Thank you.", "legal")

    tallies, misses = measure([held, passed])

    assert [line for line, _ in misses] == [held, passed]
    assert figures(tallies) == {"recall": 0.0, "right": 0.0, "precision": 1.0, "false_holds": 1.0}
    assert (right(held, marks(held)), right(passed, marks(passed))) == (False, False)


@pytest.mark.parametrize(
    ("language", "recall", "false_holds"), [("en", 0.97, 0.09), ("zh", 0.96, 0.04)], ids=["en", "zh"]
)
def test_the_third_judged_set(language: str, recall: float, false_holds: float) -> None:
    """What was reached on messages that no rule was written for holds: nobody has widened a rule with them in sight."""
    tallies, misses = measure(
        read(DATA / f"third_{language}_guarded.jsonl") + read(DATA / f"third_{language}_ordinary.jsonl")
    )

    print(table(tallies), *misses, sep="\n")
    reached = figures(tallies)
    assert (reached["recall"] >= recall, reached["false_holds"] <= false_holds) == (True, True)
