"""A time as packets write it, in milliseconds: RFC 3339 in UTC with `Z` (spec 3 §1); anything else is no moment."""

from __future__ import annotations

import functools
from typing import Any

from dragoman.clock import parse_rfc3339


def moment(value: Any) -> int | None:
    """Milliseconds of a UTC stamp, or None for anything else."""
    return _moment(value) if type(value) is str else None


@functools.lru_cache(maxsize=256)
def _moment(value: str) -> int | None:
    try:
        return parse_rfc3339(value)
    except ValueError:
        return None
