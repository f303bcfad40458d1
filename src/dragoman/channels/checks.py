"""What a platform's account needs to be right outside this machine: one row per thing, with what to click to mend it.

`channels/<platform>/check.py` has `async def checks(section, place) -> list[Checked]`. It asks the platform, changes
nothing there, says nothing to anybody, and calls no model; what cannot be found out is `not_checked`, never `ok`.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at, in English and Chinese."""

    what: str
    """One word: `token`, `scopes`, `intents`, `privacy`, `webhook`, `clock` ..."""
    state: Literal["ok", "blocker", "note", "not_checked"]
    """`blocker`: the account cannot do its work; `note`: worth knowing."""
    said: tuple[str, str]
    fix: tuple[str, str] = ("", "")
    """What to click, or where to look; empty when there is nothing to mend."""
    code: str = ""
    """Of a blocker: a stable code of `errors.CODES`."""
