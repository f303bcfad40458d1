"""Control commands as one table: who says what where, what is done, and whether an answer is seen (spec 1 §11.2)."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from dragoman.gate.admit import Admission
from dragoman.gate.approvals import Ruling
from dragoman.gate.command_words import ACTED, ANSWERS, Standing, age, answer, status_words
from dragoman.gate.commands import OUTSIDE_AND_INSIDE, Control, Effect, Order, Said, Who, order_of
from dragoman.gate.event import AuthorKind, Command, Event, EventKind
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.ports import Filed
from dragoman.gate.weigh import CONTROL_COMMANDS
from dragoman.identity import Target
from dragoman.words import Audience, Fact, Outcome, Reason
from tests.gate.world import B2, BUYER, EXT, INT, NOW, OPER, OPS, POLICY, said

POLICY_ = parse_policy(POLICY.encode())
PLACES = {"outside": (EXT, Audience.EXTERNAL), "inside": (INT, Audience.INTERNAL), "own": (OPS, Audience.OPERATOR)}
WHO = {"oper": (OPER, AuthorKind.HUMAN), "buyer": (BUYER, AuthorKind.HUMAN), "bot": (B2, AuthorKind.BOT)}

TABLE = """
    who    place    command                  effect       answered  code
    oper   outside  stop                     stop_here    no        -
    oper   inside   stop                     stop_here    yes       -
    oper   own      stop it now              stop_here    yes       -
    buyer  outside  stop                     stop_own     no        -
    buyer  inside   stop                     stop_own     yes       -
    bot    outside  stop                     stop_own     no        -

    oper   outside  pause                    pause        no        -
    oper   outside  pause everywhere         pause        no        -
    oper   inside   pause                    pause        yes       -
    oper   inside   pause please             pause        yes       -
    oper   own      pause everywhere         pause        yes       -
    buyer  outside  pause                    nothing      no        command_not_theirs
    buyer  inside   pause everywhere         nothing      no        command_not_theirs
    bot    own      pause                    nothing      no        command_not_theirs

    oper   outside  resume                   resume       no        -
    oper   inside   resume                   resume       yes       -
    oper   own      resume everywhere        resume       yes       -
    oper   own      resume Everywhere        resume       yes       -
    oper   own      resume please            nothing      yes       command_unclear
    oper   own      resume everywhere now    nothing      yes       command_unclear
    buyer  inside   resume                   nothing      no        command_not_theirs

    oper   outside  status                   nothing      no        command_not_here
    oper   inside   status                   status       yes       -
    oper   own      status                   status       yes       -
    buyer  inside   status                   nothing      no        command_not_theirs

    oper   outside  approve dft-1            nothing      no        command_not_here
    oper   inside   approve dft-1            approve      yes       -
    oper   own      approve dft-1 0123456789ab  approve   yes       -
    oper   own      approve                  nothing      yes       command_unclear
    oper   own      approve dft-1 dft-2 dft-3   nothing   yes       command_unclear
    buyer  outside  approve dft-1            nothing      no        command_not_theirs
    buyer  inside   approve dft-1            nothing      no        command_not_theirs
    buyer  own      approve dft-1            nothing      no        command_not_theirs
    bot    own      approve dft-1            nothing      no        command_not_theirs

    oper   outside  reject dft-1             nothing      no        command_not_here
    oper   inside   reject dft-1             reject       yes       -
    oper   own      reject                   nothing      yes       command_unclear
    buyer  own      reject dft-1             nothing      no        command_not_theirs
"""


def rows() -> list[tuple[str, str, str, str, str, str]]:
    """The table's lines."""
    found = []
    for line in TABLE.strip().splitlines()[1:]:
        if words := line.split():
            who, place, *command, effect, answered, code = words
            found.append((who, place, " ".join(command), effect, answered, code))
    return found


def event_of(who: str, place: str, command: str, **facts: Any) -> Event:
    """A marked command of that person in that place."""
    name, _, argument = command.partition(" ")
    author, kind = WHO[who]
    marked = Command(name, argument, Fact.YES)
    known = {"target": PLACES[place][0], "author": author, "author_kind": kind, "command": marked}
    return said(f"/{command}", **(known | facts))


def admission_of(event: Event, audience: Audience) -> Admission:
    """An admission that holds the event's command, whoever said it: the worst that could reach us."""
    return Admission(
        id="cor-1",
        outcome=Outcome.RESPOND,
        reason=Reason.OPERATOR_COMMAND,
        audience=audience,
        target=event.target,
        event_id=event.event_id,
        policy_version=POLICY_.version,
        decided_at=NOW,
        expires_at=NOW + 1000,
        max_sends=1,
        author=event.author,
        command=event.command,
    )


def ordered(who: str, place: str, command: str, **facts: Any) -> Order:
    """The order in that command."""
    event, audience = event_of(who, place, command, **facts), PLACES[place][1]
    order = order_of(admission_of(event, audience), event, POLICY_, audience)
    assert order is not None
    return order


@pytest.mark.parametrize(("who", "place", "command", "effect", "answered", "code"), rows())
def test_who_says_what_where(who: str, place: str, command: str, effect: str, answered: str, code: str) -> None:
    """Each line of the table."""
    order = ordered(who, place, command)

    assert (effect, answered, code) == (order.effect, "yes" if order.answers else "no", order.code or "-")


