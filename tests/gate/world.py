"""The small world that the gate's tests live in: one policy, a clock that is set by hand, ids that count.

Names follow the cases: `EXT` external group of acme, `INT` trusted internal group, `OPS` the operator's own surface,
`DM1` a real 1:1, `UNK` a target that the policy does not list; `buyer`, `jordan` people, `oper` operator, `B2` a bot.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import anyio

from dragoman.clock import parse_rfc3339
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind
from dragoman.gate.gate import Gate
from dragoman.gate.in_memory import (
    MemoryApprovals,
    MemoryBursts,
    MemoryCharges,
    MemoryJournal,
    MemoryObservations,
    MemorySeen,
)
from dragoman.gate.policy import Policy
from dragoman.gate.policy_file import parse_policy
from dragoman.identity import Party, Target
from dragoman.words import Fact

NOW = parse_rfc3339("2026-09-21T14:13:20Z")
WORKSPACE = "desk"


def place(channel: str) -> Target:
    """A target of the memory platform."""
    return Target("memory", WORKSPACE, channel)


def person(name: str) -> Party:
    """An account of the memory platform."""
    return Party("memory", WORKSPACE, name)


EXT, INT, OPS, DM1, UNK, RIVAL = map(place, ("EXT", "INT", "OPS", "DM1", "UNK", "RIVAL"))
BUYER, JORDAN, OPER, B2 = map(person, ("buyer", "jordan", "oper", "B2"))

POLICY = """
version = 1
agent_names = ["Desk"]
command_prefixes = ["/"]
commands = ["help"]

[[targets]]
platform = "memory"
workspace = "desk"
channel = "EXT"
audience = "external"
counterparty = "acme"

[[targets]]
platform = "memory"
workspace = "desk"
channel = "DM1"
audience = "external"
counterparty = "acme"

[[targets]]
platform = "memory"
workspace = "desk"
channel = "RIVAL"
audience = "external"
counterparty = "zenith"

[[targets]]
platform = "memory"
workspace = "desk"
channel = "INT"
audience = "internal"
open_question_responses = true
operator_messages_are_requests = true

[[targets]]
platform = "memory"
workspace = "desk"
channel = "OPS"
audience = "operator"

[[operators]]
platform = "memory"
workspace = "desk"
id = "oper"

[[counterparties]]
id = "acme"
terms = ["Project Falcon"]

[[counterparties]]
id = "zenith"
terms = ["Northwind depot", "Kestrel-7"]

[[records]]
counterparty = "acme"
facts = ["Open start dates are 6 October 2026 and 13 October 2026.", "42 shelves are in stock."]

[[grants]]
id = "weekly"
purpose = "schedule"
targets = [{ platform = "memory", workspace = "desk", channel = "EXT" }]
given_by = "oper"
expires_at = "2026-10-21T14:13:20Z"
max_total = 2

[[grants]]
id = "peer"
purpose = "bot"
targets = [{ platform = "memory", workspace = "desk", channel = "EXT" }]
given_by = "oper"
admits = "memory/desk/B2"
expires_at = "2026-10-21T14:13:20Z"
max_total = 3
"""


class HandClock:
    """A clock that moves only when told to."""

    def __init__(self, now: int = NOW) -> None:
        self.time = now

    def now(self) -> int:
        """The time it was set to."""
        return self.time


def counting_ids() -> Callable[[str], str]:
    """Ids that count: `cor-1`, `dft-2` ..."""
    counter = itertools.count(1)
    return lambda kind: f"{kind}-{next(counter)}"


class World:
    """A gate with every port in reach of the test."""

    def __init__(self, policy: Policy | None = None) -> None:
        self.clock = HandClock()
        self.journal = MemoryJournal()
        self.approvals = MemoryApprovals()
        self.charges = MemoryCharges()
        self.seen = MemorySeen()
        self.policy = policy or parse_policy(POLICY.encode())
        self.sleep = HandSleep(self.clock)
        self.bursts = MemoryBursts()
        self.observations = MemoryObservations()
        self.gate = Gate(
            policy=self.policy,
            journal=self.journal,
            approvals=self.approvals,
            charges=self.charges,
            seen=self.seen,
            clock=self.clock,
            new_id=counting_ids(),
            bursts=self.bursts,
            observations=self.observations,
            sleep=self.sleep,
        )


_serial = itertools.count(1)


def said(text: str = "", **facts: Any) -> Event:
    """A message of the buyer in EXT, with every fact known and none of them a request."""
    number = next(_serial)
    known: dict[str, Any] = {
        "kind": EventKind.MESSAGE,
        "target": EXT,
        "event_id": f"m{number}",
        "dedupe_key": f"EXT:m{number}",
        "received_at": NOW,
        "sent_at": NOW,
        "authenticated": Fact.YES,
        "author": BUYER,
        "author_kind": AuthorKind.HUMAN,
        "chat": ChatKind.GROUP,
        "shared": Fact.NO,
        "other_bots": Fact.NO,
        "text": text,
        "body": text,
    }
    return Event(**(known | facts))


def asked(text: str = "which start dates are free?", **facts: Any) -> Event:
    """A message of the buyer in EXT that mentions the agent."""
    return said(text, mentions_agent=Fact.YES, **facts)


class HandSleep:
    """A sleep that ends when the clock that is set by hand has come that far."""

    def __init__(self, clock: HandClock) -> None:
        self._clock = clock
        self._sleepers: list[tuple[int, anyio.Event]] = []

    async def __call__(self, seconds: float) -> None:
        """Sleep until the clock says so."""
        woken = anyio.Event()
        self._sleepers.append((self._clock.time + round(seconds * 1000), woken))
        await woken.wait()

    async def pass_time(self, milliseconds: int) -> None:
        """Let time pass, and whoever is due go on until everything rests."""
        await anyio.wait_all_tasks_blocked()
        self._clock.time += milliseconds
        for until, woken in self._sleepers:
            if until <= self._clock.time:
                woken.set()
        await anyio.wait_all_tasks_blocked()
