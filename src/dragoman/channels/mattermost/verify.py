"""Did our Mattermost server make this call of an outgoing webhook or slash command? Over the raw bytes, constant time.

1. The token in the body, form or JSON, is the one that the server showed when the webhook was made.
2. Where an `Authorization: Token` header stands too (slash commands), it must be the same.
3. An empty configured token proves nothing. There is no signature and no time: whoever has seen one call can repeat it,
   so that such a call is weaker than the websocket; prefer that.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

import msgspec

from dragoman.channels.mattermost.state import MattermostAgent
from dragoman.words import Fact


def verify(headers: Mapping[str, str], body: bytes, received_at: int, now: int, agent: MattermostAgent) -> Fact:
    """Whether the call is the server's; anything that cannot be read is a no."""
    expected = agent.webhook_token.encode()
    names = {name.lower(): value for name, value in headers.items()}
    told = _token(names.get("content-type", ""), body)
    right = hmac.compare_digest(told, expected)
    scheme, _, header = names.get("authorization", "").partition(" ")
    if scheme.lower() == "token":
        right = hmac.compare_digest(header.strip().encode(), expected) and right
    return Fact.YES if right and expected else Fact.NO


def _token(content_type: str, body: bytes) -> bytes:
    try:
        if content_type.partition(";")[0].strip().lower() == "application/json":
            found: Any = msgspec.json.decode(body)
            token = found.get("token") if isinstance(found, dict) else None
        else:
            tokens = parse_qs(body.decode("ascii"), max_num_fields=64).get("token", [])
            token = tokens[0] if len(tokens) == 1 else None
    except (msgspec.DecodeError, ValueError, RecursionError):
        return b""
    return token.encode("utf-8", "replace") if isinstance(token, str) else b""
