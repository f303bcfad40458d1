"""Which words of an IRC message did its author say now, and whom does it begin with? Pure, only ever removing.

1. Formatting codes (bold, colours and the like) are no text.
2. A message that begins with `>` quotes somebody: nothing of it is live.
3. Somebody is addressed by his nick at the very start of the live text, followed by `:` or `,`, and by a space or the
   end; nicks are compared by the network's case mapping. A name anywhere else is only talked about.
"""

from __future__ import annotations

import re
from typing import Final

from dragoman.channels.irc.line import folded

_CODES: Final = re.compile("\x03(?:\\d{1,2}(?:,\\d{1,2})?)?|\x04(?:[0-9A-Fa-f]{6})?|[\x02\x0f\x11\x16\x1d-\x1f]")
_ADDRESS: Final = re.compile(r"([^\s:,]{1,64})[:,](?=\s|\Z)\s*")
_COMMAND: Final = re.compile(r"[/!]([A-Za-z][A-Za-z0-9_-]{0,31})(?!\S)")


def live_text(text: str) -> str:
    """The live text of a message."""
    plain = _CODES.sub("", text).strip()
    return "" if plain.startswith(">") else plain


def addressee(live: str) -> tuple[str, str]:
    """The name that a live text begins with as an address, and what follows it; an empty name without one."""
    found = _ADDRESS.match(live)
    return ("", live) if found is None else (found[1], live[found.end() :])


def same(one: str, other: str, mapping: str) -> bool:
    """Whether two names are one on this network."""
    return bool(one) and folded(one, mapping) == folded(other, mapping)


def command(rest: str) -> tuple[str, str] | None:
    """The command that follows an address, and its argument."""
    found = _COMMAND.match(rest)
    return None if found is None else (found[1].lower(), rest[found.end() :].strip())
