"""The worked examples: each one is read by the strict loader as it stands, and a probe of it works."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.agents.test_openai import Stub, completion
from tests.agents.test_openai import model as model  # fixtures
from tests.agents.test_openai import stub as stub

from dragoman.receiver.config import load_config, parse_config

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "agents"
NAMES = sorted(folder.name for folder in EXAMPLES.iterdir())
PAGE = (ROOT / "docs" / "how-to" / "agents.md").read_text()
READY = '{"schema_version":1,"action":"completed","owner_summary":"ready"}'
STAND_IN = f'"{sys.executable}", "{Path(__file__).parent / "stand_ins" / "host.py"}"'


@pytest.mark.parametrize("name", NAMES)
def test_the_example_is_read_and_on_the_page(name: str) -> None:
    """The strict loader finds nothing to say, and the page leads to it."""
    file, problems = parse_config((EXAMPLES / name / "dragoman.toml").read_bytes(), toml=True)

    assert [] == problems
    assert file is not None
    assert f"examples/agents/{name}/dragoman.toml" in PAGE


def test_every_way_has_an_example() -> None:
    """One folder for each way to an agent."""
    assert ["claude-code", "codex", "command", "local", "openai"] == NAMES


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A private folder for a copy."""
    tmp_path.chmod(0o700)
    return tmp_path


def probed(name: str, mine: Path, *changes: tuple[str, str]) -> str:
    """The first line that `dragoman probe` says of a copy in which paths and addresses are those of this machine."""
    shutil.copytree(EXAMPLES / name, mine / name)
    config = mine / name / "dragoman.toml"
    text = config.read_text()
    for pattern, put in changes:
        text, times = re.subn(pattern, lambda _, put=put: put, text)  # type: ignore[misc]
        assert times == 1, pattern
    config.write_text(text)
    for key in re.findall(r'api_key_file = "(.*)"', text):
        (config.parent / key).write_text("sk-nobodys-0123456789")
    for path in (config.parent, *config.parent.iterdir()):
        path.chmod(0o700 if path.is_dir() else 0o600)
    load_config(config)
    argv = [sys.executable, "-m", "dragoman.cli", "probe", "--config", str(config)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=100, env=dict(os.environ), check=False)

    assert 0 == done.returncode, done.stderr
    return done.stdout.splitlines()[0]


def test_a_command(mine: Path) -> None:
    """The handler of the example answers its probe."""
    paths = (r'"/usr/bin/python3", ".*"', f'"{sys.executable}", "{mine / "command" / "handler.py"}"')

    assert "handler: ready" == probed("command", mine, paths)


def test_the_handler_of_the_command(mine: Path) -> None:
    """It answers from the record, and asks about what the record does not hold."""
    asked = {
        "probe": False,
        "record": ["Opening hours are 9:00 to 17:00."],
        "messages": [{"text": "Your opening hours?"}],
    }
    said = []
    for question in (asked, asked | {"messages": [{"text": "What does a shelf cost?"}]}):
        argv = [sys.executable, EXAMPLES / "command" / "handler.py"]
        done = subprocess.run(argv, input=json.dumps(question), capture_output=True, text=True, timeout=20, check=True)
        said.append(json.loads(done.stdout)["action"])

    assert ["reply", "waiting_owner"] == said


def test_an_openai_endpoint(mine: Path, stub: Stub) -> None:
    """A server of that API is asked once, with the key of the file."""
    stub.payload = completion(READY)

    assert "handler: ready" == probed("openai", mine, (r'base_url = ".*"', f'base_url = "{stub.url}"'))
    assert ["Bearer sk-nobodys-0123456789"] == [headers["authorization"] for headers, _ in stub.seen]


@pytest.mark.parametrize(("name", "host"), [("claude-code", "claude_code"), ("codex", "codex")])
def test_a_host_cli(name: str, host: str, mine: Path) -> None:
    """The stand-in, which refuses to be started in any other way than a handler may be, answers its probe."""
    command = (r"command = \[.*\]", f'command = [{STAND_IN}, "{host}", "reply"]')

    assert "handler: ready" == probed(name, mine, command)


@pytest.mark.model
def test_the_local_model(mine: Path, model: str) -> None:
    """The demo's model answers its probe, through the shipped handler."""
    said = probed(
        "local", mine, (r'"/usr/bin/python3"', f'"{sys.executable}"'), (r'"http://127\.0\.0\.1:8300"', f'"{model}"')
    )

    assert said.startswith("handler: self-check: the model answered")
