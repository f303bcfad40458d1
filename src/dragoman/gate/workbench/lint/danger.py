"""Entries that do exactly what they say, and open more than an owner may have meant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dragoman.clock import DAY, parse_rfc3339
from dragoman.gate.workbench.lint.rule import Hit, Look, Rule, Severity, given, oper, party, place, rule
from dragoman.words import Audience, Topic

_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
_HOUR: Final = 3_600


@rule(
    _WARNING,
    "Every text of any outsider here starts a model call and an answer.",
    "leave `require_mention` at true, or name `allowed_senders`",
    hit=place(more="require_mention = false"),
    miss=place(more='require_mention = false\nallowed_senders = ["matrix/@desk:x.example/@kim:y.example"]'),
)
def mention_off_external(look: Look) -> Iterator[Hit]:
    """No mention required at an external target that is open to everyone."""
    for where, entry in look.external():
        if not entry.require_mention and entry.allowed_senders is None and entry.access == "allow":
            yield f"{where}.require_mention", "anybody there may start a turn without addressing the agent"


@rule(
    _WARNING,
    "An open question is answered only where the place is trusted; here a stranger's question to the room counts.",
    "remove it, or name `allowed_senders`",
    hit=place(more="open_question_responses = true"),
    miss=place("internal", "open_question_responses = true"),
)
def open_question_untrusted(look: Look) -> Iterator[Hit]:
    """Open questions at an external target that is open to everyone."""
    for where, entry in look.external():
        if entry.open_question_responses and entry.allowed_senders is None and entry.access == "allow":
            yield f"{where}.open_question_responses", "anybody there may ask the room"


@rule(
    _WARNING,
    "Places that nobody listed may start the agent's own commands.",
    'set `unknown_targets = "closed"`, or remove `commands`',
    hit='unknown_targets = "explicit_requests"\ncommands = ["help"]\ncommand_prefixes = ["/"]\n',
    miss='unknown_targets = "explicit_requests"\n',
)
def unknown_targets_with_commands(look: Look) -> Iterator[Hit]:
    """Unlisted targets and commands together."""
    if not look.closed and look.file.commands:
        yield "unknown_targets", f"{len(look.file.commands)} commands can be given from anywhere"


@rule(
    _WARNING,
    "A long admission lets an answer out long after the question, when the talk has moved on.",
    "use an hour or less",
    hit="admission_seconds = 86400\n",
    miss="admission_seconds = 1800\n",
)
def admission_long(look: Look) -> Iterator[Hit]:
    """An admission of more than an hour."""
    if look.file.admission_seconds > _HOUR:
        yield "admission_seconds", f"{look.file.admission_seconds} seconds"


@rule(
    _WARNING,
    "One question pays for every message of its answer; so many are a flood.",
    "use 20 or fewer",
    hit="admission_sends = 500\n",
    miss="admission_sends = 8\n",
)
def admission_sends_many(look: Look) -> Iterator[Hit]:
    """Many sends for one admission."""
    if look.file.admission_sends > 20:
        yield "admission_sends", str(look.file.admission_sends)


@rule(
    _WARNING,
    "After an outage the agent would answer messages this old.",
    "use a day or less",
    hit="freshness_seconds = 604800\n",
    miss="freshness_seconds = 900\n",
)
def freshness_long(look: Look) -> Iterator[Hit]:
    """A freshness window of more than a day."""
    if look.file.freshness_seconds > 24 * _HOUR:
        yield "freshness_seconds", f"{look.file.freshness_seconds} seconds"


@rule(
    _WARNING,
    "An old draft may be approved after its facts have changed.",
    "use a week or less",
    hit="draft_seconds = 2592000\n",
    miss="draft_seconds = 86400\n",
)
def draft_long(look: Look) -> Iterator[Hit]:
    """Drafts that live for more than a week."""
    if look.file.draft_seconds > 7 * 24 * _HOUR:
        yield "draft_seconds", f"{look.file.draft_seconds} seconds"


@rule(
    _ERROR,
    "With no topic left as a draft, prices, commitments and legal text go out unseen.",
    "remove the key: every topic stays a draft",
    hit="draft_only = []\n",
    miss='autonomy = "draft_only"\ndraft_only = []\n',
)
def draft_only_emptied(look: Look) -> Iterator[Hit]:
    """No topic is held, and answers go out by themselves."""
    if not look.file.draft_only and look.file.autonomy == "auto":
        yield "draft_only", "the list is empty"


@rule(
    _WARNING,
    "A topic that is not listed goes out without the owner having seen it.",
    "add it, or remove the key: every topic stays a draft",
    hit='draft_only = ["prices"]\n',
    miss='unknown_targets = "closed"\n',
)
def draft_only_shortened(look: Look) -> Iterator[Hit]:
    """Some topics are no longer held."""
    missing = [topic for topic in Topic if topic not in look.file.draft_only]
    if missing and look.file.draft_only and look.file.autonomy == "auto":
        yield "draft_only", f"not in it: {', '.join(missing)}"


@rule(
    _ERROR,
    "Shadow mode decides and writes down, and blocks nothing.",
    'set `mode = "enforce"` when the trial is over',
    hit='mode = "shadow"\n',
    miss='mode = "enforce"\n',
)
def nothing_blocked(look: Look) -> Iterator[Hit]:
    """The gate only watches."""
    if look.file.mode == "shadow":
        yield "mode", "`shadow`"


@rule(
    _WARNING,
    "Authority without any budget can be used without end until it expires; two bots can feed each other.",
    "set `max_total` or `max_per_day`",
    hit=place()
    + given('purpose = "bot"\nadmits = "matrix/@desk:x.example/@bot:y.example"\nmax_per_target = 5').replace(
        "max_per_target = 5\n", ""
    ),
    miss=place() + given("max_per_day = 2"),
)
def grant_without_budget(look: Look) -> Iterator[Hit]:
    """A grant without a whole or daily limit."""
    for index, entry in enumerate(look.file.grants):
        if entry.max_total is None and entry.max_per_day is None and entry.max_per_target is None:
            yield f"grants[{index}]", f"`{entry.id}` has no budget"


@rule(
    _WARNING,
    "Authority that lasts for years outlives what its giver had in mind.",
    "end it within a year, and give it anew",
    hit=place() + given(until="2090-01-01T00:00:00Z"),
    miss=place() + given(),
)
def grant_long(look: Look) -> Iterator[Hit]:
    """A grant that ends more than a year from now."""
    for index, entry in enumerate(look.file.grants):
        if parse_rfc3339(entry.expires_at) - look.now > 366 * DAY:
            yield f"grants[{index}].expires_at", f"ends {entry.expires_at}"


@rule(
    _WARNING,
    "An answer that happens to be this word is swallowed as silence.",
    "use a token that nobody writes, such as `NO_REPLY`",
    hit='silence_token = "No"\n',
    miss='silence_token = "NO_REPLY"\n',
)
def silence_token_ordinary(look: Look) -> Iterator[Hit]:
    """A silence token that is a likely answer."""
    token = look.file.silence_token
    if len(token) < 5 or (token.isalpha() and token == token.lower()):
        yield "silence_token", "short, or an ordinary word"


@rule(
    _WARNING,
    "Other people's words are kept longer than a request needs them.",
    "use 30 days or less",
    hit=place(
        more='observe_unmentioned_group_messages = true\nobservation_seconds = 31536000\nobservation_access = "agent"'
    ),
    miss=place(
        more='observe_unmentioned_group_messages = true\nobservation_seconds = 86400\nobservation_access = "agent"'
    ),
)
def observation_long(look: Look) -> Iterator[Hit]:
    """Observed text kept for more than 30 days."""
    for where, entry in look.targets():
        if (entry.observation_seconds or 0) > 30 * 24 * _HOUR:
            yield f"{where}.observation_seconds", f"{entry.observation_seconds} seconds"


@rule(
    _NOTE,
    "Without operators nobody can stop the agent or approve a draft from a chat; the command line still can.",
    "add an [[operators]] entry",
    hit=place(),
    miss=place() + oper(),
)
def no_operators(look: Look) -> Iterator[Hit]:
    """Targets, and no operator."""
    if look.file.targets and not look.file.operators:
        yield "operators", "the table is missing"


@rule(
    _NOTE,
    "Without a counterparty or a record of its own, every date, amount and quantity said here is filed as unverified.",
    "name its counterparty, or write a record for the target",
    hit=place(),
    miss=place(more='counterparty = "acme"') + party(),
)
def external_without_counterparty(look: Look) -> Iterator[Hit]:
    """An external target that has no facts to state."""
    for where, entry in look.external():
        own = {(r.target.platform, r.target.workspace, r.target.channel) for r in look.file.records if r.target}
        here = (entry.platform, entry.workspace, entry.channel)
        if entry.access == "allow" and not (entry.counterparty or entry.counterparties) and here not in own:
            yield where, "it has no counterparty and no record"


@rule(
    _WARNING,
    "Anybody can read this place: a record or answer meant for one counterparty is published.",
    "use a place that only they can read",
    hit=place(more='public = true\ncounterparty = "acme"') + party(),
    miss=place(more="public = true"),
)
def public_with_counterparty(look: Look) -> Iterator[Hit]:
    """A counterparty's target that anybody reads."""
    for where, entry in look.targets():
        if entry.public and entry.audience is Audience.EXTERNAL and (entry.counterparty or entry.counterparties):
            yield f"{where}.public", "it has a counterparty"


RULES: Final[tuple[Rule, ...]] = (
    mention_off_external,
    open_question_untrusted,
    unknown_targets_with_commands,
    admission_long,
    admission_sends_many,
    freshness_long,
    draft_long,
    draft_only_emptied,
    draft_only_shortened,
    nothing_blocked,
    grant_without_budget,
    grant_long,
    silence_token_ordinary,
    observation_long,
    no_operators,
    external_without_counterparty,
    public_with_counterparty,
)
