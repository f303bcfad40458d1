"""`dragoman packet conformance`: judge any validator by the published vectors (law: `packets/conformance.py`)."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from typing import IO, Annotated, Any

import msgspec
import typer

from dragoman.cli.output import emit, line
from dragoman.clock import parse_rfc3339
from dragoman.errors import DragomanError, Exit
from dragoman.packets.conformance import Outcome, cases, expected, judged
from dragoman.packets.profiles import BUILT

_OUTPUT_LIMIT = 64 * 1024 * 1024
_QUESTION_LIMIT = 8 * 1024 * 1024
_SHOWN = 20
_LOOK = 0.02

Json = Annotated[bool, typer.Option("--json", help="Write one JSON value.")]


class _Question(msgspec.Struct):
    at: str
    packet_base64: str
    trust: Any = None


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("conformance")(conformance_command)
    app.command("judge")(judge_command)


def conformance_command(
    command: Annotated[str, typer.Option("--command", help="The validator, as a command line; no shell reads it.")],
    profile: Annotated[list[str] | None, typer.Option("--profile", help="Only this profile; may be repeated.")] = None,
    results_only: Annotated[bool, typer.Option("--results-only", help="Compare pass and fail, not rule ids.")] = False,
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="How long it may take.")] = 120,
    as_json: Json = False,
) -> None:
    """Ask a validator about every vector on standard input, and print what held. Exit 1 when one did not."""
    chosen = tuple(profile or BUILT)
    if unknown := [each for each in chosen if each not in BUILT]:
        raise DragomanError(
            "not_found", f"no profile `{unknown[0]}`", where="--profile", fix=f"use one of {', '.join(BUILT)}"
        )
    asked = list(cases(chosen))
    output, ended = _ask(command, b"\n".join(case.question for case in asked) + b"\n", seconds)
    outcomes = judged(asked, output, results_only=results_only)
    failures = [each for each in outcomes if not each.holds]
    if as_json:
        emit(_summary(outcomes, failures, ended, results_only))
    else:
        _table(chosen, outcomes, failures, ended)
    if failures or ended:
        raise typer.Exit(Exit.FAILED_CHECK)


def judge_command() -> None:
    """The validator of this house, as `conformance` asks it: a line in, a line out."""
    import base64
    import sys

    from dragoman.packets.signature import read_trust
    from dragoman.packets.validate import validate

    for number, question in enumerate(iter(lambda: sys.stdin.buffer.readline(_QUESTION_LIMIT), b""), start=1):
        try:
            asked = msgspec.json.decode(question, type=_Question)
            trust = None if asked.trust is None else read_trust(msgspec.json.encode(asked.trust))
            raw, now = base64.b64decode(asked.packet_base64, validate=True), parse_rfc3339(asked.at)
        except (DragomanError, ValueError, RecursionError) as error:
            fix = "ask as `dragoman packet conformance` does: a JSON line with `at`, `packet_base64` and `trust`"
            raise DragomanError("input_invalid", "is no question", where=f"line {number}", fix=fix) from error
        verdict = validate(raw, now=now, trust=trust)
        emit({"result": verdict.result, "rules": verdict.rules})


def _ask(command: str, questions: bytes, seconds: float) -> tuple[bytes, str]:
    """The command's output, and how it ended badly (empty when it did not)."""
    fix = "name a program and its arguments"
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise DragomanError("usage", f"cannot run it: {error}", where="--command", fix=fix) from None
    if not argv:
        raise DragomanError("usage", "is empty", where="--command", fix=fix)
    try:
        with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as output:
            asked.write(questions)
            asked.seek(0)
            with subprocess.Popen(argv, stdin=asked, stdout=output, start_new_session=True) as process:
                ended = _finished(process, output, seconds)
            output.seek(0)
            return output.read(_OUTPUT_LIMIT), ended
    except OSError as error:
        detail = f"cannot run it: {error.strerror}"
        raise DragomanError("usage", detail, where="--command", fix=fix) from None


def _finished(process: subprocess.Popen[bytes], output: IO[bytes], seconds: float) -> str:
    """Wait until it ends, but neither longer nor for more than is allowed; all that it started ends with it."""
    try:
        for _ in range(int(seconds / _LOOK)):
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = process.wait(_LOOK)
                return "" if code == 0 else f"ended with exit code {code}"
            if os.fstat(output.fileno()).st_size > _OUTPUT_LIMIT:
                return f"wrote more than {_OUTPUT_LIMIT} bytes"
        return f"did not end within {seconds:.0f} s"
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _summary(
    outcomes: Sequence[Outcome], failures: Sequence[Outcome], ended: str, results_only: bool
) -> dict[str, Any]:
    return {
        "result": "fail" if failures or ended else "pass",
        "compared": "results" if results_only else "results and rules",
        "ended": ended,
        "summary": {
            "total": len(outcomes),
            "passed": len(outcomes) - len(failures),
            "failed": len(failures),
            "skipped": 0,
        },
        "failures": [
            {"profile": each.case.profile, "vector": each.case.name, "expected": expected(each.case), "got": each.got}
            for each in failures
        ],
    }


def _table(chosen: Sequence[str], outcomes: Sequence[Outcome], failures: Sequence[Outcome], ended: str) -> None:
    line(f"{'profile':32} {'vectors':>8} {'held':>6} {'failed':>7}")
    for profile in chosen:
        mine = [each for each in outcomes if each.case.profile == profile]
        held = sum(each.holds for each in mine)
        line(f"{profile:32} {len(mine):>8} {held:>6} {len(mine) - held:>7}")
    for each in failures[:_SHOWN]:
        got = each.got or "no answer of the form that is asked for"
        line(f"{each.case.profile} {each.case.name}: expected {expected(each.case)}; got {got}")
    if len(failures) > _SHOWN:
        line(f"… {len(failures) - _SHOWN} more; see --json")
    if ended:
        line(f"the validator {ended}")
    line("fail" if failures or ended else "pass")
