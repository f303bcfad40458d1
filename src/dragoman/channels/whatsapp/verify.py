"""Did Meta send this webhook, for our app? Pure: `X-Hub-Signature-256` over the raw body, in constant time.

The header is `sha256=` and 64 lower-case hexadecimal digits of HMAC-SHA-256, keyed with the app's secret. There is no
timestamp in it: a replay is known by its dedupe key. No secret, no header or any other form is a no.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Final

from dragoman.channels.whatsapp.state import WhatsAppAgent
from dragoman.words import Fact

HEADER: Final = "x-hub-signature-256"


def verify(headers: Mapping[str, str], body: bytes, received_at: int, now: int, agent: WhatsAppAgent) -> Fact:
    """Whether the body is signed with our app's secret (spec 1 §3 step 0); header names are lower case."""
    told = next((value for name, value in headers.items() if name.lower() == HEADER), "")
    if not agent.app_secret or not told.isascii():
        return Fact.NO
    right = "sha256=" + hmac.new(agent.app_secret.encode(), body, hashlib.sha256).hexdigest()
    return Fact.YES if hmac.compare_digest(right.encode(), told.encode()) else Fact.NO
