"""Release over every text of a draft: each step of spec 1 §4 holds for each place of each kind of part."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.channels.memory.adapter import MAX_LENGTH, operations
from dragoman.gate.admit import Admission
from dragoman.gate.operations import CLASS_OF, Operation
from dragoman.gate.parts import Button, Card, Field, File, Link, Parts, Poll
from dragoman.gate.policy import Policy
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.ports import Draft, Presence
from dragoman.gate.release import Attempt, Decision, release, text_hash
from dragoman.grants import Grant
from dragoman.identity import NOBODY, Target
from dragoman.words import Fact, Outcome, OutputClass, Purpose, Reason, ReleaseOutcome, SendKey, Topic
from tests.gate.draft_parts import NOTE, PICTURE, PLACES, PLAIN, PROSE, SITE
from tests.gate.test_parts import PARTS
from tests.gate.world import BUYER, EXT, INT, NOW, POLICY, RIVAL, UNK

WORLD = parse_policy(POLICY.encode())
TABLE = operations(SendKey.NATIVE, MAX_LENGTH)


def admission(target: Target = EXT, policy: Policy = WORLD, answers: str | None = "m1") -> Admission:
    """A live admission of a mention by the buyer."""
    return Admission(
        id="cor-1",
        outcome=Outcome.RESPOND,
        reason=Reason.AGENT_MENTIONED,
        audience=policy.audience(target, Fact.NO),
        target=target,
        event_id="m1",
        answers=answers,
        policy_version=policy.version,
        decided_at=NOW,
        expires_at=NOW + 1_000,
        max_sends=8,
        author=BUYER,
    )


def decided(
    text: str = PLAIN,
    parts: Parts | None = None,
    *,
    target: Target = EXT,
    policy: Policy = WORLD,
    authority: Admission | Grant | None = None,
    shown: str = "",
    operation: Operation = Operation.SEND,
    output_class: OutputClass = OutputClass.FINAL,
) -> Decision:
    """The door's decision on a draft that answers a live admission there."""
    return release(
        Attempt(
            draft=Draft(text=text, parts=parts or Parts(), output_class=output_class),
            target=target,
            operation=operation,
            operations=TABLE,
            authority=authority or admission(target, policy),
            grant=authority if isinstance(authority, Grant) else None,
            presence=Presence(shared=Fact.NO),
            now=NOW,
            shown=(shown,) if shown else (),
        ),
        policy,
    )


def places(decision: Decision) -> set[str]:
    """Where something was found."""
    return {finding.place for finding in decision.findings}


