"""What do event, policy and standing come to? The facts of steps 0 to 10, reduced to two finite records (spec 1 §3).

1. A grant counts only for the event it names: a schedule's own event, that bot's message, that hub contact (§11.1).
2. Unknown is never a yes: an author of unknown kind is a machine, an unknown chat is no one-to-one, a reply to nobody
   knows whom is addressed to another.
3. The text is read only to see who is addressed, whether it has substance, and which command it starts with; and for
   the door only where an operator may end a pause.
"""

from __future__ import annotations

from typing import Final

from dragoman.gate.asked import (
    Access,
    Addressed,
    Asked,
    Author,
    Commanded,
    Door,
    Form,
    Hold,
    Identity,
    Standing,
    Substance,
)
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.gate.policy import Policy, TargetPolicy
from dragoman.gate.said import Said
from dragoman.grants import Grant, Spent, covers
from dragoman.words import Fact, Purpose

CONTROL_COMMANDS: Final = frozenset({"stop", "pause", "resume", "approve", "reject", "status"})
"""The closed list of spec 1 §11.2; handled inline, without a model call."""

FUTURE_TOLERANCE_MS: Final = 300_000
"""How far ahead a platform's stamp may be before it is no time at all."""


def weigh_door(
    event: Event, policy: Policy, here: TargetPolicy, standing: Standing, said: Said
) -> tuple[Door, Grant | None]:
    """The facts of steps 0 to 6, and the grant that names this event; words are read only of who may order a pause."""
    author = _author(event, policy)
    grant = _grant(event, author, policy, standing)
    hold = _hold(here, standing)
    if hold is not Hold.OPEN and author is Author.OPERATOR and _orders(event, policy, said):
        hold = Hold.OPEN
    door = Door(
        authenticated=event.authenticated,
        seen=standing.seen,
        form=_form(event, here, policy, standing),
        hold=hold,
        identity=_identity(event),
        access=_access(event, here, policy, grant),
        author=author,
        granted=grant is not None,
    )
    return door, grant


def weigh_asked(
    event: Event, policy: Policy, here: TargetPolicy, standing: Standing, door: Door, said: Said
) -> tuple[Asked, Command | None]:
    """The facts of steps 7 to 10, and the command if there is one; `said` answers for the words of the event."""
    command = event.command or said.command(policy)
    direct = event.chat is ChatKind.DIRECT
    asked = Asked(
        author=door.author,
        explicit_only=door.access is Access.EXPLICIT_ONLY,
        granted=door.granted,
        audience=policy.audience(event.target, event.shared),
        direct=direct,
        addressed=_addressed(event, policy, here, said),
        mention=event.mentions_agent is Fact.YES,
        command=_commanded(command, event, policy),
        reply=event.reply_to is ReplyTo.AGENT,
        substance=_substance(event, here, direct, said),
        listed=here.listed,
        open_question=here.open_question,
        operator_messages=here.operator_messages,
        mention_free=not here.require_mention,
        burst_open=standing.burst_open,
    )
    return asked, command


def _author(event: Event, policy: Policy) -> Author:
    if event.kind is EventKind.SYNTHETIC:
        return Author.SYNTHETIC
    if event.author_kind is not AuthorKind.HUMAN:
        return Author.MACHINE
    return Author.OPERATOR if event.author in policy.operators else Author.HUMAN


def _grant(event: Event, author: Author, policy: Policy, standing: Standing) -> Grant | None:
    """The grant that names this very event, if one does (spec 1 §11.1); a quoted id is only a pointer to one."""
    if author is Author.SYNTHETIC:
        quoted = policy.grants.get(event.grant_id) if event.grant_id else None
        candidates, purpose = [quoted] if quoted else [], Purpose.SCHEDULE
    elif event.author_kind is AuthorKind.BOT:
        candidates, purpose = [each for each in policy.grants_at(event.target) if _admits(each, event)], Purpose.BOT
    else:
        return None
    for grant in candidates:
        wanted = Purpose.AUTONOMY if grant.purpose is Purpose.AUTONOMY and purpose is Purpose.BOT else purpose
        if covers(grant, event.target, wanted, standing.now, standing.spent.get(grant.id, Spent())) is None:
            return grant
    return None


def _admits(grant: Grant, event: Event) -> bool:
    if grant.purpose is Purpose.AUTONOMY:  # a hub contact has exactly one peer: the contact names it
        return event.target.platform == "hub" and event.chat is ChatKind.DIRECT
    return grant.purpose is Purpose.BOT and grant.admits is not None and grant.admits == event.author


