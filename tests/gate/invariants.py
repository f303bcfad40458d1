"""What must hold of every answer to the question, steps 7 to 10, whatever its implementation (spec 1 §1-§3, §6, §11).

Laws are written from the contract alone: they read facts and the outcome, know nothing of tables or how they are read,
and import nothing from the code that they judge. The laws of the door and of change stand in files of their own.
"""

from __future__ import annotations

from dragoman.words import Outcome, Reason
from tests.gate.laws import (
    ASKED_LAWS,
    ASKED_REASONS,
    REASONS,
    Facts,
    Verdict,
    answered,
    asked_law,
    because,
    commands_us,
    controls_us,
    is_person,
    is_private,
    may_arrive,
    names_us,
    said_something,
    wanted,
)

__all__ = ["ASKED_LAWS"]


@asked_law
def there_is_always_a_verdict(_asked: Facts, verdict: Verdict | None) -> bool:
    """Every combination of facts is answered, deferred or silenced; none is left open, none rejected here."""
    return verdict is not None and verdict[0] in (Outcome.RESPOND, Outcome.SILENT, Outcome.DEFER)


@asked_law
def a_reason_of_the_question_has_one_outcome(_asked: Facts, verdict: Verdict) -> bool:
    """Every reason belongs to exactly one outcome, and is a reason of the question."""
    return verdict[1] in ASKED_REASONS and verdict[1] in REASONS[verdict[0]]


@asked_law
def attachments_never_open_a_group(asked: Facts, verdict: Verdict) -> bool:
    """In a group an attachment without words opens nothing; somebody must ask for us, or a grant cover it."""
    if asked.direct or asked.substance != "attachment":
        return True
    return not wanted(verdict) or names_us(asked) or asked.granted


@asked_law
def nothing_said_is_nothing_asked(asked: Facts, verdict: Verdict) -> bool:
    """An event without substance (empty, "ok", an emoji) is silent unless it names us or a grant covers it."""
    return asked.substance != "nothing" or not wanted(verdict) or names_us(asked) or asked.granted


@asked_law
def addressed_to_another_is_theirs(asked: Facts, verdict: Verdict) -> bool:
    """Addressed to somebody else by a platform fact: only a mention, directed command, reply or grant may respond."""
    if asked.addressed != "other" or asked.direct:
        return True
    return not wanted(verdict) or names_us(asked) or asked.granted


@asked_law
def addressed_to_another_is_said_so(asked: Facts, verdict: Verdict) -> bool:
    """Addressed to somebody else by a platform fact, and to nobody of ours: the silence says so."""
    theirs = asked.addressed == "other" and not asked.direct and not names_us(asked) and not asked.granted
    return not theirs or verdict == (Outcome.SILENT, Reason.ADDRESSED_TO_OTHER)


@asked_law
def addressed_to_other_is_true(asked: Facts, verdict: Verdict) -> bool:
    """`addressed_to_other` is said only in a group, where another is addressed and we are not."""
    return not because(verdict, Reason.ADDRESSED_TO_OTHER) or (
        asked.addressed != "nobody_else"
        and not asked.direct
        and not asked.mention
        and not asked.reply
        and not commands_us(asked)
    )


@asked_law
def one_to_one_is_between_two(asked: Facts, verdict: Verdict) -> bool:
    """In a real one-to-one a person who says or sends something is answered, whoever else is named."""
    return not is_private(asked) or wanted(verdict)


@asked_law
def a_mention_is_answered(asked: Facts, verdict: Verdict) -> bool:
    """A current explicit mention, once past the door, is answered now or after the burst."""
    return not (asked.mention and may_arrive(asked)) or wanted(verdict)


@asked_law
def a_reply_to_us_is_answered(asked: Facts, verdict: Verdict) -> bool:
    """A direct reply to the agent, once past the door, is answered now or after the burst."""
    return not (asked.reply and may_arrive(asked)) or wanted(verdict)


