"""A bot on Slack, on Bolt. `slack_bot_ungated.py` answers everybody, whatever is said in a channel; `slack_bot.py` has
a gate and answers whoever asks it, where `policy.toml` in the working folder lets it.

    python examples/slack_bot.py TOKEN_FILE SIGNING_SECRET_FILE PORT

Needs `pip install 'dragoman[slack]'`. Slack calls `/slack/events` at PORT. The files hold the bot's token and the app's
signing secret, and nothing else. A fourth argument is another Web API.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def think(text: str) -> str:
    """Stands for your model."""
    return f"I read: {' '.join(text.split())[:200]}"


def main(arguments: list[str]) -> int:
    """Read the arguments; without any, say how to use this and end well."""
    if not arguments:
        print(__doc__)
        return 0
    from slack_bolt.async_app import AsyncApp
    from slack_sdk.web.async_client import AsyncWebClient

    token, secret = (Path(name).read_text().strip() for name in arguments[:2])
    client = AsyncWebClient(token=token, base_url=(*arguments[3:], "https://slack.com/api/")[0])
    bot = AsyncApp(client=client, signing_secret=secret)

    @bot.event("message")
    async def on_message(body: dict[str, Any], say: Any) -> None:
        await say(think(body["event"].get("text", "")))

    bot.start(port=int(arguments[2]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
