"""A bot on Matrix that embeds the gate: it answers whoever asks it, where your policy lets it, and nobody else.

    python examples/matrix_bot.py HOMESERVER USER_ID TOKEN_FILE POLICY_FILE [STATE_FOLDER]
    python examples/matrix_bot.py https://matrix.example.org @desk:example.org token policy.toml state

Needs `pip install 'dragoman[matrix]'`. TOKEN_FILE holds the bot's access token and nothing else (`chmod 600`). The
policy lists the rooms by their ids, for example:

    version = 1

    [[targets]]
    platform = "matrix"
    workspace = "@desk:example.org"
    channel = "!abcdefgh:example.org"
    audience = "external"

What was said before the bot came is history. Without a state folder its memory ends with the process: drafts that the
gate held back are lost then, and each decision is printed. A policy that you change holds from the next event on.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path

from dragoman import Gate, PolicyWatch, Turn, open_state
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError
from dragoman.gate.ports import Entry


async def agent(turn: Turn) -> None:
    """Stands for your own agent: ask your model about `turn.event.body` here. Its only way to speak is the turn."""
    said = " ".join(turn.event.body.split())[:200]
    await turn.reply(f"I read: {said}" if said else "I cannot read that here. Please write it down.")


class Printed:
    """A journal that shows each decision as a line: what happened and why, never who said what."""

    def record(self, entry: Entry) -> None:
        """Print one record."""
        print(f"{entry.kind}: {entry.outcome} ({entry.reason})", flush=True)


def refused(error: DragomanError) -> None:
    """The policy as it was changed does not load; the one before it holds until it is mended."""
    print(f"the changed policy is not in force: {error}", file=sys.stderr)


async def run(homeserver: str, user_id: str, token_file: Path, gate: Gate) -> None:
    """Connect, and give every event of the stream to the gate, until interrupted."""
    from dragoman.channels.matrix.adapter import MatrixChannel
    from dragoman.channels.matrix.connection import read_token
    from dragoman.channels.matrix.state import MatrixAgent

    me = MatrixAgent(user_id=user_id)
    channel = MatrixChannel(homeserver, read_token(token_file), me, clock=SystemClock())
    try:
        await channel.open()
        stream = channel.events(None)
        await anext(stream)
        gate.resume(channel, agent)
        print("listening", flush=True)
        async for batch in stream:
            for arrival in batch.arrivals:
                await gate.handle(channel.event(arrival.raw, arrival.received_at), channel, agent)
    finally:
        gate.close()
        await channel.close()


def main(arguments: list[str]) -> int:
    """Read the arguments; without the first four, say how to use this and end well."""
    if len(arguments) not in (4, 5):
        print("This bot needs a Matrix account. Usage:")
        print("    python examples/matrix_bot.py HOMESERVER USER_ID TOKEN_FILE POLICY_FILE [STATE_FOLDER]")
        return 0
    homeserver, user_id, token_file, policy_file, *folder = arguments
    try:
        policy = PolicyWatch(policy_file, refused=refused)
        gate = Gate(policy=policy, **open_state(folder[0])) if folder else Gate(policy=policy, journal=Printed())
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(run(homeserver, user_id, Path(token_file), gate))
    except (DragomanError, OSError, ValueError) as error:
        print(f"cannot run: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
