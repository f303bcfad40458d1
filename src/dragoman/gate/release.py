"""Q3 and Q4: may this finished draft go out, and may it go there now? (spec 1 §4, §6)

Asked of every output operation, on every text of the draft as it would leave (`parts.passages`), in this order; the
first no decides:

    0  the operation is declared and carries these parts, the target is known, the agent is not paused, the text fits
    1  class against the audience of the target at this moment; the marker of silence inside a text has none
    2  hard stops: denied on every target, never liftable (our own fixed sentences alone are not asked 2, 4 and 5)
    3  leak check: secrets, paths, traces and internal hosts everywhere, other counterparties' terms at external
       targets; links that are not what they seem; file content that cannot be read (external), lifted by an approval
    4  topics that stay drafts (external): ruled from the text, declared by the handler, or of the send itself (an
       unasked send to a public target); targets whose every answer stays a draft; lifted by an approval only
    5  authorisation record (external): dates, amounts, quantities, specifications; lifted by an approval only
    6  delivery: the live admission of the event that is answered, or a grant

Nothing here edits a text to make it pass. A text that must be split is split after the whole passed; its pieces are
asked step 3 again. An error in a check is a no (`rule_failed`, deny). A hold is told to the operator, never to the
counterparty.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

import msgspec

from dragoman.gate.admit import ALLOWED_CLASSES, Admission
from dragoman.gate.checks import Finding, Leaks, Said, claims, links, marked, stops, topics
from dragoman.gate.claims import ClaimKind
from dragoman.gate.operations import CHANGING, CLASS_OF, MOST_CHANGES, PAID, POINTING, Operation, OperationSpec
from dragoman.gate.outgoing import Step, steps
from dragoman.gate.parts import NOTHING, Parts, Passage, encoded, fault, passages, unread
from dragoman.gate.policy import Policy
from dragoman.gate.ports import Draft, Filed, Presence
from dragoman.gate.sentences import FIXED
from dragoman.grants import Grant, Spent, covers
from dragoman.identity import Party, Target
from dragoman.words import Audience, OutputClass, Purpose, Reason, ReleaseOutcome, Topic

APPROVABLE: Final = frozenset(
    {Reason.DRAFT_ONLY_TOPIC, Reason.DRAFT_ONLY_TARGET, Reason.UNVERIFIED_CLAIM, Reason.UNCHECKED_CONTENT}
)
"""The holds that an operator's approval lifts; a leak is never one of them (spec 1 §11.7)."""
NOT_PERFORMABLE: Final = frozenset(
    {Reason.TARGET_INVALID, Reason.UNDECLARED_OPERATION, Reason.EMPTY_TEXT, Reason.PART_NOT_CARRIED}
)
"""What no adapter could carry out, in shadow mode either."""
MOST_FINDINGS: Final = 64
"""Findings that are reported of one draft."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One draft at the door: what, where to, by which authority, and what is known at this moment."""

    draft: Draft
    target: Target
    operation: Operation
    operations: Mapping[Operation, OperationSpec] = {}
    """The adapter's operation table; empty for a channel of another platform."""
    authority: Admission | Grant | None
    grant: Grant | None
    """The grant as the policy holds it now, for an authority that quotes one."""
    presence: Presence
    now: int
    edits: str | None = None
    """The message that a changing operation changes."""
    points_at: str | None = None
    """The message that a pointing operation is about."""
    only_for: Party | None = None
    sends: int = 0
    """How many sends this admission has paid for already, and `changes` how much else it did."""
    changes: int = 0
    shown: tuple[str, ...] = ()
    """The ends of what stands at the target: what is cut in two by two sends is checked as one (`sent`)."""
    spent: Spent = Spent()
    paused: bool = False


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The answer, with its reasons. Findings carry rule ids and places, never the matched text or party."""

    outcome: ReleaseOutcome
    reason: Reason
    audience: Audience
    topics: tuple[Topic, ...] = ()
    findings: tuple[Finding, ...] = ()
    steps: tuple[Step, ...] = ()
    """By which operations it leaves, when it does."""
    shadow: ReleaseOutcome | None = None
    """In shadow mode: what would have become of it; `reason` is the reason for that."""

    @property
    def sends(self) -> bool:
        """Whether the draft may leave."""
        return self.outcome is ReleaseOutcome.SEND

    @property
    def approvable(self) -> bool:
        """Whether an operator may let exactly this draft out."""
        return self.outcome is ReleaseOutcome.HOLD and self.reason in APPROVABLE


def in_shadow(decision: Decision, attempt: Attempt) -> Decision:
    """The decision beside a live bot: whatever can be performed goes out, and what was decided is told (spec 1 §7)."""
    if decision.reason in NOT_PERFORMABLE:
        return decision
    way = decision.steps or (Step(attempt.operation, attempt.draft.text, attempt.draft.parts),)
    return msgspec.structs.replace(decision, outcome=ReleaseOutcome.SEND, shadow=decision.outcome, steps=way)


def text_hash(text: str, parts: Parts = NOTHING) -> str:
    """The SHA-256 that an approval is bound to, in hex: of the text, or of text and parts when there are any."""
    said, body = text.encode("utf-8", "surrogatepass"), encoded(parts)
    if not body:
        return hashlib.sha256(said).hexdigest()
    return hashlib.sha256(b"dragoman-draft-v1\n%d\n" % len(said) + said + body).hexdigest()


def approval_grant(draft: Filed, id: str) -> Grant:
    """The one-use authority that an operator's approval makes: for exactly this text, at exactly this target."""
    return Grant(
        id=id,
        purpose=Purpose.APPROVAL,
        targets=frozenset({draft.target}),
        given_by=draft.operator,
        expires_at=draft.expires_at,
        max_total=1,
        text_sha256=draft.sha256,
    )


