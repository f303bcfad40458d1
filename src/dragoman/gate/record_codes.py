"""Is a code of a text (order, tracking, phone, plate) a code of the record, in any grouping? For `record_values`.

The whole run of letters and digits around the claim is compared, never a part of it: `7781 2093 44` is `7781209344`,
`KB 21 OTM` is `KB21OTM`, `00 49 ...` is `+49 ...`. The last four or more digits name a code too; its first ones do not.
"""

from __future__ import annotations

import re
from typing import Final

from dragoman.gate.claims import Claim

_RUN: Final = re.compile(r"[a-z]*\d(?:[a-z0-9]|[ ./()-]{1,2}(?=[\da-z]*\d))*")
_PLATE: Final = re.compile(r"(?:\b[A-Z]{1,4} )?[A-Z]*\d[A-Z0-9]*(?: [A-Z]{1,4}\b)?")


def squeeze(text: str) -> str:
    """The letters and digits of a lower-case text."""
    return re.sub(r"[^a-z0-9]", "", text)


def code_stated(claim: Claim, text: str, squeezed: tuple[str, ...]) -> bool:
    """The whole run of letters and digits around the claim, or of digits alone, in the record's letters and digits."""
    lower = text.lower()
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


def _holds(code: str, squeezed: tuple[str, ...], *, whole: bool) -> bool:
    """Whether a fact has this code, and no digit more behind it; none before it either when it must be whole."""
    before = r"(?<!\d)" if whole and code.isdigit() else ""
    return any(re.search(rf"{before}{re.escape(code)}(?!\d)", fact) for fact in squeezed)
