"""One conversation's life, from arrival to settled: asks `turn.next_step` and carries it out, step by step (spec 2 §2).

    lease → dedupe → admit → charge → handler → save → recheck → release → sending → POST → sent → ack

1. Every step reads the ledger afresh and writes before it acts; after a crash the loop goes on where the rows stand.
2. A message that is known already is never begun again: it gets its new lease, and, if it is settled, its ack.
3. Nothing is acked before it is settled here. What a stop leaves unhandled is given back, not acked.
4. The words of one conversation are taken in their order: what was given back and still rests at its source goes before
   what is newer. At a start, and when the owner's authorisation has changed, all that rests is looked at again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import nullcontext

import msgspec

from dragoman.clock import MINUTE, SECOND
from dragoman.errors import DragomanError
from dragoman.identity import Target
from dragoman.ledger.conversations import Standing
from dragoman.ledger.inbox import OUT_OF_SIGHT, Inbound, InboundState
from dragoman.ledger.turns import TurnRow, TurnState
from dragoman.receiver.ask import ARRIVING, Ask, one_turn
from dragoman.receiver.desk import Desk
from dragoman.receiver.endings import park
from dragoman.receiver.obey import Commands
from dragoman.receiver.send import Send
from dragoman.receiver.source import Arrived
from dragoman.receiver.turn import NextStep, Scope, Step, next_step
from dragoman.words import LifePoint, SendState, StopReason

_STEPS = 32
"""More steps than one look at one conversation can need; a guard against a loop that writes nothing."""
_ALL_TAKEN = frozenset({Step.DISPATCH, Step.KEEP, Step.SILENCE, Step.GIVE_BACK, Step.WAIT})
"""Steps after which every waiting message stands in the ledger."""
_ASK = frozenset({Step.DISPATCH, Step.RETRY})
"""Steps that run the handler."""


class Life:
    """The life of every conversation of one source."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._ask = Ask(desk)
        self._commands = Commands(desk, self._ask)
        self._send = Send(desk, self._ask)
        self._looked: tuple[Scope | None, frozenset[Target]] | None = None
        self._recalled: set[Target] = set()

    async def arrive(self, arrived: Sequence[Arrived]) -> dict[Target, list[Inbound]]:
        """Sort what was fetched: the messages to be begun, per conversation; known ones only get their new lease."""
        desk, fresh = self._desk, defaultdict(list)
        desk.checkpoint(LifePoint.LEASED)
        if not desk.source.leases:
            found = self._written_down(arrived)
            desk.checkpoint(LifePoint.DEDUPED)
            return found
        for each in arrived:
            known = desk.books.inbox.find(each.id)
            if known is None or known.state is InboundState.DEFERRED:
                fresh[each.target].append(_inbound(each, desk.clock.now()))
                continue
            desk.books.inbox.leased(each.id, each.lease, desk.clock.now())
            fresh[each.target].extend(())  # it may have an open turn, or wait for its ack
        desk.checkpoint(LifePoint.DEDUPED)
        return dict(fresh)

    def _written_down(self, arrived: Sequence[Arrived]) -> dict[Target, list[Inbound]]:
        """Without leases: messages and the position behind them in one commit; the ledger offers them from then on."""
        desk, now = self._desk, self._desk.clock.now()
        targets: dict[str, Target] = {}
        with desk.books.ledger.write():
            for each in arrived:
                if desk.books.inbox.find(each.id) is not None:
                    continue
                message = _inbound(each, now)
                if each.target.known:
                    desk.books.inbox.take(message, state=InboundState.DEFERRED, now=now)
                    targets[str(each.target)] = each.target
                else:
                    admission = desk.gate.admit(desk.source.event(each.raw, now))
                    desk.books.inbox.take(message, state=InboundState.SILENT, reason=str(admission.reason), now=now)
            if desk.source.position is not None:
                desk.books.cycles.move(desk.source.name, desk.source.position)
        return {target: [] for target in targets.values()}

    def unfinished(self) -> set[Target]:
        """The conversations in which something can go on without a new message."""
        books, platform = self._desk.books, self._desk.source.channel.platform
        found = {turn.target for turn in books.turns.unsettled()}
        found |= {
            conversation.target
            for conversation in books.conversations.all()
            if conversation.state is Standing.OPEN and books.inbox.in_state(conversation.target, InboundState.KEPT)
        }
        found |= {message.target for message in books.inbox.unacked()}
        resting = set(books.inbox.targets_in(InboundState.DEFERRED))
        self._recalled &= resting
        found |= self._recalled if self._desk.source.leases else resting
        return {target for target in found if target.platform == platform}

    def recall(self) -> set[Target]:
        """With leases, at a start and when the authorisation has changed: where something that was given back rests.

        It is taken up from the words kept here; its ack follows when the source offers it again."""
        mandate, source = self._desk.authority.look(), self._desk.source
        now = (mandate.scope, mandate.grant.targets if mandate.grant else frozenset())
        if now == self._looked or not source.leases:
            return set()
        resting = self._desk.books.inbox.targets_in(InboundState.DEFERRED)
        self._looked = now
        self._recalled = {target for target in resting if target.platform == source.channel.platform}
        return set(self._recalled)

    def due(self) -> int:
        """Milliseconds until something waits no longer: at least a second, a minute when nothing does."""
        now, soonest = self._desk.clock.now(), MINUTE
        for turn in self._desk.books.turns.unsettled():
            decision = self._desk.books.turns.decision(turn.id)
            if turn.state is TurnState.WAITING:
                soonest = min(soonest, turn.next_at - now)
            elif decision is not None and decision.state in (SendState.SAVED, SendState.SENDING):
                soonest = min(soonest, max(SECOND, decision.retry_at - now))
            elif decision is not None and decision.state is SendState.HELD:
                soonest = min(soonest, 2 * SECOND)
        if not self._desk.source.leases and self._desk.books.inbox.waits(ARRIVING):
            soonest = min(soonest, self._desk.gate.policy.burst_quiet_ms)
        return max(SECOND, soonest)

    async def advance(self, target: Target, fresh: list[Inbound]) -> None:
        """Carry out every step that one conversation can take now, then ack what is settled."""
        desk = self._desk
        await self._take_on(target)
        fresh = await self._obeyed(target, fresh)
        for _ in range(_STEPS):
            look = self._look(target, fresh)
            if look is None:
                break
            async with desk.slots if look[0].step in _ASK else nullcontext():
                if look[0].step in _ASK and (look := self._look(target, fresh)) is None:
                    break  # it may have waited for its turn among others: only what holds now is done
                again = await self._take(look[0], target, *look[1:])
            if look[0].step in _ALL_TAKEN:
                fresh = []
            if not again:
                break
        if fresh and desk.source.leases:
            await self._offer_again(fresh, desk.clock.now() + MINUTE)
        await self.ack(target)

    def _look(self, target: Target, fresh: list[Inbound]) -> tuple[NextStep, TurnRow | None, list[Inbound]] | None:
        """The next step of a conversation, with its open turn and what waits; None when there is nothing to do."""
        desk = self._desk
        desk.authority.look()
        turn = desk.books.turns.of(target)
        if not desk.source.leases:
            fresh = desk.books.inbox.in_state(target, InboundState.DEFERRED)
        waiting = fresh if turn is not None else self._in_order(target, fresh)
        if turn is None and not waiting:
            return None
        return next_step(desk.view(target)), turn, waiting

    async def listen(self, target: Target) -> None:
        """Obey what commands came in while the conversations were being lived through; the rest waits for its turn."""
        await self._obeyed(target, [])

    async def _obeyed(self, target: Target, fresh: list[Inbound]) -> list[Inbound]:
        """Obey the control commands among what waits; what is left of the fresh messages."""
        waiting = fresh if self._desk.source.leases else self._desk.books.inbox.in_state(target, InboundState.DEFERRED)
        taken = await self._commands.take(waiting)
        return [message for message in fresh if message.id not in taken]

    async def ack(self, target: Target | None = None) -> None:
        """Tell the source about what is settled here."""
        desk, groups = self._desk, defaultdict(list)
        for message in desk.books.inbox.unacked():
            mine = message.target.platform == desk.source.channel.platform
            if mine and target in (None, message.target):
                groups[message.lease].append(message.id)
        for lease, ids in groups.items():
            if await desk.source.ack(lease, ids):
                desk.checkpoint(LifePoint.ACKED)
                desk.books.inbox.acked(ids, desk.clock.now())
            else:
                self._given_up(ids)

    def _given_up(self, ids: Sequence[str]) -> None:
        """What its source no longer keeps needs no ack: it has expired there, and is settled here."""
        desk, now = self._desk, self._desk.clock.now()
        known = (desk.books.inbox.find(id) for id in ids)
        gone = [each.id for each in known if each is not None and now - each.received_at > desk.source.kept_ms]
        desk.books.inbox.acked(gone, now)

    # --- steps -------------------------------------------------------------------------------------------------------

    async def _take(self, step: NextStep, target: Target, turn: TurnRow | None, waiting: list[Inbound]) -> bool:
        """Carry out one step; whether to look again."""
        match step.step:
            case Step.DISPATCH:
                return await self._dispatch(target, waiting)
            case Step.KEEP:
                self._keep(target, waiting, step)
            case Step.SILENCE:
                self._ask.begin(target, waiting) if turn is None else self._drop_turn(turn, step)
            case Step.GIVE_BACK:
                await self._give_back(target, turn, waiting, step)
            case Step.WAIT if self._waits_for_owner(target):
                self._keep(target, waiting, NextStep(step=Step.KEEP, stop=StopReason.WAITING_OWNER))
            case Step.WAIT if self._desk.source.leases:
                await self._offer_again(waiting, step.until or self._desk.clock.now() + MINUTE)
            case _ if turn is not None:
                return await self._go_on(step.step, turn)
        return False

    async def _go_on(self, step: Step, turn: TurnRow) -> bool:
        """The steps of an open turn."""
        decision = self._desk.books.turns.decision(turn.id)
        match step:
            case Step.RETRY:
                return await self._retry(turn)
            case Step.FAILED:
                self._ask.failed(turn, "interrupted")
                return True
            case Step.PARK:
                park(self._desk, turn)
                return True
            case Step.SETTLE:
                self._send.unsent.settle(turn)
                return True
            case Step.SEND if decision is not None:
                return await self._send.send(turn, decision)
            case Step.LOOK_UP if decision is not None:
                return await self._send.look_up(turn, decision)
            case Step.DROP if decision is not None:
                self._send.unsent.drop(turn, decision)
        return False

    async def _dispatch(self, target: Target, messages: list[Inbound]) -> bool:
        taken = one_turn(messages)
        # The rest waits for the next turn: what the source holds is offered again, what is kept here is taken up again.
        await self._offer_again((each for each in messages[taken:] if not each.acked), self._desk.clock.now())
        messages = messages[:taken]
        try:
            turn_id = self._ask.begin(target, messages)
        except DragomanError as error:
            if error.code != "conflict":
                raise
            await self._offer_again(messages, self._desk.clock.now() + MINUTE)
            return False
        if turn_id is None:
            return False
        await self._ask.run(turn_id)
        return True

    async def _retry(self, turn: TurnRow) -> bool:
        desk = self._desk
        held = [message for message in desk.books.inbox.of_turn(turn.id) if message.lease and not message.acked]
        if held:
            lease = await desk.source.hold(held[0].lease, [message.id for message in held])
            if not lease:
                return False
            for message in held:
                desk.books.inbox.leased(message.id, lease, desk.clock.now())
        if not self._ask.again(turn):
            return False
        await self._ask.run(turn.id)
        return True

    def _keep(self, target: Target, messages: list[Inbound], step: NextStep) -> None:
        """Keep the words here; the source is told that they are settled."""
        if not messages:
            return
        desk, now = self._desk, self._desk.clock.now()
        with desk.books.ledger.write():
            for message in messages:
                desk.books.inbox.take(message, state=InboundState.KEPT, reason=str(step.stop), now=now)
            desk.log(target, desk.new_id("cor"), "kept", str(step.stop))
            if desk.source.bounded and desk.authority.mandate.grant is None:  # attended: the owner answers by `resolve`
                key = f"attended|{max((m.id for m in messages), default='')}"
                desk.stand(target, Standing.WAITING_OWNER, StopReason.WAITING_OWNER, key=key)

    async def _give_back(self, target: Target, turn: TurnRow | None, messages: list[Inbound], step: NextStep) -> None:
        """Leave messages unhandled: a limit, an end, a pause. An open attempt ends; a pause only interrupts it."""
        desk, now = self._desk, self._desk.clock.now()
        reason = str(step.stop or "paused")
        self._recalled.discard(target)
        # What only rests on for the same reason is neither written nor recorded again.
        news = turn is not None or any(message.lease or message.reason != reason for message in messages)
        with desk.books.ledger.write():
            if turn is not None and step.stop is not None:
                desk.books.turns.move(
                    turn.id, TurnState.SETTLED, failure=f"{step.stop} {turn.failure}".strip(), now=now
                )
                decision = desk.books.turns.decision(turn.id)
                if decision is not None:
                    desk.books.turns.mark(decision.reply_id, SendState.STOPPED, now=now)
                messages = [*desk.books.inbox.of_turn(turn.id), *messages]
            for message in messages if news else ():
                desk.books.inbox.take(message, state=InboundState.DEFERRED, reason=reason, now=now)
            if news:
                desk.log(target, desk.new_id("cor"), "given_back", reason)
            if step.stop is not None:
                desk.stand(target, desk.books.conversations.at(target).state, step.stop)
        await self._offer_again([], step.until, messages)

    async def _offer_again(self, waiting: Iterable[Inbound], until: int, deferred: Iterable[Inbound] = ()) -> None:
        """Tell the source that these are not handled now; those not yet written down are written as deferred."""
        desk, groups = self._desk, defaultdict(list)
        waiting = list(waiting)
        with desk.books.ledger.write():
            for message in waiting:
                desk.books.inbox.take(message, state=InboundState.DEFERRED, reason="later", now=desk.clock.now())
        for message in (*waiting, *deferred):
            if not message.acked:
                groups[message.lease].append(message.id)
        for lease, ids in groups.items():
            if lease:
                await desk.source.give_back(lease, ids, until)

    def _drop_turn(self, turn: TurnRow, step: NextStep) -> None:
        """The conversation is no longer in the grant's scope: its open turn ends, the words stay for the owner."""
        desk, now = self._desk, self._desk.clock.now()
        with desk.books.ledger.write():
            desk.books.turns.move(turn.id, TurnState.SETTLED, failure=str(step.stop), now=now)
            decision = desk.books.turns.decision(turn.id)
            if decision is not None:
                desk.books.turns.mark(decision.reply_id, SendState.STOPPED, now=now)
            for message in desk.books.inbox.of_turn(turn.id):
                desk.books.inbox.move(message.id, InboundState.KEPT, reason=str(step.stop), now=now)
            desk.stand(turn.target, Standing.WAITING_OWNER, step.stop)

    # --- arrival -----------------------------------------------------------------------------------------------------

    async def _take_on(self, target: Target) -> None:
        """With `accept_inbound`, a contact that its peer opened becomes part of the grant before anything is weighed;
        also what was left unfinished under an earlier one."""
        desk, mandate = self._desk, self._desk.authority.mandate
        grant, scope = mandate.grant, mandate.scope
        if mandate.autonomy is None or grant is None or scope is None or scope.changed or not desk.source.bounded:
            return
        if mandate.autonomy.accept_inbound and target not in grant.targets and await desk.source.opened_by_peer(target):
            desk.authority.take_on(target)

    def _waits_for_owner(self, target: Target) -> bool:
        return self._desk.books.conversations.at(target).state is Standing.WAITING_OWNER

    def _in_order(self, target: Target, fresh: list[Inbound]) -> list[Inbound]:
        """Every message that the next turn of a conversation would be about, oldest first."""
        waiting = {message.id: message for message in self._resumed(target, bool(fresh))}
        if self._desk.source.leases and (fresh or target in self._recalled):
            for message in self._desk.books.inbox.in_state(target, InboundState.DEFERRED):
                if message.reason != OUT_OF_SIGHT:
                    waiting[message.id] = msgspec.structs.replace(message, lease="")  # given back: its lease has ended
        waiting |= {message.id: message for message in fresh}
        return sorted(waiting.values(), key=lambda message: (message.position, message.id))

    def _resumed(self, target: Target, asked: bool) -> list[Inbound]:
        """Messages kept while the conversation stood still, when it goes on: opened by the owner, or asked anew after
        it had ended (whether that reopens it is `next_step`'s question)."""
        state = self._desk.books.conversations.at(target).state
        if state is Standing.WAITING_OWNER or (state is not Standing.OPEN and not asked):
            return []
        return self._desk.books.inbox.in_state(target, InboundState.KEPT)


def _inbound(arrived: Arrived, now: int) -> Inbound:
    return Inbound(
        id=arrived.id,
        target=arrived.target,
        position=arrived.position,
        raw=arrived.raw,
        state=InboundState.DEFERRED,
        reason="",
        turn_id=None,
        lease=arrived.lease,
        acked=False,
        received_at=now,
    )
