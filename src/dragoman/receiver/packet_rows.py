"""What is said of each change of a conversation: the rows that `chronicle.py` decides by (spec 2 §2, spec 3 §2).

1. The first row of a table that holds is the one; so the particular stands before the general.
2. Words are fixed sentences. They name ids and states, never a text: no words of a counterparty, handler or owner.
3. What is in no table is recorded elsewhere: `docs/reference/packets-of-a-conversation.md` says where and why.

Pure, and without a decision.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from dragoman.ledger.changes import Change, What


class Begins(StrEnum):
    """Whether a record may be the first of a chain."""

    ANEW = "anew"
    """Also after a final report: a new task of the same contact."""
    FIRST = "first"
    """Only where nothing was recorded yet."""
    NEVER = "never"


class Intake(msgspec.Struct, frozen=True, kw_only=True):
    """Something was taken on: a message and its ack, which may begin a task anew."""

    intent: str


class Correction(msgspec.Struct, frozen=True, kw_only=True):
    """The state that named this `ref` as unknown is known now."""

    reason: str
    state: str
    summary: str
    blocking: tuple[str, ...] = ()
    ref: str = ""


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """Where the task stands; `ref` is the evidence behind it, or empty."""

    state: str
    summary: str
    blocking: tuple[str, ...] = ()
    ref: str = ""
    begins: Begins = Begins.NEVER


class Blocked(msgspec.Struct, frozen=True, kw_only=True):
    """What waits for the owner."""

    kind: str
    description: str
    resolution: str
    begins: Begins = Begins.FIRST


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The end of the task."""

    outcome: str


Record = Intake | Correction | Status | Blocked | Report


class On(msgspec.Struct, frozen=True, kw_only=True):
    """Which change a row is about; None is any."""

    what: What
    after: str | None = None
    before: str | None = None
    why: str | None = None

    def holds(self, change: Change) -> bool:
        """Whether this is such a change."""
        return (
            change.what is self.what
            and self.after in (None, change.after)
            and self.before in (None, change.before)
            and self.why in (None, change.why)
        )


PEER: Final = "the peer has not answered"
OWNER: Final = "the owner has not decided"
UNKNOWN: Final = "it is not known whether a reply left"

_M, _T, _R, _D, _C = What.MESSAGE, What.TURN, What.REPLY, What.DRAFT, What.CONVERSATION

INTAKES: Final[tuple[tuple[On, Intake], ...]] = (
    (
        On(what=_T, before="", after="running"),
        Intake(intent="Handle admitted messages of this conversation: {n}."),
    ),
    (
        On(what=_T, before="", after="decided"),  # the owner's own words
        Intake(intent="Send a reply that the owner wrote."),
    ),
)
"""What was taken on, and the answer; `{n}` is how many messages. What is only kept, or refused, is a state of the task:
work that goes on for an earlier question is no work on it."""

CORRECTIONS: Final[tuple[tuple[On, Correction], ...]] = (
    (
        On(what=_R, before="uncertain", after="sent"),
        Correction(
            reason="the reply was delivered",
            state="waiting_input",
            summary="a reply was sent",
            blocking=(PEER,),
        ),
    ),
    (
        On(what=_R, before="uncertain", after="saved"),
        Correction(
            reason="the reply was not delivered",
            state="working",
            summary="the reply goes once more under its own id",
        ),
    ),
    (
        On(what=_R, before="uncertain", after="held"),
        Correction(
            reason="the reply was not delivered",
            state="waiting_owner",
            summary="the reply waits for a new approval",
            blocking=(OWNER,),
        ),
    ),
)

