"""The door out, row by row: one attempt that leaves, changed in one thing at a time (spec 1 §4, §6)."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import msgspec
import pytest

from dragoman.channels.memory.adapter import operations
from dragoman.gate.event import Command
from dragoman.gate.operations import CHANGING, MOST_CHANGES, PAID, POINTING, Operation
from dragoman.gate.outgoing import Step
from dragoman.gate.parts import NOTHING, Button, File, Parts, encoded
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.ports import Draft, Filed, Presence
from dragoman.gate.release import (
    MOST_FINDINGS,
    NOT_PERFORMABLE,
    Attempt,
    Decision,
    approval_grant,
    in_shadow,
    release,
    text_hash,
    undelivered,
)
from dragoman.gate.sentences import Sentence, safe_sentence
from dragoman.grants import Grant, Spent
from dragoman.identity import NOBODY, UNKNOWN, Target
from dragoman.words import Audience, Fact, Outcome, OutputClass, Purpose, Reason, ReleaseOutcome, SendKey, Topic
from tests.gate.draft_parts import PICTURE
from tests.gate.test_release_parts import admission as admitted
from tests.gate.test_release_parts import at_ext
from tests.gate.world import BUYER, EXT, INT, JORDAN, NOW, OPS, POLICY, RIVAL, UNK

WORLD = parse_policy(POLICY.encode())
TABLE = operations(SendKey.NATIVE, 200)
PLAIN = "Good morning."
SAFE = safe_sentence(Sentence.FAILED, "en")
PRICE = "The price is 40 EUR per shelf."
LEAK = "Kestrel-7"
OWN = "The Northwind depot is open."
SIGNED = "I have signed the order for you."
WEEKLY = WORLD.grants["weekly"]


def attempt(**changed: Any) -> Attempt:
    """A plain answer to the buyer in EXT, which leaves; `text` and the other fields of a draft stand for the draft."""
    about = {name: changed.pop(name) for name in Draft.__struct_fields__ if name in changed}
    facts: dict[str, Any] = {
        "draft": Draft(**({"text": PLAIN} | about)),
        "target": EXT,
        "operation": Operation.SEND,
        "operations": TABLE,
        "authority": admission(changed.get("target", EXT)),
        "grant": None,
        "presence": Presence(shared=Fact.NO),
        "now": NOW,
    }
    return Attempt(**(facts | changed))


def admission(target: Target = EXT, **changed: Any) -> Any:
    """A live admission of a mention by the buyer, changed."""
    return msgspec.structs.replace(admitted(target if target.known else EXT), **changed)


def approval(text: str = PLAIN, parts: Parts = NOTHING, **changed: Any) -> Grant:
    """An operator's approval of exactly this draft in EXT."""
    made = Grant(
        id="approval:dft-1",
        purpose=Purpose.APPROVAL,
        targets=frozenset({EXT}),
        given_by="oper",
        expires_at=NOW + 1,
        max_total=1,
        text_sha256=text_hash(text, parts),
    )
    return msgspec.structs.replace(made, **changed)


def under(grant: Grant, held: Grant | None = None, **changed: Any) -> dict[str, Any]:
    """The changes of an attempt that leaves by a grant, and is held now as `held`."""
    return {"authority": grant, "grant": held or grant, **changed}


RESUMED = {
    "target": OPS,
    "paused": True,
    "output_class": OutputClass.OPERATIONAL,
    "authority": admission(OPS, command=Command("pause")),
}

