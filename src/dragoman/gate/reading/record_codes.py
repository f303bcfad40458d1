"""Is a code of a text (order, tracking, phone, plate) a code of the record, in any grouping? For `record_equal`.

The whole run of letters and digits around the claim is compared, never a part of it: `7781 2093 44` is `7781209344`,
`KB 21 OTM` is `KB21OTM`, `00 49 ...` is `+49 ...`. The last four or more digits name a code too; its first ones do not.
"""

from __future__ import annotations

import re
from typing import Final

from dragoman.gate.claims import Claim

_PREFIXED: Final = re.compile(r"[a-z]{1,6}[ ./-]{1,2}[a-z]*\d(?:[a-z0-9]|[ ./()-]{1,2}(?=[\da-z]*\d))*")
_ENDING: Final = re.compile(r"\b(?:ending|ends|last|final)\b[^.,;]{0,24}$|[尾末后最]\S{0,5}$")
_APART: Final = re.compile(r"[一-鿿，；：。、]+|[,;:] ")
_GROUPS: Final = re.compile(r"\d+")
_RUN: Final = re.compile(r"[a-z]*\d(?:[a-z0-9]|[ ./()-]{1,2}(?=[\da-z]*\d))*")
_PLATE: Final = re.compile(r"(?:\b[A-Z]{1,4} )?[A-Z]*\d[A-Z0-9]*(?: [A-Z]{1,4}\b)?")


def squeeze(text: str) -> str:
    """The letters and digits of a lower-case text; a comma, a colon or a Chinese word ends a run."""
    return re.sub(r"[^a-z0-9|]", "", _APART.sub("|", text.replace("|", ""))).strip("|")


def code_stated(claim: Claim, text: str, squeezed: tuple[str, ...]) -> bool:
    """The whole run of letters and digits around the claim, or of digits alone, in the record's letters and digits."""
    lower = text.lower()
    if _ENDING.search(lower[max(0, claim.start - 28) : claim.start]):
        own = squeeze(lower[claim.start : claim.end])
        return len(own) >= 2 and any(re.search(rf"{re.escape(own)}(?!\d)", fact) for fact in squeezed)
    if _dialled(lower[claim.start : claim.end], squeezed):
        return True
    for run in _PREFIXED.finditer(lower, max(0, claim.start - 12), min(len(lower), claim.end + 24)):
        code = squeeze(run.group())
        there = run.start() <= claim.start and claim.end <= run.end() and len(code) >= 5
        if there and _holds(code, squeezed, whole=True):
            return True
    for run in _RUN.finditer(lower, max(0, claim.start - 24), min(len(lower), claim.end + 24)):
        if run.start() <= claim.start and claim.end <= run.end():
            code = squeeze(run.group())
            code = code.removeprefix("00") if code.startswith("00") else code
            if len(code) >= 5 and _holds(code, squeezed, whole=True):
                return True
    for plate in _PLATE.finditer(text, max(0, claim.start - 5), claim.end + 6):
        if plate.start() <= claim.start and claim.end <= plate.end() + 1:
            code = squeeze(plate.group().lower())
            if len(code) >= 6 and _holds(code, squeezed, whole=True):
                return True
    spelled = lower[claim.start : claim.end]
    own = squeeze(spelled)
    if own.isdigit():
        return len(own) >= 4 and _holds(own, squeezed, whole=own != spelled)
    return len(own) >= 2 and _holds(own, squeezed, whole=False)


def _dialled(spelled: str, squeezed: tuple[str, ...]) -> bool:
    """A phone number with its country's code, for the same number as it is dialled at home."""
    if not spelled.startswith(("+", "00", "0")):
        return False
    digits = squeeze(spelled.replace("(0)", "")).removeprefix("00")
    if len(digits) < 7:
        return False
    abroad = spelled[0] == "+" or spelled[:2] == "00"
    home = [digits[at:] for at in (1, 2, 3)] if abroad else [digits.lstrip("0")]
    if abroad and any(re.search(rf"(?<!\d)(?:00)?{digits}(?!\d)", fact) for fact in squeezed):
        return True
    before = "0?" if abroad else r"(?:00)?\d{1,3}"
    return any(len(one) >= 7 and re.search(rf"(?<!\d){before}{one}(?!\d)", fact) for one in home for fact in squeezed)


def grouped_alike(spelled: str, facts: tuple[str, ...]) -> bool:
    """`AB/2025/077` is `AB-2025-77`, `3-12` is `3.12`: the same groups of letters and digits, zeros in front aside."""
    own = _grouped(spelled)
    if len(own) < 2:
        return False
    return any(own == their[at : at + len(own)] for their in map(_grouped, facts) for at in range(len(their)))


def _grouped(text: str) -> list[str]:
    return [one.lstrip("0") or "0" for one in re.findall(r"[a-z]+|\d+", text.lower())]


def _holds(code: str, squeezed: tuple[str, ...], *, whole: bool) -> bool:
    """Whether a fact has this code, and no digit more behind it; none before it either when it must be whole."""
    before = r"(?<!\d)" if whole and code.isdigit() else ""
    return any(re.search(rf"{before}{re.escape(code)}(?!\d)", fact) for fact in squeezed)
