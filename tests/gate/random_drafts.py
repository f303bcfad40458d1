"""Random drafts at the door of the small world, from small pools of sentences, so that what matters meets often."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec
from hypothesis import strategies as st

from dragoman.channels.memory.adapter import operations
from dragoman.gate.admit import Admission
from dragoman.gate.operations import Operation
from dragoman.gate.parts import NOTHING, Button, Card, File, Link, Parts, Poll
from dragoman.gate.policy import Policy, TargetPolicy, TargetRecord
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.ports import Draft, Presence
from dragoman.gate.release import Attempt, text_hash
from dragoman.gate.sentences import Sentence, safe_sentence
from dragoman.grants import Grant, Spent
from dragoman.identity import Target
from dragoman.leaks import Guard, Terms
from dragoman.words import Fact, Outcome, OutputClass, Purpose, Reason, SendKey, Topic
from tests.gate.draft_parts import PICTURE, SITE
from tests.gate.world import BUYER, EXT, INT, JORDAN, NOW, OPS, POLICY, RIVAL, UNK

WORLD: Final = parse_policy(POLICY.encode())
TABLE: Final = operations(SendKey.NATIVE, 60)
PLACES: Final = (EXT, RIVAL, INT, OPS, UNK)
OWNED: Final = {"acme": ("Project Falcon", "Falcon base"), "zenith": ("Northwind depot", "Kestrel-7")}
FACTS: Final = (
    "Open start dates are 6 October 2026 and 13 October 2026.",
    "42 shelves are in stock.",
    "Each shelf carries 40 kg.",
    "Delivery takes 5 days.",
)
"""Facts that do not contradict each other."""
SENTENCES: Final = (
    *("Good morning.", "Thank you, noted.", safe_sentence(Sentence.FAILED, "en"), "🙂"),
    *("6 October 2026 is open.", "13 October 2026 is open.", "14 October 2026 is open.", "We have 42 shelves."),
    *("Each shelf carries 40 kg.", "Delivery takes 5 days.", "There are 777 left."),
    *("The price is 40 EUR per shelf.", "I have signed the order for you.", "This is legal advice."),
    *("Kestrel-7", "rel-7 is ready", "the Kest", "The Northwind depot is open.", "Northwind", "depot"),
    *("AKIAIOSFODNN7EXAMPLE", "NO_REPLY", "See [the list](javascript:go()).", "See [us](https://desk.example.com/)."),
    *("Project Falcon", "Falcon", "word " * 20),
)  # fmt: skip
PARTS: Final = (
    *(
        Parts(subject="Dates"),
        Parts(buttons=(Button(label="Kestrel-7"),)),
        Parts(cards=(Card(title="14 October 2026"),)),
    ),
    Parts(polls=(Poll(question="Open?", options=("yes", "no")),)),
    Parts(links=(Link(target=SITE, title="desk.example.com"),)),
    Parts(links=(Link(target="javascript:go()", title="us"),)),
    Parts(files=(PICTURE,)),
    Parts(files=(File(name="note.txt", content=b"The price is 40 EUR."), PICTURE)),
)


class Trial(NamedTuple):
    """One attempt, and the policy that it is judged by."""

    attempt: Attempt
    policy: Policy

    def tried(self, **facts: Any) -> Trial:
        """With other facts of the attempt."""
        return self._replace(attempt=msgspec.structs.replace(self.attempt, **facts))

    def drafted(self, **facts: Any) -> Trial:
        """With another draft."""
        return self.tried(draft=msgspec.structs.replace(self.attempt.draft, **facts))

    def ruled(self, **keys: Any) -> Trial:
        """Under another policy of the same version, so that nothing but the keys differs."""
        return self._replace(policy=msgspec.structs.replace(self.policy, **keys))

    def placed(self, **keys: Any) -> Trial:
        """With another entry for the place, where it has one."""
        entry = self.policy.targets.get(self.attempt.target)
        if entry is None:
            return self
        targets = {**self.policy.targets, self.attempt.target: msgspec.structs.replace(entry, **keys)}
        return self.ruled(targets=targets)


def mostly(usual: Any, rest: Any) -> st.SearchStrategy[Any]:
    """`usual` in four cases of five."""
    return st.integers(0, 4).flatmap(lambda n: st.sampled_from(tuple(rest)) if n == 4 else st.just(usual))


def guard(owned: dict[str, tuple[str, ...]]) -> Guard:
    """The leak check over these terms."""
    return Guard(Terms(owned))


GUARD: Final = guard(OWNED)


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    """The small world with other tiers, public places, topics and records."""
    targets = {
        place: msgspec.structs.replace(
            entry,
            draft_only=draw(mostly(False, (True,))),
            public=draw(mostly(False, (True,))),
            owners=draw(mostly(entry.owners, (frozenset(), frozenset({"acme", "zenith"})))),
        )
        for place, entry in WORLD.targets.items()
    }
    facts = tuple(draw(st.lists(st.sampled_from(FACTS), unique=True)))
    return msgspec.structs.replace(
        WORLD,
        targets=targets,
        guard=GUARD,
        draft_only=draw(mostly(frozenset(Topic), (frozenset(), frozenset({Topic.LEGAL})))),
        owner_records={"acme": tuple(TargetRecord((fact,), NOW + draw(st.integers(0, 1))) for fact in facts)},
        target_records={},
    )


@st.composite
def _authority(draw: st.DrawFn, draft: Draft, target: Target, policy: Policy) -> Admission | Grant | None:
    kind = draw(st.sampled_from(("admission",) * 4 + ("weekly", "approval", "nothing")))
    if kind == "nothing":
        return None
    if kind == "weekly":
        return policy.grants["weekly"]
    if kind == "approval":
        return Grant(
            id="a",
            purpose=Purpose.APPROVAL,
            targets=frozenset({target}),
            given_by="oper",
            expires_at=NOW + 1,
            text_sha256=text_hash(draw(mostly(draft.text, ("Good evening.",))), draft.parts),
        )
    return Admission(
        id="c",
        outcome=draw(mostly(Outcome.RESPOND, tuple(Outcome))),
        reason=Reason.AGENT_MENTIONED,
        audience=policy.audience(target, Fact.NO),
        target=draw(mostly(target, PLACES)),
        event_id="m1",
        answers=draw(mostly("m1", (None,))),
        policy_version=policy.version,
        decided_at=NOW,
        expires_at=NOW + draw(mostly(1, (0,))),
        max_sends=2,
        author=BUYER,
        grant_id=draw(mostly(None, ("weekly",))),
    )


@st.composite
def trials(draw: st.DrawFn) -> Trial:
    """A random draft at a random place, most of the time with nothing but its words in its way."""
    policy = draw(policies())
    draft = Draft(
        text=" ".join(draw(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=3))),
        output_class=draw(mostly(OutputClass.FINAL, tuple(OutputClass))),
        topics=draw(mostly(frozenset(), (frozenset({Topic.LEGAL}), frozenset({Topic.PRICES})))),
        parts=draw(mostly(NOTHING, PARTS)),
    )
    target = draw(st.sampled_from(PLACES))
    authority = draw(_authority(draft, target, policy))
    id = authority.id if isinstance(authority, Grant) else authority.grant_id if authority else None
    operation = draw(mostly(Operation.SEND, (Operation.EDIT, Operation.THREAD, Operation.PRIVATE, Operation.REACT)))
    attempt = Attempt(
        draft=draft,
        target=target,
        operation=operation,
        operations=TABLE,
        authority=authority,
        grant=authority if id == "a" and isinstance(authority, Grant) else policy.grants.get(id or ""),
        presence=Presence(shared=draw(mostly(Fact.NO, tuple(Fact)))),
        now=NOW,
        edits="m2" if operation is Operation.EDIT else None,
        points_at="m1" if operation is Operation.REACT else None,
        only_for=draw(mostly(BUYER, (JORDAN,))) if operation is Operation.PRIVATE else None,
        sends=draw(mostly(0, (1, 2))),
        shown=draw(mostly((), (("the Kest",), ("Good morning.", "Northwind"), ("Good morning.",)))),
        spent=Spent(total=draw(mostly(0, (2,)))),
        paused=draw(mostly(False, (True,))),
    )
    return Trial(attempt, policy)


def holds_nothing_back(entry: TargetPolicy) -> bool:
    """Whether an entry only gives: no tier, no public place."""
    return not entry.draft_only and not entry.public
