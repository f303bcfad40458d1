"""How a packet is delivered so that delegated work stays reviewable (seed, loop step 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from dragoman.packets.envelope import at, says
from dragoman.packets.profiles import profile, shown
from dragoman.packets.rules.identity import ID
from dragoman.packets.rules.rule import Hit, Rule, Subject


def idempotency_key_missing(subject: Subject) -> Iterator[Hit]:
    """A repeated delivery can be recognised."""
    found = at(subject.packet, "delivery", "idempotency_key")
    if type(found) is not str or not ID.fullmatch(found):
        yield "/delivery/idempotency_key", "no well-formed idempotency key"


def fallback_missing(subject: Subject) -> Iterator[Hit]:
    """It is said what happens when no answer comes."""
    found = at(subject.packet, "delivery", "fallback_directive")
    if not says(found):
        yield "/delivery/fallback_directive", "no fallback directive"


def expected_output_unknown(subject: Subject) -> Iterable[Hit]:
    """The answer that is wanted has a profile that can be checked, or none is wanted."""
    found = subject.delivery.get("expected_output_schema")
    if type(found) is str and profile(found) is None:
        return [("/delivery/expected_output_schema", "names no profile of this registry")]
    return ()


def retry_contradicts_policy(subject: Subject) -> Iterable[Hit]:
    """`never` and a number of repeats cannot both hold."""
    retries = subject.delivery.get("retry_count")
    if type(retries) is int and retries > 0 and subject.delivery.get("retry_policy") == "never":
        return [("/delivery/retry_count", "repeats are counted although the policy is `never`")]
    return ()


def number_not_integer(subject: Subject) -> Iterable[Hit]:
    """Numbers outside `extensions` are integers and are written as such, also where `2.0` would equal one."""
    return () if subject.plain else _floats(subject)


def _floats(subject: Subject) -> Iterator[Hit]:
    waiting: list[tuple[tuple[str | int, ...], Any]] = [
        ((name,), item) for name, item in subject.packet.items() if name != "extensions"
    ]
    while waiting:
        path, node = waiting.pop()
        if type(node) is float:
            yield shown(path), "is written as a float where only integers are used"
        elif type(node) is dict:
            waiting.extend(((*path, key), item) for key, item in node.items())
        elif type(node) is list:
            waiting.extend(((*path, index), item) for index, item in enumerate(node))


RULES: Final = (
    Rule(
        id="idempotency_key_missing",
        reason="Without a key a retry may act twice.",
        fix="give one key per delivery and repeat it on every retry",
        check=idempotency_key_missing,
        proven=True,
    ),
    Rule(
        id="fallback_missing",
        reason="A fallback directive makes delegated work reviewable when nobody answers.",
        fix="say what to do when no answer comes, such as `stop and ask the operator`",
        check=fallback_missing,
        proven=True,
    ),
    Rule(
        id="expected_output_unknown",
        reason="An expected output that nobody can check is no expectation.",
        fix="name a profile of `dragoman packet profiles`, or null",
        check=expected_output_unknown,
    ),
    Rule(
        id="retry_contradicts_policy",
        reason="Retry posture is stated so that it can be reviewed; a contradiction cannot.",
        fix="set `retry_count` to 0 or `retry_policy` to `same_key`",
        check=retry_contradicts_policy,
    ),
    Rule(
        id="number_not_integer",
        reason="Two programs may write one float in two ways, and the checksum would differ.",
        fix="write a whole number without fraction or exponent",
        check=number_not_integer,
    ),
)
