"""Carries out control commands: writes first, then speaks, where speaking is allowed (spec 1 §4, §11.2).

1. `carry_out` writes and never waits, so that a life with a ledger can call it inside the transaction that settles the
   command's own row: obeyed once, whatever the moment of a crash. It sends nothing.
2. Every command leaves one journal record, also one that does nothing; a draft's id only when there is such a draft.
3. The answer is an `operational` draft under the command's own admission and passes the door like any other; it is not
   repeated when it is lost. In an external target there is none: not a text, not a sign.
4. An approved draft leaves at once when its target is on the very account that the command came from; otherwise it
   waits, approved, for whoever serves that account.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from dragoman.errors import DragomanError
from dragoman.gate.admit import Admission
from dragoman.gate.approvals import against_approval, against_rejection
from dragoman.gate.command_words import Standing, answer, status_words
from dragoman.gate.commands import Effect, Order, Said, Who, order_of
from dragoman.gate.event import Event
from dragoman.gate.policy import Policy
from dragoman.gate.ports import EVERY_PLACE, Approvals, Channel, Delivery, Draft, Entry, Filed, Seen
from dragoman.gate.turn import Door
from dragoman.identity import Party, Target
from dragoman.words import Audience, DraftState, Fact, OutputClass, ReleaseOutcome

Stop = Callable[[Target, Party | None], int]
"""Ends what runs or waits at a target, of one author or of everybody; how much it was."""


class Obeyed(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one order: its code, what the target may read of it, and the draft that may leave now."""

    order: Order
    said: Said
    text: str = ""
    draft: Filed | None = None


class Obedience:
    """Does what an order says.

    Args:
        approvals: the filed drafts.
        seen: where pauses are kept.
        note: writes one journal record.
        new_id: mints nonces.
        stop: ends turns and what waits.
        running: how many turns run at a target.
    """

    def __init__(
        self,
        *,
        approvals: Approvals,
        seen: Seen,
        note: Callable[[Entry], None],
        new_id: Callable[[str], str],
        stop: Stop,
        running: Callable[[Target], int],
    ) -> None:
        self._approvals = approvals
        self._seen = seen
        self._note = note
        self._new_id = new_id
        self._stop = stop
        self._running = running

    def carry_out(self, order: Order, admission: Admission, policy: Policy, now: int) -> Obeyed:
        """Write what the order comes to, and its record; `now` is epoch milliseconds."""
        said, draft = self._done(order, admission, policy, now)
        text = ""
        if order.answers:
            text = self._status(order, admission, now) if said is Said.STATUS else answer(said, admission.language)
        self._note(
            Entry(
                correlation_id=admission.id,
                kind="operator" if order.who is Who.OPERATOR else "life",
                outcome=said,
                reason=order.control,
                time=now,
                audience=order.audience,
                policy_version=policy.version,
                target=admission.target,
                author=admission.author,
                evidence=draft.id if draft is not None else "",
            )
        )
        return Obeyed(order=order, said=said, text=text, draft=draft)

    def _done(self, order: Order, admission: Admission, policy: Policy, now: int) -> tuple[Said, Filed | None]:
        target, everywhere = admission.target, order.everywhere
        match order.effect:
            case Effect.STOP_HERE | Effect.STOP_OWN:
                ended = self._stop(target, None if order.effect is Effect.STOP_HERE else admission.author)
                return (Said.STOPPED if ended else Said.NOTHING_RUNS), None
            case Effect.PAUSE:
                self._seen.pause(None if everywhere else target, now)
                return (Said.PAUSED_EVERYWHERE if everywhere else Said.PAUSED_HERE), None
            case Effect.RESUME:
                return self._resumed(None if everywhere else target, target), None
            case Effect.APPROVE:
                return self._approved(order, str(admission.author), policy, now)
            case Effect.REJECT:
                return self._rejected(order, str(admission.author), now)
            case Effect.STATUS:
                return Said.STATUS, None
            case _:
                return order.code or Said.UNCLEAR, None

    def _resumed(self, place: Target | None, here: Target) -> Said:
        if not self._seen.resume(place):
            return Said.NOT_PAUSED
        if place is None:
            return Said.RESUMED_EVERYWHERE
        return Said.STILL_PAUSED if self._seen.paused(here) else Said.RESUMED_HERE

    def _approved(self, order: Order, operator: str, policy: Policy, now: int) -> tuple[Said, Filed | None]:
        draft = self._approvals.find(order.draft_id)
        ruling = against_approval(draft, order.prefix, now, policy.version)
        if draft is None or ruling is not None:
            return Said(ruling or Said.UNKNOWN), draft
        nonce = self._new_id("non")
        try:
            approved = self._approvals.approve(draft.id, sha256=draft.sha256, operator=operator, nonce=nonce, now=now)
        except DragomanError as error:
            return _lost(error), draft
        return Said.APPROVED, approved

    def _rejected(self, order: Order, operator: str, now: int) -> tuple[Said, Filed | None]:
        draft = self._approvals.find(order.draft_id)
        ruling = against_rejection(draft, order.prefix)
        if draft is None or ruling is not None:
            return Said(ruling or Said.UNKNOWN), draft
        try:
            return Said.REJECTED, self._approvals.reject(draft.id, operator=operator, now=now)
        except DragomanError as error:
            return _lost(error), draft

    def _status(self, order: Order, admission: Admission, now: int) -> str:
        pauses = self._seen.pauses()
        standing = Standing(
            paused_here=str(admission.target) in pauses,
            paused_everywhere=EVERY_PLACE in pauses,
            running=self._running(admission.target),
            waiting=self._approvals.listed(DraftState.FILED),
            uncertain=len(self._approvals.listed(DraftState.UNCERTAIN)),
            now=now,
        )
        return status_words(standing, admission.language, order.audience)


