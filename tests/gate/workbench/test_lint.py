"""Lint finds what is wrong with a policy that loads: every rule by its own two examples, and the whole by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.clock import parse_rfc3339
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.workbench.lint.lint import MOST, OWN, RULES, fails, lint
from dragoman.gate.workbench.lint.rule import FileMode, Finding, Look, Rule, Severity, oper, party, place, rule

NOW = parse_rfc3339("2026-09-21T14:13:20Z")
PAGE = (Path(__file__).parents[3] / "docs/reference/policy-lint.md").read_text()
OURS = FileMode(where="", mode=0o600)


def found(text: str, *modes: FileMode, **files: bytes) -> tuple[Finding, ...]:
    """What lint finds in a policy of this body; keyword arguments are term files."""
    return lint(f"version = 1\n{text}".encode(), NOW, {f"{name}.txt": raw for name, raw in files.items()}, modes)


def ids(text: str, *modes: FileMode, **files: bytes) -> set[str]:
    """The rules that find something."""
    return {each.rule for each in found(text, *modes, **files)}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_each_rule_finds_its_hit(rule: Rule) -> None:
    """The example of what it finds is found, at a place that has words."""
    mode = FileMode(where="", mode=max(rule.hit_mode, 0), ours=rule.hit_mode >= 0)
    hits = [each for each in found(rule.hit, mode) if each.rule == rule.id]

    assert hits
    assert all(each.detail and each.why == rule.about and each.fix == rule.fix for each in hits)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_each_rule_leaves_its_miss(rule: Rule) -> None:
    """The example of what is well is a valid policy and is left alone by that rule."""
    parse_policy(f"version = 1\n{rule.miss}".encode())

    assert rule.id not in ids(rule.miss, OURS)


def test_ids_are_unique_and_stable_words() -> None:
    """An id is one word in lower case, used once."""
    names = [rule.id for rule in RULES] + list(OWN)

    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in names)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_each_rule_has_its_row_in_the_page(rule: Rule) -> None:
    """The page says of each rule what the table says: severity, reason, remedy."""
    assert f"| `{rule.id}` | {rule.severity} | {rule.about} | {rule.fix} |" in PAGE


def test_the_page_names_no_other_rule() -> None:
    """A rule that is gone is gone from the page too."""
    named = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))

    assert {rule.id for rule in RULES} | set(OWN) == named


def test_a_finding_says_the_line() -> None:
    """The line of the key, where the file has one."""
    text = place(more="takeover_seconds = 600")
    (hit,) = [each for each in found(text) if each.rule == "takeover_without_operators"]

    assert ("targets[0].takeover_seconds", 7) == (hit.where, hit.line)


@pytest.mark.parametrize(
    ("text", "where", "line"),
    [
        ("targets = 3\n", "targets", 2),
        (place(more='audience2 = "x"'), "", 0),
        (place() + place(), "targets[1]", 8),
        ('[[records]]\nfacts = ["x"]\n', "records[0]", 2),
    ],
)
def test_a_policy_that_does_not_load_is_one_finding(text: str, where: str, line: int) -> None:
    """Its place is the loader's, its fix too, and nothing else is asked."""
    (only,) = found(text)

    assert ("not_valid", Severity.ERROR) == (only.rule, only.severity)
    assert only.fix
    if where:
        assert (where, line) == (only.where, only.line)


def test_terms_are_never_shown() -> None:
    """A finding about a term names its owner and place, never the term."""
    text = party(more='terms = ["project", "Q9", "a\\u200bb zebra"]\nterms_file = "more.txt"')
    hits = [each for each in found(text, more=b"delivery\nok\n") if each.rule.startswith(("term_", "blank_"))]

    assert 5 == len(hits)
    assert not any(word in each.detail for each in hits for word in ("project", "Q9", "zebra", "delivery"))


def test_a_rule_speaks_so_often_and_counts_the_rest() -> None:
    """A file with a thousand faults of one kind gives a page, not a book."""
    text = "".join(place(channel=f"#r{number}") for number in range(MOST + 7))
    hits = [each for each in found(text) if each.rule == "name_for_id"]

    assert MOST + 1 == len(hits)
    assert "and 7 more" == hits[-1].detail


def test_a_warning_can_be_accepted_an_error_cannot() -> None:
    """What is meant is named and does not fail; a guard that is off fails always."""
    meant = found(place(more="require_mention = false") + oper())
    off = found('mode = "shadow"\n')

    assert fails(meant)
    assert not fails(meant, {"mention_off_external"})
    assert fails(off, {"nothing_blocked"})


def test_a_sound_policy_has_no_findings() -> None:
    """A listed external target with a counterparty and an operator is well."""
    text = place(more='counterparty = "acme"') + party(more='terms = ["Project Falcon"]') + oper()

    assert () == found(text, OURS)


def test_a_rule_that_raises_is_a_finding() -> None:
    """What could not be checked is not well."""

    @rule(Severity.NOTE, "never", "never", hit="", miss="")
    def falls(look: Look) -> Iterator[tuple[str, str]]:
        yield "", str(look.now // 0)

    (only,) = lint(b"version = 1\n", NOW, rules=(falls,))

    assert ("rule_failed", Severity.ERROR, "falls") == (only.rule, only.severity, only.where)
