"""`notifier` of the configuration: exactly one way, every fault with its place and its fix; the pages say the same."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import inspect

from dragoman.agents.notify_words import TITLES, body, cut, title
from dragoman.cli.error_phrases import fix
from dragoman.receiver.config import parse_config
from dragoman.receiver.notifier_config import KINDS, NotifierSection
from dragoman.words import Milestone
from tests.agents.notices import NOTE, note

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/notifications.md").read_text()
REFERENCE = (ROOT / "docs/reference/receiver.md").read_text()
MEMORY = {"memory": {"folder": "chat", "workspace": "W1"}}
MAIL = {"server": "mail.example.org", "from": "desk@example.org", "to": "owner@example.org"}
HOOK = {"url": "https://hooks.example.org/a", "secret_file": "hook.secret"}

RIGHT: list[dict[str, Any]] = [
    {"command": ["/bin/tell"], "environment": ["LANG"]},
    {"desktop": {}},
    {"desktop": {"program": "/usr/local/bin/notify-send", "details": True}},
    {"email": MAIL},
    {"email": MAIL | {"security": "starttls", "port": 2587, "username": "desk", "password_file": "p", "ca_file": "c"}},
    {"email": MAIL | {"security": "none", "server": "::1"}},
    {"webhook": HOOK | {"bearer_file": "b", "ca_file": "c"}},
    {"channel": {"target": "memory/W1/OWNER"}},
]
WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "notifier"),
    ({"timeout_seconds": 5}, "notifier"),
    ({"command": ["/bin/tell"], "desktop": {}}, "notifier"),
    ({"email": MAIL, "webhook": HOOK}, "notifier"),
    ({"desktop": {}, "environment": ["LANG"]}, "notifier.environment"),
    ({"desktop": {"urgency": "low"}}, "notifier.desktop"),
    ({"email": MAIL | {"security": "none"}}, "notifier.email.security"),
    ({"email": MAIL | {"security": "ssl"}}, "notifier.email.security"),
    ({"email": MAIL | {"to": "owner@example.org\r\nBcc: x@example.net"}}, "notifier.email.to"),
    ({"email": MAIL | {"from": "Desk <desk@example.org>"}}, "notifier.email.from"),
    ({"email": MAIL | {"to": ["a@example.org", "b@example.org"]}}, "notifier.email.to"),
    ({"email": MAIL | {"server": "smtp://mail.example.org"}}, "notifier.email.server"),
    ({"email": MAIL | {"port": 0}}, "notifier.email.port"),
    ({"email": MAIL | {"username": "desk"}}, "notifier.email"),
    ({"email": MAIL | {"password_file": "p"}}, "notifier.email"),
    ({"email": MAIL | {"password": "hunter2"}}, "notifier.email"),
    ({"email": MAIL | {"security": "none", "server": "127.0.0.1", "ca_file": "c"}}, "notifier.email.ca_file"),
    ({"webhook": {"url": "https://hooks.example.org/a"}}, "notifier.webhook"),
    ({"webhook": HOOK | {"url": "http://hooks.example.org/a"}}, "notifier.webhook.url"),
    ({"webhook": HOOK | {"secret": "hunter2"}}, "notifier.webhook"),
    ({"channel": {"target": "OWNER"}}, "notifier.channel.target"),
    ({"channel": {"target": "memory/W2/OWNER"}}, "notifier.channel.target"),
    ({"channel": {"target": f"hub/role_{1:032x}/con_{1:032x}"}}, "notifier.channel.target"),
]


def read(notifier: Any, channels: Any = MEMORY) -> list[Any]:
    """The problems of a file with this notifier."""
    file = {"state_dir": "state", "handler": {"command": ["/bin/h"]}, "channels": channels, "notifier": notifier}
    return parse_config(json.dumps(file).encode(), toml=False)[1]


@pytest.mark.parametrize("notifier", RIGHT, ids=lambda section: next(iter(section)))
def test_each_way_is_read(notifier: dict[str, Any]) -> None:
    """One way, whole."""
    assert [] == read(notifier)


@pytest.mark.parametrize(("notifier", "where"), WRONG, ids=[f"{row[1]}-{number}" for number, row in enumerate(WRONG)])
def test_each_fault_is_named(notifier: dict[str, Any], where: str) -> None:
    """The place and the fix; what was written is not in them."""
    (problem,) = read(notifier)

    assert ("config_invalid", where, True) == (problem.code, problem.where, bool(problem.fix))
    assert "hunter2" not in repr(problem)


@pytest.mark.parametrize(("notifier", "where"), WRONG, ids=[f"{row[1]}-{number}" for number, row in enumerate(WRONG)])
def test_each_fix_is_said_in_chinese_too(notifier: dict[str, Any], where: str) -> None:
    """What an owner reads stands in both languages."""
    (problem,) = read(notifier)

    assert not fix(problem.fix, "zh").isascii()


def test_every_fix_of_the_notifiers_is_said_in_chinese_too() -> None:
    """The same of what only shows when a notifier is looked at or used."""
    rooms = ROOT / "src" / "dragoman" / "agents"
    files = [*sorted(rooms.glob("notify_*.py")), rooms / "tls.py"]
    found = [text for path in files for text in _fixes(ast.parse(path.read_text()))]

    assert len(found) > 8
    assert [] == [text for text in found if fix(text, "zh") == text and not text.startswith("pip install")]


def _fixes(tree: ast.Module) -> Iterator[str]:
    """The texts that are given, or named, as a fix."""
    for node in ast.walk(tree):
        values = [node.value] if isinstance(node, ast.keyword) and node.arg == "fix" else []
        if isinstance(node, ast.Assign) and "fix" in ast.unparse(node.targets[0]):
            values = [node.value.elts[1]] if isinstance(node.value, ast.Tuple) else [node.value]
        for value in values:
            yield from (each.value for each in ast.walk(value) if _is_text(each))  # type: ignore[attr-defined]


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_every_key_is_in_the_reference() -> None:
    """Each key of each way stands in the table."""
    rows = [line for line in REFERENCE.splitlines() if line.startswith("| `notifier.")]
    named = {key for row in rows for key in re.findall(r"`(?:notifier)?[\w.]*\.(\w+)`", row.partition(" | ")[0])}
    fields = inspect.type_info(NotifierSection).fields  # type: ignore[attr-defined]
    wanted = {field.encode_name for field in fields}
    for field in fields:
        for kind in getattr(field.type, "types", ()):
            wanted |= {each.encode_name for each in getattr(kind, "fields", ())}

    assert set() == wanted - named


def test_the_examples_of_the_page_are_right() -> None:
    """Every configuration on the page is read without a problem, and every way is shown."""
    shown = [tomllib.loads(each) for each in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)]
    matrix = {"homeserver": "https://example.org", "user_id": "@desk:example.org", "token_file": "t"}
    for each in shown:
        assert [] == read(each["notifier"], {"matrix": matrix})

    assert list(KINDS) == [next(iter(each["notifier"])) for each in shown]


def test_the_example_command_confirms_once(tmp_path: Path) -> None:
    """The same notification twice is one line, and both are confirmed."""
    command = [sys.executable, str(ROOT / "examples/notifiers/command.py"), str(tmp_path / "told")]
    for _ in range(2):
        done = subprocess.run(command, input=msgspec.json.encode(NOTE), capture_output=True, check=True)
        assert {"schema_version": 1, "delivered": True, "notification_id": "ntf-1"} == json.loads(done.stdout)

    assert 1 == len((tmp_path / "told" / "owner.jsonl").read_text().splitlines())


@pytest.mark.parametrize("milestone", Milestone)
def test_every_milestone_has_words(milestone: Milestone) -> None:
    """In both languages, each its own, on one line."""
    words = [title(milestone, language) for language in ("en", "zh")]

    assert 2 == len(set(words))
    assert words[0].isascii()
    assert not words[1].isascii()
    assert "\n" not in "".join(words)
    assert len(TITLES) == len(Milestone)


def test_the_body_says_where_to_answer() -> None:
    """Not for a probe: there is nothing to answer."""
    assert "dragoman resolve" in body(NOTE, "en")
    assert "dragoman resolve" in body(NOTE, "zh")
    assert "It works." == body(note(summary="It works.", probe=True, contact_id=None), "en")
    assert ("short", 40) == (cut("short", 40, "en"), len(cut("x" * 99, 40, "zh")))
