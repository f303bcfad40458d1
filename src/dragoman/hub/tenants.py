"""What may a tenant's roles do? The hub's own limits, made tighter by the tenant's, never wider.

A tenant's limits are a JSON object of the fields `OWN` of `wire.Limits`; the others are the hub's alone, because they
are used before anybody is known, or by sweeps over everybody's messages. Of each the smaller holds; null in the hub's
means that the tenant's holds, null in the tenant's changes nothing. Text that is no such object gives no leave: every
limit is as small as it can be, so that nothing is let through by a broken row.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import msgspec

from dragoman import wire

DEFAULT: Final = "default"
OWN: Final = frozenset(
    {
        *("text_bytes", "packet_bytes", "token_ms", "lease_ms", "lease_cap_ms", "release_ms", "page"),
        *("replies_per_contact_hour", "replies_per_role_day", "contacts_per_role", "roles_per_tenant"),
    }
)
"""The limits that a tenant may have of its own."""
_FEWEST: Final = 1
_NAME: Final = re.compile(r"[a-z0-9-]{1,64}", re.ASCII)


@lru_cache(maxsize=1024)
def within(hub: wire.Limits, text: str) -> wire.Limits:
    """The limits of a tenant whose own are `text`."""
    if text == "{}":
        return hub
    own = parsed(text)
    if own is None:
        own = dict.fromkeys(OWN, _FEWEST)
    tighter = {}
    for name, value in own.items():
        bound = getattr(hub, name)
        if value is not None and (bound is None or value < bound):
            tighter[name] = value
    return msgspec.structs.replace(hub, **tighter)


def parsed(text: str) -> dict[str, int | None] | None:
    """The limits that `text` names, or None when it is not an object of `OWN` fields and whole numbers from 1 on."""
    try:
        found = msgspec.json.decode(text, type=dict[str, int | None], strict=True)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if not found.keys() <= OWN or any(value is not None and not 1 <= value < 2**53 for value in found.values()):
        return None
    return found


def size_complaint(message: wire.SendMessage, limits: wire.Limits) -> str | None:
    """Which part of a message is larger than these limits, or None."""
    if len(message.text.encode()) > limits.text_bytes:
        return "text_too_large"
    if message.packet is not None and len(message.packet.encode()) > limits.packet_bytes:
        return "packet_too_large"
    return None


def is_name(text: str) -> bool:
    """Whether `text` may name a tenant: 1 to 64 of a-z, 0-9 and `-`."""
    return _NAME.fullmatch(text) is not None
