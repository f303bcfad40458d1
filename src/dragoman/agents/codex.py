"""Codex in its headless mode as a handler: JSON lines out, the last message is the answer (spec 2 §2).

Codex has no single switch for its tools, and its read-only sandbox still runs commands: each feature that brings a
tool, a hook, a plugin or a skill is turned off by name, unless the operator allows its tool (`TOOLS`). A name that a
release no longer knows is an error (`--strict-config`): a switch which stopped working stops the turn too. Besides: the
model's base instructions are our orders · no user configuration, rules, project documents or skills (a `$skill` in a
counterparty's words would load one) · no session on disk · `never` asks for more rights · a retry is the receiver's
decision. Stdin is the prompt and is closed: an open pipe makes Codex wait.

Its output is read line by line, each one strict JSON object whose keys may grow: exactly one `turn.completed`, no
`turn.failed` and no `error`; every finished item is a message, a thought, a plan, a notice, or the work of an allowed
tool; of the messages the last one counts. An attempted call of a tool that does not exist is refused by Codex, which
tells the model so and shows nothing: what the model says then is its answer.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import msgspec

from dragoman.agents.contract import ANSWER_BYTES, Fault, HandlerFailed, read_object
from dragoman.agents.host_cli import ORDERS, SCHEMA
from dragoman.agents.openai import checked_url

ENVELOPE_BYTES: Final = 4 * ANSWER_BYTES
ADDRESS: Final = "https://api.openai.com"
KEY_NAME: Final = "HANDLER_API_KEY"

TOOLS: Final[dict[str, tuple[frozenset[str], frozenset[str]]]] = {
    "shell": (frozenset({"shell_tool", "unified_exec"}), frozenset({"command_execution"})),
    "view_image": (frozenset({"view_image"}), frozenset()),
    "web_search": (frozenset(), frozenset({"web_search"})),
}
"""For each tool that can be allowed: the features that bring it, and the items by which it shows."""

_FEATURES: Final = (
    *("shell_tool", "unified_exec", "view_image", "multi_agent", "goals", "image_generation", "sleep_tool"),
    *("apps", "plugins", "hooks", "skill_search", "tool_suggest", "browser_use", "computer_use", "code_mode_host"),
    *("memories", "shell_snapshot", "workspace_dependencies", "unbounded_connection_retries"),
)
_SPOKEN: Final = frozenset({"agent_message", "reasoning", "todo_list", "error"})
_SETTINGS: Final[dict[str, object]] = {
    "model_instructions_file": ORDERS,
    "approval_policy": "never",
    "project_doc_max_bytes": 0,
    "include_environment_context": False,
    "include_permissions_instructions": False,
    "skills.include_instructions": False,
    "skills.bundled.enabled": False,
    "tools.experimental_request_user_input.enabled": False,
    "shell_environment_policy.inherit": "none",
    "history.persistence": "none",
    "analytics.enabled": False,
    "feedback.enabled": False,
    "check_for_update_on_startup": False,
    "model_provider": "chosen",
    "model_providers.chosen.name": "chosen",
    "model_providers.chosen.env_key": KEY_NAME,
    "model_providers.chosen.wire_api": "responses",
    "model_providers.chosen.request_max_retries": 0,
    "model_providers.chosen.stream_max_retries": 0,
}


class Codex(msgspec.Struct, frozen=True, kw_only=True):
    """How Codex is set. `tools` are those of `TOOLS` that are left on; commands stay in its read-only sandbox."""

    command: tuple[str, ...]
    key_file: Path
    model: str
    base_url: str | None = None
    tools: tuple[str, ...] = ()

    def arguments(self) -> tuple[str, ...]:
        """Every option; the same for every turn."""
        kept = frozenset[str]().union(*(TOOLS[tool][0] for tool in self.tools))
        settings = _SETTINGS | {
            "web_search": "live" if "web_search" in self.tools else "disabled",
            "model_providers.chosen.base_url": f"{checked_url(self.base_url or ADDRESS)}/v1",
        }
        return (
            *("exec", "--json", "--color", "never", "--strict-config", "--ignore-user-config", "--ignore-rules"),
            *("--ephemeral", "--skip-git-repo-check", "--sandbox", "read-only", "--output-schema", SCHEMA),
            *(word for name, value in settings.items() for word in ("--config", f"{name}={json.dumps(value)}")),
            *(word for name in _FEATURES if name not in kept for word in ("--disable", name)),
            *("--model", self.model, "-"),
        )

    def variables(self, key: str) -> dict[str, str]:
        """The key, under the one name that the arguments tell Codex."""
        return {KEY_NAME: key}

    def homes(self) -> tuple[str, ...]:
        """Where it would look for its user's settings, and leave its own."""
        return ("HOME", "CODEX_HOME", "TMPDIR")

    def words_of(self, stdout: bytes) -> str:
        """The last message in a stream of events (order of the file's law)."""
        if len(stdout) > ENVELOPE_BYTES:
            raise HandlerFailed(Fault.OUTPUT_TOO_LARGE, f"{len(stdout)} bytes, at most {ENVELOPE_BYTES}")
        events = [read_object(line, limit=ENVELOPE_BYTES) for line in stdout.split(b"\n") if line.strip()]
        kinds = [event.get("type") for event in events]
        if "turn.failed" in kinds or "error" in kinds:
            raise HandlerFailed(Fault.HOST_ERROR, "the host reports that the turn failed")
        if kinds.count("turn.completed") != 1:
            raise HandlerFailed(Fault.WRONG_SCHEMA, "the host's output holds no single finished turn")
        items = [_item(event) for event in events if event.get("type") == "item.completed"]
        self._check_work([_item(event) for event in events if str(event.get("type")).startswith("item.")])
        said = [item.get("text") for item in items if item.get("type") == "agent_message"]
        if not said or type(said[-1]) is not str:
            raise HandlerFailed(Fault.WRONG_SCHEMA, "the host's output holds no message")
        return said[-1]

    def _check_work(self, items: list[dict[str, Any]]) -> None:
        allowed = _SPOKEN.union(*(TOOLS[tool][1] for tool in self.tools))
        if any(item.get("type") not in allowed for item in items):
            raise HandlerFailed(Fault.TOOL_CALL, "a tool was used that is not allowed")


def _item(event: dict[str, Any]) -> dict[str, Any]:
    item = event.get("item")
    if type(item) is not dict:
        raise HandlerFailed(Fault.WRONG_SCHEMA, "an item of the host's output is no object")
    return item
