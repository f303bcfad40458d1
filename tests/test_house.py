"""The house keeps its rules: arrows, purity, one door (DESIGN §2) — and each check is shown to see a broken house."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests import house

HOUSE = house.read_house(Path(__file__).parent.parent / "src" / "dragoman")

RULES: dict[str, Callable[[Mapping[str, str]], list[str]]] = {
    "arrows": house.wrong_arrows,
    "purity": house.impure,
    "door": house.other_doors,
    "words": house.foreign_words,
    "loops": house.loops,
    "names": house.banned_names,
}

BROKEN = [
    ("arrows", {"words.py": "from dragoman.gate import admit"}, "a word imports a room"),
    ("arrows", {"leaks/fold.py": "import dragoman.packets.read"}, "leaks import packets"),
    ("arrows", {"gate/admit.py": "from dragoman.channels.matrix import facts"}, "the gate imports a channel"),
    (
        "arrows",
        {"channels/slack/facts.py": "from dragoman.channels.matrix import facts"},
        "channels import one another",
    ),
    ("arrows", {"hub/service.py": "from dragoman.gate.admit import admit"}, "the hub imports the gate"),
    ("arrows", {"agents/command.py": "from dragoman.ledger import store"}, "agents import the ledger"),
    ("arrows", {"receiver/cycle.py": "from dragoman.cli.output import emit"}, "the receiver imports the CLI"),
    (
        "arrows",
        {"gate/admit.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from dragoman.ledger import store"},
        "a typing-only import counts too",
    ),
    ("arrows", {"gate/gate.py": "from dragoman import open_state"}, "a room asks for the library's front"),
    ("arrows", {"cli/main.py": "from dragoman.testing.recorder import GateRecorder"}, "the house imports its test kit"),
    ("arrows", {"opening.py": "from dragoman.hub import api"}, "the front imports the hub"),
    ("purity", {"gate/admit.py": "import time"}, "the clock in a pure file"),
    ("purity", {"gate/admit.py": "from datetime import datetime\nnow = datetime.now()"}, "the wall clock by datetime"),
    ("purity", {"packets/read.py": "import random"}, "chance in a pure file"),
    ("purity", {"leaks/fold.py": "async def fold(): ..."}, "async in a pure file"),
    ("purity", {"channels/matrix/facts.py": "import nio"}, "an SDK in a facts file"),
    ("purity", {"hub/rules.py": "import sqlite3"}, "SQL in the hub's rules"),
    ("purity", {"packets/read.py": "def read(path):\n    return open(path)"}, "a file opened in a pure room"),
    ("door", {"receiver/cycle.py": "await channel.perform(output)"}, "an output operation past the door"),
    ("door", {"agents/command.py": "channel.perform(1)"}, "an agent that sends"),
    ("door", {"testing/recorder.py": "channel.perform(1)"}, "a test kit that sends past the door"),
    ("door", {"receiver/cycle.py": "client.room_send('!r')"}, "an SDK's sending call outside an adapter"),
    ("words", {"words.py": "import orjson"}, "a word that imports a library"),
    (
        "loops",
        {"gate/a.py": "from dragoman.gate.b import x", "gate/b.py": "from dragoman.gate.a import y"},
        "two files that import each other",
    ),
    ("names", {"gate/utils.py": ""}, "a file named for nothing"),
]


@pytest.mark.parametrize("rule", RULES)
def test_the_house_keeps_the_rule(rule: str) -> None:
    """The tree as it stands breaks none of the rules."""
    assert RULES[rule](HOUSE) == []


@pytest.mark.parametrize(("rule", "files", "what"), BROKEN, ids=[row[2] for row in BROKEN])
def test_a_broken_house_is_seen(rule: str, files: dict[str, str], what: str) -> None:
    """Each rule turns red for a house that breaks it."""
    assert RULES[rule](files) != [], what


def test_every_room_is_in_the_dependency_rule() -> None:
    """A new room must be given its place before it can import anything."""
    rooms = {path.split("/")[0] for path in HOUSE if "/" in path}
    assert rooms <= set(house.ABOVE) | house.WORDS


def test_the_door_is_used_once() -> None:
    """There is exactly one call of an output operation in the whole house, besides the contract's for adapters."""
    calls = [path for path, text in HOUSE.items() for line in text.splitlines() if ".perform(" in line]
    assert calls == ["gate/outlet.py", "testing/in_a_world.py"]


def test_importing_dragoman_loads_no_library() -> None:
    """`import dragoman` costs nothing but itself."""
    code = "import sys; before = set(sys.modules); import dragoman; print(sorted(set(sys.modules) - before))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "['dragoman']"
