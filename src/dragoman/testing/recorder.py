"""A gate in a test: a policy in, events said in one line, and everything that it did to be read back.

    bot = GateRecorder(POLICY, my_agent)
    await bot.asks("which dates are open?")
    assert bot.texts == ["6 October."]

1. The gate is the real one. Its clock is set by hand, its ids count, its stores and channels are in reach of the test.
2. `counts` counts what was asked of the outside: `agent` (a model call), `presence`, and every operation of a channel.
   Silence is `not bot.counts`.
3. What an agent raises is in `failures`; the gate answers it as it would outside.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from dragoman.gate.admit import Admission
from dragoman.gate.embedded import Agent
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
from dragoman.gate.ports import Delivery, Filed, Output, Turn
from dragoman.identity import Party, Target, parse_party, parse_target, party
from dragoman.testing.by_hand import START, HandClock, HandSleep, counting_ids
from dragoman.testing.recording_channel import RecordingChannel
from dragoman.words import Fact

SOMEWHERE: Final = Target("memory", "desk", "somewhere")
"""Where things are said when neither the test nor the policy names a target."""
ANSWER: Final = "Good morning."

_Answer = TypeVar("_Answer")


class GateRecorder:
    """One gate, and everything about it.

    Args:
        policy: a compiled policy (`dragoman.load_policy(path)`), or the text of a policy file.
        agent: your agent; or a text that it always replies.
        now: the time to begin with, epoch milliseconds.

    Raises:
        DragomanError: `policy_invalid`.
    """

    def __init__(self, policy: Policy | str, agent: Agent | str = ANSWER, *, now: int = START) -> None:
        self.policy = policy if isinstance(policy, Policy) else parse_policy(policy.encode())
        self.clock = HandClock(now)
        self.journal = MemoryJournal()
        self.approvals = MemoryApprovals()
        self.charges = MemoryCharges()
        self.seen = MemorySeen()
        self.bursts = MemoryBursts()
        self.observations = MemoryObservations()
        self.channels: dict[str, RecordingChannel] = {}
        """The recording channels by platform; made when first spoken of."""
        self.failures: list[Exception] = []
        """What the agent raised."""
        self._agent = agent
        self._turns = 0
        self._sleep = HandSleep(self.clock)
        self._serial = itertools.count(1)
        self._new_id = counting_ids()
        self._runner = asyncio.Runner()
        self.gate = Gate(
            policy=self.policy,
            journal=self.journal,
            approvals=self.approvals,
            charges=self.charges,
            seen=self.seen,
            clock=self.clock,
            new_id=self._new_id,
            bursts=self.bursts,
            observations=self.observations,
            sleep=self._sleep,
        )

    # --- saying ------------------------------------------------------------------------------------------------------

    async def says(
        self, text: str = "", *, at: Target | str | None = None, by: Party | str = "buyer", **facts: Any
    ) -> Admission:
        """Somebody says something in a group without asking the agent; what was decided.

        Args:
            text: the text, as the platform's live text and as what may be read.
            at: the target, or its text form `platform/workspace/channel`; the policy's first, if not given.
            by: who says it: an id in that workspace, a party, or its text form.
            facts: any fields of `Event`, instead of the ordinary ones.
        """
        return await self.hears(self.event(text, at=at, by=by, **facts))

    async def asks(
        self, text: str = "", *, at: Target | str | None = None, by: Party | str = "buyer", **facts: Any
    ) -> Admission:
        """The same with a mention of the agent."""
        return await self.says(text, at=at, by=by, **({"mentions_agent": Fact.YES} | facts))

    async def hears(self, event: Event) -> Admission:
        """Any event, through the gate."""
        return await self.gate.handle(event, self.channel(event.target), self._speak, report=self.failures.append)

    def event(
        self, text: str = "", *, at: Target | str | None = None, by: Party | str = "buyer", **facts: Any
    ) -> Event:
        """The event that `says` says: a human's message in a group, every fact known and none of them a request.

        Raises:
            ValueError: `at` or `by` is no exact identity.
        """
        target, number = self.target(at), next(self._serial)
        known: dict[str, Any] = {
            "kind": EventKind.MESSAGE,
            "target": target,
            "event_id": f"m{number}",
            "dedupe_key": f"{target}:m{number}",
            "received_at": self.clock.time,
            "sent_at": self.clock.time,
            "authenticated": Fact.YES,
            "author": _party(by, target),
            "author_kind": AuthorKind.HUMAN,
            "chat": ChatKind.GROUP,
            "shared": Fact.NO,
            "other_bots": Fact.NO,
            "text": text,
            "body": text,
        }
        return Event(**(known | facts))

    async def approves(self, draft: Filed, *, operator: str = "operator") -> Delivery | None:
        """An operator approves one filed draft, and it is delivered as far as it may be."""
        self.approvals.approve(
            draft.id, sha256=draft.sha256, operator=operator, nonce=self._new_id("nonce"), now=self.clock.time
        )
        return await self.gate.deliver_approved(draft.id, self.channel(draft.target), key=self._new_id("out"))

    async def waits(self, milliseconds: int) -> None:
        """Time passes: requests whose parts were arriving are decided when they are due."""
        await self._sleep.pass_time(milliseconds)

    def run(self, doing: Coroutine[Any, Any, _Answer]) -> _Answer:
        """Do one of the above in a test that is not async; all of them share one event loop."""
        return self._runner.run(doing)

    def close(self) -> None:
        """End the loop of `run`, and what still waits in it."""
        self._runner.close()

    # --- reading -----------------------------------------------------------------------------------------------------

    @property
    def left(self) -> list[Output]:
        """Everything that left, platform by platform, in order."""
        return [output for channel in self.channels.values() for output in channel.performed]

    @property
    def texts(self) -> list[str]:
        """The texts of what left."""
        return [output.text for output in self.left if output.text]

    @property
    def filed(self) -> list[Filed]:
        """Every draft that was ever held back for the operator, oldest first, in the state it is in now."""
        return self.approvals.listed()

    @property
    def decisions(self) -> list[tuple[str, str]]:
        """Outcome and reason of every event, in order."""
        return [(entry.outcome, entry.reason) for entry in self.journal.entries if entry.kind == "event"]

    @property
    def releases(self) -> list[tuple[str, str]]:
        """Outcome and reason of everything that came to the door, in order."""
        return [(entry.outcome, entry.reason) for entry in self.journal.entries if entry.kind == "output"]

    @property
    def counts(self) -> Counter[str]:
        """What was asked of the outside so far: `agent`, `presence`, and every operation by its name; no zeros."""
        total: Counter[str] = Counter()
        for channel in self.channels.values():
            total += channel.counts
        return total + Counter(agent=self._turns)

    def channel(self, at: Target | str | None = None) -> RecordingChannel:
        """The recording channel that a target belongs to."""
        platform = at.platform if isinstance(at, Target) and not at.known else self.target(at).platform
        return self.channels.setdefault(platform, RecordingChannel(platform))

    def target(self, at: Target | str | None = None) -> Target:
        """The target that `at` names.

        Raises:
            ValueError: it is no exact identity.
        """
        if at is None:
            return next(iter(self.policy.targets), SOMEWHERE)
        if isinstance(at, Target):
            return at
        found = parse_target(at)
        if not found.known:
            raise ValueError(f"`{at}` is no target; write `platform/workspace/channel`")
        return found

    async def _speak(self, turn: Turn) -> None:
        self._turns += 1
        if isinstance(self._agent, str):
            await turn.reply(self._agent)
        else:
            await self._agent(turn)


class Recorders:
    """Makes recorded gates, and closes them; what the fixture `gate_recorder` is."""

    def __init__(self) -> None:
        self._made: list[GateRecorder] = []

    def __call__(self, policy: Policy | str, agent: Agent | str = ANSWER, *, now: int = START) -> GateRecorder:
        """One more recorded gate; see `GateRecorder`."""
        self._made.append(GateRecorder(policy, agent, now=now))
        return self._made[-1]

    def close(self) -> None:
        """Close all of them."""
        for recorder in self._made:
            recorder.close()


def _party(by: Party | str, target: Target) -> Party:
    if isinstance(by, Party):
        return by
    found = parse_party(by) if by.count("/") == 2 else party(target.platform, target.workspace, by)
    if not found.known:
        raise ValueError(f"`{by}` is no party; write `platform/workspace/id`, or an id of the target's workspace")
    return found
