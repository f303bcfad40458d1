"""A backup is whole and private, a restore overwrites nothing and refunds nothing."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import DragomanError
from dragoman.receiver.backup import judge, restore, take
from tests.receiver.world import World, until

pytestmark = pytest.mark.slow
NOW = 1_790_000_000_000


@pytest.fixture
def used(world: World) -> World:
    """A receiver that has answered one message of three."""
    world.write(autonomy__max_turns_per_contact=3)
    world.peer_says("Can we meet?")
    world.cycle()
    assert 1 == turns(world)
    return world


def turns(world: World) -> int:
    """How many turns the ledger says were used."""
    used: int = world.stands()["autonomy"][0]["turns_used"]
    return used


def answer(world: World, *words: str, code: int = 0) -> dict[str, Any]:
    """What a command says to a machine."""
    done = world.command(*words)
    assert (code, "") == (done.returncode, done.stderr), done.stdout
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def refused(error: dict[str, Any]) -> str:
    """The code of a refusal that says how to go on."""
    assert error["error"]["fix"]
    return str(error["error"]["code"])


def test_it_is_private_whole_and_without_the_key(used: World) -> None:
    """0600, every part with its hash, nothing left beside it; the role key only when asked for."""
    out, with_key = used.folder / "b.tar", used.folder / "k.tar"
    taken = answer(used, "backup", "--out", str(out))
    answer(used, "backup", "--out", str(with_key), "--with-key")

    assert ["config", "high-water.json", "journal.key", "checkpoint.key", "ledger.db"] == taken["parts"]
    assert [0o600, 0o600] == [stat.S_IMODE(path.stat().st_mode) for path in (out, with_key)]
    key = (used.folder / "us.key").read_bytes()
    assert (False, True) == tuple(key in path.read_bytes() for path in (out, with_key))
    assert [] == [path.name for path in used.folder.iterdir() if path.name.startswith("b.tar.")]
    with tarfile.open(out) as archive:
        manifest = json.load(archive.extractfile("manifest.json"))  # type: ignore[arg-type]
        for part in manifest["parts"]:
            body = archive.extractfile(part["name"]).read()  # type: ignore[union-attr]
            assert (part["bytes"], part["sha256"]) == (len(body), hashlib.sha256(body).hexdigest())


def test_nothing_is_overwritten(used: World) -> None:
    """Neither another backup nor a state that is there."""
    out = used.folder / "b.tar"
    answer(used, "backup", "--out", str(out))
    before = out.read_bytes()

    assert "conflict" == refused(answer(used, "backup", "--out", str(out), code=2))
    assert "conflict" == refused(answer(used, "restore", "--from", str(out), code=2))
    assert before == out.read_bytes()


def test_it_is_taken_while_the_receiver_works(used: World) -> None:
    """Beside a turn in flight: the copy is a whole ledger, the receiver goes on and answers."""
    used.answers("Yes, we can meet.", sleep=2)
    used.peer_says("And where?")
    process = used.running()
    assert until(lambda: len(used.calls()) == 2)
    answer(used, "backup", "--out", str(used.folder / "b.tar"))
    assert until(lambda: len(used.texts()) == 2)
    assert "state_locked" == refused(answer(used, "restore", "--from", str(used.folder / "b.tar"), code=3))
    process.terminate()
    process.communicate(timeout=60)

    with tarfile.open(used.folder / "b.tar") as archive:
        archive.extract("ledger.db", used.folder / "copy", filter="data")
    judge(used.folder / "copy" / "ledger.db")


def test_a_state_that_is_not_older_goes_on(used: World) -> None:
    """Folder lost, backup put back: everything charged is charged, the next message is answered."""
    answer(used, "backup", "--out", str(used.folder / "b.tar"))
    shutil.rmtree(used.folder / "state")
    assert "ledger_missing" == refused(answer(used, "once", code=3))

    assert answer(used, "restore", "--from", str(used.folder / "b.tar"))["older"] is False
    used.peer_says("And where?")
    used.cycle()
    assert (2, 2) == (turns(used), len(used.texts()))
    state = used.folder / "state"
    assert (0o700, 0o600) == (stat.S_IMODE(state.stat().st_mode), stat.S_IMODE((state / "ledger.db").stat().st_mode))


def test_an_older_state_refunds_nothing(used: World) -> None:
    """Backup, one more turn, restore: the receiver stops with the blocker, `doctor` says so, the handler is not called;
    a new grant of the owner goes on, and the used grant stays barred from this state."""
    answer(used, "backup", "--out", str(used.folder / "b.tar"))
    used.peer_says("And where?")
    used.cycle()
    shutil.move(used.folder / "state", used.folder / "newer")
    assert answer(used, "restore", "--from", str(used.folder / "b.tar"))["older"] is True
    used.peer_says("Are you there?")

    assert "ledger_missing" == refused(answer(used, "once", code=3))
    blockers = answer(used, "doctor", code=3)["blockers"]
    assert ["ledger_missing"] == [each["code"] for each in blockers]
    assert 2 == len(used.calls())

    used.write(autonomy__grant_id="grant-new1", autonomy__max_turns_per_contact=9)
    used.cycle()
    assert (3, "Yes, we can meet.") == (len(used.calls()), used.texts()[-1])
    used.write(autonomy__max_turns_per_contact=9)
    assert "ledger_missing" == refused(answer(used, "once", code=3))

    used.write(autonomy__grant_id="grant-7f3a", autonomy__max_turns_per_contact=3)
    shutil.rmtree(used.folder / "state")
    shutil.move(used.folder / "newer", used.folder / "state")
    assert "ledger_missing" == refused(answer(used, "once", code=3))  # the new grant's own use is not in it


def test_another_machine_gets_all_that_it_needs(used: World, tmp_path: Path) -> None:
    """Into an empty folder: configuration, marks, state and, when it was asked for, the key; the same identity."""
    answer(used, "backup", "--out", str(used.folder / "b.tar"), "--with-key")
    there = tmp_path / "there" / "dragoman.json"
    there.parent.mkdir(mode=0o700)
    done = restore(there, used.folder / "b.tar")

    names = {"dragoman.json", "dragoman.high-water.json", "us.key", "state"}
    assert (names, False) == ({path.name for path in there.parent.iterdir()}, done.older)
    assert (used.folder / "us.key").read_bytes() == (there.parent / "us.key").read_bytes()
    assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in there.parent.rglob("*") if path.is_file()}


def _changed(archive: bytes, change: Callable[[dict[str, bytes]], Any]) -> bytes:
    """The archive with its parts changed."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as old:
        parts = {entry.name: old.extractfile(entry).read() for entry in old}  # type: ignore[union-attr]
    change(parts)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as new:
        for name, body in parts.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(body)
            new.addfile(entry, io.BytesIO(body))
    return out.getvalue()


