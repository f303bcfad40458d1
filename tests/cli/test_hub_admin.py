"""The operator's commands and a role's key commands, on a hub that serves meanwhile; on both engines."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests import born
from tests.hub_process import COMMAND, START_SECONDS
from tests.postgres import running_cluster

pytestmark = pytest.mark.slow
DRAGOMAN = [sys.executable, "-m", "dragoman.cli.main", "hub"]


class Desk:
    """A folder with key files, a hub that takes roles by invitation, and the command line."""

    def __init__(self, folder: Path, db: str, other: str, url: str) -> None:
        self.folder = folder
        self.db = db
        self.other = other
        """Where a restore may go."""
        self.url = url

    def run(self, *arguments: str, stdin: str = "") -> tuple[int, Any]:
        """The exit code and the JSON of a command."""
        done = born.run(
            [*DRAGOMAN, *arguments, "--json"], cwd=self.folder, input=stdin, capture_output=True, text=True, check=False
        )
        return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr

    def ok(self, *arguments: str, stdin: str = "") -> Any:
        """The JSON of a command that succeeds."""
        code, found = self.run(*arguments, stdin=stdin)
        assert code == 0, found
        return found

    def at(self, verb: str, *arguments: str, stdin: str = "") -> Any:
        """One of the operator's commands that succeeds."""
        return self.ok(verb, "--db", self.db, *arguments, stdin=stdin)

    def told(self, *arguments: str, stdin: str = "") -> str:
        """What a role's command is refused with."""
        code, found = self.run(*arguments, "--url", self.url, stdin=stdin)
        assert code != 0
        return str(found["error"]["detail"] or found["error"]["code"])

    def role(self, *arguments: str, stdin: str = "") -> Any:
        """One of a role's commands that succeeds."""
        return self.ok(*arguments, "--url", self.url, stdin=stdin)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    """A hub process over a fresh store."""
    tmp_path.chmod(0o700)
    with ExitStack() as stack:
        db, other = str(tmp_path / "hub" / "hub.db"), str(tmp_path / "restored" / "hub.db")
        if request.param == "postgres":
            cluster = stack.enter_context(running_cluster(fsync="off"))
            db, other = cluster.database(), cluster.database()
        command = [*COMMAND, "--db", db, "--listen", "127.0.0.1:0", "--registration", "invited", "--json"]
        process = stack.enter_context(born.Popen(command, stdout=subprocess.PIPE))
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["listening"]
        try:
            yield Desk(tmp_path, db, other, url)
        finally:
            process.terminate()
            assert process.wait(START_SECONDS) == 0


