"""Reports, readiness, conversations and marks over HTTP, on a real hub: what the client says and what is refused."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest

from dragoman import wire
from dragoman.channels.hub.client import HubClient, HubError
from dragoman.channels.hub.keys import create_key
from dragoman.clock import SystemClock
from tests.hub_process import HubProcess, running_hub

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


class Place:
    """A role at a hub, with a contact to a peer."""

    def __init__(self, hub: HubProcess, us: HubClient, peer: HubClient, contact: str) -> None:
        self.hub, self.us, self.peer, self.contact = hub, us, peer, contact

    async def raw(self, method: str, path: str, body: object = None, kind: str = "application/json") -> tuple[int, Any]:
        """Status and code of a request made by hand."""
        token = (await self.us.log_in()).token
        headers = {"authorization": f"Bearer {token}", "content-type": kind}
        content = body if isinstance(body, bytes) or body is None else msgspec.json.encode(body)
        async with httpx2.AsyncClient(base_url=self.hub.url) as http:
            answer = await http.request(method, f"{wire.API}{path}", content=content, headers=headers)
        return answer.status_code, answer.json().get("code")


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    """A hub, two roles, a contact."""
    with running_hub(tmp_path) as hub:
        keys = [create_key(tmp_path / name) for name in ("us.key", "peer.key")]
        async with HubClient(hub.url, keys[0], SystemClock()) as us, HubClient(hub.url, keys[1], SystemClock()) as peer:
            await us.register()
            await peer.register()
            contact = await us.open_contact("opn_12345678", peer.role_id)
            yield Place(hub, us, peer, contact.contact_id)


async def test_a_report_goes_round(place: Place) -> None:
    """What is reported is what is read, by this role alone; the peer sees no more than that somebody is there."""
    waiting = [wire.Waiting(contact_id=place.contact, waits_for=wire.WaitsFor.OWNER, since=1)]
    report = wire.ReportReceiver(generation=1, sent_at=SystemClock().now(), version="1.1.0", waiting=waiting)
    said = await place.us.reports.report(report)
    read = await place.us.reports.receiver()
    theirs = await place.peer.reports.receiver()
    seen = await place.peer.reports.communication(place.contact)
    status = await place.us.reports.status()

    assert (said.waiting, said.version) == (read.waiting, "1.1.0")
    assert [(place.contact, "owner")] == [(each.contact_id, each.waits_for) for each in read.waiting]
    assert (None, "none") == (theirs.instance_id, theirs.readiness.level)
    assert ("peer_waiting_owner", "等待对方主人", True) == (
        seen.delivery.state,
        seen.delivery.state_zh,
        seen.peer_receiver.reported_recently,
    )
    assert ["waiting_owner"] == [each.delivery.state for each in status.conversations]


async def test_marks_go_round(place: Place) -> None:
    """Raised, never lowered, read back; another role knows nothing of them."""
    first = await place.us.reports.raise_marks("grant-7f3a", "a" * 32, {"uses": 3, "all": 9})
    second = await place.us.reports.raise_marks("grant-7f3a", "a" * 32, {"uses": 1, "all": 10})
    theirs = await place.peer.reports.marks("grant-7f3a")

    assert {"uses": 3, "all": 9} == first.counts
    assert {"uses": 3, "all": 10} == second.counts == (await place.us.reports.marks("grant-7f3a")).counts
    assert (None, {}) == (theirs.ledger_id, theirs.counts)


async def test_proof_of_a_reply_over_http(place: Place) -> None:
    """Absent is None where that is proof; where it is none, the error says so."""
    now = SystemClock().now()
    fresh = await place.us.reply("reply-never-sent", since=now)
    with pytest.raises(HubError) as gone:
        await place.us.reply("reply-never-sent", since=now - wire.Limits().proof_ms - 60_000)

    assert fresh is None
    assert ("proof_gone", 410) == (gone.value.wire_code, gone.value.status)
    assert not gone.value.uncertain


REPORT = {"generation": 1, "sent_at": 1}
MARKS = {"generation": 1, "grant_id": "grant-1", "ledger_id": "l", "counts": {"uses": 1}}
REFUSED = [
    ("PUT", "/communication/receiver", REPORT | {"ready": True}, 400, "bad_request"),
    ("PUT", "/communication/receiver", REPORT | {"mode": "asleep"}, 400, "bad_request"),
    ("PUT", "/communication/receiver", REPORT | {"generation": 2}, 409, "instance_superseded"),
    (
        "PUT",
        "/communication/receiver",
        REPORT | {"waiting": [{"contact_id": "con_1", "waits_for": "owner"}]},
        400,
        "bad_request",
    ),
    (
        "PUT",
        "/communication/receiver",
        b'{"generation":1,"sent_at":1,"version":"' + b"x" * 170_000 + b'"}',
        413,
        "body_too_large",
    ),
    ("PUT", "/marks", MARKS | {"counts": {}}, 400, "bad_request"),
    ("PUT", "/marks", MARKS | {"counts": {"uses": -1}}, 400, "bad_request"),
    ("PUT", "/marks", MARKS | {"counts": {f"n{n}": 1 for n in range(9)}}, 400, "bad_request"),
    ("PUT", "/marks", MARKS | {"grant_id": "no spaces"}, 400, "bad_request"),
    ("GET", "/marks", None, 400, "bad_request"),
    ("GET", "/marks?grant_id=x", None, 400, "bad_request"),
    ("POST", "/marks", MARKS, 405, "method_not_allowed"),
    ("GET", "/replies/reply-0001?since=-1", None, 400, "bad_request"),
]


@pytest.mark.parametrize(("method", "path", "body", "status", "code"), REFUSED)
async def test_what_is_refused(place: Place, method: str, path: str, body: object, status: int, code: str) -> None:
    """Strict bodies, bounds and generations; each with its code."""
    assert (status, code) == await place.raw(method, path, body)


async def test_a_put_says_that_it_is_json(place: Place) -> None:
    """Like every other body."""
    assert (415, "media_type_unsupported") == await place.raw("PUT", "/marks", MARKS, "text/plain")


async def test_a_thousand_waits_are_taken(place: Place) -> None:
    """The most that one report names fits into its bound; those of other roles' contacts are dropped."""
    waits = [wire.Waiting(contact_id=f"con_{n:032x}", waits_for=wire.WaitsFor.GATE, since=2**50) for n in range(1000)]
    report = wire.ReportReceiver(generation=1, sent_at=SystemClock().now(), version="1", waiting=waits)

    assert [] == (await place.us.reports.report(report)).waiting