def release(attempt: Attempt, policy: Policy) -> Decision:
    """Decide one attempt. Never raises."""
    try:
        return _release(attempt, policy, policy.audience(attempt.target, attempt.presence.shared))
    except Exception:  # noqa: BLE001  spec 1 §1: an error in answering is a no
        return _deny(Reason.RULE_FAILED, Audience.EXTERNAL)


def _release(attempt: Attempt, policy: Policy, audience: Audience) -> Decision:
    way = _way_out(attempt)
    if isinstance(way, Decision):
        return msgspec.structs.replace(way, audience=audience)
    return msgspec.structs.replace(_judged(attempt, way, policy, audience), steps=way)


def _judged(attempt: Attempt, way: tuple[Step, ...], policy: Policy, audience: Audience) -> Decision:
    """Steps 1 to 6."""
    draft = attempt.draft
    said = passages(draft.text, draft.parts)
    ours = draft.output_class is OutputClass.SAFE_ERROR and draft.text.strip() in FIXED and not draft.parts
    if not _class_allowed(attempt, audience) or marked(said, policy.silence_token):
        return _deny(Reason.CLASS_NOT_ALLOWED, audience)
    if not ours and (found := stops(said)):
        return _deny(Reason.HARD_STOP, audience, found)
    if (held := _leaking(attempt, said, way, audience, policy)) is not None:
        return held
    if audience is Audience.EXTERNAL and not ours and not _approved(attempt):
        held = _kept_as_draft(attempt, said, policy)
        if held is not None:
            return held
    if (reason := undelivered(attempt, policy)) is not None:
        return _deny(reason, audience)
    return Decision(outcome=ReleaseOutcome.SEND, reason=Reason.RELEASED, audience=audience)


def _way_out(attempt: Attempt) -> tuple[Step, ...] | Decision:
    """Step 0: by which operations the draft would leave, or why it cannot."""
    if not attempt.target.known:
        return _deny(Reason.TARGET_INVALID)
    if attempt.operation not in attempt.operations:
        return _deny(Reason.UNDECLARED_OPERATION)
    if attempt.operation in CHANGING and attempt.edits is None:
        return _deny(Reason.TARGET_INVALID)
    if attempt.operation in POINTING and attempt.points_at is None:
        return _deny(Reason.TARGET_INVALID)
    if (attempt.operation is Operation.PRIVATE) != (attempt.only_for is not None and attempt.only_for.known):
        return _deny(Reason.TARGET_INVALID)
    if attempt.paused and not _answers_command(attempt):
        return _deny(Reason.PAUSED)
    if (wrong := fault(attempt.draft.parts)) is not None:
        return _deny(Reason.PART_INVALID, findings=(Finding(wrong[1], wrong[0]),))
    way = steps(attempt.draft, attempt.operation, attempt.operations)
    return _deny(way) if isinstance(way, Reason) else way


def _answers_command(attempt: Attempt) -> bool:
    """Whether this tells who paused or resumed the agent here what came of it; never seen outside (step 1)."""
    authority = attempt.authority
    commanded = isinstance(authority, Admission) and authority.command is not None
    return commanded and attempt.draft.output_class is OutputClass.OPERATIONAL


def _class_allowed(attempt: Attempt, audience: Audience) -> bool:
    """Step 1: a silent or deferred turn has no class at all, not even a safe error; typing and the like have one."""
    authority = attempt.authority
    if isinstance(authority, Admission) and not authority.responds:
        return False
    only = CLASS_OF.get(attempt.operation, attempt.draft.output_class)
    return attempt.draft.output_class is only and only in ALLOWED_CLASSES[audience]


def _leaking(
    attempt: Attempt, said: Said, way: tuple[Step, ...], audience: Audience, policy: Policy
) -> Decision | None:
    """Step 3: of the whole, across what was shown, and of each piece that it would be split into."""
    leaks = Leaks(attempt.target, audience, attempt.presence.shared, policy)
    if found := leaks.found(said, *attempt.shown):
        return _hold(Reason.LEAK_SUSPECTED, audience, findings=found)
    if found := links(said, attempt.draft.parts):
        return _hold(Reason.LINK_SUSPECTED, audience, findings=found)
    pieces = tuple(Passage("text", step.text) for step in way if step.text != attempt.draft.text)
    for piece in pieces:
        if (found := leaks.found((piece,))) or marked((piece,), policy.silence_token):
            return _hold(Reason.LEAK_SUSPECTED, audience, findings=found)
    return None


