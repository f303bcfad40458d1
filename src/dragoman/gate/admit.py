"""Q2: were we asked, now, by someone who may ask? (spec 1 §3)

The event's facts, the operator's policy and what the shell knows of the place (`Standing`) are weighed into two small
finite records, and two tables decide. First row that matches wins; the order of the rows is the order of the spec:

    door    0 not authenticated · 1 duplicate · 2 no message · 2a paused, takeover · 2b malformed · 3 access
            5 synthetic without grant · 6 bot without grant
    asked   7 addressed to another · 8 the grounds, in order · 10 burst, for what would respond · 9 not requested

`DOOR` reads only `Door`, `ASKED` reads only `Asked`; both are walked whole by the tests. An error in weighing is a no
(`rule_failed`). The text of the message is read only to see who is addressed and whether it has substance; text may
silence, never open, but for the two grounds whose policy says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

import msgspec

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
from dragoman.gate.event import Command, Event, EventKind
from dragoman.gate.policy import Policy, TargetPolicy
from dragoman.gate.ports import SeenState
from dragoman.gate.said import LiveText, Said
from dragoman.gate.weigh import weigh_asked, weigh_door
from dragoman.identity import Party, Target
from dragoman.words import Audience, Fact, Outcome, OutputClass, Reason


class Admission(msgspec.Struct, frozen=True, kw_only=True):
    """The decision that is carried through the whole run (spec 1 §1, §6). Times are epoch milliseconds."""

    id: str
    outcome: Outcome
    reason: Reason
    audience: Audience
    target: Target
    event_id: str
    policy_version: str
    decided_at: int
    expires_at: int
    max_sends: int
    author: Party
    answers: str | None = None
    """The platform's id of the message that a reply answers; None for a synthetic event."""
    thread: str | None = None
    language: str = "en"
    grant_id: str | None = None
    command: Command | None = None
    """A control command to be handled inline, without a model call."""

    @property
    def responds(self) -> bool:
        """Whether a turn may begin."""
        return self.outcome is Outcome.RESPOND

    @property
    def allowed_classes(self) -> tuple[OutputClass, ...]:
        """What may leave under this admission (spec 1 §4); nothing unless it responds."""
        return ALLOWED_CLASSES[self.audience] if self.responds else ()


ALLOWED_CLASSES: Final[Mapping[Audience, tuple[OutputClass, ...]]] = {
    Audience.EXTERNAL: (OutputClass.FINAL, OutputClass.SAFE_ERROR),
    Audience.INTERNAL: (OutputClass.FINAL, OutputClass.SAFE_ERROR, OutputClass.OPERATIONAL, OutputClass.PROGRESS),
    Audience.OPERATOR: (OutputClass.FINAL, OutputClass.SAFE_ERROR, OutputClass.OPERATIONAL, OutputClass.PROGRESS),
}

Verdict = tuple[Outcome, Reason]

MEMORY: Final = 16_384
"""Decisions that are remembered by their facts; the same facts always come to the same decision."""

_REJECTED, _SILENT, _RESPOND, _DEFER = Outcome.REJECTED, Outcome.SILENT, Outcome.RESPOND, Outcome.DEFER

DOOR: Final[tuple[tuple[str, Callable[[Door], bool], Verdict], ...]] = (
    ("0", lambda d: d.authenticated is not Fact.YES, (_REJECTED, Reason.AUTH_FAILED)),
    ("1", lambda d: d.seen is SeenState.DUPLICATE, (_REJECTED, Reason.DUPLICATE)),
    ("2", lambda d: d.form is Form.OWN, (_REJECTED, Reason.SELF_ECHO)),
    ("2", lambda d: d.form is Form.OTHER, (_REJECTED, Reason.NOT_A_MESSAGE)),
    ("2", lambda d: d.form is Form.EDIT, (_REJECTED, Reason.EDIT_NOT_A_REQUEST)),
    ("2", lambda d: d.form is Form.STALE, (_REJECTED, Reason.STALE)),
    ("2a", lambda d: d.hold is Hold.PAUSED, (_SILENT, Reason.PAUSED)),
    ("2a", lambda d: d.hold is Hold.TAKEOVER, (_SILENT, Reason.HUMAN_TAKEOVER)),
    ("2b", lambda d: d.identity is Identity.MALFORMED, (_SILENT, Reason.INVALID_FACTS)),
    ("2b", lambda d: d.identity is Identity.NO_TARGET, (_SILENT, Reason.SYNTHETIC_WITHOUT_TARGET)),
    ("3", lambda d: d.access is Access.DENIED, (_SILENT, Reason.ACCESS_DENIED)),
    ("5", lambda d: d.author is Author.SYNTHETIC and not d.granted, (_SILENT, Reason.SYNTHETIC_WITHOUT_GRANT)),
    ("6", lambda d: d.author is Author.MACHINE and not d.granted, (_SILENT, Reason.BOT_WITHOUT_GRANT)),
)
"""Steps 0 to 6: may this be decided at all?"""


def _control(a: Asked) -> bool:
    """A control command that may act: anybody's `stop` for their own turn, the rest for operators (spec 1 §11.2)."""
    return a.command is Commanded.STOP or (a.command is Commanded.CONTROL and a.author is Author.OPERATOR)


def _explicit(a: Asked) -> bool:
    return a.mention or a.reply or a.command is Commanded.AGENT or _control(a)


def _addressed_away(a: Asked) -> bool:
    return a.addressed is Addressed.OTHER and not a.direct and not _explicit(a) and not a.granted


