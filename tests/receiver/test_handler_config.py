"""The ways to an agent, as an operator writes them: one way, tools only by name, nothing that becomes an option."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from dragoman.receiver.config import parse_config

CLAUDE: dict[str, Any] = {"command": ["/opt/claude"], "api_key_file": "key"}
CODEX: dict[str, Any] = {"command": ["/opt/codex"], "api_key_file": "key", "model": "m"}
OPENAI: dict[str, Any] = {"base_url": "https://models.example", "model": "m"}

GOOD: list[dict[str, Any]] = [
    {"command": ["/bin/handler"]},
    {"openai": OPENAI},
    {"claude_code": CLAUDE},
    {"claude_code": CLAUDE | {"tools": ["Read"], "model": "claude-sonnet-4-5[1m]", "max_turns": 3}},
    {"codex": CODEX | {"tools": ["shell", "web_search"], "base_url": "http://127.0.0.1:9"}},
]
BAD: list[tuple[str, dict[str, Any], str]] = [
    ("no way", {}, "handler"),
    ("two ways", {"claude_code": CLAUDE, "codex": CODEX}, "handler"),
    ("a key of another way", {"codex": CODEX | {"max_turns": 2}}, "handler.codex"),
    ("no key file", {"claude_code": {"command": ["/opt/claude"]}}, "handler.claude_code"),
    ("every tool at once", {"claude_code": CLAUDE | {"tools": ["default"]}}, "handler.claude_code.tools[0]"),
    ("a list in a name", {"claude_code": CLAUDE | {"tools": ["Read,Bash"]}}, "handler.claude_code.tools[0]"),
    ("a pattern", {"claude_code": CLAUDE | {"tools": ["Bash(git *)"]}}, "handler.claude_code.tools[0]"),
    ("an unknown tool", {"codex": CODEX | {"tools": ["apps"]}}, "handler.codex.tools[0]"),
    ("an option as the model", {"codex": CODEX | {"model": "--yolo"}}, "handler.codex.model"),
    ("a line as the model", {"claude_code": CLAUDE | {"model": "m\n--mcp-config"}}, "handler.claude_code.model"),
    ("no effect", {"openai": OPENAI, "environment": ["LANG"]}, "handler.environment"),
]


def problems(handler: dict[str, Any]) -> list[str]:
    """Where the problems of a file with this handler are."""
    whole = {"state_dir": "state", "handler": handler, "channels": {"memory": {"folder": "chat"}}}
    return [problem.where for problem in parse_config(msgspec.json.encode(whole), toml=False)[1]]


@pytest.mark.parametrize("handler", GOOD, ids=lambda handler: str(next(iter(handler))))
def test_each_way_is_read(handler: dict[str, Any]) -> None:
    """Each way by itself is accepted."""
    assert [] == problems(handler)


@pytest.mark.parametrize(("what", "handler", "where"), BAD, ids=[row[0] for row in BAD])
def test_what_is_refused(what: str, handler: dict[str, Any], where: str) -> None:
    """Each is one problem, at its place."""
    assert [where] == problems(handler)
