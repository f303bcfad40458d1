"""Which of many literals, or of many patterns, occur in some bytes? Two engines, one answer.

1. `Engine.PLAIN` (ahocorasick_rs, RE2) is always there and quick to build; `Engine.FAST` (hyperscan) comes with the
   extra `fast`, reads two to four times faster and takes long to build. What follows from their answers is equal.
2. A named engine is built at once. None named: PLAIN works, and once it has read `WARM_UP` bytes FAST takes over, if
   it is installed and there are at most `INLINE` literals. So a process that lives for one message never waits for a
   build, and a service stands still for it once, about a quarter of a second.
3. More literals need a database built elsewhere (`Literals.database`, in a child process: a million take a minute and
   2 GB) and handed over; one that was built of other literals is refused.
4. A set of patterns may say yes too often, never too seldom: who asks looks again (`secrets`). A search that fails
   for want of memory says yes to everything.

Never: import hyperscan before it is used, share scratch space between two scans, go on without an engine.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, Final, TypeVar

import ahocorasick_rs
import re2

from dragoman.errors import DragomanError

WARM_UP: Final = 2_000_000
"""Bytes read before the fast engine is built, when none was asked for."""
INLINE: Final = 5_000
"""Most literals for which the fast engine is built unasked."""


class Engine(StrEnum):
    """How literals and patterns are searched for."""

    PLAIN = "plain"
    FAST = "fast"


Search = TypeVar("Search")
Find = Callable[[bytes], Sequence[tuple[int, int, int]]]
"""Bytes → every (index, start, end), overlapping ones too."""
Match = Callable[[bytes], Sequence[int]]
"""UTF-8 bytes → the index of every pattern that (may) occur, each once."""


def fast_is_installed() -> bool:
    """Whether the extra `fast` is there."""
    return importlib.util.find_spec("hyperscan") is not None


class Literals:
    """Many literals, compiled; `find` is the search.

    Args:
        literals: what to look for, each not empty and without line feeds; an index is a place in this sequence, which
            is kept and must not change.
        engine: PLAIN or FAST, or None for rule 2.
        database: what `database()` gave for the same literals: FAST, without building.

    Raises:
        DragomanError: `extra_missing` (FAST without the extra), `input_invalid` (of other literals, or damaged).
    """

    __slots__ = ("_literals", "find")

    find: Find

    def __init__(
        self, literals: Sequence[bytes], *, engine: Engine | None = None, database: bytes | None = None
    ) -> None:
        self._literals = literals
        if not literals:
            self.find = _nothing
        elif database is not None:
            self.find = _fast_literals(literals, _loaded(literals, database))
        elif engine is Engine.FAST:
            self.find = _fast_literals(literals, _compiled_literals(literals))
        elif engine is None and len(literals) <= INLINE:
            self.find = self._warming(_plain_literals(literals))
        else:
            self.find = _plain_literals(literals)

    def database(self) -> bytes:
        """The literals compiled for the fast engine, for `Literals` in another process of the same kind of machine.

        Raises:
            DragomanError: `extra_missing`.
        """
        dumped: bytes = _hyperscan().dumpb(_compiled_literals(self._literals))
        return _digest(self._literals) + dumped

    def _warming(self, plain: Find) -> Find:
        unread = WARM_UP

        def find(text: bytes) -> Sequence[tuple[int, int, int]]:
            nonlocal unread
            unread -= len(text)
            if unread < 0:
                self.find = _or_plain(lambda: _fast_literals(self._literals, _compiled_literals(self._literals)), plain)
            return plain(text)

        return find


class Patterns:
    """Many patterns, compiled; `match` is the search.

    Args:
        patterns: RE2 patterns.
        signs: for each pattern one that occurs wherever the pattern does, cheap to look for (Hyperscan's syntax); FAST
            and None need them.
        engine: PLAIN or FAST, or None for rule 2.
    """

    __slots__ = ("_signs", "match")

    match: Match

    def __init__(self, patterns: Sequence[str], signs: Sequence[str] = (), *, engine: Engine | None = None) -> None:
        self._signs = signs
        if engine is Engine.FAST:
            self.match = _fast_patterns(signs)
        elif engine is Engine.PLAIN:
            self.match = _plain_patterns(patterns)
        else:
            self.match = self._warming(_plain_patterns(patterns))

    def _warming(self, plain: Match) -> Match:
        unread = WARM_UP

        def match(text: bytes) -> Sequence[int]:
            nonlocal unread
            unread -= len(text)
            if unread < 0:
                self.match = _or_plain(lambda: _fast_patterns(self._signs), plain)
            return plain(text)

        return match


def re2_options() -> re2.Options:
    """The options under which every RE2 pattern of this room is compiled."""
    options = re2.Options()
    options.max_mem = 64 << 20
    options.log_errors = False
    return options


# --- plain ----------------------------------------------------------------------------------------------------------


def _nothing(_: bytes) -> Sequence[tuple[int, int, int]]:
    return ()


def _plain_literals(literals: Sequence[bytes]) -> Find:
    automaton = ahocorasick_rs.BytesAhoCorasick(
        literals,
        matchkind=ahocorasick_rs.MatchKind.Standard,
        implementation=ahocorasick_rs.Implementation.ContiguousNFA,
    )

    def find(text: bytes) -> Sequence[tuple[int, int, int]]:
        found: Sequence[tuple[int, int, int]] = automaton.find_matches_as_indexes(text, overlapping=True)
        return found

    return find


def _plain_patterns(patterns: Sequence[str]) -> Match:
    built = re2.Set.SearchSet(re2_options())
    for pattern in patterns:
        built.Add(pattern)
    built.Add(r"\A")  # there whenever the search itself did not fail
    built.Compile()
    count = len(patterns)

    def match(text: bytes) -> Sequence[int]:
        found: Sequence[int] | None = built.Match(text)
        if not found:
            return range(count)
        return [index for index in found if index < count] if len(found) > 1 else ()

    return match


# --- fast -----------------------------------------------------------------------------------------------------------


def _hyperscan() -> Any:
    try:
        return importlib.import_module("hyperscan")
    except ImportError as missing:
        raise DragomanError("extra_missing", "expected the extra `fast` to be installed") from missing


def _or_plain(build: Callable[[], Search], plain: Search) -> Search:
    """The fast search, or the plain one where hyperscan is missing or will not work on this machine."""
    try:
        return build()
    except DragomanError:
        return plain


def _built(expressions: list[bytes], *, literal: bool) -> Any:
    hyperscan = _hyperscan()
    database = hyperscan.Database()
    once = 0 if literal else hyperscan.HS_FLAG_SINGLEMATCH
    count = len(expressions)
    try:
        database.compile(
            expressions=expressions, ids=list(range(count)), elements=count, flags=[once] * count, literal=literal
        )
    except hyperscan.HyperscanError as failed:
        raise DragomanError("extra_missing", "hyperscan does not work on this machine") from failed
    return database


def _compiled_literals(literals: Sequence[bytes]) -> Any:
    return _built(list(literals), literal=True)


def _digest(literals: Sequence[bytes]) -> bytes:
    return hashlib.sha256(b"\n".join(literals)).digest()


def _loaded(literals: Sequence[bytes], database: bytes) -> Any:
    """The database of exactly these literals."""
    hyperscan = _hyperscan()
    digest = _digest(literals)
    if database[: len(digest)] != digest:
        raise DragomanError("input_invalid", "expected a database that was built of the same terms")
    try:
        loaded = hyperscan.loadb(database[len(digest) :], hyperscan.HS_MODE_BLOCK)
        loaded.scratch = hyperscan.Scratch(loaded)
    except hyperscan.HyperscanError as failed:
        raise DragomanError("input_invalid", "expected a whole database of this hyperscan version") from failed
    return loaded


def _fast_literals(literals: Sequence[bytes], database: Any) -> Find:
    # hyperscan does not count references to its callback: the closure keeps it
    def on_match(index: int, _start: int, end: int, _flags: int, found: list[tuple[int, int, int]]) -> None:
        found.append((index, end - len(literals[index]), end))

    scan = _scan(database, on_match)

    def find(text: bytes) -> Sequence[tuple[int, int, int]]:
        found: list[tuple[int, int, int]] = []
        scan(text, found)
        return found

    return find


def _fast_patterns(signs: Sequence[str]) -> Match:
    def on_match(index: int, _start: int, _end: int, _flags: int, found: list[int]) -> None:
        found.append(index)

    scan = _scan(_built([sign.encode("utf-8") for sign in signs], literal=False), on_match)

    def match(text: bytes) -> Sequence[int]:
        found: list[int] = []
        scan(text, found)
        return found

    return match


def _scan(database: Any, on_match: Callable[..., None]) -> Callable[[bytes, list[Any]], None]:
    """Scans with a scratch space of its own each time: two threads never meet in one."""
    model = database.scratch
    spare = [model.clone()]

    def scan(text: bytes, found: list[Any]) -> None:
        try:
            scratch = spare.pop()
        except IndexError:
            scratch = model.clone()
        database.scan(text, on_match, 0, found, scratch)
        spare.append(scratch)

    return scan
