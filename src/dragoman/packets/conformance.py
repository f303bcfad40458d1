"""Does another validator say what the vectors say? What it is asked, how its answer is read, and the table (spec 3 §3).

The validator is any command. It gets one JSON line on standard input for each vector:

    {"name": "...", "at": "2026-10-06T09:00:00Z", "packet_base64": "...", "trust": null}

and writes one JSON line for each, in the same order: `{"result": "pass" | "fail", "rules": ["...", ...]}`. The bytes
of `packet_base64` are to be judged at the time `at`; `trust` is a trust file's value, or null. Further keys of an
answer are ignored.

1. A vector holds when the result and the set of rule ids are the expected ones. `--results-only` leaves the ids out,
   for validators with names of their own, and says so.
2. Fewer lines than vectors, a line that is no such object, an exit code, a time-out: what is missing has failed.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from dragoman.packets.profiles import BUILT
from dragoman.packets.registry import vectors_of

LINE_LIMIT: Final = 1024 * 1024


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One vector: its question as a line of JSON, and what must be said."""

    name: str
    profile: str
    question: bytes
    result: str
    rules: tuple[str, ...]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What was said of one vector; `got` is empty where nothing usable was said."""

    case: Case
    holds: bool
    got: str = ""


class _Answer(msgspec.Struct):
    result: str
    rules: list[str] = []


def cases(chosen: tuple[str, ...] = BUILT) -> Iterator[Case]:
    """The vectors of these profiles."""
    for profile in chosen:
        for line in vectors_of(profile).splitlines():
            vector: dict[str, Any] = json.loads(line)
            raw = vector.get("raw_base64") or base64.b64encode(msgspec.json.encode(vector["packet"])).decode()
            asked = {"name": vector["name"], "at": vector["at"], "packet_base64": raw, "trust": vector.get("trust")}
            yield Case(
                name=vector["name"],
                profile=profile,
                question=msgspec.json.encode(asked),
                result=vector["expect"]["result"],
                rules=tuple(vector["expect"]["rules"]),
            )


def judged(asked: list[Case], output: bytes, *, results_only: bool) -> list[Outcome]:
    """What the validator's output comes to, vector by vector."""
    lines = output.splitlines()
    return [
        _outcome(case, lines[number] if number < len(lines) else b"", results_only) for number, case in enumerate(asked)
    ]


def _outcome(case: Case, line: bytes, results_only: bool) -> Outcome:
    if not line or len(line) > LINE_LIMIT:
        return Outcome(case=case, holds=False)
    try:
        said = msgspec.json.decode(line, type=_Answer)
    except (msgspec.DecodeError, RecursionError):
        return Outcome(case=case, holds=False)
    same = said.result == case.result and (results_only or sorted(set(said.rules)) == sorted(set(case.rules)))
    return Outcome(case=case, holds=same, got=f"{said.result}: {', '.join(sorted(set(said.rules)))}".rstrip(": "))


def expected(case: Case) -> str:
    """What had to be said, in a line."""
    return f"{case.result}: {', '.join(sorted(set(case.rules)))}".rstrip(": ")
