"""One validator, many doors: the library, the command line, the hub, the Action and the hook give one verdict."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest
import yaml

from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.keys import create_key
from dragoman.clock import SystemClock
from dragoman.packets import validate
from tests import born
from tests.hub_process import running_hub
from tests.packets.material import Vector, vectors

ROOT = Path(__file__).parents[2]
CHOSEN = [each for each in vectors() if each.trust is None][::40]
"""Every fortieth vector: whole and broken ones of every profile."""


def by_library(vector: Vector) -> dict[str, Any]:
    """`dragoman.packets.validate`, written as JSON."""
    found: dict[str, Any] = json.loads(msgspec.json.encode(validate(vector.raw, now=SystemClock().now())))
    return found


def by_command(vector: Vector) -> bytes:
    """`dragoman packet validate --json -`."""
    words = [sys.executable, "-m", "dragoman.cli.main", "packet", "validate", "--json", "-"]
    return born.run(words, input=vector.raw, capture_output=True, check=False).stdout


@pytest.mark.anyio
async def test_the_same_verdict_to_the_byte(tmp_path: Path) -> None:
    """Judged now: what the hub answers is what the command prints, and holds what the library says."""
    with running_hub(tmp_path) as hub:
        key = create_key(tmp_path / "us.key")
        async with HubClient(hub.url, key, SystemClock()) as client:
            await client.register()
            token = (await client.log_in()).token
            head = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            async with httpx2.AsyncClient(base_url=hub.url, headers=head) as http:
                for vector in CHOSEN:
                    answer = await http.post("/api/v1/packets/validate", content=vector.raw)
                    printed = by_command(vector)
                    assert printed.strip() == answer.content.strip(), vector.name
                    (only,) = json.loads(printed)["packets"]
                    assert {"path": "-", **by_library(vector)} == only, vector.name


@pytest.mark.parametrize("fails", [False, True])
def test_the_action_runs(tmp_path: Path, fails: bool) -> None:
    """The script of `action.yml`, with its inputs as environment: exit code and annotations of `--format github`."""
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    vector = next(each for each in vectors() if each.name == ("undeclared_field" if fails else "example"))
    (tmp_path / "a.packet.json").write_bytes(vector.raw)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PATHS": "*.packet.json",
        "TRUST": "",
        "AT": vector.at,
    }
    script = ["bash", "-e", "-o", "pipefail", "-c", steps[1]["run"]]
    done = subprocess.run(script, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert (int(fails), fails) == (done.returncode, done.stdout.startswith("::error file=a.packet.json,"))


def test_the_hook_names_a_command_that_is_there() -> None:
    """`.pre-commit-hooks.yaml`: an id, files by a pattern, and an entry that runs."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    program, *words = hook["entry"].split()
    done = subprocess.run(
        [str(Path(sys.executable).parent / program), *words, "--help"], capture_output=True, text=True, check=True
    )

    assert "packet-validate" == hook["id"]
    assert "PATH..." in done.stdout


def test_the_action_fits_what_github_reads() -> None:
    """`action.yml` by the schema of composite actions, as check-jsonschema carries it."""
    tool = Path(sys.executable).parent / "check-jsonschema"
    words = [str(tool), "--builtin-schema", "vendor.github-actions", str(ROOT / "action.yml")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)

    assert (0, "ok -- validation done") == (done.returncode, done.stdout.strip())


@pytest.mark.slow
def test_the_hook_in_pre_commit(tmp_path: Path) -> None:
    """pre-commit itself takes the hook from this repository as committed, installs it, and refuses a commit with broken
    packets; a file of another name is left alone."""
    whole = next(each for each in vectors() if each.name == "example")
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.packet.json").write_bytes(whole.raw.replace(b'"msg-0001"', b'"no id"'))
    (work / "b.packet.json").write_bytes(b"{}")
    (work / "c.json").write_bytes(b"{}")
    project = tmp_path / "project"
    for words in (["init", "--quiet", "."], ["add", "."], ["clone", "--quiet", str(ROOT), str(project)]):
        subprocess.run(["git", *words], cwd=work, check=True)
    tool = str(Path(sys.executable).parent / "pre-commit")
    done = subprocess.run(
        [tool, "try-repo", str(project), "packet-validate", "--all-files"],
        cwd=work,
        env={**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "hooks")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert 1 == done.returncode, done.stdout + done.stderr
    assert "failure schema_violation at /message_id" in done.stdout
    assert "b.packet.json: fail" in done.stdout
    assert "c.json" not in done.stdout
