"""Were cycles seen to come by themselves? Two successive ones, and not too long ago (spec 2 §2).

Two successful cycles of one boot, 25 to 120 seconds apart, start to start, the newer at most five minutes old. A step
of the clock parts them like a reboot (`steps`). It says that cycles were seen, not that they go on after a log-out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import msgspec

from dragoman.clock import MINUTE, SECOND
from dragoman.ledger.cycles import Cycle
from dragoman.receiver.steps import boot_of

NEAREST_MS: Final = 25 * SECOND
FARTHEST_MS: Final = 120 * SECOND
EVIDENCE_MS: Final = 5 * MINUTE


def background(cycles: Sequence[Cycle], now: int) -> dict[str, Any]:
    """Whether cycles were observed in the background (spec 2 §2): two successive successful ones, in this boot,
    25 to 120 seconds apart, start to start, the newer at most five minutes old. `cycles` is newest first."""
    last = cycles[0] if cycles else None
    observed, at = False, None
    if len(cycles) >= 2 and last is not None:
        for newer, older in pairwise(cycles):
            apart = newer.started_at - older.started_at
            same_boot = newer.boot_id == older.boot_id == last.boot_id  # and no step of the clock between them
            fresh = 0 <= now - newer.started_at <= EVIDENCE_MS
            if newer.ok and older.ok and same_boot and fresh and NEAREST_MS <= apart <= FARTHEST_MS:
                observed, at = True, newer.started_at
                break
    return {
        "observed": observed,
        "observed_at": at,
        "last_cycle": None if last is None else msgspec.to_builtins(last),
        "boots": len({boot_of(cycle.boot_id) for cycle in cycles if cycle.ok}),
        "by_user_service": last is not None and "systemd user" in last.started_by,
    }
