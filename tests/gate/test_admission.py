"""What one decision on an event is made of: the moment, the authority, the command, the order of the steps (spec 1 §3).

Beside the transcripts: what no line of them can tell, at the exact millisecond, platform and grant.
"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from dragoman.gate.admit import (
    ALLOWED_CLASSES,
    DOOR,
    GROUNDS,
    MEMORY,
    Admission,
    Judgement,
    admit,
    decide_asked,
    decide_door,
    judged,
)
from dragoman.gate.asked import Author, Hold, Identity, Standing
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.gate.policy import Policy, TargetPolicy
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.said import LiveText
from dragoman.gate.weigh import CONTROL_COMMANDS, FUTURE_TOLERANCE_MS, weigh_asked, weigh_door
from dragoman.grants import Grant, Spent
from dragoman.identity import NOBODY, UNKNOWN, Party, Target
from dragoman.words import Audience, Fact, Outcome, OutputClass, Purpose, Reason
from tests.gate.world import B2, BUYER, EXT, INT, NOW, OPER, OPS, POLICY, UNK, asked, said

WORLD = parse_policy(POLICY.encode())
HUB, PEER = Target("hub", "role", "con-1"), Party("hub", "role", "peer")
OPENED = msgspec.structs.replace(WORLD, targets={**WORLD.targets, HUB: TargetPolicy(listed=True)})


def grant(purpose: Purpose, target: Target = EXT, id: str = "g", **changed: Any) -> Grant:
    """A grant that holds."""
    made = Grant(id=id, purpose=purpose, targets=frozenset({target}), given_by="oper", expires_at=NOW + 1)
    return msgspec.structs.replace(made, **changed)


def holding(*grants: Grant, policy: Policy = OPENED) -> Policy:
    """The policy with these grants and no other."""
    return msgspec.structs.replace(policy, grants={each.id: each for each in grants})


def at_ext(**changed: Any) -> Policy:
    """The world with another entry for EXT."""
    here = msgspec.structs.replace(WORLD.targets[EXT], **changed)
    return msgspec.structs.replace(WORLD, targets={**WORLD.targets, EXT: here})


def standing(**changed: Any) -> Standing:
    """Nothing is in the way."""
    return Standing(now=NOW, **changed)


def decided(event: Event, policy: Policy = WORLD, **stands: Any) -> tuple[Outcome, Reason]:
    """Outcome and reason."""
    admission = admit(event, policy, standing(**stands), "cor-1")
    return admission.outcome, admission.reason


def peers(text: str = "", **facts: Any) -> Event:
    """A message of the peer in the hub contact."""
    known = {"target": HUB, "author": PEER, "author_kind": AuthorKind.BOT, "chat": ChatKind.DIRECT}
    return said(text, **(known | facts))


YES = (Outcome.RESPOND, Reason.AGENT_MENTIONED)
REQUESTED = (Outcome.RESPOND, Reason.OPERATOR_REQUESTED)
STALE = (Outcome.REJECTED, Reason.STALE)
TAKEN = (Outcome.SILENT, Reason.HUMAN_TAKEOVER)
UNGRANTED = (Outcome.SILENT, Reason.BOT_WITHOUT_GRANT)
FRESH = WORLD.freshness_ms


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (asked(sent_at=NOW - FRESH), YES),
        (asked(sent_at=NOW - FRESH - 1), STALE),
        (asked(sent_at=NOW + 300_000), YES),
        (asked(sent_at=NOW + 300_001), STALE),
        (asked(sent_at=None, received_at=NOW - FRESH), YES),
        (asked(sent_at=None, received_at=NOW - FRESH - 1), STALE),
        (asked(sent_at=NOW, received_at=NOW - FRESH - 1), YES),
        (asked(sent_at=NOW - FRESH - 1, author_kind=AuthorKind.SELF), (Outcome.REJECTED, Reason.SELF_ECHO)),
        (peers("hi", sent_at=NOW - 30 * 86_400_000), REQUESTED),
        (peers("hi", sent_at=NOW + 30 * 86_400_000), REQUESTED),
    ],
)
def test_how_old_a_message_may_be(event: Event, expected: tuple[Outcome, Reason]) -> None:
    """By the platform's stamp, else by when it came; on the hub the stores' retention is the only window."""
    assert expected == decided(event, holding(grant(Purpose.AUTONOMY, HUB)))
    assert FUTURE_TOLERANCE_MS == 300_000


@pytest.mark.parametrize(
    ("takeover_ms", "colleague_at", "expected"),
    [
        (0, None, YES),
        (0, NOW, YES),
        (0, NOW + 1, YES),
        (1, NOW, TAKEN),
        (1, NOW - 1, YES),
        (1, NOW + 1, TAKEN),
        (1_000, NOW - 999, TAKEN),
        (1_000, NOW - 1_000, YES),
        (1_000, None, YES),
    ],
)
def test_how_long_a_colleague_takes_over(
    takeover_ms: int, colleague_at: int | None, expected: tuple[Outcome, Reason]
) -> None:
    """For as long as the place says after a colleague wrote, to the millisecond; a silent place is not taken."""
    assert expected == decided(asked(), at_ext(takeover_ms=takeover_ms), colleague_at=colleague_at)


SPENT = {"g": Spent(total=9, on_target=9, today=9)}


@pytest.mark.parametrize(
    ("event", "grants", "expected", "grant_id"),
    [
        (peers("hi"), [], UNGRANTED, None),
        (peers("hi"), [grant(Purpose.AUTONOMY, HUB)], REQUESTED, "g"),
        (peers("hi"), [grant(Purpose.AUTONOMY, HUB, expires_at=NOW)], UNGRANTED, None),
        (peers("hi"), [grant(Purpose.BOT, HUB, admits=PEER)], REQUESTED, "g"),
        (peers("hi"), [grant(Purpose.BOT, HUB, admits=BUYER)], UNGRANTED, None),
        (peers("hi"), [grant(Purpose.BOT, HUB)], UNGRANTED, None),
        (peers("hi"), [grant(Purpose.SCHEDULE, HUB, admits=PEER)], UNGRANTED, None),
        (peers("hi", author_kind=AuthorKind.UNKNOWN), [grant(Purpose.AUTONOMY, HUB)], UNGRANTED, None),
        (peers("hi", chat=ChatKind.GROUP), [grant(Purpose.AUTONOMY, HUB)], UNGRANTED, None),
        (peers("hi", chat=ChatKind.UNKNOWN), [grant(Purpose.AUTONOMY, HUB)], UNGRANTED, None),
        (asked(author=B2, author_kind=AuthorKind.BOT), [grant(Purpose.AUTONOMY)], UNGRANTED, None),
        (
            asked(author=B2, author_kind=AuthorKind.BOT, chat=ChatKind.DIRECT),
            [grant(Purpose.AUTONOMY)],
            UNGRANTED,
            None,
        ),
        (
            asked(author=B2, author_kind=AuthorKind.BOT),
            [grant(Purpose.BOT, admits=B2, id="a", expires_at=NOW), grant(Purpose.BOT, admits=B2, id="b")],
            REQUESTED,
            "b",
        ),
        (asked(author=B2, author_kind=AuthorKind.BOT), [grant(Purpose.BOT, admits=B2)], REQUESTED, "g"),
        (asked(author=B2, author_kind=AuthorKind.UNKNOWN), [grant(Purpose.BOT, admits=B2)], UNGRANTED, None),
        (asked(), [grant(Purpose.BOT, admits=BUYER)], YES, None),
        (asked(), [grant(Purpose.SCHEDULE)], YES, None),
        (
            said(kind=EventKind.SYNTHETIC, grant_id="gone"),
            [grant(Purpose.SCHEDULE)],
            (Outcome.SILENT, Reason.SYNTHETIC_WITHOUT_GRANT),
            None,
        ),
        (said(kind=EventKind.SYNTHETIC, grant_id="g"), [grant(Purpose.SCHEDULE)], REQUESTED, "g"),
        (
            said(kind=EventKind.SYNTHETIC, grant_id="g"),
            [grant(Purpose.AUTONOMY)],
            (Outcome.SILENT, Reason.SYNTHETIC_WITHOUT_GRANT),
            None,
        ),
        (
            said(kind=EventKind.SYNTHETIC, grant_id="g", target=HUB, chat=ChatKind.DIRECT),
            [grant(Purpose.AUTONOMY, HUB)],
            (Outcome.SILENT, Reason.SYNTHETIC_WITHOUT_GRANT),
            None,
        ),
        (
            said(kind=EventKind.SYNTHETIC, grant_id="g", target=UNK),
            [grant(Purpose.SCHEDULE, UNK)],
            REQUESTED,
            "g",
        ),
    ],
)
def test_whom_a_grant_answers(
    event: Event, grants: list[Grant], expected: tuple[Outcome, Reason], grant_id: str | None
) -> None:
    """A grant answers the schedule, the bot or the hub contact that it names, and nobody else; the first that holds."""
    admission = admit(event, holding(*grants), standing(), "cor-1")

    assert (expected, grant_id) == ((admission.outcome, admission.reason), admission.grant_id)


def test_what_was_spent_is_asked_of_each_grant() -> None:
    """A spent grant is passed over for the next; a count of another grant is nobody's."""
    one, two = grant(Purpose.BOT, admits=B2, max_total=1), grant(Purpose.BOT, admits=B2, id="h", max_total=1)
    event = asked(author=B2, author_kind=AuthorKind.BOT)

    assert ["g", "h"] == [
        admit(event, holding(one, two), standing(spent=spent), "c").grant_id for spent in ({"other": SPENT["g"]}, SPENT)
    ]
    assert UNGRANTED == decided(event, holding(one), spent=SPENT)


