"""Which characters of an XMPP body did its author say now? Pure, linear, only ever hiding.

Hidden, in this order:
1. what the message itself marks as the fallback text of a reply (XEP-0428), by character positions;
2. fenced code (XEP-0393; a fence left open runs to the end) and lines that begin with `>`;
3. inline code within a line, between two backticks.

A mention counts only where it is not hidden. Nothing here decides who is mentioned.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

Span = tuple[int, int]
_FENCE: Final = "```"
AFTER_NICK: Final = (":", ",")
"""What follows a nick at the start of a line by which somebody is addressed."""


def hidden(body: str, fallbacks: Iterable[Span]) -> bytearray:
    """One flag per character of `body`: 1 where it is not live."""
    mask = bytearray(len(body))
    for start, end in fallbacks:
        _hide(mask, start, end)
    at, fenced = 0, False
    for line in body.split("\n"):
        end = at + len(line)
        starts = line.startswith(_FENCE)
        if starts or fenced or line.lstrip().startswith(">"):
            _hide(mask, at, end + 1)
            fenced = (not fenced or line.strip() != _FENCE) if starts or fenced else fenced
        else:
            _hide_code(mask, line, at)
        at = end + 1
    return mask


def live_text(body: str, mask: bytearray, mentions: Iterable[Span] = (), nick: str = "") -> str:
    """What `mask` leaves of `body`, without our own mentions and without `nick:` at its start."""
    cut = bytearray(mask)
    for start, end in mentions:
        _hide(cut, start, end)
    text = "".join(char for char, hide in zip(body, cut, strict=True) if not hide).strip()
    if nick and addressed(text, nick):
        text = text[len(nick) :]
    return text.lstrip(" \t\n:,") if nick or any(mentions) else text


def addressed(text: str, nick: str) -> bool:
    """Whether a text begins with exactly this nick, and then `:` or `,` and a space or its end."""
    rest = text.removeprefix(nick) if nick and text.startswith(nick) else ""
    return rest[:1] in AFTER_NICK and (len(rest) == 1 or rest[1].isspace())


def is_live(mask: bytearray, span: Span) -> bool:
    """Whether every character of a span is live."""
    return 0 <= span[0] < span[1] <= len(mask) and not any(mask[span[0] : span[1]])


def _hide(mask: bytearray, start: int, end: int) -> None:
    start, end = max(0, start), min(end, len(mask))
    if start < end:
        mask[start:end] = b"\x01" * (end - start)


def _hide_code(mask: bytearray, line: str, at: int) -> None:
    start = line.find("`")
    while start != -1 and (end := line.find("`", start + 1)) != -1:
        _hide(mask, at + start, at + end + 1)
        start = line.find("`", end + 1)
