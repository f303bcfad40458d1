"""Is something guarded in this text? (spec 1 §5)

One scan asks, of the folded text and of every view of it (escapes and markup undone, base64 decoded, digits read as
the letters they resemble):

1. does it name a term that the target does not own (`terms`; only when the caller checks terms, spec 1 §11.6)?
2. does it hold a secret, host path, trace or internal host (`secrets`, `random_runs`; always)?
3. has it a run without white space too long to be checked (`secret:unbroken_run`)?

A hit is an opaque rule id, a kind and a place in the original text: never the text, never the party.
Never: edit a text, decide what follows from a hit, or let through what could not be checked (too long: an error).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Final, NamedTuple

import msgspec

from dragoman.errors import DragomanError
from dragoman.leaks.fold import UNSPACED, fold
from dragoman.leaks.random_runs import RULE, random_words
from dragoman.leaks.secrets import Hints, shapes
from dragoman.leaks.shape import RUN_LIMIT, Kind
from dragoman.leaks.squeeze import PAD
from dragoman.leaks.terms import Terms
from dragoman.leaks.views import View, alike_views, decoded_texts, written_views

TEXT_LIMIT: Final = 1_000_000
"""Longest text one scan or stream accepts, in characters."""
ALIKE_LEAST: Final = 5
"""Shortest term that is looked for among digits that resemble letters."""
UNBROKEN_RUN: Final = "secret:unbroken_run"
BREAK: Final = re.compile(rf"[\s{UNSPACED}]")
"""What ends a run: white space, or a character of a script without spaces (over folded text)."""

_RAW_PAD: Final = PAD.encode()
_RUN: Final = re.compile(rf"[^\s{UNSPACED}]+")


class Hit(msgspec.Struct, frozen=True, order=True):
    """One guarded place: half-open `start:end` in the original text, kind, and opaque rule id (`term:000123`)."""

    start: int
    end: int
    kind: Kind
    rule: str


class Sighting(NamedTuple):
    """A hit whose place is still counted in characters of the padded folded text."""

    start: int
    end: int
    kind: Kind
    rule: str


class Guard:
    """What a policy guards, compiled: the terms and the shapes of secrets.

    Args:
        terms: the protected terms of every counterparty. Their engine is the guard's.
    """

    __slots__ = ("_shapes", "terms")

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._shapes = shapes(terms.engine)

    def with_terms(self, added: Mapping[str, Iterable[str]]) -> Guard:
        """The same guard with some terms more, at once however many there are (`Terms.with_terms`)."""
        return Guard(self.terms.with_terms(added))

    def without_terms(self, removed: Mapping[str, Iterable[str]]) -> Guard:
        """The same guard without some owners' terms (`Terms.without_terms`)."""
        return Guard(self.terms.without_terms(removed))

    def scan(self, text: str, owned_by: frozenset[str] = frozenset(), *, terms: bool = True) -> tuple[Hit, ...]:
        """Everything guarded in `text`, ordered by place (at most 16 places per secret rule).

        Args:
            text: the finished text, at most `TEXT_LIMIT` characters.
            owned_by: owners whose terms are allowed: those that every counterparty present is. Empty owns nothing.
            terms: whether protected terms are checked (external targets); everything else is checked always.

        Raises:
            DragomanError: `input_too_large`; the caller holds the text.
        """
        if len(text) > TEXT_LIMIT:
            raise DragomanError("input_too_large", f"expected at most {TEXT_LIMIT} characters to check")
        folded = fold(text)
        if not folded.cased:
            return ()
        shift = len(PAD)
        found = self.sightings(_RAW_PAD + folded.raw + _RAW_PAD, owned_by, terms=terms)
        if not found:
            return ()
        return tuple(sorted(Hit(*folded.span(hit.start - shift, hit.end - shift), hit.kind, hit.rule) for hit in found))

    def holds_secret(self, text: str) -> bool:
        """Whether `scan` would find a secret in `text`, without working out where.

        Raises:
            DragomanError: `input_too_large`, as `scan`.
        """
        if len(text) > TEXT_LIMIT:
            raise DragomanError("input_too_large", f"expected at most {TEXT_LIMIT} characters to check")
        if not (raw := fold(text).raw):
            return False
        found = self.sightings(_RAW_PAD + raw + _RAW_PAD, frozenset(), terms=False)
        return any(hit.kind is Kind.SECRET for hit in found)

    def is_quiet(self, padded: bytes, *, terms: bool) -> bool:
        """Whether one look shows that a padded folded text (cased, UTF-8) and its views hold nothing, open or not.

        A beginning of a term is not looked for.
        """
        if len(padded) > RUN_LIMIT or self._shapes.may_occur(padded):
            return False
        return not (terms and self.terms.may_occur(padded))

    def sightings(self, raw: bytes, owned_by: frozenset[str], *, terms: bool) -> Collection[Sighting]:
        """Everything guarded in a padded folded text (cased, UTF-8), in its characters, the padding left out."""
        found, hints = self._look(raw, owned_by, terms)
        if hints.nothing_else(terms=terms) and len(raw) <= RUN_LIMIT and not found:
            return ()
        padded = raw.decode("utf-8")
        first, last = len(PAD), len(padded) - len(PAD)
        clamped = set()
        for start, end, kind, rule in chain(found, self._look_again(padded, hints, owned_by, terms)):
            left = min(max(start, first), last - 1)
            clamped.add(Sighting(left, max(min(end, last), left + 1), kind, rule))
        return clamped

    def open_from(self, text: str, *, terms: bool) -> int | None:
        """The earliest position from which folded text (cased, padded in front only) could still become guarded.

        Looks at the text and its views; what lies inside one run is the caller's to hold back.
        """
        opened = [self._open_from(text, terms)]
        for view in written_views(text):
            place = self._open_from(view.cased, terms)
            opened.append(None if place is None else view.starts[place])
        if terms:
            opened += [self.terms.open_from(read.lower()) for read in alike_views(text)]
        return min((place for place in opened if place is not None), default=None)

    def _open_from(self, cased: str, terms: bool) -> int | None:
        shape = self._shapes.open_from(cased)
        term = self.terms.open_from(cased.lower()) if terms else None
        return term if shape is None else shape if term is None else min(shape, term)

    def _look(self, raw: bytes, owned_by: frozenset[str], terms: bool) -> tuple[list[Sighting], Hints]:
        """What stands in one text as it is, and what else is worth a look."""
        shapes_found, hints = self._shapes.find(raw)
        found = [Sighting(start, end, shape.kind, shape.rule) for shape, start, end in shapes_found]
        if hints.random:
            found += (Sighting(*span, Kind.SECRET, RULE) for span in random_words(raw.decode("utf-8")))
        if terms:
            found += (_term(*term) for term in self.terms.find(raw, owned_by))
        return found, hints

    def _look_again(self, padded: str, hints: Hints, owned_by: frozenset[str], terms: bool) -> Iterator[Sighting]:
        """What a look at the padded text as it is does not show: in positions of that text."""
        if len(padded) > RUN_LIMIT:
            yield from unbroken_runs(padded)
        if hints.base64:
            yield from self._decoded(padded, owned_by, terms)
        if terms and hints.alike:
            yield from self._alike(padded, owned_by)
        for view in map(_padded, written_views(padded)) if hints.written else ():
            found, _ = self._look(view.cased.encode("utf-8"), owned_by, terms)
            found += self._decoded(view.cased, owned_by, terms)
            if terms:
                found += self._alike(view.cased, owned_by)
            for start, end, kind, rule in found:
                yield Sighting(view.starts[start], view.ends[end - 1], kind, rule)

    def _alike(self, padded: str, owned_by: frozenset[str]) -> Iterator[Sighting]:
        """Terms of `ALIKE_LEAST` characters or more, spelled with digits or signs for letters."""
        for read in alike_views(padded):
            for term in self.terms.find(read.encode("utf-8"), owned_by):
                if term.end - term.start >= ALIKE_LEAST:
                    yield _term(*term)

    def _decoded(self, padded: str, owned_by: frozenset[str], terms: bool) -> Iterator[Sighting]:
        for decoded, start, end in decoded_texts(padded):
            found, _ = self._look((PAD + decoded + PAD).encode("utf-8"), owned_by, terms)
            for hit in found:
                yield Sighting(start, end, hit.kind, hit.rule)


def _term(ordinal: int, start: int, end: int) -> Sighting:
    return Sighting(start, end, Kind.TERM, f"term:{ordinal:06d}")


def _padded(view: View) -> View:
    """The view with the padding that a tag still open at the end of the text took with it."""
    if view.cased.endswith(PAD):
        return view
    end = [view.ends[-1]] * len(PAD)
    return View(view.cased + PAD, view.starts + end, view.ends + end)


def unbroken_runs(padded: str, start: int = 0) -> Iterator[Sighting]:
    """The runs from `start` on that are too long to be checked; each is reported just past the limit."""
    for run in _RUN.finditer(padded, start):
        if run.end() - run.start() > RUN_LIMIT:
            yield Sighting(run.start(), run.start() + RUN_LIMIT + 1, Kind.SECRET, UNBROKEN_RUN)
