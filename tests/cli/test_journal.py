"""`dragoman journal`: an owner's way to show that the journal stands, and a stranger's way to check it."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path

import pytest

from dragoman import Gate, Turn, open_state
from dragoman.channels.memory.adapter import MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent, facts
from dragoman.cli.journal import declared
from dragoman.cli.platforms import operations_of
from dragoman.clock import SystemClock
from dragoman.gate.policy import Policy
from dragoman.receiver.config import ChannelsSection, ConfigFile, HandlerSection, HubSection, MemorySection
from dragoman.words import Fact
from tests.cli.desk import refused, run, told

CONFIG = """
state_dir = "state"

[handler]
command = ["/usr/bin/true"]

[channels.memory]
folder = "chat"
workspace = "desk"
id = "agent"
"""


class Journalled:
    """A receiver's folder in which a few events were decided."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = str(folder / "dragoman.toml")
        Path(self.config).write_text(CONFIG)
        Path(self.config).chmod(0o600)
        (folder / "chat").mkdir(mode=0o700)
        self.decide("m1", "m2", "m3")

    def decide(self, *ids: str) -> None:
        """Let a cycle decide these messages of a group that nobody listed: silent."""
        event = {"kind": "message", "channel": "room", "author": "kim", "bot": False, "direct": False, "text": "hello"}
        with (self.folder / "chat" / "inbox.jsonl").open("a") as inbox:
            inbox.writelines(json.dumps({**event, "id": id}) + "\n" for id in ids)
        told(run("once", "--config", self.config, "--json"))

    def ask(self, *words: str) -> dict[str, object]:
        """One subcommand's answer."""
        return told(run("journal", *words, "--config", self.config, "--json"))

    def path(self, name: str) -> str:
        """A file of the folder."""
        return str(self.folder / name)


@pytest.fixture
def journalled(tmp_path: Path) -> Journalled:
    """A folder with a ledger of three decided events."""
    tmp_path.chmod(0o700)
    return Journalled(tmp_path)


def test_show_by_number_kind_and_id(journalled: Journalled) -> None:
    """The newest, oldest first; of one kind; all of one correlation id."""
    records = journalled.ask("show")["records"]
    assert isinstance(records, list)
    assert ["silent"] * 3 == [record["outcome"] for record in records]

    assert {"records": records[-1:]} == journalled.ask("show", "--newest", "1")
    assert {"records": []} == journalled.ask("show", "--kind", "operator")
    assert {"records": records[1:2]} == journalled.ask("show", records[1]["correlation_id"])
    assert not any(word in json.dumps(records) for word in ("kim", "room", "hello"))


def test_an_unknown_id_is_told(journalled: Journalled) -> None:
    """No such record is no empty success."""
    refused(run("journal", "show", "cor-9", "--config", journalled.config, "--json"), "not_found")


def test_what_was_exported_is_verified_elsewhere(journalled: Journalled, tmp_path: Path) -> None:
    """With the file and the public key alone: no configuration, no ledger."""
    file, key = journalled.path("journal.jsonl"), journalled.path("journal.pub")
    exported = journalled.ask("export", file)
    journalled.ask("key", "--out", key)

    verified = told(run("journal", "verify", file, "--key", key, "--json"))

    assert exported["checkpoint"] == json.loads(Path(file).read_text().splitlines()[-1])["checkpoint"]
    assert (3, [3]) == (verified["records"], [each["seq"] for each in verified["checkpoints"]])
    assert 0o600 == stat.S_IMODE(Path(file).stat().st_mode)


def test_a_ledger_is_held_against_a_checkpoint_kept_elsewhere(journalled: Journalled) -> None:
    """What came later is no harm; the checkpoint's records are what they were."""
    kept, key = journalled.path("kept.json"), journalled.path("journal.pub")
    journalled.ask("checkpoint", "--out", kept)
    journalled.ask("key", "--out", key)
    journalled.decide("m4")

    verified = journalled.ask("verify", "--checkpoint", kept, "--key", key)

    assert (4, json.loads(Path(kept).read_text())["seq"]) == (verified["records"], 3)
    assert [] == journalled.ask("verify")["checkpoints"]


