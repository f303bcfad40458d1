"""Two copies of one message are one message (spec 1 §3 step 1, §11.4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.gate.event import ReplyTo
from dragoman.gate.twin import kept, with_twin
from dragoman.words import Fact, Outcome, Reason
from tests.gate.world import World, asked, said


def test_the_twin_that_mentions_is_not_swallowed() -> None:
    """The plain copy came first and stayed silent; the copy that mentions the agent is answered, once."""
    world = World()
    plain = said("can you look?")
    mention = asked("can you look?", event_id=plain.event_id, dedupe_key=plain.dedupe_key)

    assert Reason.NOT_REQUESTED is world.gate.admit(plain).reason
    assert Reason.AGENT_MENTIONED is world.gate.admit(mention).reason
    assert (Outcome.REJECTED, Reason.DUPLICATE) == (
        (again := world.gate.admit(mention)).outcome,
        again.reason,
    )


def test_what_the_first_copy_knew_is_not_lost() -> None:
    """The first copy addressed somebody else and replied to the agent's message; the poorer twin is told so."""
    world = World()
    first = said("as you said", mentions_other=Fact.YES)
    poorer = said("as you said", event_id=first.event_id, dedupe_key=first.dedupe_key)

    assert Reason.ADDRESSED_TO_OTHER is world.gate.admit(first).reason
    assert Reason.ADDRESSED_TO_OTHER is world.gate.admit(poorer).reason


def test_a_third_copy_is_a_duplicate() -> None:
    """A twin is decided again once, not as often as it comes."""
    world, event = World(), said("good morning")

    assert [Reason.NOT_REQUESTED, Reason.NOT_REQUESTED, Reason.DUPLICATE] == [
        world.gate.admit(event).reason for _ in range(3)
    ]


facts = st.builds(
    said,
    mentions_agent=st.sampled_from(list(Fact)),
    mentions_other=st.sampled_from(list(Fact)),
    reply_to=st.sampled_from(list(ReplyTo)),
)


@given(facts, facts)
def test_both_copies_say_together_what_either_says(first, second) -> None:  # type: ignore[no-untyped-def]
    """Whichever copy comes first, the merged facts are the same, and a yes of either is a yes."""
    one, other = with_twin(second, kept(first)), with_twin(first, kept(second))

    assert kept(one) == kept(other)
    assert (Fact.YES in (first.mentions_agent, second.mentions_agent)) == (one.mentions_agent is Fact.YES)


@pytest.mark.parametrize("odd", [{"mentions_agent": "perhaps"}, {"reply_to": "maybe"}])
def test_odd_remembered_facts_are_unknown(odd: dict[str, str]) -> None:
    """What was kept is read strictly: it never becomes a yes."""
    found = with_twin(said(), odd)

    assert found.mentions_agent is not Fact.YES
    assert found.reply_to is not ReplyTo.AGENT
