"""What do the words of a message say, as far as a decision asks? Three questions, and who answers them. Pure.

`LiveText` answers from the text itself. `remembered.py` answers the same questions from a journal record, which holds
no text; the decision cannot tell them apart, and so there is one engine for both (spec 1 §9).
"""

from __future__ import annotations

from typing import Protocol

from dragoman.gate.asked import Substance
from dragoman.gate.event import Command
from dragoman.gate.live_text import command_of, leading_name, open_question, substantive
from dragoman.gate.policy import Policy


class Said(Protocol):
    """The words of one message."""

    def command(self, policy: Policy) -> Command | None:
        """The command that the text starts with, behind one of the policy's prefixes."""
        ...

    def calls_other(self, policy: Policy) -> bool:
        """Whether the text starts by calling somebody else than the agent."""
        ...

    def substance(self) -> Substance:
        """`NOTHING`, `TEXT` or `QUESTION`."""
        ...


class LiveText:
    """The words of a message that is here."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def command(self, policy: Policy) -> Command | None:
        """The command that the text starts with, behind one of the policy's prefixes."""
        return command_of(self._text, policy.command_prefixes, policy.agent_names)

    def calls_other(self, policy: Policy) -> bool:
        """Whether the text starts by calling somebody else than the agent."""
        return leading_name(self._text, policy.agent_names)

    def substance(self) -> Substance:
        """`NOTHING`, `TEXT` or `QUESTION`."""
        if not substantive(self._text):
            return Substance.NOTHING
        return Substance.QUESTION if open_question(self._text) else Substance.TEXT
