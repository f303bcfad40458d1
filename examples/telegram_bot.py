"""A bot on Telegram, on python-telegram-bot. `telegram_bot_ungated.py` answers everybody, whatever is said in a group;
`telegram_bot.py` has a gate and answers whoever asks it, where `policy.toml` in the working folder lets it.

    python examples/telegram_bot.py TOKEN_FILE

Needs `pip install 'dragoman[telegram]'`. TOKEN_FILE holds the token that BotFather gave, and nothing else. A second
argument is another Bot API.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

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
    from telegram import Update
    from telegram.ext import ApplicationBuilder, MessageHandler, filters

    token, api = Path(arguments[0]).read_text().strip(), (*arguments[1:], "https://api.telegram.org")[0]
    bot = ApplicationBuilder().token(token).base_url(f"{api}/bot").concurrent_updates(True).build()
    gate = Gate(policy=load_policy("policy.toml"))
    desk = gate.guard(bot)

    async def on_message(update: Update, context: Any) -> None:
        await gate.handle(await desk.event(update), desk, agent)

    bot.add_handler(MessageHandler(filters.ALL, on_message))
    bot.run_polling()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
