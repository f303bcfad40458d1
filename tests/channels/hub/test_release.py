"""A release is known by the content of its files, and a receiver looks itself up in what its hub publishes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dragoman
from dragoman import wire
from dragoman.channels.hub.release import release
from tests.hub_process import running_hub
from tests.receiver.world import World

SHOW = "import json; from dragoman.channels.hub.release import release; print(release().sha256)"


def of_copy(folder: Path) -> str:
    """The hash that a copy of the package has of itself."""
    done = subprocess.run(
        [sys.executable, "-B", "-c", SHOW], env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_the_hash_is_of_the_files(tmp_path: Path) -> None:
    """A copy elsewhere is the same release; one changed line, or one file more, is another."""
    package = Path(dragoman.__file__).parent
    shutil.copytree(package, tmp_path / "dragoman", ignore=shutil.ignore_patterns("__pycache__"))
    assert release().sha256 == of_copy(tmp_path)

    with (tmp_path / "dragoman" / "words.py").open("a") as file:
        file.write("\n")
    changed = of_copy(tmp_path)
    (tmp_path / "dragoman" / "more.py").write_text("")

    assert len({release().sha256, changed, of_copy(tmp_path)}) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("published", "minimum", "state", "finding"),
    [
        (None, "", "ok", "release_published"),
        ([wire.ClientRelease(version="9.9", sha256="0" * 64)], "", "note", "release_other"),
        ([], "999.0", "blocker", "client_too_old"),
    ],
    ids=["the hub's own", "another", "too old"],
)
def test_doctor_looks_itself_up(
    tmp_path: Path, published: list[wire.ClientRelease] | None, minimum: str, state: str, finding: str
) -> None:
    """What the hub publishes is compared with what runs."""
    options = ["--minimum-client-version", minimum] if minimum else []
    if published is not None:
        listed = tmp_path / "releases.json"
        listed.write_text(json.dumps([{"version": each.version, "sha256": each.sha256} for each in published]))
        options += ["--client-releases", str(listed)]
    with running_hub(tmp_path, *options) as hub:
        world = World(tmp_path / "world", hub.url)
        checks = json.loads(world.command("doctor").stdout)["checks"]

    assert state in [each["state"] for each in checks if each["finding"] == finding]
