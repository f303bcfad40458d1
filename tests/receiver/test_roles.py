"""Many roles in one process: what one meets stops no other, its owner is told, and none is forgotten at the end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dragoman.channels.hub.client import HubClient
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError
from dragoman.receiver.roles import Role, roles_in
from tests import born
from tests.hub_process import HubProcess
from tests.receiver.world import World, until

pytestmark = pytest.mark.slow


class Process:
    """`dragoman run --roles`, and every line it has said."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.lines: list[dict[str, Any]] = []
        command = [sys.executable, "-m", "dragoman.cli.main", "run", "--roles", str(folder), "--json", *options]
        self._process = born.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(json.loads(line))

    def running(self) -> set[str]:
        """The roles that have said that they work."""
        return {line["role"] for line in self.lines if line.get("running") is True}

    def ended(self) -> dict[str, str]:
        """The newest code of every role that ended."""
        return {line["role"]: line["ended"] for line in self.lines if "ended" in line}

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it; its exit code."""
        self._process.send_signal(number)
        code = self._process.wait(30)
        self._reader.join()
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()
        return code


@contextmanager
def hosted(folder: Path, *options: str) -> Iterator[Process]:
    """A process over a roles folder, killed at the end if it still lives."""
    process = Process(folder, *options)
    try:
        yield process
    finally:
        if process._process.poll() is None:
            process.stop(signal.SIGKILL)


def cli(*words: str) -> subprocess.CompletedProcess[str]:
    """One command line."""
    return born.run(
        [sys.executable, "-m", "dragoman.cli.main", *words], capture_output=True, text=True, timeout=90, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty private roles folder."""
    found = tmp_path / "roles"
    found.mkdir(mode=0o700)
    return found


def role(folder: Path, name: str, hub: HubProcess) -> World:
    """A role of the folder, with a peer and a contact of its own."""
    world = World(folder / name, hub.url)
    world.answers(f"This is {name}.")
    return world


def test_a_folder_names_its_roles(folder: Path) -> None:
    """Sub-folders are roles, whatever they hold; files and names with a dot are none. Two configurations are none."""
    for name in ("zoe", "anna", ".trash"):
        (folder / name).mkdir()
    (folder / "notes.txt").touch()
    (folder / "anna" / "dragoman.json").touch()

    assert [Role("anna", folder / "anna"), Role("zoe", folder / "zoe")] == roles_in(folder)
    assert folder / "anna" / "dragoman.json" == roles_in(folder)[0].config()
    assert folder / "zoe" / "dragoman.toml" == roles_in(folder)[1].config()
    (folder / "anna" / "dragoman.toml").touch()
    with pytest.raises(DragomanError, match="config_invalid"):
        roles_in(folder)[0].config()


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda folder: None, "config_missing"),
        (lambda folder: folder.mkdir(mode=0o700), "config_missing"),
        (lambda folder: (folder / "anna").mkdir(parents=True), "config_not_private"),
    ],
    ids=["no folder", "no roles", "open to others"],
)
def test_a_folder_that_cannot_be_used(tmp_path: Path, make: Any, code: str) -> None:
    """It is refused with a code before anything is opened."""
    make(tmp_path / "roles")

    with pytest.raises(DragomanError) as error:
        roles_in(tmp_path / "roles")
    assert code == error.value.code


@pytest.mark.parametrize("command", ["run", "once", "status", "doctor"])
def test_one_of_both_is_named(command: str, folder: Path) -> None:
    """A configuration or a folder of them, never both, never neither."""
    both = ["--config", "a.toml", "--roles", str(folder)]
    for words in ([], both, *([["--config", "a.toml", "--at-once", "3"]] if command in ("run", "once") else [])):
        done = cli(command, *words, "--json")
        assert (2, "usage") == (done.returncode, json.loads(done.stdout)["error"]["code"])