def _kept_as_draft(attempt: Attempt, said: Said, policy: Policy) -> Decision | None:
    """What an outsider gets only after an operator's approval: unread content, and steps 4 and 5."""
    held = tuple(sorted((attempt.draft.topics | topics(said) | _public_post(attempt, policy)) & policy.draft_only))
    unchecked = unread(attempt.draft.parts)
    if unchecked:
        found = tuple(Finding("content:unread", place) for place in unchecked)
        return _hold(Reason.UNCHECKED_CONTENT, Audience.EXTERNAL, topics=held, findings=found)
    if held:
        return _hold(Reason.DRAFT_ONLY_TOPIC, Audience.EXTERNAL, topics=held)
    if policy.at(attempt.target).draft_only:
        return _hold(Reason.DRAFT_ONLY_TARGET, Audience.EXTERNAL)
    unstated = claims(said, policy.records_at(attempt.target, attempt.now), attempt.now)
    if unstated:
        measured = any(finding.rule == ClaimKind.SPECIFICATION for finding in unstated)
        kinds = (Topic.UNMEASURED_SPECIFICATION, Topic.UNVERIFIED_CLAIM) if measured else (Topic.UNVERIFIED_CLAIM,)
        return _hold(Reason.UNVERIFIED_CLAIM, Audience.EXTERNAL, topics=kinds, findings=unstated)
    return None


def _public_post(attempt: Attempt, policy: Policy) -> frozenset[Topic]:
    """An unasked send to a public target is a public post; an answer there is none (spec 1 §11.8)."""
    authority = attempt.authority
    answers = isinstance(authority, Admission) and authority.answers is not None
    public = policy.at(attempt.target).public and not answers and attempt.operation in PAID
    return frozenset({Topic.PUBLIC_POST}) if public else frozenset()


def _approved(attempt: Attempt) -> bool:
    authority = attempt.authority
    return (
        isinstance(authority, Grant)
        and authority.purpose is Purpose.APPROVAL
        and authority.text_sha256 == text_hash(attempt.draft.text, attempt.draft.parts)
    )


def undelivered(attempt: Attempt, policy: Policy) -> Reason | None:
    """Step 6, Q4: why this may not be delivered to exactly this target now, or None."""
    authority = attempt.authority
    if authority is None:
        return Reason.NO_DELIVERY_AUTHORITY
    if isinstance(authority, Grant):
        if authority.purpose is Purpose.APPROVAL and not _approved(attempt):
            return Reason.APPROVAL_MISMATCH
        return covers(attempt.grant, attempt.target, authority.purpose, attempt.now, _unpaid(attempt))
    if not authority.responds:
        return Reason.NOT_ADMITTED
    if authority.target != attempt.target:
        return Reason.OTHER_TARGET
    if authority.policy_version != policy.version:
        return Reason.POLICY_CHANGED
    if attempt.only_for is not None and attempt.only_for != authority.author:
        return Reason.OTHER_TARGET
    if attempt.operation not in PAID and attempt.changes >= MOST_CHANGES:
        return Reason.ADMISSION_SPENT
    if authority.grant_id is not None:
        return _under_grant(attempt)
    if attempt.now >= authority.expires_at:
        return Reason.ADMISSION_EXPIRED
    spent = attempt.operation in PAID and attempt.sends >= authority.max_sends
    return Reason.ADMISSION_SPENT if spent else None


def _unpaid(attempt: Attempt) -> Spent:
    """What counts against the budget: an edit of a message that was paid for costs nothing more."""
    return attempt.spent if attempt.operation in PAID else Spent()


def _under_grant(attempt: Attempt) -> Reason | None:
    """An admission on a grant lives as long as the grant does; its turn was charged before the handler ran, so the
    N-th turn's reply may still go (spec 2 §3.1): an autonomy grant's own budgets are not asked again here."""
    grant = attempt.grant
    if grant is None:
        return Reason.GRANT_UNKNOWN
    spent = Spent() if grant.purpose is Purpose.AUTONOMY else _unpaid(attempt)
    return covers(grant, attempt.target, grant.purpose, attempt.now, spent)


def _deny(reason: Reason, audience: Audience = Audience.EXTERNAL, findings: tuple[Finding, ...] = ()) -> Decision:
    found = findings[:MOST_FINDINGS]
    return Decision(outcome=ReleaseOutcome.DENY, reason=reason, audience=audience, findings=found)


def _hold(
    reason: Reason, audience: Audience, *, topics: tuple[Topic, ...] = (), findings: tuple[Finding, ...] = ()
) -> Decision:
    found = findings[:MOST_FINDINGS]
    return Decision(outcome=ReleaseOutcome.HOLD, reason=reason, audience=audience, topics=topics, findings=found)
