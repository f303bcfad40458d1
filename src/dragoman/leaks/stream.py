"""How far may a growing text be shown? (spec 1 §5: no byte of a guarded match, nor of what could still become one)

The text is folded chunk by chunk into a window that begins at the last settled place. Nothing settled is read again.

1. The *closed* part ends before the current run: a run is everything up to white space or a character of an unspaced
   script. Inside the current run nothing is decided, so keys, links, paths and encoded pieces are seen whole.
2. Each time the closed part grows, it is scanned. The first hit ends the stream: `upto` stays, `hits` are given.
3. Otherwise settled is everything before the earliest place that could still become guarded (a beginning of a term, an
   open shape such as `password is `), moved back to the beginning of its run.

All three are functions of the text alone, so the place where a stream ends does not depend on how it was cut into
chunks. Held back at most: the longest term with its separators, or one run (`RUN_LIMIT`, longer is a hit), or one
open shape (bounded in its row, 300 characters). Invisible characters are held with what they stand in.
Never: settle a place twice, move `upto` back, or go on after a hit.
"""

from __future__ import annotations

import msgspec

from dragoman.errors import DragomanError
from dragoman.leaks.fold import fold
from dragoman.leaks.guarded import BREAK, TEXT_LIMIT, UNBROKEN_RUN, Guard, Hit, Sighting, unbroken_runs
from dragoman.leaks.shape import RUN_LIMIT
from dragoman.leaks.squeeze import PAD


class Settled(msgspec.Struct, frozen=True):
    """How far the text so far may be shown (`upto`, in original characters) and what was found (then it ends there)."""

    upto: int
    hits: tuple[Hit, ...] = ()


class StreamScan:
    """The check of one growing text, from its first chunk to `close`.

    Args:
        guard: what is guarded.
        owned_by: owners whose terms are allowed here, as in `Guard.scan`.
        terms: whether protected terms are checked, as in `Guard.scan`.
    """

    __slots__ = ("_closed", "_guard", "_length", "_origins", "_owned_by", "_settled", "_terms", "_window")

    def __init__(self, guard: Guard, owned_by: frozenset[str] = frozenset(), *, terms: bool = True) -> None:
        self._guard = guard
        self._owned_by = owned_by
        self._terms = terms
        # The window begins at a run, so what stands before it is white space or as good as that: PAD.
        self._window = PAD
        self._origins = [0] * len(PAD)
        self._closed = len(PAD)
        self._length = 0
        self._settled = Settled(0)

    def push(self, chunk: str) -> Settled:
        """Takes the next piece of the text; what may be shown now.

        Raises:
            DragomanError: `input_too_large` when the whole text passes `TEXT_LIMIT`; nothing more may be shown.
        """
        if self._settled.hits:
            return self._settled
        if self._length + len(chunk) > TEXT_LIMIT:
            raise DragomanError("input_too_large", f"expected at most {TEXT_LIMIT} characters in one stream")
        grown = len(self._window)
        if chunk.isascii() and chunk.isprintable():  # folds to itself
            self._window += chunk
            self._origins += range(self._length, self._length + len(chunk))
        else:
            folded = fold(chunk)
            self._window += folded.cased
            self._origins += [self._length + origin for origin in folded.origins]
        self._length += len(chunk)
        closed = self._last_break(grown)
        if closed > self._closed or len(self._window) - self._closed > RUN_LIMIT:
            self._closed = closed
            self._settle(final=False)
        return self._settled

    def close(self) -> Settled:
        """The text is complete: everything is settled, or the hits say why not."""
        if not self._settled.hits:
            self._closed = len(self._window)
            self._settle(final=True)
        return self._settled

    def _last_break(self, start: int) -> int:
        """The end of the closed part, looking only at what came in after `start`."""
        closed = max(self._window.rfind(" ", start), start - 1) + 1
        while found := BREAK.search(self._window, closed):
            closed = found.end()
        return closed if closed > start else self._closed

    def _settle(self, *, final: bool) -> None:
        closed = self._window[: self._closed]
        if len(self._window) - self._closed <= RUN_LIMIT and self._guard.is_quiet(
            (closed + PAD).encode("utf-8"), terms=self._terms
        ):
            opened = self._guard.terms.open_from(closed.lower()) if self._terms and not final else None
            place = self._closed if opened is None else self._run_start(opened)
        elif found := self._found():
            self._end(found)
            return
        else:
            place = len(self._window) if final else self._open(self._closed)
        upto = self._origins[place] if place < len(self._window) else self._length
        if upto > self._settled.upto:
            self._settled = Settled(upto)
        self._window = PAD + self._window[place:]
        del self._origins[len(PAD) : place]
        self._closed -= place - len(PAD)

    def _found(self) -> set[Sighting]:
        """Sightings in the closed part, and the current run if it is too long; in window positions."""
        closed = self._window[: self._closed]
        found = (
            set(self._guard.sightings((closed + PAD).encode("utf-8"), self._owned_by, terms=self._terms))
            if len(closed) > len(PAD)
            else set()
        )
        if len(self._window) - self._closed > RUN_LIMIT:
            found |= set(unbroken_runs(self._window, self._closed))
        return found

    def _end(self, found: set[Sighting]) -> None:
        """Ends the stream where it would have ended had every character come by itself."""
        seen_at = {hit: self._seen_at(hit) for hit in found}
        first = min(seen_at.values())
        hits = [hit for hit in found if seen_at[hit] == first]
        starts = [self._run_start(hit.start) for hit in hits]
        unbroken = any(hit.rule == UNBROKEN_RUN for hit in hits)
        place = min(*starts, self._open(min(starts) if unbroken else first))
        self._settled = Settled(
            max(self._origins[place], self._settled.upto),
            tuple(
                sorted(
                    Hit(self._origins[start], self._origins[end - 1] + 1, kind, rule) for start, end, kind, rule in hits
                )
            ),
        )

    def _seen_at(self, hit: Sighting) -> int:
        """The length of the window at which this hit can first be seen: when its last run has ended."""
        if hit.rule == UNBROKEN_RUN or BREAK.match(self._window, hit.end - 1):
            return hit.end
        ended = BREAK.search(self._window, hit.end)
        return ended.end() if ended else len(self._window)

    def _open(self, closed: int) -> int:
        """The beginning of the run of the earliest place in the first `closed` characters that is still open."""
        place = self._guard.open_from(self._window[:closed], terms=self._terms)
        return closed if place is None else self._run_start(place)

    def _run_start(self, place: int) -> int:
        if self._window[place - 1] == " " or BREAK.match(self._window, place):
            return place
        while place > len(PAD) and not BREAK.match(self._window, place - 1):
            place -= 1
        return place
