"""The porter: how often each address and each role may ask, and which role a token is of, for rates and the log.

1. A hub that is spoken to only on this machine (`here_only`) limits nobody: its callers are its owner's own.
2. Else every request counts for its address, one at the entrance twice over; a request with a token also for its role.
3. Log-ins of a role count once they have succeeded: nobody shuts a role out by failing in its name.
4. A role is looked up by the token's hash and kept for `FACE_MS`. A token of nobody, or one that has ended, has no role
   and is refused later: who holds one cannot use up what its role may ask.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from typing import Any, Final

from dragoman.clock import SECOND, Clock
from dragoman.hub import rows
from dragoman.hub.rates import Buckets, Rates, address_of, is_here
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Row, Store, Transaction

FACES: Final = 20_000
"""How many tokens are remembered with their roles."""
FACE_MS: Final = 15 * SECOND


class Porter:
    """The limits of one hub process.

    Args:
        proxies: addresses whose `X-Forwarded-For` is believed.
        here_only: every origin of the hub is this machine.
        watching: whether roles are wanted for a log though nobody is limited.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        rates: Rates | None = None,
        proxies: Collection[str] = (),
        here_only: bool = True,
        watching: bool = False,
    ) -> None:
        self._store = store
        self._clock = clock
        self._proxies = frozenset(proxies)
        self.here_only = here_only
        self._watching = watching
        rates = rates or Rates()
        self._address, self._entrance = Buckets(rates.address), Buckets(rates.entrance)
        self._role, self._log_in = Buckets(rates.role), Buckets(rates.log_in)
        self._faces: OrderedDict[str, tuple[str, int]] = OrderedDict()

    def idle_for(self, peer: str) -> bool:
        """Whether nothing is to be asked about this caller: it is not limited, and nobody wants to know its role."""
        return not self._watching and not self._limits(peer)

    def at_entrance(self, peer: str, forwarded: list[str]) -> None:
        """Somebody unknown asks; refuses `rate_limited`."""
        if self._limits(peer):
            address = address_of(peer, forwarded, self._proxies)
            self._refuse(self._entrance.take(address, self._clock.now()))
            self._refuse(self._address.take(address, self._clock.now()))

    async def in_room(self, peer: str, forwarded: list[str], token: str | None) -> str | None:
        """Somebody asks with a token; its role, when that is wanted. Refuses `rate_limited`."""
        limits = self._limits(peer)
        if limits:
            self._refuse(self._address.take(address_of(peer, forwarded, self._proxies), self._clock.now()))
        if not token or not (limits or self._watching):
            return None
        role_id = await self._role_of(rows.token_hash(token))
        if limits and role_id is not None:
            self._refuse(self._role.take(role_id, self._clock.now()))
        return role_id

    def may_log_in(self, role_id: str) -> None:
        """A role is about to log in; refuses `rate_limited`."""
        if not self.here_only:
            self._refuse(self._log_in.wait_ms(role_id, self._clock.now()))

    def logged_in(self, role_id: str) -> None:
        """A role has logged in."""
        if not self.here_only:
            self._log_in.take(role_id, self._clock.now())

    def sees_metrics(self, peer: str, forwarded: list[str]) -> bool:
        """Whether the hub's own address shows its metrics: to this machine, when nobody else is served there."""
        return self.here_only and is_here(peer) and not forwarded

    def _limits(self, peer: str) -> bool:
        return not (self.here_only and is_here(peer))

    def _refuse(self, wait: int) -> None:
        if wait:
            now = self._clock.now()
            raise Refusal("rate_limited", retry_at=now + wait, now=now)

    async def _role_of(self, token_hash: str) -> str | None:
        now = self._clock.now()
        known = self._faces.get(token_hash)
        if known is not None and now - FACE_MS < known[1] <= now:
            return known[0]

        async def work(tx: Transaction) -> Row | None:
            return await tx.one("session_role", token_hash=token_hash, now=now)

        found: Any = await self._store.glance(work)
        if found is None:
            self._faces.pop(token_hash, None)
            return None
        self._faces[token_hash] = (found["role_id"], now)
        self._faces.move_to_end(token_hash)
        if len(self._faces) > FACES:
            self._faces.popitem(last=False)
        role_id: str = found["role_id"]
        return role_id
