"""A bot of the tests' own on a real homeserver: real accounts and rooms, the real channel, the real gate.

People speak through the raw client API; the bot sees only what its sync stream brings, and every event of the stream
goes through `Gate.handle`, our own echoes and the comings and goings of people included.

    ROOMS   what kinds of rooms there are, and what the policy says of each
    world   `await world.open("group", ...)`, then `await world.hears(world.says(...))`
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

import msgspec

from dragoman.agents.command import CommandHandler
from dragoman.agents.contract import HandlerLimits, HandlerMessage, HandlerRequest
from dragoman.agents.speaking import speak
from dragoman.channels.account import Batch
from dragoman.channels.matrix.adapter import MatrixChannel
from dragoman.channels.matrix.state import MatrixAgent
from dragoman.clock import DAY, SystemClock, rfc3339
from dragoman.gate.admit import Admission
from dragoman.gate.embedded import Agent
from dragoman.gate.event import Event, EventKind
from dragoman.gate.gate import Gate
from dragoman.gate.in_memory import MemoryApprovals, MemoryCharges, MemoryJournal, MemorySeen
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.ports import Turn
from dragoman.identity import Target
from dragoman.words import Fact
from tests.synapse import Synapse, User

CLOCK: Final = SystemClock()
HELLO: Final = "Thank you for your message."
"""What the plain agent answers to everything."""


class Kind(msgspec.Struct, frozen=True):
    """One kind of room: who is in besides agent and buyer, whether it is flagged direct, and its policy entry."""

    others: tuple[str, ...] = ()
    direct: bool = False
    policy: str | None = 'audience = "external"\ncounterparty = "acme"'


ROOMS: Final[dict[str, Kind]] = {
    "group": Kind(others=("jordan", "crier", "double")),
    "peered": Kind(
        others=("jordan", "crier", "listed"),
        policy='audience = "external"\ncounterparty = "acme"\nedits_may_request = true',
    ),
    "direct": Kind(direct=True),
    "crowd": Kind(others=("jordan",), direct=True),
    "pair": Kind(),
    "internal": Kind(others=("oper",), policy='audience = "internal"'),
    "taken": Kind(others=("oper",), policy='audience = "external"\ncounterparty = "acme"\ntakeover_seconds = 600'),
    "paused": Kind(),
    "barred": Kind(policy='audience = "external"\nallowed_senders = []'),
    "chinese": Kind(policy='audience = "external"\ncounterparty = "acme"\nlanguage = "zh"'),
    "unlisted": Kind(policy=None),
}
"""`double` has a look-alike name, `crier` is a bot that writes notices, `listed` a bot that writes texts."""

FACTS: Final = ("The loading dock is at gate 2.", "The contact person for returns is Jordan.")
"""What the owner authorises to be said to acme."""

HEAD: Final = f"""
version = 1
agent_names = ["Desk"]
command_prefixes = ["/"]

[[counterparties]]
id = "acme"
terms = ["Project Falcon"]

[[counterparties]]
id = "zenith"
terms = ["Northwind depot", "Prof. Voss"]

