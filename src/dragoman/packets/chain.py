"""One conversation as a whole: is the evidence complete, and does it hang together (spec 3 §3, §5.1)?

1. Every packet is judged on its own first, without its age: an archived chain does not fail because time went by.
2. Packets stand in the order of issue, then sequence, then name. The very same packet twice is one packet.
3. Each packet is known by its parent; each source counts its packets from 0 without gaps; one id, one packet; one
   idempotency key, one body.
4. What asks for an acknowledgement has one by its target, and exactly one answer; work stands after an acceptance.
   `accepted` is not done: the state of a chain is what its last packet says, never more.
5. A finished conversation goes on only by correction.
Findings name the packet by the name under which it was handed in; nothing of a packet that fails alone is repeated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import msgspec

from dragoman.errors import DragomanError
from dragoman.packets.canonical import canonical
from dragoman.packets.envelope import at, text_at
from dragoman.packets.moment import moment
from dragoman.packets.rules import CHAIN_RULES
from dragoman.packets.rules.acknowledgement import ACK, REPORT, STATUS
from dragoman.packets.signature import Trust
from dragoman.packets.validate import judge
from dragoman.packets.verdict import NOTE, Finding, Result, Severity, Verdict

CORRECTION: Final = "uai.agent.correction.v1"

_GOING: Final = frozenset(
    {"open", "acknowledged", "working", "waiting", "blocked", "handed_off", "completed", "failed", "cancelled"}
)
TRANSITIONS: Final[dict[str, frozenset[str]]] = {
    "open": _GOING,
    "acknowledged": _GOING,
    "working": _GOING,
    "waiting": _GOING,
    "blocked": _GOING,
    "handed_off": _GOING - {"completed"},
    "completed": frozenset({"completed"}),
    "failed": frozenset({"failed"}),
    "cancelled": frozenset({"cancelled"}),
}
"""From the state of the conversation after one packet to the states that the next may give it.

A further request may open it again while it goes on; who takes over a handoff does not complete it unseen.
"""

CHECKED: Final = ("packets", "correlation", "parents", "sequence", "idempotency", "lifecycle", "acknowledgements")
_NAMING: Final = {ACK: "acknowledged_message_id", CORRECTION: "corrects_message_id"}
_WORK: Final = {STATUS: ("state", ("working", "completed")), REPORT: ("outcome", ("completed", "partial"))}
_FINAL: Final = frozenset({"accepted", "rejected"})
_BEFORE_ALL: Final = -1


class ChainFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding and the packet that it is about."""

    packet: str
    finding: Finding


class ChainPacket(msgspec.Struct, frozen=True, kw_only=True):
    """One packet of the chain and its own verdict."""

    name: str
    verdict: Verdict


class ChainVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What the validator says about a conversation. `state` is the lifecycle state after the last packet."""

    result: Result
    correlation_id: str | None
    state: str | None
    packets: tuple[ChainPacket, ...]
    findings: tuple[ChainFinding, ...]
    checked: tuple[str, ...]
    not_checked: tuple[str, ...]
    note: str = NOTE

    @property
    def rules(self) -> tuple[str, ...]:
        """The rule ids of the chain's findings, in their order."""
        return tuple(found.finding.rule for found in self.findings)


class _Link(msgspec.Struct, frozen=True):
    """What the chain looks at of one packet. The packet itself is let go: a long conversation is not held in memory."""

    name: str
    issued: int
    id: str
    profile: str
    source: str
    target: str
    correlation: str
    parent: str | None
    sequence: int
    state: str
    key: str
    answers: str
    """The message that an acknowledgement names, or a correction."""
    status: str
    asks: bool
    works: bool
    expires: int | None
    timeout: int
    body: bytes
    """The digest of profile and body; empty where they have no canonical form, and the packet has failed for it."""
    whole: bytes
    """The digest of the packet."""

    @property
    def acknowledges(self) -> str:
        return self.answers if self.profile == ACK else ""


