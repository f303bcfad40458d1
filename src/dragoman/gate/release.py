"""Q3 and Q4: may this finished text go out, and may it go there now? (spec 1 §4, §6)

Asked of every send, edit and stream piece, on the text as it would leave, in this order; the first no decides:

    0  the operation is declared, the target is known, the agent is not paused here, the text fits
    1  class against the audience of the target at this moment; the marker of silence inside a text has none
    2  hard stops: denied on every target, never liftable (our own fixed sentences alone are not asked 2, 4 and 5)
    3  leak check: secrets, paths, traces and internal hosts everywhere, other counterparties' terms at external targets
    4  topics that stay drafts (external): ruled from the text, or declared by the handler; lifted by an approval only
    5  authorisation record (external): dates, amounts, quantities, specifications; lifted by an approval only
    6  delivery: the live admission of the event that is answered, or a grant

Nothing here edits a text to make it pass. An error in a check is a no (`rule_failed`, deny). A hold is told to the
operator, never to the counterparty. What is not built yet is held as `not_implemented`, never sent.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

import msgspec

from dragoman.gate.admit import ALLOWED_CLASSES, Admission
from dragoman.gate.policy import Policy
from dragoman.gate.ports import Draft, Filed, Operation, OperationSpec, Presence
from dragoman.gate.records import unverified
from dragoman.gate.sentences import FIXED
from dragoman.gate.topics import hard_stops_in, topics_in
from dragoman.grants import Grant, Spent, covers
from dragoman.identity import Target
from dragoman.leaks import Hit
from dragoman.words import Audience, Fact, OutputClass, Purpose, Reason, ReleaseOutcome, Topic

APPROVABLE: Final = frozenset({Reason.DRAFT_ONLY_TOPIC, Reason.UNVERIFIED_CLAIM})
"""The holds that an operator's approval lifts; a leak is never one of them (spec 1 §11.7)."""


NOT_PERFORMABLE: Final = frozenset({Reason.TARGET_INVALID, Reason.UNDECLARED_OPERATION, Reason.EMPTY_TEXT})
"""What no adapter could carry out, in shadow mode either."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One draft at the door: what, where to, by which authority, and what is known at this moment."""

    draft: Draft
    target: Target
    operation: Operation
    spec: OperationSpec | None
    """The adapter's row for this operation; None means undeclared."""
    authority: Admission | Grant | None
    grant: Grant | None
    """The grant as the policy holds it now, for an authority that quotes one."""
    presence: Presence
    now: int
    edits_nothing: bool = False
    """An edit that does not say what it replaces."""
    sends: int = 0
    """How many sends this admission has paid for already."""
    shown: str = ""
    """The end of what this admission has shown already: what is cut in two by two sends is checked as one."""
    spent: Spent = Spent()
    paused: bool = False


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The answer, with its reasons. Findings carry rule ids and positions, never the matched text or party."""

    outcome: ReleaseOutcome
    reason: Reason
    audience: Audience
    topics: tuple[Topic, ...] = ()
    findings: tuple[str, ...] = ()
    shadow: ReleaseOutcome | None = None
    """In shadow mode: what would have become of it; `reason` is the reason for that."""

    @property
    def sends(self) -> bool:
        """Whether the text may leave."""
        return self.outcome is ReleaseOutcome.SEND

    @property
    def approvable(self) -> bool:
        """Whether an operator may let exactly this text out."""
        return self.outcome is ReleaseOutcome.HOLD and self.reason in APPROVABLE


def in_shadow(decision: Decision) -> Decision:
    """The decision beside a live bot: whatever can be performed goes out, and what was decided is told (spec 1 §7)."""
    if decision.reason in NOT_PERFORMABLE:
        return decision
    return msgspec.structs.replace(decision, outcome=ReleaseOutcome.SEND, shadow=decision.outcome)


def text_hash(text: str) -> str:
    """The SHA-256 that an approval is bound to, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


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
    draft = attempt.draft
    if (reason := _undeliverable(attempt)) is not None:
        return _deny(reason, audience)
    if draft.attachments:
        return _hold(Reason.NOT_IMPLEMENTED, audience)
    if not _class_allowed(attempt, audience) or _marked(draft.text, policy.silence_token):
        return _deny(Reason.CLASS_NOT_ALLOWED, audience)
    ours = draft.output_class is OutputClass.SAFE_ERROR and draft.text.strip() in FIXED
    if not ours and (stops := hard_stops_in(draft.text)):
        return _deny(Reason.HARD_STOP, audience, tuple(sorted(stops)))
    if hits := _leaks(attempt, audience, policy):
        return _hold(Reason.LEAK_SUSPECTED, audience, findings=tuple(f"{h.rule}@{h.start}-{h.end}" for h in hits))
    if audience is Audience.EXTERNAL and not _approved(attempt) and not ours:
        topics = (draft.topics | topics_in(draft.text)) & policy.draft_only
        if topics:
            return _hold(Reason.DRAFT_ONLY_TOPIC, audience, topics=tuple(sorted(topics)))
        claims = unverified(draft.text, policy.records_at(attempt.target, attempt.now), attempt.now)
        if claims:
            found = tuple(f"{claim.kind}@{claim.start}-{claim.end}" for claim in claims)
            return _hold(Reason.UNVERIFIED_CLAIM, audience, topics=(Topic.UNVERIFIED_CLAIM,), findings=found)
    if (reason := undelivered(attempt, policy)) is not None:
        return _deny(reason, audience)
    return Decision(outcome=ReleaseOutcome.SEND, reason=Reason.RELEASED, audience=audience)