[[records]]
counterparty = "acme"
facts = {json.dumps(FACTS)}
"""


class MatrixWorld:
    """One agent with accounts and rooms of its own, and everything it decided."""

    def __init__(self, synapse: Synapse, name: str) -> None:
        self.synapse = synapse
        self._name = name
        self.agent, self.buyer = self.user("agent"), self.user("buyer")
        self.rooms: dict[str, str] = {}
        self.journal, self.approvals = MemoryJournal(), MemoryApprovals()
        self.charges, self.seen = MemoryCharges(), MemorySeen()
        self.events: dict[str, Event] = {}
        self.decisions: dict[str, Admission] = {}
        self.minted: list[str] = []
        self.turns = 0
        self.answers: Callable[[Event], Agent] = lambda event: plain
        self._serial = itertools.count(1)

    def user(self, who: str) -> User:
        """An account of this world; `double`'s name looks like the agent's, but is another."""
        return self.synapse.user(f"{'aqent' if who == 'double' else who}-{self._name}")

    def here(self, room: str) -> Target:
        """The target of one of our rooms."""
        return Target("matrix", self.agent.user_id, self.rooms[room])

    # --- setting up --------------------------------------------------------------------------------------------------

    async def open(
        self, *rooms: str, homeserver: str = "", timeout: float = 15.0, grants: tuple[str, ...] = ()
    ) -> None:
        """Make the rooms, compile their policy, and begin to listen.

        Args:
            rooms: names of `ROOMS`.
            homeserver: another address for the channel than the server's own.
            timeout: seconds that one request of the channel may take.
            grants: further grants: lines of TOML with `TARGET(room)` for a target.
        """
        for room in rooms:
            others = [self.user(who) for who in ROOMS[room].others]
            self.rooms[room] = self.synapse.room(self.buyer, self.agent, *others, direct=ROOMS[room].direct)
        me = MatrixAgent(user_id=self.agent.user_id, bots=frozenset({self.user("listed").user_id}))
        self.channel = MatrixChannel(
            homeserver or self.synapse.url, self.agent.token, me, clock=CLOCK, timeout=timeout, wait=2_000
        )
        self.gate = Gate(
            policy=parse_policy(self.policy(grants).encode()),
            journal=self.journal,
            approvals=self.approvals,
            charges=self.charges,
            seen=self.seen,
            clock=CLOCK,
            new_id=self._new_id,
        )
        self._stream: AsyncIterator[Batch] = self.channel.events(None)
        await anext(self._stream)

    async def close(self) -> None:
        """Close the connections."""
        if hasattr(self, "channel"):
            await self._stream.aclose()  # type: ignore[attr-defined]
            await self.channel.close()

    def _new_id(self, kind: str) -> str:
        self.minted.append(f"{kind}-{self._name}-{next(self._serial)}")
        return self.minted[-1]

    def policy(self, grants: tuple[str, ...] = ()) -> str:
        """The policy of the rooms made so far, as the text of a policy file; `grants` as in `open`."""
        parts = [HEAD]
        for room in self.rooms:
            if (entry := ROOMS[room].policy) is not None:
                parts.append(f"[[targets]]\n{self._named(room)}\n{entry}")
        parts.append(f'[[operators]]\nplatform = "matrix"\nworkspace = {quoted(self.agent.user_id)}')
        parts[-1] += f"\nid = {quoted(self.user('oper').user_id)}"
        if "peered" in self.rooms:
            crier = f"matrix/{self.agent.user_id}/{self.user('crier').user_id}"
            grants = (f'id = "peer"\npurpose = "bot"\nadmits = {quoted(crier)}\ntargets = [TARGET(peered)]', *grants)
        until = f'given_by = "oper"\nexpires_at = {quoted(rfc3339(CLOCK.now() + DAY))}'
        parts += [f"[[grants]]\n{grant}\n{until}" for grant in grants]
        whole = "\n\n".join(parts)
        for room in self.rooms:
            whole = whole.replace(f"TARGET({room})", f"{{ {self._named(room, ', ')} }}")
        return whole

    def _named(self, room: str, between: str = "\n") -> str:
        names = ("platform", "workspace", "channel")
        values = ("matrix", self.agent.user_id, self.rooms[room])
        return between.join(f"{name} = {quoted(value)}" for name, value in zip(names, values, strict=True))

    # --- living ------------------------------------------------------------------------------------------------------

    def says(self, who: str, room: str, content: str | dict[str, Any], type: str = "m.room.message") -> str:
        """Somebody says something in a room; its event id."""
        return self.synapse.say(self.user(who), self.rooms[room], content, type)

    async def hears(self, event_id: str, seen_as: Callable[[Event], Event] = lambda event: event) -> Admission:
        """Read on in the stream, everything through the gate, until this event was decided; its decision.

        `seen_as` changes the facts of this one event on their way in, for what a server on loopback never does.
        """
        while event_id not in self.decisions:
            batch = await asyncio.wait_for(anext(self._stream), 30)
            for arrival in batch.arrivals:
                event = self.channel.event(arrival.raw, arrival.received_at)
                await self.judge(seen_as(event) if event.event_id == event_id else event)
        return self.decisions[event_id]

    async def judge(self, event: Event) -> Admission:
        """One event through the gate, with the world's agent behind it."""
        self.events[event.event_id] = event

        async def agent(turn: Turn) -> None:
            self.turns += 1
            await self.answers(event)(turn)

        self.decisions[event.event_id] = await self.gate.handle(event, self.channel, agent)
        return self.decisions[event.event_id]

    # --- looking -----------------------------------------------------------------------------------------------------

    def raw(self, room: str) -> list[dict[str, Any]]:
        """What the agent put into a room, edits as events of their own, as the client of a bystander reads it."""
        bystander = self.user((*ROOMS[room].others, "buyer")[0])
        found = self.synapse.messages(bystander, self.rooms[room])
        return [event for event in found if event["sender"] == self.agent.user_id]

    def bodies(self, room: str) -> list[str]:
        """The texts of what the agent put into a room, in order."""
        return [event["content"]["body"] for event in self.raw(room)]


def through(handler: CommandHandler) -> Callable[[Event], Agent]:
    """Agents that ask a handler about the event, and say what it answers."""

    def about(event: Event) -> Agent:
        message = HandlerMessage(id=event.event_id, text=event.body, sent_at=event.received_at)
        request = HandlerRequest(
            limits=HandlerLimits(max_message_bytes=4_000),
            owner_instruction="Answer from the facts.",
            messages=(message,),
            record=FACTS,
        )

        async def agent(turn: Turn) -> None:
            await speak(turn, await handler.answer(request))

        return agent

    return about


async def plain(turn: Turn) -> None:
    """An agent that says the same to everything."""
    await turn.reply(HELLO)


def scheduled(target: Target, event_id: str, grant_id: str | None = None) -> Event:
    """The event of a schedule of our own."""
    return Event(
        kind=EventKind.SYNTHETIC,
        target=target,
        event_id=event_id,
        dedupe_key=f"schedule {event_id}",
        received_at=CLOCK.now(),
        authenticated=Fact.YES,
        shared=Fact.NO,
        grant_id=grant_id,
    )


def text(body: str, *mentioned: User, **content: Any) -> dict[str, Any]:
    """The content of a text message."""
    mentions = {"user_ids": [user.user_id for user in mentioned]} if mentioned else {}
    return {"msgtype": "m.text", "body": body, "m.mentions": mentions, **content}


def replying(event_id: str) -> dict[str, Any]:
    """The relation of a reply."""
    return {"m.relates_to": {"m.in_reply_to": {"event_id": event_id}}}


def in_thread(root: str) -> dict[str, Any]:
    """The relation of a message in a thread, with the pointer that old clients need."""
    pointer = {"m.in_reply_to": {"event_id": root}, "is_falling_back": True}
    return {"m.relates_to": {"rel_type": "m.thread", "event_id": root, **pointer}}


def edit(event_id: str, body: str, *mentioned: User) -> dict[str, Any]:
    """The content of an edit; `mentioned` are newly mentioned."""
    relation = {"m.relates_to": {"rel_type": "m.replace", "event_id": event_id}}
    return text(f"* {body}", *mentioned, **relation, **{"m.new_content": text(body, *mentioned)})


def quoted(value: str) -> str:
    """A TOML string."""
    return json.dumps(value)
