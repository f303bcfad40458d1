"""Entries that contradict each other or the place they stand at: they load, and cannot do what they say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dragoman.gate.workbench.lint.rule import Hit, Look, Rule, Severity, oper, party, place, rule
from dragoman.words import Audience

_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
MARKS_EDITED_MENTIONS: Final = frozenset({"matrix", "memory"})
"""Platforms that say which mentions an edit has newly added."""


@rule(
    _WARNING,
    "An edit counts only where the platform marks newly added mentions, which only Matrix does.",
    "remove `edits_may_request` here",
    hit='[[targets]]\nplatform = "slack"\nworkspace = "T0A1"\nchannel = "C0A1"\naudience = "external"\n'
    "edits_may_request = true\n",
    miss=place(more="edits_may_request = true"),
)
def edits_not_marked(look: Look) -> Iterator[Hit]:
    """Edits as requests where no edit can be one."""
    for where, entry in look.targets():
        if entry.edits_may_request and entry.platform not in MARKS_EDITED_MENTIONS:
            yield f"{where}.edits_may_request", f"`{entry.platform}` does not mark new mentions in an edit"


@rule(
    _WARNING,
    "A takeover begins when an operator writes; without an operator on this platform it never does.",
    "add the colleague under [[operators]], or remove `takeover_seconds`",
    hit=place(more="takeover_seconds = 600"),
    miss=place(more="takeover_seconds = 600") + oper(),
)
def takeover_without_operators(look: Look) -> Iterator[Hit]:
    """A takeover that nobody can begin."""
    for where, entry in look.targets():
        if entry.takeover_seconds and not look.operators_on(entry.platform):
            yield f"{where}.takeover_seconds", f"no operator on `{entry.platform}`"


@rule(
    _ERROR,
    "A target that anybody can read is not internal: progress and operational facts would be public.",
    "make it external, or remove `public`",
    hit=place("internal", "public = true"),
    miss=place(more="public = true"),
)
def trusted_and_public(look: Look) -> Iterator[Hit]:
    """Raised trust where anybody reads."""
    for where, entry in look.trusted():
        if entry.public:
            yield f"{where}.public", f"the audience is `{entry.audience}`"


@rule(
    _WARNING,
    "The owner's own place needs no passive record: what is said there is said to the agent or to nobody.",
    "remove the observation keys here",
    hit=place(
        "operator",
        'observe_unmentioned_group_messages = true\nobservation_seconds = 3600\nobservation_access = "agent"',
    ),
    miss=place(
        "internal",
        'observe_unmentioned_group_messages = true\nobservation_seconds = 3600\nobservation_access = "agent"',
    ),
)
def operator_target_observed(look: Look) -> Iterator[Hit]:
    """Observation at an operator target."""
    for where, entry in look.targets():
        if entry.audience is Audience.OPERATOR and entry.observe_unmentioned_group_messages:
            yield f"{where}.observe_unmentioned_group_messages", "the audience is `operator`"


@rule(
    _NOTE,
    "Where no mention is required nearly every message is answered, so little is left to observe.",
    "keep one of them",
    hit=place(
        more="require_mention = false\nobserve_unmentioned_group_messages = true\nobservation_seconds = 60\n"
        'observation_access = "agent"'
    ),
    miss=place(
        more='observe_unmentioned_group_messages = true\nobservation_seconds = 60\nobservation_access = "agent"'
    ),
)
def observed_and_answered(look: Look) -> Iterator[Hit]:
    """Observation where every text is a request."""
    for where, entry in look.targets():
        if entry.observe_unmentioned_group_messages and not entry.require_mention:
            yield f"{where}.observe_unmentioned_group_messages", "`require_mention = false` stands beside it"


@rule(
    _ERROR,
    "An operator's plain text is a request on internal and operator targets only; here the key does nothing.",
    "remove it; an operator may still mention the agent",
    hit=place(more="operator_messages_are_requests = true") + oper(),
    miss=place("internal", "operator_messages_are_requests = true") + oper(),
)
def operator_messages_outside(look: Look) -> Iterator[Hit]:
    """Operators' messages as requests at an external target."""
    for where, entry in look.external():
        if entry.operator_messages_are_requests:
            yield f"{where}.operator_messages_are_requests", "the audience is `external`"


@rule(
    _WARNING,
    "Nobody's messages are an operator's where no operator has an account.",
    "add an [[operators]] entry on this platform, or remove the key",
    hit=place("internal", "operator_messages_are_requests = true"),
    miss=place("internal", "operator_messages_are_requests = true") + oper(),
)
def operator_messages_of_nobody(look: Look) -> Iterator[Hit]:
    """Operators' messages as requests without operators."""
    for where, entry in look.trusted():
        if entry.operator_messages_are_requests and not look.operators_on(entry.platform):
            yield f"{where}.operator_messages_are_requests", f"no operator on `{entry.platform}`"


@rule(
    _ERROR,
    "A counterparty's place is external: as internal its people would read progress and operational facts.",
    "make it external, or remove the counterparty",
    hit=place("internal", 'counterparty = "acme"') + party(),
    miss=place(more='counterparty = "acme"') + party(),
)
def trusted_with_counterparty(look: Look) -> Iterator[Hit]:
    """Raised trust at a counterparty's target."""
    for where, entry in look.trusted():
        if entry.counterparty or entry.counterparties:
            key = "counterparty" if entry.counterparty else "counterparties"
            yield f"{where}.{key}", f"the audience is `{entry.audience}`"


@rule(
    _ERROR,
    "The agent's own account never counts as somebody else: such an operator or sender is never heard.",
    "name the person's own account",
    hit=place() + oper("@desk:x.example"),
    miss=place() + oper(),
)
def agent_as_person(look: Look) -> Iterator[Hit]:
    """The agent's account in the place of a person's."""
    for index, entry in enumerate(look.file.operators):
        if entry.id == entry.workspace:
            yield f"operators[{index}].id", "is the agent's own account"
    for where, place_ in look.targets():
        for number, text in enumerate(place_.allowed_senders or ()):
            if text.count("/") == 2 and text.split("/")[1] == text.split("/")[2]:
                yield f"{where}.allowed_senders[{number}]", "is the agent's own account"


RULES: Final[tuple[Rule, ...]] = (
    edits_not_marked,
    takeover_without_operators,
    trusted_and_public,
    operator_target_observed,
    observed_and_answered,
    operator_messages_outside,
    operator_messages_of_nobody,
    trusted_with_counterparty,
    agent_as_person,
)
