"""Faults planted on purpose: each must turn a law or a line of a transcript red (spec 1 §10).

The decision part of `admit.py` is read as text, one exact snippet is replaced by the fault, and the result is run
beside the real one; nothing of the package is patched. A law that stays green here would prove nothing there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CodeType
from typing import Any, Final, NamedTuple

import msgspec
import pytest

from dragoman.gate import admit, weigh
from tests.gate.facts import CHATTER, askeds, at_the_door, doors
from tests.gate.invariants import ASKED_LAWS
from tests.gate.invariants_of_change import ASKED_CHANGES
from tests.gate.invariants_of_door import DOOR_CHANGES, DOOR_LAWS
from tests.gate.laws import breaches
from tests.gate.transcript import decided, rows

LOUD: Final = msgspec.structs.replace(CHATTER, mention=True)
STRIDE: Final = 37
WEIGHING_BEGINS: Final = "def weigh_door("
TABLES_BEGIN: Final = "_REJECTED, _SILENT, _RESPOND, _DEFER ="


class Fault(NamedTuple):
    """One fault: the snippet that is right, what stands there instead, and a law that must notice."""

    name: str
    right: str
    wrong: str
    noticed_by: str


DOOR_FAULTS: Final = (
    Fault(
        "authentication dropped",
        "lambda d: d.authenticated is not Fact.YES, ",
        "lambda d: False, ",
        "unauthenticated_is_rejected",
    ),
    Fault(
        "duplicates counted as silence",
        "(_REJECTED, Reason.DUPLICATE)",
        "(_SILENT, Reason.NOT_REQUESTED)",
        "a_duplicate_is_rejected_not_silenced",
    ),
    Fault(
        "duplicates decided again",
        "d.seen is SeenState.DUPLICATE",
        "d.seen is SeenState.DUPLICATE and not d.granted",
        "a_duplicate_is_rejected_not_silenced",
    ),
    Fault(
        "our own echo read as a message",
        "lambda d: d.form is Form.OWN,",
        "lambda d: False,",
        "no_request_in_what_is_no_message",
    ),
    Fault(
        "edits are requests",
        "lambda d: d.form is Form.EDIT,",
        "lambda d: d.form is Form.EDIT and d.author is not Author.OPERATOR,",
        "no_request_in_what_is_no_message",
    ),
    Fault(
        "an operator speaks through a pause",
        "d.hold is Hold.PAUSED",
        "d.hold is Hold.PAUSED and d.author is not Author.OPERATOR",
        "paused_is_silent",
    ),
    Fault(
        "a grant speaks through a takeover",
        "d.hold is Hold.TAKEOVER",
        "d.hold is Hold.TAKEOVER and not d.granted",
        "takeover_is_silent",
    ),
    Fault(
        "malformed facts pass",
        "lambda d: d.identity is Identity.MALFORMED",
        "lambda d: False",
        "unknown_or_malformed_never_passes",
    ),
    Fault(
        "a grant lifts an explicit deny",
        "d.access is Access.DENIED",
        "d.access is Access.DENIED and not d.granted",
        "denied_access_always_wins",
    ),
    Fault(
        "a schedule needs no grant",
        "d.author is Author.SYNTHETIC and not d.granted",
        "False",
        "a_schedule_needs_a_grant",
    ),
    Fault(
        "bots need no grant",
        "d.author is Author.MACHINE and not d.granted",
        "False",
        "a_machine_needs_a_grant",
    ),
    Fault(
        "access asked before identity",
        '("2b", lambda d: d.identity is Identity.MALFORMED,',
        '("3", lambda d: d.access is Access.DENIED, (_SILENT, Reason.ACCESS_DENIED)),\n'
        '    ("2b", lambda d: d.identity is Identity.MALFORMED,',
        "access_is_blamed_only_where_denied",
    ),
    Fault(
        "the pause asked before what is no message",
        '("2", lambda d: d.form is Form.OWN,',
        '("2a", lambda d: d.hold is Hold.PAUSED, (_SILENT, Reason.PAUSED)),\n    ("2", lambda d: d.form is Form.OWN,',
        "no_request_in_what_is_no_message",
    ),
    Fault(
        "grants asked for where access is denied",
        '("3", lambda d: d.access is Access.DENIED,',
        '("6", lambda d: d.author is Author.MACHINE and not d.granted, (_SILENT, Reason.BOT_WITHOUT_GRANT)),\n'
        '    ("3", lambda d: d.access is Access.DENIED,',
        "grants_are_asked_for_in_the_right_name",
    ),
    Fault(
        "restricted access means none",
        "d.access is Access.DENIED",
        "d.access is not Access.ALLOWED",
        "a_person_in_order_is_heard",
    ),
)

ASKED_FAULTS: Final = (
    Fault(
        "addressed to another is answered",
        "    if _addressed_away(asked):\n        return (_SILENT, Reason.ADDRESSED_TO_OTHER)\n",
        "",
        "addressed_to_another_is_said_so",
    ),
    Fault(
        "a one-to-one is silenced by a name",
        "a.addressed is Addressed.OTHER and not a.direct and",
        "a.addressed is Addressed.OTHER and",
        "one_to_one_is_between_two",
    ),
    Fault(
        "a mention of another beats a mention of us",
        "and not a.direct and not _explicit(a) and not a.granted",
        "and not a.direct and not a.granted",
        "a_mention_is_answered",
    ),
    Fault(
        "attachments open a group",
        "a.substance in (Substance.TEXT, Substance.QUESTION)",
        "a.substance is not Substance.NOTHING",
        "attachments_never_open_a_group",
    ),
    Fault(
        "an empty direct message is a request",
        "a.direct and _person(a) and a.substance is not Substance.NOTHING",
        "a.direct and _person(a)",
        "nothing_said_is_nothing_asked",
    ),
    Fault(
        "a bot's direct message is a person's",
        "a.direct and _person(a) and a.substance",
        "a.direct and a.substance",
        "a_machine_without_grant_has_no_shortcut",
    ),
    Fault(
        "a group counts as a direct message",
        "a.direct and _person(a) and a.substance",
        "_person(a) and a.substance",
        "a_direct_message_is_a_persons",
    ),
    Fault(
        "a burst stops nothing",
        "asked.burst_open and not _control(asked)",
        "False",
        "in_a_burst_only_control_speaks",
    ),
    Fault(
        "a burst stops even stop",
        "asked.burst_open and not _control(asked)",
        "asked.burst_open",
        "a_stop_never_waits[burst_open: False -> True]",
    ),
    Fault(
        "a burst exempts what operators say",
        "asked.burst_open and not _control(asked)",
        "asked.burst_open and asked.author is not Author.OPERATOR",
        "in_a_burst_only_control_speaks",
    ),
    Fault(
        "a burst makes what nobody asked wait",
        "    return (_SILENT, Reason.NOT_REQUESTED)\n",
        "    return (_DEFER, Reason.ATTACHMENT_BURST) if asked.burst_open else (_SILENT, Reason.NOT_REQUESTED)\n",
        "what_waits_would_respond[burst_open: True -> False]",
    ),
    Fault(
        "anybody gives control commands",
        "(a.command is Commanded.CONTROL and a.author is Author.OPERATOR)",
        "a.command is Commanded.CONTROL",
        "outsiders_do_not_control[command: none -> control]",
    ),
    Fault(
        "operator command without the operator",
        "_control(a) and a.author is Author.OPERATOR, Reason.OPERATOR_COMMAND",
        "_control(a), Reason.OPERATOR_COMMAND",
        "only_an_operator_commands",
    ),
    Fault(
        "a command to another bot is ours",
        "a.command in (Commanded.AGENT, Commanded.STOP)",
        "a.command in (Commanded.AGENT, Commanded.STOP, Commanded.ELSEWHERE)",
        "a_command_is_named",
    ),
    Fault(
        "a granted bot needs not ask",
        "a.granted and (a.direct or _explicit(a) or a.author is Author.SYNTHETIC)",
        "a.granted",
        "a_granted_bot_must_ask",
    ),
    Fault(
        "a schedule must be mentioned",
        " or a.author is Author.SYNTHETIC)",
        ")",
        "a_granted_schedule_is_carried_out",
    ),
    Fault(
        "a mention asked before the grant",
        "    (lambda a: a.granted and",
        "    (lambda a: a.mention, Reason.AGENT_MENTIONED),\n    (lambda a: a.granted and",
        "a_mention_is_named",
    ),
    Fault(
        "a reply asked before the mention",
        "    (lambda a: a.mention and _person(a), Reason.AGENT_MENTIONED),",
        "    (lambda a: a.reply and _person(a), Reason.REPLY_TO_AGENT),\n"
        "    (lambda a: a.mention and _person(a), Reason.AGENT_MENTIONED),",
        "a_reply_is_named",
    ),
    Fault(
        "a name in the text is ignored",
        "a.addressed is Addressed.NOBODY_ELSE",
        "a.addressed is not Addressed.OTHER",
        "an_open_question_needs_everything",
    ),
    Fault(
        "open questions without the policy",
        "            a.open_question\n            and a.listed",
        "            a.listed",
        "an_open_question_needs_everything",
    ),
    Fault(
        "open questions in unlisted targets",
        "            a.open_question\n            and a.listed",
        "            a.open_question",
        "an_open_question_needs_everything",
    ),
    Fault(
        "operators' messages from anybody",
        "            and a.author is Author.OPERATOR\n",
        "",
        "an_operator_message_needs_everything",
    ),
    Fault(
        "operators' messages before outsiders",
        "            and a.audience is not Audience.EXTERNAL\n",
        "",
        "an_operator_message_needs_everything",
    ),
    Fault(
        "no mention needed in unlisted targets",
        "            a.mention_free\n            and a.listed",
        "            a.mention_free",
        "mention_not_required_needs_everything",
    ),
)

EVENT_FAULTS: Final = (
    Fault(
        "a grant admits any author",
        " and grant.admits == event.author",
        "",
        "machines.txt D09  Another bot under the same grant",
    ),
    Fault(
        "a grant makes a person's message a request",
        "    else:\n        return None\n    for grant in candidates:",
        '    else:\n        candidates, purpose = [policy.grants.get(event.grant_id or "")], Purpose.SCHEDULE\n'
        "    for grant in candidates:",
        "machines.txt H23  What a person asks is their own request, whatever grant it quotes",
    ),
    Fault(
        "an expired, spent or other grant will do",
        "standing.spent.get(grant.id, Spent())) is None:",
        "standing.spent.get(grant.id, Spent())) is not Reason.GRANT_UNKNOWN:",
        "machines.txt H24  A grant that is spent",
    ),
    Fault(
        "an explicit deny does not win",
        "    if here.denied or event.author in policy.denied_senders:\n        return Access.DENIED\n",
        "",
        "machines.txt H26  An explicit deny wins over the grant",
    ),
    Fault(
        "unknown places are open",
        'if policy.unknown_targets == "explicit_requests" else Access.DENIED',
        "",
        "access.txt O11  An unknown place is closed, asked or not",
    ),
    Fault(
        "an empty list of senders means everybody",
        "here.allowed_senders is not None and",
        "here.allowed_senders and",
        "access.txt I17  An empty list of senders means nobody",
    ),
    Fault(
        "a mention that is not known is a mention",
        "mention=event.mentions_agent is Fact.YES",
        "mention=event.mentions_agent is not Fact.NO",
        "people.txt C34  The adapter cannot tell yet whether the agent is mentioned",
    ),
    Fault(
        "what is not proven a group is a one-to-one",
        "direct = event.chat is ChatKind.DIRECT",
        "direct = event.chat is not ChatKind.GROUP",
        "explicit.txt E11  Where nothing proves a one-to-one",
    ),
    Fault(
        "an author of unknown kind is a person",
        "if event.author_kind is not AuthorKind.HUMAN:",
        "if event.author_kind is AuthorKind.BOT:",
        "machines.txt I19  Posting as a channel proves no author",
    ),
    Fault(
        "a name in the text is not looked for",
        "if said.calls_other(policy) else",
        "if False else",
        "people.txt C38  ... nor a question to somebody else, be it by name only",
    ),
    Fault(
        "a bare command is ours whoever else is there",
        "(command.directed is Fact.UNKNOWN and alone)",
        "command.directed is Fact.UNKNOWN",
        "control.txt K02  A bare command in a group with other bots",
    ),
    Fault(
        "a command to another bot is ours",
        "if not ours:",
        "if False:",
        "control.txt K01  A command for another bot",
    ),
    Fault(
        "edits are requests without the policy",
        "event.edit_marks_mentions and here.edits_may_request and",
        "event.edit_marks_mentions and",
        "people.txt C32  A mark, but the policy did not opt in",
    ),
    Fault(
        "old messages are fresh",
        "now - stamp > policy.freshness_ms or",
        "",
        "access.txt L11  A backlog of eight hours",
    ),
    Fault(
        "a missing target is a target",
        "if synthetic and not event.target.known:",
        "if False:",
        "machines.txt H03  A schedule without a target",
    ),
    Fault(
        "malformed facts are facts",
        "if named and not event.malformed else",
        "if named else",
        "access.txt I25  A fact of the wrong type",
    ),
    Fault(
        "a pause locks its own operator out",
        "author is Author.OPERATOR and _orders(event, policy, said)",
        "False",
        "control.txt P01  Who paused must be able to resume",
    ),
    Fault(
        "anybody's stop is heard in a pause",
        "author is Author.OPERATOR and _orders(event, policy, said)",
        "_orders(event, policy, said)",
        "control.txt P01  A counterparty's stop has nothing to stop",
    ),
)
"""Faults in weighing events: each is noticed by the line of a transcript."""


def _decision_part() -> str:
    """The text of `weigh.py` from its first function on, and of `admit.py` from its tables on."""
    weighing, deciding = inspect.getsource(weigh), inspect.getsource(admit)
    assert (weighing.count(WEIGHING_BEGINS), deciding.count(TABLES_BEGIN)) == (1, 1)
    return weighing[weighing.index(WEIGHING_BEGINS) :] + deciding[deciding.index(TABLES_BEGIN) :]


def planted(right: str, wrong: str) -> dict[str, Any]:
    """The names of `admit.py`, its decision part run anew with `wrong` where `right` stands, once."""
    text = _decision_part()
    assert text.count(right) == 1, f"{text.count(right)} places for `{right}`"
    code: CodeType = compile(text.replace(right, wrong), "admit.py with a fault", "exec")
    names = vars(weigh) | vars(admit)
    exec(code, names)
    return names


def broken_at_the_door(decide: Callable[..., Any]) -> set[str]:
    """Which laws of the door are broken."""
    return set(breaches(DOOR_LAWS, DOOR_CHANGES, doors(), at_the_door(decide, LOUD)))


def broken_in_the_question(decide_asked: Callable[..., Any], stride: int) -> set[str]:
    """Which laws of the question are broken at this stride."""
    return set(breaches(ASKED_LAWS, ASKED_CHANGES, askeds(stride), decide_asked))


@pytest.fixture(scope="module")
def sound_door() -> set[str]:
    """What the real door breaks."""
    return broken_at_the_door(admit.decide)


@pytest.fixture(scope="module")
def sound_question() -> set[str]:
    """What the real question breaks."""
    return broken_in_the_question(admit.decide_asked, STRIDE)


@pytest.mark.parametrize("fault", DOOR_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_at_the_door_is_noticed(fault: Fault, sound_door: set[str]) -> None:
    """The named law is green for the real door and red for the door with this fault."""
    faulty = broken_at_the_door(planted(fault.right, fault.wrong)["decide"])

    assert fault.noticed_by in faulty - sound_door


@pytest.mark.parametrize("fault", ASKED_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_in_the_question_is_noticed(fault: Fault, sound_question: set[str]) -> None:
    """The named law is green for the real question and red for the question with this fault."""
    faulty = broken_in_the_question(planted(fault.right, fault.wrong)["decide_asked"], STRIDE)

    assert fault.noticed_by in faulty - sound_question


@pytest.mark.parametrize("fault", EVENT_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_in_weighing_is_noticed(fault: Fault) -> None:
    """The named line of a transcript is decided otherwise when weighing has this fault."""
    faulty = planted(fault.right, fault.wrong)["admit"]
    red = {f"{row.place.split(':')[0]} {row.about}" for row in rows() if decided(row, faulty) != row.expected}

    assert fault.noticed_by in red


def test_running_the_text_anew_changes_nothing(sound_door: set[str], sound_question: set[str]) -> None:
    """Without a fault, the text run anew breaks exactly what the real code breaks."""
    same = planted(TABLES_BEGIN, TABLES_BEGIN)

    assert broken_at_the_door(same["decide"]) == sound_door
    assert broken_in_the_question(same["decide_asked"], STRIDE) == sound_question
