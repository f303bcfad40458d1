"""May this caller ask again already? Token buckets in memory, and whose bucket it is; from facts alone.

1. A bucket holds `burst` requests and gains `per_second`. An empty one says how long until the next; asking it then
   costs nothing more.
2. Buckets are counted by key, at most `MOST` of each kind; the one not asked for longest gives way, as if full again.
3. A caller's address is the connection's own, unless a proxy that the operator named made the connection: then it is
   the last address of `X-Forwarded-For` that no named proxy has written. IPv6 counts by its /64.
4. They are per process. Several processes allow together as many times more; the store's own limits are exact.
"""

from __future__ import annotations

import ipaddress
from collections import OrderedDict
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final

import msgspec

MOST: Final = 50_000


class Rate(msgspec.Struct, frozen=True):
    """How often: `per_second` on and on (0: as often as wished), `burst` at once."""

    per_second: float
    burst: int

    def at(self, per_second: float) -> Rate:
        """The same shape of rate, so often."""
        return Rate(per_second, max(1, round(per_second * self.burst / self.per_second)))


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """The rates of one hub process. Log-ins and registrations are dear, so they have less."""

    address: Rate = Rate(100.0, 500)
    entrance: Rate = Rate(5.0, 200)
    role: Rate = Rate(50.0, 300)
    log_in: Rate = Rate(0.2, 30)


class Buckets:
    """One kind of bucket, by key."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._full_at: OrderedDict[str, float] = OrderedDict()

    def wait_ms(self, key: str, now: int) -> int:
        """How long until this key may ask, in milliseconds; 0 when it may now. Takes nothing."""
        if self._rate.per_second <= 0:
            return 0
        interval = 1000.0 / self._rate.per_second
        # Full again at `full_at`; each request moves that moment one interval on, at most `burst` of them ahead.
        ahead = max(self._full_at.get(key, 0.0), float(now)) + interval - now - self._rate.burst * interval
        return 0 if ahead <= 1e-6 else int(ahead) + 1

    def take(self, key: str, now: int) -> int:
        """As `wait_ms`, and takes one when it may."""
        wait = self.wait_ms(key, now)
        if wait == 0 and self._rate.per_second > 0:
            self._full_at[key] = max(self._full_at.get(key, 0.0), float(now)) + 1000.0 / self._rate.per_second
            self._full_at.move_to_end(key)
            if len(self._full_at) > MOST:
                self._full_at.popitem(last=False)
        return wait

    def __len__(self) -> int:
        return len(self._full_at)


def address_of(peer: str, forwarded: Sequence[str], proxies: Collection[str]) -> str:
    """Whose bucket a request from `peer` is, given the values of its `X-Forwarded-For` headers."""
    address = _bare(peer)
    chain = [each.strip() for value in forwarded for each in value.split(",")]
    while address in proxies and chain:
        address = _bare(chain.pop())
    return _network(address)


@lru_cache(maxsize=4096)
def is_here(peer: str) -> bool:
    """Whether a connection comes from this machine."""
    try:
        return ipaddress.ip_address(_bare(peer)).is_loopback
    except ValueError:
        return False


def _bare(text: str) -> str:
    """An address as a proxy or a socket may write it, without port and brackets; IPv4 as such, also where it came by a
    socket of both kinds."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return text
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found)


def _network(address: str) -> str:
    """IPv4 as it is, IPv6 by its /64; what is neither shares one bucket."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "?"
    if found.version == 4:
        return str(found)
    return str(ipaddress.ip_network((found, 64), strict=False).network_address)
