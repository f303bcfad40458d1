"""The vectors are of no language: a validator in JavaScript, of the schemas alone, passes their schema part."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from dragoman.packets.conformance import Case, cases
from dragoman.packets.profiles import profiles

ROOT = Path(__file__).parents[2]
SERVERS = ROOT / ".servers"
SHAPE = {"schema_violation"}


def schema_part() -> list[Case]:
    """Keyed packets without a trust list that pass, or that fail their schema and nothing else."""
    return [
        case
        for case in cases()
        if not case.name.startswith("keyless")
        and json.loads(case.question)["trust"] is None
        and (case.result == "pass" or set(case.rules) == SHAPE)
    ]


def test_the_example_validator(tmp_path: Path) -> None:
    """`examples/packets/validate.mjs` (node, ajv) says of each what it must."""
    if not (SERVERS / "node_modules" / "ajv").exists() or shutil.which("node") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("node or ajv is missing: `make test` installs ajv")
        pytest.skip("needs node, and ajv as `make test` installs it")
    for chosen in profiles():
        (tmp_path / f"{chosen.id}.json").write_text(json.dumps(chosen.schema))
    asked = schema_part()
    done = subprocess.run(
        ["node", str(ROOT / "examples" / "packets" / "validate.mjs"), str(tmp_path)],
        input=b"\n".join(case.question for case in asked) + b"\n",
        capture_output=True,
        cwd=SERVERS,
        timeout=60,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]

    assert len(asked) > 200
    assert [(case.profile, case.name, case.result) for case in asked] == [
        (case.profile, case.name, answer["result"]) for case, answer in zip(asked, answers, strict=True)
    ]
