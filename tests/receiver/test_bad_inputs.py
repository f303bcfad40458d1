"""Bad input and bad surroundings: a stable code, an exit code, and a ledger that is intact (one table)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.channels.hub.keys import create_key
from dragoman.errors import DragomanError
from dragoman.receiver.config import SAMPLE_CONTACT, SAMPLE_EXPIRY, SAMPLE_GRANT, load_config
from tests.hub_process import HubProcess
from tests.receiver.world import World, until

pytestmark = pytest.mark.slow


def _wrong_key(world: World) -> None:
    (world.folder / "us.key").unlink()
    create_key(world.folder / "us.key")


def _policy(text: str) -> Callable[[World], None]:
    def write(world: World) -> None:
        (world.folder / "policy.toml").write_text(text)
        world.write(policy="policy.toml")

    return write


def _symlink(world: World) -> None:
    real = world.folder / "real.json"
    world.config.rename(real)
    world.config.symlink_to(real)


BAD = [
    ("no such file", lambda w: w.config.unlink(), "config_missing", 2),
    ("not JSON", lambda w: w.config.write_text("{"), "config_invalid", 2),
    ("deep nesting", lambda w: w.config.write_text("[" * 100_000), "config_invalid", 2),
    ("unknown key", lambda w: w.write(colour="blue"), "config_invalid", 2),
    ("unknown autonomy key", lambda w: w.write(autonomy__colour="blue"), "config_invalid", 2),
    ("readable by others", lambda w: w.config.chmod(0o644), "config_not_private", 3),
    ("folder open to others", lambda w: w.folder.chmod(0o755), "config_not_private", 3),
    ("a symlink", _symlink, "config_unreadable", 2),
    ("sample grant id", lambda w: w.write(autonomy__grant_id=SAMPLE_GRANT), "example_values", 2),
    ("sample expiry", lambda w: w.write(autonomy__expires_at=SAMPLE_EXPIRY), "example_values", 2),
    ("sample contact", lambda w: w.write(autonomy__contact_ids=[SAMPLE_CONTACT]), "example_values", 2),
    ("no instruction", lambda w: w.write(owner_instruction=None), "config_invalid", 2),
    ("true is no number", lambda w: w.write(autonomy__max_turns_per_contact=True), "config_invalid", 2),
    ("two handlers", lambda w: w.write(handler={"command": ["/bin/true"], "openai": {}}), "config_invalid", 2),
    ("relative command", lambda w: w.write(handler={"command": ["handler"]}), "config_invalid", 2),
    ("writable handler", lambda w: w.handler.chmod(0o666), "config_invalid", 2),
    ("no role key", lambda w: (w.folder / "us.key").unlink(), "key_invalid", 3),
    ("another role's key", _wrong_key, "key_invalid", 3),
    ("key readable by others", lambda w: (w.folder / "us.key").chmod(0o644), "key_invalid", 3),
    ("unknown policy key", _policy("version = 1\ncolour = 'blue'\n"), "policy_invalid", 2),
    ("no policy file", lambda w: w.write(policy="nowhere.toml"), "policy_invalid", 2),
]


@pytest.mark.parametrize(("spoil", "code", "exit"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_what_is_refused(world: World, spoil: Callable[[World], object], code: str, exit: int) -> None:
    """`once` says the code and its exit, calls nobody, and the ledger of an earlier run stands as it stood."""
    world.peer_says("Can we meet?")
    world.cycle()
    before = [len(world.calls()), world.sent()]
    world.peer_says("And where?")
    spoil(world)

    done = world.command("once")

    assert (json.loads(done.stdout)["error"]["code"], done.returncode) == (code, exit)
    assert [len(world.calls()), world.sent()] == before
    doctor = world.command("doctor")
    assert doctor.returncode in (2, 3)
    assert code in {blocker["code"] for blocker in json.loads(doctor.stdout)["blockers"]}


def test_every_problem_is_told_at_once(world: World) -> None:
    """`doctor` lists all that must be mended, each with a fix."""
    world.write(colour="blue", owner_instruction=7, handler={"command": []}, autonomy__grant_id="x")
    world.config.chmod(0o644)
    blockers = json.loads(world.command("doctor").stdout)["blockers"]
    readable = [(each["code"], each["where"].removeprefix(str(world.folder))) for each in blockers]
    assert readable == [("config_not_private", "/dragoman.json")]

    world.config.chmod(0o600)
    blockers = json.loads(world.command("doctor").stdout)["blockers"]
    assert {each["where"] for each in blockers} == {
        "colour",
        "owner_instruction",
        "handler.command",
        "autonomy.grant_id",
    }
    assert all(each["fix"] for each in blockers)


def test_a_dead_hub(world: World, hub: HubProcess) -> None:
    """Nothing is lost and nothing is claimed; the hub back, the message is answered."""
    world.peer_says("Can we meet?")
    hub.kill()
    done = world.command("once")
    error = json.loads(done.stdout)["error"]
    assert (error["code"], error["where"], done.returncode) == ("hub_unreachable", world.url, 3)

    hub.start()
    world.cycle()
    assert world.texts() == ["Yes, we can meet."]


@pytest.mark.parametrize(
    "answer",
    [
        {"raw": "hello"},
        {"raw": '{"schema_version":1,"action":"reply","message":"a"}{}'},
        {"raw": '{"schema_version":1,"action":"reply","message":"a","message":"b"}'},
        {"raw": "x" * 1_000_000},
        {"message": "   "},
        {"message": "Hi", "exit": 3},
        {"message": "Hi", "colour": "blue"},
        {"action": "no_reply", "complete": True},
        {"message": "Hi", "sleep": 30},
    ],
    ids=[
        "garbage",
        "two objects",
        "double key",
        "endless",
        "blank",
        "exit 3",
        "unknown key",
        "complete alone",
        "hangs",
    ],
)
def test_a_bad_handler(world: World, answer: dict[str, object]) -> None:
    """Whatever the handler does: one charged attempt, no word to the peer, the message still there."""
    command = json.loads(world.config.read_text())["handler"]["command"]
    world.write(handler={"command": command, "timeout_seconds": 1})
    message = str(answer.pop("message", ""))
    world.answers(message, **answer)
    world.peer_says("Can we meet?")
    world.cycle()

    assert world.texts() == []
    assert world.stands()["messages"] == {"in_turn": 1}
    assert world.stands()["autonomy"][0]["turns_used"] == 1
    assert world.unacked()


def test_a_handler_changed_under_way_is_not_run(world: World) -> None:
    """Another script than the authorised one is a changed scope, found at the next start."""
    world.peer_says("Can we meet?")
    world.cycle()
    world.handler.write_text(world.handler.read_text() + "\n# changed\n")
    world.peer_says("And where?")
    world.cycle()

    assert len(world.calls()) == 1
    assert world.stands()["autonomy"][0]["stop_reason"] == "grant_changed"


def test_one_owner_of_the_state(world: World) -> None:
    """While `run` works, `once` is refused; a planted lock file of a dead process changes nothing."""
    state = world.folder / "state"
    state.mkdir(mode=0o700)
    (state / "owner.lock").write_text("`run`, process 1")
    running = world.running()
    assert until(lambda: bool(world.folder.joinpath("state", "ledger.db").exists()))
    world.peer_says("Can we meet?")
    assert until(lambda: world.texts() == ["Yes, we can meet."])

    done = world.command("once")
    running.terminate()
    out, err = running.communicate(timeout=60)

    assert (json.loads(done.stdout)["error"]["code"], done.returncode) == ("state_locked", 3)
    assert running.returncode == 0, out + err


@pytest.mark.parametrize("how", ["ledger deleted", "state folder deleted", "older copy restored"])
def test_the_ledger_cannot_be_wiped(world: World, tmp_path: Path, how: str) -> None:
    """Deleting or restoring the state refunds nothing: the same grant id does not run again."""
    world.cycle()
    older = tmp_path / "older"
    shutil.copytree(world.folder / "state", older)
    world.peer_says("Can we meet?")
    world.cycle()
    if how == "ledger deleted":
        for path in (world.folder / "state").glob("ledger.db*"):
            path.unlink()
    else:
        shutil.rmtree(world.folder / "state")
    if how == "older copy restored":
        shutil.copytree(older, world.folder / "state")
    world.peer_says("And where?")

    with pytest.raises(DragomanError) as error:
        world.cycle()

    assert error.value.code == "ledger_missing"
    assert len(world.calls()) == 1


def test_a_corrupt_ledger_is_never_recreated(world: World) -> None:
    """Garbage in the file is a blocker; the bytes stay."""
    world.cycle()
    path = world.folder / "state" / "ledger.db"
    path.write_bytes(b"not a database" * 1000)

    with pytest.raises(DragomanError) as error:
        world.cycle()

    assert error.value.code == "ledger_broken"
    assert path.read_bytes().startswith(b"not a database")


def test_a_takeover_stops_this_instance(world: World) -> None:
    """Another instance becomes primary while the handler thinks: the decision is not sent, the receiver stops."""
    world.answers("Yes, we can meet.", sleep=3)
    world.peer_says("Can we meet?")
    running = world.running()
    assert until(lambda: len(world.calls()) == 1)

    async def take_over(client: object) -> None:
        await client.log_in(takeover=True)  # type: ignore[attr-defined]

    world.as_role(world.key, take_over)
    out, err = running.communicate(timeout=60)

    assert running.returncode == 3, out + err
    assert json.loads(out.splitlines()[-1])["error"]["code"] == "generation_changed"
    assert world.texts() == []
    assert "decision_needed" in [told["milestone"] for told in world.told()]
    world.answers("Yes, we can meet.")
    for shift in (0, 10_000):  # the interrupted attempt is counted, then its rest is over
        world.cycle(shift)
    assert world.texts() == []
    assert world.stands()["autonomy"][0]["stop_reason"] == "grant_changed"


def test_the_config_schema_is_published(world: World) -> None:
    """`doctor --schema` prints a JSON Schema that names every key."""
    schema = json.loads(world.command("doctor", "--schema").stdout)

    assert "autonomy" in json.dumps(schema)


def test_toml_of_the_same_shape_is_accepted(world: World) -> None:
    """The same configuration as TOML reads the same."""
    body = json.loads(world.config.read_text())
    tables = {key: value for key, value in body.items() if isinstance(value, dict)}
    lines = [f"{key} = {json.dumps(value)}" for key, value in body.items() if key not in tables]
    for name, table in tables.items():
        lines += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    path = world.folder / "dragoman.toml"
    path.write_text("\n".join(lines))
    path.chmod(0o600)

    assert load_config(path).file == load_config(world.config).file