def _link(name: str, packet: dict[str, Any]) -> _Link:
    profile, parent = text_at(packet, "profile"), at(packet, "conversation", "parent_message_id")
    sequence, timeout = at(packet, "conversation", "sequence"), at(packet, "delivery", "timeout_ms")
    field, states = _WORK.get(profile, ("", ()))
    issued = moment(at(packet, "provenance", "issued_at"))
    return _Link(
        name=name,
        issued=_BEFORE_ALL if issued is None else issued,
        id=text_at(packet, "message_id"),
        profile=profile,
        source=text_at(packet, "source", "agent_id"),
        target=text_at(packet, "target", "agent_id"),
        correlation=text_at(packet, "conversation", "correlation_id"),
        parent=parent if isinstance(parent, str) else None,
        sequence=sequence if type(sequence) is int else _BEFORE_ALL,
        state=text_at(packet, "conversation", "lifecycle_state"),
        key=text_at(packet, "delivery", "idempotency_key"),
        answers=text_at(packet, "body", _NAMING.get(profile, "")),
        status=text_at(packet, "body", "ack_status"),
        asks=profile != ACK and at(packet, "delivery", "ack_required") is True,
        works=text_at(packet, "body", field) in states,
        expires=moment(at(packet, "delivery", "expires_at")),
        timeout=timeout if type(timeout) is int else _BEFORE_ALL,
        body=_digest([profile, packet.get("body")]),
        whole=_digest(packet),
    )


_NULL_PARENT: Final = "is null although the packet is not the first"
_NAME_PARENT: Final = "name the `message_id` of the packet that this one follows; only the first has null"
_Found = Iterator[tuple[_Link, str, str, str]]
"""Packet, rule id, place, sentence."""


def validate_chain(
    packets: Iterable[tuple[str, bytes]], *, now: int | None = None, trust: Trust | None = None
) -> ChainVerdict:
    """The verdict on one conversation.

    Args:
        packets: names and bytes, in any order; each is read once and let go.
        now: milliseconds; given, a request is not blamed for a missing acknowledgement before its own timeout.
            None judges an archive, in which everything that was to come has come.
        trust: whose signatures count; None leaves signatures unchecked.
    """
    judged: list[ChainPacket] = []
    links: list[_Link] = []
    for name, raw in packets:
        verdict, packet = judge(raw, now=None, trust=trust)
        judged.append(ChainPacket(name=name, verdict=verdict))
        if packet is not None:
            links.append(_link(name, packet))
    findings = [
        _finding(each.name, "packet_invalid", "", "fails on its own")
        for each in judged
        if each.verdict.result is Result.FAIL
    ]
    if not judged:
        findings.append(_finding("", "chain_empty", "", "holds no packet"))
    links.sort(key=lambda link: (link.issued, link.sequence, link.name))
    chain = _without_replays(links)
    for question in _QUESTIONS:
        findings += [_finding(link.name, rule, path, words) for link, rule, path, words in question(chain)]
    findings += [_finding(link.name, *rest) for link, *rest in _acknowledgements(chain, now)]
    ordered = sorted(findings, key=lambda found: (found.packet, found.finding.path, found.finding.rule))
    failed = any(found.finding.severity is Severity.FAILURE for found in findings)
    state = chain[-1].state if chain else ""
    alone = all(each.verdict.result is Result.PASS for each in judged)
    return ChainVerdict(
        result=Result.FAIL if failed else Result.PASS,
        correlation_id=chain[0].correlation if chain and alone else None,
        state=state if state in TRANSITIONS else None,
        packets=tuple(judged),
        findings=tuple(ordered),
        checked=CHECKED,
        not_checked=("age",) if trust is not None else ("age", "signature"),
    )


def _correlation(chain: list[_Link]) -> _Found:
    for link in chain[1:]:
        if link.correlation != chain[0].correlation:
            yield link, "correlation_mismatch", "/conversation/correlation_id", "is not the one of the first packet"


def _identity(chain: list[_Link]) -> _Found:
    seen: set[str] = set()
    for link in chain:
        if link.id in seen:
            yield link, "message_id_conflict", "/message_id", "names two different packets"
        seen.add(link.id)


def _parents(chain: list[_Link]) -> _Found:
    before: set[str] = set()
    for index, link in enumerate(chain):
        if link.parent is None and index > 0:
            yield link, "parent_unknown", "/conversation/parent_message_id", _NULL_PARENT
        elif link.parent is not None and link.parent not in before:
            yield link, "parent_unknown", "/conversation/parent_message_id", "names no earlier packet of the chain"
        if link.profile in _NAMING and link.answers not in before:
            yield link, "parent_unknown", f"/body/{_NAMING[link.profile]}", "names no earlier packet of the chain"
        before.add(link.id)


def _sequence(chain: list[_Link]) -> _Found:
    last: dict[str, int] = {}
    for link in chain:
        expected = last.get(link.source, _BEFORE_ALL) + 1
        if link.sequence != expected:
            words = "is not one more than the packet before it from this source" if expected else "does not start at 0"
            yield link, "sequence_conflict", "/conversation/sequence", words
        last[link.source] = link.sequence


