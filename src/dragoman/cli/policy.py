"""`dragoman policy init|lint|explain|import|diff`: begin, check, read and compare policies (docs/reference/cli.md).

None needs a receiver or changes what runs: they take policy files, and write only a new one where they are told to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from dragoman.cli.beside import AsJson
from dragoman.cli.output import emit, line
from dragoman.cli.policy_files import found
from dragoman.clock import SystemClock, parse_rfc3339
from dragoman.errors import DragomanError, Exit
from dragoman.gate.policy_lint.lint import RULES, fails, lint
from dragoman.gate.policy_lint.rule import Finding, Severity

PolicyPath = Annotated[Path, typer.Argument(help="The policy file.")]
Now = Annotated[str | None, typer.Option(help="Decide as if it were this time (RFC 3339, UTC).")]

app = typer.Typer(
    no_args_is_help=True, help="Begin, check, explain, import and compare policies; changes nothing that runs."
)

_RULE_IDS: Final = frozenset(rule.id for rule in RULES)


@app.command("lint")
def lint_command(
    policy: Annotated[Path | None, typer.Argument(help="The policy file.")] = None,
    accept: Annotated[list[str] | None, typer.Option(help="A rule whose warnings are meant; may be repeated.")] = None,
    rules: Annotated[bool, typer.Option("--rules", help="List every rule with an example, and check nothing.")] = False,
    now: Now = None,
    as_json: AsJson = False,
) -> int:
    """Find entries without effect, contradictions and dangers; exit 1 when there is an error or a warning."""
    accepted = frozenset(accept or ())
    if unknown := sorted(accepted - _RULE_IDS):
        raise DragomanError(
            "usage", f"no rule `{unknown[0]}`", where="--accept", fix="see `dragoman policy lint --rules`"
        )
    if rules:
        _list_rules(as_json)
        return Exit.OK
    if policy is None:
        raise DragomanError("usage", "name a policy file", where="dragoman policy lint", fix="or list the `--rules`")
    seen = found(policy)
    findings = lint(seen.raw, moment(now), seen.terms_files, seen.modes)
    failed = fails(findings, accepted)
    counts = {each.value: sum(1 for found_ in findings if found_.severity is each) for each in Severity}
    if as_json:
        emit({"failed": failed, "counts": counts, "findings": findings, "accepted": sorted(accepted)})
    else:
        for finding in findings:
            _say(finding, policy, accepted)
        told = ", ".join(f"{number} {name}{'' if number == 1 else 's'}" for name, number in counts.items())
        line(f"{policy}: {told}" + ("" if failed else "; passes"))
    return Exit.FAILED_CHECK if failed else Exit.OK


def _say(finding: Finding, policy: Path, accepted: frozenset[str]) -> None:
    place = f"{policy}:{finding.line}" if finding.line else str(policy)
    meant = " (accepted)" if finding.rule in accepted else ""
    at = f" at {finding.where}" if finding.where else ""
    line(f"{place}: {finding.severity}{meant} {finding.rule}{at}: {finding.detail}")
    line(f"  why: {finding.why}")
    line(f"  fix: {finding.fix}")


def _list_rules(as_json: bool) -> None:
    if as_json:
        rows = [
            {"rule": rule.id, "severity": rule.severity, "why": rule.about, "fix": rule.fix, "example": rule.hit}
            for rule in RULES
        ]
        emit({"rules": rows})
        return
    for rule in RULES:
        line(f"{rule.id} ({rule.severity}): {rule.about}")
        line(f"  fix: {rule.fix}")
        for each in rule.hit.strip().splitlines():
            line(f"    {each}")


def moment(text: str | None) -> int:
    """The time that was asked for, or the machine's.

    Raises:
        DragomanError: `input_invalid`.
    """
    if text is None:
        return SystemClock().now()
    try:
        return parse_rfc3339(text)
    except ValueError as error:
        fix = "write it as `2026-10-06T09:00:00Z`"
        raise DragomanError("input_invalid", str(error), where="--now", fix=fix) from None
