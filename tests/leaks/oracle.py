"""What is guarded in a text, found the slow and obvious way: the measure for the engines and the streams.

No automaton, no fast path, no memory of an earlier chunk: every term is tried at every character of the whole text, by
the five rules that `terms` opens with, and every shape with Python's own `re`. Folding and the views of a text (they
say what is written, not whether it is guarded) are the room's own.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from dragoman.leaks import Kind, fold
from dragoman.leaks.fold import UNSPACED
from dragoman.leaks.random_runs import RULE, random_words
from dragoman.leaks.secrets import BASE64, HITS_PER_RULE, SHAPES
from dragoman.leaks.views import alike_views, decoded_texts, written_views

PAD: Final = "\n\n"
WORD: Final = r"[0-9A-Za-z]|[^\x00-\x7f]"
SHAPE_PATTERNS: Final = [(shape, re.compile(shape.pattern, re.ASCII)) for shape in SHAPES]


class Place(NamedTuple):
    """A guarded place: half-open in the original text, its kind, and the rule ("" for a term)."""

    start: int
    end: int
    kind: Kind
    rule: str


class Term(NamedTuple):
    """A term as it is written (folded): its letters, and what stands between, before and after them."""

    letters: str
    between: tuple[str, ...]  # before the second letter, the third, ...
    before: str
    after: str


def scan(text: str, owned: Mapping[str, list[str]], owned_by: frozenset[str] = frozenset()) -> set[Place]:
    """Everything guarded in a text."""
    allowed = {same(read(term)) for owner in owned_by for term in owned.get(owner, [])}
    guarded = {term for terms in owned.values() for term in map(read, terms) if same(term) not in allowed}
    folded = fold(text)
    if not folded.text:
        return set()
    padded = PAD + folded.cased + PAD
    found = set()
    for start, end, kind, rule in {*everywhere(padded, guarded)}:
        left = min(max(start - 2, 0), len(folded.text) - 1)
        right = max(min(end - 2, len(folded.text)), left + 1)
        found.add(Place(*folded.span(left, right), kind, rule))
    return found


def everywhere(padded: str, guarded: set[Term]) -> Iterator[tuple[int, int, Kind, str]]:
    """The text, what it decodes to, what its digits resemble; and the same of each way it is written."""
    yield from encoded(padded, guarded)
    for run in re.finditer(rf"[^\s{UNSPACED}]+", padded):
        if len(run[0]) > 4096:
            yield run.start(), run.start() + 4097, Kind.SECRET, "secret:unbroken_run"
    for view in written_views(padded):
        # a tag still open at the end takes the padding with it
        starts, ends = [*view.starts, *[len(padded) - 1] * 2], [*view.ends, *[len(padded)] * 2]
        for start, end, kind, rule in encoded(view.cased + PAD, guarded):
            yield starts[start], ends[end - 1], kind, rule


def encoded(padded: str, guarded: set[Term]) -> Iterator[tuple[int, int, Kind, str]]:
    """The text itself, what it decodes to and what its digits resemble."""
    yield from plain(padded, guarded)
    for decoded, start, end in decoded_texts(padded):
        yield from ((start, end, kind, rule) for _, _, kind, rule in plain(PAD + decoded + PAD, guarded))
    for alike in alike_views(padded):
        long = {term for term in guarded if len(term.letters) >= 2}
        yield from (place for place in named(alike.lower(), long) if place[1] - place[0] >= 5)


def plain(padded: str, guarded: set[Term]) -> Iterator[tuple[int, int, Kind, str]]:
    """Shapes, random words and terms of one text."""
    for shape, pattern in SHAPE_PATTERNS:
        for nth, match in enumerate(pattern.finditer(padded)):
            if nth < HITS_PER_RULE:
                yield *match.span(1), shape.kind, shape.rule
    if re.search(BASE64, padded):
        yield from ((start, end, Kind.SECRET, RULE) for start, end in random_words(padded))
    yield from named(padded.lower(), guarded)


def named(text: str, guarded: set[Term]) -> Iterator[tuple[int, int, Kind, str]]:
    """Every place of a padded text, in lower case, that names a term."""
    places = [match.start() for match in re.finditer(WORD, text)]
    for term in guarded:
        for first in range(len(places) - len(term.letters) + 1):
            where = places[first : first + len(term.letters)]
            if all(text[place] == letter for place, letter in zip(where, term.letters, strict=True)) and names(
                text, where, term
            ):
                yield where[0], where[-1] + 1, Kind.TERM, ""


def read(term: str) -> Term:
    """A term's letters and what is between them."""
    text = fold(term).text
    places = [match.start() for match in re.finditer(WORD, text)]
    between = tuple(text[left + 1 : right] for left, right in itertools.pairwise(places))
    letters = "".join(text[place] for place in places)
    return Term(letters, between, text[: places[0]].strip(), text[places[-1] + 1 :].strip())


