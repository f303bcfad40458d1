"""Entries that change nothing: what can never match, has ended, or is overruled by another entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dragoman.clock import parse_rfc3339
from dragoman.gate.policy_keys import TargetEntry
from dragoman.gate.workbench.lint.rule import Hit, Look, Rule, Severity, given, oper, party, place, rule
from dragoman.identity import Party, parse_party
from dragoman.words import Purpose

_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
_GRANT_WITH_NO_TARGETS: Final = given("targets = []")
_ACME_FACTS: Final = '[[records]]\ncounterparty = "acme"\nfacts = ["Open on 6 October 2026."]\n'


@rule(
    _WARNING,
    "A grant without targets covers nothing.",
    "name its targets, or remove it",
    hit=_GRANT_WITH_NO_TARGETS,
    miss=place() + given(),
)
def grant_without_targets(look: Look) -> Iterator[Hit]:
    """A grant that names no target."""
    for index, entry in enumerate(look.file.grants):
        if not entry.targets:
            yield f"grants[{index}].targets", "the list is empty"


@rule(
    _WARNING,
    "A grant that has ended admits and delivers nothing.",
    "remove it, or give a new grant with a new id",
    hit=place() + given(until="2020-01-01T00:00:00Z"),
    miss=place() + given(),
)
def grant_expired(look: Look) -> Iterator[Hit]:
    """A grant whose end is past."""
    for index, entry in enumerate(look.file.grants):
        if parse_rfc3339(entry.expires_at) <= look.now:
            yield f"grants[{index}].expires_at", f"ended {entry.expires_at}"


@rule(
    _WARNING,
    "A grant that ends before it begins never holds.",
    "set `not_before` before `expires_at`",
    hit=place() + given('not_before = "2027-06-01T00:00:00Z"', until="2027-01-01T00:00:00Z"),
    miss=place() + given('not_before = "2026-06-01T00:00:00Z"'),
)
def grant_never_valid(look: Look) -> Iterator[Hit]:
    """A grant whose span is empty."""
    for index, entry in enumerate(look.file.grants):
        if entry.not_before is not None and parse_rfc3339(entry.not_before) >= parse_rfc3339(entry.expires_at):
            yield f"grants[{index}].not_before", f"begins {entry.not_before}, ends {entry.expires_at}"


@rule(
    _WARNING,
    "A smaller budget of the same grant ends it first, so the larger one never counts.",
    "lower it, or leave it out",
    hit=place() + given("max_total = 3\nmax_per_day = 5"),
    miss=place() + given("max_total = 12\nmax_per_day = 2"),
)
def grant_budget_beyond_total(look: Look) -> Iterator[Hit]:
    """A partial budget above the whole one."""
    for index, entry in enumerate(look.file.grants):
        for name in ("max_per_target", "max_per_day"):
            part = getattr(entry, name)
            if entry.max_total is not None and part is not None and part > entry.max_total:
                yield f"grants[{index}].{name}", f"{part} is more than `max_total`, {entry.max_total}"


@rule(
    _WARNING,
    "An explicit deny always wins: the grant does nothing at a denied target.",
    "remove the target from the grant, or allow the target",
    hit=place(more='access = "deny"') + given(),
    miss=place() + given(),
)
def grant_at_denied_target(look: Look) -> Iterator[Hit]:
    """A grant for a target whose access is denied."""
    for index, entry in enumerate(look.file.grants):
        for target in look.policy.grants[entry.id].targets:
            if look.policy.at(target).denied:
                yield f"grants[{index}].targets", f"`{target}` is denied"


@rule(
    _WARNING,
    "A bot grant admits its bot only where the target lets that bot in.",
    "list the target and put the bot into its `allowed_senders`, or remove the grant",
    hit=given('purpose = "bot"\nadmits = "matrix/@desk:x.example/@bot:y.example"'),
    miss=place() + given('purpose = "bot"\nadmits = "matrix/@desk:x.example/@bot:y.example"'),
)
def bot_grant_out_of_reach(look: Look) -> Iterator[Hit]:
    """A bot that platform access stops before its grant is looked at."""
    for index, entry in enumerate(look.file.grants):
        grant = look.policy.grants[entry.id]
        if grant.purpose is not Purpose.BOT:
            continue
        for target in sorted(grant.targets, key=str):
            here = look.policy.at(target)
            if not here.listed and look.closed:
                yield f"grants[{index}].targets", f"`{target}` is not listed, and unknown targets are closed"
            elif here.allowed_senders is not None and grant.admits not in here.allowed_senders:
                yield f"grants[{index}].admits", f"not among the allowed senders of `{target}`"
            elif grant.admits is not None and grant.admits.platform != target.platform:
                yield f"grants[{index}].admits", f"is on `{grant.admits.platform}`, the target on `{target.platform}`"


@rule(
    _WARNING,
    "A record that has ended authorises no fact; what it stated is held as unverified.",
    "renew it or remove it",
    hit=place(more='counterparty = "acme"') + party() + _ACME_FACTS + 'expires_at = "2020-01-01T00:00:00Z"\n',
    miss=place(more='counterparty = "acme"') + party() + _ACME_FACTS + 'expires_at = "2030-01-01T00:00:00Z"\n',
)
def record_expired(look: Look) -> Iterator[Hit]:
    """A record whose end is past."""
    for index, entry in enumerate(look.file.records):
        if entry.expires_at is not None and parse_rfc3339(entry.expires_at) <= look.now:
            yield f"records[{index}].expires_at", f"ended {entry.expires_at}"


@rule(
    _WARNING,
    "A record without facts authorises nothing.",
    "add its facts, or remove it",
    hit=place(more='counterparty = "acme"') + party() + '[[records]]\ncounterparty = "acme"\nfacts = []\n',
    miss=place(more='counterparty = "acme"') + party() + _ACME_FACTS,
)
def record_empty(look: Look) -> Iterator[Hit]:
    """A record that states nothing."""
    for index, entry in enumerate(look.file.records):
        if not any(fact.strip() for fact in entry.facts):
            yield f"records[{index}].facts", "no fact in it"


@rule(
    _WARNING,
    "A counterparty's record holds only at targets that have this one counterparty and no other.",
    "give a target `counterparty`, or write the record for that target",
    hit=party() + _ACME_FACTS,
    miss=place(more='counterparty = "acme"') + party() + _ACME_FACTS,
)
def record_without_target(look: Look) -> Iterator[Hit]:
    """A record that no target reads."""
    alone = {next(iter(here.owners)) for here in look.policy.targets.values() if len(here.owners) == 1}
    for index, entry in enumerate(look.file.records):
        if entry.counterparty is not None and entry.counterparty not in alone:
            yield f"records[{index}].counterparty", f"no target has `{entry.counterparty}` as its only counterparty"


@rule(
    _WARNING,
    "A counterparty without targets and without terms guards and allows nothing.",
    "give it terms, name it at a target, or remove it",
    hit=party(),
    miss=place(more='counterparty = "acme"') + party(),
)
def counterparty_unused(look: Look) -> Iterator[Hit]:
    """A counterparty that nothing refers to."""
    used = {owner for here in look.policy.targets.values() for owner in here.owners}
    for index, entry in enumerate(look.file.counterparties):
        if entry.id not in used and not entry.terms and entry.terms_file is None:
            yield f"counterparties[{index}]", f"`{entry.id}` has neither targets nor terms"


@rule(
    _WARNING,
    "An operator is known by the account on a platform where we listen; elsewhere nobody hears them.",
    "list a target on that platform, or remove the operator",
    hit=place() + '[[operators]]\nplatform = "slack"\nworkspace = "T0A1"\nid = "U0A1"\n',
    miss=place() + oper(),
)
def operator_out_of_reach(look: Look) -> Iterator[Hit]:
    """An operator on a platform without targets."""
    for index, entry in enumerate(look.file.operators):
        if entry.platform not in look.platforms and look.closed:
            yield f"operators[{index}].platform", f"no target on `{entry.platform}`"


@rule(
    _ERROR,
    "A denied sender stays denied: allowing them as well does nothing.",
    "remove one of the two",
    hit='denied_senders = ["matrix/@desk:x.example/@mal:y.example"]\n'
    + place(more='allowed_senders = ["matrix/@desk:x.example/@mal:y.example"]'),
    miss='denied_senders = ["matrix/@desk:x.example/@mal:y.example"]\n'
    + place(more='allowed_senders = ["matrix/@desk:x.example/@kim:y.example"]'),
)
def denied_and_allowed(look: Look) -> Iterator[Hit]:
    """A sender in both lists."""
    for where, entry in look.targets():
        for number, sender in _allowed(entry):
            if sender in look.policy.denied_senders:
                yield f"{where}.allowed_senders[{number}]", "is in `denied_senders` too"


@rule(
    _ERROR,
    "A denied operator can neither command the agent nor approve a draft from a chat.",
    "remove one of the two",
    hit='denied_senders = ["matrix/@desk:x.example/@olga:x.example"]\n' + place() + oper(),
    miss='denied_senders = ["matrix/@desk:x.example/@mal:y.example"]\n' + place() + oper(),
)
def operator_denied(look: Look) -> Iterator[Hit]:
    """An operator among the denied senders."""
    for index, entry in enumerate(look.file.operators):
        if Party(entry.platform, entry.workspace, entry.id) in look.policy.denied_senders:
            yield f"operators[{index}]", "is in `denied_senders` too"


@rule(
    _WARNING,
    "A sender is compared whole: an account of another platform never writes at this target.",
    "write the account as `platform/workspace/id` of the target's own platform",
    hit=place(more='allowed_senders = ["slack/T0A1/U0A1"]'),
    miss=place(more='allowed_senders = ["matrix/@desk:x.example/@kim:y.example"]'),
)
def sender_of_other_platform(look: Look) -> Iterator[Hit]:
    """An allowed sender that can never appear there."""
    for where, entry in look.targets():
        for number, sender in _allowed(entry):
            if sender.platform != entry.platform:
                yield f"{where}.allowed_senders[{number}]", f"is on `{sender.platform}`"


@rule(
    _WARNING,
    "An empty `allowed_senders` is nobody: no person is answered here, whatever else the entry says.",
    "name the senders, remove the key for everyone, or deny the target",
    hit=place(more="allowed_senders = []\nrequire_mention = false"),
    miss=place(more='access = "deny"'),
)
def nobody_allowed(look: Look) -> Iterator[Hit]:
    """A target that is allowed and lets nobody in."""
    for where, entry in look.targets():
        if entry.allowed_senders == () and entry.access == "allow":
            yield f"{where}.allowed_senders", "the list is empty"


_OPENERS: Final = ("open_question_responses", "operator_messages_are_requests", "edits_may_request", "allowed_senders")


@rule(
    _WARNING,
    "An explicit deny always wins: other keys of a denied target do nothing.",
    "remove them, or allow the target",
    hit=place(more='access = "deny"\nrequire_mention = false'),
    miss=place(more='access = "deny"'),
)
def denied_with_settings(look: Look) -> Iterator[Hit]:
    """A denied target that also says who may ask."""
    for where, entry in look.targets():
        if entry.access != "deny":
            continue
        keys = [key for key in _OPENERS if getattr(entry, key)] + ([] if entry.require_mention else ["require_mention"])
        for key in keys:
            yield f"{where}.{key}", "the target is denied"


@rule(
    _NOTE,
    "Where no mention is required any text of a person is a request, so the narrower keys add nothing.",
    "keep one of them",
    hit=place(more="require_mention = false\nopen_question_responses = true"),
    miss=place(more="open_question_responses = true"),
)
def narrower_ground_shadowed(look: Look) -> Iterator[Hit]:
    """A ground that a broader one swallows."""
    for where, entry in look.targets():
        for key in ("open_question_responses", "operator_messages_are_requests"):
            if not entry.require_mention and entry.access == "allow" and getattr(entry, key):
                yield f"{where}.{key}", "`require_mention = false` stands beside it"


@rule(
    _WARNING,
    "A tier only lowers: a target cannot raise what the file has lowered.",
    "remove it, or set the file's `autonomy` to `auto` and lower the other targets",
    hit='autonomy = "draft_only"\n' + place(more='autonomy = "auto"'),
    miss=place(more='autonomy = "draft_only"'),
)
def tier_cannot_raise(look: Look) -> Iterator[Hit]:
    """`auto` at a target under a file-wide `draft_only`."""
    for where, entry in look.targets():
        if entry.autonomy == "auto" and look.file.autonomy == "draft_only":
            yield f"{where}.autonomy", 'the file says `autonomy = "draft_only"`'


@rule(
    _NOTE,
    "A command is recognised by a prefix, or where the platform marks it; Matrix, e-mail and others mark none.",
    "add `command_prefixes`, or remove `commands`",
    hit='commands = ["help"]\n' + place(),
    miss='commands = ["help"]\ncommand_prefixes = ["/"]\n' + place(),
)
def commands_without_prefix(look: Look) -> Iterator[Hit]:
    """Commands that nothing starts."""
    marked = {"telegram", "discord", "slack"}
    if look.file.commands and not look.file.command_prefixes and not look.platforms & marked:
        yield "commands", "no prefix is configured, and no platform here marks commands"


def _allowed(entry: TargetEntry) -> Iterator[tuple[int, Party]]:
    return ((number, parse_party(text)) for number, text in enumerate(entry.allowed_senders or ()))


RULES: Final[tuple[Rule, ...]] = (
    grant_without_targets,
    grant_expired,
    grant_never_valid,
    grant_budget_beyond_total,
    grant_at_denied_target,
    bot_grant_out_of_reach,
    record_expired,
    record_empty,
    record_without_target,
    counterparty_unused,
    operator_out_of_reach,
    denied_and_allowed,
    operator_denied,
    sender_of_other_platform,
    nobody_allowed,
    denied_with_settings,
    narrower_ground_shadowed,
    tier_cannot_raise,
    commands_without_prefix,
)