STEP_0: list[tuple[str, dict[str, Any], Reason]] = [
    ("a plain answer", {}, Reason.RELEASED),
    ("a target that is not known", {"target": UNKNOWN}, Reason.TARGET_INVALID),
    ("an adapter that declares nothing", {"operations": {}}, Reason.UNDECLARED_OPERATION),
    ("an edit of nothing", {"operation": Operation.EDIT}, Reason.TARGET_INVALID),
    ("an edit of a message", {"operation": Operation.EDIT, "edits": "m2"}, Reason.RELEASED),
    ("a private message for nobody", {"operation": Operation.PRIVATE}, Reason.TARGET_INVALID),
    ("a private message for no account", {"operation": Operation.PRIVATE, "only_for": NOBODY}, Reason.TARGET_INVALID),
    ("a private message for the one who asked", {"operation": Operation.PRIVATE, "only_for": BUYER}, Reason.RELEASED),
    ("a private message for another", {"operation": Operation.PRIVATE, "only_for": JORDAN}, Reason.OTHER_TARGET),
    ("a public message for one alone", {"only_for": BUYER}, Reason.TARGET_INVALID),
    ("a public message for no account", {"only_for": NOBODY}, Reason.OTHER_TARGET),
    ("a paused agent", {"paused": True}, Reason.PAUSED),
    ("a paused agent under a grant", under(WEEKLY, paused=True), Reason.PAUSED),
    ("a paused agent that tells who paused it", RESUMED, Reason.RELEASED),
    ("a paused agent with more to say", RESUMED | {"output_class": OutputClass.FINAL}, Reason.PAUSED),
    ("a paused agent that nobody ordered", RESUMED | {"authority": admission(OPS)}, Reason.PAUSED),
    ("a paused agent with a report under a grant", RESUMED | under(WEEKLY), Reason.PAUSED),
    ("a part without a name", {"parts": Parts(buttons=(Button(label=" "),))}, Reason.PART_INVALID),
    ("no text", {"text": " "}, Reason.EMPTY_TEXT),
    (
        "a text that is too long for an edit",
        {"operation": Operation.EDIT, "edits": "m2", "text": "a " * 101},
        Reason.TOO_LONG,
    ),
    (
        "a part that is not carried",
        {"operation": Operation.THREAD, "parts": Parts(subject="s")},
        Reason.PART_NOT_CARRIED,
    ),
]

FIXED_FIRST: list[tuple[str, dict[str, Any], Reason]] = [
    ("a silent turn's answer", {"authority": admission(outcome=Outcome.SILENT)}, Reason.CLASS_NOT_ALLOWED),
    (
        "a silent turn's safe error",
        {"authority": admission(outcome=Outcome.DEFER), "text": SAFE, "output_class": OutputClass.SAFE_ERROR},
        Reason.CLASS_NOT_ALLOWED,
    ),
    ("progress outside", {"output_class": OutputClass.PROGRESS}, Reason.CLASS_NOT_ALLOWED),
    ("progress inside", {"output_class": OutputClass.PROGRESS, "target": INT}, Reason.RELEASED),
    ("reasoning inside", {"output_class": OutputClass.REASONING, "target": INT}, Reason.CLASS_NOT_ALLOWED),
    (
        "a guest in a target of our own",
        {"output_class": OutputClass.PROGRESS, "target": INT, "presence": Presence(shared=Fact.YES)},
        Reason.CLASS_NOT_ALLOWED,
    ),
    (
        "company that nobody knows in a target of our own",
        {"output_class": OutputClass.PROGRESS, "target": INT, "presence": Presence(shared=Fact.UNKNOWN)},
        Reason.CLASS_NOT_ALLOWED,
    ),
    (
        "typing as an answer",
        {"operation": Operation.TYPING, "text": "", "target": INT},
        Reason.CLASS_NOT_ALLOWED,
    ),
    ("the marker of silence in a text", {"text": f"{PLAIN} NO_REPLY"}, Reason.CLASS_NOT_ALLOWED),
    ("a word that holds the marker", {"text": f"{PLAIN} NO_REPLYING"}, Reason.RELEASED),
    ("a word that ends in the marker", {"text": f"{PLAIN} NANO_REPLY"}, Reason.RELEASED),
    ("the marker, and a word that holds it", {"text": "NO_REPLYING NO_REPLY"}, Reason.CLASS_NOT_ALLOWED),
    ("a hard stop", {"text": SIGNED}, Reason.HARD_STOP),
    ("a hard stop inside", {"text": SIGNED, "target": INT}, Reason.HARD_STOP),
    ("a hard stop that was approved", under(approval(SIGNED), text=SIGNED), Reason.HARD_STOP),
    (
        "a hard stop that calls itself a safe error",
        {"text": SIGNED, "output_class": OutputClass.SAFE_ERROR},
        Reason.HARD_STOP,
    ),
    (
        "our fixed sentence, where every answer stays a draft",
        {"text": SAFE, "output_class": OutputClass.SAFE_ERROR, "policy": at_ext(draft_only=True)},
        Reason.RELEASED,
    ),
    (
        "our fixed sentence with space around it",
        {"text": f" {SAFE}\n", "output_class": OutputClass.SAFE_ERROR, "policy": at_ext(draft_only=True)},
        Reason.RELEASED,
    ),
    (
        "our fixed sentence as an answer there",
        {"text": SAFE, "policy": at_ext(draft_only=True)},
        Reason.DRAFT_ONLY_TARGET,
    ),
    (
        "another safe error there",
        {"text": PLAIN, "output_class": OutputClass.SAFE_ERROR, "policy": at_ext(draft_only=True)},
        Reason.DRAFT_ONLY_TARGET,
    ),
    (
        "our fixed sentence with a picture",
        {"text": SAFE, "output_class": OutputClass.SAFE_ERROR, "parts": Parts(files=(PICTURE,))},
        Reason.PART_NOT_CARRIED,
    ),
    (
        "a safe error that names a price",
        {"text": PRICE, "output_class": OutputClass.SAFE_ERROR},
        Reason.DRAFT_ONLY_TOPIC,
    ),
    (
        "our fixed sentence after half a term",
        {"text": SAFE, "output_class": OutputClass.SAFE_ERROR, "shown": (LEAK,)},
        Reason.RELEASED,
    ),
]