STATUSES: Final[tuple[tuple[On, Status], ...]] = (
    (
        On(what=_R, after="sent"),
        Status(state="waiting_input", summary="a reply was sent", blocking=(PEER,), ref="reply"),
    ),
    (On(what=_R, after="uncertain"), Status(state="waiting_owner", summary=UNKNOWN, blocking=(OWNER,), ref="reply")),
    (On(what=_T, before="", after="running"), Status(state="working", summary="the handler was asked")),
    (On(what=_T, before="waiting", after="running"), Status(state="working", summary="the handler was asked again")),
    (On(what=_T, before="", after="decided"), Status(state="working", summary="the owner's reply is on its way")),
    (
        On(what=_T, after="waiting", why="denied"),
        Status(state="working", summary="the gate refused a reply; the handler is asked again later"),
    ),
    (
        On(what=_T, after="waiting"),
        Status(state="working", summary="an attempt failed; the handler is asked again later"),
    ),
    (
        On(what=_C, before="waiting_owner", after="open", why=""),
        Status(state="submitted", summary="the owner let the conversation go on"),
    ),
    *(
        (
            On(what=_C, after="open", why=stop),
            Status(state=state, summary="the task stands still", blocking=(words,), begins=Begins.FIRST),
        )
        for stop, state, words in (
            ("grant_expired", "waiting_owner", "the owner's grant has ended"),
            ("grant_changed", "waiting_owner", "the owner's grant was changed under its id"),
            ("generation_changed", "waiting_owner", "another instance became the primary one"),
            ("turn_limit", "waiting_owner", "the grant's turns for this conversation are used up"),
            ("daily_limit", "waiting_input", "the grant's dispatches of this day are used up"),
            ("not_in_scope", "waiting_owner", "the owner's grant does not cover this conversation"),
            ("reply_limited", "waiting_input", "the hub's reply limit is reached"),
            ("waiting_owner", "waiting_owner", OWNER),
        )
    ),
    (On(what=_D, after="approved"), Status(state="working", summary="a held reply was approved", ref="draft")),
    (
        On(what=_D, after="rejected", why="epoch"),
        Status(state="waiting_owner", summary="an approval is no longer in force", blocking=(OWNER,), ref="draft"),
    ),
    (
        On(what=_D, after="rejected", why="gate"),
        Status(state="waiting_owner", summary="the gate refused an approved reply", blocking=(OWNER,), ref="draft"),
    ),
    (
        On(what=_D, after="rejected"),
        Status(state="waiting_owner", summary="a held reply was rejected", blocking=(OWNER,), ref="draft"),
    ),
    (
        On(what=_D, after="expired"),
        Status(state="waiting_owner", summary="nobody approved a held reply in time", blocking=(OWNER,), ref="draft"),
    ),
    (
        On(what=_T, after="settled", why="draft_dropped"),
        Status(state="waiting_owner", summary="a held reply is not sent", blocking=(OWNER,)),
    ),
    (
        On(what=_R, after="denied"),
        Status(state="waiting_owner", summary="the gate refused a reply", blocking=(OWNER,), ref="reply"),
    ),
    (
        On(what=_T, after="settled"),
        Status(state="waiting_input", summary="a turn ended without a reply", blocking=("nothing new was asked",)),
    ),
    (
        On(what=_R, after="stopped"),
        Status(state="waiting_owner", summary="a reply was stopped before it left", blocking=(OWNER,), ref="reply"),
    ),
    (
        On(what=_R, after="expired"),
        Status(
            state="waiting_owner",
            summary="the peer did not fetch a reply before it expired",
            blocking=("the owner decides whether to write again",),
            ref="reply",
        ),
    ),
    *(
        (
            On(what=_M, after=state, why="paused"),
            Status(state="waiting_owner", summary="messages wait for the end of a pause", blocking=("paused",)),
        )
        for state in ("deferred", "silent")
    ),
    *(
        (
            On(what=_M, before=state, after="kept"),
            Status(
                state="waiting_owner", summary="messages are kept for the owner", blocking=(OWNER,), begins=Begins.FIRST
            ),
        )
        for state in ("", "deferred")
    ),
    (
        On(what=What.PAUSE, after="paused"),
        Status(state="waiting_owner", summary="the operator paused the agent", blocking=("paused",)),
    ),
    (On(what=What.PAUSE, after="resumed"), Status(state="submitted", summary="the pause is over")),
    (
        On(what=What.REMINDER),
        Status(state="waiting_input", summary="the owner is reminded of the wait", blocking=(PEER,)),
    ),
)
"""Where the task stands now."""

BLOCKERS: Final[tuple[tuple[On, Blocked], ...]] = (
    *(
        (
            On(what=_R, before=state, after="held"),
            Blocked(kind="authorization", description="a reply waits for approval", resolution="the owner approves it"),
        )
        for state in ("saved", "sending", "uncertain")  # the owner's own words begin as held ones
    ),
    (
        On(what=_R, after="uncertain"),
        Blocked(kind="validation", description=UNKNOWN, resolution="the owner says whether it arrived"),
    ),
    (
        On(what=_T, after="parked", why="courtesies"),
        Blocked(kind="other", description="only courtesies are exchanged", resolution="the owner decides how to go on"),
    ),
    (
        On(what=_T, after="parked"),
        Blocked(
            kind="dependency",
            description="the handler failed repeatedly",
            resolution="the owner decides how to go on",
        ),
    ),
)
"""What blocks, whatever the conversation says."""

WAITS: Final[tuple[tuple[On, Blocked], ...]] = (
    (
        On(what=_C, after="waiting_owner", why="not_in_scope"),
        Blocked(
            kind="scope",
            description="the owner's grant no longer covers this conversation",
            resolution="the owner decides how to go on",
        ),
    ),
    (
        On(what=_T, after="settled", why="draft_dropped"),
        Blocked(
            kind="authorization",
            description="a held reply is not sent",
            resolution="the owner decides how to go on",
        ),
    ),
    (
        On(what=_R, after="denied"),
        Blocked(
            kind="boundary", description="the gate refused the owner's reply", resolution="the owner words it anew"
        ),
    ),
    (
        On(what=_T, after="settled"),
        Blocked(kind="other", description="the owner was asked", resolution="the owner answers"),
    ),
    (
        On(what=_M, after="kept"),
        Blocked(
            kind="authorization",
            description="nobody may answer without the owner",
            resolution="the owner answers, or gives a grant",
        ),
    ),
    (
        On(what=_C, after="waiting_owner"),
        Blocked(kind="other", description=OWNER, resolution="the owner decides how to go on"),
    ),
)
"""What blocks a conversation that begins to wait for its owner."""

REPORTS: Final[tuple[tuple[On, Report], ...]] = (
    (On(what=_C, after="completed"), Report(outcome="completed")),
    (On(what=_C, after="closed"), Report(outcome="cancelled")),
)

SUPERSEDED: Final = Blocked(
    kind="access",
    description="another instance became the primary one",
    resolution="the primary instance goes on; this one writes nothing more",
    begins=Begins.NEVER,
)
"""What the instance leaves that was taken over from."""
