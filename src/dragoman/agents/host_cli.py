"""A model host's own command line as a handler: what Claude Code and Codex have in common (spec 2 §2).

A host's CLI is built to act: it has tools, reads its user's settings, and takes parts of a prompt for commands. As a
handler it is a model and nothing else. The order of one turn:

1. the key is read from its private file (0600); it goes into the child's environment under one name, never into an
   argument or a file, and no role key or token is anywhere near;
2. standing orders and the answer's schema are private files in the run's fresh folder; the counterparty's words, inert,
   are stdin, which is closed after them; arguments are fixed text of the operator's and ours, so that nothing which a
   counterparty writes becomes an option;
3. `HOME` and the host's own folder are the run's folder: no user's settings, hooks, plugins, skills, or log-in;
4. the program's hash is checked and it runs bounded, as any command;
5. the envelope is read by the host's file; the answer in it by `asking.read_words`.

The command is the host's native program, or an interpreter and a script, by absolute paths. A file that begins with
`#!` is refused: `env` in it would let `PATH` choose the interpreter, unhashed. So is a known launcher script: it only
starts another file, whose content nobody would check.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

import msgspec

from dragoman.agents.asking import FORM, inert, orders_in_one, read_words, words
from dragoman.agents.attempt import attempt, heard
from dragoman.agents.contract import ANSWER_SCHEMA, Fault, HandlerAnswer, HandlerFailed, HandlerRequest
from dragoman.agents.openai import read_key
from dragoman.agents.process import Ran
from dragoman.agents.program import Program, Room
from dragoman.errors import DragomanError
from dragoman.gate.prompt import STRICT_PROMPT

ORDERS: Final = "orders.txt"
SCHEMA: Final = "answer.schema.json"
"""Files of the run's folder that the fixed arguments may name."""
_LAUNCHERS: Final = frozenset({"codex.js", "cli-wrapper.cjs"})
_EVIDENCE_CHARACTERS: Final = 4_000

MakeProgram = Callable[[tuple[str, ...]], Program]
"""Authorises an argument list; raises `config_invalid` when it is refused."""


class Host(Protocol):
    """One host's ways."""

    @property
    def command(self) -> tuple[str, ...]:
        """Absolute path of the program, or of an interpreter and its script."""
        ...

    @property
    def key_file(self) -> Path:
        """The private file that holds the key."""
        ...

    def arguments(self) -> tuple[str, ...]:
        """The fixed arguments after the command."""
        ...

    def variables(self, key: str) -> dict[str, str]:
        """What its environment holds besides the allow-list, the key included."""
        ...

    def homes(self) -> tuple[str, ...]:
        """Variables that must lead to the run's own folder."""
        ...

    def words_of(self, stdout: bytes) -> str:
        """The model's whole text out of the host's envelope.

        Raises:
            HandlerFailed: with its fault.
        """
        ...


class HostCliHandler:
    """A handler that asks one model through its host's CLI.

    Args:
        host: which host, and how it is set.
        make: authorises the whole argument list.

    Raises:
        DragomanError: `config_invalid` for an address that is not allowed or a command that cannot be held to its
            content, `key_invalid` for the key file.
    """

    def __init__(self, host: Host, make: MakeProgram) -> None:
        _check_command(host.command)
        host.variables(read_key(host.key_file))  # an unusable key or address shows at the start, not at a turn
        self.host = host
        self.program = make((*host.command, *host.arguments()))

    def fingerprint(self) -> str:
        """What the scope digest holds: arguments, file hashes, environment without the key, and the standing orders."""
        facts = [
            self.program.fingerprint(),
            sorted(self.host.variables("").items()),
            self.host.homes(),
            STRICT_PROMPT,
            FORM,
        ]
        return hashlib.sha256(msgspec.json.encode(facts)).hexdigest()

    async def answer(self, request: HandlerRequest) -> HandlerAnswer:
        """Ask once for `request`.

        Raises:
            HandlerFailed: no usable answer; the turn failed and stays charged.
            DragomanError: `key_invalid`, when the key file cannot be used; nothing was run.
        """
        key = read_key(self.host.key_file)
        room = Room(
            files={ORDERS: orders_in_one(request).encode(), SCHEMA: msgspec.json.encode(ANSWER_SCHEMA)},
            variables=self.host.variables(key),
            homes=self.host.homes(),
        )
        try:
            ran = await attempt(self.program, inert(words(request)).encode(), room)
        except HandlerFailed as failed:
            failed.evidence = failed.evidence.replace(key, "<key>")
            raise
        try:
            said = self._words(ran)
            if key in said:
                raise HandlerFailed(Fault.HOST_ERROR, "the answer holds the key")
            return read_words(said, request)
        except HandlerFailed as failed:
            failed.evidence = _evidence(ran).replace(key, "<key>")
            raise

    def _words(self, ran: Ran) -> str:
        """The words of a good run. Of a bad one the envelope only says why; it is never an answer."""
        try:
            said = self.host.words_of(ran.stdout)
        except HandlerFailed as failed:
            if ran.exit_code == 0 or failed.fault in (Fault.TOOL_CALL, Fault.HOST_ERROR):
                raise
            raise HandlerFailed(Fault.EXIT_CODE, f"exit code {ran.exit_code}") from failed
        if ran.exit_code != 0:
            raise HandlerFailed(Fault.EXIT_CODE, f"exit code {ran.exit_code}")
        return said


def _evidence(ran: Ran) -> str:
    """The ends of stderr and of the envelope: hosts explain themselves on both."""
    return "\n".join(
        (heard(ran)[-_EVIDENCE_CHARACTERS:], ran.stdout.decode("utf-8", "replace")[-_EVIDENCE_CHARACTERS:])
    )


def _check_command(command: tuple[str, ...]) -> None:
    for path in command:
        if os.path.basename(os.path.realpath(path)) in _LAUNCHERS:
            raise DragomanError(
                "config_invalid",
                "a launcher script: it starts another file, whose content would not be checked",
                where=path,
                fix="name the native program that it starts",
            )
    if _begins_with_interpreter(command[0]):
        raise DragomanError(
            "config_invalid",
            "a script as the command: what runs it would not be checked",
            where=command[0],
            fix="name the interpreter and the script, both by absolute path, or the host's native program",
        )


def _begins_with_interpreter(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False  # it is refused by name, where the program is authorised
