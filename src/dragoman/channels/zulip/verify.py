"""Did our Zulip server make this call of an outgoing webhook? By the token in its JSON body, in constant time.

An empty configured token proves nothing. There is no signature and no time: whoever has seen one call can repeat it, so
that such a call is weaker than the event queue; prefer that.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any

import msgspec

from dragoman.channels.zulip.state import ZulipAgent
from dragoman.words import Fact


def verify(headers: Mapping[str, str], body: bytes, received_at: int, now: int, agent: ZulipAgent) -> Fact:
    """Whether the call is the server's; anything that cannot be read is a no."""
    try:
        found: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return Fact.NO
    told = found.get("token") if isinstance(found, dict) else None
    token = told.encode("utf-8", "replace") if isinstance(told, str) else b""
    expected = agent.webhook_token.encode()
    return Fact.YES if hmac.compare_digest(token, expected) and expected else Fact.NO
