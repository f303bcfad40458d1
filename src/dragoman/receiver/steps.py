"""Was the clock set? Cycles are compared by the wall's time; across a step they prove nothing (spec 2 §2, §3.13).

The wall's time minus that of a clock that nobody sets stays the same while no one sets the wall. When it moves by more
than `STEP_MS` between two cycles, the later one counts as a new run of the same boot: cycles on both sides of the step
never make one pair, so that a clock that jumps a minute ahead shows no minute of work.

Pure: what is kept goes in and out as text.
"""

from __future__ import annotations

from typing import Final

import msgspec

from dragoman.clock import SECOND

STEP_MS: Final = 5 * SECOND
DRIFT_MS: Final = SECOND
MARK: Final = "~"


class Kept(msgspec.Struct, frozen=True):
    """What the last cycle found: its boot, the wall minus the steady clock, and how many steps were seen since."""

    boot_id: str
    offset: int
    steps: int = 0


def run_of(kept: str | None, boot_id: str, wall: int, steady: int) -> tuple[str, str]:
    """Names the run that a cycle belongs to, and what to keep for the next one; both clocks in milliseconds."""
    offset = wall - steady
    last = _read(kept)
    if last is None or last.boot_id != boot_id:
        now = Kept(boot_id, offset)
    elif abs(offset - last.offset) > STEP_MS:
        now = Kept(boot_id, offset, last.steps + 1)
    else:  # a clock that is only pulled along drifts: it is followed
        now = Kept(boot_id, offset, last.steps) if abs(offset - last.offset) > DRIFT_MS else last
    return f"{boot_id}{MARK}{now.steps}" if now.steps else boot_id, msgspec.json.encode(now).decode()


def boot_of(run: str) -> str:
    """The boot that a run belongs to."""
    return run.partition(MARK)[0]


def _read(kept: str | None) -> Kept | None:
    try:
        return None if kept is None else msgspec.json.decode(kept, type=Kept)
    except msgspec.MsgspecError:
        return None
