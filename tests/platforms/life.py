"""One account of a world with the gate behind it: everything that comes in is decided, and every decision is kept.

Nothing of the platform is faked here: what arrives is what `Account.events` brings, what leaves goes by the door.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from typing import Final

from dragoman.clock import DAY, SystemClock, rfc3339
from dragoman.gate.admit import Admission
from dragoman.gate.embedded import Agent
from dragoman.gate.event import Event
from dragoman.gate.gate import Gate
from dragoman.gate.in_memory import MemoryApprovals, MemoryCharges, MemoryJournal, MemorySeen
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.ports import Turn
from dragoman.identity import Party, Target
from tests.platforms.world import PlatformWorld, Saying

CLOCK: Final = SystemClock()
HELLO: Final = "Thank you for your message."
"""What the plain agent answers to everything."""
GUARDED: Final = "Northwind depot"
"""A protected term of another counterparty."""
SECONDS: Final = 20.0
"""How long something that must come is waited for."""


class Life:
    """The gate and the stream of one world."""

    def __init__(self, world: PlatformWorld, more: str = "") -> None:
        self.world = world
        self.turns = 0
        self.answers: Callable[[Turn], Awaitable[None]] = plain
        self.events: list[Event] = []
        self.decided: dict[str, Admission] = {}
        """Event id → the last decision about it."""
        self.journal, self.approvals = MemoryJournal(), MemoryApprovals()
        self.seen = MemorySeen()
        self.position: str | None = world.position
        self.failures: list[Exception] = []
        """What no event should raise."""
        self._serial = itertools.count(1)
        self._came = asyncio.Condition()
        self._reading: asyncio.Task[None] | None = None
        self.gate = Gate(
            policy=parse_policy((policy(world) + more).encode()),
            journal=self.journal,
            approvals=self.approvals,
            charges=MemoryCharges(),
            seen=self.seen,
            clock=CLOCK,
            new_id=lambda kind: f"{kind}-{id(self):x}-{next(self._serial)}",
        )

    async def begin(self) -> None:
        """Begin to read."""
        self._reading = asyncio.ensure_future(self._read())
        await asyncio.sleep(0.2)

    async def end(self) -> None:
        """Stop reading."""
        self.gate.close()
        if self._reading is not None:
            self._reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reading

    async def says(self, **saying: object) -> str:
        """Somebody says something; its event id."""
        return await self.world.say(Saying(**saying))  # type: ignore[arg-type]

    async def decision(self, event_id: str) -> Admission:
        """What was decided about a message that must reach us, once that is done."""
        async with asyncio.timeout(SECONDS), self._came:
            await self._came.wait_for(lambda: event_id in self.decided or self._failed())
        self._raise()
        return self.decided[event_id]

    async def hears(self, **saying: object) -> Admission:
        """Somebody says something that reaches us: the decision, after the turn that it led to."""
        return await self.decision(await self.says(**saying))

    @contextlib.asynccontextmanager
    async def costs_nothing(self) -> AsyncIterator[None]:
        """The server counts no writing request of ours meanwhile, of any kind, and no turn begins."""
        before = await self.world.written(), self.turns
        yield
        assert before == (await self.world.written(), self.turns)

    async def until(self, true: Callable[[], Awaitable[bool]], seconds: float = SECONDS) -> bool:
        """Whether something becomes true in time."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not await true():
            self._raise()
            if loop.time() > end:
                return False
            await asyncio.sleep(0.05)
        return True

    async def shows(self, place: str, expected: list[str]) -> list[str]:
        """What is shown in a place, as soon as it is what is expected, or after a while."""

        async def same() -> bool:
            return await self.world.shown(place) == expected

        await self.until(same, 8.0)
        return await self.world.shown(place)

    async def _read(self) -> None:
        tasks: set[asyncio.Task[None]] = set()
        async for batch in self.world.account.events(self.position):
            self.position = batch.position
            for arrival in batch.arrivals:
                event = self.world.account.event(arrival.raw, arrival.received_at)
                task = asyncio.ensure_future(self.judge(event))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
                await asyncio.wait({task}, timeout=0.05)  # in order, but a turn that runs hinders no `stop`

    async def judge(self, event: Event) -> None:
        """One event through the gate, with the agent behind it."""

        async def agent(turn: Turn) -> None:
            self.turns += 1
            await self.answers(turn)

        self.events.append(event)
        try:
            admission = await self.gate.handle(event, self.world.account, agent)
        except Exception as failed:
            self.failures.append(failed)
            async with self._came:
                self._came.notify_all()
            raise
        async with self._came:
            if event.event_id not in self.decided or str(admission.outcome) != "rejected":
                self.decided[event.event_id] = admission
            self._came.notify_all()

    def _failed(self) -> bool:
        return bool(self.failures) or (self._reading is not None and self._reading.done())

    def _raise(self) -> None:
        if self.failures:
            raise self.failures[0]
        if self._failed() and self._reading is not None:
            self._reading.result()


@contextlib.asynccontextmanager
async def living(world: PlatformWorld, more: str = "") -> AsyncIterator[Life]:
    """The life of a world, reading."""
    life = Life(world, more)
    await life.begin()
    try:
        yield life
    finally:
        await life.end()


async def plain(turn: Turn) -> None:
    """An agent that says the same to everything."""
    await turn.reply(HELLO)


def streaming(text: str, size: int = 7) -> Agent:
    """An agent that answers piece by piece."""

    async def agent(turn: Turn) -> None:
        await turn.stream(pieces(text, size))

    return agent


async def pieces(text: str, size: int) -> AsyncIterable[str]:
    """`text` in chunks of `size` characters."""
    for start in range(0, len(text), size):
        yield text[start : start + size]
        await asyncio.sleep(0)


def policy(world: PlatformWorld) -> str:
    """The policy of a world's places, as the text of a policy file."""
    heads = ["version = 1", 'command_prefixes = ["/", "!"]', "burst_quiet_seconds = 0.4"]
    parts = ["\n".join(heads)]
    parts += ['[[counterparties]]\nid = "acme"', f'[[counterparties]]\nid = "zenith"\nterms = ["{GUARDED}"]']
    for place in ("group", "direct", "trio", "inside", "shared"):
        if place == "group" or place in world.can:
            inside = place in ("inside", "shared")
            entry = 'audience = "internal"' if inside else 'audience = "external"\ncounterparty = "acme"'
            parts.append(f"[[targets]]\n{named(world.target(place))}\n{entry}")
    oper = Party(world.platform, world.people, world.party("oper"))
    ids = f"platform = {quoted(oper.platform)}\nworkspace = {quoted(oper.workspace)}\nid = {quoted(oper.id)}"
    return "\n\n".join([*parts, f"[[operators]]\n{ids}"]) + "\n"


def schedule_grant(target: Target) -> str:
    """One grant that lets a schedule speak to a target twice."""
    until = rfc3339(CLOCK.now() + DAY)
    return (
        f'\n[[grants]]\nid = "weekly"\npurpose = "schedule"\ngiven_by = "oper"\nmax_total = 2\nexpires_at = "{until}"\n'
        f"targets = [{{ {named(target, ', ')} }}]\n"
    )


def named(target: Target, between: str = "\n") -> str:
    """A target as keys of TOML."""
    values = (("platform", target.platform), ("workspace", target.workspace), ("channel", target.channel))
    return between.join(f"{name} = {quoted(value)}" for name, value in values)


def quoted(text: str) -> str:
    """A TOML string."""
    return '"' + "".join({'"': '\\"', "\\": "\\\\"}.get(char, char) for char in text) + '"'