def test_a_role_from_its_invitation_to_its_end(desk: Desk) -> None:
    """Invited, rotated, revoked by the operator, recovered by his code and by its recovery key, erased by itself."""
    key, recovery = "role.key", "recovery.key"
    role_id = desk.ok("keygen", "--out", key)["role_id"]
    desk.ok("keygen", "--out", recovery)
    assert "invitation_needed" == desk.told("register", "--key", key)
    desk.at("tenants", "--name", "acme", "--limit", "text_bytes=100")
    code = desk.at("invite", "--tenant", "acme")["code"]
    assert role_id == desk.role("register", "--key", key, "--invitation", "-", stdin=code + "\n")["role_id"]
    me = desk.role("login", "--key", key)
    assert ("acme", 100) == (me["tenant"], me["limits"]["text_bytes"])

    first = (desk.folder / key).read_text()
    assert desk.role("key", "rotate", "--key", key)["generation"] == 1
    (desk.folder / "old.key").write_text(first)
    (desk.folder / "old.key").chmod(0o600)
    assert "key_replaced" == desk.told("login", "--key", "old.key")
    assert (1, True) == (desk.role("login", "--key", key)["generation"], desk.role("login", "--key", key)["primary"])
    assert role_id == desk.role("register", "--key", key)["role_id"]
    desk.role("key", "recovery", "--key", key, "--recovery-key", recovery)

    assert "revoked" == desk.at("revoke", "--role", role_id)["state"]
    assert "role_revoked" == desk.told("login", "--key", key)
    code = desk.at("recover", "--role", role_id)["code"]
    by_code = ("key", "recover", "--role", role_id, "--out", "new.key", "--code-file", "-")
    assert role_id == desk.role(*by_code, stdin=code)["role_id"]
    assert "recovery_invalid" == desk.told(*by_code, stdin=code)
    desk.role("key", "recover", "--role", role_id, "--out", "newer.key", "--recovery-key", recovery)
    assert desk.role("login", "--key", "newer.key")["primary"]
    assert "signature_invalid" == desk.told("login", "--key", "new.key")

    assert "nothing undoes it" == desk.told("key", "erase", "--key", "newer.key")
    assert role_id == desk.role("key", "erase", "--key", "newer.key", "--yes")["role_id"]
    line = next(each for each in desk.at("roles") if each["role_id"] == role_id)
    assert ("erased", "acme") == (line["state"], line["tenant"])
    told = desk.at("audit")
    actions = ["erase", "recover", "recover", "mint_code", "revoke", "name_recovery", "rotate", "register", "invite"]
    assert [*actions, "add_tenant"] == [each["action"] for each in told]
    assert code not in json.dumps(told)


def test_a_rotation_whose_answer_got_lost(desk: Desk) -> None:
    """The new key lies beside the old one when the hub has it already: the same command again ends it."""
    desk.ok("keygen", "--out", "role.key")
    desk.role("register", "--key", "role.key", "--invitation", "-", stdin=desk.at("invite")["code"])
    before = (desk.folder / "role.key").read_text()
    desk.role("key", "rotate", "--key", "role.key")
    after = (desk.folder / "role.key").read_text()
    (desk.folder / "role.key.next").write_text(after)
    (desk.folder / "role.key").write_text(before)
    (desk.folder / "role.key.next").chmod(0o600)
    state = desk.role("key", "rotate", "--key", "role.key")

    assert state["replayed"]
    assert after == (desk.folder / "role.key").read_text()
    assert not (desk.folder / "role.key.next").exists()
    assert 0o600 == (desk.folder / "role.key").stat().st_mode & 0o777


def test_the_store_as_a_whole(desk: Desk) -> None:
    """Migrated, pruned, backed up while served, restored elsewhere and nowhere else; a typo makes no new store."""
    desk.ok("keygen", "--out", "role.key")
    desk.role("register", "--key", "role.key", "--invitation", "-", stdin=desk.at("invite")["code"])
    desk.role("login", "--key", "role.key")
    version = desk.at("migrate")["version"]
    pruned = desk.at("prune")
    desk.at("backup", "--out", "hub.backup")
    twice = desk.run("backup", "--db", desk.db, "--out", "hub.backup")
    over = desk.run("restore", "--db", desk.db, "--from", "hub.backup")
    restored = desk.ok("restore", "--db", desk.other, "--from", "hub.backup")
    lines = desk.ok("roles", "--db", desk.other)
    typo = desk.run("roles", "--db", "nowhere.db")

    assert version >= 5
    assert {"looked_at": 0} == pruned
    assert 0o600 == (desk.folder / "hub.backup").stat().st_mode & 0o777
    assert ((2, "conflict"), (2, "conflict")) == tuple((code, said["error"]["code"]) for code, said in (twice, over))
    assert restored["fenced"]
    assert [(1001, None)] == [(each["generation"], each["primary_instance"]) for each in lines]
    assert (3, "store_broken") == (typo[0], typo[1]["error"]["code"])
    assert not (desk.folder / "nowhere.db").exists()
    assert "invitation_needed" == _second_role(desk)


def _second_role(desk: Desk) -> str:
    desk.ok("keygen", "--out", "second.key")
    return desk.told("register", "--key", "second.key")
