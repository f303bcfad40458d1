"""A bot on Matrix that embeds the gate: it answers whoever asks it, where your policy lets it, and nobody else.

    python examples/matrix_bot.py HOMESERVER USER_ID TOKEN_FILE POLICY_FILE
    python examples/matrix_bot.py https://matrix.example.org @desk:example.org token policy.toml

Needs `pip install 'dragoman[matrix]'`. TOKEN_FILE holds the bot's access token and nothing else (`chmod 600`). The
policy lists the rooms by their ids, for example:

    version = 1

    [[targets]]
    platform = "matrix"
    workspace = "@desk:example.org"
    channel = "!abcdefgh:example.org"
    audience = "external"

What was said before the bot came is history, and its memory ends with the process: drafts that the gate held back are
lost then. Where that matters, give the gate ports that keep what they are told.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import sys
from pathlib import Path

from dragoman.clock import SystemClock
from dragoman.errors import DragomanError
from dragoman.gate.embedded import Agent
from dragoman.gate.event import Event
from dragoman.gate.gate import Gate
from dragoman.gate.in_memory import MemoryApprovals, MemoryCharges, MemorySeen
from dragoman.gate.policy import Policy
from dragoman.gate.policy_file import parse_policy, terms_files_named
from dragoman.gate.ports import Entry, Turn


def agent_for(event: Event) -> Agent:
    """Stands for your own agent: ask your model about `event.body` here. Its only way to speak is the turn."""

    async def agent(turn: Turn) -> None:
        said = " ".join(event.body.split())[:200]
        await turn.reply(f"I read: {said}" if said else "I cannot read that here. Please write it down.")

    return agent


class Printed:
    """A journal that shows each decision as a line: what happened and why, never who said what."""

    def record(self, entry: Entry) -> None:
        """Print one record."""
        print(f"{entry.kind}: {entry.outcome} ({entry.reason})", flush=True)


def read_policy(path: Path) -> Policy:
    """The policy file, with the lists of terms that it names beside it."""
    raw = path.read_bytes()
    return parse_policy(raw, {name: (path.parent / name).read_bytes() for name in terms_files_named(raw)})


async def run(homeserver: str, user_id: str, token_file: Path, policy: Policy) -> None:
    """Connect, and give every event of the stream to the gate, until interrupted."""
    from dragoman.channels.matrix.adapter import MatrixChannel
    from dragoman.channels.matrix.connection import read_token
    from dragoman.channels.matrix.state import MatrixAgent

    clock, me = SystemClock(), MatrixAgent(user_id=user_id)
    gate = Gate(
        policy=policy,
        journal=Printed(),
        approvals=MemoryApprovals(),
        charges=MemoryCharges(),
        seen=MemorySeen(),
        clock=clock,
        new_id=lambda kind: f"{kind}-{secrets.token_hex(8)}",
    )
    channel = MatrixChannel(homeserver, read_token(token_file), me, clock=clock)
    try:
        await channel.open()
        stream = channel.events(None)
        await anext(stream)
        print("listening", flush=True)
        async for batch in stream:
            for arrival in batch.arrivals:
                event = channel.event(arrival)
                await gate.handle(event, channel, agent_for(event))
    finally:
        await channel.close()


def main(arguments: list[str]) -> int:
    """Read the arguments; without all four, say how to use this and end well."""
    if len(arguments) != 4:
        print("This bot needs a Matrix account. Usage:")
        print("    python examples/matrix_bot.py HOMESERVER USER_ID TOKEN_FILE POLICY_FILE")
        return 0
    homeserver, user_id, token_file, policy_file = arguments
    try:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(run(homeserver, user_id, Path(token_file), read_policy(Path(policy_file))))
    except (DragomanError, OSError, ValueError) as error:
        print(f"cannot run: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
