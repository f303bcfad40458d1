"""The closed vocabularies of the house: every code that a decision, a row or a packet can carry.

One word per idea (see `docs/glossary.md`). A member's value is what stands on the wire, in the ledger and in
`--json`; values are stable. Nothing here decides anything.
"""

from __future__ import annotations

from enum import StrEnum


class Word(StrEnum):
    """A member of a closed vocabulary; hashed as its text, so that a decision can be looked up by its facts."""

    __hash__ = str.__hash__


class Audience(Word):
    """Who is listening there (spec 1 §1, Q1)."""

    EXTERNAL = "external"
    INTERNAL = "internal"
    OPERATOR = "operator"


class Outcome(Word):
    """Were we asked (spec 1 §3, Q2). `REJECTED` is a pre-policy result and never counted as silence."""

    RESPOND = "respond"
    SILENT = "silent"
    DEFER = "defer"
    REJECTED = "rejected"


class OutputClass(Word):
    """What kind of content a draft is, from birth (spec 1 §4)."""

    FINAL = "final"
    SAFE_ERROR = "safe_error"
    OPERATIONAL = "operational"
    PROGRESS = "progress"
    REASONING = "reasoning"
    INTERNALS = "internals"
    SECRET = "secret"  # noqa: S105
    PATH = "path"


class ReleaseOutcome(Word):
    """May this content go out (spec 1 §1, Q3)."""

    SEND = "send"
    REPLACE = "replace"
    HOLD = "hold"
    DENY = "deny"


class Reason(Word):
    """Why a decision fell as it did: of admission first, of release after (spec 1 §3, §4, §6)."""

    # rejected: no decidable event
    AUTH_FAILED = "auth_failed"
    DUPLICATE = "duplicate"
    SELF_ECHO = "self_echo"
    NOT_A_MESSAGE = "not_a_message"
    EDIT_NOT_A_REQUEST = "edit_not_a_request"
    STALE = "stale"
    # silent
    PAUSED = "paused"
    HUMAN_TAKEOVER = "human_takeover"
    INVALID_FACTS = "invalid_facts"
    SYNTHETIC_WITHOUT_TARGET = "synthetic_without_target"
    ACCESS_DENIED = "access_denied"
    SYNTHETIC_WITHOUT_GRANT = "synthetic_without_grant"
    BOT_WITHOUT_GRANT = "bot_without_grant"
    ADDRESSED_TO_OTHER = "addressed_to_other"
    NOT_REQUESTED = "not_requested"
    RULE_FAILED = "rule_failed"
    POLICY_BROKEN = "policy_broken"
    # respond
    OPERATOR_COMMAND = "operator_command"
    OPERATOR_REQUESTED = "operator_requested"
    AGENT_MENTIONED = "agent_mentioned"
    AGENT_COMMAND = "agent_command"
    REPLY_TO_AGENT = "reply_to_agent"
    DIRECT_MESSAGE = "direct_message"
    OPEN_QUESTION = "open_question"
    OPERATOR_MESSAGE = "operator_message"
    MENTION_NOT_REQUIRED = "mention_not_required"
    # defer
    ATTACHMENT_BURST = "attachment_burst"
    # release: send
    RELEASED = "released"
    # release: replace
    TURN_FAILED = "turn_failed"
    # release: deny
    CLASS_NOT_ALLOWED = "class_not_allowed"
    NOT_ADMITTED = "not_admitted"
    HARD_STOP = "hard_stop"
    UNDECLARED_OPERATION = "undeclared_operation"
    TARGET_INVALID = "target_invalid"
    NO_DELIVERY_AUTHORITY = "no_delivery_authority"
    ADMISSION_EXPIRED = "admission_expired"
    ADMISSION_SPENT = "admission_spent"
    POLICY_CHANGED = "policy_changed"
    LOOKS_ON = "looks_on"
    UNGATED_SEND = "ungated_send"
    OTHER_TARGET = "other_target"
    GRANT_UNKNOWN = "grant_unknown"
    GRANT_EXPIRED = "grant_expired"
    GRANT_NOT_YET = "grant_not_yet"
    GRANT_SPENT = "grant_spent"
    GRANT_OTHER_TARGET = "grant_other_target"
    GRANT_OTHER_PURPOSE = "grant_other_purpose"
    APPROVAL_MISMATCH = "approval_mismatch"
    TOO_LONG = "too_long"
    EMPTY_TEXT = "empty_text"
    PART_NOT_CARRIED = "part_not_carried"
    PART_INVALID = "part_invalid"
    # release: hold
    LEAK_SUSPECTED = "leak_suspected"
    DRAFT_ONLY_TOPIC = "draft_only_topic"
    DRAFT_ONLY_TARGET = "draft_only_target"
    UNVERIFIED_CLAIM = "unverified_claim"
    UNCHECKED_CONTENT = "unchecked_content"
    LINK_SUSPECTED = "link_suspected"
    NOT_IMPLEMENTED = "not_implemented"


