"""What the files about runs share: words that leave or are held, and how a draft comes to wait."""

from __future__ import annotations

from typing import Any, Final

from tests.cases.doors import Daemon

PLAIN: Final = "Good morning."
PRICE: Final = "Our rate is 12 euros per unit."
FOREIGN: Final = "They also supply the Northwind depot."
RETRIES: Final = (0, 6, 40, 80)
"""Seconds ahead at which a failed turn has been tried as often as it is."""


def at(policy: str, channel: str, line: str) -> str:
    """The policy with one more line in the table of a target."""
    return policy.replace(f'channel = "{channel}"\naudience', f'channel = "{channel}"\n{line}\naudience')


def texts_of(call: dict[str, Any]) -> list[str]:
    """What the handler was handed to read."""
    return [message["text"] for message in call["messages"]]


def held(daemon: Daemon, channel: str = "EXT", text: str = PRICE) -> str:
    """A draft that waits for approval; its id."""
    before = {draft["id"] for draft in daemon.drafts()} if (daemon.folder / "state").exists() else set()
    daemon.answers(text)
    daemon.platform.ask("what is your rate?", channel=channel, direct=channel.startswith("DM"))
    daemon.once()
    (new,) = {draft["id"] for draft in daemon.drafts()} - before
    return str(new)
