"""Speed of the leak check, each row beside a peer in the same interleaved rounds: `python bench/leaks.py [--million]`.

The bare pass is one ahocorasick_rs search (bytes, contiguous NFA) for the same terms in the same text, folded before.
The whole check folds, looks for 100,000 terms however they are written and for every shape of secret, path, trace and
host. Messages are about 2 KB of the terms' own words, so that much comes near and nothing is found. Processor time;
medians of rounds and of the ratios round by round: the ratios hold, absolute times belong to the machine.
`--million` adds a million terms: a database built in one child process (a minute, 2 GB) and served in another.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import ahocorasick_rs
from detect_secrets.core.scan import scan_line
from detect_secrets.settings import default_settings

from dragoman.leaks import Engine, Guard, StreamScan, Terms, fold

CONSONANTS, VOWELS = "bcdfghklmnprstvz", "aeiou"
HAN = bytes(b for first in range(0xB0, 0xD8) for second in range(0xA1, 0xFF) for b in (first, second)).decode(
    "gb2312", "ignore"
)
"""The characters of GB 2312's first level: those of daily use."""
TRADITIONAL = "獵鷹項目單價發貨後臺這個們來對國學會時經業產"
CHUNK = 16
LONGER = (3, 3, 4)
"""Words in a term where there are so many that any two words would be one."""

Times = Mapping[str, Sequence[float]]


def words(chance: random.Random, count: int) -> list[str]:
    """Made-up words of two to four syllables."""
    return [
        "".join(chance.choice(CONSONANTS) + chance.choice(VOWELS) for _ in range(chance.randint(2, 4)))
        for _ in range(count)
    ]


def message(chance: random.Random, vocabulary: Sequence[str], han: str) -> str:
    """A message of about 2 KB of the terms' own vocabulary, a tenth of it Han if there are any."""
    parts: list[str] = []
    while sum(map(len, parts)) + len(parts) < 2_000:
        parts.append(chance.choice(vocabulary))
        if han and chance.random() < 0.1:
            parts.append("".join(chance.choices(han, k=6)) + "，")
    return " ".join(parts)


def made(count: int, sizes: Sequence[int] = (2, 2, 3)) -> tuple[random.Random, list[str], list[str]]:
    """Chance, a vocabulary, and so many terms of a few of its words."""
    chance = random.Random(7)
    vocabulary = words(chance, 5_000)
    return chance, vocabulary, [" ".join(chance.sample(vocabulary, chance.choice(sizes))) for _ in range(count)]


def owned(terms: Sequence[str]) -> dict[str, Sequence[str]]:
    """The terms among fifty parties."""
    return {f"party{nth}": terms[nth::50] for nth in range(50)}


def bare_pass(terms: Sequence[str]) -> Callable[[bytes], object]:
    """The peer: one search for the terms as they are."""
    automaton = ahocorasick_rs.BytesAhoCorasick(
        [term.encode() for term in terms], implementation=ahocorasick_rs.Implementation.ContiguousNFA
    )
    return lambda raw: automaton.find_matches_as_indexes(raw, overlapping=True)


def clean(guard: Guard, texts: Sequence[str], count: int = 40) -> list[str]:
    """The texts that hold nothing."""
    return [text for text in texts if not guard.scan(text)][:count]


