"""The judge's eyes: a process of its own that knows only what the peer can read through the hub's API.

Requests are JSON lines: `{"open": id}` → `{"contact": id}`; `{"say": text, "contact": id, "reply_id": id}` →
`{"seq": n}`; `{"read": contact}` → `{"texts": [...], "settled": bool}`. It repeats a request under the same id while
the hub is away.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from dragoman.channels.hub.client import HubClient, HubError
from dragoman.channels.hub.keys import read_key
from dragoman.clock import SystemClock


def main() -> None:
    """Usage: `python -m tests.crash.observer URL KEY_FILE OTHER_ROLE`."""
    url, key_file, other = sys.argv[1:]
    asyncio.run(_serve(url, Path(key_file), other))


async def _serve(url: str, key_file: Path, other: str) -> None:
    async with HubClient(url, read_key(key_file), SystemClock()) as client:
        while line := await asyncio.to_thread(sys.stdin.readline):
            asked = json.loads(line)
            while (answer := await _tried(client, asked, other)) is None:
                await asyncio.sleep(0.03)
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


async def _tried(client: HubClient, asked: dict[str, Any], other: str) -> dict[str, Any] | None:
    try:
        return await _answered(client, asked, other)
    except HubError as error:
        if error.code == "hub_refused" and error.wire_code not in ("internal", "shutting_down", "store_unavailable"):
            raise
        return None


async def _answered(client: HubClient, asked: dict[str, Any], other: str) -> dict[str, Any]:
    if "open" in asked:
        return {"contact": (await client.open_contact(asked["open"], other)).contact_id}
    if "say" in asked:
        sent = await client.send(asked["contact"], reply_id=asked["reply_id"], text=asked["say"])
        return {"seq": sent.seq}
    leased = await client.lease(limit=100)
    if leased.lease is not None:
        await client.ack(leased.lease.lease_token, [each.message_id for each in leased.messages])
    page = await client.messages(asked["read"])
    state = (await client.communication(asked["read"])).delivery.state
    return {
        "texts": [each.text for each in page.messages if each.sender_role_id == other],
        "settled": state not in ("awaiting_peer_pickup", "peer_processing"),
        "state": state,
    }


if __name__ == "__main__":
    main()
