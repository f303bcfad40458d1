"""What the gate says of an adapter's events: under a policy that answers whoever asks, and nobody else."""

from __future__ import annotations

import json
from typing import Final

from dragoman.gate.admit import Admission
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind
from dragoman.gate.gate import Gate
from dragoman.gate.policy_file import parse_policy
from dragoman.identity import Target, party
from dragoman.testing.by_hand import START, HandClock, counting_ids
from dragoman.words import Fact

AGENT_NAMES: Final = ("Desk",)


def trusting(target: Target, *, audience: str = "internal", now: int = START) -> Gate:
    """A gate of which `target` is a listed target; whatever is routine may go there."""
    lines = [
        "version = 1",
        f"agent_names = {_toml(AGENT_NAMES)}",
        "[[targets]]",
        f'audience = "{audience}"',
    ]
    lines += [f"{name} = {_toml(getattr(target, name))}" for name in ("platform", "workspace", "channel")]
    return Gate(policy=parse_policy("\n".join(lines).encode()), clock=HandClock(now), new_id=counting_ids())


def _toml(value: str | tuple[str, ...]) -> str:
    return json.dumps(value, ensure_ascii=False)


def judged(event: Event) -> Admission:
    """What becomes of an event at a target that the policy lists; at no exact target, of one that it does not."""
    listed = event.target if event.target.known else Target("memory", "desk", "listed")
    return trusting(listed, audience="external", now=event.received_at).admit(event)


def asked_at(target: Target) -> Event:
    """A request of a human in a group there, as facts."""
    return Event(
        kind=EventKind.MESSAGE,
        target=target,
        event_id="asked",
        dedupe_key="asked",
        received_at=START,
        sent_at=START,
        authenticated=Fact.YES,
        author=party(target.platform, target.workspace, "somebody"),
        author_kind=AuthorKind.HUMAN,
        chat=ChatKind.GROUP,
        shared=Fact.NO,
        other_bots=Fact.NO,
        mentions_agent=Fact.YES,
        text="which dates are open?",
        body="which dates are open?",
    )
