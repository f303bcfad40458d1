"""The forms that a law of admission can take, the walk that looks for breaches, and the words laws are written in.

- a law of the door: `(door, verdict)`, where the verdict is None when the door lets the event pass to the question;
- a law of the question: `(asked, verdict)`, for an event that passed the door;
- a law of change: one fact is turned from a value into another, and the two verdicts are compared.

Nothing is imported from the code that is judged: facts are read by their names, and compared with words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from dragoman.words import Outcome, Reason

Facts = Any
Verdict = tuple[Outcome, Reason]

REASONS: Final[dict[Outcome, frozenset[Reason]]] = {
    Outcome.REJECTED: frozenset(
        {Reason.AUTH_FAILED, Reason.DUPLICATE, Reason.SELF_ECHO, Reason.NOT_A_MESSAGE}
        | {Reason.EDIT_NOT_A_REQUEST, Reason.STALE}
    ),
    Outcome.SILENT: frozenset(
        {Reason.PAUSED, Reason.HUMAN_TAKEOVER, Reason.INVALID_FACTS, Reason.SYNTHETIC_WITHOUT_TARGET}
        | {Reason.ACCESS_DENIED, Reason.SYNTHETIC_WITHOUT_GRANT, Reason.BOT_WITHOUT_GRANT}
        | {Reason.ADDRESSED_TO_OTHER, Reason.NOT_REQUESTED}
    ),
    Outcome.RESPOND: frozenset(
        {Reason.OPERATOR_COMMAND, Reason.OPERATOR_REQUESTED, Reason.AGENT_MENTIONED, Reason.AGENT_COMMAND}
        | {Reason.REPLY_TO_AGENT, Reason.DIRECT_MESSAGE, Reason.OPEN_QUESTION, Reason.OPERATOR_MESSAGE}
        | {Reason.MENTION_NOT_REQUIRED}
    ),
    Outcome.DEFER: frozenset({Reason.ATTACHMENT_BURST}),
}
"""The reasons that a decision over facts can give; `rule_failed` and `policy_broken` come before there are facts."""

DOOR_REASONS: Final = REASONS[Outcome.REJECTED] | (
    REASONS[Outcome.SILENT] - {Reason.ADDRESSED_TO_OTHER, Reason.NOT_REQUESTED}
)
ASKED_REASONS: Final = frozenset().union(*REASONS.values()) - DOOR_REASONS


class Law(NamedTuple):
    """One law: its name, the sentence a product owner reads, and the predicate that must be true."""

    name: str
    sentence: str
    holds: Callable[..., bool]


class ChangeLaw(NamedTuple):
    """A law over two decisions that differ in one fact, turned from `before` into `after`."""

    name: str
    sentence: str
    holds: Callable[[Facts, Verdict | None, Verdict | None], bool]
    fact: str
    before: object
    after: object


DOOR_LAWS: Final[list[Law]] = []
ASKED_LAWS: Final[list[Law]] = []
DOOR_CHANGES: Final[list[ChangeLaw]] = []
ASKED_CHANGES: Final[list[ChangeLaw]] = []

Predicate = Callable[..., bool]


def door_law(holds: Predicate) -> Predicate:
    """Enter a law of the door."""
    DOOR_LAWS.append(Law(holds.__name__, holds.__doc__ or "", holds))
    return holds


def asked_law(holds: Predicate) -> Predicate:
    """Enter a law of the question."""
    ASKED_LAWS.append(Law(holds.__name__, holds.__doc__ or "", holds))
    return holds


def turning(laws: list[ChangeLaw], fact: str, before: object, after: object) -> Callable[[Predicate], Predicate]:
    """Enter a law of change; a law may be entered for several turns."""

    def enter(holds: Predicate) -> Predicate:
        name = f"{holds.__name__}[{fact}: {before} -> {after}]"
        laws.append(ChangeLaw(name, holds.__doc__ or "", holds, fact, before, after))
        return holds

    return enter


def breaches(
    laws: Iterable[Law], changes: Iterable[ChangeLaw], facts: Iterable[Facts], decide: Callable[[Any], Any]
) -> dict[str, tuple[Facts, Verdict | None]]:
    """Walk `facts`; for every broken law its name with the first facts and verdict that break it."""
    found: dict[str, tuple[Facts, Verdict | None]] = {}
    predicates = [(law.name, law.holds) for law in laws]
    by_turn: dict[tuple[str, object, object], list[tuple[str, Predicate]]] = {}
    for law in changes:
        by_turn.setdefault((law.fact, law.before, law.after), []).append((law.name, law.holds))
    for each in facts:
        verdict = decide(each)
        for name, holds in predicates:
            if not holds(each, verdict):
                found.setdefault(name, (each, verdict))
        for other, pairs in _turned(each, by_turn):
            turned = decide(other)
            for name, holds in pairs:
                if not holds(each, verdict, turned):
                    found.setdefault(name, (each, verdict))
    return found


def _turned(
    facts: Facts, by_turn: dict[tuple[str, object, object], list[tuple[str, Predicate]]]
) -> Iterator[tuple[Facts, list[tuple[str, Predicate]]]]:
    for (fact, before, after), pairs in by_turn.items():
        value = getattr(facts, fact)
        if value == before:  # a law names a value by its word; the facts hold the word's own member
            yield msgspec.structs.replace(facts, **{fact: type(value)(after)}), pairs


def is_person(facts: Facts) -> bool:
    """A human being wrote it, an operator of ours or anybody else."""
    return facts.author in ("human", "operator")


def may_arrive(asked: Facts) -> bool:
    """The question is only ever put for a person, or for a machine or schedule that a grant covers."""
    return is_person(asked) or bool(asked.granted)


def said_something(asked: Facts) -> bool:
    """Substantive text; an attachment is not text."""
    return bool(asked.substance in ("text", "question"))


def controls_us(asked: Facts) -> bool:
    """A control command that may act: anybody's `stop` (for their own turn), the rest of the list for operators."""
    return bool(asked.command == "stop" or (asked.command == "control" and asked.author == "operator"))


def commands_us(asked: Facts) -> bool:
    """A recognised command, directed at the agent, of one who may give it."""
    return asked.command == "agent" or controls_us(asked)


def names_us(asked: Facts) -> bool:
    """The event itself asks the agent: a mention, a directed command or a direct reply."""
    return bool(asked.mention or asked.reply) or commands_us(asked)


def is_private(asked: Facts) -> bool:
    """A real one-to-one with a person who said or sent something."""
    return bool(asked.direct) and is_person(asked) and asked.substance != "nothing"


def answered(verdict: Verdict | None) -> bool:
    """We respond now."""
    return verdict is not None and verdict[0] is Outcome.RESPOND


def wanted(verdict: Verdict | None) -> bool:
    """We respond now, or after the burst."""
    return verdict is not None and verdict[0] in (Outcome.RESPOND, Outcome.DEFER)


def because(verdict: Verdict | None, *reasons: Reason) -> bool:
    """The verdict gives one of these reasons."""
    return verdict is not None and verdict[1] in reasons