def test_the_table_says_something_of_every_command_and_person() -> None:
    """Every command of the closed list, by an operator and by another, outside and inside."""
    seen = {(who == "oper", place == "outside", command.split()[0]) for who, place, command, *_ in rows()}

    assert {str(control) for control in Control} == CONTROL_COMMANDS
    assert {(ours, outside, c) for ours in (True, False) for outside in (True, False) for c in CONTROL_COMMANDS} <= (
        seen | {(False, True, c) for c in ("resume", "status", "reject")}
    )


def test_nobody_else_does_anything_but_stop_his_own() -> None:
    """The whole space: of the commands of a non-operator only `stop` has an effect, and only on his own turn."""
    for who, place, control in itertools.product(("buyer", "bot"), PLACES, Control):
        order = ordered(who, place, f"{control} dft-1")
        assert (Effect.STOP_OWN if control is Control.STOP else Effect.NOTHING) is order.effect
    assert {(Control.STOP, Who.OTHER)} == {key for key in OUTSIDE_AND_INSIDE if key[1] is Who.OTHER}


@pytest.mark.parametrize("then", list(Audience), ids=str)
@pytest.mark.parametrize("now", list(Audience), ids=str)
def test_approving_counts_only_where_nobody_from_outside_was_or_is(then: Audience, now: Audience) -> None:
    """A channel that was shared when the command came, or is shared at this moment, approves nothing (case C016)."""
    event = event_of("oper", "own", "approve dft-1")
    order = order_of(admission_of(event, then), event, POLICY_, now)

    assert order is not None
    private = Audience.EXTERNAL not in (then, now)
    assert (private, private) == (order.effect is Effect.APPROVE, order.answers)


@pytest.mark.parametrize("kind", [EventKind.EDIT, EventKind.OTHER, EventKind.SYNTHETIC], ids=str)
def test_only_a_fresh_message_commands(kind: EventKind) -> None:
    """An edit that the policy lets ask, a click, a schedule: none of them is a command, and none is answered."""
    order = ordered("oper", "own", "approve dft-1", kind=kind)

    assert (Effect.NOTHING, False) == (order.effect, order.answers)


def test_an_operator_is_a_human_of_exactly_that_account() -> None:
    """A bot under the operator's id, or the same id in another workspace, is somebody else."""
    bot = ordered("oper", "own", "approve dft-1", author_kind=AuthorKind.BOT)
    namesake = ordered("oper", "own", "approve dft-1", author=type(OPER)("memory", "elsewhere", "oper"))

    assert {Effect.NOTHING} == {bot.effect, namesake.effect}


def test_what_holds_no_command_is_no_order() -> None:
    """An ordinary request, and a command that is not on the closed list."""
    plain = said("which dates are open?")
    help_ = event_of("oper", "own", "help")

    assert order_of(admission_of(plain, Audience.OPERATOR), plain, POLICY_, Audience.OPERATOR) is None
    assert order_of(admission_of(help_, Audience.OPERATOR), help_, POLICY_, Audience.OPERATOR) is None


def test_every_answer_is_fixed_and_in_both_languages() -> None:
    """What did nothing names its code; a ruling on a draft is an answer of the same code; nothing is interpolated."""
    spoken = set(Said) - {Said.STATUS, Said.NOT_THEIRS}

    assert spoken == set(ANSWERS)
    assert {str(ruling) for ruling in Ruling} <= {str(each) for each in spoken}
    for each, language in itertools.product(spoken, ("en", "zh")):
        text = answer(each, language)
        assert (f"({each})" in text) is (each not in ACTED)
        assert "{" not in text
    assert len({answer(each, "zh") for each in spoken}) == len(spoken)


def waiting(number: int, *, approvable: bool = True, target: Target = EXT) -> Filed:
    """A draft that was filed `number` minutes ago."""
    return Filed(
        id=f"dft-{number}",
        target=target,
        text="The price is 40 EUR.",
        sha256="0" * 64,
        epoch="v1:external",
        reason=Reason.DRAFT_ONLY_TOPIC,
        approvable=approvable,
        filed_at=NOW - number * 60_000,
    )


def standing(*drafts: Filed, here: bool = False, everywhere: bool = False) -> Standing:
    """What a status would tell."""
    return Standing(paused_here=here, paused_everywhere=everywhere, running=1, waiting=drafts, uncertain=2, now=NOW)


def test_a_status_names_targets_to_the_operator_only() -> None:
    """Draft id, reason and age inside; where it would go on the operator's own surface; the text nowhere."""
    view = standing(waiting(90), waiting(2, approvable=False), here=True)

    assert (
        "Paused here. Turns running here: 1. Drafts waiting: 2, uncertain: 2.\n"
        "dft-90  draft_only_topic  1 h\n"
        "dft-2  draft_only_topic  2 min  reject only"
    ) == status_words(view, "en", Audience.INTERNAL)
    assert status_words(view, "en", Audience.OPERATOR).splitlines()[1].endswith("1 h  memory/desk/EXT")
    assert "40 EUR" not in status_words(view, "en", Audience.OPERATOR)


def test_a_long_queue_is_cut_and_says_so() -> None:
    """Ten drafts are named, the others counted."""
    text = status_words(standing(*map(waiting, range(13, 0, -1)), everywhere=True), "zh", Audience.INTERNAL)

    assert text.startswith("已全部暂停。")
    assert ("dft-13  draft_only_topic  13 分钟", "另有 3 条") == (text.splitlines()[1], text.splitlines()[-1])


@pytest.mark.parametrize(
    ("ms", "words"),
    [(0, "under 1 min"), (59_999, "under 1 min"), (60_000, "1 min"), (7_200_000, "2 h"), (200_000_000, "2 d")],
)
def test_ages(ms: int, words: str) -> None:
    """In the largest whole unit."""
    assert words == age(ms)
