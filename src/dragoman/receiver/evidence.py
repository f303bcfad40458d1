"""The packets that a running conversation leaves (spec 2 §2, spec 3): message, ack, task-status, blocker, final-report.

1. Written in the commit of the state change they record. They stay local until released as a message.
2. They hold ids, states and fixed sentences; no message text, no summary of a handler, nothing of the counterparty.
   The intake records that something arrived, the agent acknowledges that record.
3. A packet that would not be valid is not written; the journal says so. Evidence never stops the life.
4. A chain that ended stays ended: nothing is added after its final report.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from dragoman.clock import Clock
from dragoman.errors import DragomanError
from dragoman.gate.ports import Entry
from dragoman.identity import Target
from dragoman.ledger.packets import KeptPacket
from dragoman.packets import build
from dragoman.packets.build import Agent, Origin, Stamp
from dragoman.receiver.books import Books

Build = Callable[[Origin, Stamp], bytes]
FINAL = "uai.agent.final-report.v1"


class Evidence:
    """Writes the packets of one account's conversations."""

    def __init__(self, books: Books, agent_id: str, clock: Clock, new_id: Callable[[str], str]) -> None:
        self._books = books
        self._agent_id = agent_id
        self._clock = clock
        self._new_id = new_id

    def accepted(self, target: Target, count: int) -> None:
        """Messages were admitted and their turn charged: the intake records them, the agent accepts."""
        words = f"Handle {count} admitted message{'s' if count > 1 else ''} of this conversation."
        asked = self._keep(
            target,
            lambda o, s: build.message(o, s, intent=words, expected_output="a reply, a question or silence"),
            intake=True,
        )
        if asked:
            self._keep(target, lambda o, s: build.ack(o, s, acknowledged_message_id=asked, status="accepted"))

    def status(self, target: Target, state: str, summary: str, *, blocked: tuple[str, ...] = ()) -> None:
        """The task changed its state."""
        task = self._task(target)
        self._keep(
            target,
            lambda o, s: build.task_status(o, s, task_id=task, state=state, summary=summary, blocking_reasons=blocked),
        )

    def blocked(self, target: Target, kind: str, description: str, resolution: str) -> None:
        """Something waits for the owner."""
        id = self._new_id("blocker")
        self._keep(
            target,
            lambda o, s: build.blocker(
                o, s, blocker_id=id, blocker_type=kind, description=description, proposed_resolution=resolution
            ),
        )

    def handed_over(self, target: Target, before: int, now: int) -> None:
        """Another generation of this role goes on; written by the new primary (spec 3 §5.4)."""
        task = self._task(target)
        self._keep(
            target,
            lambda o, s: build.handoff(
                o,
                s,
                task_id=task,
                context_summary=f"generation {before} ended, generation {now} goes on",
                handoff_reason="another instance became the primary one",
                exact_next_action="confirm the owner's grant under a new id",
            ),
        )

    def completed(self, target: Target) -> None:
        """The conversation ended. What shows it is the journal: it holds every decision and receipt of this target."""
        task = self._task(target)
        entry = {"kind": "log", "ref": f"journal:{self._books.journal.pseudonym(target)}"}
        self._keep(
            target,
            lambda o, s: build.final_report(
                o,
                s,
                task_id=task,
                outcome="completed",
                exact_next_action="none",
                sections={"verification_evidence": [entry]},
            ),
        )

    def _keep(self, target: Target, make: Build, *, intake: bool = False) -> str:
        """Build and keep one packet; its message id, or an empty string when none was written."""
        source = self._source(intake)
        place = self._books.packets.next(target, source.agent_id)
        if place.after == FINAL:
            return ""
        now = max(self._clock.now(), place.not_before)
        id = self._new_id("msg")
        stamp = Stamp(message_id=id, now=now, sequence=place.sequence, parent_message_id=place.parent)
        try:
            raw = make(self._origin(target, source, intake), stamp)
        except DragomanError as error:
            self._books.journal.record(
                Entry(
                    correlation_id=f"packet-{id}",
                    kind="life",
                    outcome="packet_not_written",
                    reason=error.detail.partition(":")[0][:60],
                    time=now,
                    target=target,
                )
            )
            return ""
        self._books.packets.keep(
            target,
            KeptPacket(
                number=place.number,
                source=source.agent_id,
                message_id=id,
                profile=_profile(raw),
                raw=raw,
                created_at=now,
            ),
        )
        return id

    def _origin(self, target: Target, source: Agent, intake: bool) -> Origin:
        return Origin(
            source=source,
            target=self._source(False) if intake else _owner(self._agent_id),
            correlation_id=f"corr-{self._books.journal.pseudonym(target)}",
            fallback_directive="stop and ask the owner",
        )

    def _source(self, intake: bool) -> Agent:
        lane = "intake" if intake else "receiver"
        return Agent(
            agent_id=f"{'intake' if intake else 'agent'}:{self._agent_id}",
            role_lane=lane,
            project="dragoman",
            authority_boundary="records what arrived" if intake else "acts within one grant of its owner; records only",
        )

    def _task(self, target: Target) -> str:
        return f"task-{self._books.journal.pseudonym(target)}"


def _owner(agent_id: str) -> Agent:
    return Agent(
        agent_id=f"owner:{agent_id}",
        role_lane="owner",
        project="dragoman",
        authority_boundary="decides what the agent may not",
    )


def _profile(raw: bytes) -> str:
    found: Any = msgspec.json.decode(raw, type=dict[str, Any])["profile"]
    return str(found)