@pytest.mark.parametrize("name", ["stop", "pause", "resume", "approve", "reject", "status"])
def test_the_closed_list_of_control_commands(name: str) -> None:
    """Each is the operator's, through a pause and a takeover, marked or typed; a customer has `stop` alone."""
    marked = Command(name, directed=Fact.YES)
    for policy, stands in ((WORLD, {}), (WORLD, {"paused": True}), (at_ext(takeover_ms=9), {"colleague_at": NOW})):
        for event in (said("x", command=marked), said(f"/{name} x")):
            own = msgspec.structs.replace(event, author=OPER)
            admission = admit(own, policy, standing(**stands), "cor-1")
            assert (Outcome.RESPOND, Reason.OPERATOR_COMMAND) == (admission.outcome, admission.reason)
            assert admission.command is not None
            assert name == admission.command.name
            assert (name == "stop" and not stands) == (decided(event, policy, **stands)[0] is Outcome.RESPOND)
    assert {"stop", "pause", "resume", "approve", "reject", "status"} == CONTROL_COMMANDS


def test_a_command_that_the_platform_marked_is_the_command() -> None:
    """Not the one that the text may start with."""
    event = said("/pause", author=OPER, command=Command("status", directed=Fact.YES))

    assert Command("status", directed=Fact.YES) == admit(event, WORLD, standing(), "c").command
    assert Command("pause") == admit(said("/pause", author=OPER), WORLD, standing(), "c").command
    assert admit(said("/help me", author=OPER), WORLD, standing(), "c").command is None
    assert admit(asked("hello"), WORLD, standing(), "c").command is None
    assert admit(said("/pause"), WORLD, standing(), "c").command is None


