"""Verdicts in the forms that others read: annotations of GitHub's workflow commands, and SARIF 2.1.0.

Both name the line and column where the value stands that a finding is about; of a field that is missing, those of the
nearest object around it. Nothing of a packet's values is printed, as in every form of a verdict.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from dragoman import __version__
from dragoman.packets.forms import place_in_array
from dragoman.packets.profiles import profile
from dragoman.packets.read import DEFAULT_LIMITS
from dragoman.packets.rules import CATALOG, explain
from dragoman.packets.strict import places
from dragoman.packets.verdict import NOTE, Finding, Severity, Verdict
from dragoman.shown import shown

FORMATS: Final = ("text", "json", "github", "sarif")
_SARIF: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {Severity.FAILURE: "error", Severity.WARNING: "warning"}
_STDIN: Final = "-"


class Judged(NamedTuple):
    """One packet: where it came from, its bytes, and what was said of it."""

    path: str
    raw: bytes
    verdict: Verdict


def github(judged: Sequence[Judged]) -> Iterator[str]:
    """One workflow command for each finding."""
    for path, raw, verdict in judged:
        found = places(raw, DEFAULT_LIMITS) if verdict.findings else {}
        for finding in verdict.findings:
            line, column = _place(found, finding, verdict)
            words = f"{finding.path or 'the document'}: {finding.message} (fix: {finding.fix})"
            marks = {"file": shown(path), "line": str(line), "col": str(column), "title": finding.rule}
            named = ",".join(f"{key}={_property(value)}" for key, value in marks.items())
            yield f"::{_LEVELS[finding.severity]} {named}::{_data(shown(words))}"


def sarif(judged: Sequence[Judged]) -> dict[str, Any]:
    """One run with every rule that spoke, and a result for each finding."""
    results = []
    for path, raw, verdict in judged:
        found = places(raw, DEFAULT_LIMITS) if verdict.findings else {}
        results += [_result(path, found, finding, verdict) for finding in verdict.findings]
    spoken = {result["ruleId"] for result in results}
    ids = list(dict.fromkeys(row.id for row in CATALOG if row.id in spoken))
    rules = [_rule(rule_id) for rule_id in ids]
    driver = {"name": "dragoman packet validate", "version": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "results": results, "properties": {"note": NOTE}}
    return {"$schema": _SARIF, "version": "2.1.0", "runs": [run]}


def in_utf8(path: str) -> str:
    """A path as JSON may hold it: bytes that are no UTF-8 stand as escapes."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def _result(path: str, found: dict[str, tuple[int, int]], finding: Finding, verdict: Verdict) -> dict[str, Any]:
    line, column = _place(found, finding, verdict)
    region = {"startLine": line, "startColumn": column}
    location = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(path)}, "region": region},
        "logicalLocations": [{"fullyQualifiedName": finding.path or "/", "kind": "member"}],
    }
    return {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message} (fix: {finding.fix})"},
        "locations": [location],
    }


def _uri(path: str) -> str:
    """A relative path as a relative reference, an absolute one under the scheme `file` (SARIF §3.4.3)."""
    if path == _STDIN:
        return "stdin"
    whole = PurePath(path)
    written = quote(os.fsencode(whole.as_posix()))
    return f"file:///{written.lstrip('/')}" if whole.is_absolute() else written


def _rule(rule_id: str) -> dict[str, Any]:
    row = explain(rule_id)[0]
    return {"id": rule_id, "shortDescription": {"text": row.reason}, "help": {"text": row.fix}}


def _place(found: dict[str, tuple[int, int]], finding: Finding, verdict: Verdict) -> tuple[int, int]:
    """Where the value stands, or the nearest that holds it; of a packet without names, its position."""
    path, chosen = finding.path, profile(verdict.profile)
    if "/0" in found and chosen is not None:
        path = place_in_array(path, chosen)
    while path and path not in found:
        path = path.rpartition("/")[0]
    return found.get(path, (1, 1))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
