"""Speed of the leak check as a ratio to one bare ahocorasick_rs pass over the same folded text, in the same run.

    python bench/leaks.py [TERMS]        (default 10000)

Prints microseconds for a clean 2 KB message (median of rounds over 50 messages in rotation), ASCII and 10 % Han, the
ratio `bare pass / whole check` (1.0 = the check costs no more than the pass), hostile text, and the cost of one stream
chunk early and late in a long text. Absolute times belong to the machine; the ratios hold.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence

import ahocorasick_rs

from dragoman.leaks import Guard, StreamScan, Terms, fold

CONSONANTS, VOWELS = "bcdfghklmnprstvz", "aeiou"


def words(chance: random.Random, count: int) -> list[str]:
    """Made-up words of two to four syllables."""
    return [
        "".join(chance.choice(CONSONANTS) + chance.choice(VOWELS) for _ in range(chance.randint(2, 4)))
        for _ in range(count)
    ]


def message(chance: random.Random, vocabulary: Sequence[str], han: bool) -> str:
    """A message of about 2 KB of the terms' own vocabulary, some of it Han."""
    parts: list[str] = []
    while sum(map(len, parts)) + len(parts) < 2_000:
        parts.append(chance.choice(vocabulary))
        if han and chance.random() < 0.1:
            parts.append("".join(chr(chance.randint(0x4E00, 0x8FFF)) for _ in range(6)) + "，")
    return " ".join(parts)


def micros(work: Callable[[str], object], texts: Sequence[str], rounds: int = 9) -> float:
    """Median microseconds per text."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for text in texts:
            work(text)
        times.append((time.perf_counter() - start) / len(texts) * 1e6)
    return statistics.median(times)


def per_chunk(guard: Guard, text: str) -> float:
    """Microseconds per chunk of 16 characters over a whole text."""
    start = time.perf_counter()
    stream = StreamScan(guard)
    chunks = [text[at : at + 16] for at in range(0, len(text), 16)]
    for chunk in chunks:
        stream.push(chunk)
    return (time.perf_counter() - start) / len(chunks) * 1e6


def main() -> None:
    """Builds the terms, prints the table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    chance = random.Random(7)
    vocabulary = words(chance, 5_000)
    terms = [" ".join(chance.sample(vocabulary, chance.choice((2, 2, 3)))) for _ in range(count)]
    start = time.perf_counter()
    guard = Guard(Terms({f"party{nth % 50}": terms[nth::50] for nth in range(50)}))
    print(f"{len(guard.terms)} terms, built in {time.perf_counter() - start:.2f} s")
    bare = ahocorasick_rs.BytesAhoCorasick(
        [term.encode() for term in terms], implementation=ahocorasick_rs.Implementation.ContiguousNFA
    )
    for name, han in (("ASCII", False), ("10 % Han", True)):
        texts = [text for text in (message(chance, vocabulary, han) for _ in range(60)) if not guard.scan(text)][:50]
        folded = {text: fold(text).text.encode() for text in texts}
        floor = micros(lambda text: bare.find_matches_as_indexes(folded[text]), texts)  # noqa: B023
        whole = micros(guard.scan, texts)
        print(f"{name:10} bare pass {floor:7.1f} us   whole check {whole:7.1f} us   ratio {floor / whole:.2f}")
    hostile = [" ".join(term[:-1] for term in chance.sample(terms, 120))[:2_000] for _ in range(50)]
    print(f"{'hostile':10} whole check {micros(guard.scan, hostile):7.1f} us (every term without its last letter)")
    short = message(chance, vocabulary, False)
    long = " ".join(message(chance, vocabulary, False) for _ in range(32))
    quiet = Guard(Terms({"party": [term + " qqq" for term in terms]}))
    early = statistics.median(per_chunk(quiet, short) for _ in range(9))
    late = statistics.median(per_chunk(quiet, long) for _ in range(3))
    print(f"stream     per chunk {early:.1f} us at 2 KB, {late:.1f} us at 64 KB (ratio {late / early:.2f})")


if __name__ == "__main__":
    main()
