"""One Zulip account, by the server's REST API: reads the event queue, carries out outputs, decides nothing.

1. What came in is read by `stream.py`. Reading sends nothing that anybody sees: no typing, no presence, no read flag.
2. Delivered is YES only with the server's id of the message (or its plain agreement, for what makes none). It is NO
   only when no byte of the request left, or the server answered 4xx. All else is UNKNOWN.
3. A lost answer is proven when the message comes back in our queue under its key. `SETTLED_MS` after the last attempt
   (or after this process began) it is not there, if this process has read the queue without a gap since it was decided,
   or if nothing of ours stands in the place since then. Otherwise nothing will ever be proven.
4. Messages to one place go one after the other.

Output operations are called from `gate/gate.py` only.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Final
from weakref import WeakValueDictionary

import msgspec

from dragoman.channels.account import Batch, Proof
from dragoman.channels.zulip.connection import Answered, Connection, Unsent, Unsure, refused
from dragoman.channels.zulip.facts import PLATFORM, facts
from dragoman.channels.zulip.outgoing import MARKS, addressed, message, refusal
from dragoman.channels.zulip.outgoing import OPERATIONS as OPERATIONS
from dragoman.channels.zulip.places import Places
from dragoman.channels.zulip.state import Recipient, ZulipAgent, recipient
from dragoman.channels.zulip.stream import Kept, Stream
from dragoman.clock import HOUR, MINUTE, SECOND, Clock
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target, party
from dragoman.words import Fact

SETTLED_MS: Final = MINUTE
SKEW_MS: Final = 2 * MINUTE
"""How far our clock and the server's may differ."""
_LATEST: Final = 50
_RETRY: Final = 5 * SECOND
_LONGEST_RETRY: Final = HOUR
_MESSAGES: Final = frozenset({Operation.SEND, Operation.UPLOAD})


