"""`gate.guard(client)`: one door for a bot that keeps its platform's SDK (spec 1 §7).

    desk = gate.guard(app.client)
    await gate.handle(await desk.event(body), desk, agent)

1. By the client's class, and only when it is asked for, the platform's own guard is loaded; nothing else knows an SDK.
2. A class that no row names is refused: a client that is not guarded must not look as if it were.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, Protocol

from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.gate.gate import Gate as BareGate
from dragoman.gate.ports import Channel

GUARDS: Final[Mapping[str, str]] = {
    "slack_sdk": "dragoman.channels.slack.guard",
    "slack_bolt": "dragoman.channels.slack.guard",
    "telegram": "dragoman.channels.telegram.guard",
    "discord": "dragoman.channels.discord.guard",
}
"""Who guards the clients of which package; each has `guard(gate, client)`."""


class Desk(Channel, Protocol):
    """What a guarded client speaks by: a channel that also reads the facts of what the client's SDK brought."""

    async def event(self, said: Any) -> Event:
        """The facts of one payload (Slack), update (Telegram) or message (Discord) that the SDK authenticated."""
        ...

    async def close(self) -> None:
        """Close the connection that speaks; the client stays guarded."""
        ...


class Gate(BareGate):
    """One gate over one policy, for a bot of your own."""

    def guard(self, client: object) -> Desk:
        """Stop every sending call of `client`, and of whatever else carries its token in this process, from now on and
        until the process ends; what the gate releases leaves by the channel that this returns.

        `client` is a `WebClient`, `AsyncWebClient` or Bolt app of Slack, a `Bot` or `Application` of
        python-telegram-bot, or a `Client` of discord.py. A stopped call raises `DragomanError` with the code
        `ungated_send`, and leaves one record in the journal.

        Raises:
            DragomanError: `input_invalid` for a client of no known SDK; `conflict` when it is guarded already;
                `extra_missing`; `not_ready` for a version of its SDK that sends by another way.
        """
        for owner in type(client).__mro__:
            found = GUARDS.get(owner.__module__.partition(".")[0])
            if found is not None:
                desk: Desk = import_module(found).guard(self, client)
                return desk
        kind = f"{type(client).__module__}.{type(client).__qualname__}"
        raise DragomanError(
            "input_invalid", f"no guard knows {kind}", where="guard", fix=f"one of: {', '.join(GUARDS)}"
        )