class House(Door, Protocol):
    """What obeying asks of the gate."""

    policy: Policy

    def now(self) -> int:
        """The time, epoch milliseconds."""
        ...

    async def audience(self, target: Target, channel: Channel) -> Audience:
        """Who is listening there at this moment."""
        ...

    async def deliver_approved(self, draft_id: str, channel: Channel, *, key: str) -> Delivery | None:
        """Release one approved draft once."""
        ...

    async def release_approved(self, channel: Channel, account: str) -> list[Delivery]:
        """Let out what was approved for this account and still waits."""
        ...


async def obey(
    house: House,
    obedience: Obedience,
    admission: Admission,
    event: Event,
    channel: Channel,
    new_id: Callable[[str], str],
) -> Obeyed | None:
    """Obey one admitted event in a life without a ledger of its own; None when it holds no command."""
    audience = await house.audience(admission.target, channel)
    order = order_of(admission, event, house.policy, audience)
    if order is None:
        return None
    obeyed = obedience.carry_out(order, admission, house.policy, house.now())
    if obeyed.said is Said.APPROVED and obeyed.draft is not None and _same_account(obeyed.draft, admission):
        delivery = await house.deliver_approved(obeyed.draft.id, channel, key=new_id("out"))
        said = came_of(delivery)
        obeyed = msgspec.structs.replace(obeyed, said=said, text=answer(said, admission.language))
    await tell(house, obeyed, admission, channel, key=new_id("out"))
    if order.effect is Effect.RESUME:
        await house.release_approved(channel, admission.target.workspace)
    return obeyed


async def tell(house: Door, obeyed: Obeyed, admission: Admission, channel: Channel, *, key: str) -> Delivery | None:
    """Say what came of a command, where it may be said; through the door, once."""
    if not obeyed.text:
        return None
    return await house.deliver(
        Draft(text=obeyed.text, output_class=OutputClass.OPERATIONAL),
        admission,
        channel,
        key=key,
        thread=admission.thread,
        reply_to=admission.answers,
    )


def came_of(delivery: Delivery | None) -> Said:
    """What the operator is told of an approved draft that was let out at once."""
    if delivery is None or delivery.outcome is not ReleaseOutcome.SEND:
        return Said.KEPT_BACK
    return Said.DELIVERED if delivery.delivered is Fact.YES else Said.UNCERTAIN


def _same_account(draft: Filed, admission: Admission) -> bool:
    here = admission.target
    return (draft.target.platform, draft.target.workspace) == (here.platform, here.workspace)


def _lost(error: DragomanError) -> Said:
    """Somebody else decided in between; a store that cannot be written is no answer."""
    if error.code not in ("conflict", "not_found"):
        raise error
    return Said.DECIDED
