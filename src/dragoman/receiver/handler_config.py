"""`handler` of the configuration: exactly one way to an agent, with everything that it needs (spec 2 §2).

Each kind is a table of its own, so that a key of another kind is an unknown key. Tools of a host's CLI are named one by
one; there is no word for all of them, and no name that could be read as an option or a pattern.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta

from dragoman.receiver.fields import Argv, Path_, Seconds, Section

KINDS: Final = ("command", "openai", "claude_code", "codex")
Url = Annotated[str, Meta(min_length=8, max_length=300)]
ModelName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/@+\[\]-]{0,199}\Z")]
ClaudeTool = Literal["Bash", "Edit", "Read"]
"""What exists in Claude Code's bare mode; another name would have no effect."""
CodexTool = Literal["shell", "view_image", "web_search"]


class OpenAISection(Section, frozen=True, kw_only=True):
    """`handler.openai`: an OpenAI-compatible endpoint. `api_key_file` is a private file."""

    base_url: Url
    model: Annotated[str, Meta(min_length=1, max_length=200)]
    api_key_file: Path_ | None = None
    max_tokens: Annotated[int, Meta(ge=1, le=100_000)] = 800


class ClaudeCodeSection(Section, frozen=True, kw_only=True):
    """`handler.claude_code`: the Claude Code CLI. `tools` are built-in tools by name; all others are off."""

    command: Argv
    api_key_file: Path_
    base_url: Url | None = None
    model: ModelName | None = None
    tools: Annotated[tuple[ClaudeTool, ...], Meta(max_length=3)] = ()
    max_turns: Annotated[int, Meta(ge=1, le=100)] = 8
    max_tokens: Annotated[int, Meta(ge=1, le=100_000)] = 8_000


class CodexSection(Section, frozen=True, kw_only=True):
    """`handler.codex`: the Codex CLI. `tools` are left on by name; all others are off."""

    command: Argv
    api_key_file: Path_
    model: ModelName
    base_url: Url | None = None
    tools: Annotated[tuple[CodexTool, ...], Meta(max_length=3)] = ()


class HandlerSection(Section, frozen=True, kw_only=True):
    """`handler`: exactly one of `command` (absolute path and fixed arguments), `openai`, `claude_code`, `codex`."""

    command: Argv | None = None
    openai: OpenAISection | None = None
    claude_code: ClaudeCodeSection | None = None
    codex: CodexSection | None = None
    timeout_seconds: Seconds = 120
    max_output_bytes: Annotated[int, Meta(ge=256, le=4 * 1024 * 1024)] = 256 * 1024
    environment: tuple[str, ...] = ()
    """Names of further variables that the command may see."""


def handler_problems(section: HandlerSection) -> list[tuple[str, str, str]]:
    """Where, what and how to mend it, of everything that only shows between the keys."""
    named = [kind for kind in KINDS if getattr(section, kind) is not None]
    if len(named) != 1:
        detail = f"needs exactly one of {', '.join(f'`{kind}`' for kind in KINDS)}"
        detail += f", has {', '.join(named)}" if named else ""
        return [("handler", detail, "keep one")]
    if section.environment and section.openai is not None:
        return [("handler.environment", "has no effect beside `openai`: no command is run", "remove it")]
    return []