# --- the two records -------------------------------------------------------------------------------------------------


def weighed(event: Event, policy: Policy = WORLD, **stands: Any) -> dict[str, Any]:
    """Every fact of both records."""
    here, words = policy.at(event.target), LiveText(event.text)
    door, _ = weigh_door(event, policy, here, standing(**stands), words)
    question, _ = weigh_asked(event, policy, here, standing(**stands), door, words)
    return msgspec.structs.asdict(door) | msgspec.structs.asdict(question)


def test_a_plain_message_weighed() -> None:
    """Every fact of the buyer's mention, as it stands in the records."""
    assert weighed(asked("which dates are free?")) == {
        "authenticated": "yes",
        "seen": "new",
        "form": "message",
        "hold": "open",
        "identity": "valid",
        "access": "allowed",
        "author": "human",
        "granted": False,
        "explicit_only": False,
        "audience": "external",
        "direct": False,
        "addressed": "nobody_else",
        "mention": True,
        "command": "none",
        "reply": False,
        "substance": "nothing",
        "listed": True,
        "open_question": False,
        "operator_messages": False,
        "mention_free": False,
        "burst_open": False,
    }


UNLISTED = msgspec.structs.replace(WORLD, unknown_targets="explicit_requests")


@pytest.mark.parametrize(
    ("event", "policy", "stands", "facts"),
    [
        (asked(author=OPER), WORLD, {}, {"author": Author.OPERATOR}),
        (said("/resume", author=OPER), WORLD, {"paused": True}, {"hold": Hold.OPEN, "command": "control"}),
        (said("/stop", author=OPER), WORLD, {"paused": True}, {"hold": Hold.OPEN, "command": "stop"}),
        (said("/help", author=OPER), WORLD, {"paused": True}, {"hold": Hold.PAUSED, "command": "agent"}),
        (said("/huh", author=OPER), WORLD, {}, {"command": "none"}),
        (said("/resume"), WORLD, {"paused": True}, {"hold": Hold.PAUSED, "command": "control"}),
        (said("x", command=Command("help", directed=Fact.NO)), WORLD, {}, {"command": "elsewhere"}),
        (said("x", command=Command("help"), other_bots=Fact.UNKNOWN), WORLD, {}, {"command": "elsewhere"}),
        (
            said("x", command=Command("help"), other_bots=Fact.YES, chat=ChatKind.DIRECT),
            WORLD,
            {},
            {"command": "agent", "direct": True, "substance": "text"},
        ),
        (asked(author=NOBODY), WORLD, {}, {"identity": Identity.MALFORMED}),
        (asked(target=UNKNOWN), WORLD, {}, {"identity": Identity.MALFORMED}),
        (asked(dedupe_key=""), WORLD, {}, {"identity": Identity.MALFORMED}),
        (asked(event_id=""), WORLD, {}, {"identity": Identity.MALFORMED}),
        (asked(malformed=("text",)), WORLD, {}, {"identity": Identity.MALFORMED}),
        (said(kind=EventKind.SYNTHETIC, author=NOBODY), WORLD, {}, {"identity": Identity.VALID, "form": "synthetic"}),
        (said(kind=EventKind.SYNTHETIC, target=UNKNOWN), WORLD, {}, {"identity": Identity.NO_TARGET}),
        (asked(target=UNK), WORLD, {}, {"access": "denied", "explicit_only": False, "listed": False}),
        (asked(target=UNK), UNLISTED, {}, {"access": "explicit_only", "explicit_only": True}),
        (said(kind=EventKind.SYNTHETIC, target=UNK), WORLD, {}, {"access": "allowed"}),
        (asked(), msgspec.structs.replace(WORLD, denied_senders=frozenset({BUYER})), {}, {"access": "denied"}),
        (asked(), at_ext(allowed_senders=frozenset({OPER})), {}, {"access": "denied"}),
        (asked(), at_ext(allowed_senders=frozenset({BUYER})), {}, {"access": "allowed"}),
        (said(kind=EventKind.SYNTHETIC), at_ext(allowed_senders=frozenset()), {}, {"access": "allowed"}),
        (
            said(kind=EventKind.SYNTHETIC, grant_id="weekly"),
            at_ext(denied=True),
            {},
            {"access": "denied", "granted": True},
        ),
        (asked(reply_to=ReplyTo.UNKNOWN), WORLD, {}, {"addressed": "other", "reply": False}),
        (asked(reply_to=ReplyTo.OTHER), WORLD, {}, {"addressed": "other"}),
        (asked(mentions_other=Fact.UNKNOWN), WORLD, {}, {"addressed": "other"}),
        (said("Jordan, can you?", reply_to=ReplyTo.AGENT), WORLD, {}, {"addressed": "nobody_else", "reply": True}),
        (said("Jordan, can you?", target=INT), WORLD, {}, {"addressed": "other_by_text", "substance": "question"}),
        (said("which dates are free?", target=INT), WORLD, {}, {"substance": "question", "operator_messages": True}),
        (said("Jordan, can you?"), at_ext(open_question=True), {}, {"addressed": "other_by_text"}),
        (said("Jordan, can you?"), at_ext(operator_messages=True), {}, {"addressed": "other_by_text"}),
        (said("hello there everybody"), at_ext(open_question=True), {}, {"substance": "text"}),
        (said("hello there everybody"), at_ext(operator_messages=True), {}, {"substance": "text"}),
        (said("hello there everybody"), at_ext(require_mention=False), {}, {"substance": "text", "mention_free": True}),
        (said("", attachments=1), WORLD, {}, {"substance": "attachment"}),
        (said("", attachments=1), at_ext(require_mention=False), {}, {"substance": "attachment"}),
        (said("x", mentions_agent=Fact.UNKNOWN), WORLD, {}, {"mention": False}),
        (asked(target=OPS), WORLD, {}, {"audience": "operator"}),
        (asked(target=OPS, shared=Fact.UNKNOWN), WORLD, {}, {"audience": "external"}),
        (asked(), WORLD, {"burst_open": True}, {"burst_open": True}),
        (
            asked(kind=EventKind.EDIT, edit_marks_mentions=True),
            at_ext(edits_may_request=True),
            {},
            {"form": "message"},
        ),
        (asked(kind=EventKind.EDIT, edit_marks_mentions=True), WORLD, {}, {"form": "edit"}),
        (asked(kind=EventKind.EDIT), at_ext(edits_may_request=True), {}, {"form": "edit"}),
        (
            said(kind=EventKind.EDIT, edit_marks_mentions=True),
            at_ext(edits_may_request=True),
            {},
            {"form": "edit"},
        ),
        (asked(author_kind=AuthorKind.SELF, kind=EventKind.OTHER), WORLD, {}, {"form": "own", "author": "machine"}),
        (asked(kind=EventKind.OTHER), WORLD, {}, {"form": "other"}),
    ],
)
def test_one_fact_weighed(event: Event, policy: Policy, stands: dict[str, Any], facts: dict[str, Any]) -> None:
    """What one event comes to."""
    found = weighed(event, policy, **stands)

    assert facts == {name: found[name] for name in facts}


