"""The demo's receiver that stops at one arrow, so that it can be killed there from outside.

`python -m dragoman.cli.demo_receiver POINT --config PATH` is `dragoman run` with one difference: when a message's life
passes POINT for the first time, it says so on standard output and stands still until it is killed.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from dragoman.cli.output import emit
from dragoman.cli.receiver import serve
from dragoman.words import LifePoint

STANDS_SECONDS = 60


def main() -> None:
    """Serve, and stand still at the arrow."""
    point, config = LifePoint(sys.argv[1]), Path(sys.argv[3])

    def stand_still(passed: LifePoint) -> None:
        if passed is point:
            emit({"holding": point})
            time.sleep(STANDS_SECONDS)

    serve(config, started_by="run", as_json=True, checkpoint=stand_still)


if __name__ == "__main__":
    main()
