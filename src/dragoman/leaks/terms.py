"""Does a folded text name a guarded term? 1 to 1,000,000 terms, one pass (`engines`).

Terms and text are *squeezed* for the search (separators removed), so that every way of setting a term apart is found
at once. A find then counts as the term only by these rules, in this order:

1. Edges. The neighbours belong to no common word with the term. Letter beside digit is an edge (`falcon2`, `v2falcon`
   name Falcon) unless the term has fewer than `SHORT` characters; an underscore always is one, and so is the `s` of a
   plural from `PLURAL` characters on; scripts without spaces have edges everywhere. A number is not found inside a
   longer number (`500` in `1,500` or `500.25`).
2. Width. No run of separators is longer than `GAP_LIMIT`.
3. Decimal marks. A `.`, `,` or `:` between digits of the term (not before exactly three digits) must be apart in the
   text too: `42.5` is `42,5` and `4 2 . 5`, never `425`.
4. Extra breaks inside a word: none (the term may also be written together), or at least half of all places (spelled
   out, three characters or more), or each one of a kind that `_bridges` knows: digits split by spaces, dashes or as
   thousands (any separator from five digits on), letters joined by marks without space (`-`, `.`, `[` ...) or a
   hyphenated line end, unspaced scripts split by spaces. From `LONG` characters on white space is such a kind too.
5. A term squeezed to one or two characters and written with marks (`C++`, `$42`) needs its marks; a bare one of Latin
   letters must stand together.

Rule ids are ordinals in the order of a digest: they show neither text nor party, nor which terms are one party's.
Own terms do not shelter others': `Acme` of B inside `Acme Steel` of A is still B's.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress, count, islice, pairwise
from typing import Final, NamedTuple

from dragoman.errors import DragomanError
from dragoman.leaks.engines import Engine, Literals
from dragoman.leaks.fold import fold, is_word, unspaced

TERM_LIMIT: Final = 1_000_000
"""Most terms in one policy."""
LENGTH_LIMIT: Final = 256
"""Longest term, in squeezed characters."""
GAP_LIMIT: Final = 24
"""Most separators in a row inside a term, in folded characters."""
LONG: Final = 10
"""Squeezed length from which white space inside a word hides nothing."""
PLURAL: Final = 5
"""Squeezed length from which an `s` behind the term is its plural, not another word."""
SHORT: Final = 3
"""Squeezed length below which a letter beside a digit is no edge."""
PAD: Final = "\n\n"
"""What stands before and after a text, so that every character has two neighbours."""

_SEPARATORS: Final = bytes(code for code in range(128) if not chr(code).isalnum())
_IS_WORD: Final = bytes(0 if code in _SEPARATORS else 1 for code in range(256))
_CONTINUATION: Final = bytes(range(0x80, 0xC0))
_BEGINS: Final = bytes(0 if 0x80 <= code < 0xC0 else 1 for code in range(256))
_LOWER: Final = bytes(range(128)).lower() + bytes(range(128, 256))
# ASCII (lowered by then) and the lead bytes of U+3000..U+9FFF, where no letter has a case
_CASELESS: Final = bytes(range(0xC0)) + bytes(range(0xE3, 0xEA))
_RUNS: Final = re.compile("[a-z]+|[0-9]+")
_WIDE_GAP: Final = re.compile(rf"[^a-z0-9]{{{GAP_LIMIT + 1},}}")
_HEAD: Final = 3
_FEW: Final = 4
_SPACES: Final = frozenset(" \t\r\n-_'")
_MARKS: Final = frozenset("-_.'`*|~/\\^+()[]{}<>\"")
_JOINERS: Final = frozenset(chr(code) for code in range(0x21, 0x7F) if not chr(code).isalnum())
_LINE_HYPHEN: Final = re.compile(r"-[ \t]*\r?\n[ \t]*")
_DECIMAL: Final = frozenset(".,:")


class _Shape(NamedTuple):
    """Where a term has separators, counted by the squeezed characters before them."""

    gaps: frozenset[int]
    needed: frozenset[int]
    exact: tuple[str, str, str] | None  # marks before, spelling between, marks after


_Key = tuple[bytes, _Shape]
_Change = Callable[[frozenset[str], frozenset[str]], frozenset[str]]


class Found(NamedTuple):
    """One term found: its ordinal and the half-open span in the text that was searched."""

    ordinal: int
    start: int
    end: int


class _Compiled:
    """Some terms, ordered by their squeezed form, ready to be searched for. Never changes."""

    __slots__ = ("_heads", "literals", "longest", "ordinals", "owners", "search", "shapes")

    def __init__(
        self,
        owners: Mapping[_Key, frozenset[str]],
        *,
        first_ordinal: int = 0,
        engine: Engine | None = None,
        database: bytes | None = None,
    ) -> None:
        keys = sorted(owners, key=_by_letters)
        self.literals = [squeezed for squeezed, _ in keys]
        self.shapes = [shape for _, shape in keys]
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
            if self.shapes[place] == key[1]:
                return place
            place += 1
        return None

    def begins(self, squeezed: bytes) -> bool:
        """Whether some term is longer than, and begins with, `squeezed`."""
        if len(squeezed) >= _HEAD and squeezed[:_HEAD] not in self._heads:
            return False
        nearest = bisect_right(self.literals, squeezed)
        return nearest < len(self.literals) and self.literals[nearest].startswith(squeezed)


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
        self._base = _Compiled(_together(owned, {}), engine=engine, database=database)
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
        return self._changed(_together(added, {}), frozenset.union)

    def without_terms(self, removed: Mapping[str, Iterable[str]]) -> Terms:
        """The same without some owners' terms; one that another party also owns stays guarded. Costs as `with_terms`.

        Raises:
            DragomanError: as the constructor. A term that is not there is passed over.
        """
        return self._changed(_together(removed, {}), frozenset.difference)

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
        squeezed = _squeezed(raw)
        return bool(self._base.search.find(squeezed) or (self._late and self._added.search.find(squeezed)))

    def find(self, raw: bytes, owned_by: frozenset[str]) -> Iterator[Found]:
        """Every term in folded text (UTF-8, any case) that none of `owned_by` owns.

        The text must begin and end with `PAD`; spans are positions of characters in it.
        """
        squeezed = _squeezed(raw)
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
        few = len(guarded) <= _FEW and raw.isascii()
        places = [] if few else _places(text)
        before = _counter(squeezed)
        for terms, place, first, last in guarded:
            where = _walk(raw, first, last - first) if few else places[before(first) : before(last)]
            if _edged(text, where[0], where[-1] + 1, len(where)) and _reads(text, where, terms.shapes[place]):
                yield Found(terms.ordinals[place], where[0], where[-1] + 1)

    def open_from(self, text: str) -> int | None:
        """The earliest position from which `text` could still become a term when more follows, else None.

        `text` must begin with `PAD` and carry none at its end. Looks back no further than the longest term.
        """
        most = max(self._base.longest, self._added.longest) - 1
        if text.isascii():
            return self._open_from_ascii(text, most)
        places = _tail(text, most)
        letters = "".join(map(text.__getitem__, places))
        for nth, place in enumerate(places):
            if not _joined(text[place - 1], text[place], strict=False) and self._begins(letters[nth:].encode("utf-8")):
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
        at = 0
        for nth, word in enumerate(words):
            if len(letters) - at <= most and self._begins(letters[at:]):
                return next(islice(_RUNS.finditer(text, first), nth, None)).start()
            at += len(word)
        return None

    def _begins(self, squeezed: bytes) -> bool:
        return self._base.begins(squeezed) or (bool(self._late) and self._added.begins(squeezed))


def _squeezed(raw: bytes) -> bytes:
    """Folded text in lower case without its separators."""
    squeezed = raw.translate(_LOWER, _SEPARATORS)
    if not squeezed.isascii() and squeezed.translate(None, _CASELESS):
        return squeezed.decode("utf-8").lower().encode("utf-8")
    return squeezed


def _guarded(owners: frozenset[str], owned_by: frozenset[str]) -> bool:
    """Whether a term of these owners (none: it was taken away) is to be found for a target that owns `owned_by`."""
    return bool(owners) and owned_by.isdisjoint(owners)


def _counter(squeezed: bytes) -> Callable[[int], int]:
    """From a place in bytes to the number of characters before it."""
    if squeezed.isascii():
        return int
    starts = list(compress(range(len(squeezed)), squeezed.translate(_BEGINS)))
    return lambda place: bisect_left(starts, place)


def _together(owned: Mapping[str, Iterable[str]], shapes: dict[_Shape, _Shape]) -> dict[_Key, frozenset[str]]:
    """Every term with all its owners; equal shapes and sets of owners are one object."""
    owners: dict[_Key, frozenset[str]] = {}
    sets: dict[frozenset[str], frozenset[str]] = {}
    for owner, squeezed, shape in _read(owned):
        key = (squeezed, shapes.setdefault(shape, shape))
        both = owners.get(key, frozenset()) | {owner}
        owners[key] = sets.setdefault(both, both)
        if len(owners) > TERM_LIMIT:
            raise DragomanError("policy_invalid", f"more than {TERM_LIMIT} guarded terms", where="terms")
    return owners


def _read(owned: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, bytes, _Shape]]:
    for owner, terms in owned.items():
        if type(owner) is not str or not owner or isinstance(terms, str):
            raise DragomanError("policy_invalid", "expected a named owner with a list of terms", where="terms")
        for nth, term in enumerate(terms):
            where = f"terms of {owner!r}, entry {nth}"
            text = fold(term).text if type(term) is str else ""
            places = [place for place, char in enumerate(text) if is_word(char)]
            if not places:
                raise DragomanError("policy_invalid", "expected a letter or digit in the term", where=where)
            if len(places) > LENGTH_LIMIT:
                raise DragomanError("policy_invalid", f"expected at most {LENGTH_LIMIT} characters", where=where)
            yield owner, "".join(map(text.__getitem__, places)).encode("utf-8"), _shape(text, places)


def _shape(text: str, places: list[int]) -> _Shape:
    gaps = frozenset(_gaps(places))
    needed = frozenset(gap for gap in gaps if _is_decimal(text, places, gap))
    marks = text[: places[0]].strip(), _bare(text, places), text[places[-1] + 1 :].strip()
    short = len(places) <= 2 and not any(unspaced(text[place]) for place in places)
    return _Shape(gaps, needed, marks if short else None)


def _is_decimal(text: str, places: list[int], gap: int) -> bool:
    """Whether the separators after the `gap`-th character are a decimal mark between digits, and no thousands mark."""
    left, right = places[gap - 1], places[gap]
    between = text[left + 1 : right].strip()
    if not (text[left].isdigit() and text[right].isdigit() and between in _DECIMAL and between):
        return False
    return not (between != ":" and _digits_from(text, right) == 3)


def _digits_from(text: str, start: int) -> int:
    """How many digits stand in a row from `start` on (counts to four at most)."""
    end = start
    while end < min(len(text), start + 4) and text[end].isdigit():
        end += 1
    return end - start


def _digest(key: _Key) -> bytes:
    squeezed, shape = key
    return hashlib.sha256(repr((squeezed, sorted(shape.gaps), shape.exact)).encode("utf-8", "replace")).digest()[:12]


def _by_letters(key: _Key) -> tuple[bytes, bytes]:
    return key[0], repr(sorted(key[1].gaps)).encode() if key[1].gaps else b""


def _places(text: str) -> list[int]:
    """The positions of the word characters of a text, in order."""
    # without continuation bytes, UTF-8 has one byte for each character
    return list(compress(range(len(text)), text.encode("utf-8").translate(_IS_WORD, _CONTINUATION)))


def _walk(raw: bytes, first: int, size: int) -> list[int]:
    """The same for `size` characters from the `first` on, of ASCII, without a look at all of them."""
    begin = bisect_left(range(len(raw)), first + 1, key=lambda end: len(raw[:end].translate(None, _SEPARATORS))) - 1
    return list(islice(compress(count(begin), raw[begin:].translate(_IS_WORD)), size))


def _tail(text: str, most: int) -> list[int]:
    """The positions of the last `most` word characters, back to the first run of separators that is too long."""
    places: list[int] = []
    gap = 0
    for place in range(len(text) - 1, len(PAD) - 1, -1):
        if is_word(text[place]):
            if len(places) >= most:
                break
            places.append(place)
            gap = 0
        else:
            gap += 1
            if gap > GAP_LIMIT:
                break
    places.reverse()
    return places


def _edged(text: str, start: int, end: int, size: int) -> bool:
    """Rule 1: whether the span stands by itself."""
    strict = size < SHORT
    before, first, last, after = text[start - 1], text[start], text[end - 1], text[end]
    plural = size >= PLURAL and after == "s" and last.isalpha() and not _joined(after, text[end + 1], strict=strict)
    if _joined(before, first, strict=strict) or (_joined(last, after, strict=strict) and not plural):
        return False
    # `1,500` holds no `500`, `0.25` no `25`; but `4100,4250` is a list
    number_before = first.isdigit() and before in ".," and text[start - 2].isdigit()
    if number_before and (before == "." or _digits_from(text, start) == 3):
        return False
    if last.isdigit() and after in ".," and text[end + 1].isdigit():
        return not (after == "." or _digits_from(text, end + 1) == 3)
    return True


def _joined(left: str, right: str, *, strict: bool) -> bool:
    """Whether two neighbours belong to one word."""
    if not (is_word(left) and is_word(right)) or unspaced(left) or unspaced(right):
        return False
    return strict or left.isdigit() == right.isdigit()


def _reads(text: str, where: list[int], shape: _Shape) -> bool:
    """Rules 2 to 5: whether the characters at `where` are set apart as the term could be."""
    start, end, size = where[0], where[-1] + 1, len(where)
    if shape.exact is not None:
        before, between, after = shape.exact
        spelling = text[start:end] if len(between) == size else _bare(text, where)
        return text.endswith(before, 0, start) and spelling == between and text.startswith(after, end)
    if end - start == size:
        return not shape.needed
    if any(right - left > GAP_LIMIT + 1 for left, right in pairwise(where)):
        return False
    gaps = set(_gaps(where))
    if not shape.needed <= gaps:
        return False
    extra = gaps - shape.gaps
    spelled = size >= 3 and len(extra) * 2 >= size - 1 and (size > 3 or len(gaps) == size - 1)
    if size >= LONG and all(not text[where[gap - 1] + 1 : where[gap]].strip() for gap in extra):
        return True
    return spelled or all(_bridges(text, where, gap) for gap in extra)


def _gaps(where: list[int]) -> Iterator[int]:
    return (nth for nth in range(1, len(where)) if where[nth] - where[nth - 1] > 1)


def _bare(text: str, where: list[int]) -> str:
    return "".join(text[where[0] : where[-1] + 1].split())


def _bridges(text: str, where: list[int], gap: int) -> bool:
    """Rule 4: whether the separators after the `gap`-th character can break a word without ending it."""
    left, right = text[where[gap - 1]], text[where[gap]]
    between = text[where[gap - 1] + 1 : where[gap]]
    if unspaced(left) or unspaced(right):
        return _SPACES.issuperset(between) or _MARKS.issuperset(between)
    if left.isdigit() and right.isdigit():
        if _SPACES.issuperset(between) or sum(text[place].isdigit() for place in where) >= 5:
            return True
        return between in (".", ",") and _digits_from(text, where[gap]) == 3
    if left.isdigit() or right.isdigit():
        return _SPACES.issuperset(between) or _MARKS.issuperset(between)
    return _JOINERS.issuperset(between) or _LINE_HYPHEN.fullmatch(between) is not None