class ZulipChannel:
    """The bot `user_id` of `realm`; an `Account`.

    Args:
        realm: the address of the organisation; `https`, or `http` on the loopback.
        host: its host and port, as in workspaces.
        email: the bot's address at the realm.
        key: its API key.
        user_id: who we are.
        clock: for arrivals and `retry_at`.
        topic: the topic of what is said in a stream without a thread.
        timeout: seconds that one request may take.

    Raises:
        DragomanError: `config_invalid` for an address in the clear.
    """

    platform: Final = PLATFORM
    operations: Final = OPERATIONS

    def __init__(
        self,
        realm: str,
        host: str,
        email: str,
        key: str,
        user_id: int,
        *,
        clock: Clock,
        topic: str = "",
        timeout: float = 15.0,
    ) -> None:
        self._connection = Connection(realm, email, key, timeout)
        self._agent = ZulipAgent(realm=host, user_id=user_id)
        self._clock, self._topic = clock, topic
        self._places = Places(self._connection, user_id, clock)
        self._stream = Stream(self._connection, self._places, self._agent, clock)
        self._began = clock.now()
        self._tried: dict[str, int] = {}
        """Key → when it was last tried, of sends whose answer was lost."""
        self._order: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def name(self) -> str:
        """`zulip:USER_ID@HOST`."""
        return f"{PLATFORM}:{self._agent.user_id}@{self._agent.realm}"

    async def open(self) -> None:
        """Check that the key is the account's.

        Raises:
            DragomanError: `channel_refused` if it is not, `channel_unreachable` if nobody answered.
        """
        answer = await self._connection.ask("GET", "users/me")
        if answer.status != 200 and not refused(answer.status):
            raise DragomanError("channel_unreachable", f"status {answer.status}", where="zulip")
        if answer.status != 200 or answer.whole("user_id") != self._agent.user_id:
            raise DragomanError(
                "channel_refused", f"status {answer.status}", where="zulip", fix="check email, key and `user_id`"
            )

    async def close(self) -> None:
        """Close every connection."""
        await self._connection.close()

    async def events(self, since: str | None) -> AsyncIterator[Batch]:
        """Batches from the stored position on, without end; outages are waited out.

        Raises:
            DragomanError: `channel_refused` when the server does not accept our key any more.
        """
        async for batch in self._stream.read(since):
            yield batch

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of an arrival; our key over our own connection authenticated it."""
        kept = msgspec.json.decode(raw, type=Kept)
        return facts(kept.event, self._agent, kept.place, received_at=received_at, authenticated=Fact.YES)

    async def presence(self, target: Target) -> Presence:
        """Who is there now, we ourselves left out; unknown when the server does not say (spec 1 §2)."""
        where = self._ours(target)
        if where is None:
            return Presence(Fact.UNKNOWN)
        self._places.forget()
        around = await self._places.around(where)
        if around.people is None or around.public is None:
            return Presence(Fact.UNKNOWN)
        shared = around.public or any(person.guest for person in around.people.values())
        others = frozenset(party(PLATFORM, self._agent.realm, str(id)) for id in around.people)
        return Presence(Fact.YES if shared else Fact.NO, others)

    async def perform(self, output: Output) -> Receipt:
        """Carry out one output operation (spec 1 §6, §7)."""
        reason, where = refusal(output), self._ours(output.target)
        if reason or where is None:
            return Receipt(delivered=Fact.NO, detail=reason or "not a place of this realm")
        url = ""
        if output.operation is Operation.UPLOAD:
            stored = await self._stored(output)
            if isinstance(stored, Receipt):
                return stored
            url = stored
        try:
            async with self._in_order(output):
                answer = await self._call(output, where, url)
        except Unsent as failed:
            return Receipt(delivered=Fact.NO, detail=str(failed))
        except Unsure as failed:
            self._tried[output.key] = self._clock.now()
            return Receipt(delivered=Fact.UNKNOWN, detail=str(failed))
        receipt = self._receipt(answer, output)
        if receipt.delivered is Fact.UNKNOWN:
            self._tried[output.key] = self._clock.now()
        return receipt

    async def look_up(self, target: Target, key: str, minted_at: int) -> Proof:
        """Whether a message with this key came back, or cannot be there."""
        stream, now = self._stream, self._clock.now()
        found = stream.echoes.get(key)
        if found is not None:
            return Proof(Fact.YES, found) if found else Proof(Fact.UNKNOWN, gone=True)
        tried = max(minted_at, self._tried.get(key, self._began))
        if min(now, stream.polled_at) - tried <= SETTLED_MS:
            return Proof(Fact.UNKNOWN)
        if stream.reading_since is not None and stream.reading_since < minted_at:
            return Proof(Fact.NO)
        where = self._ours(target)
        return Proof(Fact.UNKNOWN, gone=True) if where is None else await self._nothing_since(where, minted_at)

    async def _nothing_since(self, where: Recipient, minted_at: int) -> Proof:
        """NO when no message of ours stands there since a moment."""
        narrow = {"operator": "stream", "operand": where.stream} if where.stream else _among(where, self._agent)
        sender = {"operator": "sender", "operand": self._agent.user_id}
        form = {"anchor": "newest", "num_before": str(_LATEST), "num_after": "0"}
        try:
            answer = await self._connection.ask("GET", "messages", form | {"narrow": json.dumps([narrow, sender])})
        except DragomanError:
            return Proof(Fact.UNKNOWN)
        if answer.status != 200 or "messages" not in answer.value:
            return Proof(Fact.UNKNOWN, gone=refused(answer.status))
        times = [each.get("timestamp") for each in answer.items("messages") if isinstance(each, dict)]
        could_be = any(type(time) is not int or time * SECOND > minted_at - SKEW_MS for time in times)
        return Proof(Fact.UNKNOWN, gone=True) if could_be else Proof(Fact.NO)

    def _ours(self, target: Target) -> Recipient | None:
        if (target.platform, target.workspace) != (PLATFORM, self._agent.realm):
            return None
        where = recipient(target.channel)
        return where if where is not None and (where.stream or self._agent.user_id in where.people) else None

    async def _stored(self, output: Output) -> str | Receipt:
        """The address of a file that was put into the realm, or why it is not there: nobody has seen anything."""
        file = output.parts.files[0]
        try:
            answer = await self._connection.put_file(file.name, file.media_type, file.content)
        except (Unsent, Unsure) as failed:
            return Receipt(delivered=Fact.NO, detail=f"upload: {failed}")
        url = answer.value.get("url") or answer.value.get("uri")
        if answer.status == 200 and type(url) is str and url.startswith("/user_uploads/"):
            return url
        retry = self._clock.now() + _wait(answer) if answer.status == 429 else None
        return Receipt(delivered=Fact.NO, detail=f"upload: status {answer.status}", retry_at=retry)

    def _in_order(self, output: Output) -> contextlib.AbstractAsyncContextManager[object]:
        if output.operation not in _MESSAGES:
            return contextlib.nullcontext()
        return self._order.setdefault(output.target.channel, asyncio.Lock())

    async def _call(self, output: Output, where: Recipient, url: str) -> Answered:
        send = self._connection.send
        topic = output.thread or self._topic
        match output.operation:
            case Operation.SEND | Operation.UPLOAD:
                queue = {"queue_id": self._stream.queue, "local_id": output.key} if self._stream.queue else {}
                return await send("POST", "messages", message(output, where, topic, url) | queue)
            case Operation.EDIT:
                return await send("PATCH", f"messages/{output.edits}", {"content": output.text})
            case Operation.REACT:
                return await send("POST", f"messages/{output.reply_to}/reactions", {"emoji_name": MARKS[output.text]})
            case _:
                told = addressed(where, topic)
                told |= {"stream_id": told.pop("to")} if where.stream else {}
                return await send("POST", "typing", {"op": "start", **told})

    def _receipt(self, answer: Answered, output: Output) -> Receipt:
        if answer.status == 429:
            return Receipt(delivered=Fact.NO, detail="rate limited", retry_at=self._clock.now() + _wait(answer))
        marked = output.operation is Operation.REACT and answer.code == "REACTION_ALREADY_EXISTS"
        if refused(answer.status) and not marked:
            return Receipt(delivered=Fact.NO, detail=f"{answer.status} {answer.code}".strip())
        id = answer.whole("id")
        evidence = {
            Operation.EDIT: output.edits or "",
            Operation.REACT: f"{output.reply_to}/{MARKS.get(output.text, '')}",
            Operation.TYPING: f"status {answer.status}",
        }.get(output.operation, str(id) if id else "")
        done = answer.status == 200 and answer.value.get("result") == "success"
        if (done or marked) and evidence:
            return Receipt(delivered=Fact.YES, evidence=evidence)
        return Receipt(delivered=Fact.UNKNOWN, detail=f"status {answer.status}")


def _among(where: Recipient, agent: ZulipAgent) -> dict[str, object]:
    others = [id for id in where.people if id != agent.user_id]
    return {"operator": "dm", "operand": others or [agent.user_id]}


def _wait(answer: Answered) -> int:
    """Milliseconds that a rate limit asks for: seconds in the header, or in the body."""
    for value in (answer.headers.get("retry-after"), answer.value.get("retry-after")):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            seconds = float(value)  # type: ignore[arg-type]
            if seconds > 0:
                return max(SECOND, min(int(seconds * SECOND), _LONGEST_RETRY))
    return _RETRY
