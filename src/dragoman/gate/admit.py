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
from enum import StrEnum
from typing import Final

import msgspec

from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.gate.live_text import command_of, leading_name, open_question, substantive
from dragoman.gate.policy import Policy, TargetPolicy
from dragoman.gate.ports import SeenState
from dragoman.grants import Grant, Spent, covers
from dragoman.identity import Party, Target
from dragoman.words import Audience, Fact, Outcome, OutputClass, Purpose, Reason

CONTROL_COMMANDS: Final = frozenset({"stop", "pause", "resume", "approve", "reject", "status"})
"""The closed list of spec 1 §11.2; handled inline, without a model call."""

FUTURE_TOLERANCE_MS: Final = 300_000
"""How far ahead a platform's stamp may be before it is no time at all."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What the shell looked up before asking: cheap, local, and never the event's own word."""

    now: int
    seen: SeenState = SeenState.NEW
    paused: bool = False
    colleague_at: int | None = None
    burst_open: bool = False
    spent: Mapping[str, Spent] = {}


class Form(StrEnum):
    """What kind of thing arrived."""

    MESSAGE = "message"
    EDIT = "edit"
    OWN = "own"
    OTHER = "other"
    STALE = "stale"
    SYNTHETIC = "synthetic"


class Access(StrEnum):
    """What platform access says of sender and target."""

    ALLOWED = "allowed"
    EXPLICIT_ONLY = "explicit_only"
    DENIED = "denied"


class Identity(StrEnum):
    """Whether the facts that must be known are."""

    VALID = "valid"
    MALFORMED = "malformed"
    NO_TARGET = "no_target"


class Hold(StrEnum):
    """Whether a human of ours keeps the agent quiet here."""

    OPEN = "open"
    PAUSED = "paused"
    TAKEOVER = "takeover"


class Author(StrEnum):
    """Who wrote it, as far as it matters."""

    HUMAN = "human"
    OPERATOR = "operator"
    MACHINE = "machine"
    """A bot, or an author of unknown kind."""
    SYNTHETIC = "synthetic"


class Addressed(StrEnum):
    """Whether somebody else is addressed: by a platform fact, or only by the text."""

    NOBODY_ELSE = "nobody_else"
    OTHER = "other"
    OTHER_BY_TEXT = "other_by_text"


class Commanded(StrEnum):
    """What command the live text starts with, if any that concerns us."""

    NONE = "none"
    CONTROL = "control"
    STOP = "stop"
    AGENT = "agent"
    ELSEWHERE = "elsewhere"


class Substance(StrEnum):
    """How much the author said."""

    NOTHING = "nothing"
    ATTACHMENT = "attachment"
    TEXT = "text"
    QUESTION = "question"


