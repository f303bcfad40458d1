"""What we say by IRC, and what proves that it was said; `adapter.py` has the laws (3 to 5)."""

from __future__ import annotations

import asyncio
from typing import Final

from dragoman.channels.irc.connection import Connection, Unsent
from dragoman.channels.irc.facts import PLATFORM
from dragoman.channels.irc.line import Line, folded
from dragoman.channels.irc.live import same
from dragoman.channels.irc.outgoing import OPERATIONS, lines, unsayable
from dragoman.channels.irc.state import IrcAgent
from dragoman.clock import SECOND, Clock
from dragoman.gate.ports import Output, Receipt
from dragoman.identity import Target
from dragoman.words import Fact

BURST: Final = 4
"""Lines that may follow each other at once."""
_REFUSALS: Final = frozenset(
    {"401", "403", "404", "407", "408", "411", "412", "413", "414", "415", "477", "482", "531"}
)
_LATER: Final = frozenset({"263", "439"})
"""Numerics that say: too fast."""
_ANSWERS: Final = _REFUSALS | _LATER | {"PRIVMSG", "ACK"}


class Sending:
    """The way out of one account.

    Args:
        agent: who we are.
        clock: for `retry_at`.
        spacing: seconds between lines, after the first few.
    """

    def __init__(self, agent: IrcAgent, clock: Clock, spacing: float) -> None:
        self._agent, self._clock, self._spacing = agent, clock, spacing
        self._order = asyncio.Lock()
        self._serial = 0
        self._due = 0.0

    async def carry_out(self, output: Output, connection: Connection | None, nick: str, known: bool) -> Receipt:
        """One output, to a channel or to the person who was last seen under `nick`; `known` if `reply_to` is the id of
        a message that was seen there."""
        refusal = self._refusal(output, connection)
        if refusal:
            return Receipt(delivered=Fact.NO, detail=refusal)
        if connection is None or not connection.up:
            return self._nowhere()
        async with self._order:
            try:
                to = await self._address(output.target.channel, nick, connection)
            except Unsent:
                return self._nowhere()
            except TimeoutError:
                return Receipt(delivered=Fact.NO, detail="not found out who is there")
            if not to:
                return Receipt(delivered=Fact.NO, detail="nobody there who is logged in to that account")
            return await self._said(output, to, connection, known=known)

    async def _address(self, channel: str, nick: str, connection: Connection) -> str:
        """To whom a line is written: the channel, or a nick that is logged in to that very account now."""
        if channel[:1] in connection.chantypes:
            return channel if connection.members(channel) is not None else ""
        for each in dict.fromkeys((nick, connection.nick_of(channel))):
            if each and await connection.account_of(each) == channel:
                return each
        return ""

    async def _said(self, output: Output, to: str, connection: Connection, *, known: bool) -> Receipt:
        """Every line of an output, each after what became of the one before is known."""
        self._serial += 1
        first = ""
        for number, (text, joined) in enumerate(lines(output.text)):
            tags: dict[str, str] = {}
            if connection.can("labeled-response"):
                tags["label"] = f"{self._serial}-{number}-{'c' if joined else 'n'}"
            if known and output.reply_to and not number and connection.can("message-tags"):
                tags["+reply"] = output.reply_to
            receipt = await self._line(to, text, tags, connection)
            if receipt.delivered is not Fact.YES and number:
                return Receipt(delivered=Fact.UNKNOWN, evidence=first, detail=f"only {number} lines are proven")
            if receipt.delivered is not Fact.YES:
                return receipt
            first = first or receipt.evidence
        return Receipt(delivered=Fact.YES, evidence=first)

    async def _line(self, to: str, text: str, tags: dict[str, str], connection: Connection) -> Receipt:
        """The receipt of one line."""
        await self._turn()

        batches: set[str] = set()

        def told(line: Line) -> bool:
            if "label" in tags:
                mine = line.tags.get("label") == tags["label"] or line.tags.get("batch") in batches
                if mine and line.command == "BATCH":
                    batches.add(line.target[1:])
                return mine and line.command in _ANSWERS
            echo = line.command == "PRIVMSG" and same(line.nick, connection.nick, connection.mapping)
            echo = echo and same(line.target, to, connection.mapping) and line.text == text
            refused = line.command in _REFUSALS | _LATER and same("".join(line.params[1:2]), to, connection.mapping)
            return echo or refused

        try:
            answer = await connection.ask(told, "PRIVMSG", to, text, tags=tags)
        except Unsent:
            return self._nowhere()
        except TimeoutError:
            return Receipt(delivered=Fact.UNKNOWN, detail="no echo in time")
        if answer.command == "PRIVMSG":
            return Receipt(delivered=Fact.YES, evidence=answer.tags.get("msgid", "") or f"echo {tags.get('label', '')}")
        if answer.command in _LATER:
            return Receipt(delivered=Fact.NO, detail="too fast", retry_at=self._clock.now() + 30 * SECOND)
        if answer.command in _REFUSALS:
            return Receipt(delivered=Fact.NO, detail=f"refused: {answer.command}")
        return Receipt(delivered=Fact.UNKNOWN, detail=f"answered by {answer.command}")

    async def _turn(self) -> None:
        """Wait until one more line may leave."""
        now = asyncio.get_running_loop().time()
        due = max(self._due, now - (BURST - 1) * self._spacing)
        self._due = due + self._spacing
        await asyncio.sleep(max(0.0, due - now))

    def _refusal(self, output: Output, connection: Connection | None) -> str:
        """Why an output cannot be carried out at all, or the empty string."""
        channel = output.target.channel
        if output.operation not in OPERATIONS:
            return "operation not declared"
        if not self.ours(output.target):
            return "not a place of this account"
        if any(char.isspace() or char in ",\x00\x07:" for char in channel):
            return "no name of a channel or of an account"
        if (
            connection is not None
            and channel[:1] in connection.chantypes
            and folded(channel, connection.mapping) != channel
        ):
            return "not written as the network compares it"
        if output.parts:
            return "not declared with these parts"
        return unsayable(output.text)

    def ours(self, target: Target) -> bool:
        """Whether a target is of this account."""
        return target.platform == PLATFORM and target.workspace == self._agent.workspace

    def _nowhere(self) -> Receipt:
        return Receipt(delivered=Fact.NO, detail="not connected", retry_at=self._clock.now() + 5 * SECOND)
