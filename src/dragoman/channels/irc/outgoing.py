"""What may leave by IRC, and the lines of what does. Pure.

1. A text is one output, said in as many lines as it needs: one for every line of its own, and those cut where they are
   too long for the protocol, so that the parts put together are the text again. An empty line is said as a blank.
2. A line has 512 bytes with everything that the server puts before it; `TEXT_BYTES` fit beside the longest names that
   networks allow. It is never cut inside a character.
3. What would be a command of its own (CR, LF, NUL), a request of one program to another (CTCP) or formatting does not
   leave: a control character in a text is a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from dragoman.gate.operations import Operation, OperationSpec
from dragoman.words import SendKey

OPERATIONS: Final[Mapping[Operation, OperationSpec]] = {
    # 400 characters of any script are 5 lines; what is longer is said in several messages.
    Operation.SEND: OperationSpec(SendKey.NONE, 400, pieces=5),
}
TEXT_BYTES: Final = 320
"""512, less CR LF, ` PRIVMSG `, ` :`, and 30 + 12 + 64 + 65 bytes of nick, user, host and channel with their marks."""
MOST_LINES: Final = 40
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def unsayable(text: str) -> str:
    """Why a text cannot be said here, or the empty string."""
    if not text.strip():
        return "nothing to say"
    if _CONTROL.search(text):
        return "control characters"
    return "too many lines" if len(lines(text)) > MOST_LINES else ""


def lines(text: str) -> list[tuple[str, bool]]:
    """The lines of a text, each with whether it continues the one before it without a break."""
    return [(part, at > 0) for line in text.split("\n") for at, part in enumerate(_cut(line))]


def _cut(line: str) -> list[str]:
    """The parts of one line, cut after a space where there is one in its later half."""
    parts = []
    while len(line.encode()) > TEXT_BYTES:
        end = len(line.encode()[:TEXT_BYTES].decode(errors="ignore"))
        space = line.rfind(" ", end // 2, end)
        end = end if space < 0 else space + 1
        parts.append(line[:end])
        line = line[end:]
    return [*parts, line or ("" if parts else " ")]
