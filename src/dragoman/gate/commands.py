"""What does a control command do, by whom, said where? (spec 1 §3 step 8, §4, §11.2)

    command          who            external target        internal or operator target
    stop             operator       ends every turn here   the same, and answers
    stop             anybody else   ends his own turn      the same, and answers
    pause, resume    operator       acts                   acts and answers
    status           operator       nothing                answers
    approve, reject  operator       nothing                acts and answers
    all but stop     anybody else   nothing                nothing

1. The target is external unless it was not when the event came and is not at this moment: approving counts from a place
   that nobody from outside can read. In an external target nothing is ever answered.
2. Only a fresh message counts: an edit that a platform marks as a request is no command, and what is quoted, forwarded
   or clicked never comes here as one. The author's exact party is the operator; nothing in a text is.
3. What is safe is done on a word too many (`stop it`, `pause please`); what is not, is not (`resume please`,
   `approve` with anything but one exact id and at most one hash).
4. An answer is one fixed sentence; nothing that was typed, and no draft's text, comes back in it.

Pure. `obey.py` carries out what is decided here, in the embedded life and in the receiver.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

from dragoman.gate.admit import Admission
from dragoman.gate.event import AuthorKind, Event, EventKind
from dragoman.gate.policy import Policy
from dragoman.words import Audience

EVERYWHERE: Final = "everywhere"
"""The one argument of `pause` and `resume`."""
_ID_LIMIT: Final = 128


class Control(StrEnum):
    """The closed list."""

    STOP = "stop"
    PAUSE = "pause"
    RESUME = "resume"
    APPROVE = "approve"
    REJECT = "reject"
    STATUS = "status"


class Who(StrEnum):
    """Who said it: a human whom the policy names as operator, or anybody else."""

    OPERATOR = "operator"
    OTHER = "other"


class Effect(StrEnum):
    """What is done."""

    NOTHING = "nothing"
    STOP_OWN = "stop_own"
    STOP_HERE = "stop_here"
    PAUSE = "pause"
    RESUME = "resume"
    APPROVE = "approve"
    REJECT = "reject"
    STATUS = "status"


class Said(StrEnum):
    """What came of a command; stands in the journal and behind each fixed answer."""

    STOPPED = "stopped"
    NOTHING_RUNS = "nothing_runs"
    PAUSED_HERE = "paused_here"
    PAUSED_EVERYWHERE = "paused_everywhere"
    RESUMED_HERE = "resumed_here"
    RESUMED_EVERYWHERE = "resumed_everywhere"
    NOT_PAUSED = "not_paused"
    STILL_PAUSED = "still_paused"
    STATUS = "status"
    APPROVED = "draft_approved"
    DELIVERED = "draft_delivered"
    UNCERTAIN = "draft_uncertain"
    KEPT_BACK = "draft_kept_back"
    REJECTED = "draft_rejected"
    UNKNOWN = "draft_unknown"
    DECIDED = "draft_decided"
    EXPIRED = "draft_expired"
    NOT_APPROVABLE = "draft_not_approvable"
    OTHER_TEXT = "draft_other_text"
    STALE = "draft_stale"
    UNCLEAR = "command_unclear"
    NOT_HERE = "command_not_here"
    NOT_THEIRS = "command_not_theirs"


OUTSIDE_AND_INSIDE: Final[Mapping[tuple[Control, Who], tuple[Effect, Effect]]] = {
    (Control.STOP, Who.OPERATOR): (Effect.STOP_HERE, Effect.STOP_HERE),
    (Control.STOP, Who.OTHER): (Effect.STOP_OWN, Effect.STOP_OWN),
    (Control.PAUSE, Who.OPERATOR): (Effect.PAUSE, Effect.PAUSE),
    (Control.RESUME, Who.OPERATOR): (Effect.RESUME, Effect.RESUME),
    (Control.STATUS, Who.OPERATOR): (Effect.NOTHING, Effect.STATUS),
    (Control.APPROVE, Who.OPERATOR): (Effect.NOTHING, Effect.APPROVE),
    (Control.REJECT, Who.OPERATOR): (Effect.NOTHING, Effect.REJECT),
}
"""What a command does in an external target, and in an internal or operator one; what is not listed does nothing."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """One control command, decided. `code` says why nothing is done; `answers` whether an answer may be seen."""

    control: Control
    who: Who
    effect: Effect
    audience: Audience
    code: Said | None = None
    everywhere: bool = False
    draft_id: str = ""
    prefix: str = ""

    @property
    def answers(self) -> bool:
        """Whether the target may hear what came of it."""
        return self.audience is not Audience.EXTERNAL and self.code is not Said.NOT_THEIRS


def order_of(admission: Admission, event: Event, policy: Policy, audience: Audience) -> Order | None:
    """The order in an admitted event, or None when it holds none. `audience`: of its target at this moment."""
    command = admission.command
    if command is None or command.name not in set(Control) or not admission.responds:
        return None
    control = Control(command.name)
    if Audience.EXTERNAL in (admission.audience, audience):
        audience = Audience.EXTERNAL
    who = _who(event, admission, policy)
    outside, inside = OUTSIDE_AND_INSIDE.get((control, who), (Effect.NOTHING, Effect.NOTHING))
    effect = outside if audience is Audience.EXTERNAL else inside
    order = Order(control=control, who=who, effect=effect, audience=audience)
    if event.kind is not EventKind.MESSAGE or (control, who) not in OUTSIDE_AND_INSIDE:
        return msgspec.structs.replace(order, effect=Effect.NOTHING, code=Said.NOT_THEIRS)
    if effect is Effect.NOTHING:
        return msgspec.structs.replace(order, code=Said.NOT_HERE)
    return _with_argument(order, command.argument.split())


def _who(event: Event, admission: Admission, policy: Policy) -> Who:
    """The author's exact party, as the policy names it now; a bot is never an operator."""
    named = event.author in policy.operators and event.author == admission.author
    return Who.OPERATOR if named and event.author_kind is AuthorKind.HUMAN else Who.OTHER


def _with_argument(order: Order, words: list[str]) -> Order:
    unclear = msgspec.structs.replace(order, effect=Effect.NOTHING, code=Said.UNCLEAR)
    everywhere = bool(words) and words[0].lower() == EVERYWHERE
    match order.effect:
        case Effect.PAUSE:
            return msgspec.structs.replace(order, everywhere=everywhere)
        case Effect.RESUME:
            whole = len(words) == int(everywhere)  # nothing, or that one word
            return msgspec.structs.replace(order, everywhere=everywhere) if whole else unclear
        case Effect.APPROVE | Effect.REJECT:
            if not 1 <= len(words) <= 2 or len(words[0]) > _ID_LIMIT:
                return unclear
            return msgspec.structs.replace(order, draft_id=words[0], prefix=words[1].lower() if words[1:] else "")
        case _:
            return order
