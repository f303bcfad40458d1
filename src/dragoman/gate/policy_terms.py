"""Which terms does each counterparty own, and what changed since the policy before? Pure.

A policy of a million terms takes a while to compile; a change of a few must be in force at once (spec 1 §5). So each
policy remembers where its terms came from, byte for byte, and the next one compiles only the difference:

1. The same bytes are the same terms: nothing is read again.
2. Terms that came or went are given to, or taken from, the compiled guard. More than `MOST_CHANGED` is compiled anew.
3. A term that does not compile is the error of the new policy, as if it were the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from dragoman.errors import DragomanError
from dragoman.gate.policy import TermSource
from dragoman.gate.policy_keys import CounterpartyEntry
from dragoman.leaks import Guard, Terms

MOST_CHANGED: Final = 20_000
"""Changed terms that are worked into a compiled guard; more are compiled anew."""


Sources = Mapping[str, TermSource]


def sources_of(entries: tuple[CounterpartyEntry, ...], files: Mapping[str, bytes]) -> dict[str, TermSource]:
    """Where the terms of each counterparty come from.

    Raises:
        DragomanError: `policy_invalid`, with the key and its fix.
    """
    found: dict[str, TermSource] = {}
    for index, entry in enumerate(entries):
        where = f"counterparties[{index}]"
        if entry.id in found or not entry.id.strip():
            raise _invalid(f"{where}.id", "empty or used twice", "give each counterparty its own id")
        raw = b""
        if entry.terms_file:
            if entry.terms_file not in files:
                raise _invalid(f"{where}.terms_file", "cannot be read", "put the file beside the policy")
            raw = files[entry.terms_file]
            try:
                raw.decode()
            except UnicodeDecodeError:
                raise _invalid(f"{where}.terms_file", "not UTF-8", "save the file as UTF-8") from None
        if any(not term.strip() for term in entry.terms):
            raise _invalid(f"{where}.terms", "an empty term would match everything", "remove it")
        found[entry.id] = TermSource(entry.terms, raw)
    return found


def guard_of(sources: Sources, before: Sources, guard: Guard) -> Guard:
    """The compiled guard over `sources`; `guard` is the one over `before`.

    Raises:
        DragomanError: `policy_invalid`, for a term that cannot be guarded.
    """
    changed = [owner for owner in {**before, **sources} if sources.get(owner) != before.get(owner)]
    if not changed:
        return guard
    added: dict[str, list[str]] = {}
    removed: dict[str, list[str]] = {}
    for owner in changed:
        new, old = _terms(sources, owner), _terms(before, owner)
        added[owner], removed[owner] = list(new - old), list(old - new)
    if not before or _count(added) + _count(removed) > MOST_CHANGED:
        return Guard(Terms({owner: source.terms() for owner, source in sources.items()}))
    if _count(removed):
        guard = guard.without_terms({owner: terms for owner, terms in removed.items() if terms})
    return guard.with_terms({owner: terms for owner, terms in added.items() if terms}) if _count(added) else guard


def _terms(sources: Sources, owner: str) -> set[str]:
    return set(sources[owner].terms()) if owner in sources else set()


def _count(terms: Mapping[str, Iterable[str]]) -> int:
    return sum(len(list(each)) for each in terms.values())


def _invalid(where: str, detail: str, fix: str) -> DragomanError:
    return DragomanError("policy_invalid", detail, where=where, fix=fix)