CONTENT: list[tuple[str, dict[str, Any], Reason]] = [
    ("another counterparty's term", {"text": LEAK}, Reason.LEAK_SUSPECTED),
    ("its own term", {"text": OWN, "target": RIVAL}, Reason.RELEASED),
    (
        "its own term in unknown company",
        {"text": OWN, "target": RIVAL, "presence": Presence(shared=Fact.UNKNOWN)},
        Reason.LEAK_SUSPECTED,
    ),
    ("its own term in company", {"text": OWN, "target": RIVAL, "presence": Presence(shared=Fact.YES)}, Reason.RELEASED),
    ("a term inside", {"text": LEAK, "target": INT}, Reason.RELEASED),
    ("a term that was approved", under(approval(LEAK), text=LEAK), Reason.LEAK_SUSPECTED),
    ("a secret inside", {"text": "AKIAIOSFODNN7EXAMPLE", "target": INT}, Reason.LEAK_SUSPECTED),
    ("the second half of a term", {"text": "rel-7 is open", "shown": ("Kest",)}, Reason.LEAK_SUSPECTED),
    ("a link that runs something", {"text": "See [the list](javascript:go()).", "target": INT}, Reason.LINK_SUSPECTED),
    ("a price", {"text": PRICE}, Reason.DRAFT_ONLY_TOPIC),
    ("a price inside", {"text": PRICE, "target": INT}, Reason.RELEASED),
    ("a price that was approved", under(approval(PRICE), text=PRICE), Reason.RELEASED),
    (
        "a price where prices need no draft",
        {"text": PRICE, "policy": msgspec.structs.replace(WORLD, draft_only=frozenset({Topic.LEGAL}))},
        Reason.UNVERIFIED_CLAIM,
    ),
    ("a declared topic", {"topics": frozenset({Topic.LEGAL})}, Reason.DRAFT_ONLY_TOPIC),
    ("a declared topic inside", {"topics": frozenset({Topic.LEGAL}), "target": INT}, Reason.RELEASED),
    (
        "a declared topic that needs no draft",
        {
            "topics": frozenset({Topic.LEGAL}),
            "policy": msgspec.structs.replace(WORLD, draft_only=frozenset({Topic.PRICES})),
        },
        Reason.RELEASED,
    ),
    ("a picture", {"parts": Parts(files=(PICTURE,))}, Reason.UNCHECKED_CONTENT),
    ("a picture inside", {"parts": Parts(files=(PICTURE,)), "target": INT}, Reason.RELEASED),
    ("a draft-only target", {"policy": at_ext(draft_only=True)}, Reason.DRAFT_ONLY_TARGET),
    ("a stated date", {"text": "13 October 2026 is open."}, Reason.RELEASED),
    ("an unstated date", {"text": "14 October 2026 is open."}, Reason.UNVERIFIED_CLAIM),
    ("an unstated date inside", {"text": "14 October 2026 is open.", "target": INT}, Reason.RELEASED),
    ("a grant's post in public", under(WEEKLY, policy=at_ext(public=True)), Reason.DRAFT_ONLY_TOPIC),
    (
        "a grant's edit in public",
        under(WEEKLY, policy=at_ext(public=True), operation=Operation.EDIT, edits="m2"),
        Reason.RELEASED,
    ),
    ("an answer in public", {"policy": at_ext(public=True)}, Reason.RELEASED),
]

