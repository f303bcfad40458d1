"""A hub message as facts: who it is, and what it can never claim."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dragoman import wire
from dragoman.channels.hub.facts import contact_target, facts
from dragoman.gate.event import AuthorKind, ChatKind, EventKind
from dragoman.identity import Party, Target
from dragoman.words import Fact

US, PEER = "role_" + "a" * 32, "role_" + "b" * 32
CONTACT = "con_" + "c" * 32


def message(**changed: object) -> wire.Message:
    """A message of the peer, with what a test changes."""
    right = wire.Message(
        message_id="msg_" + "d" * 32,
        contact_id=CONTACT,
        seq=3,
        sender_role_id=PEER,
        reply_id="rep_12345678",
        text="Can we meet?",
        packet=None,
        complete=False,
        created_at=1_000,
    )
    return msgspec.structs.replace(right, **changed)


def test_a_peers_message_is_bot_traffic_in_a_one_to_one_outside() -> None:
    """Platform `hub`, workspace our role, channel the contact; external; authenticated by our own connection."""
    event = facts(message(), US, received_at=2_000)

    assert event.kind is EventKind.MESSAGE
    assert event.target == Target("hub", US, CONTACT) == contact_target(US, CONTACT)
    assert event.author == Party("hub", US, PEER)
    assert (event.author_kind, event.chat, event.shared) == (AuthorKind.BOT, ChatKind.DIRECT, Fact.YES)
    assert (event.authenticated, event.sent_at, event.received_at) == (Fact.YES, 1_000, 2_000)
    assert event.dedupe_key == f"hub:{US}:{message().message_id}"


def test_our_own_message_is_our_echo() -> None:
    """What our role wrote is never a request."""
    assert facts(message(sender_role_id=US), US, received_at=1).author_kind is AuthorKind.SELF


@given(text=st.text(max_size=200), packet=st.none() | st.text(max_size=50), complete=st.booleans())
def test_words_are_no_facts(text: str, packet: str | None, complete: bool) -> None:
    """Whatever a peer writes changes nothing but the text."""
    plain = facts(message(), US, received_at=1)
    spoken = facts(message(text=text, packet=packet, complete=complete), US, received_at=1)

    assert msgspec.structs.replace(spoken, text="", body="") == msgspec.structs.replace(plain, text="", body="")
