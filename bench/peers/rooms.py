"""A peer: Matrix Synapse on its own SQLite file, limits lifted, presence off, a room for each of eight connections."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bench.peers import place
from tests.synapse import Synapse


class Room(place.Server):
    """The homeserver as a contender; its process is the tests' own."""

    def __init__(self, synapse: Synapse) -> None:
        self.name = "synapse"
        self.port = int(synapse.url.rpartition(":")[2])
        self._synapse = synapse
        place.pin(self.pid, place.SERVER_CPU)

    @property
    def pid(self) -> int:
        """The homeserver's process."""
        return self._synapse._running().pid

    def said(self) -> str:
        """Nothing: its log is its own."""
        return ""

    def stop(self) -> None:
        """End it."""
        self._synapse.kill()


def synapse(folder: Path, text: str) -> tuple[place.Server, dict[str, Any]]:
    """A homeserver and the plan of its sends."""
    folder.mkdir()
    server = Synapse(place.ROOT / ".venv-synapse" / "bin" / "python", folder)
    server.start()
    places = []
    for number in range(8):
        owner, other = server.user(f"bench{number}a"), server.user(f"bench{number}b")
        room = server.room(owner, other)
        path = f"/_matrix/client/v3/rooms/{quote(room)}/send/m.room.message/@@"
        headers = {"authorization": f"Bearer {owner.token}"}
        places.append({"path": path, "headers": headers, "body": json.dumps({"msgtype": "m.text", "body": text})})
    plan = {"script": "each", "places": places, "expect": "event_id", "method": "PUT"}
    return Room(server), {"send": plan}
