"""The configured way to an agent, ready to be asked (spec 2 §2).

One table entry per kind; a command of any kind is authorised by `runs.program_of`, and a host's CLI with its whole
argument list. Files of host CLIs are loaded only when they are used. Nothing is run here, and no key is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from dragoman.agents import process
from dragoman.agents.command import CommandHandler
from dragoman.agents.contract import HandlerAnswer, HandlerRequest
from dragoman.agents.openai import Endpoint, OpenAIHandler
from dragoman.agents.program import Program
from dragoman.clock import SECOND
from dragoman.receiver.config import Config
from dragoman.receiver.handler_config import ClaudeCodeSection, CodexSection, OpenAISection
from dragoman.receiver.runs import program_of


class Handler(Protocol):
    """Whatever answers a turn."""

    def fingerprint(self) -> str:
        """What the scope digest holds of this handler (spec 2 §3.15)."""
        ...

    async def answer(self, request: HandlerRequest) -> HandlerAnswer:
        """One answer to `request`.

        Raises:
            HandlerFailed: no usable answer; the turn failed and stays charged.
        """
        ...


def handler_of(config: Config, on_start: Callable[[process.Started], None] | None = None) -> Handler:
    """The configured handler.

    Raises:
        DragomanError: `config_invalid` when the command or the address is refused.
    """
    section = config.file.handler

    def program(argv: tuple[str, ...]) -> Program:
        limits = process.Limits(time_ms=section.timeout_seconds * SECOND, stdout_bytes=section.max_output_bytes)
        return program_of(config, argv, limits, section.environment, on_start)

    if section.openai is not None:
        return _openai(config, section.openai)
    if section.claude_code is not None:
        return _claude_code(config, section.claude_code, program)
    if section.codex is not None:
        return _codex(config, section.codex, program)
    assert section.command is not None
    return CommandHandler(program(section.command))


def _openai(config: Config, chosen: OpenAISection) -> OpenAIHandler:
    key = None if chosen.api_key_file is None else config.at(chosen.api_key_file)
    time_ms = config.file.handler.timeout_seconds * SECOND
    endpoint = Endpoint(chosen.base_url, api_key_file=key, time_ms=time_ms)
    return OpenAIHandler(endpoint, chosen.model, max_tokens=chosen.max_tokens)


def _claude_code(config: Config, chosen: ClaudeCodeSection, program: Callable[[tuple[str, ...]], Program]) -> Handler:
    from dragoman.agents.claude_code import ClaudeCode
    from dragoman.agents.host_cli import HostCliHandler

    host = ClaudeCode(
        command=chosen.command,
        key_file=config.at(chosen.api_key_file),
        base_url=chosen.base_url,
        model=chosen.model,
        tools=chosen.tools,
        max_turns=chosen.max_turns,
        max_tokens=chosen.max_tokens,
    )
    return HostCliHandler(host, program)


def _codex(config: Config, chosen: CodexSection, program: Callable[[tuple[str, ...]], Program]) -> Handler:
    from dragoman.agents.codex import Codex
    from dragoman.agents.host_cli import HostCliHandler

    host = Codex(
        command=chosen.command,
        key_file=config.at(chosen.api_key_file),
        model=chosen.model,
        base_url=chosen.base_url,
        tools=chosen.tools,
    )
    return HostCliHandler(host, program)
