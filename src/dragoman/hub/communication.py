"""Where conversations stand: the facts of many contacts in a few statements, and the two verbs that show them.

Whatever the number of contacts, each kind of fact is fetched once for all of them; `standing.delivery_state` then
decides each by itself. Looking commits nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from dragoman import wire
from dragoman.clock import DAY, HOUR
from dragoman.hub import rows, rules, standing
from dragoman.hub.desk import Desk
from dragoman.hub.store import Row, Transaction
from dragoman.words import DeliveryState

NEWEST: Final = 50
"""How many conversations the status shows (spec 2 §1)."""
EXPIRED: Final = 20
"""How many expired messages of one conversation are named."""


class Communication:
    """The verbs of looking at conversations."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def one(self, token: str | None, contact_id: str) -> wire.Communication:
        """Where one conversation stands, as the caller sees it."""

        async def work(tx: Transaction) -> wire.Communication:
            now = self._desk.clock.now()
            asking = await rows.seen(tx, token)
            caller, _ = rows.caller_in(asking, token, now)
            contact = await rows.contact_row(tx, contact_id, caller.role_id)
            limits = rows.limits_in(asking, token, self._desk.limits)
            return (await _seen(tx, [contact], caller.role_id, limits, now))[0]

        return await self._desk.store.read(work)

    async def newest(self, token: str | None) -> wire.Status:
        """The caller's newest conversations that are not closed, the newest word first."""

        async def work(tx: Transaction) -> wire.Status:
            now = self._desk.clock.now()
            asking = await rows.seen(tx, token)
            caller, _ = rows.caller_in(asking, token, now)
            limits = rows.limits_in(asking, token, self._desk.limits)
            found = await tx.all("standing_newest", role_id=caller.role_id, limit=NEWEST + 1)
            seen = await _seen(tx, found[:NEWEST], caller.role_id, limits, now)
            return wire.Status(conversations=seen, truncated=len(found) > NEWEST, server_time=now)

        return await self._desk.store.read(work)


async def _seen(
    tx: Transaction, contacts: Sequence[Row], role_id: str, limits: wire.Limits, now: int
) -> list[wire.Communication]:
    if not contacts:
        return []
    peers = {each["contact_id"]: _peer(each, role_id) for each in contacts}
    ids = sorted(peers)
    limited = await _limited(tx, ids, role_id, limits, now)
    found = await tx.facts(
        {
            "standing_open": {"contact_ids": ids, "now": now},
            "standing_completed": {"contact_ids": ids},
            "standing_waits": {"contact_ids": ids},
            "standing_reported": {"role_ids": sorted(set(peers.values()))},
            "standing_expired": {"contact_ids": ids, "role_id": role_id, "limit": EXPIRED * len(ids)},
        }
    )
    facts = _facts(found, contacts, role_id, limited)
    reported = {row["role_id"]: row["reported_at"] for row in found["standing_reported"]}
    expired: dict[str, list[str]] = defaultdict(list)
    for row in found["standing_expired"]:
        expired[row["contact_id"]].append(row["reply_id"])
    return [
        _shown(
            contact_id,
            standing.delivery_state(facts[contact_id]),
            retry_at=limited.get(contact_id),
            recently=standing.reported_recently(reported.get(peers[contact_id]), now),
            expired=expired[contact_id][:EXPIRED],
            now=now,
        )
        for contact_id in (each["contact_id"] for each in contacts)
    ]


async def _limited(tx: Transaction, ids: list[str], role_id: str, limits: wire.Limits, now: int) -> dict[str, int]:
    """By contact, when this role may reply there again; only where it may not now."""
    in_contact: dict[str, int] = {}
    of_role: int | None = None
    if limits.replies_per_contact_hour is not None:
        before = limits.replies_per_contact_hour - 1
        asked = [
            {"ask": number, "contact_id": each, "sender": role_id, "before": before} for number, each in enumerate(ids)
        ]
        for row in await tx.gather("message_nth_in_contact", asked):
            in_contact[ids[row["ask"]]] = row["created_at"]
    if limits.replies_per_role_day is not None:
        asked = [{"ask": 0, "sender": role_id, "before": limits.replies_per_role_day - 1}]
        for row in await tx.gather("message_nth_of_role", asked):
            of_role = row["created_at"]
    until = {each: rules.limited_until((in_contact.get(each), of_role), (HOUR, DAY), now) for each in ids}
    return {each: end for each, end in until.items() if end is not None}


def _facts(
    found: Mapping[str, Sequence[Row]], contacts: Sequence[Row], role_id: str, limited: Mapping[str, int]
) -> dict[str, standing.Facts]:
    """What the tables say of these contacts, from the side of `role_id`."""
    waiting = {(row["contact_id"], row["recipient"]): row for row in found["standing_open"]}
    completed = {row["contact_id"] for row in found["standing_completed"]}
    waits = {(row["contact_id"], row["role_id"]): wire.WaitsFor(row["waits_for"]) for row in found["standing_waits"]}
    facts = {}
    for contact in contacts:
        contact_id, peer = contact["contact_id"], _peer(contact, role_id)
        mine, theirs = waiting.get((contact_id, role_id)), waiting.get((contact_id, peer))
        facts[contact_id] = standing.Facts(
            closed=contact["closed_at"] is not None,
            completed=contact_id in completed,
            waits=waits.get((contact_id, role_id)),
            limited=contact_id in limited,
            inbound=mine["waiting"] if mine else 0,
            inbound_leased=mine["leased"] if mine else 0,
            mine_to_open=contact["opener"] == role_id and contact["last_seq"] == 0,
            peer_waits=waits.get((contact_id, peer)),
            outbound=theirs["waiting"] if theirs else 0,
            outbound_leased=theirs["leased"] if theirs else 0,
        )
    return facts


def _peer(contact: Row, role_id: str) -> str:
    peer: str = contact["peer"] if contact["opener"] == role_id else contact["opener"]
    return peer


def _shown(
    contact_id: str,
    state: DeliveryState,
    *,
    retry_at: int | None,
    recently: bool,
    expired: list[str],
    now: int,
) -> wire.Communication:
    limited = state is DeliveryState.REPLY_LIMITED
    return wire.Communication(
        contact_id=contact_id,
        delivery=wire.Delivery(state=state, state_zh=wire.DELIVERY_ZH[state], retry_at=retry_at if limited else None),
        server_time=now,
        peer_receiver=wire.PeerReceiver(reported_recently=recently),
        expired=expired,
    )
