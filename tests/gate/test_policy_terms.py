"""A change of terms is in force at once, and the difference compiled is the same guard as the whole compiled anew."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.gate.policy import Policy
from dragoman.gate.policy_file import parse_policy

NAMES = ["Falcon", "Kestrel Seven", "Northwind", "Blue Harbour", "Osprey-9", "Quiet Lake"]
Owned = dict[str, list[str]]


def policy(owned: Owned, before: Policy | None = None) -> Policy:
    """A policy in which each counterparty owns the terms of its file and the first of them inline."""
    files = {f"{owner}.txt": "\n".join(terms[1:]).encode() for owner, terms in owned.items()}
    text = "version = 1\n" + "".join(
        f'[[counterparties]]\nid = "{owner}"\nterms = {terms[:1]}\nterms_file = "{owner}.txt"\n'
        for owner, terms in owned.items()
    )
    return parse_policy(text.encode(), files) if before is None else parse_policy(text.encode(), files, before)


def found(at: Policy, owner: str) -> list[str]:
    """Which of the names are guarded against everybody but `owner`."""
    return [name for name in NAMES if at.guard.scan(f"about {name} today", frozenset({owner}))]


owned = st.dictionaries(
    st.sampled_from(["acme", "zenith", "orbit"]), st.lists(st.sampled_from(NAMES), min_size=1, unique=True), max_size=3
)


@settings(max_examples=60, deadline=None)
@given(st.lists(owned, min_size=1, max_size=4))
def test_one_policy_after_another_guards_what_each_says(history: list[Owned]) -> None:
    """Whatever came and went before, the guard in force is the one of the newest policy alone."""
    now: Policy | None = None
    for each in history:
        now = policy(each, now)
    assert now is not None
    alone = policy(history[-1])

    assert [found(alone, owner) for owner in ("acme", "zenith", "orbit")] == [
        found(now, owner) for owner in ("acme", "zenith", "orbit")
    ]


def test_the_same_terms_are_not_compiled_again() -> None:
    """A change of anything else keeps the compiled guard."""
    first = policy({"acme": ["Falcon", "Northwind"]})
    second = policy({"acme": ["Falcon", "Northwind"]}, first)

    assert first.guard is second.guard