STEPS: dict[str, tuple[str, ReleaseOutcome, Reason]] = {
    "1 the marker of silence": ("NO_REPLY", ReleaseOutcome.DENY, Reason.CLASS_NOT_ALLOWED),
    "2 a hard stop": ("I have signed the order for you.", ReleaseOutcome.DENY, Reason.HARD_STOP),
    "3 a foreign term": ("Kestrel-7", ReleaseOutcome.HOLD, Reason.LEAK_SUSPECTED),
    "3 a secret": ("AKIAIOSFODNN7EXAMPLE", ReleaseOutcome.HOLD, Reason.LEAK_SUSPECTED),
    "4 a price": ("The price is 40 EUR per shelf.", ReleaseOutcome.HOLD, Reason.DRAFT_ONLY_TOPIC),
    "5 an unstated date": ("14 October is open.", ReleaseOutcome.HOLD, Reason.UNVERIFIED_CLAIM),
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("place", PROSE)
def test_each_step_holds_in_each_place(place: str, step: str) -> None:
    """What is not allowed in the text is not allowed in a name, caption, label, field, option or a file's content."""
    text, outcome, reason = STEPS[step]

    decision = decided(parts=PLACES[place](text))

    assert (outcome, reason) == (decision.outcome, decision.reason)
    assert places(decision) <= {place}


@pytest.mark.parametrize("place", PLACES)
def test_harmless_parts_leave(place: str) -> None:
    """The positive control: a stated fact in each place, and our own counterparty's term, go out."""
    for text in ("October", "Project_Falcon"):
        assert Reason.RELEASED is decided(parts=PLACES[place](text)).reason


@pytest.mark.parametrize("place", PLACES)
@given(before=st.sampled_from(["", "the ", "x-", "见"]), after=st.sampled_from(["", " now", ".", "。"]))
def test_a_guarded_term_in_any_place_is_held(place: str, before: str, after: str) -> None:
    """Whatever surrounds it: held, found in that place, and neither text nor party is in what is told."""
    decision = decided(parts=PLACES[place](f"{before}Kestrel-7{after}"))

    assert (ReleaseOutcome.HOLD, {place}) == (decision.outcome, places(decision))
    assert not decision.approvable
    told = msgspec.json.encode([str(finding) for finding in decision.findings]).lower()
    assert b"kestrel" not in told
    assert b"zenith" not in told


@pytest.mark.parametrize("cut", ["Kest|rel-7", "Kestrel|-7", "K|e|strel-7", "Northwind| depot", "Northwind |depot"])
@pytest.mark.parametrize(
    "join",
    [
        lambda a, b: (a, Parts(buttons=(Button(label=b),))),
        lambda a, b: (a, Parts(files=(File(name="n.txt", content=NOTE.encode(), caption=b),))),
        lambda a, b: (a, Parts(files=(File(name=f"{b.strip()}.txt", content=b""),))),
        lambda a, b: (PLAIN, Parts(subject="s", cards=(Card(title=a, text=b),))),
        lambda a, b: (PLAIN, Parts(cards=(Card(fields=(Field(name=a, value=b),)),))),
        lambda a, b: (PLAIN, Parts(cards=(Card(fields=(Field(name="one", value=a), Field(name="two", value=b))),))),
        lambda a, b: (PLAIN, Parts(polls=(Poll(question="Which?", options=(a, b)),))),
        lambda a, b: (PLAIN, Parts(buttons=(Button(label=a), Button(label=b)))),
        lambda a, b: (b, Parts(subject=a)),
        lambda a, b: (PLAIN, Parts(files=(File(name="n", content=a.encode()), File(name="m", content=b.encode())))),
    ],
    ids=[
        *("text and label", "text and caption", "text and file name", "title and text", "name and value"),
        *("value and value", "options", "labels", "subject and text", "contents"),
    ],
)  # fmt: skip
def test_a_term_cut_over_neighbours_is_held(join, cut: str) -> None:  # type: ignore[no-untyped-def]
    """What a reader puts together is checked together, whatever stands between in the order of the parts."""
    first, *rest = cut.split("|")
    text, parts = join(first, "".join(rest))

    decision = decided(text, parts)

    assert Reason.LEAK_SUSPECTED is decision.reason
    assert all(place.endswith("+") for place in places(decision))


@pytest.mark.parametrize(
    "parts",
    [
        Parts(files=(File(name="a", content=b"", media_type="application/kestrel-7"),)),
        Parts(links=(Link(target=f"{SITE}Northwind%20depot"),)),
        Parts(files=(File(name="a.html", content=b"<p>North<b>wind</b> depot</p>", media_type="text/html"),)),
        Parts(files=(File(name="a.b64", content=b"Tm9ydGh3aW5kIGRlcG90IGlzIG9wZW4="),)),
    ],
    ids=["media type", "percent-encoded", "marked up", "base64"],
)
def test_a_disguised_term_in_a_part_is_held(parts: Parts) -> None:
    """The encodings that hide nothing in a text hide nothing in a part."""
    assert Reason.LEAK_SUSPECTED is decided(parts=parts).reason


def test_a_term_cut_over_three_options_is_held() -> None:
    """Not only pairs."""
    assert (
        Reason.LEAK_SUSPECTED
        is decided(parts=Parts(polls=(Poll(question="Which?", options=("Ke", "str", "el-7")),))).reason
    )


def test_a_term_cut_over_two_sends_and_a_caption_is_held() -> None:
    """What the last send showed stands before the caption of the next."""
    parts = Parts(files=(File(name="n.txt", content=NOTE.encode(), caption="depot"),))

    assert Reason.LEAK_SUSPECTED is decided("", parts, shown="We load at the Northwind").reason
    assert Reason.RELEASED is decided("", parts, shown="We load at the gate of the").reason


def test_a_stop_cut_over_a_label_and_its_value_is_denied() -> None:
    """Topics and hard stops are looked for in all that is seen, read as one."""
    signed = Parts(cards=(Card(fields=(Field(name="I have", value="signed it for you"),)),))
    priced = Parts(cards=(Card(fields=(Field(name="The price is", value="forty euros"),)),))

    assert Reason.HARD_STOP is decided(parts=signed).reason
    assert Reason.DRAFT_ONLY_TOPIC is decided(parts=priced).reason


@settings(max_examples=200)
@given(text=st.text(max_size=40), parts=PARTS, target=st.sampled_from([EXT, INT, RIVAL, UNK]))
def test_no_parts_break_a_check(text: str, parts: Parts, target: Target) -> None:
    """Whatever is in a draft, each check comes to an answer, and what leaves is what was asked for."""
    decision = decided(text, parts, target=target)

    assert Reason.RULE_FAILED is not decision.reason
    if decision.sends:
        assert text == "".join(step.text for step in decision.steps)
        assert parts == (decision.steps[0].parts if len(decision.steps) == 1 else parts)


# --- links -----------------------------------------------------------------------------------------------------------

LINKS: list[tuple[str, str, str | None]] = [
    ("https://desk.example.com/dates", "", None),
    ("https://www.desk.example.com/", "desk.example.com", None),
    ("https://files.example.com/list.pdf", "list.pdf", None),
    ("https://example.com/v1.2", "e.g. this", None),
    ("https://例子.example.com/", "例子", None),
    ("https://8.8.8.8/", "", None),
    ("mailto:desk@example.com", "desk@example.com", None),
    ("tel:+4930123", "call", None),
    ("javascript:alert(1)", "", "link:scheme"),
    ("JAVA\u200bSCRIPT:alert(1)", "", "link:scheme"),
    ("data:text/html,hi", "", "link:scheme"),
    ("ftp://example.com/", "", "link:scheme"),
    ("//example.com/", "", "link:scheme"),
    ("dates", "", "link:scheme"),
    ("https://example.com@other.net/", "", "link:userinfo"),
    ("https://example.com%40other.net/", "", "link:userinfo"),
    ("https://example.com\\@other.net/", "", "link:host"),
    ("https:example.com", "", "link:host"),
    ("https:///x", "", "link:host"),
    ("http://2130706433/", "", "link:host"),
    ("http://0x7f.1/", "", "link:host"),
    ("http://127.0.0.1:8080/", "", "link:internal_host"),
    ("http://10.1.2.3/", "", "link:internal_host"),
    ("http://[::1]/", "", "link:internal_host"),
    ("http://printer/", "", "link:internal_host"),
    ("https://wiki.corp/", "", "link:internal_host"),
    ("https://other.net/", "desk.example.com", "link:other_host"),
    ("https://other.net/", "see https://desk.example.com", "link:other_host"),
    ("https://desk.example.com.other.net/", "desk.example.com", "link:other_host"),
    ("https://other.net/", "ｄｅｓｋ．example.com", "link:other_host"),
    ("mailto:desk@other.net", "desk@example.com", "link:other_host"),
]


@pytest.mark.parametrize(("target", "shown", "rule"), LINKS)
def test_links_are_what_they_seem(target: str, shown: str, rule: str | None) -> None:
    """Internal hosts, running schemes, names before the host and a shown text that names another host are held."""
    label = shown or "open"
    for place, parts in {
        "link[0].target": Parts(links=(Link(target=target, title=shown),)),
        "button[0].link": Parts(buttons=(Button(label=label, link=target),)),
        "card[0].button[0].link": Parts(cards=(Card(title="c", buttons=(Button(label=label, link=target),)),)),
    }.items():
        decision = decided(parts=parts, target=INT)
        if rule is None:
            assert Reason.RELEASED is decision.reason
        else:
            assert ReleaseOutcome.HOLD is decision.outcome
            assert not decision.approvable
            assert decision.reason is Reason.LEAK_SUSPECTED or [(rule, place)] == [
                (finding.rule, finding.place) for finding in decision.findings
            ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("See [desk.example.com](https://other.net/x).", Reason.LINK_SUSPECTED),
        ("See [the list](javascript:go()).", Reason.LINK_SUSPECTED),
        ('See <a href="https://a.example.com@b.net/">the list</a>.', Reason.LINK_SUSPECTED),
        ("See <https://other.net/|desk.example.com>.", Reason.LINK_SUSPECTED),
        ("See [the list](https://desk.example.com/x).", Reason.RELEASED),
        ("See [note](Section: x) and f[i](x).", Reason.RELEASED),
        ("See https://desk.example.com/x.", Reason.RELEASED),
    ],
)
def test_links_in_the_markup_of_a_text(text: str, reason: Reason) -> None:
    """Markdown, HTML and `<target|shown>` can hide a target as well as a part can."""
    assert reason is decided(text).reason


