"""What may leave by Slack, and the arguments of each call. Pure.

1. A text goes as one rich-text block of plain words, so that nothing in it is read as markup, as a link, as an emoji's
   name or as a mention; beside it the same text, escaped, for notifications. Nothing is unfurled, no name is linked.
   An edit brings its own block: none of an earlier one stays.
2. Slack de-duplicates nothing: every key is `NONE`. A message carries a hash of its key as metadata, so that a lost
   answer can be read back.
3. A reaction is an emoji that Slack has a name for, or that name.
4. An operation that is not in the table is refused. A stream grows by edits.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

from dragoman.channels.slack.state import is_ts
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.parts import PartKind
from dragoman.gate.ports import Output
from dragoman.words import SendKey

OPERATIONS: Final[Mapping[Operation, OperationSpec]] = {
    # Slack cuts a text near 40,000 characters and advises 4,000; escaped, each of ours may take up to 5.
    Operation.SEND: OperationSpec(SendKey.NONE, 4_000, pieces=10),
    Operation.EDIT: OperationSpec(SendKey.NONE, 4_000),
    Operation.PRIVATE: OperationSpec(SendKey.NONE, 4_000),
    Operation.UPLOAD: OperationSpec(SendKey.NONE, 4_000, carries_text=False, carries={PartKind.FILE: 1}),
    Operation.REACT: OperationSpec(SendKey.NONE, 32),
}

EVENT_TYPE: Final = "dragoman_send"
"""Names our metadata."""

_NAMED: Final = (  # an emoji and its name, in turn
    "👍 +1 👎 -1 👌 ok_hand 👀 eyes 👋 wave 🙏 pray 💪 muscle 👏 clap ✅ white_check_mark ✔️ heavy_check_mark ❌ x "
    "❓ question ❗ exclamation ⚠️ warning ⏳ hourglass_flowing_sand ⌛ hourglass 🕐 clock1 🚫 no_entry_sign ❤️ heart "
    "🎉 tada 🚀 rocket 🔥 fire 💯 100 ⭐ star 🙂 slightly_smiling_face 😄 smile 😀 grinning 😢 cry 🤔 thinking_face "
    "📌 pushpin 📎 paperclip"
)
EMOJI: Final[Mapping[str, str]] = dict(re.findall(r"(\S+) (\S+)", _NAMED))
"""The emojis that a reaction may be, by Slack's names."""
_NAME: Final = re.compile(r"\A:?([a-z0-9_+'-]{1,100})(?:::skin-tone-[2-6])?:?\Z")


def message(output: Output) -> dict[str, Any]:
    """The arguments that say a text, for a new message and for a changed one alike."""
    return {
        "channel": output.target.channel,
        "text": escaped(output.text),
        "blocks": blocks(output.text),
        "parse": "none",
        "link_names": False,
    }


def fresh(output: Output) -> dict[str, Any]:
    """The arguments of `chat.postMessage`."""
    quiet = {"mrkdwn": False, "unfurl_links": False, "unfurl_media": False}
    return message(output) | quiet | thread(output) | {"metadata": metadata(output.key)}


def thread(output: Output) -> dict[str, str]:
    """In which thread; nothing where there is none. Slack has no reply to one message."""
    return {"thread_ts": str(output.thread)} if is_ts(output.thread) else {}


def blocks(text: str) -> list[dict[str, Any]]:
    """A text as it was said: one block of plain words; nothing for no words."""
    words = {"type": "text", "text": text}
    section = {"type": "rich_text_section", "elements": [words]}
    return [{"type": "rich_text", "elements": [section]}] if text else []


def metadata(key: str) -> dict[str, Any]:
    """What a message carries of its key."""
    return {"event_type": EVENT_TYPE, "event_payload": {"key": fingerprint(key)}}


def fingerprint(key: str) -> str:
    """A key as others may see it: it tells nothing of the key."""
    return hashlib.sha256(key.encode()).hexdigest()[:32]


def carries(told: Mapping[str, Any], key: str) -> bool:
    """Whether a message, as `conversations.history` tells it, carries this key."""
    found = told.get("metadata")
    payload = found.get("event_payload") if isinstance(found, Mapping) else None
    mine = isinstance(found, Mapping) and found.get("event_type") == EVENT_TYPE and isinstance(payload, Mapping)
    return mine and isinstance(payload, Mapping) and payload.get("key") == fingerprint(key)


def reaction(text: str) -> str:
    """Slack's name of an emoji, or an empty text where it is none that we know."""
    if text in EMOJI:
        return EMOJI[text]
    found = _NAME.match(text)
    return found[1] if found else ""


def escaped(text: str) -> str:
    """A text in which Slack reads no mention, link or command."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