SPENT = Spent(total=9, on_target=9, today=9)
AUTONOMY = Grant(
    id="a", purpose=Purpose.AUTONOMY, targets=frozenset({EXT}), given_by="oper", expires_at=NOW + 1, max_total=1
)
GRANTED = admission(grant_id="weekly", expires_at=NOW - 1, max_sends=0)

DELIVERY: list[tuple[str, dict[str, Any], Reason]] = [
    ("no authority", {"authority": None}, Reason.NO_DELIVERY_AUTHORITY),
    ("a grant", under(WEEKLY), Reason.RELEASED),
    ("a grant that was taken back", {"authority": WEEKLY, "grant": None}, Reason.GRANT_UNKNOWN),
    (
        "a grant of another purpose",
        under(WEEKLY, msgspec.structs.replace(WEEKLY, purpose=Purpose.BOT)),
        Reason.GRANT_OTHER_PURPOSE,
    ),
    ("a grant for another target", under(WEEKLY, target=RIVAL), Reason.GRANT_OTHER_TARGET),
    ("a spent grant", under(WEEKLY, spent=SPENT), Reason.GRANT_SPENT),
    ("an edit under a spent grant", under(WEEKLY, spent=SPENT, operation=Operation.EDIT, edits="m2"), Reason.RELEASED),
    ("an expired grant", under(WEEKLY, now=WEEKLY.expires_at), Reason.GRANT_EXPIRED),
    ("an approval", under(approval()), Reason.RELEASED),
    ("an approval of other words", under(approval("Good evening.")), Reason.APPROVAL_MISMATCH),
    (
        "an approval of other words, inside",
        under(approval("Good evening.", targets=frozenset({INT})), target=INT),
        Reason.APPROVAL_MISMATCH,
    ),
    (
        "a schedule that quotes the words",
        under(msgspec.structs.replace(WEEKLY, text_sha256=text_hash(PRICE)), text=PRICE),
        Reason.DRAFT_ONLY_TOPIC,
    ),
    ("an approval that was used", under(approval(), spent=SPENT), Reason.GRANT_SPENT),
    ("another target than the admission's", {"authority": admission(RIVAL)}, Reason.OTHER_TARGET),
    ("another policy than the admission's", {"authority": admission(policy_version="old")}, Reason.POLICY_CHANGED),
    ("the last moment of an admission", {"now": NOW + 999}, Reason.RELEASED),
    ("an admission that expired", {"now": NOW + 1_000}, Reason.ADMISSION_EXPIRED),
    ("the last send of an admission", {"sends": 7}, Reason.RELEASED),
    ("an admission whose sends are spent", {"sends": 8}, Reason.ADMISSION_SPENT),
    ("an edit after the last send", {"sends": 8, "operation": Operation.EDIT, "edits": "m2"}, Reason.RELEASED),
    (
        "the last change of an admission",
        {"changes": MOST_CHANGES - 1, "operation": Operation.EDIT, "edits": "m2"},
        Reason.RELEASED,
    ),
    (
        "one change too many",
        {"changes": MOST_CHANGES, "operation": Operation.EDIT, "edits": "m2"},
        Reason.ADMISSION_SPENT,
    ),
    ("a send after the last change", {"changes": MOST_CHANGES}, Reason.RELEASED),
    (
        "an admission on a grant outlives its own time and sends",
        {"authority": GRANTED, "grant": WEEKLY},
        Reason.RELEASED,
    ),
    ("an admission on a grant that was taken back", {"authority": GRANTED}, Reason.GRANT_UNKNOWN),
    ("an admission on a spent grant", {"authority": GRANTED, "grant": WEEKLY, "spent": SPENT}, Reason.GRANT_SPENT),
    (
        "an edit on a spent grant",
        {"authority": GRANTED, "grant": WEEKLY, "spent": SPENT, "operation": Operation.EDIT, "edits": "m2"},
        Reason.RELEASED,
    ),
    (
        "one change too many on a grant",
        {"authority": GRANTED, "grant": WEEKLY, "changes": MOST_CHANGES, "operation": Operation.EDIT, "edits": "m2"},
        Reason.ADMISSION_SPENT,
    ),
    ("a turn that autonomy paid for", {"authority": GRANTED, "grant": AUTONOMY, "spent": SPENT}, Reason.RELEASED),
    ("autonomy that ended", {"authority": GRANTED, "grant": AUTONOMY, "now": NOW + 1}, Reason.GRANT_EXPIRED),
]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [pytest.param(changed, reason, id=name) for name, changed, reason in (*STEP_0, *FIXED_FIRST, *CONTENT, *DELIVERY)],
)
def test_one_thing_changed(changed: dict[str, Any], reason: Reason) -> None:
    """The first no decides; with none, it leaves."""
    policy = changed.get("policy", WORLD)
    decision = release(attempt(**{name: value for name, value in changed.items() if name != "policy"}), policy)

    assert reason is decision.reason
    assert (reason is Reason.RELEASED) == decision.sends


