"""What became of the unattended run, asked of everybody but the receivers' own word: a list of complaints and a table.

Witnesses: what the peers read at the hub, the files that the handler flushed, the notifier's file, the hub's marks; and
beside them, through the commands that an owner has, status, packets and journal.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dragoman import wire
from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.keys import read_key
from dragoman.cli.demo_stage import Stage
from dragoman.clock import SystemClock
from dragoman.receiver.books import open_books, side_file
from dragoman.receiver.config import load_config
from dragoman.words import SendState
from tests.e2e.unattended_handler import FORBIDDEN
from tests.e2e.unattended_peers import Peer

TOLD_OF_EACH = ("waiting_owner", "completed", "turn_limit")
TOLD_OF_ALL = ("daily_limit", "grant_expired")
STILL_THERE = ("awaiting_peer_pickup", "peer_processing", "closed")
"""Delivery states, as the peer sees them, in which the hub may hold something that the receiver does not know of."""


class Side(NamedTuple):
    """One of our roles: its folder with `dragoman.json`, and what was granted."""

    name: str
    folder: Path
    role_id: str
    turns: int
    per_day: int

    @property
    def config(self) -> str:
        """Its configuration."""
        return str(self.folder / "dragoman.json")


class Ending(NamedTuple):
    """One contact in the end."""

    side: str
    contact: str
    asked: int
    turns: str
    replies: int
    stop: str
    summary: str
    packets: str


def calls_of(side: Side) -> list[dict[str, Any]]:
    """What the handler was asked and said, as it flushed it itself."""
    return [json.loads(path.read_text()) for path in (side.folder / "witness").iterdir()]


def judged(stage: Stage, url: str, sides: list[Side], peers: list[Peer]) -> tuple[list[Ending], list[str]]:
    """Every contact's ending, and every complaint."""
    endings, complaints = [], []
    seen = {contact: found for peer in peers for contact, found in peer.seen.items()}
    for side in sides:
        status = stage.ask("status", "--config", side.config)
        tasks = {each["contact_id"]: each for each in status["autonomy"]}
        calls, told = calls_of(side), told_of(side)
        for contact in [each for peer in peers for each, role in peer.contacts.items() if role == side.role_id]:
            if contact not in tasks:
                complaints.append(f"{contact}: not among the tasks of {side.name}")
                continue
            mine = [each for each in calls if each["contact"] == contact]
            ending = _ending(stage, side, tasks[contact], mine, len(seen.get(contact, {})))
            endings.append(ending)
            complaints += [f"{side.name} {contact}: {each}" for each in _of_contact(side, tasks[contact], mine, ending)]
            if ending.stop in TOLD_OF_EACH and contact not in {each["contact_id"] for each in told}:
                complaints.append(f"{side.name} {contact}: the owner was not told of {ending.stop}")
        complaints += _of_role(side, status, calls, told, asyncio.run(_marks(url, side)))
        complaints += lost(side, peers)
        complaints += released(side, {contact: seen.get(contact, {}) for contact in tasks}, calls)
        verified = stage.ask("journal", "verify", "--config", side.config)
        if "records" not in verified:
            complaints.append(f"{side.name}: the journal does not verify: {verified}")
    complaints += [f"a peer could read `{word}`: {where}" for word, where in leaks(peers)]
    return endings, complaints


def _ending(stage: Stage, side: Side, task: dict[str, Any], calls: list[dict[str, Any]], replies: int) -> Ending:
    contact, packets = task["contact_id"], "none"
    if calls:
        out = stage.folder / "packets" / side.name / contact
        out.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        stage.ask("export", "--config", side.config, "--contact", contact, "--out", str(out))
        packets = str(stage.ask("packet", "verify", str(out)).get("result"))
    asked = len({id for each in calls for id in each["asked"]})
    turns = f"{task['turns_used']}/{task['max_turns']}"
    return Ending(side.name, contact, asked, turns, replies, str(task["stop_reason"]), task["summary"], packets)


