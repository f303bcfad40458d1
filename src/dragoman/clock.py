"""Time: UTC only, integer milliseconds since 1970, and the one real clock of the house.

Pure files take `now` (or a `Clock`) as an argument. RFC 3339 in the narrow form that packets allow:
upper case, trailing `Z`, at most six fraction digits, no leap seconds (spec 3 §1).
"""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

SECOND: Final = 1_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_STAMP: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?Z", re.ASCII)


class Clock(Protocol):
    """Whatever tells the time; tests pass their own."""

    def now(self) -> int:
        """Milliseconds since the epoch, UTC."""
        ...


class SystemClock:
    """The one real clock."""

    def now(self) -> int:
        """Milliseconds since the epoch, UTC, from the machine's wall clock."""
        return time.time_ns() // 1_000_000


def utc_day(ms: int) -> str:
    """The UTC date of `ms` as `YYYY-MM-DD`; the unit of every daily budget."""
    return (_EPOCH + timedelta(milliseconds=ms)).strftime("%Y-%m-%d")


def next_utc_day(ms: int) -> int:
    """The first millisecond of the UTC day after `ms`."""
    return (ms // DAY + 1) * DAY


def rfc3339(ms: int) -> str:
    """`ms` as `YYYY-MM-DDTHH:MM:SS[.fff]Z`; whole seconds carry no fraction."""
    moment = _EPOCH + timedelta(milliseconds=ms)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}Z" if ms % 1000 == 0 else f"{text}.{ms % 1000:03d}Z"


def parse_rfc3339(text: str) -> int:
    """Milliseconds of an RFC 3339 UTC stamp.

    Raises:
        ValueError: not a UTC stamp with `Z`, a leap second, an impossible date, or more than six fraction digits.
    """
    if not isinstance(text, str) or not _STAMP.fullmatch(text):
        raise ValueError("expected an RFC 3339 time in UTC such as `2026-10-06T09:00:00Z`")
    return (datetime.fromisoformat(text) - _EPOCH) // _MILLISECOND
