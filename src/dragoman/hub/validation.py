"""Packet validation for anybody with a token: bytes in, the validator's verdict out, nothing kept.

The answer is what `dragoman packet validate --json -` prints for the same bytes at the same moment, byte for byte: one
validator, two doors. The hub never judges a packet by itself: what is in a message's packet is between the two roles.
"""

from __future__ import annotations

import msgspec

from dragoman.hub import rows
from dragoman.hub.desk import Desk
from dragoman.hub.store import Transaction
from dragoman.packets.validate import validate
from dragoman.packets.verdict import Finding, Result
from dragoman.shown import json_shown


class JudgedPacket(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on one packet; `path` is `-`, the packet that was handed in."""

    path: str
    result: Result
    profile: str | None
    message_id: str | None
    findings: list[Finding]
    checked: list[str]
    not_checked: list[str]
    note: str


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of `POST /packets/validate`; `packets` has one."""

    result: Result
    packets: list[JudgedPacket]


class Validation:
    """The one verb of validation."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def judge(self, token: str | None, raw: bytes) -> bytes:
        """The verdict on `raw` as JSON; any bytes are allowed, and the caller must be known."""
        now = self._desk.clock.now()

        async def work(tx: Transaction) -> None:
            await rows.caller_of(tx, token, now)

        await self._desk.store.glance(work)
        verdict = validate(raw, now=now)
        judged = {"result": verdict.result, "packets": [{"path": "-", **msgspec.to_builtins(verdict)}]}
        return json_shown(msgspec.json.encode(judged).decode()).encode()