def timed(works: Mapping[str, Callable[[], object]], rounds: int = 15) -> Times:
    """Microseconds of each piece of work, in interleaved rounds."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            start = time.process_time()
            work()
            times[name].append((time.process_time() - start) * 1e6)
    return times


def each(work: Callable[[str], object], texts: Sequence[str]) -> Callable[[], object]:
    """The work done to every text."""
    return lambda: [work(text) for text in texts]


def row(name: str, what: str, peer: Sequence[float], ours: Sequence[float], divisor: float, target: float) -> None:
    """Prints microseconds of both, how many times faster than the peer, and the target."""
    ratio = statistics.median(one / other for one, other in zip(peer, ours, strict=True))
    peer_us, our_us = statistics.median(peer) / divisor, statistics.median(ours) / divisor
    print(f"{name:4}{what:47}{peer_us:10.1f}{our_us:10.1f}{ratio:9.2f}   >= {target:g}")


def speed(count: int) -> None:
    """L1, L2, L4, L5: whole checks of finished messages."""
    chance, vocabulary, terms = made(count)
    guards = {engine: Guard(Terms(owned(terms), engine=engine)) for engine in Engine}
    bare = bare_pass(terms)
    plain, fast = guards[Engine.PLAIN], guards[Engine.FAST]
    print(f"{len(plain.terms)} terms, 2 KB messages{'':18}peer us   ours us    ratio   target")
    for name, han, targets in (
        ("10 % Han", HAN, (1.0, 0.5)),
        ("ASCII", "", (2.0, 0.5)),
        ("10 % traditional Han", TRADITIONAL, (0.5, 0.3)),
    ):
        texts = clean(plain, [message(chance, vocabulary, han) for _ in range(90)])
        folded = {text: fold(text).text.encode() for text in texts}
        times = timed(
            {
                "bare": each(lambda text: bare(folded[text]), texts),  # noqa: B023
                "fast": each(fast.scan, texts),
                "plain": each(plain.scan, texts),
            }
        )
        row("L1", f"{name}, bare pass : whole check", times["bare"], times["fast"], len(texts), targets[0])
        row("L2", f"{name}, the same, no extra", times["bare"], times["plain"], len(texts), targets[1])
    ordinary = clean(plain, [message(chance, vocabulary, "") for _ in range(90)])
    hostile = [" ".join(term[:-1] for term in chance.sample(terms, 200))[:2_000] for _ in range(40)]
    size = sum(map(len, ordinary)) / sum(map(len, hostile))
    for engine, guard in guards.items():
        times = timed({"ordinary": each(guard.scan, ordinary), "hostile": each(guard.scan, hostile)})
        times = {"ordinary": times["ordinary"], "hostile": [size * each_us for each_us in times["hostile"]]}
        row("L4", f"ordinary : hostile text, {engine}", times["ordinary"], times["hostile"], len(ordinary), 0.5)
    with default_settings():
        times = timed(
            {
                "peer": each(lambda text: list(scan_line(text)), ordinary[:2]),
                "fast": each(fast.scan, ordinary),
                "plain": each(plain.scan, ordinary),
            },
            rounds=5,
        )
    peer = [each_us * len(ordinary) / 2 for each_us in times["peer"]]
    row("L5", "detect-secrets : whole check", peer, times["fast"], len(ordinary), 500)
    row("L5", "the same, no extra", peer, times["plain"], len(ordinary), 500)


def streams(count: int) -> None:
    """S1, S2: a chunk beside a rescan, late beside early, and what is held back."""
    chance, vocabulary, terms = made(count)
    print(f"{count} terms, chunks of {CHUNK} characters")
    for engine in Engine:
        guard = Guard(Terms(owned(terms), engine=engine))
        short = clean(guard, [message(chance, vocabulary, "") for _ in range(90)], 32)
        long = " 1 ".join(short)  # no term goes on behind the number
        times = timed(
            {
                "rescan": each(guard.scan, short),
                "short": each(lambda text: stream(guard, text), short),  # noqa: B023
                "long": lambda: stream(guard, long),  # noqa: B023
            },
            rounds=9,
        )
        rescan = [each_us / len(short) for each_us in times["rescan"]]
        early, late = ([each_us / len(long) * CHUNK for each_us in times[which]] for which in ("short", "long"))
        row("S1", f"rescan of 2 KB : one chunk, {engine}", rescan, early, 1, 3)
        row("S1", f"chunk at 2 KB : at 64 KB, {engine}", early, late, 1, 1 / 1.3)
        held = held_back(guard, short[:12])
        print(f"S2  characters held back after a word, {engine:32}{held:10.1f}{'':12}<= 8")


def stream(guard: Guard, text: str) -> None:
    """The text pushed chunk by chunk."""
    scan = StreamScan(guard)
    for at in range(0, len(text), CHUNK):
        scan.push(text[at : at + CHUNK])


def held_back(guard: Guard, texts: Sequence[str]) -> float:
    """The mean number of characters not shown when a word has just ended."""
    held = []
    for text in texts:
        scan = StreamScan(guard)
        for end, char in enumerate(text, start=1):
            shown = scan.push(char).upto
            if char == " ":
                held.append(end - shown)
    return statistics.mean(held)


def million() -> None:
    """L3: a million terms, built in one child process and served in another."""
    with tempfile.TemporaryDirectory() as folder:
        for step in ("--build", "--serve"):
            subprocess.run([sys.executable, __file__, step, f"{folder}/database"], check=True)


def build(path: Path) -> None:
    """Builds the database of a million terms."""
    start = time.process_time()
    path.write_bytes(Terms(owned(made(1_000_000, LONGER)[2]), engine=Engine.PLAIN).database())
    print(f"1000000 terms, database built in {time.process_time() - start:.0f} s of processor time, a child process")


def serve(path: Path) -> None:
    """Measures a process that serves a million terms from the database."""
    given = owned(made(1_000_000, LONGER)[2])
    start = time.perf_counter()
    guard = Guard(Terms(given, database=path.read_bytes()))
    loaded = time.perf_counter() - start
    del given
    print(f"{len(guard.terms)} terms read and loaded in {loaded:.1f} s")
    print(f"L3  resident in the serving process{'':36}{resident():10} MB{'':9}<= 400")
    start = time.perf_counter()
    more = guard.with_terms({"late": ["Kestrel one"]})
    found = more.scan("a Kestrel one")
    milliseconds = (time.perf_counter() - start) * 1e3
    print(f"L3  a term added and {'enforced' if found else 'MISSED'} after{'':34}{milliseconds:10.2f} ms{'':9}<= 1000")
    chance, vocabulary, terms = made(1_000_000, LONGER)
    bare = bare_pass(terms)
    texts = clean(guard, [message(chance, vocabulary, HAN) for _ in range(300)])
    folded = {text: fold(text).text.encode() for text in texts}
    times = timed({"bare": each(lambda text: bare(folded[text]), texts), "fast": each(more.scan, texts)})
    row("L3", f"10 % Han, bare pass : whole check ({len(texts)} texts)", times["bare"], times["fast"], len(texts), 1.0)


def resident() -> int:
    """The memory of this process, in MB."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) // 1024


if __name__ == "__main__":
    if sys.argv[1:2] == ["--build"]:
        build(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["--serve"]:
        serve(Path(sys.argv[2]))
    else:
        speed(100_000)
        streams(100_000)
        streams(10_000)
        if "--million" in sys.argv:
            million()
