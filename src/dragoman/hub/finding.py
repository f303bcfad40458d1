"""May this be published, found, saved as a search? From facts alone (spec 2 §1).

1. A title is not blank, no text holds U+0000, each tag holds a word; tags are kept in one spelling, each once, sorted.
2. An entry can be found while it is open and not expired. A delegation expires `DELEGATION_MS` ahead at most.
3. A role changes its stall at most `STALL_CHANGES` times in a day that begins with the first change, for each is told
   to subscribers. It has at most `DELEGATIONS` open, and `DELEGATIONS_KEPT` with those that ended a while ago.
4. A saved search asks for something. Its anchor, the longest of its tokens, leads from an entry to it.
5. Publishing is no message: it opens no contact and authorises nobody.

No clock, no store: `now` and rows are arguments. A refusal is a code of `wire.ERRORS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from dragoman.clock import DAY
from dragoman.hub import tokens

STALL_CHANGES: Final = 50
DELEGATIONS: Final = 20
DELEGATIONS_KEPT: Final = 200
DELEGATION_MS: Final = 90 * DAY
ENDED_MS: Final = 30 * DAY
"""How long an ended delegation is kept."""
SUBSCRIPTIONS: Final = 50
BLOCKS: Final = 10_000
PAGE: Final = 20
FIRST: Final = 2**53 - 1
"""Before which number a search begins when none is named."""


class Changes(NamedTuple):
    """How often a stall was changed in the day that began then."""

    day_began: int
    day_changes: int


def complaint(title: str, text: str, tags: Sequence[str]) -> str | None:
    """Why these words cannot be published, or None if they can."""
    if "\x00" in title or "\x00" in text:
        return "text_invalid"
    if not title.strip():
        return "text_empty"
    return tags_complaint(tags)


def tags_complaint(tags: Sequence[str]) -> str | None:
    """Why these are no tags, or None if they are."""
    made = [tokens.tag_of(tag) for tag in tags]
    return None if all(0 < len(tag) <= tokens.WORD for tag in made) else "tag_invalid"


def tags_of(tags: Sequence[str]) -> list[str]:
    """Tags as they are kept."""
    return sorted({tokens.tag_of(tag) for tag in tags})


def is_open(state: str, expires_at: int | None, now: int) -> bool:
    """Whether an entry can be found and answered."""
    return state == "open" and (expires_at is None or now < expires_at)


def changed(before: Changes, now: int) -> Changes | None:
    """The count after one more change of a stall, or None when this day's are used up."""
    if not before.day_began <= now < before.day_began + DAY:
        return Changes(now, 1)
    return Changes(before.day_began, before.day_changes + 1) if before.day_changes < STALL_CHANGES else None


def may_publish(every: int, standing: int, expires_at: int, now: int) -> str | None:
    """Why a role with so many delegations, so many of them open, may not publish one until `expires_at`."""
    if not now < expires_at <= now + DELEGATION_MS:
        return "expiry_invalid"
    return "too_many" if standing >= DELEGATIONS or every >= DELEGATIONS_KEPT else None


def anchor(asked: Sequence[str]) -> str:
    """The token of a saved search by which new entries find it; `asked` is not empty."""
    return max(asked, key=lambda token: (len(token), token))
