"""The claim rule on sentences: an open set and a locked one by somebody who never saw the rule, and our own.

A claim has to be found; a denial and a mention (a quotation, a question, a task, what another does) have to pass.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.packets.rules.claim_needles import worth
from dragoman.packets.rules.claims import claims

SETS = Path(__file__).parent / "claims"
ENOUGH = 0.95


def rows(name: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each sentence of a set."""
    for line in (SETS / f"{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        yield row["kind"], row["text"]


def wrong(name: str, kind: str) -> tuple[list[str], int]:
    """The sentences of one kind that are judged wrongly, and how many of the kind there are."""
    texts = [text for each, text in rows(name) if each == kind]
    return [text for text in texts if claims(text) is not (kind == "claim")], len(texts)


@pytest.mark.parametrize("kind", ["claim", "denial", "quotation"])
@pytest.mark.parametrize("name", ["en", "zh", "own.en", "own.zh"])
def test_open_sentences_are_judged_right(name: str, kind: str) -> None:
    """At least 95 of 100 sentences of each kind and language."""
    failed, count = wrong(name, kind)
    assert count >= 15
    assert len(failed) <= count * (1 - ENOUGH), failed


@pytest.mark.parametrize("language", ["en", "zh"])
def test_locked_sentences_are_judged_right(language: str) -> None:
    """The same on sentences that nobody who works on the rule has read: only the score is told."""
    judged = [claims(text) is (kind == "claim") for kind, text in rows(f"{language}.locked")]
    assert sum(judged) / len(judged) >= ENOUGH


@pytest.mark.parametrize("name", ["en", "zh", "own.en", "own.zh"])
def test_the_cheap_question_loses_no_claim(name: str) -> None:
    """Every sentence in which a claim is found has one of the needles."""
    assert [text for _, text in rows(name) if claims(text) and not worth(text)] == []


def test_what_packets_commonly_say_is_no_claim() -> None:
    """Plain reports, requests and records, in the words of repositories, tasks, certificates and adapters."""
    texts = (SETS / "harmless.txt").read_text("utf-8").splitlines()
    assert [text for text in texts if claims(text)] == []
