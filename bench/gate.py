"""The whole decision (asked? may this go out? there, now?) beside policy engines in process: `python bench/gate.py`.

Targets G1 and G2: engagement, output class and delivery authority, with reason codes and the audit records, without
reading any text. The peers decide the same rules with 10,000 channels loaded and everything parsed beforehand: Cedar
through `cedarpy`, Rego through `regorus` (its input as JSON text, the form in which it answers right). All contenders
alternate in one run; the median of the rounds is taken; absolute times depend on the machine.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from dragoman.gate.admit import Admission, admit, decide
from dragoman.gate.asked import Standing
from dragoman.gate.entries import event_entry, output_entry
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.policy import Policy, TargetPolicy
from dragoman.gate.ports import Draft, Presence, Receipt
from dragoman.gate.release import Attempt, Decision, undelivered
from dragoman.gate.said import LiveText
from dragoman.gate.weigh import weigh_asked, weigh_door
from dragoman.grants import Grant
from dragoman.identity import Party, Target
from dragoman.words import Audience, Fact, Purpose, Reason, ReleaseOutcome, SendKey

NOW = 1_790_000_000_000
ROUNDS = 9
CHANNELS = 10_000
CEDAR = """
permit(principal, action == Action::"answer", resource)
when {
  resource.listed && !resource.denied && context.human && context.mentioned && !context.paused &&
  resource.classes.contains(context.class) && context.target == resource.name && context.now < context.expires
};
"""
REGO = """
package gate
import rego.v1
default answer := false
answer if {
  here := data.channels[input.channel]
  here.listed; not here.denied; input.human; input.mentioned; not input.paused
  input.class in here.classes; input.target == input.channel; input.now < input.expires
}
"""
CLASSES = ["final", "safe_error"]


def policy(targets: int, grants: int = 0) -> Policy:
    """A policy that lists so many targets and grants."""
    listed = TargetPolicy(audience=Audience.EXTERNAL, listed=True)
    places = [Target("memory", "desk", f"c{n}") for n in range(targets)]
    given = {
        f"g{n}": Grant(
            id=f"g{n}",
            purpose=Purpose.SCHEDULE,
            targets=frozenset({places[n % targets]}),
            given_by="oper",
            expires_at=NOW * 2,
        )
        for n in range(grants)
    }
    return Policy(version="bench", targets=dict.fromkeys(places, listed), grants=given)


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


def attempt_of(admission: Admission) -> Attempt:
    """An answer at the door, its text apart."""
    return Attempt(
        draft=Draft(text="6 October is open."),
        target=admission.target,
        operation=Operation.SEND,
        operations=TABLE,
        authority=admission,
        grant=None,
        presence=Presence(Fact.YES),
        now=NOW,
    )


TABLE = {Operation.SEND: OperationSpec(SendKey.NATIVE, 4_000)}
RECEIPT = Receipt(delivered=Fact.YES, evidence="1")


def may_answer(said: Event, policy: Policy, standing: Standing) -> tuple[Admission, Decision]:
    """Engagement, output class and delivery, as values with their reasons."""
    admission = admit(said, policy, standing, "cor-1")
    attempt = attempt_of(admission)
    audience = policy.audience(attempt.target, attempt.presence.shared)
    if attempt.draft.output_class not in admission.allowed_classes:
        reason: Reason | None = Reason.CLASS_NOT_ALLOWED
    else:
        reason = undelivered(attempt, policy)
    outcome = ReleaseOutcome.SEND if reason is None else ReleaseOutcome.DENY
    return admission, Decision(outcome=outcome, reason=reason or Reason.RELEASED, audience=audience)


def with_records(said: Event, policy: Policy, standing: Standing) -> None:
    """The same, and both audit records as objects."""
    admission, decision = may_answer(said, policy, standing)
    event_entry(said, admission, policy, standing)
    output_entry(attempt_of(admission), decision, "cor-1", "memory.send", "bench", NOW, RECEIPT, "")


def micros(call: Callable[[], Any], calls: int) -> float:
    """Microseconds of processor time per call in one round."""
    start = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - start) / calls * 1e6


FACTS = {"human": True, "mentioned": True, "paused": False, "class": "final", "now": 1, "expires": 2}


def cedar() -> Callable[[], Any] | None:
    """The peer, parsed beforehand; None where it is not installed."""
    try:
        import cedarpy
    except ImportError:
        return None
    entities = [
        {
            "uid": {"type": "Channel", "id": f"c{n}"},
            "attrs": {"listed": True, "denied": False, "name": f"c{n}", "classes": CLASSES},
            "parents": [],
        }
        for n in range(CHANNELS)
    ]
    rules, loaded = cedarpy.PolicySet.from_str(CEDAR), cedarpy.Entities.from_json_str(json.dumps(entities))
    request = {
        "principal": 'User::"buyer"',
        "action": 'Action::"answer"',
        "resource": 'Channel::"c7"',
        "context": FACTS | {"target": "c7"},
    }
    assert cedarpy.is_authorized(request, rules, loaded).allowed
    return lambda: cedarpy.is_authorized(request, rules, loaded)


def rego() -> Callable[[], Any] | None:
    """The peer, its policy and data loaded beforehand; None where it is not installed."""
    try:
        import regorus
    except ImportError:
        return None
    engine = regorus.Engine()
    engine.add_policy("gate.rego", REGO)
    channels = {f"c{n}": {"listed": True, "denied": False, "classes": CLASSES} for n in range(CHANNELS)}
    engine.add_data_json(json.dumps({"channels": channels}))
    asked = FACTS | {"channel": "c7", "target": "c7"}

    def answer() -> Any:
        engine.set_input_json(json.dumps(asked))
        return engine.eval_rule("data.gate.answer")

    assert answer() is True
    return answer


def main() -> None:
    """Print each figure and its ratio to the peers, with the target beside."""
    said, standing = event(), Standing(now=NOW)
    small, middle, large = policy(100), policy(CHANNELS), policy(100_000, 10_000)
    here, words = small.at(said.target), LiveText(said.text)
    door, _ = weigh_door(said, small, here, standing, words)
    asked, _ = weigh_asked(said, small, here, standing, door, words)
    assert may_answer(said, small, standing)[1].sends
    ours = "asked, class, delivery"
    contenders: dict[str, tuple[Callable[[], Any], int]] = {
        "tables alone": (lambda: decide(door, asked), 50_000),
        "asked (admit)": (lambda: admit(said, middle, standing, "c"), 10_000),
        ours: (lambda: may_answer(said, middle, standing), 10_000),
        f"{ours}, with records": (lambda: with_records(said, middle, standing), 5_000),
        f"{ours}: 100 targets": (lambda: may_answer(said, small, standing), 10_000),
        f"{ours}: 100,000 targets": (lambda: may_answer(said, large, standing), 10_000),
    }
    for name, peer in (("cedarpy", cedar()), ("regorus", rego())):
        if peer is not None:
            contenders[name] = (peer, 500)
    rounds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, (call, calls) in contenders.items():
            rounds[name].append(micros(call, calls))
    figure = {name: statistics.median(times) for name, times in rounds.items()}
    for name, taken in figure.items():
        print(f"{name:<44}{taken:9.2f} us")
    for peer_name, target in (("cedarpy", 40), ("regorus", 8)):
        if peer_name in figure:
            plain, audited = (figure[peer_name] / figure[name] for name in (ours, f"{ours}, with records"))
            print(f"G1 beside {peer_name}: {plain:.1f}x, {audited:.1f}x with records   (target {target}x)")
        else:
            print(f"{peer_name} is not installed: no ratio (pip install 'dragoman[bench]')")
    held = figure[f"{ours}: 100 targets"] / figure[f"{ours}: 100,000 targets"]
    print(f"G2, 100,000 targets and 10,000 grants beside 100 targets: {held:.2f}x   (target 0.8x)")


if __name__ == "__main__":
    main()
