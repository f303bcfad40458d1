"""`dragoman policy init|lint|explain|import|diff`: begin, check, read and compare policies (docs/reference/cli.md).

None needs a receiver or changes what runs: they take policy files, and write only a new one where they are told to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import msgspec
import typer

from dragoman.cli.beside import AsJson
from dragoman.cli.output import emit, line, lines, read_file
from dragoman.cli.policy_diff import diff_command
from dragoman.cli.policy_files import compiled_policy, found, write_new
from dragoman.cli.policy_init import init_command
from dragoman.clock import SystemClock, parse_rfc3339
from dragoman.errors import DragomanError, Exit
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.policy_keys import PolicyFile
from dragoman.gate.workbench.explain import Explained, Said, explain_all, explain_target
from dragoman.gate.workbench.imported.sources import SOURCES, kind_of
from dragoman.gate.workbench.imported.tree import read_tree
from dragoman.gate.workbench.lines import line_numbers
from dragoman.gate.workbench.lint.lint import RULES, fails, lint
from dragoman.gate.workbench.lint.rule import Finding, Severity
from dragoman.gate.workbench.text import policy_text
from dragoman.identity import Party, Target, parse_party, parse_target

PolicyPath = Annotated[Path, typer.Argument(help="The policy file.")]
Now = Annotated[str | None, typer.Option(help="Decide as if it were this time (RFC 3339, UTC).")]

app = typer.Typer(
    no_args_is_help=True, help="Begin, check, explain, import and compare policies; changes nothing that runs."
)

app.command("init")(init_command)
app.command("diff")(diff_command)

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


@app.command("explain")
def explain_command(
    policy: PolicyPath,
    target: Annotated[str | None, typer.Option(help="One target, `platform/workspace/channel`.")] = None,
    sender: Annotated[str | None, typer.Option(help="One account there, `platform/workspace/id`.")] = None,
    language: Annotated[str, typer.Option(help="en or zh.")] = "en",
    now: Now = None,
    as_json: AsJson = False,
) -> int:
    """Say in words what holds: at one target, for one sender there, or the whole policy; and which keys made it so."""
    if language not in ("en", "zh"):
        raise DragomanError("usage", f"no language `{language}`", where="--language", fix="use en or zh")
    seen = found(policy)
    compiled = compiled_policy(seen)
    at, file = moment(now), msgspec.toml.decode(seen.raw, type=PolicyFile)
    if target is None and sender is not None:
        raise DragomanError("usage", "a sender is explained at a target", where="--sender", fix="add `--target`")
    if target is None:
        parts = explain_all(file, compiled, at, language)
    else:
        who = None if sender is None else _known(parse_party(sender), "--sender", "platform/workspace/id")
        place = _known(parse_target(target), "--target", "platform/workspace/channel")
        parts = (explain_target(file, compiled, place, at, language, who),)
    lines = line_numbers(seen.raw.decode())
    if as_json:
        emit({"policy_version": compiled.version, "parts": [_part(part, lines) for part in parts]})
        return Exit.OK
    for part in parts:
        line(part.heading)
        for said in part.said:
            places = sorted({number for key in said.keys if (number := lines.get(key, 0))})
            where = f"  [{policy.name}:{','.join(map(str, places))}]" if places else ""
            line(f"  - {said.text}{where}")
    return Exit.OK


@app.command("import")
def import_command(
    source: Annotated[Path, typer.Argument(help="The other runtime's configuration: JSON, JSON5 or YAML.")],
    of: Annotated[str, typer.Option("--from", help="field, openclaw or hermes; told by its keys when left out.")] = "",
    out: Annotated[Path | None, typer.Option(help="A new file; standard output when left out.")] = None,
    workspace: Annotated[list[str] | None, typer.Option(help="Our account there, `PLATFORM=ID`; repeatable.")] = None,
    accept: Annotated[list[str] | None, typer.Option(help="`replies` or `direct`: may ask here and not there.")] = None,
    as_json: AsJson = False,
) -> int:
    """Write another runtime's channel configuration as a policy that never admits more; tell what is left."""
    accepted = frozenset(accept or ())
    if unknown := sorted(accepted - {"replies", "direct"}):
        raise DragomanError("usage", f"nothing named `{unknown[0]}`", where="--accept", fix="use replies or direct")
    tree = read_tree(read_file(source))
    kind = of or kind_of(tree)
    if kind not in SOURCES:
        known = ", ".join(SOURCES)
        detail = f"no source `{kind}`" if kind else "its keys do not tell whose configuration it is"
        raise DragomanError("usage", detail, where="--from", fix=f"use one of: {known}")
    done = SOURCES[kind](tree, _workspaces(workspace or []), accepted)
    text = policy_text(done.file, done.notes)
    parse_policy(text.encode())
    if out is not None:
        write_new(out, text)
    counts = {"targets": len(done.file.targets), "operators": len(done.file.operators)}
    if as_json:
        emit({"file": str(out or ""), "source": kind, "counts": counts, "left": done.left, "policy": text})
        return Exit.OK
    if out is None:
        lines(text)
    mark = "# " if out is None else ""
    line(f"{mark}{counts['targets']} targets taken over from {kind}; left behind or closed: {len(done.left)}")
    for each in done.left:
        line(f"{mark}  {each.path}: {each.kind}: {each.why}")
    return Exit.OK


def _workspaces(given: list[str]) -> dict[str, str]:
    found = {}
    for each in given:
        platform, mark, id = each.partition("=")
        if not mark or not platform or not id:
            raise DragomanError("usage", "not `PLATFORM=ID`", where="--workspace", fix="such as slack=T0123ABCD")
        found[platform] = id
    return found


def _part(part: Explained, lines: Mapping[str, int]) -> dict[str, Any]:
    said = [
        {"text": each.text, "keys": [key for key in each.keys if key in lines], "lines": [*_lines(each, lines)]}
        for each in part.said
    ]
    return {"heading": part.heading, "audience": part.audience, "grounds": part.grounds, "said": said}


def _lines(said: Said, lines: Mapping[str, int]) -> Iterator[int]:
    return (lines[key] for key in said.keys if key in lines)


Named = TypeVar("Named", Target, Party)


def _known(named: Named, where: str, form: str) -> Named:
    if not named.known:
        fix = "write `/` inside a part as `%2F`"
        raise DragomanError("input_invalid", f"not `{form}`", where=where, fix=fix)
    return named


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
