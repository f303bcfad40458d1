"""The vectors judge any validator: ours holds, and each way of being wrong is found."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dragoman.packets.conformance import cases, judged
from dragoman.packets.profiles import BUILT
from tests.packets.test_cli_packet import run

OURS = f"{sys.executable} -m dragoman.cli.main packet judge"

WRONG = {
    "passes everything": 'print(\'{"result": "pass", "rules": []}\')',
    "fails everything": 'print(\'{"result": "fail", "rules": []}\')',
    "says nothing": "pass",
    "says no JSON": "print('pass')",
    "says another shape": "print('[]')",
    "stops half way": "import sys; sys.exit(3)",
}
"""What a wrong validator does with each line."""


def asked(tmp_path: Path, body: str, *words: str) -> tuple[int, dict[str, object]]:
    """`packet conformance` over a validator that runs `body` for each line."""
    program = tmp_path / "validator.py"
    program.write_text(f"import sys\nfor line in sys.stdin:\n    {body}\n")
    command = shlex.join([sys.executable, str(program)])
    code, text = run("conformance", "--command", command, "--profile", BUILT[0], "--json", *words)
    return code, json.loads(text)


def test_our_own_validator_holds() -> None:
    """Every vector of every profile, through standard input and output."""
    code, text = run("conformance", "--command", OURS, "--json")
    said = json.loads(text)

    assert (0, "pass", []) == (code, said["result"], said["failures"])
    assert said["summary"]["total"] == said["summary"]["passed"] == len(list(cases()))


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_validator_is_found(tmp_path: Path, name: str) -> None:
    """It fails, and what it said stands beside what had to be said."""
    code, said = asked(tmp_path, WRONG[name])

    assert (1, "fail") == (code, said["result"])
    assert said["failures"]


def test_other_names_for_the_rules(tmp_path: Path) -> None:
    """A validator with rule ids of its own is judged by its results alone, when that is said."""
    body = (
        "import json, subprocess; from dragoman.packets.validate import validate; import base64; "
        "from dragoman.clock import parse_rfc3339; from dragoman.packets.signature import read_trust; "
        "q = json.loads(line); t = q['trust'] and read_trust(json.dumps(q['trust']).encode()); "
        "v = validate(base64.b64decode(q['packet_base64']), now=parse_rfc3339(q['at']), trust=t or None); "
        "print(json.dumps({'result': v.result, 'rules': ['E1' for _ in v.rules]}), flush=True)"
    )
    strict, loose = asked(tmp_path, body), asked(tmp_path, body, "--results-only")

    assert (1, 0) == (strict[0], loose[0])
    assert ("results and rules", "results") == (strict[1]["compared"], loose[1]["compared"])


def test_a_validator_that_hangs(tmp_path: Path) -> None:
    """It is ended, and everything it did not say has failed."""
    code, said = asked(tmp_path, "import time; time.sleep(60)", "--seconds", "1")

    assert (1, "did not end within 1 s") == (code, said["ended"])


@pytest.mark.parametrize("command", ["", "no-such-program-here", "'"])
def test_what_cannot_be_run(command: str) -> None:
    """Bad input, not a failed check."""
    assert (2, "usage") == run("conformance", "--command", command)


def test_too_many_lines_do_not_help() -> None:
    """Only the first line for each vector counts."""
    questions = list(cases((BUILT[0],)))[:2]
    output = b'{"result":"pass","rules":[]}\n' * 9

    assert [True, True] == [each.holds for each in judged(questions, output, results_only=False)]


def test_a_validator_without_end(tmp_path: Path) -> None:
    """What writes and writes is ended before it fills the disk, with all that it started."""
    late = tmp_path / "late"
    child = f"import subprocess; subprocess.Popen(['sh', '-c', 'sleep 2; touch {late}'])"
    body = child + "\n    while True: print('x' * 99999)"
    code, said = asked(tmp_path, body)
    time.sleep(2.5)

    assert (1, True) == (code, str(said["ended"]).startswith("wrote more than"))
    assert not late.exists()


@pytest.mark.parametrize("line", ["hello", "{}", '{"at": "x", "packet_base64": ""}', '{"at": 1}', "[" * 9_999])
def test_our_own_validator_is_asked_wrongly(line: str) -> None:
    """What is no question has no answer, and says which line it was."""
    good = json.dumps({"at": "2026-10-06T09:00:00Z", "packet_base64": "e30="})
    done = subprocess.run(
        shlex.split(OURS), input=f"{good}\n{line}\n", capture_output=True, text=True, timeout=60, check=False
    )

    assert (2, 1) == (done.returncode, done.stdout.count("\n"))
    assert "line 2" in done.stderr