# --- what the decision is ---------------------------------------------------------------------------------------------


def test_everything_that_an_admission_says() -> None:
    """Id, times, sends and version from the policy, place and people from the event."""
    policy = msgspec.structs.replace(at_ext(language="zh"), admission_ms=7, admission_sends=3, language="en")
    event = asked(event_id="m7", thread="t1", dedupe_key="EXT:m7")

    assert admit(event, policy, standing(), "cor-9") == Admission(
        id="cor-9",
        outcome=Outcome.RESPOND,
        reason=Reason.AGENT_MENTIONED,
        audience=Audience.EXTERNAL,
        target=EXT,
        event_id="m7",
        policy_version=policy.version,
        decided_at=NOW,
        expires_at=NOW + 7,
        max_sends=3,
        author=BUYER,
        answers="m7",
        thread="t1",
        language="zh",
        grant_id=None,
        command=None,
    )
    assert "en" == admit(msgspec.structs.replace(event, target=UNK), policy, standing(), "c").language
    assert admit(said(kind=EventKind.SYNTHETIC, grant_id="weekly"), WORLD, standing(), "c").answers is None


def test_what_is_not_said_of_an_admission() -> None:
    """Without more: no message, no thread, English, no grant, no command."""
    bare = Admission(
        id="c",
        outcome=Outcome.SILENT,
        reason=Reason.NOT_REQUESTED,
        audience=Audience.EXTERNAL,
        target=EXT,
        event_id="m1",
        policy_version="v",
        decided_at=0,
        expires_at=0,
        max_sends=0,
        author=BUYER,
    )

    assert (None, None, "en", None, None) == (bare.answers, bare.thread, bare.language, bare.grant_id, bare.command)
    assert (None, None) == (
        (only := Judgement(outcome=Outcome.SILENT, reason=Reason.NOT_REQUESTED)).grant_id,
        only.command,
    )