def _undeliverable(attempt: Attempt) -> Reason | None:
    """Step 0."""
    if not attempt.target.known:
        return Reason.TARGET_INVALID
    if attempt.spec is None:
        return Reason.UNDECLARED_OPERATION
    if attempt.edits_nothing:
        return Reason.TARGET_INVALID
    if attempt.paused and not _answers_command(attempt):
        return Reason.PAUSED
    if attempt.spec.carries_text and not attempt.draft.text.strip():
        return Reason.EMPTY_TEXT
    if len(attempt.draft.text) > attempt.spec.max_length:
        return Reason.TOO_LONG
    return None


def _answers_command(attempt: Attempt) -> bool:
    """Whether this tells who paused or resumed the agent here what came of it; never seen outside (step 1)."""
    authority = attempt.authority
    commanded = isinstance(authority, Admission) and authority.command is not None
    return commanded and attempt.draft.output_class is OutputClass.OPERATIONAL


def _class_allowed(attempt: Attempt, audience: Audience) -> bool:
    """Step 1: a silent or deferred turn has no class at all, not even a safe error."""
    authority = attempt.authority
    if isinstance(authority, Admission) and not authority.responds:
        return False
    return attempt.draft.output_class in ALLOWED_CLASSES[audience]


def _marked(text: str, token: str) -> bool:
    """Whether the marker of silence stands in the text: it is ours, no word for anybody outside (spec 1 §3)."""
    return token in text and re.search(rf"(?<![A-Za-z0-9]){re.escape(token)}(?![A-Za-z0-9])", text) is not None


def _leaks(attempt: Attempt, audience: Audience, policy: Policy) -> tuple[Hit, ...]:
    """The leaks of the text itself, else those that begin in what was shown and end in it; places are of the text."""
    text, shown = attempt.draft.text, attempt.shown
    hits = leaks(text, attempt.target, audience, attempt.presence, policy)
    if hits or not shown:
        return hits
    for joint in ("", "\n"):  # a word may be cut, or the line may end there
        start = len(shown) + len(joint)
        across = [
            Hit(0, hit.end - start, hit.kind, hit.rule)
            for hit in leaks(shown + joint + text, attempt.target, audience, attempt.presence, policy)
            if hit.start < len(shown) and hit.end > start
        ]
        if across:
            return tuple(across)
    return ()


def leaks(text: str, target: Target, audience: Audience, presence: Presence, policy: Policy) -> tuple[Hit, ...]:
    """Step 3. A term may go only where every counterparty present owns it; unknown company owns nothing."""
    external = audience is Audience.EXTERNAL
    owners = policy.at(target).owners if presence.shared is not Fact.UNKNOWN else frozenset()
    if len(owners) < 2:
        return policy.guard.scan(text, owners, terms=external)
    hits = {hit for owner in owners for hit in policy.guard.scan(text, frozenset({owner}), terms=external)}
    return tuple(sorted(hits, key=lambda hit: (hit.start, hit.end, hit.rule)))


def _approved(attempt: Attempt) -> bool:
    authority = attempt.authority
    return (
        isinstance(authority, Grant)
        and authority.purpose is Purpose.APPROVAL
        and authority.text_sha256 == text_hash(attempt.draft.text)
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
    if authority.grant_id is not None:
        return _under_grant(attempt)
    if attempt.now >= authority.expires_at:
        return Reason.ADMISSION_EXPIRED
    fresh = attempt.operation is Operation.SEND
    return Reason.ADMISSION_SPENT if fresh and attempt.sends >= authority.max_sends else None


def _unpaid(attempt: Attempt) -> Spent:
    """What counts against the budget: an edit of a message that was paid for costs nothing more."""
    return attempt.spent if attempt.operation is Operation.SEND else Spent()


def _under_grant(attempt: Attempt) -> Reason | None:
    """An admission on a grant lives as long as the grant does; its turn was charged before the handler ran, so the
    N-th turn's reply may still go (spec 2 §3.1): an autonomy grant's own budgets are not asked again here."""
    grant = attempt.grant
    if grant is None:
        return Reason.GRANT_UNKNOWN
    spent = Spent() if grant.purpose is Purpose.AUTONOMY else _unpaid(attempt)
    return covers(grant, attempt.target, grant.purpose, attempt.now, spent)


def _deny(reason: Reason, audience: Audience, findings: tuple[str, ...] = ()) -> Decision:
    return Decision(outcome=ReleaseOutcome.DENY, reason=reason, audience=audience, findings=findings)


def _hold(
    reason: Reason, audience: Audience, *, topics: tuple[Topic, ...] = (), findings: tuple[str, ...] = ()
) -> Decision:
    return Decision(outcome=ReleaseOutcome.HOLD, reason=reason, audience=audience, topics=topics, findings=findings)
