"""The operator's policy, compiled: what holds at a target, who is trusted, which grants and facts stand (spec 1 §1-§6).

1. Only an entry for an exact target raises trust; everything not listed is external, and so is everything shared.
2. A broken policy file gives `BROKEN`: external and silent everywhere (DESIGN §6).
3. Grants and facts come from the operator's files and command line only; `with_grants` never changes what an id means.

`policy_file.py` makes a `Policy` from TOML; nothing here reads a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, Protocol

import msgspec

from dragoman.errors import DragomanError
from dragoman.grants import Grant
from dragoman.identity import Party, Target
from dragoman.leaks import Guard, Terms
from dragoman.words import Audience, Fact, Topic

if TYPE_CHECKING:
    from dragoman.gate.records import Record

Language = Literal["en", "zh"]


class Observes(msgspec.Struct, frozen=True):
    """How long observed text is kept (milliseconds), and who may read it."""

    retention_ms: int
    readers: Literal["agent", "operators"]


class TargetPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """What holds at one target, compiled."""

    audience: Audience = Audience.EXTERNAL
    listed: bool = False
    denied: bool = False
    owners: frozenset[str] = frozenset()
    require_mention: bool = True
    open_question: bool = False
    operator_messages: bool = False
    edits_may_request: bool = False
    allowed_senders: frozenset[Party] | None = None
    takeover_ms: int = 0
    language: Language = "en"
    public: bool = False
    draft_only: bool = False
    """Every answer here stays a draft until approved; a tier lowers, it never raises (spec 1 §4 step 4)."""
    acknowledges: bool = False
    """A short acknowledgement after `respond`; internal targets only."""
    observes: Observes | None = None
    """What is kept of group messages that nobody addressed to the agent; None keeps nothing."""


class TargetRecord(msgspec.Struct, frozen=True):
    """One authorisation record with its expiry (epoch milliseconds)."""

    facts: tuple[str, ...]
    expires_at: int | None


class TermSource(msgspec.Struct, frozen=True):
    """One counterparty's terms as they were given: in the policy itself, and as a file."""

    inline: tuple[str, ...] = ()
    file: bytes = b""

    def terms(self) -> list[str]:
        """Every term, unpadded; empty lines of the file are none."""
        return [*self.inline, *(line for each in self.file.decode().splitlines() if (line := each.strip()))]


class Policy(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The compiled policy. `version` names this exact text; it is part of every admission and every draft's epoch."""

    version: str
    broken: bool = False
    mode: Literal["enforce", "shadow"] = "enforce"
    unknown_targets: str = "closed"
    language: Language = "en"
    silence_token: str = "NO_REPLY"  # noqa: S105  a word, not a secret
    freshness_ms: int = 900_000
    admission_ms: int = 900_000
    admission_sends: int = 8
    draft_ms: int = 86_400_000
    burst_quiet_ms: int = 1_500
    burst_cap_ms: int = 10_000
    agent_names: frozenset[str] = frozenset()
    command_prefixes: tuple[str, ...] = ()
    commands: frozenset[str] = frozenset()
    draft_only: frozenset[Topic] = frozenset(Topic)
    draft_only_everywhere: bool = False
    denied_senders: frozenset[Party] = frozenset()
    targets: Mapping[Target, TargetPolicy] = {}
    operators: frozenset[Party] = frozenset()
    guard: Guard = Guard(Terms({}))
    """The leak check over this policy's terms, compiled once."""
    term_sources: Mapping[str, TermSource] = {}
    """Where the terms came from, by counterparty; the next policy compiles the difference."""
    grants: Mapping[str, Grant] = {}
    target_records: Mapping[Target, tuple[TargetRecord, ...]] = {}
    owner_records: Mapping[str, tuple[TargetRecord, ...]] = {}

    @cached_property
    def _default(self) -> TargetPolicy:
        return TargetPolicy(language=self.language, draft_only=self.draft_only_everywhere)

    def at(self, target: Target) -> TargetPolicy:
        """What holds at `target`; an unlisted or unknown target gets the external default."""
        return self.targets.get(target, self._default)

    @cached_property
    def _grants_by_target(self) -> dict[Target, tuple[Grant, ...]]:
        found: dict[Target, tuple[Grant, ...]] = {}
        for grant in self.grants.values():
            for target in grant.targets:
                found[target] = (*found.get(target, ()), grant)
        return found

    def grants_at(self, target: Target) -> tuple[Grant, ...]:
        """Every grant that names `target`."""
        return self._grants_by_target.get(target, ())

    def audience(self, target: Target, shared: Fact) -> Audience:
        """Q1. Raised trust needs a listed target and proof that no outsider is in it (spec 1 §2)."""
        if self.broken or not target.known or shared is not Fact.NO:
            return Audience.EXTERNAL
        return self.at(target).audience

    def epoch(self, audience: Audience) -> str:
        """What an approval is bound to besides the text: policy version + the target's audience."""
        return f"{self.version}:{audience}"

    def records_at(self, target: Target, now: int) -> Record:
        """The facts that may be stated at `target` now: its own and those of its one counterparty."""
        here = self.at(target)
        rows = list(self.target_records.get(target, ()))
        if len(here.owners) == 1:
            rows += self.owner_records.get(next(iter(here.owners)), ())
        facts = tuple(fact for row in rows if row.expires_at is None or now < row.expires_at for fact in row.facts)
        compiled: dict[tuple[str, ...], Record] = self.__dict__.setdefault("_compiled_records", {})
        if facts not in compiled:
            from dragoman.gate.records import (
                compile_record,  # a tenth of a second of patterns, for who reads texts only
            )

            compiled[facts] = compile_record(facts)
        return compiled[facts]

    def with_grants(self, grants: Iterable[Grant]) -> Policy:
        """The same policy with more grants (the receiver's autonomy, an approval); an id never changes its meaning."""
        merged = dict(self.grants)
        for grant in grants:
            if merged.get(grant.id, grant) != grant:
                raise DragomanError("grant_changed", "two grants with one id", where=grant.id, fix="use a new grant id")
            merged[grant.id] = grant
        return msgspec.structs.replace(self, grants=merged)


class PolicySource(Protocol):
    """Where the policy that holds now comes from, such as a file that is looked at again."""

    @property
    def refused(self) -> DragomanError | None:
        """Why what the operator wrote last is not in force, or None."""
        ...

    def current(self) -> Policy:
        """The policy that holds now; never raises."""
        ...


BROKEN: Final = Policy(version="broken", broken=True)
