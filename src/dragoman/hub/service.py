"""The hub: its rooms over one desk, and what it says of itself.

Each room's verbs open their transaction, fetch facts, let `rules` decide, write, and answer:

1. Whom the token names is looked up in the same transaction as the work: no takeover can slip in between the two.
2. Every write asks `rules.may_write` first. Then a replay is recognised, then the present state is checked.
3. Looking takes the reading road and commits nothing; an idle poll only looks.
4. `now` is asked for inside the transaction, not when the request came in.
"""

from __future__ import annotations

import asyncio

from dragoman import wire
from dragoman.clock import SECOND
from dragoman.hub.blocks import Blocks
from dragoman.hub.communication import Communication
from dragoman.hub.contacts import Contacts
from dragoman.hub.delegations import Delegations
from dragoman.hub.desk import Desk
from dragoman.hub.directory import Directory
from dragoman.hub.entrance import Entrance
from dragoman.hub.events import Events
from dragoman.hub.keys import Keys
from dragoman.hub.leases import Leases
from dragoman.hub.messages import Messages
from dragoman.hub.porter import Porter
from dragoman.hub.pulse import Pulse
from dragoman.hub.refusal import Refusal
from dragoman.hub.reports import Reports
from dragoman.hub.subscriptions import Subscriptions
from dragoman.hub.upkeep import Upkeep
from dragoman.hub.validation import Validation


class Hub:
    """One hub over one store; without a porter nobody is limited in how often he asks."""

    def __init__(self, desk: Desk, porter: Porter | None = None) -> None:
        self.desk = desk
        self.porter = porter or Porter(desk.store, desk.clock)
        self._written_at = 0
        self._writing: asyncio.Future[None] | None = None
        self.entrance = Entrance(desk)
        self.keys = Keys(desk)
        self.contacts = Contacts(desk)
        self.messages = Messages(desk)
        self.pulse = Pulse(desk)
        self.leases = Leases(desk, self.pulse)
        self.communication = Communication(desk)
        self.reports = Reports(desk, self.pulse)
        self.upkeep = Upkeep(desk, self.pulse)
        self.events = Events(desk)
        self.directory = Directory(desk)
        self.subscriptions = Subscriptions(desk)
        self.delegations = Delegations(desk)
        self.blocks = Blocks(desk)
        self.validation = Validation(desk)
        self.closing = False
        """Set when the hub goes down: waiting polls return."""

    def well_known(self) -> wire.WellKnown:
        """What the hub publishes of itself."""
        return wire.WellKnown(
            protocol_version=wire.PROTOCOL_VERSION,
            limits=self.desk.limits,
            server_time=self.desk.clock.now(),
            registration="invited" if self.desk.invited else "open",
            minimum_client_version=self.desk.minimum_client_version,
            client_releases=list(self.desk.client_releases),
        )

    async def _write(self, now: int) -> None:
        await self.desk.store.write(lambda tx: tx.run("meta_mark", value=str(now).encode()))
        self._written_at = now

    async def health(self) -> wire.Health:
        """Whether the hub is ready: it stays up, and its store takes writes. Looked at once a second at most."""
        if self.closing:
            raise Refusal("shutting_down")
        now = self.desk.clock.now()
        if not self._written_at <= now < self._written_at + SECOND:
            if self._writing is None or self._writing.done():
                self._writing = asyncio.ensure_future(self._write(now))
            # One look for all who ask meanwhile; one of them that goes away does not end it.
            await asyncio.shield(self._writing)
        return wire.Health(status="ok")
