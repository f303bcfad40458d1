"""The real receiver with one difference: it kills itself (SIGKILL) at a chosen arrow of a message's life.

Usage: `python -m tests.crash.receiver_at POINT once|run --config PATH`. `SIGTERM:POINT` asks it to stop instead.
`POINT+SECONDS` sets its clock ahead, so that nobody has to wait for a failed turn's next attempt.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from dragoman.cli.receiver import serve
from dragoman.clock import SECOND
from dragoman.words import LifePoint
from tests.receiver.world import Shifted


def main() -> None:
    """Serve until the arrow is passed."""
    (words, _, ahead), command, config = sys.argv[1].partition("+"), sys.argv[2], Path(sys.argv[4])
    number = signal.SIGTERM if words.startswith("SIGTERM:") else signal.SIGKILL
    point = LifePoint(words.removeprefix("SIGTERM:"))

    def die_there(passed: LifePoint) -> None:
        if passed is point:
            os.kill(os.getpid(), number)

    serve(
        config,
        started_by=command,
        as_json=True,
        single=command == "once",
        checkpoint=die_there,
        clock=Shifted(int(ahead or 0) * SECOND),
    )


if __name__ == "__main__":
    main()
