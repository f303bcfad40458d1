"""From waiting messages to a saved decision: admit → charge → handler → save (spec 2 §2, §3.1-§3.3).

1. Admission, dedupe mark, charge and the turn's row are one commit, before the handler runs. A no of the gate is
   silence: acked, not charged.
2. The side file's marks are raised before the handler runs; the lease is renewed while it runs, never past its cap.
3. What the handler decided is one commit, with the `reply_id` of its reply. A failure is a commit too: charged, to be
   tried again later, parked after the last attempt.
4. A message that was admitted before is weighed again by the same rules, its budget as paid; not admitted twice.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Final, TypeGuard

import msgspec

from dragoman.agents.contract import (
    REQUEST_BYTES,
    HandlerAnswer,
    HandlerFailed,
    HandlerLimits,
    HandlerMessage,
    HandlerRequest,
)
from dragoman.clock import SECOND
from dragoman.errors import DragomanError
from dragoman.gate.admit import Admission, admit
from dragoman.gate.asked import Standing as Place
from dragoman.gate.event import Event
from dragoman.gate.ports import SeenState
from dragoman.identity import Target
from dragoman.ledger.conversations import Standing
from dragoman.ledger.inbox import Inbound, InboundState
from dragoman.ledger.turns import Decided, TurnRow, TurnState
from dragoman.receiver.courtesy import only_courtesies
from dragoman.receiver.desk import Desk
from dragoman.receiver.endings import only_courtesies_left, without_reply
from dragoman.receiver.gather import Gathering, gathered
from dragoman.receiver.source import Superseded
from dragoman.receiver.turn import retry_at
from dragoman.words import Action, LifePoint, Reason, SendState, StopReason

ARRIVING: Final = str(Reason.ATTACHMENT_BURST)
"""Why a deferred message waits for parts that belong to it."""
ASKED_BYTES: Final = REQUEST_BYTES // 2
"""The messages of one question; the other half is room for the instruction and the record."""
RENEW_AGAIN_MS: Final = 250
"""After which a renewal that got no answer is asked for again, then after twice as long, at most a second."""
_BESIDE: Final = 256
"""What a message takes beside its text."""


class Ask:
    """The half of the life that ends with a saved decision."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._asking: dict[str, asyncio.Future[HandlerAnswer]] = {}

    def stop(self, turn_id: str) -> None:
        """End the handler of a turn that was settled meanwhile; its answer counts no more."""
        if (asking := self._asking.get(turn_id)) is not None:
            asking.cancel()

    def begin(self, target: Target, messages: Sequence[Inbound]) -> str | None:
        """Admit and charge waiting messages as one turn; its id, or None when nothing was admitted or paid for."""
        desk = self._desk
        with desk.books.ledger.write():
            admitted = [(each, self._admit(each)) for each in self._gathered(messages)]
            desk.checkpoint(LifePoint.ADMITTED)
            asked = [(each, admission) for each, admission in admitted if self._asks(admission)]
            for each, admission in admitted:
                if admission is not None and not self._asks(admission):
                    for message in each.messages:
                        self._silence(message, admission)
            if not asked:
                return None
            turn_id = self._open(target, asked[-1][1])
            now = desk.clock.now()
            for message in (message for each, _ in asked for message in each.messages):
                desk.books.inbox.take(message, state=InboundState.IN_TURN, turn_id=turn_id, now=now)
            self._goes_on(target)
        self._charged(turn_id)
        return turn_id

    def again(self, turn: TurnRow) -> bool:
        """Charge one more attempt of a failed turn; False when it is not paid for."""
        desk, grant = self._desk, self._desk.authority.mandate.grant
        now = desk.clock.now()
        with desk.books.ledger.write():
            if desk.source.bounded and (grant is None or not desk.books.charges.charge(grant, turn.target, now)):
                return False
            desk.books.turns.attempt(
                turn.id, generation=desk.source.generation, grant_id=grant.id if grant else "", now=now
            )
        self._charged(turn.id)
        return True

    async def run(self, turn_id: str) -> None:
        """Ask the handler about a charged turn and save what it decided, or that it failed."""
        desk = self._desk
        turn = desk.books.turns.find(turn_id)
        assert turn is not None
        messages = desk.books.inbox.of_turn(turn_id)
        lease = next((message.lease for message in messages if message.lease), "")
        try:
            request = await self._request(turn, messages)
            if request is None:
                only_courtesies_left(desk, turn)
                return
            await self._acknowledge(turn)
            answer = await self._renewing(turn_id, lease, request)
        except asyncio.CancelledError:
            if self._going_on(turn_id) or _ending():
                raise
            return  # somebody said stop
        except HandlerFailed as error:
            with desk.books.ledger.write():
                desk.keep(turn.correlation_id, "handler_failed", error.detail, error.evidence)
                self.failed(turn, str(error.fault), error.detail)
            return
        desk.checkpoint(LifePoint.HANDLED)
        if not self._going_on(turn_id):
            return
        self._save(turn, answer)
        desk.checkpoint(LifePoint.SAVED)

    def failed(self, turn: TurnRow, fault: str, detail: str = "") -> None:
        """Write down that an attempt gave no decision; it stays charged."""
        desk, now = self._desk, self._desk.clock.now()
        with desk.books.ledger.write():
            desk.books.turns.move(
                turn.id,
                TurnState.WAITING,
                next_at=retry_at(now, turn.attempts),
                failure=f"{fault}: {detail}" if detail else fault,
                now=now,
            )
            desk.log(turn.target, turn.correlation_id, "turn_failed", fault)

    def readmit(self, event: Event, correlation_id: str) -> Admission:
        """Weigh an event that was admitted before by the present policy, its budget as paid."""
        desk = self._desk
        place = Place(
            now=desk.clock.now(),
            paused=desk.books.seen.paused(event.target),
            colleague_at=desk.books.seen.colleague_at(event.target),
        )
        return admit(event, desk.gate.policy, place, correlation_id)

    # --- begin -------------------------------------------------------------------------------------------------------

    def _gathered(self, messages: Sequence[Inbound]) -> list[Gathering]:
        """The waiting messages as they are decided: parts of one request together, what was deleted not at all."""
        desk, policy = self._desk, self._desk.gate.policy
        waiting = [(message, desk.source.event(message.raw or b"", message.received_at)) for message in messages]
        found, deleted = gathered(
            waiting,
            lambda event: self.readmit(event, "").responds,
            desk.clock.now(),
            policy.burst_quiet_ms,
            policy.burst_cap_ms,
        )
        for message in deleted:
            desk.books.inbox.take(message, state=InboundState.SILENT, reason="deleted", now=desk.clock.now())
        return found

    def _admit(self, each: Gathering) -> Admission | None:
        """The decision on one request; None while parts of it are still arriving."""
        if each.until and not self._desk.looks_on:
            for message in each.messages:
                self._wait(message)
            return None
        return self.admitted(each.event, each.messages[0].id)

    def admitted(self, event: Event, message_id: str) -> Admission:
        """The decision on a waiting message, written down; one that was decided before is weighed again."""
        desk = self._desk
        if desk.books.seen.seen(event.dedupe_key) is SeenState.DUPLICATE and desk.books.inbox.find(message_id):
            return self.readmit(event, desk.new_id("cor"))
        return desk.gate.admit(event)

    def _wait(self, message: Inbound) -> None:
        """A part that waits for the others: decided to wait once, and written down as such."""
        desk = self._desk
        if message.reason == ARRIVING:
            return
        desk.gate.admit(desk.source.event(message.raw or b"", message.received_at), waits=True)
        desk.books.inbox.take(message, state=InboundState.DEFERRED, reason=ARRIVING, now=desk.clock.now())

    def _asks(self, admission: Admission | None) -> TypeGuard[Admission]:
        answered = admission is not None and admission.responds and admission.command is None
        return answered and not self._desk.looks_on

    def _silence(self, message: Inbound, admission: Admission) -> None:
        desk = self._desk
        desk.books.inbox.take(message, state=InboundState.SILENT, reason=str(admission.reason), now=desk.clock.now())
        if desk.source.bounded and admission.reason in (Reason.BOT_WITHOUT_GRANT, Reason.ACCESS_DENIED):
            desk.stand(message.target, Standing.OPEN, StopReason.NOT_IN_SCOPE)

    def _open(self, target: Target, admission: Admission) -> str:
        desk, now = self._desk, self._desk.clock.now()
        grant = desk.gate.policy.grants.get(admission.grant_id) if admission.grant_id else None
        if desk.source.bounded and (grant is None or not desk.books.charges.charge(grant, target, now)):
            raise DragomanError("conflict", "the budget was used up by another process", where="charge")
        turn_id = desk.new_id("trn")
        note = desk.books.conversations.at(target).note
        desk.books.turns.open(
            TurnRow(
                id=turn_id,
                target=target,
                grant_id=grant.id if grant else "",
                generation=desk.source.generation,
                correlation_id=admission.id,
                admission=msgspec.json.encode(admission),
                attempts=1,
                state=TurnState.RUNNING,
                next_at=0,
                failure="",
                note=note,
                created_at=now,
            )
        )
        return turn_id

    def _goes_on(self, target: Target) -> None:
        """The conversation is open under the present grant; the owner's word has gone into the turn."""
        desk, grant = self._desk, self._desk.authority.mandate.grant
        before = desk.books.conversations.at(target)
        after = msgspec.structs.replace(
            before,
            state=Standing.OPEN,
            stop_reason=None,
            grant_id=grant.id if grant else before.grant_id,
            summary="",
            note="",
        )
        if after != before or not before.updated_at:
            desk.books.conversations.put(after, desk.clock.now())

    def _charged(self, turn_id: str) -> None:
        turn = self._desk.books.turns.find(turn_id)
        if turn is not None and turn.grant_id:
            self._desk.books.note_use(turn.grant_id)
        self._desk.checkpoint(LifePoint.CHARGED)

    # --- run ---------------------------------------------------------------------------------------------------------

    async def _request(self, turn: TurnRow, messages: Sequence[Inbound]) -> HandlerRequest | None:
        """The question to the handler, or None when the talk has become an exchange of courtesies."""
        desk, mandate = self._desk, self._desk.authority.mandate
        asked = (desk.source.message(message.raw or b"") for message in messages)
        new = tuple(msgspec.structs.replace(each, new=True) for each in asked)
        first = min((message.position for message in messages), default=0)
        past = await desk.source.history(turn.target, first) if messages else ()
        past = (*self._observed(turn.target), *past)
        if desk.source.bounded and not turn.note and only_courtesies([(m.origin, m.text) for m in (*past, *new)]):
            return None
        spent = desk.view(turn.target).spent
        autonomy = mandate.autonomy if desk.source.bounded else None
        return HandlerRequest(
            limits=HandlerLimits(
                max_message_bytes=desk.source.text_bytes,
                turns_left=max(0, autonomy.max_turns_per_contact - spent.on_target) if autonomy else None,
                dispatches_left=max(0, autonomy.max_dispatches_per_day - spent.today) if autonomy else None,
                expires_at=autonomy.expires_at if autonomy else None,
            ),
            owner_instruction=_instructed(mandate.instruction, turn.note),
            messages=_bounded(past, new),
            contact_id=desk.source.contact_id(turn.target),
            record=desk.gate.policy.records_at(turn.target, desk.clock.now()).facts,
            language=mandate.language,
        )

    def _observed(self, target: Target) -> tuple[HandlerMessage, ...]:
        """What was said there without asking the agent, where the policy lets it be read."""
        return tuple(
            HandlerMessage(
                id=f"observed-{number}",
                text=each.text,
                sent_at=each.observed_at,
                origin="observed",
                sender=each.author.id,
            )
            for number, each in enumerate(self._desk.gate.observed(target), 1)
        )

    async def _acknowledge(self, turn: TurnRow) -> None:
        """`never_silent_ack`: one short sign at an internal target before the handler's first attempt (spec 1 §3)."""
        if turn.attempts == 1 and not self._desk.source.bounded:
            admission = msgspec.json.decode(turn.admission, type=Admission)
            await self._desk.gate.acknowledge(admission, self._desk.source.channel, key=f"{turn.id}-ack")

    def _going_on(self, turn_id: str) -> bool:
        """Whether nobody ended the turn while its handler ran."""
        turn = self._desk.books.turns.find(turn_id)
        return turn is not None and turn.state is TurnState.RUNNING

    async def _renewing(self, turn_id: str, lease: str, request: HandlerRequest) -> HandlerAnswer:
        """The handler's answer, its lease kept alive meanwhile; another instance's takeover ends the handler."""
        asking = asyncio.ensure_future(self._desk.answer(request))
        self._asking[turn_id] = asking
        asking.add_done_callback(lambda _: self._asking.pop(turn_id, None))
        if not lease:
            return await asking
        renewing = asyncio.ensure_future(self._renew(lease))
        try:
            await asyncio.wait({asking, renewing}, return_when=asyncio.FIRST_COMPLETED)
            if renewing.done() and not renewing.cancelled() and isinstance(renewing.exception(), Superseded):
                raise Superseded("instance_superseded")
            return await asking
        finally:
            for task in (asking, renewing):
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Superseded, HandlerFailed):
                await asyncio.gather(asking, renewing)

    async def _renew(self, lease: str) -> None:
        """Renew until the lease ends for good; an unreachable hub is asked again, a lost lease is taken again later."""
        wait: int | None = SECOND
        again = RENEW_AGAIN_MS
        while wait is not None:
            await asyncio.sleep(wait / SECOND)
            try:
                wait, again = await self._desk.source.renew(lease), RENEW_AGAIN_MS
            except DragomanError:
                wait, again = again, min(2 * again, SECOND)
        await asyncio.Event().wait()  # nothing more to renew; the handler decides when this ends

    # --- save --------------------------------------------------------------------------------------------------------

    def _save(self, turn: TurnRow, answer: HandlerAnswer) -> None:
        desk, now = self._desk, self._desk.clock.now()
        silent = answer.action is not Action.REPLY
        with desk.books.ledger.write():
            desk.books.turns.decide(
                Decided(
                    turn_id=turn.id,
                    reply_id=desk.new_id("rpl"),
                    target=turn.target,
                    action=answer.action,
                    text=answer.message,
                    complete=answer.complete,
                    owner_summary=answer.owner_summary,
                    topics=answer.topics,
                    state=SendState.STOPPED if silent else SendState.SAVED,
                ),
                now,
            )
            desk.log(turn.target, turn.correlation_id, "decided", str(answer.action))
            if silent:
                without_reply(desk, turn, answer)


def _ending() -> bool:
    """Whether this very task is being cancelled."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _instructed(instruction: str, note: str) -> str:
    return f"{instruction}\n\nThe owner's latest decision: {note}" if note else instruction


def one_turn(messages: Sequence[Inbound]) -> int:
    """How many of the waiting messages, from the oldest on, one question to the handler can hold; at least one."""
    size = 0
    for number, message in enumerate(messages):
        size += len(message.raw or b"") + _BESIDE
        if number and size > ASKED_BYTES:
            return number
    return len(messages)


def _bounded(past: Sequence[HandlerMessage], new: Sequence[HandlerMessage]) -> tuple[HandlerMessage, ...]:
    """The new messages, and before them as many of the past as fit. Counted as they are written for the handler, where
    one control character takes six bytes."""
    kept = list(new)
    size = sum(_written(message) for message in new)
    for message in reversed(past):
        size += _written(message)
        if size > ASKED_BYTES:
            break
        kept.insert(0, message)
    return tuple(kept)


def _written(message: HandlerMessage) -> int:
    return len(msgspec.json.encode(message.text)) + _BESIDE
