"""A bot on Discord, on discord.py. `discord_bot_ungated.py` answers everybody, whatever is said in a channel;
`discord_bot.py` has a gate and answers whoever asks it, where `policy.toml` in the working folder lets it.

    python examples/discord_bot.py TOKEN_FILE

Needs `pip install 'dragoman[discord]'`, and the message content intent. TOKEN_FILE holds the bot's token, and nothing
else.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dragoman import Gate, Turn, load_policy


def think(text: str) -> str:
    """Stands for your model."""
    return f"I read: {' '.join(text.split())[:200]}"


async def agent(turn: Turn) -> None:
    await turn.reply(think(turn.event.body))


def main(arguments: list[str]) -> int:
    """Read the arguments; without any, say how to use this and end well."""
    if not arguments:
        print(__doc__)
        return 0
    import discord

    asked = discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=True)
    bot = discord.Client(intents=asked)
    gate = Gate(policy=load_policy("policy.toml"))
    desk = gate.guard(bot)

    @bot.event
    async def on_message(message: discord.Message) -> None:
        if message.author != bot.user:
            await gate.handle(await desk.event(message), desk, agent)

    bot.run(Path(arguments[0]).read_text().strip())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