class Topic(Word):
    """What stays a draft until an operator approves it (spec 1 §4 step 4)."""

    PRICES = "prices"
    COMMITMENTS = "commitments"
    CONTRACT_LANGUAGE = "contract_language"
    LEGAL = "legal"
    PUBLIC_POST = "public_post"
    UNVERIFIED_CLAIM = "unverified_claim"
    UNMEASURED_SPECIFICATION = "unmeasured_specification"


class HardStop(Word):
    """What is denied on every target and never liftable in band (spec 1 §4 step 2)."""

    SIGNING = "signing"
    MOVING_MONEY = "moving_money"
    ENTERING_CREDENTIALS = "entering_credentials"
    PUBLISHING_PACKAGES = "publishing_packages"
    CROSS_COUNTERPARTY_DISCLOSURE = "cross_counterparty_disclosure"


class Fact(Word):
    """A fact that a platform may leave open; `UNKNOWN` is never a yes."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class SendKey(Word):
    """Whether the platform de-duplicates a repeated send (spec 1 §6)."""

    NATIVE = "native"
    NONE = "none"


class SendState(Word):
    """The life of one outgoing row in the ledger (spec 1 §1, spec 2 §2)."""

    SAVED = "saved"
    SENDING = "sending"
    SENT = "sent"
    UNCERTAIN = "uncertain"
    HELD = "held"
    DENIED = "denied"
    STOPPED = "stopped"


class DraftState(Word):
    """The life of a filed draft (spec 1 §4)."""

    FILED = "filed"
    APPROVED = "approved"
    CLAIMED = "claimed"
    DELIVERED = "delivered"
    UNCERTAIN = "uncertain"
    REJECTED = "rejected"
    EXPIRED = "expired"


class DeliveryState(Word):
    """Where one conversation stands on the hub, as one of its roles sees it (spec 2 §1, §3.12)."""

    AWAITING_LOCAL = "awaiting_local"
    PROCESSING = "processing"
    WAITING_OWNER = "waiting_owner"
    AWAITING_PEER_PICKUP = "awaiting_peer_pickup"
    PEER_PROCESSING = "peer_processing"
    AWAITING_PEER_REPLY = "awaiting_peer_reply"
    PEER_WAITING_OWNER = "peer_waiting_owner"
    REPLY_LIMITED = "reply_limited"
    COMPLETED = "completed"
    CLOSED = "closed"


class NotificationState(Word):
    """The life of one notification to the owner (spec 2 §2, §3.10)."""

    QUEUED = "queued"
    SENDING = "sending"
    DELIVERED = "delivered"
    UNCERTAIN = "uncertain"
    FAILED = "failed"
    LOCAL_ONLY = "local_only"


class Milestone(Word):
    """Why the owner is told (spec 2 §3.10)."""

    DECISION_NEEDED = "decision_needed"
    COMPLETED = "completed"
    LIMIT_HIT = "limit_hit"
    WAIT_REMINDER = "wait_reminder"
    TRADE = "trade"
    RESULT = "result"
    PROBE = "probe"


class StopReason(Word):
    """Why a task stands still (spec 2 §2)."""

    GRANT_EXPIRED = "grant_expired"
    TURN_LIMIT = "turn_limit"
    DAILY_LIMIT = "daily_limit"
    WAITING_OWNER = "waiting_owner"
    COMPLETED = "completed"
    GRANT_CHANGED = "grant_changed"
    GENERATION_CHANGED = "generation_changed"
    REPLY_LIMITED = "reply_limited"
    NOT_IN_SCOPE = "not_in_scope"
    CONTACT_CLOSED = "contact_closed"
    UNCERTAIN_SEND = "uncertain_send"


class Action(Word):
    """What a handler answers (spec 2 §2)."""

    REPLY = "reply"
    WAITING_OWNER = "waiting_owner"
    COMPLETED = "completed"
    NO_REPLY = "no_reply"


class Purpose(Word):
    """What a grant is for; a grant of one purpose answers no question of another (spec 1 §11.1)."""

    SCHEDULE = "schedule"
    BOT = "bot"
    AUTONOMY = "autonomy"
    HANDOVER = "handover"
    APPROVAL = "approval"
    NOTIFICATION = "notification"


class LifePoint(Word):
    """The arrows of one message's life, in order (spec 2 §2); a crash test kills at each."""

    LEASED = "leased"
    DEDUPED = "deduped"
    ADMITTED = "admitted"
    CHARGED = "charged"
    HANDLED = "handled"
    SAVED = "saved"
    RECHECKED = "rechecked"
    RELEASED = "released"
    SENDING = "sending"
    POSTED = "posted"
    SENT = "sent"
    ACKED = "acked"
