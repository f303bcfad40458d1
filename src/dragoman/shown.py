"""How may words of others be shown to a person? As text that only shows itself.

What a counterparty or a handler wrote can hold characters that a terminal obeys: it moves the cursor, changes colours,
turns the reading direction, rings, hides. Each such character is written as an escape, never dropped: who approves an
exact text must see what is in it. In what is meant to be one line, a line break is escaped too, so that nobody's words
can look like the next line of ours. In JSON the escape is JSON's own, and the value stays the same.

It judges nothing and is for eyes only: what is sent, stored, hashed or compared never passes through here.
"""

from __future__ import annotations

import re
from typing import Final

_ACTIVE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
"""What a terminal obeys or does not show: controls, separators of lines, format characters (Unicode Cc, Cf, Zl, Zp)."""


def shown(text: str, *, lines: bool = False) -> str:
    """`text` as it may be shown; with `lines` its line breaks stay. A half character (from a path that is not UTF-8) is
    escaped as well."""
    if lines:
        return "\n".join(shown(each) for each in text.split("\n"))
    return _ACTIVE.sub(_escape, text.encode("utf-8", "backslashreplace").decode("utf-8"))


def json_shown(encoded: str) -> str:
    """Encoded JSON on one line, the same value, with every active character escaped."""
    return _ACTIVE.sub(_json_escape, encoded)


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _json_escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
