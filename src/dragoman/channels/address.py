"""Where may a secret of ours travel? Over TLS, or to this machine. And how long is waited after failures? Pure.

1. An address is a scheme and a host: no user, no password in it. What cannot be read as one is none.
2. `http` and `ws` are for the loopback by its fixed names; whatever resolves there by another name is not it.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from dragoman.errors import DragomanError

LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
LONGEST_WAIT: Final = 60.0
"""Seconds between two tries, at most."""
_OVER_TLS: Final = frozenset({"https", "wss"})
_IN_THE_CLEAR: Final = frozenset({"http", "ws"})


def is_private(address: str) -> bool:
    """Whether nobody on the way can read what goes there."""
    try:
        found = urlsplit(address)
        host = found.hostname
    except ValueError:
        return False
    if not host or "@" in found.netloc:
        return False
    return found.scheme in _OVER_TLS or (found.scheme in _IN_THE_CLEAR and host in LOOPBACK)


def private(address: str, where: str) -> str:
    """The address, without its last slash; `where` names it in the configuration.

    Raises:
        DragomanError: `config_invalid` for an address that is none, or that would take a secret in the clear.
    """
    if not is_private(address):
        detail = "a secret would travel there in the clear"
        raise DragomanError("config_invalid", detail, where=where, fix="write `https://host`")
    return address.rstrip("/")


def pause(failures: int, longest: float = LONGEST_WAIT) -> float:
    """Seconds to wait after the `failures`th failure in a row: half a second first, then twice as long each time."""
    return min(2.0 ** min(failures, 16) / 4, longest)
