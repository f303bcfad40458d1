"""May this packet be taken in, and has it been taken already? (spec 3 §3, idempotent consumption)

1. Only a packet whose verdict is `pass` is taken; of another nothing is kept.
2. One source's idempotency key names one piece of work. The same key with the same work gives the first result again,
   whatever has changed of the packet around it (a retry counts up, is issued later, has an id of its own). Another work
   under a used key is a conflict, and the first result stands.
3. What asks for an acknowledgement is due one until its target acknowledges it, in the same conversation: nobody else
   can settle that for it. An acknowledgement is never due one, whatever it asks: loops end here.
4. Taking in executes nothing, grants nothing and writes no memory.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final, Literal

import msgspec

from dragoman.clock import rfc3339
from dragoman.packets.canonical import canonical
from dragoman.packets.envelope import at, text_at
from dragoman.packets.moment import moment
from dragoman.packets.rules.acknowledgement import ACK

Outcome = Literal["taken", "repeated", "conflict"]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a piece of work when it first came."""

    message_id: str
    profile: str
    source: str
    idempotency_key: str
    correlation_id: str
    taken_at: str
    acknowledgement_due: bool


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of it: the digest of the work, the result, and the packet."""

    work: str
    result: Result
    packet: dict[str, Any]


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """The answer: how it was taken, and the first result of this key."""

    outcome: Outcome
    result: Result


_SAME_WORK: Final = ("profile", "target", "body")


def place_of(packet: dict[str, Any]) -> str:
    """Under which name a packet's work is kept: the digest of its source and key."""
    key = canonical([text_at(packet, "source", "agent_id"), text_at(packet, "delivery", "idempotency_key")])
    return hashlib.sha256(key).hexdigest()


def work_of(packet: dict[str, Any]) -> str:
    """The digest of what is asked, whoever's retry it is."""
    work = {name: packet.get(name) for name in _SAME_WORK}
    return hashlib.sha256(canonical([work, text_at(packet, "conversation", "correlation_id")])).hexdigest()


def kept_of(packet: dict[str, Any], now: int) -> Kept:
    """What is to be kept of a packet that passed and is new; `now` in milliseconds."""
    profile = text_at(packet, "profile")
    result = Result(
        message_id=text_at(packet, "message_id"),
        profile=profile,
        source=text_at(packet, "source", "agent_id"),
        idempotency_key=text_at(packet, "delivery", "idempotency_key"),
        correlation_id=text_at(packet, "conversation", "correlation_id"),
        taken_at=rfc3339(now),
        acknowledgement_due=profile != ACK and at(packet, "delivery", "ack_required") is True,
    )
    return Kept(work=work_of(packet), result=result, packet=packet)


def first(kept: Kept) -> Taken:
    """The answer to a packet that is new."""
    return Taken(outcome="taken", result=kept.result)


def again(packet: dict[str, Any], kept: Kept) -> Taken:
    """The answer to a packet whose key was used before."""
    return Taken(outcome="repeated" if work_of(packet) == kept.work else "conflict", result=kept.result)


def acknowledges(packet: dict[str, Any]) -> str | None:
    """The message id that a packet acknowledges, or None."""
    return text_at(packet, "body", "acknowledged_message_id") or None if packet.get("profile") == ACK else None


def settles(ack: dict[str, Any], kept: Kept) -> bool:
    """Whether a packet is the acknowledgement that `kept` is due: by its target, to its source, of its conversation."""
    return (
        kept.result.acknowledgement_due
        and acknowledges(ack) == kept.result.message_id
        and text_at(ack, "source", "agent_id") == text_at(kept.packet, "target", "agent_id")
        and text_at(ack, "target", "agent_id") == kept.result.source
        and text_at(ack, "conversation", "correlation_id") == kept.result.correlation_id
    )


def expired(packet: dict[str, Any], now: int) -> bool:
    """Whether a packet may not be accepted any more; a time that cannot be read is a yes."""
    ends = moment(at(packet, "delivery", "expires_at"))
    return ends is None or ends <= now