def test_what_one_role_meets_stops_no_other(folder: Path, hub: HubProcess) -> None:
    """A broken file, an unreadable key, a role the hub does not know, a copied folder: the others answer; each is told
    in the status, and to its owner where a notifier is known; what is mended goes on by itself."""
    well, other = role(folder, "anna", hub), role(folder, "otto", hub)
    keyless, unknown = role(folder, "kim", hub), role(folder, "udo", hub)
    (folder / "bea").mkdir(mode=0o700)
    (folder / "bea" / "dragoman.json").write_text("{")
    (folder / "bea" / "dragoman.json").chmod(0o600)
    (keyless.folder / "us.key").chmod(0o644)
    (unknown.folder / "us.key").unlink()
    from dragoman.channels.hub.keys import create_key

    unknown.key = create_key(unknown.folder / "us.key")
    unknown.write()
    copied = folder / "otto-copy"
    copied.mkdir(mode=0o700)
    for name in ("dragoman.json", "us.key", "handler.py", "notifier.py"):
        (copied / name).write_bytes((other.folder / name).read_bytes())
        (copied / name).chmod(0o600)
    with hosted(folder) as process:
        for world in (well, other):
            world.peer_says("Who is this?")
        assert until(lambda: well.texts() == ["This is anna."] and other.texts() == ["This is otto."], 30)
        bad = {"bea": "config_invalid", "kim": "key_invalid", "otto-copy": "state_locked", "udo": "hub_refused"}
        assert until(lambda: process.ended().items() >= bad.items()), process.lines
        assert {"anna", "otto"} == process.running()
        assert until(lambda: bool(keyless.told()) and bool(unknown.told()))
        (kim,), (udo,) = keyless.told(), unknown.told()
        assert ("decision_needed", True) == (kim["milestone"], "`key_invalid`" in kim["summary"])
        assert "`hub_refused`" in udo["summary"]

        stands = {
            each["role"]: each for each in json.loads(cli("status", "--roles", str(folder), "--json").stdout)["roles"]
        }
        assert "config_invalid" == stands["bea"]["error"]["code"]
        assert ["key_invalid", "hub_refused"] == [stands[name]["status"]["ended"]["code"] for name in ("kim", "udo")]
        assert [None, False] == [stands["anna"]["status"]["ended"], stands["anna"]["needs_owner"]]
        assert "key_invalid" in keyless.command("status", json=False).stdout.splitlines()[0]

        (keyless.folder / "us.key").chmod(0o600)
        assert until(lambda: "kim" in process.running(), 30), process.lines
        assert 1 == len(keyless.told())
        assert 0 == process.stop()
    assert {"stopped": "run"} == process.lines[-1]


def test_a_takeover_and_a_changed_scope_are_one_roles_own(folder: Path, hub: HubProcess) -> None:
    """One role's scope is changed under its grant id, another role is taken over elsewhere: each owner is told once, a
    third goes on, and the taken one does not come back by itself."""
    changed, taken, well = (role(folder, name, hub) for name in ("cara", "tom", "will"))
    with hosted(folder) as process:
        assert until(lambda: process.running() == {"cara", "tom", "will"}, 30), process.lines
        changed.write(autonomy__max_turns_per_contact=50)

        async def take_over() -> None:
            async with HubClient(hub.url, taken.key, SystemClock(), instance_id="ins_" + "e" * 32) as client:
                await client.log_in(takeover=True)

        asyncio.run(take_over())
        taken.peer_says("Hello?")
        changed.peer_says("Hello?")
        assert until(lambda: process.ended().get("tom") in ("generation_changed", "not_ready"), 40), process.lines
        assert until(lambda: any(line.get("waiting") == "grant_changed" for line in process.lines), 40)
        well.peer_says("Who is this?")
        assert until(lambda: well.texts() == ["This is will."], 30)
        assert until(lambda: process.ended().get("tom") == "not_ready", 30), process.lines
        assert until(lambda: len(taken.told()) == 1 and len(changed.told()) == 1)
        assert [[], []] == [taken.texts(), changed.texts()]
        assert [[], []] == [taken.calls(), changed.calls()]
        assert 0 == process.stop()
    assert 1 == len(taken.told())


def test_roles_come_and_go_while_it_runs(folder: Path, hub: HubProcess) -> None:
    """A new folder is served within seconds; one that is moved away ends, and its state is free again."""
    role(folder, "anna", hub)
    with hosted(folder) as process:
        assert until(lambda: process.running() == {"anna"}, 30)
        new = role(folder, "nora", hub)
        new.peer_says("Who is this?")
        assert until(lambda: new.texts() == ["This is nora."], 40), process.lines
        os.rename(folder / "anna", folder / ".anna")
        os.rename(folder / "nora", folder / ".nora")
        anna = str(folder / ".anna" / "dragoman.json")
        assert "state_locked" in cli("once", "--config", anna, "--json").stdout
        assert until(lambda: "state_locked" not in cli("once", "--config", anna, "--json").stdout, 40)
        assert 0 == process.stop()


