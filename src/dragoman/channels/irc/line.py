"""Which tags, source, command and parameters does this line hold? Reads one line of IRC. Pure; nothing here raises.

1. A line is text without CR, LF and NUL, of at most `LIMIT` characters. What has no command is no line.
2. Tags that begin with `+` are what a client said; all others are the server's, which takes them from nobody.
3. Names are compared by the network's case mapping, and in no other way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import msgspec

LIMIT: Final = 16_384
"""Characters of a line with its tags; servers allow 8,191 bytes of tags and 512 of the rest."""
_SPECIAL: Final = re.compile("[\\x00\\r\\n\ud800-\udfff]")
_ESCAPED: Final = re.compile(r"\\(.?)")
_MEANT: Final[Mapping[str, str]] = {":": ";", "s": " ", "\\": "\\", "r": "\r", "n": "\n"}
_UPPER: Final[Mapping[str, str]] = {
    "ascii": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "rfc1459-strict": "ABCDEFGHIJKLMNOPQRSTUVWXYZ[]\\",
    "rfc1459": "ABCDEFGHIJKLMNOPQRSTUVWXYZ[]\\^",
}
_LOWER: Final = "abcdefghijklmnopqrstuvwxyz{}|~"


class Line(msgspec.Struct, frozen=True):
    """One line. `tags` hold the client's own with their `+`."""

    command: str
    params: tuple[str, ...] = ()
    source: str = ""
    tags: Mapping[str, str] = {}

    @property
    def nick(self) -> str:
        """The nick of the source; empty for a server."""
        nick, mark, _ = self.source.partition("!")
        return nick if mark else ""

    @property
    def target(self) -> str:
        """The first parameter."""
        return self.params[0] if self.params else ""

    @property
    def text(self) -> str:
        """The second parameter."""
        return self.params[1] if len(self.params) > 1 else ""


def parsed(text: str) -> Line | None:
    """The line that a text is, or None."""
    if not text or len(text) > LIMIT or _SPECIAL.search(text):
        return None
    tags: dict[str, str] = {}
    if text.startswith("@"):
        written, _, text = text[1:].partition(" ")
        for part in filter(None, written.split(";")):
            key, _, value = part.partition("=")
            tags[key] = _ESCAPED.sub(lambda found: _MEANT.get(found[1], found[1]), value)
    head, mark, trailing = text.lstrip(" ").partition(" :")
    words = head.split()
    source = words.pop(0)[1:] if words and words[0].startswith(":") else ""
    if not words:
        return None
    command, *params = words
    return Line(command.upper(), (*params, *([trailing] if mark else [])), source, tags)


def folded(name: str, mapping: str) -> str:
    """A nick's or channel's name as the network compares it; an unknown mapping is read as ASCII's."""
    upper = _UPPER.get(mapping, _UPPER["ascii"])
    return name.translate(str.maketrans(upper, _LOWER[: len(upper)]))
