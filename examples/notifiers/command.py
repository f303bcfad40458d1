"""A notifier command: appends what the owner is told to `owner.jsonl` in a folder, once per id, and confirms it.

    command = ["/usr/bin/python3", "/home/desk/command.py", "/home/desk/told"]

Put your own way of telling in place of the file, and confirm only what was really told. It is given the folder, not the
file: files among a command's arguments belong to its identity and may not change.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    """One notification in, one confirmation out."""
    told = json.load(sys.stdin)
    folder = Path(sys.argv[1])
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / "owner.jsonl"
    path.touch(mode=0o600)
    known = {json.loads(line)["notification_id"] for line in path.read_text().splitlines()}
    if told["notification_id"] not in known:
        with path.open("a") as file:
            file.write(json.dumps(told, ensure_ascii=False) + "\n")
    json.dump({"schema_version": 1, "delivered": True, "notification_id": told["notification_id"]}, sys.stdout)


if __name__ == "__main__":
    main()
