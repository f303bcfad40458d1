"""The six base profiles: what their own bodies promise to each other (reference: extra policy of the base validator).

Their shapes are in the schemas. Here stands what a schema cannot say: what was accepted names its task, a refusal says
why, counts add up, and an error's code means the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from dragoman.packets.envelope import list_at
from dragoman.packets.profiles import profile
from dragoman.packets.rules.rule import Hit, Rule, Subject
from dragoman.packets.verdict import Severity

RESPONSE: Final = "uai.intent.response.v1"
STATEMENT: Final = "uai.capability.statement.v1"
ERROR: Final = "uai.error.v1"
CONFORMANCE: Final = "uai.conformance.result.v1"

_COUNTS: Final = ("total", "passed", "failed", "skipped")
ERROR_CODES: Final[dict[str, str]] = {
    "packet_invalid": "the packet fails its schema or the rules",
    "packet_expired": "the packet came after its expiry",
    "profile_unsupported": "no packet of this profile is read here",
    "signature_invalid": "the packet is not signed by a key that counts here",
    "idempotency_conflict": "the key was used for another body",
    "correlation_unknown": "no such conversation is known here",
    "not_authenticated": "the caller did not prove who it is",
    "not_allowed": "the caller may not do this here",
    "not_found": "there is no such thing here",
    "out_of_scope": "this is outside of what was granted",
    "review_required": "a person must decide first",
    "too_large": "the input is larger than what is read here",
    "rate_limited": "too many requests; see when to come back",
    "timed_out": "the work was not done in time",
    "unavailable": "the service cannot work at the moment",
    "internal": "the service failed; what happened is known to its operator",
}
"""The codes of `uai.error.v1`; a code of one's own begins with `x_`."""


def response_without_task(subject: Subject) -> Iterable[Hit]:
    """What was accepted names the task under which more is said."""
    if subject.body.get("status") == "accepted" and type(subject.body.get("task_ref")) is not str:
        return [("/body/task_ref", "names no task although the request was accepted for later")]
    return ()


def refusal_without_notice(subject: Subject) -> Iterable[Hit]:
    """A refusal or a delay says why."""
    if subject.body.get("status") in ("rejected", "deferred") and not list_at(subject.body, "notices"):
        return [("/body/notices", "says no reason although the request was refused or put off")]
    return ()


def capability_profile_unknown(subject: Subject) -> Iterator[Hit]:
    """A profile that a statement names can be looked up here."""
    for number, named in enumerate(list_at(subject.body, "supported_profiles")):
        if type(named) is str and profile(named) is None:
            yield f"/body/supported_profiles/{number}", "names a profile that this registry does not hold"


def error_code_unknown(subject: Subject) -> Iterable[Hit]:
    """The code of an error is one of the registry, or is marked as the sender's own."""
    code = subject.body.get("code")
    if type(code) is str and code not in ERROR_CODES and not code.startswith("x_"):
        return [("/body/code", "is no code of the registry and not marked as one's own by `x_`")]
    return ()


def conformance_sum_wrong(subject: Subject) -> Iterable[Hit]:
    """Passed, failed and skipped add up to the total; failures stand where some are counted, and only there."""
    summary = subject.body.get("summary")
    total, passed, failed, skipped = map(summary.get, _COUNTS) if type(summary) is dict else _COUNTS
    if not (type(total) is type(passed) is type(failed) is type(skipped) is int):
        return ()
    found = []
    if passed + failed + skipped != total:
        found.append(("/body/summary/total", "is not the sum of passed, failed and skipped"))
    if bool(failed or skipped) is not bool(list_at(subject.body, "failures")):
        found.append(("/body/failures", "does not agree with the counts"))
    return found


RULES: Final = (
    Rule(
        id="response_without_task",
        reason="Accepted is not done: without a task nobody can follow what became of it.",
        fix="name the task in `task_ref`",
        check=response_without_task,
        profiles=frozenset({RESPONSE}),
    ),
    Rule(
        id="refusal_without_notice",
        reason="A refusal without a reason cannot be reviewed.",
        fix="say why in `notices`",
        check=refusal_without_notice,
        profiles=frozenset({RESPONSE}),
    ),
    Rule(
        id="capability_profile_unknown",
        reason="A capability that nobody can look up cannot be relied on.",
        fix="name a profile of `dragoman packet profiles`, or accept that others cannot check it",
        check=capability_profile_unknown,
        severity=Severity.WARNING,
        profiles=frozenset({STATEMENT}),
    ),
    Rule(
        id="error_code_unknown",
        reason="Typed errors are of use only if a code means the same everywhere.",
        fix="use a code of `dragoman packet registry`, or begin your own with `x_`",
        check=error_code_unknown,
        profiles=frozenset({ERROR}),
    ),
    Rule(
        id="conformance_sum_wrong",
        reason="A result whose counts do not add up is no evidence.",
        fix="count again; every vector is passed, failed or skipped",
        check=conformance_sum_wrong,
        profiles=frozenset({CONFORMANCE}),
    ),
)
