"""What must hold when one fact of the question turns into another (spec 1 §1-§3, §6, §11).

Less authority never adds a response, outsiders' additions never open, and questions that are apart stay apart.
"""

from __future__ import annotations

from dragoman.words import Outcome, Reason
from tests.gate.laws import (
    ASKED_CHANGES,
    Facts,
    Verdict,
    answered,
    because,
    controls_us,
    is_person,
    turning,
    wanted,
)

__all__ = ["ASKED_CHANGES"]


@turning(ASKED_CHANGES, "burst_open", True, False)
def what_waits_would_respond(_asked: Facts, before: Verdict | None, after: Verdict | None) -> bool:
    """A burst only turns a response into waiting: without it, what waited responds and the rest is as it was."""
    if before is not None and before[0] is Outcome.DEFER:
        return answered(after)
    return before == after


@turning(ASKED_CHANGES, "burst_open", False, True)
def a_stop_never_waits(asked: Facts, before: Verdict | None, after: Verdict | None) -> bool:
    """A recognised stop acts as without the burst; all else that would respond waits, an operator's control aside."""
    if asked.command == "stop":
        return before == after
    return not answered(before) or controls_us(asked) or after == (Outcome.DEFER, Reason.ATTACHMENT_BURST)


@turning(ASKED_CHANGES, "granted", True, False)
@turning(ASKED_CHANGES, "open_question", True, False)
@turning(ASKED_CHANGES, "operator_messages", True, False)
@turning(ASKED_CHANGES, "mention_free", True, False)
@turning(ASKED_CHANGES, "listed", True, False)
@turning(ASKED_CHANGES, "explicit_only", False, True)
@turning(ASKED_CHANGES, "author", "operator", "human")
@turning(ASKED_CHANGES, "author", "human", "machine")
@turning(ASKED_CHANGES, "direct", True, False)
@turning(ASKED_CHANGES, "mention", True, False)
@turning(ASKED_CHANGES, "reply", True, False)
def less_authority_never_adds_a_response(_asked: Facts, before: Verdict | None, after: Verdict | None) -> bool:
    """Taking away a grant, a permission, a proof or a request never turns silence into a response."""
    return wanted(before) or not wanted(after)


@turning(ASKED_CHANGES, "addressed", "nobody_else", "other_by_text")
@turning(ASKED_CHANGES, "addressed", "nobody_else", "other")
@turning(ASKED_CHANGES, "addressed", "other_by_text", "other")
@turning(ASKED_CHANGES, "command", "none", "elsewhere")
@turning(ASKED_CHANGES, "substance", "text", "attachment")
@turning(ASKED_CHANGES, "substance", "text", "nothing")
@turning(ASKED_CHANGES, "substance", "attachment", "nothing")
@turning(ASKED_CHANGES, "substance", "question", "text")
@turning(ASKED_CHANGES, "burst_open", False, True)
def what_outsiders_add_never_opens(_asked: Facts, before: Verdict | None, after: Verdict | None) -> bool:
    """Naming another, commanding another bot, files for words or an "ok" never turn silence into a response."""
    return wanted(before) or not wanted(after)


@turning(ASKED_CHANGES, "substance", "nothing", "attachment")
def files_change_nothing_in_a_group(asked: Facts, before: Verdict | None, after: Verdict | None) -> bool:
    """Adding an attachment to an event without words changes nothing in a group."""
    return bool(asked.direct) or before == after


@turning(ASKED_CHANGES, "addressed", "nobody_else", "other_by_text")
def a_name_in_the_text_silences_two_grounds_only(asked: Facts, before: Verdict | None, after: Verdict | None) -> bool:
    """A name that only the text puts in front silences open questions and operators' messages, and no other ground."""
    if asked.burst_open or not answered(before) or answered(after):
        return True
    return because(before, Reason.OPEN_QUESTION, Reason.OPERATOR_MESSAGE)


@turning(ASKED_CHANGES, "addressed", "nobody_else", "other")
@turning(ASKED_CHANGES, "addressed", "nobody_else", "other_by_text")
def in_a_one_to_one_names_change_nothing(asked: Facts, before: Verdict | None, after: Verdict | None) -> bool:
    """In a real one-to-one a person's message is answered alike, whoever it names."""
    return not (asked.direct and is_person(asked)) or wanted(before) == wanted(after)


@turning(ASKED_CHANGES, "audience", "external", "internal")
@turning(ASKED_CHANGES, "audience", "external", "operator")
def who_listens_is_not_who_asked(_asked: Facts, before: Verdict | None, after: Verdict | None) -> bool:
    """A trusted audience is no request: it adds an operator's message where policy wants it, and nothing else."""
    return before == after or because(after, Reason.OPERATOR_MESSAGE) or because(after, Reason.ATTACHMENT_BURST)


@turning(ASKED_CHANGES, "audience", "internal", "operator")
def both_homes_are_home(_asked: Facts, before: Verdict | None, after: Verdict | None) -> bool:
    """An internal and an operator's target ask the same question."""
    return before == after


@turning(ASKED_CHANGES, "author", "human", "operator")
def an_operator_is_a_person_first(_asked: Facts, before: Verdict | None, after: Verdict | None) -> bool:
    """Being an operator adds commands and operators' messages, and takes nothing away."""
    if because(after, Reason.OPERATOR_COMMAND, Reason.OPERATOR_MESSAGE, Reason.ATTACHMENT_BURST):
        return True
    return before == after


@turning(ASKED_CHANGES, "mention", False, True)
@turning(ASKED_CHANGES, "reply", False, True)
@turning(ASKED_CHANGES, "command", "none", "agent")
def asking_us_never_silences(_asked: Facts, before: Verdict | None, after: Verdict | None) -> bool:
    """Asking the agent explicitly never turns a response into silence."""
    return not wanted(before) or wanted(after)


@turning(ASKED_CHANGES, "command", "none", "control")
def outsiders_do_not_control(asked: Facts, before: Verdict | None, after: Verdict | None) -> bool:
    """A control command of one who is no operator (`stop` aside) asks for nothing and changes nothing."""
    return asked.author == "operator" or before == after