@pytest.mark.parametrize("operation", sorted(Operation))
def test_what_changes_or_points_says_at_what(operation: Operation) -> None:
    """Each operation that changes a message names it, each that is about one names it, and no other needs either."""
    only_for = BUYER if operation is Operation.PRIVATE else None
    bare = release(attempt(operation=operation, only_for=only_for), WORLD).reason
    edits = release(attempt(operation=operation, only_for=only_for, edits="m2"), WORLD).reason
    points = release(attempt(operation=operation, only_for=only_for, points_at="m2"), WORLD).reason

    assert (operation in CHANGING or operation in POINTING) == (bare is Reason.TARGET_INVALID)
    assert (operation in POINTING) == (edits is Reason.TARGET_INVALID)
    assert (operation in CHANGING) == (points is Reason.TARGET_INVALID)


@pytest.mark.parametrize("operation", sorted(set(PAID) - {Operation.SEND, Operation.UPLOAD, Operation.PRIVATE}))
def test_everything_new_is_paid_for(operation: Operation) -> None:
    """Whatever makes a new message uses up the sends of an admission, and in public is a post."""
    assert Reason.RELEASED is release(attempt(operation=operation, sends=7), WORLD).reason
    assert Reason.ADMISSION_SPENT is release(attempt(operation=operation, sends=8), WORLD).reason
    assert Reason.DRAFT_ONLY_TOPIC is release(attempt(operation=operation, **under(WEEKLY)), at_ext(public=True)).reason


# --- what is told ----------------------------------------------------------------------------------------------------


def test_a_decision_says_whom_it_was_for_and_by_what_it_leaves() -> None:
    """The audience is that of the target at this moment, in a yes and in a no; a no before step 1 has no way out."""
    inside = attempt(target=INT)
    unpaid = msgspec.structs.replace(inside, operations={})

    assert release(inside, WORLD) == Decision(
        outcome=ReleaseOutcome.SEND,
        reason=Reason.RELEASED,
        audience=Audience.INTERNAL,
        steps=(Step(Operation.SEND, PLAIN),),
    )
    assert release(unpaid, WORLD) == Decision(
        outcome=ReleaseOutcome.DENY, reason=Reason.UNDECLARED_OPERATION, audience=Audience.INTERNAL
    )
    assert release(attempt(target=INT, text=SIGNED), WORLD).audience is Audience.INTERNAL
    assert release(attempt(target=INT, text="AKIAIOSFODNN7EXAMPLE"), WORLD).audience is Audience.INTERNAL
    assert release(attempt(target=INT, authority=None), WORLD).audience is Audience.INTERNAL
    assert release(attempt(target=INT, output_class=OutputClass.SECRET), WORLD).audience is Audience.INTERNAL
    assert release(attempt(target=INT, text="[a](javascript:go())"), WORLD).audience is Audience.INTERNAL
    assert release(attempt(text=PRICE), WORLD).audience is Audience.EXTERNAL


