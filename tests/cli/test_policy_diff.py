"""`dragoman policy diff` over a real receiver's journal: which decisions would fall otherwise, by either way to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.desk import process, refused, run, told

CONFIG = """
state_dir = "state"
policy = "old.toml"

[handler]
command = ["/usr/bin/true"]

[channels.memory]
folder = "chat"
workspace = "desk"
id = "agent"
"""
OLD = """version = 1

[[targets]]
platform = "memory"
workspace = "desk"
channel = "room"
audience = "external"
"""
NEW = OLD + 'require_mention = false\nallowed_senders = ["memory/desk/kim"]\n'


class Folder:
    """A receiver whose journal holds a few silent events."""

    def __init__(self, path: Path) -> None:
        self.path = path
        for name, text in (("dragoman.toml", CONFIG), ("old.toml", OLD), ("new.toml", NEW)):
            (path / name).write_text(text)
            (path / name).chmod(0o600)
        (path / "chat").mkdir(mode=0o700)
        with (path / "chat" / "inbox.jsonl").open("a") as inbox:
            for id, author in (("m1", "kim"), ("m2", "kim"), ("m3", "lee")):
                event = {"kind": "message", "channel": "room", "bot": False, "direct": False, "shared": False}
                row = {**event, "id": id, "author": author, "text": "which dates are open?"}
                inbox.write(json.dumps(row) + "\n")
        told(run("once", "--config", self.named("dragoman.toml"), "--json"))

    def named(self, name: str) -> str:
        """A file of the folder."""
        return str(self.path / name)

    def diff(self, *words: str) -> dict[str, Any]:
        """The command's answer about old and new."""
        return told(run("policy", "diff", self.named("old.toml"), self.named("new.toml"), *words, "--json"))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A folder in which three messages were decided."""
    return Folder(tmp_path)


def test_the_decisions_that_would_change(folder: Folder) -> None:
    """Who may ask now is answered, who may not any more is turned away, and both are counted."""
    found = folder.diff("--config", folder.named("dragoman.toml"))["decisions"]
    silent = {"outcome": "silent", "reason": "not_requested"}

    assert (3, 0, 0, {}) == (found["events"], found["same"], found["recorded_otherwise"], found["not_replayable"])
    assert [
        {"old": silent, "new": {"outcome": "respond", "reason": "mention_not_required"}, "times": 2},
        {"old": silent, "new": {"outcome": "silent", "reason": "access_denied"}, "times": 1},
    ] == found["moves"]
    assert 3 == len(found["changed"])
    assert all(each["recorded"] == each["old"] for each in found["changed"])


def test_an_exported_journal_with_its_key_says_the_same(folder: Folder) -> None:
    """The pseudonyms are those of the ledger that wrote it."""
    out = folder.named("journal.jsonl")
    told(run("journal", "export", out, "--config", folder.named("dragoman.toml"), "--json"))
    exported = folder.diff("--journal", out, "--key", folder.named("state/journal.key"))

    assert folder.diff("--config", folder.named("dragoman.toml")) == exported
    assert folder.diff("--state", folder.named("state")) == exported


def test_another_key_finds_nobody(folder: Folder) -> None:
    """Under a key that is not the journal's every target is unknown: nothing is taken for something else."""
    out, key = folder.named("journal.jsonl"), folder.path / "other.key"
    told(run("journal", "export", out, "--config", folder.named("dragoman.toml"), "--json"))
    key.write_bytes(bytes(32))
    key.chmod(0o600)
    found = folder.diff("--journal", out, "--key", str(key))["decisions"]

    assert ([], 3) == (found["changed"], found["recorded_otherwise"])


def test_an_altered_export_is_refused(folder: Folder) -> None:
    """Before anything is replayed."""
    out = folder.path / "journal.jsonl"
    told(run("journal", "export", str(out), "--config", folder.named("dragoman.toml"), "--json"))
    out.write_text(out.read_text().replace("not_requested", "access_denied", 1))
    words = ("policy", "diff", folder.named("old.toml"), folder.named("new.toml"), "--journal", str(out))

    refused(run(*words, "--key", folder.named("state/journal.key"), "--json"), "journal_altered", 1)


def test_the_words_for_people(folder: Folder) -> None:
    """Keys first, then decisions by move, with a few ids."""
    words = (folder.named("old.toml"), folder.named("new.toml"), "--config", folder.named("dragoman.toml"))
    done = process("policy", "diff", *words)

    assert (0, "") == (done.code, done.err)
    shown = done.out.splitlines()
    assert [
        "keys: 2 differ",
        "  targets{memory/desk/room}.require_mention: true -> false",
        "  targets{memory/desk/room}.allowed_senders: (absent) -> memory/desk/kim",
        "decisions: 3 events replayed, 0 the same, 3 would change",
        "  2 x silent (not_requested) -> respond (mention_not_required)",
        "  1 x silent (not_requested) -> silent (access_denied)",
    ] == shown[:6]
    assert 3 == len(shown[6:])


def test_without_a_journal_only_the_keys_are_compared(folder: Folder) -> None:
    """And it says so."""
    found = folder.diff()

    assert (2, None) == (len(found["keys"]), found["decisions"])
    same = process("policy", "diff", folder.named("old.toml"), folder.named("old.toml"))
    assert "keys: the same\ndecisions: not asked; add `--config` or `--state` to replay a journal\n" == same.out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--journal", "x"), "usage"),
        (("--key", "x"), "usage"),
        (("--config", "dragoman.toml", "--journal", "x", "--key", "y"), "usage"),
        (("--journal", "x", "--key", "y"), "input_invalid"),
    ],
)
def test_what_is_given_wrongly(folder: Folder, words: tuple[str, ...], code: str) -> None:
    """Half of a pair, two journals, no journal."""
    refused(run("policy", "diff", folder.named("old.toml"), folder.named("new.toml"), *words, "--json"), code)