def _access(event: Event, here: TargetPolicy, policy: Policy, grant: Grant | None) -> Access:
    if here.denied or event.author in policy.denied_senders:
        return Access.DENIED
    if grant is not None and grant.purpose is not Purpose.BOT:  # it names this exact target (spec 1 §3 step 3)
        return Access.ALLOWED
    if here.listed:
        barred = here.allowed_senders is not None and event.author not in here.allowed_senders
        return Access.DENIED if barred and event.kind is not EventKind.SYNTHETIC else Access.ALLOWED
    if event.kind is EventKind.SYNTHETIC:  # it has no grant: step 5 names the reason
        return Access.ALLOWED
    return Access.EXPLICIT_ONLY if policy.unknown_targets == "explicit_requests" else Access.DENIED


def _form(event: Event, here: TargetPolicy, policy: Policy, standing: Standing) -> Form:
    if event.author_kind is AuthorKind.SELF:
        return Form.OWN
    if event.kind is EventKind.SYNTHETIC:
        return Form.SYNTHETIC
    if event.kind is EventKind.OTHER:
        return Form.OTHER
    if event.kind is EventKind.EDIT:
        marked = event.edit_marks_mentions and here.edits_may_request and event.mentions_agent is Fact.YES
        if not marked:
            return Form.EDIT
    return Form.STALE if _stale(event, policy, standing.now) else Form.MESSAGE


def _stale(event: Event, policy: Policy, now: int) -> bool:
    if event.target.platform == "hub":  # spec 1 §11.11: on the hub the freshness window is the retention
        return False
    stamp = event.sent_at if event.sent_at is not None else event.received_at
    return now - stamp > policy.freshness_ms or stamp - now > FUTURE_TOLERANCE_MS


def _hold(here: TargetPolicy, standing: Standing) -> Hold:
    if standing.paused:
        return Hold.PAUSED
    wrote = standing.colleague_at
    taken = here.takeover_ms > 0 and wrote is not None and standing.now - wrote < here.takeover_ms
    return Hold.TAKEOVER if taken else Hold.OPEN


def _orders(event: Event, policy: Policy, said: Said) -> bool:
    """An operator's control command is for the gate, not for the agent: who paused must be able to resume."""
    commanded = _commanded(event.command or said.command(policy), event, policy)
    return commanded in (Commanded.STOP, Commanded.CONTROL)


def _identity(event: Event) -> Identity:
    synthetic = event.kind is EventKind.SYNTHETIC
    if synthetic and not event.target.known:
        return Identity.NO_TARGET
    named = event.target.known and (synthetic or event.author.known) and event.dedupe_key and event.event_id
    return Identity.VALID if named and not event.malformed else Identity.MALFORMED


def _addressed(event: Event, policy: Policy, here: TargetPolicy, said: Said) -> Addressed:
    if event.mentions_other is not Fact.NO or event.reply_to in (ReplyTo.OTHER, ReplyTo.UNKNOWN):
        return Addressed.OTHER  # unknown is never a yes to "nobody else is meant"
    if not (here.open_question or here.operator_messages):  # a name in the text matters to these two grounds only
        return Addressed.NOBODY_ELSE
    return Addressed.OTHER_BY_TEXT if said.calls_other(policy) else Addressed.NOBODY_ELSE


def _commanded(command: Command | None, event: Event, policy: Policy) -> Commanded:
    if command is None:
        return Commanded.NONE
    alone = event.other_bots is Fact.NO or event.chat is ChatKind.DIRECT
    ours = command.directed is Fact.YES or (command.directed is Fact.UNKNOWN and alone)
    if not ours:
        return Commanded.ELSEWHERE
    if command.name == "stop":
        return Commanded.STOP
    if command.name in CONTROL_COMMANDS:
        return Commanded.CONTROL
    return Commanded.AGENT if command.name in policy.commands else Commanded.NONE


def _substance(event: Event, here: TargetPolicy, direct: bool, said: Said) -> Substance:
    """How much was said; read only where a ground asks for it, since most events are decided without."""
    free = here.open_question or here.operator_messages or not here.require_mention
    words = said.substance() if free or direct else Substance.NOTHING
    if words is not Substance.NOTHING:
        return words
    return Substance.ATTACHMENT if event.attachments > 0 else Substance.NOTHING