@pytest.mark.parametrize(
    ("file", "words", "code", "exit_code"),
    [
        ("changed.jsonl", [], "journal_altered", 1),
        ("whole.jsonl", ["--key", "other.pub"], "journal_altered", 1),
        ("whole.jsonl", ["--checkpoint", "forged.json", "--key", "journal.pub"], "journal_altered", 1),
        ("whole.jsonl", ["--checkpoint", "kept.json"], "usage", 2),
        ("whole.jsonl", ["--key", "kept.json"], "input_invalid", 2),
        ("whole.jsonl", ["--checkpoint", "journal.pub", "--key", "journal.pub"], "input_invalid", 2),
        ("missing.jsonl", [], "input_invalid", 2),
        ("kept.json", [], "input_invalid", 2),
    ],
)
def test_what_does_not_stand_ends_with_its_code(
    journalled: Journalled, file: str, words: list[str], code: str, exit_code: int
) -> None:
    """1 for a journal that is not what was written, 2 for what is no journal, key or checkpoint at all."""
    whole, kept = journalled.path("whole.jsonl"), journalled.path("kept.json")
    journalled.ask("export", whole)
    journalled.ask("checkpoint", "--out", kept)
    journalled.ask("key", "--out", journalled.path("journal.pub"))
    Path(journalled.path("other.pub")).write_text("ab" * 32)
    Path(journalled.path("changed.jsonl")).write_text(Path(whole).read_text().replace("silent", "respond", 1))
    Path(journalled.path("forged.json")).write_text(Path(kept).read_text().replace('"seq":3', '"seq":2'))

    given = [journalled.path(word) if "." in word else word for word in words]
    refused(run("journal", "verify", journalled.path(file), *given, "--json"), code, exit_code)


def test_verify_asks_for_one_thing(journalled: Journalled) -> None:
    """A file, a configuration or a state folder: one of them."""
    state = journalled.path("state")
    refused(run("journal", "verify", "--json"), "usage")
    refused(run("journal", "verify", "x", "--config", journalled.config, "--json"), "usage")
    refused(run("journal", "verify", "--state", state, "--config", journalled.config, "--json"), "usage")
    refused(run("journal", "show", "--json"), "usage")


def test_the_records_of_a_gate_of_ones_own_bot(tmp_path: Path) -> None:
    """`--state` reads the folder that `open_state` made, while the bot runs, and needs no configuration."""
    state, export, key = (str(tmp_path / name) for name in ("state", "journal.jsonl", "journal.pub"))

    async def failing(turn: Turn) -> None:
        raise ValueError("no such table")

    with open_state(state) as stores:
        gate = Gate(policy=Policy(version="open", unknown_targets="explicit_requests"), **stores)
        raw = {"kind": "message", "id": "m1", "channel": "room", "author": "kim", "bot": False, "text": "hello"}
        event = facts(
            {**raw, "direct": False, "mentions": ["desk"]},
            MemoryAgent(workspace="desk", id="desk"),
            received_at=SystemClock().now(),
            authenticated=Fact.YES,
        )
        channel = MemoryChannel(MemoryAgent(workspace="desk", id="desk"), clock=SystemClock())
        asyncio.run(gate.handle(event, channel, failing))

        shown = told(run("journal", "show", "--state", state, "--json"))["records"]
        because = told(run("why", "--evidence", "--state", state, "--json"))
        paths = told(run("journal", "paths", "--state", state, "--json"))
        told(run("journal", "export", export, "--state", state, "--json"))
        told(run("journal", "key", "--out", key, "--state", state, "--json"))

    assert ["respond", "turn_failed"] == [record["outcome"] for record in shown][:2]
    assert "ValueError: no such table" in because["evidence"][0]["text"]
    assert ["memory.receive", "memory.send"] == [path["consumer"] for path in paths["paths"]]
    assert len(shown) == told(run("journal", "verify", export, "--key", key, "--json"))["records"]


def test_paths_names_what_was_never_exercised(journalled: Journalled) -> None:
    """The configured channels' operations that left no record yet stand beside those that did."""
    found = journalled.ask("paths")

    assert ["memory.receive"] == [path["consumer"] for path in found["paths"]]  # type: ignore[attr-defined]
    assert {"memory.send", "memory.edit"} <= set(found["never"])  # type: ignore[call-overload]
    assert "memory.receive" not in found["never"]  # type: ignore[operator]


def test_each_configured_channel_declares_its_paths() -> None:
    """The hub and every chat platform of the configuration, and no other."""
    hub = HubSection(url="http://127.0.0.1:1", role_id=f"role_{'0' * 32}", key_file="role.key")
    both = ConfigFile(
        state_dir="s", handler=HandlerSection(), hub=hub, channels=ChannelsSection(memory=MemorySection(folder="m"))
    )

    found = declared(both)

    assert sorted(found) == found
    assert ["hub.receive", "hub.send"] == [path for path in found if path.startswith("hub.")]
    assert {"memory.receive", *(f"memory.{each}" for each in operations_of("memory"))} == {
        path for path in found if path.startswith("memory.")
    }
