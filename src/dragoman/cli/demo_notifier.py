"""The demo's notifier: appends what the owner is told to `owner.jsonl` in a folder, and confirms it.

`python -m dragoman.cli.demo_notifier FOLDER` reads one notification as JSON on standard input. A real one would send a
message to the owner; the contract is the same (spec 2 §2). It takes the folder, not the file: files among a command's
arguments are part of its identity and may not change.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    """One notification in, one confirmation out; the same id is written once."""
    told, path = json.load(sys.stdin), Path(sys.argv[1]) / "owner.jsonl"
    path.touch(mode=0o600)
    known = {json.loads(line)["notification_id"] for line in path.read_text().splitlines()}
    if told["notification_id"] not in known:
        with path.open("a") as file:
            file.write(json.dumps(told, ensure_ascii=False) + "\n")
    json.dump({"schema_version": 1, "delivered": True, "notification_id": told["notification_id"]}, sys.stdout)


if __name__ == "__main__":
    main()
