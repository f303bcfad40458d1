"""Which hub may be spoken to, and what may stand in an address: HTTPS, or plain HTTP on this machine; ids only."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from dragoman import wire
from dragoman.errors import DragomanError


def checked_origin(base_url: str) -> str:
    """The hub's origin, if it may be spoken to: HTTPS, or plain HTTP on loopback.

    Raises:
        DragomanError: `config_invalid`.
    """
    try:
        origin = wire.origin_of(base_url)
    except ValueError as error:
        fix = "write `https://host`, or `http://` for this machine"
        raise DragomanError("config_invalid", str(error), where="hub address", fix=fix) from error
    parts = urlsplit(origin)
    if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
        raise DragomanError("config_invalid", "plain HTTP off loopback", where="hub address", fix="use `https://`")
    return origin


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def path_id(text: str) -> str:
    """An id as one path segment; anything else is refused before it can name another address."""
    if not text or len(text) > 128 or not text.isascii() or not text.replace("_", "").replace("-", "").isalnum():
        raise DragomanError("input_invalid", "not an id", where="hub request")
    return text
