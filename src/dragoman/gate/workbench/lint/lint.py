"""What is wrong with this policy? Every rule over the file, every finding with its rule, place, reason and remedy.

1. A policy that does not load is one finding, `not_valid`, with the loader's place and fix; no other rule is asked.
2. Errors come first, then warnings, then notes; among these the order is that of the file.
3. A rule that raises is a finding of its own (`rule_failed`): what could not be checked is not well.
4. A rule speaks at most `MOST` times; the rest is counted in one more finding.

Pure: the time and the modes of files are arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import msgspec

from dragoman.errors import DragomanError
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.policy_keys import PolicyFile
from dragoman.gate.workbench.lines import line_numbers, line_of
from dragoman.gate.workbench.lint import contradiction, danger, effect, guarded, ids
from dragoman.gate.workbench.lint.rule import FileMode, Finding, Look, Rule, Severity

RULES: Final[tuple[Rule, ...]] = (
    *effect.RULES,
    *contradiction.RULES,
    *danger.RULES,
    *guarded.RULES,
    *ids.RULES,
)
"""Every rule; its id is its name for ever."""

OWN: Final[dict[str, tuple[Severity, str, str]]] = {
    "not_valid": (
        Severity.ERROR,
        "The policy does not load: the gate is closed everywhere.",
        "mend it at that place",
    ),
    "rule_failed": (
        Severity.ERROR,
        "A rule could not be checked, so nothing is known about it.",
        "report it with the policy's shape",
    ),
}
"""What lint itself finds, before and around the rules."""
MOST: Final = 20
_ORDER: Final = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


def lint(
    raw: bytes,
    now: int,
    terms_files: Mapping[str, bytes] | None = None,
    modes: Sequence[FileMode] = (),
    rules: Sequence[Rule] = RULES,
) -> tuple[Finding, ...]:
    """Everything found in the text of a policy file.

    Args:
        raw: the file.
        now: epoch milliseconds; what has ended is found by it.
        terms_files: the contents of each `terms_file` it names.
        modes: what the shell saw of the files on disk.
        rules: which rules are asked.
    """
    try:
        policy = parse_policy(raw, terms_files)
        file = msgspec.toml.decode(raw, type=PolicyFile)
    except DragomanError as error:
        lines = line_numbers(raw.decode("utf-8", "replace"))
        return (_own("not_valid", error.where, error.detail, error.fix, line_of(lines, error.where)),)
    look = Look(file=file, policy=policy, now=now, terms=terms_of(file, terms_files or {}), modes=tuple(modes))
    lines = line_numbers(raw.decode("utf-8"))
    every = [finding for rule in rules for finding in _asked(rule, look, lines)]
    return tuple(sorted(every, key=lambda each: (_ORDER.index(each.severity), each.line)))


def fails(findings: Sequence[Finding], accepted: Collection[str] = ()) -> bool:
    """Whether a lint with these findings has failed. `accepted` names rules whose warnings are meant, never errors."""
    return any(
        each.severity is Severity.ERROR or (each.severity is Severity.WARNING and each.rule not in accepted)
        for each in findings
    )


def terms_of(file: PolicyFile, files: Mapping[str, bytes]) -> tuple[tuple[str, str, str], ...]:
    """Every protected term with its owner and where it stands."""
    found = []
    for index, entry in enumerate(file.counterparties):
        found += [(entry.id, f"counterparties[{index}].terms", term) for term in entry.terms]
        listed = files.get(entry.terms_file or "", b"").decode("utf-8", "replace").splitlines()
        where = f"counterparties[{index}].terms_file"
        found += [(entry.id, where, line.strip()) for line in listed if line.strip()]
    return tuple(found)


def _asked(rule: Rule, look: Look, lines: Mapping[str, int]) -> list[Finding]:
    found: list[Finding] = []
    left = 0
    try:
        for where, detail in rule.find(look):
            if len(found) >= MOST:
                left += 1
                continue
            found.append(
                Finding(
                    rule=rule.id,
                    severity=rule.severity,
                    where=where,
                    detail=detail,
                    why=rule.about,
                    fix=rule.fix,
                    line=line_of(lines, where),
                )
            )
    except Exception as error:  # noqa: BLE001  a check that raises is a no
        return [_own("rule_failed", rule.id, type(error).__name__, "", 0)]
    if left:
        found.append(msgspec.structs.replace(found[-1], where="", detail=f"and {left} more"))
    return found


def _own(id: str, where: str, detail: str, fix: str, line: int) -> Finding:
    severity, why, usual = OWN[id]
    return Finding(rule=id, severity=severity, where=where, detail=detail, why=why, fix=fix or usual, line=line)