def test_an_admission_cannot_be_changed_and_names_what_it_says() -> None:
    """Nobody can turn a silence into a response after it was decided, or mix up two of its words."""
    for made in (admit(asked(), WORLD, standing(), "c"), judged(asked(), WORLD, WORLD.at(EXT), standing())):
        with pytest.raises(AttributeError):
            made.outcome = Outcome.RESPOND  # type: ignore[misc]
        with pytest.raises(TypeError):
            type(made)(*(getattr(made, name) for name in type(made).__struct_fields__))


def test_which_classes_an_audience_is_shown() -> None:
    """Outside: the answer and the fixed sentence. Among us: also reports and progress. Without a yes: nothing."""
    outside = (OutputClass.FINAL, OutputClass.SAFE_ERROR)
    inside = (*outside, OutputClass.OPERATIONAL, OutputClass.PROGRESS)

    assert ALLOWED_CLASSES == {Audience.EXTERNAL: outside, Audience.INTERNAL: inside, Audience.OPERATOR: inside}
    assert outside == admit(asked(), WORLD, standing(), "c").allowed_classes
    assert inside == admit(asked(target=INT), WORLD, standing(), "c").allowed_classes
    assert () == admit(said(target=INT), WORLD, standing(), "c").allowed_classes
    assert [True, False] == [admit(each, WORLD, standing(), "c").responds for each in (asked(), said("x"))]