def _of_contact(side: Side, task: dict[str, Any], calls: list[dict[str, Any]], ending: Ending) -> Iterator[str]:
    if task["stop_reason"] is None:
        yield "in no named stop"
    if not task["summary"].strip():
        yield "no summary for the owner"
    if not len(calls) <= task["turns_used"] <= side.turns:
        yield f"{len(calls)} calls, {task['turns_used']} charged, {side.turns} granted"
    if ending.packets not in ("pass", "none"):
        yield f"its packets: {ending.packets}"


def _of_role(
    side: Side, status: dict[str, Any], calls: list[dict[str, Any]], told: list[dict[str, Any]], marks: wire.Marks
) -> Iterator[str]:
    tasks = status["autonomy"]
    charged = sum(each["turns_used"] for each in tasks)
    today = tasks[0]["dispatches_today"]
    if not len(calls) <= charged or today > side.per_day:
        yield f"{side.name}: {len(calls)} calls, {charged} charged, {today} today, {side.per_day} granted a day"
    if marks.counts.get("uses", 0) > charged or marks.counts.get("uses", 0) < charged - 1:
        yield f"{side.name}: the hub's marks say {marks.counts}, {charged} charged"
    stops = {each["stop_reason"] for each in tasks}
    for stop in TOLD_OF_ALL:
        if stop in stops and not any(each["milestone"] == "limit_hit" for each in told):
            yield f"{side.name}: the owner was not told of {stop}, but {told}; {status['notifications']}"
    unheard = [each for each in status["notifications"] if each["state"] not in ("queued", "sending")]
    if unheard:
        yield f"{side.name}: notifications not delivered: {[each['state'] for each in unheard]}"


def released(side: Side, seen: dict[str, dict[str, Any]], calls: list[dict[str, Any]]) -> Iterator[str]:
    """What a peer saw is exactly what the ledger has as sent, once each, and words that the handler said."""
    config = load_config(Path(side.config))
    books = open_books(config.state_dir, side_file(config.path), may_create=False, grant_id=config.grant_id)
    sent = {each.reply_id: each for each in books.turns.in_state(SendState.SENT)}
    open_still = [state for state in (SendState.SENDING, SendState.UNCERTAIN) if books.turns.in_state(state)]
    books.close()
    visible = {reply_id: each for found in seen.values() for reply_id, each in found.items()}
    if open_still:
        yield f"{side.name}: replies left {open_still}"
    for reply_id in visible.keys() ^ sent.keys():
        yield f"{side.name}: {reply_id} is {'visible' if reply_id in visible else 'sent'} only"
    said = {(each["contact"], each["said"]) for each in calls}
    for reply_id, message in visible.items():
        if reply_id in sent and message.text != sent[reply_id].text:
            yield f"{side.name}: {reply_id} reads otherwise than it was released"
        if (message.contact_id, message.text) not in said:
            yield f"{side.name}: nobody said `{message.text[:80]}`"


def lost(side: Side, peers: list[Peer]) -> Iterator[str]:
    """Messages that the hub accepted, neither on record at the receiver nor still kept for it at the hub."""
    config = load_config(Path(side.config))
    books = open_books(config.state_dir, side_file(config.path), may_create=False, grant_id=config.grant_id)
    for peer in peers:
        for contact, sent in peer.sent.items():
            if peer.contacts[contact] == side.role_id and peer.state.get(contact) not in STILL_THERE:
                yield from (f"{contact}: {id} is nowhere" for id in sent if books.inbox.find(id) is None)
    books.close()


def leaks(peers: list[Peer]) -> Iterator[tuple[str, str]]:
    """Words that no peer may read, with where one could."""
    for peer in peers:
        texts = [f"{each.text} {each.packet or ''}" for found in peer.seen.values() for each in found.values()]
        everything = [*texts, *(view.decode() for view in peer.views)]
        for word in (*FORBIDDEN, "/unattended", "role.key", "grant-"):
            if where := next((text for text in everything if word in text), ""):
                yield word, where[:200]


async def _marks(url: str, side: Side) -> wire.Marks:
    grant = json.loads(Path(side.config).read_text())["autonomy"]["grant_id"]
    async with HubClient(url, read_key(side.folder / "role.key"), SystemClock()) as client:
        return await client.reports.marks(grant)


def told_of(side: Side) -> list[dict[str, Any]]:
    """What the owner has been told, as the notifier wrote it down."""
    path = side.folder / "owner.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
