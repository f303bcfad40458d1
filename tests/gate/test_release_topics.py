"""At the door an unstated specification is told apart from other unverified claims (spec 1 §4 steps 4 and 5)."""

from __future__ import annotations

import pytest

from dragoman.words import Reason, Topic
from tests.gate.test_release_parts import decided


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("The jacket is waterproof.", (Topic.UNMEASURED_SPECIFICATION, Topic.UNVERIFIED_CLAIM)),
        ("It carries 777 kg.", (Topic.UNMEASURED_SPECIFICATION, Topic.UNVERIFIED_CLAIM)),
        ("There are 777 left.", (Topic.UNVERIFIED_CLAIM,)),
    ],
)
def test_specifications_have_a_topic_of_their_own(text: str, topics: tuple[Topic, ...]) -> None:
    """Held for the same reason, filed under both topics."""
    decision = decided(text)

    assert (decision.reason, decision.topics) == (Reason.UNVERIFIED_CLAIM, topics)