@asked_law
def a_directed_command_is_answered(asked: Facts, verdict: Verdict) -> bool:
    """A recognised command directed at the agent, once past the door, is taken now or after the burst."""
    return not (asked.command in ("stop", "agent") and may_arrive(asked)) or wanted(verdict)


@asked_law
def an_operator_commands(asked: Facts, verdict: Verdict) -> bool:
    """A control command of an operator is taken at once: no burst, no other addressee, no stronger reason."""
    if asked.author != "operator" or not controls_us(asked):
        return True
    return verdict == (Outcome.RESPOND, Reason.OPERATOR_COMMAND)


@asked_law
def only_an_operator_commands(asked: Facts, verdict: Verdict) -> bool:
    """`operator_command` is given to an operator's control command only."""
    return not because(verdict, Reason.OPERATOR_COMMAND) or (asked.author == "operator" and controls_us(asked))


@asked_law
def a_granted_schedule_is_carried_out(asked: Facts, verdict: Verdict) -> bool:
    """A schedule that a grant covers needs no mention; none is invented for it."""
    return not (asked.author == "synthetic" and asked.granted) or wanted(verdict)


@asked_law
def a_granted_bot_must_ask(asked: Facts, verdict: Verdict) -> bool:
    """In a group even a granted bot is answered only when it mentions, commands or replies to the agent."""
    if asked.author != "machine" or asked.direct:
        return True
    return not wanted(verdict) or names_us(asked)


@asked_law
def a_grant_is_named(asked: Facts, verdict: Verdict) -> bool:
    """`operator_requested` is given only where a grant covers this very event."""
    return not because(verdict, Reason.OPERATOR_REQUESTED) or bool(asked.granted)


@asked_law
def a_mention_is_named(asked: Facts, verdict: Verdict) -> bool:
    """`agent_mentioned` is given only where the platform says that the agent is mentioned, and no grant came first."""
    return not because(verdict, Reason.AGENT_MENTIONED) or (asked.mention and not asked.granted)


@asked_law
def a_command_is_named(asked: Facts, verdict: Verdict) -> bool:
    """`agent_command` is given only for a recognised command to us, where no mention and no grant came first."""
    return not because(verdict, Reason.AGENT_COMMAND) or (
        commands_us(asked) and not asked.mention and not asked.granted
    )


@asked_law
def a_reply_is_named(asked: Facts, verdict: Verdict) -> bool:
    """`reply_to_agent` is given only where the current reply is to the agent, and no mention, command or grant is."""
    return not because(verdict, Reason.REPLY_TO_AGENT) or (
        asked.reply and not asked.mention and not asked.granted and asked.command not in ("agent", "stop")
    )


@asked_law
def a_direct_message_is_a_persons(asked: Facts, verdict: Verdict) -> bool:
    """`direct_message` is for a person who says or sends something in a real one-to-one, and asks in no other way."""
    return not because(verdict, Reason.DIRECT_MESSAGE) or (
        is_private(asked) and not asked.mention and not asked.reply and not asked.granted
    )


@asked_law
def an_open_question_needs_everything(asked: Facts, verdict: Verdict) -> bool:
    """An open question is a person's, with no name in front, at a listed target whose policy wants open questions."""
    return not because(verdict, Reason.OPEN_QUESTION) or (
        asked.substance == "question"
        and speaks_to_nobody_else(asked)
        and asked.listed
        and asked.open_question
        and is_person(asked)
        and not asked.explicit_only
        and not names_us(asked)
    )


@asked_law
def an_operator_message_needs_everything(asked: Facts, verdict: Verdict) -> bool:
    """An operator's message is a request only among ourselves, with words, nobody else named, and by policy."""
    return not because(verdict, Reason.OPERATOR_MESSAGE) or (
        asked.author == "operator"
        and asked.audience in ("internal", "operator")
        and said_something(asked)
        and asked.operator_messages
        and speaks_to_nobody_else(asked)
        and not asked.explicit_only
        and not names_us(asked)
    )


