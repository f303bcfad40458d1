"""What is one row of the tables of guarded shapes, and of what kind is it? Words of this room, no patterns."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class Kind(StrEnum):
    """What was found (spec 1 §5)."""

    TERM = "term"
    SECRET = "secret"  # noqa: S105
    PATH = "path"
    TRACE = "trace"
    INTERNAL_HOST = "internal_host"


class Shape(NamedTuple):
    """One row: `opening` is empty when the pattern never spans white space.

    `sign` occurs wherever the pattern does and is quicker to look for; empty means the pattern itself.
    """

    rule: str
    kind: Kind
    pattern: str
    opening: str = ""
    sign: str = ""


RUN_LIMIT: Final = 4096
"""Longest run without white space, in folded characters, that can be checked; a longer one is `secret:unbroken_run`."""
