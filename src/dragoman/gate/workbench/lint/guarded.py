"""Terms that hold everything or nothing, facts that can never be said, files that others can open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dragoman.gate.workbench.lint.ordinary import ORDINARY
from dragoman.gate.workbench.lint.rule import Hit, Look, Rule, Severity, party, place, rule
from dragoman.leaks import Kind
from dragoman.leaks.fold import fold

_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
_TWO: Final = place(more='counterparty = "acme"') + party() + party("zenith", 'terms = ["Kestrel-7"]')


@rule(
    _WARNING,
    "A term of one or two characters stands in ordinary text and holds nearly every answer.",
    "write the whole name",
    hit=party(more='terms = ["X1"]'),
    miss=party(more='terms = ["Project Falcon"]'),
)
def term_short(look: Look) -> Iterator[Hit]:
    """A protected term that matches nearly everything."""
    for owner, where, term in look.terms:
        if len(fold(term).text.strip()) <= 2:
            yield where, f"a term of `{owner}` with {len(term.strip())} characters"


@rule(
    _WARNING,
    "A term that is an ordinary word holds every answer that uses the word.",
    "write the name as only this counterparty uses it, with its second word",
    hit=party(more='terms = ["project"]'),
    miss=party(more='terms = ["Project Falcon"]'),
)
def term_ordinary(look: Look) -> Iterator[Hit]:
    """A protected term that everybody writes."""
    for owner, where, term in look.terms:
        if fold(term).text.strip() in ORDINARY and len(term.strip()) > 2:
            yield where, f"a term of `{owner}` is an ordinary word"


@rule(
    _WARNING,
    "A term of two counterparties may be said only at a target that belongs to both.",
    "keep it with the one it belongs to",
    hit=party(more='terms = ["Falcon"]') + party("zenith", 'terms = ["falcon"]'),
    miss=party(more='terms = ["Falcon"]') + party("zenith", 'terms = ["Kestrel"]'),
)
def term_of_two(look: Look) -> Iterator[Hit]:
    """The same term, folded, under two owners."""
    first: dict[str, str] = {}
    for owner, where, term in look.terms:
        key = fold(term).text.strip()
        if first.setdefault(key, owner) != owner:
            yield where, f"`{first[key]}` and `{owner}` have the same term"


@rule(
    _ERROR,
    "A fact that holds another counterparty's term can never be said: the leak check stops it each time.",
    "reword the fact, or the term",
    hit=_TWO + '[[records]]\ncounterparty = "acme"\nfacts = ["Kestrel-7 ships on 6 October 2026."]\n',
    miss=_TWO + '[[records]]\ncounterparty = "acme"\nfacts = ["It ships on 6 October 2026."]\n',
)
def fact_with_foreign_term(look: Look) -> Iterator[Hit]:
    """A record that names what it must not."""
    for index, entry in enumerate(look.file.records):
        owners = frozenset({entry.counterparty} if entry.counterparty else ())
        if entry.target is not None:
            named = entry.target
            keys = [key for key in look.policy.targets if str(key.channel) == named.channel]
            owners = frozenset(o for key in keys for o in look.policy.at(key).owners)
        for number, fact in enumerate(entry.facts):
            if any(hit.kind is Kind.TERM for hit in look.policy.guard.scan(fact, owners)):
                yield f"records[{index}].facts", f"fact {number + 1} holds a protected term of another counterparty"


@rule(
    _ERROR,
    "Who can write the policy can grant anything; it must be the operator's alone.",
    "chmod 600 the file, and 700 its folder",
    hit="",
    miss="",
    hit_mode=0o620,
)
def file_writable(look: Look) -> Iterator[Hit]:
    """A policy or term file that others can write, or replace."""
    for each in look.modes:
        if each.mode & 0o022:
            yield each.where, f"{'its folder has ' if each.folder else ''}mode {each.mode:04o}"


@rule(
    _WARNING,
    "The policy names counterparties, accounts and protected terms.",
    "chmod 600 the file",
    hit="",
    miss="",
    hit_mode=0o644,
)
def file_readable(look: Look) -> Iterator[Hit]:
    """A policy or term file that others can read; a folder may be looked into."""
    for each in look.modes:
        if each.mode & 0o044 and not each.folder:
            yield each.where, f"mode {each.mode:04o}"


@rule(
    _ERROR,
    "A file of another account can be changed by that account at any time.",
    "let the operator own it",
    hit="",
    miss="",
    hit_mode=-1,
)
def file_of_another(look: Look) -> Iterator[Hit]:
    """A policy or term file that somebody else owns."""
    for each in look.modes:
        if not each.ours:
            yield each.where, "owned by another account"


RULES: Final[tuple[Rule, ...]] = (
    term_short,
    term_ordinary,
    term_of_two,
    fact_with_foreign_term,
    file_writable,
    file_readable,
    file_of_another,
)
