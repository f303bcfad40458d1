"""What would another policy have decided? The journal's events, decided once more (spec 1 §9). Pure.

1. The policy's identities, grants and commands are replaced by the pseudonyms that the journal knows them by; then the
   same rules decide that decide live (`admit.judged`). There is no second copy of a rule.
2. Each record is decided as it came: what was seen, paused, spent and waiting then counts, not what this policy would
   have made of it. A grant that was not at that target then counts as unspent.
3. What a record cannot answer is `not_replayable`, with why; never a guess. Outputs are: the journal holds no text.

Sends nothing, charges nothing, changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol

import msgspec

from dragoman.gate.admit import judged
from dragoman.gate.policy import Policy, TargetPolicy
from dragoman.gate.remembered import (
    Names,
    NotReplayable,
    Remembered,
    command_name,
    event_of,
    grant_name,
    names_name,
    prefixes_name,
    sign_name,
    standing_of,
)
from dragoman.gate.weigh import CONTROL_COMMANDS
from dragoman.grants import Grant
from dragoman.identity import NOBODY, UNKNOWN, Party, Target
from dragoman.words import Reason

NOT_REPLAYABLE: Final = "not_replayable"

Pseudonym = Callable[[Target | Party | str], str]
"""The journal's keyed pseudonym of an identity or a name, such as `LedgerJournal.pseudonym`."""


class Record(Protocol):
    """What is read of a journal record; `target` and `author` are pseudonyms or empty."""

    @property
    def correlation_id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def outcome(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def time(self) -> int: ...
    @property
    def consumer(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def author(self) -> str: ...
    @property
    def facts(self) -> Mapping[str, str]: ...


class Replayed(msgspec.Struct, frozen=True):
    """One decision under both policies. `after` is `not_replayable` where `reason_after` says why not."""

    correlation_id: str
    before: str
    after: str
    reason_before: str
    reason_after: str

    @property
    def changed(self) -> bool:
        """Whether the other policy decides otherwise, or for another reason."""
        return self.after != NOT_REPLAYABLE and (self.before, self.reason_before) != (self.after, self.reason_after)


def replayed(records: Iterable[Record], policy: Policy, pseudonym: Pseudonym) -> list[Replayed]:
    """Every event of `records` under `policy`, in order; outputs are told as `not_replayable`, other records left out.

    `policy` is the whole one that would run: with the receiver's autonomy grant, if there is one.
    """
    hidden, names = pseudonymous(policy, pseudonym), _names(policy, pseudonym)
    found = []
    for record in records:
        if record.kind in ("event", "output"):
            after, why = _decided(record, hidden, names)
            found.append(Replayed(record.correlation_id, record.outcome, after, record.reason, why))
    return found


def pseudonymous(policy: Policy, pseudonym: Pseudonym) -> Policy:
    """The same policy over the journal's pseudonyms."""

    def at(target: Target) -> Target:
        return _place(target.platform, pseudonym(target))

    def by(party: Party) -> Party:
        return _account(pseudonym(party))

    def of(here: TargetPolicy) -> TargetPolicy:
        allowed = here.allowed_senders
        return msgspec.structs.replace(here, allowed_senders=None if allowed is None else frozenset(map(by, allowed)))

    def under(grant: Grant) -> Grant:
        return msgspec.structs.replace(
            grant,
            id=pseudonym(grant_name(grant.id)),
            targets=frozenset(map(at, grant.targets)),
            admits=None if grant.admits is None else by(grant.admits),
        )

    commands = {name if name in CONTROL_COMMANDS else pseudonym(command_name(name)) for name in policy.commands}
    return msgspec.structs.replace(
        policy,
        targets={at(target): of(here) for target, here in policy.targets.items()},
        operators=frozenset(map(by, policy.operators)),
        denied_senders=frozenset(map(by, policy.denied_senders)),
        commands=frozenset(commands),
        grants={grant.id: grant for grant in map(under, policy.grants.values())},
    )


def _names(policy: Policy, pseudonym: Pseudonym) -> Names:
    return Names(
        names=pseudonym(names_name(policy)),
        prefixes=pseudonym(prefixes_name(policy)),
        signs=frozenset(pseudonym(sign_name(prefix)) for prefix in policy.command_prefixes if prefix),
    )


def _decided(record: Record, policy: Policy, names: Names) -> tuple[str, str]:
    if record.kind != "event":
        return NOT_REPLAYABLE, "text_needed"
    if record.reason == Reason.RULE_FAILED:
        return NOT_REPLAYABLE, "rule_failed"
    platform = record.consumer.removesuffix(".receive")
    try:
        event = event_of(
            record.facts,
            record.time,
            _place(platform, record.target) if record.target else UNKNOWN,
            _account(record.author) if record.author else NOBODY,
        )
        judgement = judged(
            event,
            policy,
            policy.at(event.target),
            standing_of(record.facts, record.time),
            Remembered(record.facts, names),
        )
    except NotReplayable as error:
        return NOT_REPLAYABLE, str(error)
    return str(judgement.outcome), str(judgement.reason)


def _place(platform: str, mark: str) -> Target:
    """A stand-in under its own platform, for which some rules ask."""
    return Target(platform, "", mark)


def _account(mark: str) -> Party:
    return Party("-", "", mark)