def _nobody_named(a: Asked) -> bool:
    return a.addressed is Addressed.NOBODY_ELSE


def _for_us(a: Asked) -> bool:
    """No command for another bot, and a place where such a ground may hold at all (spec 1 §3 steps 3 and 8)."""
    return a.command is not Commanded.ELSEWHERE and not a.explicit_only


def _has_text(a: Asked) -> bool:
    return a.substance in (Substance.TEXT, Substance.QUESTION)


def _person(a: Asked) -> bool:
    return a.author in (Author.HUMAN, Author.OPERATOR)


GROUNDS: Final[tuple[tuple[Callable[[Asked], bool], Reason], ...]] = (
    (lambda a: _control(a) and a.author is Author.OPERATOR, Reason.OPERATOR_COMMAND),
    (lambda a: a.granted and (a.direct or _explicit(a) or a.author is Author.SYNTHETIC), Reason.OPERATOR_REQUESTED),
    (lambda a: a.mention and _person(a), Reason.AGENT_MENTIONED),
    (lambda a: a.command in (Commanded.AGENT, Commanded.STOP) and _person(a), Reason.AGENT_COMMAND),
    (lambda a: a.reply and _person(a), Reason.REPLY_TO_AGENT),
    (lambda a: a.direct and _person(a) and a.substance is not Substance.NOTHING, Reason.DIRECT_MESSAGE),
    (
        lambda a: (
            a.open_question
            and a.listed
            and _for_us(a)
            and _person(a)
            and a.substance is Substance.QUESTION
            and _nobody_named(a)
        ),
        Reason.OPEN_QUESTION,
    ),
    (
        lambda a: (
            a.operator_messages
            and a.audience is not Audience.EXTERNAL
            and _for_us(a)
            and a.author is Author.OPERATOR
            and _has_text(a)
            and _nobody_named(a)
        ),
        Reason.OPERATOR_MESSAGE,
    ),
    (
        lambda a: (
            a.mention_free
            and a.listed
            and _for_us(a)
            and _person(a)
            and _has_text(a)
            and a.addressed is not Addressed.OTHER
        ),
        Reason.MENTION_NOT_REQUIRED,
    ),
)
"""Step 8, in order: the first that holds is the ground on which we respond."""


def decide(door: Door, asked: Asked) -> Verdict:
    """The outcome and its reason for facts already weighed; total over both records."""
    return decide_door(door) or decide_asked(asked)


@lru_cache(MEMORY)
def decide_door(door: Door) -> Verdict | None:
    """Steps 0 to 6; None for an event that passes."""
    return next((verdict for _, matches, verdict in DOOR if matches(door)), None)


@lru_cache(MEMORY)
def decide_asked(asked: Asked) -> Verdict:
    """Steps 7 to 10, for an event that passed the door."""
    if _addressed_away(asked):
        return (_SILENT, Reason.ADDRESSED_TO_OTHER)
    for holds, reason in GROUNDS:
        if holds(asked):
            bursting = asked.burst_open and not _control(asked)
            return (_DEFER, Reason.ATTACHMENT_BURST) if bursting else (_RESPOND, reason)
    return (_SILENT, Reason.NOT_REQUESTED)


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What the tables say of one event."""

    outcome: Outcome
    reason: Reason
    grant_id: str | None = None
    command: Command | None = None


def judged(event: Event, policy: Policy, here: TargetPolicy, standing: Standing, said: Said | None = None) -> Judgement:
    """Weigh and decide; `said` answers for the words of an event that is remembered only. May raise: see `admit`."""
    said = said or LiveText(event.text)
    door, grant = weigh_door(event, policy, here, standing, said)
    verdict, control = decide_door(door), None
    if verdict is None:
        asked, command = weigh_asked(event, policy, here, standing, door, said)
        verdict = decide_asked(asked)
        control = command if verdict[0] is _RESPOND and _control(asked) else None
    outcome, reason = verdict
    if policy.broken and outcome is not Outcome.REJECTED:
        outcome, reason, control = _SILENT, Reason.POLICY_BROKEN, None
    granted = grant is not None and reason is Reason.OPERATOR_REQUESTED
    return Judgement(outcome=outcome, reason=reason, grant_id=grant.id if grant and granted else None, command=control)


def admit(event: Event, policy: Policy, standing: Standing, id: str) -> Admission:
    """Decide one event. `id` becomes the correlation id of everything that follows. Never raises."""
    audience, language, grant_id, command = Audience.EXTERNAL, policy.language, None, None
    try:
        audience = policy.audience(event.target, event.shared)
        here = policy.at(event.target)
        language = here.language
        judgement = judged(event, policy, here, standing)
        outcome, reason = judgement.outcome, judgement.reason
        grant_id, command = judgement.grant_id, judgement.command
    except Exception:  # noqa: BLE001  spec 1 §1: an error in answering is a no
        audience, outcome, reason = Audience.EXTERNAL, _SILENT, Reason.RULE_FAILED
    return Admission(
        id=id,
        outcome=outcome,
        reason=reason,
        audience=audience,
        target=event.target,
        event_id=event.event_id,
        answers=None if event.kind is EventKind.SYNTHETIC else event.event_id,
        policy_version=policy.version,
        decided_at=standing.now,
        expires_at=standing.now + policy.admission_ms,
        max_sends=policy.admission_sends,
        author=event.author,
        thread=event.thread,
        language=language,
        grant_id=grant_id,
        command=command,
    )
