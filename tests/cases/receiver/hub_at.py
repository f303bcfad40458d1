"""A real hub process with its clock in a test's hand: the time is the machine's, moved by what stands in a file.

Usage: `python -m tests.cases.receiver.hub_at CLOCK DB PORT LEASE_SECONDS ORIGIN`; the file holds milliseconds.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dragoman import wire
from dragoman.cli.output import emit
from dragoman.clock import SECOND, SystemClock
from dragoman.hub.serve import parse_listen, serve


class Moved:
    """The machine's clock and what stands in the file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def now(self) -> int:
        """Milliseconds since the epoch, as this hub has them."""
        return SystemClock().now() + int(self._file.read_text())


def main() -> None:
    """Serve until told to stop."""
    clock, db, port, lease, origin = sys.argv[1:6]
    serve(
        f"sqlite://{db}",
        parse_listen(f"127.0.0.1:{port}", insecure_http=False),
        Moved(Path(clock)),
        wire.Limits(lease_ms=int(lease) * SECOND, replies_per_contact_hour=None, replies_per_role_day=None),
        origins=[origin, f"http://127.0.0.1:{port}"],
        ready=lambda address: emit({"listening": address}),
    )


if __name__ == "__main__":
    main()
