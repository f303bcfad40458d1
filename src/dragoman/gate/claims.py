"""What does a text state: which dates, times, amounts, quantities, specifications, percentages and numbers?

1. A claim has a normal form, so that equal statements are equal in any spelling: `6 October`, `Oct 6th`, `十月六日` are
   `--10-06`. Two readings stand side by side, `--10-06|--06-10`, and both must be covered (see `records`).
2. Dates are read first, then times, then sizes without a number, then numbers with what follows them; no character
   belongs to two claims.
3. Every digit ends up in some claim: what no rule can read is a `number` that equals only itself. Only list markers at
   the start of a line that count up from one (`1.`, `2)`, `（一）`) state nothing.
4. Spans are positions in the text as given; matching runs over its folded form (NFKC, case, invisible characters).

Not seen here: direction (`record_sides`), properties without figure (`reading.properties`), words without size
("a few").
Never: a clock. `tomorrow` stays `rel:+1` here and is resolved by `records`.
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from typing import Final

import msgspec

from dragoman.gate.reading import dates, figures, vague
from dragoman.gate.reading.patterns import READERS
from dragoman.gate.reading.plain import plain
from dragoman.gate.reading.words import SIMPLIFIED

LIMIT: Final = 20_000
"""Characters that are read; what lies beyond is one unreadable claim, so that nothing passes unread."""


class ClaimKind(StrEnum):
    """What kind of statement (spec 1 §4 step 5)."""

    DATE = "date"
    TIME = "time"
    AMOUNT = "amount"
    QUANTITY = "quantity"
    SPECIFICATION = "specification"
    PERCENT = "percent"
    NUMBER = "number"
    TURNED = "turned"
    """A stated fact turned around; made by `record_sides`, never read from the text alone."""


class Claim(msgspec.Struct, frozen=True):
    """One statement: its normal form, readings joined by `|`, and its half-open span in the text."""

    kind: ClaimKind
    value: str
    start: int
    end: int


_SPECIAL: Final = {"²": "^2", "³": "^3", "½": ".5", "¼": ".25", "¾": ".75", "℃": "°c", "℉": "°f", "₂": "2"}
_HAN_TEN: Final = "[一二三四五六七八九十]"
_MARKER: Final = re.compile(
    r"^[ \t>*\-•]*[(（]?(?:(\d{1,2})(?:[.)]|\.\))(?=[ \t])|(\d{1,2})\)|(\d{1,2})、(?!\s?\d)"
    rf"|({_HAN_TEN}{{1,2}})[、)](?!\s?{_HAN_TEN}{{1,3}}[日号號、]))",
    re.MULTILINE,
)
_HAN_COUNT: Final = {name: number for number, name in enumerate((*"一二三四五六七八九十", "十一", "十二"), 1)}
_PLAIN_NUMERALS: Final = str.maketrans("壹贰貳叁參肆伍陆陸柒捌玖拾佰仟", "一二二三三四五六六七八九十百千")
_BANK_NUMERALS: Final = re.compile("[壹贰貳叁參肆伍陆陸柒捌玖拾佰仟零萬万亿億]{2,}")
_APART: Final = re.compile(r"(?<=\d)，(?=\d)(?!\d{3}(?!\d))")
"""A Chinese comma between two figures (`Windows 10，8GB`) divides no number."""
_LEFT_OVER: Final = READERS.add(r"(?<![^\W_])[^\W\d_]*\d[\w.,/:\-]*|\d+")


def claims(text: str) -> tuple[Claim, ...]:
    """All claims of a text, in order of position (spec 1 §4 step 5)."""
    folded, origins, ends = plain(*_fold(text[:LIMIT]))
    taken = bytearray(len(folded) + 1)
    _take_markers(folded, taken)
    open = READERS.of(folded)
    found = dates.read(folded, taken, open)
    for kind, value, start, end in (*vague.tailed(folded, open), *vague.vague(folded, open)):
        if not any(taken[start:end]):
            found.append((kind, value, start, end))
            taken[start:end] = b"\1" * (end - start)
    found += figures.read(folded, text, origins, taken, open)
    for rest in _LEFT_OVER.finditer(folded) if id(_LEFT_OVER) in open else ():
        if any(folded[at].isdigit() and not taken[at] for at in range(*rest.span())):
            found.append(("number", f"?{rest.group()}", *rest.span()))
    made = [Claim(ClaimKind(kind), value, origins[start], ends[end - 1] + 1) for kind, value, start, end in found]
    if len(text) > LIMIT:
        made.append(Claim(ClaimKind.NUMBER, "?unread", LIMIT, len(text)))
    return tuple(sorted(made, key=lambda claim: (claim.start, claim.end)))


def _fold(text: str) -> tuple[str, range | list[int]]:
    """The folded text and, for each of its characters, the position it came from."""
    if text.isascii():
        return text.lower(), range(len(text))
    text = _BANK_NUMERALS.sub(lambda run: run.group().translate(_PLAIN_NUMERALS), text)
    text = _APART.sub("；", text)
    folded = text.translate(_FOLDED)
    if _FOLDED.longer.isdisjoint(text):
        return folded, range(len(text))
    parts: list[str] = []
    origins: list[int] = []
    for at, char in enumerate(text):
        parts.append(_FOLDED[ord(char)])
        origins.extend([at] * len(parts[-1]))
    return "".join(parts), origins


class _Fold(dict[int, str]):
    """Character → folded, filled as characters are met; `longer` are those that fold to none or to several."""

    def __init__(self) -> None:
        super().__init__()
        self.longer: set[str] = set()

    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = self[code] = _fold_char(char.translate(SIMPLIFIED))
        if len(folded) != 1:
            self.longer.add(char)
        return folded


_FOLDED: Final = _Fold()


def _fold_char(char: str) -> str:
    if char in _SPECIAL:
        return _SPECIAL[char]
    kind = unicodedata.category(char)
    if kind == "Nd":
        return str(unicodedata.decimal(char))
    if kind == "Cs":
        return " "
    if kind in {"Cf", "Mn", "Me"}:
        return ""
    plain = unicodedata.normalize("NFKC", char).casefold()
    # circled and other dressed-up numbers stand apart, or `①40` would read as 140
    return f"({plain.strip('().')}) " if kind == "No" and plain.strip("().").isdigit() else plain


def _take_markers(folded: str, taken: bytearray) -> None:
    """Marks list numbering as read: line starts that count 1, 2, 3 ... in order."""
    expected = 1
    for found in _MARKER.finditer(folded):
        figure = next(group for group in found.groups() if group)
        number = int(figure) if figure.isdigit() else _HAN_COUNT.get(figure, 0)
        behind = folded[found.end() :].lstrip().split(" ", 1)[0].rstrip(".,")
        if number in {1, expected} and behind not in dates.MONTH_NAMES:
            expected = number + 1
            taken[found.start() : found.end()] = b"\1" * (found.end() - found.start())
