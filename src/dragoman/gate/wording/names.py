"""Where does an English text name somebody? For the rows that ask what is said of a third party.

1. A name is a run of capitalised words with small letters in them; `&` and `of` may join two. Titles count as its part.
2. The words that begin sentences, days, months, languages and our own offices are no names, and do not begin one.
3. Any other word at the beginning of a sentence may be taken for a name: the row must ask for more than that.

Pure; nothing is known of who is who. A name alone marks nothing.
"""

from __future__ import annotations

import re
from typing import Final

MARK: Final = "¤"

_WORD: Final = r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ][A-Za-zÀ-ÖØ-öø-ÿ.-]*"
_RUN: Final = re.compile(rf"\b{_WORD}(?: (?:& |and Sons|of (?=[A-Z])|de |van |von )?{_WORD})*(?: & {_WORD})?")
_BEGINNINGS: Final = """
a about above according after afternoon again all almost along already also although always am america american among
an and another any anyone anything april are around as ask at attached august autumn away back be because been before
below beside besides best better between both britain british but by call can cheers china chinese christmas come
concerning considering could dear december delivery did do does don done dont down due during dutch each easter either
else england english europe european even evening every everybody everyone everything february few fine first
following for france french friday from further fyi german germany get give given glad go going good got great had
half happy hard has have having he hello here herewith hers hey hi his how however i if im in indeed inside instead
invoice is it italian its ive january july june just kind kindly last late later least leave less let like ll look
lots madam made make many march may maybe me meanwhile might mine monday more morning most much must my near nearly
neither never new next nice no nobody none nor not nothing november now october of off often oh ok okay on once one
only or order other others otherwise our ours out outside over own part per perhaps please pls plus polish provided
quick quite rather re ready really reception regarding regards russian sales same saturday see seems september several
shall she should since sir so some somebody someone something sometimes soon sorry spanish spring still such summer
sunday support sure take team tell than thank thanking thanks that the their theirs them then there these they thing
things this those though three through thursday thus till to today together tomorrow tonight too tuesday two under
unless until up upon us usually very warm was way we wednesday well were what whatever when whenever where whether
which whichever while who whoever whose why will winter with within without wont would yes yesterday yet you your
yours
"""
_PLAIN: Final = frozenset(_BEGINNINGS.split())


def named(text: str) -> str | None:
    """The text with each name as `¤`, or None when it names nobody."""
    found = False

    def mark(run: re.Match[str]) -> str:
        nonlocal found
        words = run[0].split(" ")
        kept = []
        while words and words[0].lower().rstrip(".") in _PLAIN:
            kept.append(words.pop(0))
        if not words:
            return run[0]
        found = True
        return " ".join([*kept, MARK])

    marked = _RUN.sub(mark, text)
    return marked if found else None