@asked_law
def mention_not_required_needs_everything(asked: Facts, verdict: Verdict) -> bool:
    """No mention is needed only where policy says so for this listed target, and then for a person's words."""
    return not because(verdict, Reason.MENTION_NOT_REQUIRED) or (
        asked.mention_free
        and asked.listed
        and is_person(asked)
        and said_something(asked)
        and asked.addressed != "other"
        and not asked.explicit_only
        and not names_us(asked)
    )


def speaks_to_nobody_else(asked: Facts) -> bool:
    """No other person is addressed, and no other bot is commanded."""
    return asked.addressed == "nobody_else" and asked.command != "elsewhere"


@asked_law
def a_command_for_another_bot_is_not_for_us(asked: Facts, verdict: Verdict) -> bool:
    """What commands another bot is answered only if it also asks us: by mention, reply, grant, or in private."""
    if asked.command != "elsewhere" or not wanted(verdict):
        return True
    return asked.mention or asked.reply or asked.granted or is_private(asked)


@asked_law
def what_policy_opens_is_open(asked: Facts, verdict: Verdict) -> bool:
    """Where the policy of a listed target needs no mention, a person's words to nobody else are answered."""
    opened = asked.mention_free and asked.listed and not asked.explicit_only
    return not (opened and is_person(asked) and said_something(asked) and speaks_to_nobody_else(asked)) or wanted(
        verdict
    )


@asked_law
def open_questions_are_open(asked: Facts, verdict: Verdict) -> bool:
    """Where the policy of a listed target wants open questions, a person's question to nobody else is answered."""
    opened = asked.open_question and asked.listed and not asked.explicit_only
    asks = is_person(asked) and asked.substance == "question" and speaks_to_nobody_else(asked)
    return not (opened and asks) or wanted(verdict)


@asked_law
def operators_are_heard_at_home(asked: Facts, verdict: Verdict) -> bool:
    """Where policy takes operators' messages as requests, an operator's words among ourselves are answered."""
    home = asked.operator_messages and asked.audience in ("internal", "operator") and asked.listed
    says = asked.author == "operator" and said_something(asked) and speaks_to_nobody_else(asked)
    return not (home and says and not asked.explicit_only) or wanted(verdict)


@asked_law
def unlisted_places_open_by_request_only(asked: Facts, verdict: Verdict) -> bool:
    """With restricted access only a grant, mention, command, reply or direct message responds."""
    if not asked.explicit_only or not wanted(verdict):
        return True
    return asked.granted or names_us(asked) or is_private(asked)


@asked_law
def not_requested_is_true(asked: Facts, verdict: Verdict) -> bool:
    """`not_requested` is never said to who mentioned us, replied to us, or wrote to us alone."""
    return not because(verdict, Reason.NOT_REQUESTED) or not (
        may_arrive(asked) and (asked.mention or asked.reply or is_private(asked))
    )


@asked_law
def in_a_burst_only_control_speaks(asked: Facts, verdict: Verdict) -> bool:
    """While attachments still arrive nothing responds but a recognised stop, or a control command of an operator."""
    return not asked.burst_open or not answered(verdict) or controls_us(asked)


@asked_law
def nothing_waits_without_a_burst(asked: Facts, verdict: Verdict) -> bool:
    """We defer only while attachments still arrive."""
    return verdict[0] is not Outcome.DEFER or bool(asked.burst_open)


@asked_law
def a_machine_without_grant_has_no_shortcut(asked: Facts, verdict: Verdict) -> bool:
    """The grounds that need no request are never a machine's or a schedule's, granted or not."""
    return is_person(asked) or not because(
        verdict,
        Reason.OPERATOR_COMMAND,
        Reason.DIRECT_MESSAGE,
        Reason.OPEN_QUESTION,
        Reason.OPERATOR_MESSAGE,
        Reason.MENTION_NOT_REQUIRED,
    )