def _idempotency(chain: list[_Link]) -> _Found:
    bodies: dict[tuple[str, str], bytes] = {}
    for link in chain:
        if bodies.setdefault((link.source, link.key), link.body) != link.body:
            yield link, "idempotency_conflict", "/delivery/idempotency_key", "stands on another body already"


def _lifecycle(chain: list[_Link]) -> _Found:
    state = ""
    for link in chain:
        if link.profile == CORRECTION:
            continue
        if state and link.state not in TRANSITIONS.get(state, frozenset()):
            yield link, "lifecycle_invalid", "/conversation/lifecycle_state", "does not follow from the state before it"
        state = link.state


def _acknowledgements(chain: list[_Link], now: int | None) -> _Found:
    by_id = {link.id: link for link in chain}
    answers: dict[str, set[str]] = {}
    requests: dict[tuple[str, str], _Link | None] = {}
    for link in chain:
        if link.profile == ACK:
            yield from _one_ack(link, by_id.get(link.acknowledges), answers)
        elif link.works:
            yield from _one_work(link, _request_of(link, by_id, requests), answers)
    for link in chain:
        if link.asks and not answers.get(link.id) and not _still_waiting(link, now):
            yield link, "ack_missing", "/delivery/ack_required", "asks for an acknowledgement that is not there"


def _one_ack(ack: _Link, asked: _Link | None, answers: dict[str, set[str]]) -> _Found:
    """`answers` gathers the states that the target of each packet has answered with."""
    if asked is not None and ack.source != asked.target:
        yield ack, "ack_conflict", "/source/agent_id", "acknowledges what was sent to another agent"
        return
    before = answers.setdefault(ack.acknowledges, set())
    if asked is not None and asked.profile == ACK:
        yield ack, "ack_of_ack", "/body/acknowledged_message_id", "names an acknowledgement"
    if before & _FINAL - {ack.status}:
        yield ack, "ack_conflict", "/body/ack_status", "contradicts an earlier acknowledgement of the same packet"
    if asked is not None and ack.status == "accepted" and _expired(asked, ack.issued):
        yield ack, "packet_expired", "/body/acknowledged_message_id", "accepts a packet after its expiry"
    before.add(ack.status)


def _one_work(work: _Link, asked: _Link | None, answers: dict[str, set[str]]) -> _Found:
    if asked is None:
        return
    if asked.asks and "accepted" not in answers.get(asked.id, ()):
        yield work, "work_before_ack", "/conversation/parent_message_id", "reports work that was not accepted before"
    if not asked.asks and work.parent == asked.id and _expired(asked, work.issued):
        yield work, "packet_expired", "/conversation/parent_message_id", "uses a packet after its expiry"


def _request_of(work: _Link, by_id: dict[str, _Link], known: dict[tuple[str, str], _Link | None]) -> _Link | None:
    """The nearest packet of another source above `work` that is no acknowledgement; None if there is none.

    `known` remembers the way, so that a long conversation is walked once and not once per packet.
    """
    way: list[tuple[str, str]] = []
    above, found = by_id.get(work.parent or ""), None
    while above is not None:
        step = (above.id, work.source)
        if step in known:
            found = known[step]
            break
        if above.source != work.source and above.profile != ACK:
            found = above
            break
        known[step] = None
        way.append(step)
        above = by_id.get(above.acknowledges or above.parent or "")
    known.update(dict.fromkeys(way, found))
    return found


def _still_waiting(link: _Link, now: int | None) -> bool:
    return now is not None and now < link.issued + link.timeout


def _expired(link: _Link, moment_of_use: int) -> bool:
    return link.expires is None or link.expires <= moment_of_use


def _without_replays(links: list[_Link]) -> list[_Link]:
    kept: dict[tuple[str, bytes], _Link] = {}
    for link in links:
        kept.setdefault((link.id, link.whole), link)
    return list(kept.values())


def _digest(value: Any) -> bytes:
    """The digest of the canonical bytes; empty for a packet that has none and has failed for it."""
    try:
        return hashlib.sha256(canonical(value)).digest()
    except DragomanError:
        return b""


_QUESTIONS: Final[tuple[Callable[[list[_Link]], _Found], ...]] = (
    *(_correlation, _identity, _parents),
    *(_sequence, _idempotency, _lifecycle),
)
_ROWS: Final = {rule.id: rule for rule in CHAIN_RULES}


def _finding(name: str, rule_id: str, path: str, message: str) -> ChainFinding:
    row = _ROWS[rule_id]
    fix = _NAME_PARENT if message == _NULL_PARENT else row.fix
    return ChainFinding(
        packet=name,
        finding=Finding(rule=rule_id, severity=row.severity, path=path, message=message, fix=fix),
    )
