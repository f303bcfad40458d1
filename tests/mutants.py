"""Do the tests of the decision bite? Every small change of a deciding file must turn one of them red (spec 1 §10).

`make mutants`, or `python -m tests.mutants admit release`: mutmut's changes of each file, one at a time. A mutant is
loaded in a process of its own in place of the file, and the few tests that judge the file run there until the first is
red. Nothing on the disk is changed, and no decision that is remembered (`admit.decide_door`) hides a mutant.

mutmut 2 makes the changes because it also changes tables, defaults and decorated functions; mutmut 3 changes only the
bodies of plain functions. Survivors are explained in `docs/explanation/mutants.md`.
"""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parent.parent
GATE: Final = ROOT / "src" / "dragoman" / "gate"
ADMISSION: Final = (
    "test_admission.py",
    "test_admit.py",
    "test_decision_space.py::test_the_whole_door_keeps_every_law",
    "test_decision_space.py::test_every_reason_of_the_question_is_reached",
    "test_decision_space.py::test_a_thinned_question_keeps_every_law[101-5]",
)
RELEASE: Final = (
    *("test_release.py", "test_checks.py", "test_release_topics.py", "test_release_parts.py", "test_outgoing.py"),
    *("test_gate.py", "test_parts.py", "test_shadow.py", "test_turn.py"),
)
JUDGES: Final = {
    "admit": ADMISSION,
    "weigh": ADMISSION,
    "release": RELEASE,
    "checks": RELEASE,
    "outgoing": RELEASE,
}
"""File → the tests that ask it directly, the quickest first."""
LEFT_OUT: Final = (
    "test_release_parts.py::test_no_parts_break_a_check",
    "test_turn.py::test_a_long_stream_is_shown_in_ever_larger_steps",
)
"""Slow, and they ask nothing more of these files."""
LOADED_BEFORE: Final = ("pytest", "hypothesis", "anyio", "dragoman.gate.topics", "dragoman.gate.records")
"""What no mutant changes, loaded once."""
QUICK: Final = (
    *("-qq", "-x", "--no-header", "--tb=no", "--assert=plain"),
    *("-p", "no:cacheprovider", "-p", "no:simcord", "-o", "addopts="),
)
SECONDS: Final = 60
KILLED, SURVIVED, NOT_ASKED = 1, 0, 3
"""How a judging process ends; `NOT_ASKED` is a judge that never loaded the file."""


class Mutant(NamedTuple):
    """One small change of one file."""

    number: int
    line: int
    source: str


class _InPlace(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from a text instead of from its file."""

    def __init__(self, name: str, path: Path, source: str) -> None:
        self.name, self.path, self.source, self.loaded = name, path, source, False

    def find_spec(self, fullname: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(fullname, self, origin=str(self.path)) if fullname == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        self.loaded = True
        module.__file__ = str(self.path)
        exec(compile(self.source, str(self.path), "exec"), vars(module))


def mutants(file: str) -> Iterator[Mutant]:
    """Every change that mutmut makes of `file` and that Python reads as other code."""
    from mutmut import Context, list_mutations, mutate

    path = GATE / f"{file}.py"
    source = path.read_text()
    seen = {_code(source)}
    for number, identity in enumerate(list_mutations(Context(source=source, filename=str(path))), 1):
        changed, _ = mutate(Context(source=source, filename=str(path), mutation_id=identity))
        code = _code(changed)
        if code is not None and code not in seen:
            seen.add(code)
            yield Mutant(number, _first_difference(source, changed), changed)


def _code(source: str) -> str | None:
    """The code of a text without its annotations, which nothing evaluates here; None when it is none."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def _first_difference(before: str, after: str) -> int:
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    return next(number for number, (old, new) in enumerate(pairs, 1) if old != new)


def judge(file: str, source: str) -> int:
    """Run the judges of `file` with `source` in its place; ends the process, so call it in a child."""
    import pytest

    name = f"dragoman.gate.{file}"
    assert name not in sys.modules, f"{name} was loaded before its mutant"
    finder = _InPlace(name, GATE / f"{file}.py", source)
    sys.meta_path.insert(0, finder)
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    left_out = [word for test in LEFT_OUT for word in ("--deselect", f"tests/gate/{test}")]
    code = pytest.main([*QUICK, *left_out, *(f"tests/gate/{test}" for test in JUDGES[file])])
    if not finder.loaded:
        return NOT_ASKED
    return SURVIVED if code == 0 else KILLED


def _started(file: str, source: str) -> int:
    child = os.fork()
    if child == 0:
        status = KILLED
        try:
            status = judge(file, source)
        finally:
            os._exit(status)
    return child


def verdicts(file: str, all_of: Sequence[Mutant], workers: int) -> Iterator[tuple[Mutant, str]]:
    """Judge them, `workers` at a time: `killed`, `survived`, or `too slow`."""
    running: dict[int, tuple[Mutant, float]] = {}
    waiting = list(reversed(all_of))
    while waiting or running:
        while waiting and len(running) < workers:
            mutant = waiting.pop()
            running[_started(file, mutant.source)] = (mutant, time.monotonic() + SECONDS)
        child, status = os.waitpid(-1, os.WNOHANG)
        if child == 0:
            for late in [pid for pid, (_, until) in running.items() if time.monotonic() > until]:
                os.kill(late, signal.SIGKILL)
            time.sleep(0.02)
            continue
        mutant, _ = running.pop(child)
        code = os.waitstatus_to_exitcode(status)
        if code == NOT_ASKED:
            raise RuntimeError(f"the judges of {file}.py never load it")
        yield mutant, {SURVIVED: "survived", -signal.SIGKILL: "too slow"}.get(code, "killed")


def main(files: Sequence[str], workers: int = os.cpu_count() or 1) -> int:
    """Judge every mutant of `files`, and print what survives; 1 when a judge is red without any change."""
    sys.path.insert(0, str(ROOT))
    os.chdir(ROOT)
    for name in LOADED_BEFORE:
        importlib.import_module(name)
    for file in files:
        source = (GATE / f"{file}.py").read_text()
        [(_, sound)] = verdicts(file, [Mutant(0, 0, source)], 1)
        if sound != "survived":
            print(f"{file}.py: the judges are red without any change")
            return 1
        counts = {"killed": 0, "too slow": 0, "survived": 0}
        for mutant, verdict in verdicts(file, list(mutants(file)), workers):
            counts[verdict] += 1
            if verdict != "killed":
                changed = mutant.source.splitlines()[mutant.line - 1].strip()
                print(f"{file}.py:{mutant.line} {verdict}: {re.sub(r'  +', ' ', changed)}", flush=True)
        total = sum(counts.values())
        print(
            f"{file}.py: {total} mutants, {counts}, {100 - 100 * counts['survived'] / total:.1f} % killed", flush=True
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(JUDGES)))
