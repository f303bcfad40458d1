"""One admission, beside a policy engine in process: `python bench/gate.py`.

The peer is Cedar through `cedarpy` with the policy and the entities parsed beforehand, asked the four questions that a
mention in a listed group comes to (is the target listed, is it a person, is the agent mentioned, is anything denied).
Rounds alternate in one run and the best round of each is taken; absolute times depend on the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from dragoman.gate.admit import admit, decide
from dragoman.gate.asked import Standing
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind
from dragoman.gate.policy import Policy, TargetPolicy
from dragoman.gate.weigh import weigh
from dragoman.identity import Party, Target
from dragoman.words import Audience, Fact, Reason

NOW = 1_790_000_000_000
ROUNDS = 9
CEDAR = """
permit(principal, action == Action::"respond", resource)
when { context.listed && context.human && context.mentioned && !context.denied && !context.paused };
"""


def policy(targets: int) -> Policy:
    """A policy that lists so many targets."""
    listed = TargetPolicy(audience=Audience.EXTERNAL, listed=True)
    return Policy(version="bench", targets={Target("memory", "desk", f"c{n}"): listed for n in range(targets)})


def event() -> Event:
    """A mention in a listed group."""
    return Event(
        kind=EventKind.MESSAGE,
        target=Target("memory", "desk", "c7"),
        event_id="m1",
        dedupe_key="c7:m1",
        received_at=NOW,
        sent_at=NOW,
        authenticated=Fact.YES,
        author=Party("memory", "desk", "buyer"),
        author_kind=AuthorKind.HUMAN,
        chat=ChatKind.GROUP,
        shared=Fact.YES,
        other_bots=Fact.NO,
        mentions_agent=Fact.YES,
        text="which start dates are free?",
        body="which start dates are free?",
    )


def micros(call: Callable[[], Any], calls: int) -> float:
    """Microseconds of processor time per call in one round."""
    start = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - start) / calls * 1e6


def cedar() -> Callable[[], Any] | None:
    """The peer, parsed beforehand; None where it is not installed."""
    try:
        import cedarpy
    except ImportError:
        return None
    rules, entities = cedarpy.PolicySet.from_str(CEDAR), cedarpy.Entities.from_json_str("[]")
    context = {"listed": True, "human": True, "mentioned": True, "denied": False, "paused": False}
    request = {
        "principal": 'User::"buyer"',
        "action": 'Action::"respond"',
        "resource": 'Channel::"c7"',
        "context": context,
    }
    assert cedarpy.is_authorized(request, rules, entities).allowed
    return lambda: cedarpy.is_authorized(request, rules, entities)


def main() -> None:
    """Print each figure and its ratio to the peer."""
    said, standing = event(), Standing(now=NOW)
    small, large = policy(100), policy(100_000)
    door, asked, _, _ = weigh(said, small, standing)
    assert admit(said, small, standing, "c").reason is Reason.AGENT_MENTIONED
    contenders: dict[str, tuple[Callable[[], Any], int]] = {
        "decide (tables alone)": (lambda: decide(door, asked), 20_000),
        "admit, 100 targets": (lambda: admit(said, small, standing, "c"), 5_000),
        "admit, 100,000 targets": (lambda: admit(said, large, standing, "c"), 5_000),
    }
    if peer := cedar():
        contenders["cedarpy, parsed beforehand"] = (peer, 1_000)
    best = {name: min(micros(call, calls) for _ in range(ROUNDS)) for name, (call, calls) in contenders.items()}
    reference = best.get("cedarpy, parsed beforehand")
    for name, figure in best.items():
        ratio = f"   {reference / figure:6.1f} x faster than cedarpy" if reference and figure != reference else ""
        print(f"{name:<28}{figure:9.2f} us{ratio}")
    if reference is None:
        print("cedarpy is not installed: no ratio (pip install 'dragoman[bench]')")


if __name__ == "__main__":
    main()
