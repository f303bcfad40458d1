"""The fixed sentences that an outsider may ever see from us without a model having written them (spec 1 §4 Failures).

Nothing is interpolated; English and Chinese for each. The language follows the target's configuration.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Sentence(StrEnum):
    """Which safe sentence."""

    FAILED = "failed"
    CANNOT_READ_ATTACHMENT = "cannot_read_attachment"
    ACKNOWLEDGED = "acknowledged"


SENTENCES: Final[dict[Sentence, dict[str, str]]] = {
    Sentence.FAILED: {
        "en": "I could not complete that just now. Please try again.",
        "zh": "我刚才没能完成，请再试一次。",
    },
    Sentence.CANNOT_READ_ATTACHMENT: {
        "en": "I can't read that attachment here. Please paste the relevant part.",
        "zh": "我在这里无法读取该附件，请把相关内容粘贴过来。",
    },
    Sentence.ACKNOWLEDGED: {
        "en": "On it.",
        "zh": "收到，正在处理。",
    },
}

FIXED: Final = frozenset(text for texts in SENTENCES.values() for text in texts.values())
"""Every sentence of the table: only these are a `safe_error` whose words nobody needs to check."""


def safe_sentence(which: Sentence, language: str) -> str:
    """The sentence in the target's language; English when that language is not shipped."""
    return SENTENCES[which].get(language, SENTENCES[which]["en"])
