"""The shape of the policy file: every key with its type and default, and nothing else (docs/reference/policy.md).

1. Unknown keys are errors; an empty list means nobody, a missing one "no such restriction".
2. Every key has a consumer in the gate; a key of a part that is not built does not exist yet.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from dragoman.gate.policy import Language
from dragoman.words import Audience, Topic


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the file: unknown keys are errors."""


class TargetEntry(_Strict, frozen=True, kw_only=True):
    """`[[targets]]`: what holds at one exact target."""

    platform: str
    workspace: str
    channel: str
    audience: Audience
    access: Literal["allow", "deny"] = "allow"
    counterparty: str | None = None
    counterparties: tuple[str, ...] = ()
    require_mention: bool = True
    open_question_responses: bool = False
    operator_messages_are_requests: bool = False
    edits_may_request: bool = False
    allowed_senders: tuple[str, ...] | None = None
    takeover_seconds: int = 0
    language: Language | None = None
    public: bool = False
    autonomy: Literal["auto", "draft_only"] | None = None
    never_silent_ack: bool = False
    observe_unmentioned_group_messages: bool = False
    observation_seconds: int | None = None
    observation_access: Literal["agent", "operators"] | None = None


class PartyEntry(_Strict, frozen=True, kw_only=True):
    """`[[operators]]`: one trusted account that may command the agent and approve drafts."""

    platform: str
    workspace: str
    id: str


class CounterpartyEntry(_Strict, frozen=True, kw_only=True):
    """`[[counterparties]]`: an outside organisation and the terms that only its own targets may see."""

    id: str
    terms: tuple[str, ...] = ()
    terms_file: str | None = None


class TargetName(_Strict, frozen=True, kw_only=True):
    """An exact target inside another entry."""

    platform: str
    workspace: str
    channel: str


class GrantEntry(_Strict, frozen=True, kw_only=True):
    """`[[grants]]`: bounded authority; autonomy grants come from the receiver's configuration instead."""

    id: str
    purpose: Literal["schedule", "bot", "handover"]
    targets: tuple[TargetName, ...]
    given_by: str
    expires_at: str
    not_before: str | None = None
    admits: str | None = None
    max_total: int | None = None
    max_per_target: int | None = None
    max_per_day: int | None = None


class RecordEntry(_Strict, frozen=True, kw_only=True):
    """`[[records]]`: facts that the operator authorises for one counterparty or one target, until they expire."""

    facts: tuple[str, ...]
    counterparty: str | None = None
    target: TargetName | None = None
    expires_at: str | None = None


class PolicyFile(_Strict, frozen=True, kw_only=True):
    """The whole file. Durations are in seconds; `version` is the version of this format."""

    version: Literal[1]
    mode: Literal["enforce", "shadow"] = "enforce"
    autonomy: Literal["auto", "draft_only"] = "auto"
    unknown_targets: Literal["closed", "explicit_requests"] = "closed"
    language: Language = "en"
    silence_token: str = "NO_REPLY"  # noqa: S105  a word, not a secret
    freshness_seconds: int = 900
    admission_seconds: int = 900
    admission_sends: int = 8
    draft_seconds: int = 86_400
    burst_quiet_seconds: float = 1.5
    burst_cap_seconds: float = 10.0
    agent_names: tuple[str, ...] = ()
    command_prefixes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    draft_only: tuple[Topic, ...] = tuple(Topic)
    denied_senders: tuple[str, ...] = ()
    targets: tuple[TargetEntry, ...] = ()
    operators: tuple[PartyEntry, ...] = ()
    counterparties: tuple[CounterpartyEntry, ...] = ()
    grants: tuple[GrantEntry, ...] = ()
    records: tuple[RecordEntry, ...] = ()
