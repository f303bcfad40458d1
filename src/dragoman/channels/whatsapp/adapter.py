"""One WhatsApp number, on Meta's Cloud API: takes webhooks in, carries out outputs, decides nothing.

1. A webhook is verified over its raw bytes, cut into envelopes, kept, and only then answered with 200. Envelopes of
   other numbers of the app are left out; messages become arrivals, statuses and times are what `Known` remembers.
2. A free text outside of the 24 hours is refused here: `window_closed`, nothing leaves. Templates are not sent.
3. Delivered is YES only by a status of Meta that carries the output's key; the message id in the API's answer is none.
   It is NO when no byte left, when the API answered with an error, or by the status `failed`. All else is UNKNOWN, and
   `look_up` reads what statuses came since; after `GONE` × `status_seconds` of listening without one there is no proof.
4. Nothing is repeated, no read mark and no typing is sent, no media is downloaded, no profile is asked for.

Output operations are called from `gate/outlet.py` only.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final
from weakref import WeakValueDictionary

import msgspec

from dragoman.channels.account import Place, Proof
from dragoman.channels.inlet import Answer, Request
from dragoman.channels.spool import Batch
from dragoman.channels.whatsapp.envelope import split
from dragoman.channels.whatsapp.facts import PLATFORM, facts, number_of, status_of
from dragoman.channels.whatsapp.graph import Graph, Unsent, Unsure
from dragoman.channels.whatsapp.known import Fate, Known, Line
from dragoman.channels.whatsapp.outgoing import OPERATIONS, place_of, request
from dragoman.channels.whatsapp.section import WhatsAppSection
from dragoman.channels.whatsapp.state import WhatsAppAgent
from dragoman.channels.whatsapp.verify import verify
from dragoman.clock import SECOND
from dragoman.errors import DragomanError
from dragoman.gate.event import AuthorKind, Event, EventKind
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target, party
from dragoman.words import Fact

GONE: Final = 20
LATER: Final[Mapping[int, int]] = {130429: 5, 131056: 6, 80007: 60, 4: 60, 131048: 3_600}
"""Error code of a limit → seconds to wait when Meta does not say: throughput, pair, account, app, spam."""
WINDOW_CLOSED: Final = 131047


class WhatsAppAccount:
    """The account of one number; implements `channels.account.Account`."""

    platform: Final = PLATFORM
    operations: Final = OPERATIONS

    def __init__(self, section: WhatsAppSection, agent: WhatsAppAgent, graph: Graph, word: str, place: Place) -> None:
        self.name = f"{PLATFORM}:{section.account}"
        self._section, self._agent, self._graph, self._word, self._place = section, agent, graph, word, place
        self._known = Known(place.spool(f"{self.name}:known"), place.clock)
        self._inbox = place.spool(self.name)
        self._order: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._listening_since: int | None = None
        self._closed = False

    async def open(self) -> None:
        """See that the token may speak for the number.

        Raises:
            DragomanError: `channel_refused`, `channel_unreachable`, `inbox_broken`.
        """
        told = await self._graph.number("id")
        if told.status >= 500 or told.status == 429:
            raise DragomanError("channel_unreachable", f"status {told.status}", where="whatsapp")
        if told.status != 200 or told.body.get("id") != self._agent.phone_number_id:
            detail = f"status {told.status}, code {told.code}"
            raise DragomanError("channel_refused", detail, where="whatsapp", fix="check token and phone number id")
        await self._known.open()

    async def close(self) -> None:
        """Close connections and inboxes; who calls from now on is told to come again."""
        self._closed = True
        await self._known.close()
        self._inbox.close()
        await self._graph.close()

    # --- in ----------------------------------------------------------------------------------------------------------

    async def events(self, since: str | None) -> AsyncIterator[Batch]:
        """Listen for Meta, and give what came in."""
        if self._listening_since is None:
            self._place.inlet.on("GET", self._section.path, self._verified)
            self._place.inlet.on("POST", self._section.path, self._called)
            self._listening_since = self._place.clock.now()
        await self._place.inlet.start()
        async for batch in self._inbox.read(since):
            yield batch

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of one envelope whose signature was right when it came."""
        found = msgspec.json.decode(raw)
        return facts(found, self._agent, None, received_at=received_at, authenticated=Fact.YES)

    async def _verified(self, request_: Request) -> Answer:
        """Meta's question whether this address is meant for it: its challenge comes back for our word only."""
        told, challenge = request_.query.get("hub.verify_token", ""), request_.query.get("hub.challenge", "")
        right = hmac.compare_digest(told.encode(), self._word.encode())
        if request_.query.get("hub.mode") != "subscribe" or not right or not 0 < len(challenge) <= 256:
            return Answer(status=403)
        return Answer(body=challenge.encode())

    async def _called(self, request_: Request) -> Answer:
        now = request_.received_at
        if self._closed:
            return Answer(status=503)
        if verify(request_.headers, request_.body, now, now, self._agent) is not Fact.YES:
            return Answer(status=401)
        try:
            body = msgspec.json.decode(request_.body)
        except (msgspec.DecodeError, RecursionError):
            return Answer(status=400)
        for envelope in split(body):
            if number_of(envelope) == self._agent.phone_number_id:
                await self._take(envelope, now)
        return Answer()

    async def _take(self, envelope: dict[str, Any], now: int) -> None:
        status = status_of(envelope)
        if status is not None:
            errors = status.objects("errors")
            code = errors[0].whole("code") if errors else None
            line = Line(
                key=status.text("biz_opaque_callback_data"),
                wamid=status.id("id"),
                status=status.text("status"),
                code=code or 0,
            )
            if line.key:
                await self._known.keep(line)
            return
        raw = msgspec.json.encode(envelope)
        event = self.event(raw, now)
        written = event.kind in (EventKind.MESSAGE, EventKind.EDIT) and event.author_kind is AuthorKind.HUMAN
        if written and event.target.known and not event.malformed:
            await self._known.keep(Line(chat=event.target.channel, at=min(event.sent_at or 0, now)))
        await self._inbox.put(raw)

    # --- out ---------------------------------------------------------------------------------------------------------

    async def presence(self, target: Target) -> Presence:
        """A one-to-one holds its customer; who is in a group is not asked. All of them are outsiders."""
        if not self._ours(target) or place_of(target.channel) != "individual":
            return Presence(Fact.YES if self._ours(target) else Fact.UNKNOWN)
        return Presence(Fact.YES, frozenset({party(PLATFORM, target.workspace, target.channel)}))

    async def perform(self, output: Output) -> Receipt:
        """Carry out one output operation, and wait for the status that proves it (spec 1 §6, §7)."""
        refusal = self._refusal(output)
        if refusal:
            return Receipt(delivered=Fact.NO, detail=refusal)
        media = ""
        if output.operation is Operation.UPLOAD:
            stored = await self._stored(output)
            if isinstance(stored, Receipt):
                return stored
            media = stored
        detail = "no status came"
        self._known.tries_again(output.key)
        try:
            async with self._order.setdefault(output.target.channel, asyncio.Lock()):
                told = await self._graph.post_message(request(output, media))
        except Unsent as failed:
            return Receipt(delivered=Fact.NO, detail=str(failed))
        except Unsure as failed:
            detail = str(failed)
        else:
            if 400 <= told.status < 500 and told.status != 408:
                return self._refused(told.code, told.wait, told.status)
            detail = detail if told.status == 200 else f"status {told.status}, code {told.code}"
        fate = await self._known.learns(output.key, self._section.status_seconds)
        return self._receipt(fate, detail)

    async def look_up(self, target: Target, key: str, minted_at: int) -> Proof:
        """What the statuses say of a send; no proof ever once Meta had time enough to call us."""
        fate, now = self._known.fate(key), self._place.clock.now()
        if fate.proven is not Fact.UNKNOWN:
            return Proof(fate.proven, fate.wamid)
        since = self._listening_since
        limit = GONE * self._section.status_seconds * SECOND
        return Proof(Fact.UNKNOWN, gone=since is not None and now - max(since, minted_at) > limit)

    def _refusal(self, output: Output) -> str:
        """Why an output cannot be carried out at all, or the empty string."""
        if output.operation not in OPERATIONS:
            return "operation not declared"
        if not self._ours(output.target) or not place_of(output.target.channel):
            return "not a chat of this number"
        if bool(output.parts) != (output.operation is Operation.UPLOAD) or len(output.parts.files) > 1:
            return "not declared with these parts"
        if not 0 < len(output.key) <= 512:
            return "the key does not fit"
        return "" if self._known.open_window(output.target.channel) else "window_closed"

    async def _stored(self, output: Output) -> str | Receipt:
        """The id of an uploaded file, or why it is not there: in the chat nobody has seen anything."""
        file = output.parts.files[0]
        try:
            told = await self._graph.post_media(file.name, file.media_type, file.content)
        except (Unsent, Unsure) as failed:
            return Receipt(delivered=Fact.NO, detail=f"upload: {failed}")
        id = told.body.get("id")
        return id if told.status == 200 and type(id) is str else self._refused(told.code, told.wait, told.status)

    def _receipt(self, fate: Fate, detail: str) -> Receipt:
        if fate.proven is Fact.YES:
            return Receipt(delivered=Fact.YES, evidence=fate.wamid)
        return (
            self._refused(fate.code, None, 0)
            if fate.proven is Fact.NO
            else Receipt(delivered=Fact.UNKNOWN, detail=detail)
        )

    def _refused(self, code: int, wait: int | None, status: int) -> Receipt:
        """NO, with the time to come back where it is a limit."""
        if code == WINDOW_CLOSED:
            return Receipt(delivered=Fact.NO, detail="window_closed")
        limited = wait is not None or code in LATER or status == 429
        seconds = min(wait if wait is not None else LATER.get(code, 5), 3_600)
        retry = self._place.clock.now() + seconds * SECOND if limited else None
        return Receipt(delivered=Fact.NO, detail=f"status {status}, code {code}", retry_at=retry)

    def _ours(self, target: Target) -> bool:
        return target.platform == PLATFORM and target.workspace == self._agent.phone_number_id