def test_what_is_held_or_denied_says_where() -> None:
    """A finding has its rule and its place; topics are told in order, the declared with the ruled."""
    stopped = release(attempt(text=SIGNED), WORLD)
    leaking = release(attempt(text=LEAK), WORLD)
    invalid = release(attempt(parts=Parts(buttons=(Button(label=" "),))), WORLD)
    dated = release(attempt(text="14 October 2026 is open."), WORLD)
    topical = release(attempt(text=PRICE, topics=frozenset({Topic.LEGAL})), WORLD)

    assert ["signing@text"] == [str(finding) for finding in stopped.findings]
    assert ["term text:0-9"] == [re.sub(r":\d+@", " ", str(finding)) for finding in leaking.findings]
    assert ["part:empty@button[0].label"] == [str(finding) for finding in invalid.findings]
    assert ["text:0-2"] == [str(finding).partition("@")[2] for finding in dated.findings]
    assert (Topic.UNVERIFIED_CLAIM,) == dated.topics
    assert (Topic.LEGAL, Topic.PRICES) == topical.topics
    assert [ReleaseOutcome.DENY, ReleaseOutcome.HOLD] == [stopped.outcome, leaking.outcome]
    assert leaking.steps == (Step(Operation.SEND, LEAK),)


def test_findings_are_bounded() -> None:
    """However much is found, so many are told."""
    links = "[a](javascript:go()) " * (MOST_FINDINGS + 8)
    decision = release(attempt(text=links, target=INT, operations=operations(SendKey.NATIVE, 9_000)), WORLD)

    assert (Reason.LINK_SUSPECTED, MOST_FINDINGS) == (decision.reason, len(decision.findings))
    assert MOST_FINDINGS == 64


def test_an_error_in_a_check_is_a_no() -> None:
    """Whatever breaks, nothing leaves, and it counts as outside."""
    for broken in (attempt(presence=None), attempt(target=INT, operations=None), attempt(target=INT, text=None)):
        assert release(broken, WORLD) == Decision(
            outcome=ReleaseOutcome.DENY, reason=Reason.RULE_FAILED, audience=Audience.EXTERNAL
        )


@pytest.mark.parametrize("outcome", list(ReleaseOutcome))
@pytest.mark.parametrize("reason", list(Reason))
def test_what_an_operator_may_approve(outcome: ReleaseOutcome, reason: Reason) -> None:
    """A hold for a topic, a tier, a claim or unread content; never a leak, a link, or what was denied."""
    liftable = {"draft_only_topic", "draft_only_target", "unverified_claim", "unchecked_content"}
    decision = Decision(outcome=outcome, reason=reason, audience=Audience.EXTERNAL)

    assert (outcome == "hold" and reason in liftable) == decision.approvable
    assert (outcome == "send") == decision.sends


def test_an_approval_is_bound_to_every_byte() -> None:
    """The hash covers text and parts, so that neither can be moved into the other; half a character breaks nothing."""
    parts = Parts(subject="Dates")

    assert hashlib.sha256("日期".encode()).hexdigest() == text_hash("日期")
    assert hashlib.sha256(b"dragoman-draft-v1\n6\n" + "日期".encode() + encoded(parts)).hexdigest() == text_hash(
        "日期", parts
    )
    assert 64 == len(text_hash("\ud800"))


def test_an_approval_lets_out_one_text_at_one_target_once() -> None:
    """The grant that an approval makes has the draft's target, hash, expiry and operator, and one use."""
    filed = Filed(
        id="dft-1",
        target=EXT,
        text=PLAIN,
        sha256="ab" * 32,
        epoch="v:external",
        reason=Reason.DRAFT_ONLY_TOPIC,
        expires_at=NOW + 5,
        operator="oper",
    )

    assert approval_grant(filed, "approval:dft-1") == Grant(
        id="approval:dft-1",
        purpose=Purpose.APPROVAL,
        targets=frozenset({EXT}),
        given_by="oper",
        expires_at=NOW + 5,
        max_total=1,
        text_sha256="ab" * 32,
    )


