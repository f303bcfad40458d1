"""What a check says: one finding, and the verdict that collects all of them (spec 3 §3).

1. A verdict is `pass` only if no finding is a failure; warnings do not fail.
2. A finding names a rule, a place and a remedy. It never carries a value of the packet.
3. Findings stand in one fixed order: by place, then by rule.
4. A verdict says what was not checked, so that silence is never read as a yes.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

NOTE: Final = "a pass proves shape and policy at this time, not truth"


class Result(StrEnum):
    """How a check ended."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"


class Severity(StrEnum):
    """Whether a finding fails the packet."""

    FAILURE = "failure"
    WARNING = "warning"


class Stage(StrEnum):
    """The stages of the validator, in their order."""

    READ = "read"
    FORM = "form"
    ENVELOPE = "envelope"
    REGISTRY = "registry"
    SCHEMA = "schema"
    RULES = "rules"
    INTEGRITY = "integrity"
    SIGNATURE = "signature"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong. `path` is a JSON Pointer; names that no schema declares are cut off it."""

    rule: str
    severity: Severity
    path: str
    message: str
    fix: str


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What the validator says about one packet."""

    result: Result
    profile: str | None
    message_id: str | None
    findings: tuple[Finding, ...]
    checked: tuple[str, ...]
    not_checked: tuple[str, ...]
    note: str = NOTE

    @property
    def rules(self) -> tuple[str, ...]:
        """The rule ids of the findings, in their order."""
        return tuple(finding.rule for finding in self.findings)


def result_of(findings: tuple[Finding, ...]) -> Result:
    """`FAIL` if any finding is a failure."""
    return Result.FAIL if findings and any(f.severity is Severity.FAILURE for f in findings) else Result.PASS


def in_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """The findings without repeats, by place, then rule, then message."""
    unique = dict.fromkeys((f.path, f.rule, f.message, f.severity, f.fix) for f in findings)
    return tuple(
        Finding(rule=rule, severity=severity, path=path, message=message, fix=fix)
        for path, rule, message, severity, fix in sorted(unique)
    )


def pointer(path: tuple[str | int, ...]) -> str:
    """`path` as a JSON Pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)