class Door(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of steps 0 to 6."""

    authenticated: Fact
    seen: SeenState
    form: Form
    hold: Hold
    identity: Identity
    access: Access
    author: Author
    granted: bool
    """A grant names this very author or schedule, at this very target, and is not spent."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of steps 7 to 10."""

    author: Author
    explicit_only: bool
    granted: bool
    audience: Audience
    direct: bool
    addressed: Addressed
    mention: bool
    command: Commanded
    reply: bool
    substance: Substance
    listed: bool
    open_question: bool
    operator_messages: bool
    mention_free: bool
    burst_open: bool


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
    for _, matches, verdict in DOOR:
        if matches(door):
            return verdict
    return decide_asked(asked)


def decide_asked(asked: Asked) -> Verdict:
    """Steps 7 to 10, for an event that passed the door."""
    if _addressed_away(asked):
        return (_SILENT, Reason.ADDRESSED_TO_OTHER)
    for holds, reason in GROUNDS:
        if holds(asked):
            bursting = asked.burst_open and not _control(asked)
            return (_DEFER, Reason.ATTACHMENT_BURST) if bursting else (_RESPOND, reason)
    return (_SILENT, Reason.NOT_REQUESTED)


def admit(event: Event, policy: Policy, standing: Standing, id: str) -> Admission:
    """Decide one event. `id` becomes the correlation id of everything that follows. Never raises."""
    audience, language, grant_id, command = Audience.EXTERNAL, policy.language, None, None
    try:
        audience = policy.audience(event.target, event.shared)
        language = policy.at(event.target).language
        door, asked, grant, spoken = weigh(event, policy, standing)
        outcome, reason = decide(door, asked)
        if policy.broken and outcome is not Outcome.REJECTED:
            outcome, reason = _SILENT, Reason.POLICY_BROKEN
        grant_id = grant.id if grant is not None and reason is Reason.OPERATOR_REQUESTED else None
        command = spoken if outcome is _RESPOND and _control(asked) else None
    except Exception:  # noqa: BLE001  spec 1 §1: an error in answering is a no
        audience, outcome, reason = Audience.EXTERNAL, _SILENT, Reason.RULE_FAILED
    return Admission(
        id=id,
        outcome=outcome,
        reason=reason,
        audience=audience,
        target=event.target,
        event_id=event.event_id,
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


def weigh(event: Event, policy: Policy, standing: Standing) -> tuple[Door, Asked, Grant | None, Command | None]:
    """Reduce event, policy and standing to the two finite records that the tables read."""
    here = policy.at(event.target)
    author = _author(event, policy)
    grant = _grant(event, author, policy, standing)
    access = _access(event, here, policy, grant)
    command = event.command or command_of(event.text, policy.command_prefixes, policy.agent_names)
    commanded = _commanded(command, event, policy)
    door = Door(
        authenticated=event.authenticated,
        seen=standing.seen,
        form=_form(event, here, policy, standing),
        hold=_hold(here, standing),
        identity=_identity(event),
        access=access,
        author=author,
        granted=grant is not None,
    )
    asked = Asked(
        author=author,
        explicit_only=access is Access.EXPLICIT_ONLY,
        granted=grant is not None,
        audience=policy.audience(event.target, event.shared),
        direct=event.chat is ChatKind.DIRECT,
        addressed=_addressed(event, policy),
        mention=event.mentions_agent is Fact.YES,
        command=commanded,
        reply=event.reply_to is ReplyTo.AGENT,
        substance=_substance(event),
        listed=here.listed,
        open_question=here.open_question,
        operator_messages=here.operator_messages,
        mention_free=not here.require_mention,
        burst_open=standing.burst_open,
    )
    return door, asked, grant, command


def _author(event: Event, policy: Policy) -> Author:
    if event.kind is EventKind.SYNTHETIC:
        return Author.SYNTHETIC
    if event.author_kind is not AuthorKind.HUMAN:
        return Author.MACHINE
    return Author.OPERATOR if event.author in policy.operators else Author.HUMAN


def _grant(event: Event, author: Author, policy: Policy, standing: Standing) -> Grant | None:
    """The grant that names this very event, if one does (spec 1 §11.1); a quoted id is only a pointer to one."""
    if author is Author.SYNTHETIC:
        candidates = [policy.grants.get(event.grant_id)] if event.grant_id else []
        purpose = Purpose.SCHEDULE
    elif author is Author.MACHINE and event.author_kind is AuthorKind.BOT:
        candidates = [grant for grant in policy.grants.values() if _admits(grant, event)]
        purpose = Purpose.BOT
    else:
        return None
    for grant in candidates:
        if grant is None:
            continue
        wanted = Purpose.AUTONOMY if grant.purpose is Purpose.AUTONOMY and purpose is Purpose.BOT else purpose
        if covers(grant, event.target, wanted, standing.now, standing.spent.get(grant.id, Spent())) is None:
            return grant
    return None


def _admits(grant: Grant, event: Event) -> bool:
    if event.target not in grant.targets:
        return False
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


def _identity(event: Event) -> Identity:
    synthetic = event.kind is EventKind.SYNTHETIC
    if synthetic and not event.target.known:
        return Identity.NO_TARGET
    named = event.target.known and (synthetic or event.author.known) and event.dedupe_key and event.event_id
    return Identity.VALID if named and not event.malformed else Identity.MALFORMED


def _addressed(event: Event, policy: Policy) -> Addressed:
    if event.mentions_other is not Fact.NO or event.reply_to in (ReplyTo.OTHER, ReplyTo.UNKNOWN):
        return Addressed.OTHER  # unknown is never a yes to "nobody else is meant"
    return Addressed.OTHER_BY_TEXT if leading_name(event.text, policy.agent_names) else Addressed.NOBODY_ELSE


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


def _substance(event: Event) -> Substance:
    if substantive(event.text):
        return Substance.QUESTION if open_question(event.text) else Substance.TEXT
    return Substance.ATTACHMENT if event.attachments > 0 else Substance.NOTHING
