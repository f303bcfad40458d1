"""Does a folded text name a guarded term? 1 to 1,000,000 terms, one pass (`engines`).

Terms and text are *squeezed* for the search (`squeeze`: separators removed), so that every way of setting a term apart
is found at once; which finds count, `spelling` says. Terms given later have a small search of their own beside the big
one, and terms taken away are passed over, so that a change costs nothing of what building costs.

Rule ids are ordinals in the order of a digest: they show neither text nor party, nor which terms are one party's.
Own terms do not shelter others': `Acme` of B inside `Acme Steel` of A is still B's.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from dragoman.errors import DragomanError
from dragoman.leaks.engines import Engine, Literals
from dragoman.leaks.fold import fold, is_word
from dragoman.leaks.spelling import GAP_LIMIT, SHORT, Spelling, joined, plain_spelling, reads, spelling_of, stands_apart
from dragoman.leaks.squeeze import locator, squeezed_of, tail

TERM_LIMIT: Final = 1_000_000
"""Most terms in one policy."""
LENGTH_LIMIT: Final = 256
"""Longest term, in squeezed characters."""

_PLAIN: Final = re.compile("[A-Za-z0-9]+(?: [A-Za-z0-9]+)*")
_RUNS: Final = re.compile("[a-z]+|[0-9]+")
_WIDE_GAP: Final = re.compile(rf"[^a-z0-9]{{{GAP_LIMIT + 1},}}")
_HEAD: Final = 3
_FEW: Final = 2

_Key = tuple[bytes, Spelling]
_Change = Callable[[frozenset[str], frozenset[str]], frozenset[str]]


class Found(NamedTuple):
    """One term found: its ordinal and the half-open span in the text that was searched."""

    ordinal: int
    start: int
    end: int


class _Compiled:
    """Some terms, ordered by their squeezed form, ready to be searched for. Never changes."""

    __slots__ = ("_heads", "literals", "longest", "ordinals", "owners", "search", "spellings")

    def __init__(
        self,
        owners: Mapping[_Key, frozenset[str]],
        *,
        first_ordinal: int = 0,
        engine: Engine | None = None,
        database: bytes | None = None,
    ) -> None:
        keys = sorted(owners, key=_by_letters)
        # made anew, side by side: what reading the terms took goes back to the system in whole pieces
        self.literals = b"\n".join(squeezed for squeezed, _ in keys).split(b"\n") if keys else []
        self.spellings = [spelling for _, spelling in keys]
        self.owners = [owners[key] for key in keys]
        self.ordinals = array("I", bytes(4 * len(keys)))
        digests = [_digest(key) for key in keys]
        for ordinal, place in enumerate(sorted(range(len(keys)), key=digests.__getitem__), start=first_ordinal):
            self.ordinals[place] = ordinal
        self.longest = max((len(squeezed.decode("utf-8")) for squeezed in self.literals), default=0)
        self._heads = frozenset(squeezed[:_HEAD] for squeezed in self.literals)
        self.search = Literals(self.literals, engine=engine, database=database)

    def place(self, key: _Key) -> int | None:
        """Where a term stands, or None."""
        place = bisect_left(self.literals, key[0])
        while place < len(self.literals) and self.literals[place] == key[0]:
            if self.spellings[place] == key[1]:
                return place
            place += 1
        return None

    def begins(self, squeezed: bytes) -> bool:
        """Whether some term is longer than, and begins with, `squeezed`."""
        if squeezed[:_HEAD] not in self._heads and len(squeezed) >= _HEAD:
            return False
        literals = self.literals
        nearest = bisect_right(literals, squeezed)
        return nearest < len(literals) and literals[nearest].startswith(squeezed)


class Terms:
    """Every guarded term of a policy, compiled once; terms given or taken later stand beside them.

    Args:
        owned: owner → terms. The same term (by its folded form and breaks) of several owners is one term.
        engine: how they are searched for, as in `engines`; not part of the answer.
        database: what `database()` gave for the same terms, so that the fast engine need not be built here.

    Raises:
        DragomanError: `policy_invalid` for an empty owner, a term without letters or digits, a term longer than
            `LENGTH_LIMIT`, or more than `TERM_LIMIT` terms. The error names the owner and ordinal, never the term.
    """

    __slots__ = ("_added", "_base", "_late", "_regiven", "_taken", "engine")

    def __init__(
        self, owned: Mapping[str, Iterable[str]], *, engine: Engine | None = None, database: bytes | None = None
    ) -> None:
        self.engine = engine
        self._base = _Compiled(_together(owned), engine=engine, database=database)
        self._late: dict[_Key, frozenset[str]] = {}
        self._added = _Compiled(self._late, engine=Engine.PLAIN)
        self._regiven: dict[int, frozenset[str]] = {}
        self._taken = 0

    def __len__(self) -> int:
        return len(self._base.literals) - self._taken + len(self._late)

    def database(self) -> bytes:
        """The terms of the constructor compiled for the fast engine, for another process (a million: a minute, 2 GB).

        Raises:
            DragomanError: `extra_missing`.
        """
        return self._base.search.database()

    def with_terms(self, added: Mapping[str, Iterable[str]]) -> Terms:
        """The same terms and some more; costs by the number of terms added since the constructor, not of all.

        The rule ids of new terms count on after those that were there.

        Raises:
            DragomanError: as the constructor.
        """
        return self._changed(_together(added), frozenset.union)

    def without_terms(self, removed: Mapping[str, Iterable[str]]) -> Terms:
        """The same without some owners' terms; one that another party also owns stays guarded. Costs as `with_terms`.

        Raises:
            DragomanError: as the constructor. A term that is not there is passed over.
        """
        return self._changed(_together(removed), frozenset.difference)

    def _changed(self, given: Mapping[_Key, frozenset[str]], change: _Change) -> Terms:
        regiven, late = dict(self._regiven), dict(self._late)
        for key, owners in given.items():
            place = self._base.place(key)
            if place is not None:
                regiven[place] = change(regiven.get(place, self._base.owners[place]), owners)
            elif changed := change(late.pop(key, frozenset()), owners):
                late[key] = changed
        new = Terms.__new__(Terms)
        new.engine, new._base, new._late, new._regiven = self.engine, self._base, late, regiven
        new._taken = sum(not owners for owners in regiven.values())
        new._added = _Compiled(late, first_ordinal=len(self._base.literals), engine=Engine.PLAIN)
        if len(new) > TERM_LIMIT:
            raise DragomanError("policy_invalid", f"more than {TERM_LIMIT} guarded terms", where="terms")
        return new

    def may_occur(self, raw: bytes) -> bool:
        """Whether the letters of some term, whoever owns it, stand in folded text (UTF-8, any case)."""
        squeezed = squeezed_of(raw)
        return bool(self._base.search.find(squeezed) or (self._late and self._added.search.find(squeezed)))

    def find(self, raw: bytes, owned_by: frozenset[str]) -> Iterator[Found]:
        """Every term in folded text (UTF-8, any case) that none of `owned_by` owns.

        The text must begin and end with `PAD`; spans are positions of characters in it.
        """
        squeezed = squeezed_of(raw)
        found = self._base.search.find(squeezed)
        late = self._added.search.find(squeezed) if self._late else ()
        return self._confirmed(raw, squeezed, found, late, owned_by) if found or late else iter(())

    def _confirmed(
        self,
        raw: bytes,
        squeezed: bytes,
        found: Sequence[tuple[int, int, int]],
        late: Sequence[tuple[int, int, int]],
        owned_by: frozenset[str],
    ) -> Iterator[Found]:
        guarded = [
            (self._base, place, first, last)
            for place, first, last in found
            if _guarded(self._regiven.get(place, self._base.owners[place]), owned_by)
        ]
        guarded += [
            (self._added, place, first, last)
            for place, first, last in late
            if _guarded(self._added.owners[place], owned_by)
        ]
        if not guarded:
            return
        text = raw.decode("utf-8").lower()
        places = locator(text, raw, squeezed, few=len(guarded) <= _FEW)
        for terms, place, first, last in guarded:
            where = places(first, last)
            if stands_apart(text, where[0], where[-1] + 1, len(where)) and reads(text, where, terms.spellings[place]):
                yield Found(terms.ordinals[place], where[0], where[-1] + 1)

    def open_from(self, text: str) -> int | None:
        """The earliest position from which `text` could still become a term when more follows, else None.

        `text` must begin with `PAD` and carry none at its end. Looks back no further than the longest term.
        """
        most = max(self._base.longest, self._added.longest) - 1
        if text.isascii():
            return self._open_from_ascii(text, most)
        places = tail(text, most)
        letters = "".join(map(text.__getitem__, places))
        for nth, place in enumerate(places):
            if not joined(text[place - 1], text[place], strict=False) and self._begins(letters[nth:].encode("utf-8")):
                return place
        return None

    def _open_from_ascii(self, text: str, most: int) -> int | None:
        """The same for a text of ASCII only, word by word."""
        first = 0
        words = _RUNS.findall(text)
        if len(text) - sum(map(len, words)) > GAP_LIMIT:
            first = max((gap.end() for gap in _WIDE_GAP.finditer(text)), default=0)
            words = _RUNS.findall(text, first)
        letters = "".join(words).encode("ascii")
        begins = self._begins if self._late else self._base.begins
        at = 0
        for nth, word in enumerate(words):
            if len(letters) - at <= most and begins(letters[at:]):
                return next(islice(_RUNS.finditer(text, first), nth, None)).start()
            at += len(word)
        return None

    def _begins(self, squeezed: bytes) -> bool:
        return self._base.begins(squeezed) or (bool(self._late) and self._added.begins(squeezed))


def _guarded(owners: frozenset[str], owned_by: frozenset[str]) -> bool:
    """Whether a term of these owners (none: it was taken away) is to be found for a target that owns `owned_by`."""
    return bool(owners) and owned_by.isdisjoint(owners)


def _together(owned: Mapping[str, Iterable[str]]) -> dict[_Key, frozenset[str]]:
    """Every term with all its owners; equal spellings and sets of owners are one object."""
    spellings: dict[Spelling, Spelling] = {}
    owners: dict[_Key, frozenset[str]] = {}
    sets: dict[frozenset[str], frozenset[str]] = {}
    for owner, squeezed, spelling in _read(owned):
        key = (squeezed, spellings.setdefault(spelling, spelling))
        both = owners.get(key, frozenset()) | {owner}
        owners[key] = sets.setdefault(both, both)
        if len(owners) > TERM_LIMIT:
            raise DragomanError("policy_invalid", f"more than {TERM_LIMIT} guarded terms", where="terms")
    return owners


def _read(owned: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, bytes, Spelling]]:
    for owner, terms in owned.items():
        if type(owner) is not str or not owner or isinstance(terms, str):
            raise DragomanError("policy_invalid", "expected a named owner with a list of terms", where="terms")
        for nth, term in enumerate(terms):
            if type(term) is str and _PLAIN.fullmatch(term):
                words = term.lower().split(" ")
                squeezed = "".join(words)
                if SHORT <= len(squeezed) <= LENGTH_LIMIT:
                    yield owner, squeezed.encode("ascii"), plain_spelling(words)
                    continue
            where = f"terms of {owner!r}, entry {nth}"
            text = fold(term).text if type(term) is str else ""
            places = [place for place, char in enumerate(text) if is_word(char)]
            if not places:
                raise DragomanError("policy_invalid", "expected a letter or digit in the term", where=where)
            if len(places) > LENGTH_LIMIT:
                raise DragomanError("policy_invalid", f"expected at most {LENGTH_LIMIT} characters", where=where)
            yield owner, "".join(map(text.__getitem__, places)).encode("utf-8"), spelling_of(text, places)


def _digest(key: _Key) -> bytes:
    squeezed, spelling = key
    return hashlib.sha256(repr((squeezed, sorted(spelling.gaps), spelling.exact)).encode("utf-8", "replace")).digest()[
        :12
    ]


def _by_letters(key: _Key) -> tuple[bytes, bytes]:
    return key[0], repr(sorted(key[1].gaps)).encode() if key[1].gaps else b""
