"""Whatever policy loads can be linted, explained, written down and compared with another: no check ever raises."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import DragomanError
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.policy_keys import PolicyFile
from dragoman.gate.workbench.diff import key_changes
from dragoman.gate.workbench.explain import explain_all, explain_target, grounds
from dragoman.gate.workbench.lint.lint import lint
from dragoman.gate.workbench.text import policy_text
from dragoman.identity import Party, Target

NOW = 1_790_000_000_000
IDS = st.sampled_from(
    ["T0A1", "C0A1", "U0A1", "#ops", "@kim", "@desk:x.example", "!r:x.example", "-1001", "*", "a/b%2F"]
)
ODD = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=6)
PART = IDS | ODD
PLATFORM = st.sampled_from(["slack", "matrix", "telegram", "Slack", "memory"])
PLACE = {"platform": PLATFORM, "workspace": PART, "channel": PART}
TIMES = st.sampled_from(["2020-01-01T00:00:00Z", "2026-12-31T00:00:00Z", "2090-01-01T00:00:00Z"])


def account() -> st.SearchStrategy[str]:
    """An account as the file writes it."""
    return st.builds(lambda platform, workspace, id: str(Party(platform, workspace, id)), PLATFORM, PART, PART)


def some(entry: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[list[Any]]:
    """A short list."""
    return st.lists(entry, max_size=most)


TARGETS = st.fixed_dictionaries(
    {**PLACE, "audience": st.sampled_from(["external", "internal", "operator"])},
    optional={
        "access": st.sampled_from(["allow", "deny"]),
        "counterparty": st.just("acme"),
        "require_mention": st.booleans(),
        "open_question_responses": st.booleans(),
        "operator_messages_are_requests": st.booleans(),
        "edits_may_request": st.booleans(),
        "allowed_senders": some(account()),
        "takeover_seconds": st.integers(0, 900),
        "public": st.booleans(),
        "autonomy": st.sampled_from(["auto", "draft_only"]),
        "language": st.sampled_from(["en", "zh"]),
    },
)
GRANTS = st.fixed_dictionaries(
    {
        "id": ODD,
        "purpose": st.sampled_from(["schedule", "bot", "handover"]),
        "targets": some(st.fixed_dictionaries(PLACE)),
        "given_by": ODD,
        "expires_at": TIMES,
        "admits": account(),
    },
    optional={"not_before": TIMES, "max_total": st.integers(1, 9), "max_per_day": st.integers(1, 9)},
)
RECORDS = st.fixed_dictionaries(
    {
        "facts": some(st.sampled_from(["Open on 6 October 2026.", "Falcon weighs 3 kg.", ""])),
        "counterparty": st.just("acme"),
    },
    optional={"expires_at": TIMES},
)
TERMS = st.sampled_from([["Falcon"], ["Kestrel-7", "project"], ["X1", "落鹰计划"]])
FILES = st.fixed_dictionaries(
    {
        "version": st.just(1),
        "counterparties": st.lists(
            st.sampled_from([["Falcon"], ["Kestrel-7", "project"], ["X1", "落鹰计划"]]), min_size=1, max_size=2
        ).map(
            lambda terms: [{"id": name, "terms": each} for name, each in zip(("acme", "zenith"), terms, strict=False)]
        ),
    },
    optional={
        "targets": some(TARGETS, 4),
        "operators": some(st.fixed_dictionaries({"platform": PLATFORM, "workspace": PART, "id": PART})),
        "grants": some(GRANTS),
        "records": some(RECORDS),
        "denied_senders": some(account()),
        "unknown_targets": st.sampled_from(["closed", "explicit_requests"]),
        "mode": st.sampled_from(["enforce", "shadow"]),
        "commands": st.just(["help"]),
        "draft_only": some(st.sampled_from(["prices", "legal"])),
    },
)


def text_of(entries: dict[str, Any]) -> str | None:
    """The policy file of these entries, or None when it does not load."""
    text = policy_text(msgspec.convert(entries, PolicyFile))
    try:
        parse_policy(text.encode())
    except DragomanError:
        return None
    return text


@settings(max_examples=300, deadline=None)
@given(FILES)
def test_every_policy_that_loads_can_be_linted_and_explained(entries: dict[str, Any]) -> None:
    """No rule raises, every finding has its place in the file, and both languages say as much."""
    text = text_of(entries)
    if text is None:
        return
    file, policy = msgspec.toml.decode(text, type=PolicyFile), parse_policy(text.encode())

    found = lint(text.encode(), NOW)
    assert "rule_failed" not in {each.rule for each in found}
    assert all(0 <= each.line <= text.count("\n") and each.detail for each in found)
    english, chinese = (explain_all(file, policy, NOW, language) for language in ("en", "zh"))
    assert [len(part.said) for part in english] == [len(part.said) for part in chinese]


@settings(max_examples=200, deadline=None)
@given(FILES)
def test_every_listed_target_is_explained_as_it_decides(entries: dict[str, Any]) -> None:
    """A denied target has no ground, whoever asks; nobody outside an allow-list has one."""
    text = text_of(entries)
    if text is None:
        return
    file, policy = msgspec.toml.decode(text, type=PolicyFile), parse_policy(text.encode())
    stranger = Party("memory", "nowhere", "stranger")
    for entry in file.targets:
        place = Target(entry.platform, entry.workspace, entry.channel)
        told = explain_target(file, policy, place, NOW)
        if entry.access == "deny" or entry.allowed_senders == ():
            assert () == told.grounds
        if entry.allowed_senders is not None:
            assert () == grounds(policy, place, stranger)


@settings(max_examples=200, deadline=None)
@given(FILES, FILES)
def test_two_policies_are_compared_both_ways(first: dict[str, Any], second: dict[str, Any]) -> None:
    """The same keys differ in both directions, with their values exchanged; a file beside itself has none."""
    old, new = (msgspec.convert(each, PolicyFile) for each in (first, second))
    there, back = key_changes(old, new), key_changes(new, old)

    assert () == key_changes(old, old)
    assert {(each.where, each.old, each.new) for each in there} == {(each.where, each.new, each.old) for each in back}
