"""One bot of Microsoft Teams: takes activities in, carries out outputs, decides nothing.

1. An activity is taken when its token proves it (`verify`, with the keys of now), and kept with the roster of its
   conversation before it is answered with 200. The roster is asked for when a person said something; nobody sees that.
2. It is answered where its own signed address says, or at the configured one, and nowhere else.
3. Delivered is YES only with the connector's id (of typing: its acceptance), NO when no byte left or it answered 4xx,
   else UNKNOWN. A bot cannot read back what it said: a lost answer is uncertain for good.
4. Nothing is repeated; typing and texts leave only when they are asked for. Outputs of a conversation keep their order.

Output operations are called from `gate/outlet.py` only.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import Any, Final
from weakref import WeakValueDictionary

import msgspec

from dragoman.channels.account import Place, Proof
from dragoman.channels.inlet import Answer, Request
from dragoman.channels.spool import Batch
from dragoman.channels.teams.connector import PLACEHOLDER, Connector, Refused, Unsent, Unsure
from dragoman.channels.teams.facts import PLATFORM, facts
from dragoman.channels.teams.outgoing import OPERATIONS, activity, conversation, is_message_id
from dragoman.channels.teams.section import TeamsSection
from dragoman.channels.teams.state import Member, TeamsAgent, TeamsLookup, shared_by
from dragoman.channels.teams.verify import key_id, verify
from dragoman.clock import HOUR, MINUTE, SECOND
from dragoman.errors import DragomanError
from dragoman.gate.event import AuthorKind, Event, EventKind
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target, party
from dragoman.words import Fact

MOST: Final = 10_000
"""Conversations whose address or roster is remembered."""
ROSTER_FRESH: Final = MINUTE
_RETRY: Final = 5


class Arrived(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of an activity: itself, and who was there."""

    activity: dict[str, Any]
    members: tuple[Member, ...] | None = None