def same(term: Term) -> tuple[object, ...]:
    """What two spellings share if they are one term: letters, breaks, decimal marks; of a short one all its marks."""
    marks = term if is_short(term) else None
    gaps = [bool(gap) for gap in term.between]
    return term.letters, *gaps, *(is_decimal(term, nth) for nth in range(len(gaps))), marks


# --- the rules ------------------------------------------------------------------------------------------------------


def names(text: str, where: list[int], term: Term) -> bool:
    """Whether the letters of a term at these places are the term: edges, width, decimal marks, breaks, short terms."""
    start, end, size = where[0], where[-1] + 1, len(where)
    between = [text[left + 1 : right] for left, right in itertools.pairwise(where)]
    if not edges(text, start, end, size):
        return False
    if is_short(term):
        wanted = term.letters[0] + "".join("".join(term.between).split()) + term.letters[1:]
        written = text[start:end] if len(wanted) == size else "".join(text[start:end].split())
        return written == wanted and near(text, start, end, term)
    if any(len(gap) > 24 for gap in between):
        return False
    if any(is_decimal(term, nth) and not between[nth] for nth in range(size - 1)):
        return False
    extra = [nth for nth in range(size - 1) if between[nth] and not term.between[nth]]
    gaps = [nth for nth in range(size - 1) if between[nth]]
    spelled_out = size >= 3 and len(extra) >= (size - 1) / 2 and (size > 3 or len(gaps) == size - 1)
    if size >= 10 and all(between[nth].isspace() for nth in extra):
        return True
    return spelled_out or all(bridges(text, where, nth) for nth in extra)


def is_short(term: Term) -> bool:
    """Whether a term has but one or two letters, none of a script without spaces."""
    return len(term.letters) <= 2 and not re.search(f"[{UNSPACED}]", term.letters)


def near(text: str, start: int, end: int, term: Term) -> bool:
    """Whether a short term's marks stand right before and after it."""
    return text[:start].endswith(term.before) and text[end:].startswith(term.after)


def edges(text: str, start: int, end: int, size: int) -> bool:
    """Whether no word and no number goes on before `start` or behind `end`."""
    before, after = text[:start][-2:], text[end:][:5]
    if one_word(before[-1], text[start], size):
        return False
    if one_word(text[end - 1], after[0], size):
        plural = size >= 5 and text[end - 1].isalpha() and after[0] == "s" and not one_word("s", after[1], size)
        if not plural:
            return False
    if text[start].isdigit():
        if re.fullmatch(r"[0-9]\.", before):
            return False
        if re.fullmatch("[0-9],", before) and re.match(r"[0-9]{3}(?![0-9])", text[start:]):
            return False
    if text[end - 1].isdigit():
        if re.match(r"\.[0-9]", after):
            return False
        if re.match(r",[0-9]{3}(?![0-9])", after):
            return False
    return True


def one_word(left: str, right: str, size: int) -> bool:
    """Whether two neighbours belong to one word; a letter beside a digit does only for terms of one or two letters."""
    if not re.match(WORD, left) or not re.match(WORD, right) or re.search(f"[{UNSPACED}]", left + right):
        return False
    return size < 3 or left.isdigit() == right.isdigit()


def is_decimal(term: Term, nth: int) -> bool:
    """Whether what stands behind the letter `nth` of a term is a decimal mark."""
    mark = term.between[nth].strip()
    if mark not in (".", ",", ":") or not (term.letters[nth].isdigit() and term.letters[nth + 1].isdigit()):
        return False
    run = 1
    while nth + run < len(term.between) and not term.between[nth + run] and term.letters[nth + 1 + run].isdigit():
        run += 1
    return mark == ":" or run != 3


def bridges(text: str, where: list[int], nth: int) -> bool:
    """Whether what stands behind the letter `nth` breaks a word without ending it."""
    left, right = text[where[nth]], text[where[nth + 1]]
    gap = text[where[nth] + 1 : where[nth + 1]]
    spaces, marks = set(" \t\r\n-_'"), set("-_.'`*|~/\\^+()[]{}<>\"")
    if not re.search(f"[{UNSPACED}]", left + right):
        if left.isdigit() and right.isdigit():
            digits = sum(text[place].isdigit() for place in where)
            thousands = gap in (".", ",") and re.match(r"[0-9]{3}(?![0-9])", text[where[nth + 1] :]) is not None
            return set(gap) <= spaces or digits >= 5 or thousands
        if not left.isdigit() and not right.isdigit():
            return not re.search("[ \t\r\n]", gap) or re.fullmatch(r"-[ \t]*\r?\n[ \t]*", gap) is not None
    return set(gap) <= spaces or set(gap) <= marks
