"""A no of the hub: one code of `wire.ERRORS`, raised where it is decided and answered at the edge.

Outside it is that code, its fixed sentence and `retry_at`; what caused it stays in the log. An unknown code is
`internal`.
"""

from __future__ import annotations

from dragoman import wire
from dragoman.clock import SECOND


class Refusal(Exception):
    """The hub refuses.

    Args:
        code: a key of `wire.ERRORS`.
        retry_at: when to try again, milliseconds since the epoch.
        now: the moment of the refusal, for `Retry-After`.
    """

    def __init__(self, code: str, *, retry_at: int | None = None, now: int = 0) -> None:
        self.code = code if code in wire.ERRORS else "internal"
        self.retry_at = retry_at
        self.retry_seconds = None if retry_at is None else max(1, -(-(retry_at - now) // SECOND))
        """What `Retry-After` says: whole seconds, at least one."""
        super().__init__(code)

    @property
    def status(self) -> int:
        """The HTTP status of the code."""
        return wire.ERRORS[self.code][0]

    @property
    def body(self) -> wire.ErrorBody:
        """What may leave the hub."""
        return wire.ErrorBody(code=self.code, message=wire.ERRORS[self.code][1], retry_at=self.retry_at)