# --- content that nobody can read ------------------------------------------------------------------------------------


def test_unread_content_waits_for_the_operator() -> None:
    """A picture goes to an outsider only after an approval, and to our own people at once."""
    held, inside = decided(parts=Parts(files=(PICTURE,))), decided(parts=Parts(files=(PICTURE,)), target=INT)

    assert (ReleaseOutcome.HOLD, Reason.UNCHECKED_CONTENT, True) == (held.outcome, held.reason, held.approvable)
    assert {"file[0].content"} == places(held)
    assert Reason.RELEASED is inside.reason


def test_an_approval_covers_the_bytes() -> None:
    """The approved picture leaves; another one under the same approval, or other words, do not."""
    parts = Parts(files=(PICTURE,))
    grant = Grant(
        id="a",
        purpose=Purpose.APPROVAL,
        targets=frozenset({EXT}),
        given_by="oper",
        expires_at=NOW + 1,
        text_sha256=text_hash(PLAIN, parts),
    )
    other = Parts(files=(msgspec.structs.replace(PICTURE, content=PICTURE.content + b"\x00"),))

    assert Reason.RELEASED is decided(parts=parts, authority=grant).reason
    assert Reason.UNCHECKED_CONTENT is decided(parts=other, authority=grant).reason
    assert Reason.APPROVAL_MISMATCH is decided("Good evening.", authority=grant).reason
    assert text_hash(PLAIN) == text_hash(PLAIN, Parts())


