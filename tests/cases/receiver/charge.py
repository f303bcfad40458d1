"""One charge of a receiver's ledger, made by a process that waits for a file to appear; prints whether it was paid.

Usage: `python -m tests.cases.receiver.charge CONFIG GO`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from dragoman.channels.hub.facts import contact_target
from dragoman.clock import SystemClock
from dragoman.grants import Grant
from dragoman.receiver.books import open_books, side_file
from dragoman.receiver.config import load_config
from dragoman.words import Purpose


def main() -> None:
    """Charge once."""
    config, go = load_config(Path(sys.argv[1])), Path(sys.argv[2])
    autonomy, hub = config.file.autonomy, config.file.hub
    assert autonomy is not None
    assert hub is not None
    target = contact_target(hub.role_id, autonomy.contact_ids[0])
    grant = Grant(
        id=autonomy.grant_id,
        purpose=Purpose.AUTONOMY,
        targets=frozenset({target}),
        given_by="owner",
        expires_at=autonomy.expires_at,
        max_per_target=autonomy.max_turns_per_contact,
        max_per_day=autonomy.max_dispatches_per_day,
    )
    books = open_books(config.state_dir, side_file(config.path), may_create=False)
    print("ready", flush=True)
    while not go.exists():
        time.sleep(0.001)
    print(books.charges.charge(grant, target, SystemClock().now()))
    books.close()


if __name__ == "__main__":
    main()
