"""Writes the packets that a running conversation leaves, in the commit of the change they record (spec 2 §2, spec 3).

`chronicle.py` says which; this gives them ids, numbers, times and a place in their chain.

1. A packet stays local until it is released as a message.
2. They hold ids, states and fixed sentences; no message text, no summary of a handler, nothing of the counterparty.
   The intake records that something arrived, the agent acknowledges that record.
3. A packet that would not be valid is not written; the journal says so. Evidence never stops the life.
4. A chain that ended stays ended: after its final report only a newly accepted task begins another chain of the same
   contact, under a correlation id of its own, its first packet caused by that report.
5. Who took over a handoff says that he looked at it before he reports an end.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from typing import Any, Final, cast

import msgspec

from dragoman.clock import Clock
from dragoman.errors import DragomanError
from dragoman.gate.ports import EVERY_PLACE, Entry
from dragoman.identity import Target, parse_target
from dragoman.ledger.changes import Change
from dragoman.ledger.journal import LedgerJournal
from dragoman.ledger.packets import KeptPacket, PacketLog
from dragoman.ledger.store import Ledger
from dragoman.ledger.turns import Turns
from dragoman.packets import build
from dragoman.packets.build import Agent, Origin, Stamp
from dragoman.receiver.chronicle import records
from dragoman.receiver.packet_rows import SUPERSEDED, Begins, Blocked, Correction, Intake, Record, Report, Status

Build = Callable[[Origin, Stamp], bytes]
FINAL: Final = "uai.agent.final-report.v1"
STATUS: Final = "uai.agent.task-status.v1"
BLOCKER: Final = "uai.agent.blocker.v1"
_LOOKED: Final = Status(state="working", summary="what was handed over was looked at")


class _Said(msgspec.Struct, frozen=True):
    """What a kept packet says of its place."""

    conversation: _Place
    body: dict[str, Any]


class _Place(msgspec.Struct, frozen=True):
    correlation_id: str
    sequence: int
    lifecycle_state: str


class Evidence:
    """Writes the packets of one ledger's conversations."""

    def __init__(
        self,
        ledger: Ledger,
        packets: PacketLog,
        journal: LedgerJournal,
        turns: Turns,
        *,
        clock: Clock,
        new_id: Callable[[str], str] | None = None,
    ) -> None:
        self._ledger = ledger
        self._packets = packets
        self._journal = journal
        self._turns = turns
        self._clock = clock
        self._new_id = new_id or _new_id

    def commit(self, changes: list[Change]) -> None:
        """Write what the changes of the open transaction leave."""
        for target, moved in self._by_target(changes):
            try:
                with self._ledger.write():
                    for record in records(moved):
                        self._write(target, record)
            except DragomanError:
                raise  # our own books: what cannot be written down must not happen
            except Exception as error:  # noqa: BLE001  a fault of evidence ends no life; its part is undone, and said
                self._refused(target, self._new_id("msg"), type(error).__name__, self._clock.now())

    def handed_over(self, target: Target, before: int, now: int) -> None:
        """Another generation of this role goes on; written by the new primary (spec 3 §5.4)."""
        self._keep(
            target,
            lambda o, s: build.handoff(
                o,
                s,
                task_id=_task(o),
                context_summary=f"generation {before} ended, generation {now} goes on",
                handoff_reason="another instance became the primary one",
                exact_next_action="confirm the owner's grant under a new id",
            ),
        )

    def superseded(self, target: Target) -> None:
        """Another instance took over from this one, which leaves its last packet; once."""
        last = self._packets.last(target)
        said = None if last is None or last.profile != BLOCKER else _said(last).body.get("description")
        if said != SUPERSEDED.description:
            self._write(target, SUPERSEDED)

    # --- one record --------------------------------------------------------------------------------------------------

    def _write(self, target: Target, record: Record) -> None:
        match record:
            case Intake():
                self._accepted(target, record)
            case Status():
                self._status(target, record)
            case Correction():
                self._corrected(target, record)
            case Blocked():
                self._blocked(target, record)
            case Report():
                self._reported(target, record)

    def _accepted(self, target: Target, said: Intake) -> None:
        asked = self._keep(
            target,
            lambda o, s: build.message(o, s, intent=said.intent, expected_output="a reply, a question or silence"),
            intake=True,
            begins=Begins.ANEW,
        )
        if asked:
            self._keep(target, lambda o, s: build.ack(o, s, acknowledged_message_id=asked, status="accepted"))

    def _status(self, target: Target, said: Status) -> None:
        evidence = [{"kind": "log", "ref": said.ref}] if said.ref else []
        self._keep(
            target,
            lambda o, s: build.task_status(
                o,
                s,
                task_id=_task(o),
                state=said.state,
                summary=said.summary,
                evidence=evidence,
                blocking_reasons=said.blocking,
            ),
            begins=said.begins,
        )

    def _corrected(self, target: Target, said: Correction) -> None:
        """The state that called this reply unknown is superseded; without one there is nothing to correct."""
        wrong = next((each for each in self._states(target) if _names(each, said.ref)), None)
        if wrong is None:
            return
        former = _said(wrong).body
        body = former | {
            "state": said.state,
            "progress": {"percent": None, "summary": said.summary},
            "blocking_reasons": list(said.blocking),
        }
        lifecycle = "working" if said.state == "working" else "waiting"
        self._keep(
            target,
            lambda o, s: build.correction(
                o,
                s,
                corrects_message_id=wrong.message_id,
                kind="supersede",
                reason=said.reason,
                history=(),
                lifecycle_state=lifecycle,
                corrected_body=body,
            ),
        )

    def _blocked(self, target: Target, said: Blocked) -> None:
        id = self._new_id("blocker")
        self._keep(
            target,
            lambda o, s: build.blocker(
                o,
                s,
                blocker_id=id,
                blocker_type=said.kind,
                description=said.description,
                proposed_resolution=said.resolution,
            ),
            begins=said.begins,
        )

    def _reported(self, target: Target, said: Report) -> None:
        """The conversation ended. What shows it is the journal: it holds every decision and receipt of this target."""
        last = self._packets.last(target)
        if last is not None and _said(last).conversation.lifecycle_state == "handed_off":
            self._status(target, _LOOKED)
        entry = {"kind": "log", "ref": f"journal:{self._journal.pseudonym(target)}"}
        self._keep(
            target,
            lambda o, s: build.final_report(
                o,
                s,
                task_id=_task(o),
                outcome=said.outcome,
                exact_next_action="none",
                sections={"verification_evidence": [entry]},
            ),
        )

    # --- its place in the chain --------------------------------------------------------------------------------------

    def _keep(self, target: Target, make: Build, *, intake: bool = False, begins: Begins = Begins.NEVER) -> str:
        """Build and keep one packet; its message id, or an empty string when none was written."""
        last = self._packets.last(target)
        if not _may_follow(last, begins):
            return ""
        agent = _agent_id(target)
        source = _intake(agent) if intake else _receiver(agent)
        now = max(self._clock.now(), last.created_at + 1 if last else 0)
        id = self._new_id("msg")
        correlation = self._correlation(target, last)
        anew = last is not None and last.profile == FINAL
        stamp = Stamp(
            message_id=id,
            now=now,
            sequence=self._sequence(target, source.agent_id, correlation),
            parent_message_id=last.message_id if last and not anew else None,
            causation_id=last.message_id if last and anew else None,
        )
        origin = Origin(
            source=source,
            target=_receiver(agent) if intake else _owner(agent),
            correlation_id=correlation,
            fallback_directive="stop and ask the owner",
        )
        try:
            raw = make(origin, stamp)
        except DragomanError as error:
            self._refused(target, id, error.detail.partition(":")[0][:60], now)
            return ""
        number = last.number + 1 if last else 0
        kept = KeptPacket(
            number=number, source=source.agent_id, message_id=id, profile=_profile(raw), raw=raw, created_at=now
        )
        self._packets.keep(target, kept)
        return id

    def _refused(self, target: Target, id: str, reason: str, now: int) -> None:
        self._journal.record(
            Entry(
                correlation_id=f"packet-{id}",
                kind="life",
                outcome="packet_not_written",
                reason=reason,
                time=now,
                target=target,
            )
        )

    def _correlation(self, target: Target, last: KeptPacket | None) -> str:
        """The chain's id: the contact's pseudonym; from its second task on with the task's number."""
        first = f"corr-{self._journal.pseudonym(target)}"
        if last is None:
            return first
        present = _said(last).conversation.correlation_id
        if last.profile != FINAL:
            return present
        task = int(present.removeprefix(first).removeprefix("-") or 1)
        return f"{first}-{task + 1}"

    def _sequence(self, target: Target, source: str, correlation: str) -> int:
        own = self._packets.last_of(target, source)
        said = None if own is None else _said(own).conversation
        return said.sequence + 1 if said is not None and said.correlation_id == correlation else 0

    def _states(self, target: Target) -> Iterator[KeptPacket]:
        """The task states of a conversation, the newest first."""
        return (each for each in reversed(self._packets.of(target)) if each.profile == STATUS)

    def _by_target(self, changes: list[Change]) -> Iterator[tuple[Target, list[Change]]]:
        """The changes of each conversation; what holds everywhere bears on those with a turn that is not over."""
        found: dict[str, list[Change]] = {}
        for change in changes:
            places = [change.target]
            if change.target == EVERY_PLACE:
                places = sorted({str(turn.target) for turn in self._turns.unsettled()})
            for place in places:
                found.setdefault(place, []).append(change)
        for place, moved in found.items():
            target = parse_target(place)
            if target.known:
                yield target, moved