def test_an_unread_file_does_not_hide_the_price_beside_it() -> None:
    """The operator is told of the topics of the whole draft, whatever it is held for."""
    decision = decided("The price is 40 EUR.", Parts(files=(PICTURE,)))

    assert (Reason.UNCHECKED_CONTENT, (Topic.PRICES,)) == (decision.reason, decision.topics)


# --- tiers and public places -----------------------------------------------------------------------------------------


def at_ext(**changed: object) -> Policy:
    """The world's policy with another entry for EXT."""
    here = msgspec.structs.replace(WORLD.targets[EXT], **changed)  # type: ignore[arg-type]
    return msgspec.structs.replace(WORLD, targets={**WORLD.targets, EXT: here})


def test_a_draft_only_target_holds_every_answer() -> None:
    """A tier lowers: what would have left is filed, and an approval lets it out; our fixed sentence is no answer."""
    policy = at_ext(draft_only=True)
    held = decided(policy=policy)
    grant = Grant(
        id="a",
        purpose=Purpose.APPROVAL,
        targets=frozenset({EXT}),
        given_by="oper",
        expires_at=NOW + 1,
        text_sha256=text_hash(PLAIN),
    )

    assert (Reason.DRAFT_ONLY_TARGET, True) == (held.reason, held.approvable)
    assert Reason.DRAFT_ONLY_TOPIC is decided("The price is 40 EUR.", policy=policy).reason
    assert Reason.RELEASED is decided(policy=policy, authority=grant).reason


@pytest.mark.parametrize(
    ("public", "authority", "reason"),
    [
        (True, WORLD.grants["weekly"], Reason.DRAFT_ONLY_TOPIC),
        (False, WORLD.grants["weekly"], Reason.RELEASED),
        (True, None, Reason.RELEASED),
    ],
    ids=["unasked in public", "unasked elsewhere", "an answer in public"],
)
def test_a_public_post_is_an_unasked_send(public: bool, authority: Grant | None, reason: Reason) -> None:
    """Under a grant, a send to a public target is a public post; an admitted reply there is not (spec 1 §11.8)."""
    policy = at_ext(public=public)

    assert reason is decided(policy=policy, authority=authority).reason


def test_a_schedules_turn_in_public_is_a_public_post() -> None:
    """An admission that answers no message was not asked for by anybody there."""
    policy = at_ext(public=True)
    decision = decided(policy=policy, authority=admission(policy=policy, answers=None))

    assert (Reason.DRAFT_ONLY_TOPIC, (Topic.PUBLIC_POST,)) == (decision.reason, decision.topics)


# --- operations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operation", CLASS_OF)
def test_typing_reactions_and_receipts_are_progress(operation: Operation) -> None:
    """Whatever class is claimed for them, outsiders see none of them (spec 1 §11.5)."""
    text = "👍" if operation is Operation.REACT else ""
    for target, output_class, sends in (
        (INT, OutputClass.PROGRESS, True),
        (INT, OutputClass.FINAL, False),
        (EXT, OutputClass.PROGRESS, False),
        (EXT, OutputClass.FINAL, False),
    ):
        attempt = Attempt(
            draft=Draft(text=text, output_class=output_class),
            target=target,
            operation=operation,
            operations=TABLE,
            authority=admission(target),
            grant=None,
            presence=Presence(shared=Fact.NO),
            now=NOW,
            points_at="m1",
        )
        assert sends is release(attempt, WORLD).sends


def test_the_parties_are_known() -> None:
    """The world's places are what the tests above take them for."""
    assert WORLD.at(RIVAL).owners == {"zenith"}
    assert (UNK in WORLD.targets, NOBODY.known, SITE[:8]) == (False, False, "https://")
