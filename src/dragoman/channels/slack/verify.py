"""Did Slack send this request? The signature over the raw body, and its age (spec 1 §3 step 0).

1. `X-Slack-Signature` is `v0=` and the HMAC-SHA-256, under the signing secret, of `v0:TIMESTAMP:BODY`; the body byte
   for byte as it came, never one that was decoded and written again.
2. `X-Slack-Request-Timestamp` is at most `WINDOW` away from the moment the request came, in either direction.
3. Without a secret nothing is proven. The old `token` field of a payload proves nothing.
4. Compared in constant time. Every failure is the same NO; nothing here raises.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Final

from dragoman.channels.slack.state import SlackAgent
from dragoman.clock import MINUTE, SECOND
from dragoman.words import Fact

WINDOW: Final = 5 * MINUTE


def verify(headers: Mapping[str, str], body: bytes, received_at: int, now: int, agent: SlackAgent) -> Fact:
    """YES when the signature is that of our app's secret and fresh at `received_at`, else NO. Times are epoch ms."""
    given = {name.lower(): value for name, value in headers.items()}
    stamp = given.get("x-slack-request-timestamp", "")
    signature = given.get("x-slack-signature", "")
    if not agent.signing_secret.strip() or not (stamp.isascii() and stamp.isdigit() and len(stamp) < 15):
        return Fact.NO
    right = expected(agent.signing_secret, stamp, body).encode()
    same = hmac.compare_digest(right, signature.encode("utf-8", "replace"))
    fresh = abs(min(received_at, now) - int(stamp) * SECOND) <= WINDOW
    return Fact.YES if same and fresh else Fact.NO


def expected(secret: str, stamp: str, body: bytes) -> str:
    """The signature that Slack gives a body at a timestamp (decimal seconds)."""
    return "v0=" + hmac.new(secret.encode(), b"v0:" + stamp.encode() + b":" + body, hashlib.sha256).hexdigest()