def _may_follow(last: KeptPacket | None, begins: Begins) -> bool:
    if last is None:
        return begins is not Begins.NEVER
    return last.profile != FINAL or begins is Begins.ANEW


def _names(packet: KeptPacket, ref: str) -> bool:
    return any(each.get("ref") == ref for each in _said(packet).body["evidence_refs"])


def _said(packet: KeptPacket) -> _Said:
    return msgspec.json.decode(packet.raw, type=_Said)


def _task(origin: Origin) -> str:
    """One chain, one task."""
    return f"task-{origin.correlation_id.removeprefix('corr-')}"


def _agent_id(target: Target) -> str:
    """Who acts in a conversation: the role on a hub, else this receiver; the same for every process of one ledger."""
    return target.workspace if target.platform == "hub" else "local"


def _receiver(agent: str) -> Agent:
    return Agent(
        agent_id=f"agent:{agent}",
        role_lane="receiver",
        project="dragoman",
        authority_boundary="acts within one grant of its owner; records only",
    )


def _intake(agent: str) -> Agent:
    return Agent(
        agent_id=f"intake:{agent}",
        role_lane="intake",
        project="dragoman",
        authority_boundary="records what arrived",
    )


def _owner(agent: str) -> Agent:
    return Agent(
        agent_id=f"owner:{agent}",
        role_lane="owner",
        project="dragoman",
        authority_boundary="decides what the agent may not",
    )


def _new_id(kind: str) -> str:
    return f"{kind}-{secrets.token_hex(16)}"


def _profile(raw: bytes) -> str:
    return cast(str, msgspec.json.decode(raw, type=dict[str, Any])["profile"])
