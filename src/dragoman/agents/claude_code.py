"""Claude Code in its headless mode as a handler: one request to the model, one JSON result (spec 2 §2).

How it is held: `--bare` (no hooks, plugins, memories, project files; the key is the only log-in) · `--tools ""` (no
tool exists) unless the operator names some · no MCP servers but named ones, and none are named · no skills, no settings
sources, no session on disk · `dontAsk`: what is not allowed by name is refused, nobody is asked · one model turn
without tools, so that an attempted tool call ends the run instead of starting a talk about it.

Its result is one JSON object whose keys may grow from release to release; of it are read, in this order: `type` is
`result` → no turns left over (`error_max_turns`: a tool call) → `is_error` is false and `subtype` is `success` → no
permission was denied → `result` is a text. The text is the model's, verbatim. `--json-schema` is not used: it is
carried by a tool of the host's, and what comes back has been parsed and written again, so that a key given twice could
not be seen.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import msgspec

from dragoman.agents.contract import ANSWER_BYTES, Fault, HandlerFailed, read_object
from dragoman.agents.host_cli import ORDERS
from dragoman.agents.openai import checked_url

ENVELOPE_BYTES: Final = 4 * ANSWER_BYTES
_NAME: Final = re.compile(r"[a-z_]{1,40}")
_QUIET: Final = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
    "CLAUDE_CODE_MAX_RETRIES": "0",  # a second try is a charged turn, and the receiver's decision
    "DISABLE_AUTOUPDATER": "1",
}


class ClaudeCode(msgspec.Struct, frozen=True, kw_only=True):
    """How Claude Code is set. `tools`: which of `Bash`, `Edit`, `Read` (all that bare mode has) are on."""

    command: tuple[str, ...]
    key_file: Path
    base_url: str | None = None
    model: str | None = None
    tools: tuple[str, ...] = ()
    max_turns: int = 8
    """Model turns of one answer when tools are allowed; without any it is one."""
    max_tokens: int = 8_000

    def arguments(self) -> tuple[str, ...]:
        """Every option; the same for every turn."""
        named = ",".join(self.tools)
        return (
            *("--print", "--bare", "--input-format", "text", "--output-format", "json"),
            *("--tools", named, *(("--allowed-tools", named) if named else ())),
            *("--permission-mode", "dontAsk", "--strict-mcp-config", "--disable-slash-commands"),
            *("--setting-sources", "", "--no-session-persistence"),
            *("--max-turns", str(self.max_turns if named else 1)),
            *("--system-prompt-file", ORDERS),
            *(("--model", self.model) if self.model else ()),
        )

    def variables(self, key: str) -> dict[str, str]:
        """The key, the address and what keeps it quiet."""
        # A tool's process must not see the key; without bubblewrap Claude Code then refuses to start, and rightly so.
        apart = {"CLAUDE_CODE_SUBPROCESS_ENV_SCRUB": "1"} if self.tools else {}
        address = {"ANTHROPIC_BASE_URL": checked_url(self.base_url)} if self.base_url else {}
        return {
            "ANTHROPIC_API_KEY": key,
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(self.max_tokens),
            **_QUIET,
            **apart,
            **address,
        }

    def homes(self) -> tuple[str, ...]:
        """Where it would look for its user's settings, and leave its own."""
        return ("HOME", "CLAUDE_CONFIG_DIR", "TMPDIR")

    def words_of(self, stdout: bytes) -> str:
        """The model's text in a result (order of the file's law)."""
        result = read_object(stdout, limit=ENVELOPE_BYTES)
        subtype = result.get("subtype")
        if result.get("type") != "result":
            raise HandlerFailed(Fault.WRONG_SCHEMA, "the host's output is no `result`")
        if subtype == "error_max_turns":
            tried = "more turns than allowed" if self.tools else "a tool call, though no tools exist"
            raise HandlerFailed(Fault.TOOL_CALL, tried)
        if result.get("is_error") is not False or subtype != "success":
            raise HandlerFailed(Fault.HOST_ERROR, _why(result))
        if result.get("permission_denials", []) != []:
            raise HandlerFailed(Fault.TOOL_CALL, "a tool call that is not allowed")
        if type(said := result.get("result")) is not str:
            raise HandlerFailed(Fault.WRONG_SCHEMA, "the host's result holds no text")
        return said


def _why(result: dict[str, Any]) -> str:
    """Names and numbers only: the host's sentence may quote what it was given, and goes with the evidence."""
    subtype, status = result.get("subtype"), result.get("api_error_status")
    kind = subtype if isinstance(subtype, str) and _NAME.fullmatch(subtype) else "error"
    return f"the host reports `{kind}`" + (f", status {status}" if type(status) is int else ", no status")
