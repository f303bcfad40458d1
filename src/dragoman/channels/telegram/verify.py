"""Does a webhook call come from Telegram? By the secret that we gave it with `setWebhook`, and by nothing else.

1. The header `X-Telegram-Bot-Api-Secret-Token` equals our secret, compared in constant time.
2. Without a secret of ours, an empty one included, no call is ever proven: Telegram signs nothing.
3. The body is not part of the proof, and Telegram stamps no time on a call; an old update is known by its own date.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Final

from dragoman.channels.telegram.state import TelegramAgent
from dragoman.words import Fact

HEADER: Final = "x-telegram-bot-api-secret-token"


def verify(headers: Mapping[str, str], body: bytes, received_at: int, now: int, agent: TelegramAgent) -> Fact:
    """Whether the headers of a call prove that Telegram made it (spec 1 §3 step 0); YES or NO."""
    said = [value for name, value in headers.items() if name.lower() == HEADER]
    if len(said) != 1 or not agent.secret_token:
        return Fact.NO
    same = hmac.compare_digest(said[0].encode("utf-8", "replace"), agent.secret_token.encode())
    return Fact.YES if same else Fact.NO