@pytest.mark.parametrize("paused", [False, True])
def test_a_broken_policy_obeys_nobody(paused: bool) -> None:
    """Not even an operator's command, and no grant is quoted; what is no event at all stays rejected."""
    policy = msgspec.structs.replace(WORLD, broken=True)
    for event in (said("/resume", author=OPER), said(kind=EventKind.SYNTHETIC, grant_id="weekly"), asked()):
        admission = admit(event, policy, standing(paused=paused), "c")
        assert (Outcome.SILENT, Reason.POLICY_BROKEN) == (admission.outcome, admission.reason)
        assert (None, None) == (admission.grant_id, admission.command)
    assert (Outcome.REJECTED, Reason.AUTH_FAILED) == decided(asked(authenticated=Fact.NO), policy)


def test_the_order_of_the_steps() -> None:
    """The tables have the rows of the spec, in its order."""
    assert [(step, reason) for step, _, (_, reason) in DOOR] == [
        ("0", "auth_failed"),
        ("1", "duplicate"),
        ("2", "self_echo"),
        ("2", "not_a_message"),
        ("2", "edit_not_a_request"),
        ("2", "stale"),
        ("2a", "paused"),
        ("2a", "human_takeover"),
        ("2b", "invalid_facts"),
        ("2b", "synthetic_without_target"),
        ("3", "access_denied"),
        ("5", "synthetic_without_grant"),
        ("6", "bot_without_grant"),
    ]
    assert [reason for _, reason in GROUNDS] == [
        *("operator_command", "operator_requested", "agent_mentioned", "agent_command", "reply_to_agent"),
        *("direct_message", "open_question", "operator_message", "mention_not_required"),
    ]


def test_what_is_remembered_is_bounded() -> None:
    """Decisions are looked up by their facts; no flood of different events makes that memory grow without end."""
    for remembered in (decide_door, decide_asked):
        assert remembered.cache_info().maxsize == MEMORY == 16_384