def test_beside_a_live_bot_what_can_be_performed_goes() -> None:
    """In shadow mode a held draft leaves as it would have left, and what was decided is told; the rest stays a no."""
    held, denied = release(attempt(text=PRICE), WORLD), release(attempt(paused=True), WORLD)
    told = in_shadow(held, attempt(text=PRICE))
    paused = in_shadow(denied, attempt(paused=True))

    assert msgspec.structs.replace(held, outcome=ReleaseOutcome.SEND, shadow=ReleaseOutcome.HOLD) == told
    assert (ReleaseOutcome.SEND, Reason.PAUSED, ReleaseOutcome.DENY) == (paused.outcome, paused.reason, paused.shadow)
    assert (Step(Operation.SEND, PLAIN),) == paused.steps


@pytest.mark.parametrize("reason", list(Reason))
def test_beside_a_live_bot_what_cannot_be_performed_stays(reason: Reason) -> None:
    """No target, no such operation, no text, a part that is not carried: there is nothing to perform."""
    decision = Decision(outcome=ReleaseOutcome.DENY, reason=reason, audience=Audience.EXTERNAL)
    unable = {"target_invalid", "undeclared_operation", "empty_text", "part_not_carried"}

    assert (reason in unable) == (decision == in_shadow(decision, attempt()))
    assert unable == NOT_PERFORMABLE


def test_step_6_alone_gives_the_same_answer() -> None:
    """Step 6 alone, as the typing of a turn asks it: the same answer as in the whole."""
    for name, changed, reason in DELIVERY:
        if reason is not Reason.DRAFT_ONLY_TOPIC:
            expected = None if reason is Reason.RELEASED else reason
            assert (name, expected) == (name, undelivered(attempt(**changed), WORLD))


def test_the_rows_are_what_they_say() -> None:
    """No name twice, and the world has no entry for what is called unlisted."""
    names = [name for name, _, _ in (*STEP_0, *FIXED_FIRST, *CONTENT, *DELIVERY)]

    assert len(set(names)) == len(names)
    assert UNK not in WORLD.targets


def test_a_piece_that_alone_would_be_a_term_is_named_as_text() -> None:
    """What a split would make of a text is looked at too, and found in the text; also our marker of silence."""
    twenty = operations(SendKey.NATIVE, 20)
    cut = release(attempt(text=f"{'x' * 20}Northwind depot", operations=twenty), WORLD)
    silence = release(attempt(text=f"{'x' * 20}NO_REPLY", operations=twenty), WORLD)

    assert (Reason.LEAK_SUSPECTED, {"text"}) == (cut.reason, {finding.place for finding in cut.findings})
    assert (Reason.LEAK_SUSPECTED, ()) == (silence.reason, silence.findings)
    assert Reason.RELEASED is release(attempt(text="word " * 7, operations=twenty), WORLD).reason


def test_unread_content_is_named() -> None:
    """By the rule, and by each file that nobody could read."""
    parts = Parts(files=(PICTURE, File(name="n.txt", content=b"hello"), PICTURE))

    assert ["content:unread@file[0].content", "content:unread@file[2].content"] == [
        str(finding) for finding in release(attempt(parts=parts), WORLD).findings
    ]


def test_what_is_not_said_of_an_attempt_and_a_decision() -> None:
    """Nothing declared, sent, shown or spent yet, and not paused; no topic, no finding, no way out."""
    bare = Attempt(
        draft=Draft(text=PLAIN),
        target=EXT,
        operation=Operation.SEND,
        authority=None,
        grant=None,
        presence=Presence(shared=Fact.NO),
        now=NOW,
    )
    decision = Decision(outcome=ReleaseOutcome.DENY, reason=Reason.PAUSED, audience=Audience.EXTERNAL)

    assert ({}, None, None, None, 0, 0, (), Spent(), False) == (
        *(bare.operations, bare.edits, bare.points_at, bare.only_for),
        *(bare.sends, bare.changes, bare.shown, bare.spent, bare.paused),
    )
    assert ((), (), (), None) == (decision.topics, decision.findings, decision.steps, decision.shadow)


def test_a_decision_cannot_be_changed_and_names_what_it_says() -> None:
    """Nobody can turn a no into a yes after it was given, point it elsewhere, or mix up two of its words."""
    asked = attempt()
    for made in (asked, release(asked, WORLD)):
        for name in type(made).__struct_fields__:
            with pytest.raises(AttributeError):
                setattr(made, name, None)
        with pytest.raises(TypeError):
            type(made)(*(getattr(made, name) for name in type(made).__struct_fields__))
