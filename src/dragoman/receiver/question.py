"""What a conversation that waits for its owner asks, as one id: an answer to one question never answers the next.

The id is of what the owner was shown, the summary and the messages that wait, and so it changes when either does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec


def question_id(summary: str, message_ids: Sequence[str]) -> str:
    """The id of a question: `q-` and 16 hex digits."""
    return "q-" + hashlib.sha256(msgspec.json.encode([summary, list(message_ids)])).hexdigest()[:16]
