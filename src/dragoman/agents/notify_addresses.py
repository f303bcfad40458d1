"""May the owner be told there at all? Judged from the words of the configuration alone; pure.

1. A webhook: `https`, or `http` to a loopback address; no user, password or fragment; visible ASCII.
2. A mailbox: a host name; TLS, or a loopback address; plain ASCII addresses in which no header, command or second
   address can hide.

Nothing is looked up: a name that resolves to this machine is not a loopback address.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final, Literal
from urllib.parse import urlsplit

import msgspec

Security = Literal["tls", "starttls", "none"]
PORTS: Final[dict[Security, int]] = {"tls": 465, "starttls": 587, "none": 25}
"""The usual port of each."""
_LOCAL: Final = re.compile(r"[A-Za-z0-9_+=~](?:[A-Za-z0-9_+=~.-]{0,62}[A-Za-z0-9_+=~-])?", re.ASCII)
_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_DOMAIN: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*", re.ASCII)


class Mailbox(msgspec.Struct, frozen=True, kw_only=True):
    """Which server, how, from whom and to whom; `port` 0 is the usual one."""

    server: str
    security: Security
    sender: str
    to: str
    port: int = 0
    username: str = ""


def refused_url(url: str) -> str | None:
    """Why an address may not be asked, or None."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return "not an address"
    if not url.isascii() or not url.isprintable() or " " in url or not host:
        return "expected an address in visible ASCII with a host"
    if parts.username is not None or parts.password is not None or parts.fragment:
        return "expected no user, password or fragment in the address"
    if parts.scheme != "https" and not (parts.scheme == "http" and loopback(host)):
        return "expected `https`, or `http` on this machine"
    return None


def refused_mailbox(box: Mailbox) -> tuple[str, str, str] | None:
    """The key, what is wrong with it and its fix; None when the mailbox may be used."""
    if not loopback(box.server) and not _DOMAIN.fullmatch(box.server):
        return "server", "not a host name", "name the SMTP server, without port or scheme"
    if box.security == "none" and not loopback(box.server):
        return "security", "the message would travel in the clear", 'use "tls" or "starttls"'
    for key, address in (("from", box.sender), ("to", box.to)):
        if not is_address(address):
            return key, "not a plain address", "write `name@example.org`: ASCII, without a name, quotes or brackets"
    return None


def is_address(text: str) -> bool:
    """Whether `text` is one plain address, without anything that a header or a command could be made of."""
    local, _, domain = text.rpartition("@")
    return bool(_LOCAL.fullmatch(local) and ".." not in local and len(text) <= 254 and _DOMAIN.fullmatch(domain))


def loopback(host: str) -> bool:
    """Whether `host` names this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