SPOILT: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("empty", lambda raw: b""),
    ("cut off", lambda raw: raw[: len(raw) // 2]),
    ("no archive", lambda raw: b"\xa5" * 4_096),
    ("a byte of the ledger", lambda raw: raw[:-20_000] + bytes([raw[-20_000] ^ 1]) + raw[-19_999:]),
    ("no manifest", lambda raw: _changed(raw, lambda parts: parts.pop("manifest.json"))),
    ("no ledger", lambda raw: _changed(raw, lambda parts: parts.pop("ledger.db"))),
    ("other marks", lambda raw: _changed(raw, lambda parts: parts.update({"high-water.json": b"{}"}))),
    (
        "a name that leads out",
        lambda raw: _changed(
            raw, lambda p: p.update({"manifest.json": p["manifest.json"].replace(b"journal.key", b"../../x.key")})
        ),
    ),
    ("many more parts", lambda raw: _changed(raw, lambda parts: parts.update({f"p{n}": b"" for n in range(50)}))),
]


def test_a_spoilt_backup_changes_nothing(used: World) -> None:
    """Judged whole before a byte is put in place: refused with a fix, and the folder stays empty."""
    good = used.folder / "b.tar"
    take(used.config, good, NOW)
    shutil.move(used.folder / "state", used.folder / "away")
    raw, spoilt = good.read_bytes(), used.folder / "spoilt.tar"
    for name, spoil in SPOILT:
        spoilt.write_bytes(spoil(raw))
        with pytest.raises(DragomanError) as error:
            restore(used.config, spoilt)
        assert ("input_invalid", True) == (error.value.code, bool(error.value.fix)), name
        assert not (used.folder / "state" / "ledger.db").exists(), name
    assert restore(used.config, good).older is False


@pytest.mark.parametrize("where", ["missing/b.tar", "state"])
def test_where_it_cannot_be_written(used: World, where: str) -> None:
    """No such folder, or a folder in the way: said, and nothing is left."""
    before = sorted(path.name for path in used.folder.iterdir())
    error = answer(used, "backup", "--out", str(used.folder / where), code=2)

    assert refused(error) in ("input_invalid", "conflict")
    assert before == sorted(path.name for path in used.folder.iterdir())


def test_what_is_said_to_people(used: World) -> None:
    """That it holds no key, and what an older state means, in the owner's language."""
    out = str(used.folder / "b.tar")
    said = used.command("backup", "--out", out, "--lang", "zh", json=False).stdout
    used.peer_says("And where?")
    used.cycle()
    shutil.rmtree(used.folder / "state")
    back = used.command("restore", "--from", out, "--lang", "zh", json=False).stdout

    assert "不含角色密钥" in said
    assert "次数不退还" in back