class TeamsAccount:
    """The account of one bot; implements `channels.account.Account`."""

    platform: Final = PLATFORM
    operations: Final = OPERATIONS

    def __init__(self, section: TeamsSection, connector: Connector, place: Place) -> None:
        self.name = f"{PLATFORM}:{section.account}"
        self._section, self._connector, self._place = section, connector, place
        self._agent = TeamsAgent(
            recipient_id=section.recipient_id or f"28:{section.app_id}",
            app_id=section.app_id,
            tenant_id=section.tenant_id,
            service_urls=(section.service_url,),
        )
        self._inbox = place.spool(self.name)
        self._addresses: OrderedDict[str, str] = OrderedDict()
        self._rosters: OrderedDict[str, tuple[int, tuple[Member, ...]]] = OrderedDict()
        self._order: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._listens = self._closed = False

    async def open(self) -> None:
        """See that Microsoft gives us a token.

        Raises:
            DragomanError: `channel_refused`, `channel_unreachable`.
        """
        await self._connector.login()

    async def close(self) -> None:
        """Close connections and inbox; who calls from now on is told to come again."""
        self._closed = True
        self._inbox.close()
        await self._connector.close()

    # --- in ----------------------------------------------------------------------------------------------------------

    async def events(self, since: str | None) -> AsyncIterator[Batch]:
        """Listen for the connector, and give what came in."""
        if not self._listens:
            self._place.inlet.on("POST", self._section.path, self._called)
            self._listens = True
        await self._place.inlet.start()
        async for batch in self._inbox.read(since):
            yield batch

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of one activity whose token was right when it came."""
        arrived = msgspec.json.decode(raw, type=Arrived)
        self._remember(arrived.activity)
        return self._facts(arrived, received_at)

    def _facts(self, arrived: Arrived, received_at: int) -> Event:
        lookup = TeamsLookup(members=arrived.members)
        return facts(arrived.activity, self._agent, lookup, received_at=received_at, authenticated=Fact.YES)

    async def _called(self, request: Request) -> Answer:
        if self._closed:
            return Answer(status=503)
        token = request.headers.get("authorization", "").partition(" ")[2]
        kid = key_id(token)
        if not kid:
            return Answer(status=401)
        try:
            keys = await self._connector.keys(kid)
        except DragomanError as failed:
            self._place.report(failed)
            return Answer(status=503)
        now, agent = self._place.clock.now(), msgspec.structs.replace(self._agent, keys=keys)
        if verify(request.headers, request.body, now, now, agent) is not Fact.YES:
            return Answer(status=401)
        arrived = Arrived(activity=msgspec.json.decode(request.body, type=dict[str, Any]))
        self._remember(arrived.activity)
        event = self._facts(arrived, request.received_at)
        if event.kind is EventKind.MESSAGE and event.author_kind is AuthorKind.HUMAN and not event.malformed:
            members = await self._roster(event.target.channel, fresh=ROSTER_FRESH)
            arrived = Arrived(activity=arrived.activity, members=members)
        await self._inbox.put(msgspec.json.encode(arrived))
        return Answer()

    def _remember(self, raw: dict[str, Any]) -> None:
        """Where a conversation is answered: its activity was signed for that address."""
        place, url = raw.get("conversation"), raw.get("serviceUrl")
        id = place.get("id") if isinstance(place, dict) else None
        if type(id) is str and type(url) is str:
            _keep(self._addresses, id.partition(";")[0], url)

    async def _roster(self, channel: str, *, fresh: int) -> tuple[Member, ...] | None:
        async with self._asking.setdefault(channel, asyncio.Lock()):  # who comes together asks once
            at, members = self._rosters.get(channel, (0, ()))
            if members and self._place.clock.now() - at < fresh:
                return members
            found = await self._connector.roster(self._address(channel), channel)
            if found:
                _keep(self._rosters, channel, (self._place.clock.now(), found))
            return found

    def _address(self, channel: str) -> str:
        return self._addresses.get(channel, self._section.service_url)

    # --- out ---------------------------------------------------------------------------------------------------------

    async def presence(self, target: Target) -> Presence:
        """Who is in the conversation now; unknown when the connector does not say (spec 1 §2)."""
        if not self._ours(target) or not is_message_id(target.channel):
            return Presence(Fact.UNKNOWN)
        members = await self._roster(target.channel, fresh=0)
        if not members:
            return Presence(Fact.UNKNOWN)
        own = self._section.tenant_id
        others = [party(PLATFORM, each.tenant_id or own, each.aad_object_id or each.id) for each in members]
        known = frozenset(others) if all(other.known for other in others) else None
        return Presence(shared_by(members, own), known)

    async def perform(self, output: Output) -> Receipt:
        """Carry out one output operation (spec 1 §6, §7)."""
        refusal = self._refusal(output)
        if refusal:
            return Receipt(delivered=Fact.NO, detail=refusal)
        url, told, edits = self._address(output.target.channel), activity(output), output.edits
        try:
            async with self._order.setdefault(output.target.channel, asyncio.Lock()):
                id = await self._connector.send_activity(
                    url, conversation(output), told, edits if output.operation is Operation.EDIT else None
                )
        except Refused as failed:
            return self._refused(failed)
        except Unsent as failed:
            return Receipt(delivered=Fact.NO, detail=str(failed))
        except Unsure as failed:
            return Receipt(delivered=Fact.UNKNOWN, detail=str(failed))
        if output.operation is Operation.TYPING:
            return Receipt(delivered=Fact.YES, evidence="accepted")
        if not is_message_id(id) or id == PLACEHOLDER:
            return Receipt(delivered=Fact.UNKNOWN, detail="no id came back")
        return Receipt(delivered=Fact.YES, evidence=id)

    async def look_up(self, target: Target, key: str, minted_at: int) -> Proof:
        """Teams keeps no keys, and a bot reads nothing back."""
        return Proof(Fact.UNKNOWN, gone=True)

    def _refusal(self, output: Output) -> str:
        """Why an output cannot be carried out at all, or the empty string."""
        if output.operation not in OPERATIONS:
            return "operation not declared"
        if not self._ours(output.target) or not conversation(output):
            return "not a conversation of this bot"
        if output.operation is Operation.EDIT and not is_message_id(output.edits):
            return "nothing to edit"
        return "not declared with these parts" if output.parts else ""

    def _refused(self, failed: Refused) -> Receipt:
        limited = failed.status == 429
        wait = min((failed.wait or _RETRY) * SECOND, HOUR)
        retry = self._place.clock.now() + wait if limited else None
        return Receipt(delivered=Fact.NO, detail=str(failed), retry_at=retry)

    def _ours(self, target: Target) -> bool:
        return target.platform == PLATFORM and target.workspace == self._section.tenant_id


def _keep(kept: OrderedDict[str, Any], key: str, value: Any) -> None:
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > MOST:
        kept.popitem(last=False)