HANDLER = """
import json, pathlib, sys, time
here = pathlib.Path(__file__).parent
asked = json.load(sys.stdin)
began = time.time()
time.sleep(0.6)
(here / "ran").write_text(json.dumps([began, time.time()]))
print(json.dumps({"schema_version": 1, "action": "reply", "message": "This is " + here.name + "."}))
"""


def test_handlers_of_all_roles_together_are_bounded(folder: Path, hub: HubProcess) -> None:
    """Six roles are asked at once with room for two handlers: never more than two run, and all are answered."""
    worlds = [role(folder, name, hub) for name in ("anna", "bert", "cleo", "dora", "emil", "finn")]
    for world in worlds:
        world.handler.write_text(HANDLER)
        world.peer_says("Are you there?")
    with hosted(folder, "--at-once", "2") as process:
        assert until(lambda: all(world.texts() for world in worlds), 60), process.lines
        assert 0 == process.stop()

    spans = sorted(tuple(json.loads((world.folder / "ran").read_text())) for world in worlds)
    assert max(sum(one[0] <= began < one[1] for one in spans) for began, _ in spans) == 2


def test_a_stop_ends_every_role_in_time(folder: Path, hub: HubProcess) -> None:
    """One role's handler hangs and a folder is broken: SIGTERM still ends all within the grace, and nothing is lost."""
    hanging, well = role(folder, "hal", hub), role(folder, "will", hub)
    hanging.answers("Later.", sleep=60)
    (folder / "bad").mkdir(mode=0o700)
    hanging.peer_says("Are you there?")
    with hosted(folder) as process:
        assert until(lambda: len(hanging.calls()) == 1 and "will" in process.running(), 30), process.lines
        began = time.monotonic()
        assert 0 == process.stop()
        assert time.monotonic() - began < 12
    assert {"stopped": "run"} == process.lines[-1]
    assert [0, 0] == [cli("once", "--config", str(each.config), "--json").returncode for each in (well,) * 2]
    assert hanging.unacked()


def test_once_lives_one_cycle_of_every_role(folder: Path, hub: HubProcess) -> None:
    """What each fetched and sent, and the error of one beside it; the exit code says that something is wrong."""
    well = role(folder, "will", hub)
    (folder / "bad").mkdir(mode=0o700)
    well.peer_says("Who is this?")
    done = cli("once", "--roles", str(folder), "--json")

    first, second = map(json.loads, done.stdout.splitlines())
    assert ["bad", "config_missing"] == [first["roles"][0]["role"], first["roles"][0]["error"]["code"]]
    assert {"role": "will", "fetched": 1, "sent": 1, "errors": []} == first["roles"][1]
    assert (3, "not_ready", "bad") == (done.returncode, second["error"]["code"], second["error"]["detail"])
    assert ["This is will."] == well.texts()


def test_doctor_and_status_for_people(folder: Path, hub: HubProcess) -> None:
    """Both name every role, the one that needs its owner first, in both languages."""
    well = role(folder, "will", hub)
    (folder / "zed").mkdir(mode=0o700)
    assert [] == well.cycle()

    checked = json.loads(cli("doctor", "--roles", str(folder), "--json").stdout)
    assert [False, ["will", "zed"]] == [checked["ready"], [each["role"] for each in checked["roles"]]]
    assert [True, False] == [each["ready"] for each in checked["roles"]]
    lines = cli("status", "--roles", str(folder), "--lang", "en").stdout.splitlines()
    assert "Roles: 2; in need of you: 1" == lines[0]
    assert lines[1].startswith("  zed: config_missing: ")
    assert "  will: waits for you: 0; conversations: 1, stopped: 0; today 0/80" == lines[-1]
    assert "角色：2；需要您处理：1" == cli("status", "--roles", str(folder), "--lang", "zh").stdout.splitlines()[0]
