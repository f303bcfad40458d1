"""One Mattermost account, by the server's REST API and websocket: carries out outputs, decides nothing.

1. What came in is read by `stream.py`. Reading sends nothing that anybody sees: no typing, no status, no read marker.
2. A place is spoken to only after the server said that this channel is of this workspace.
3. Delivered is YES only with the server's id of the post (or its plain agreement, for what makes none). It is NO only
   when no byte of the request left, or the server answered 4xx. All else is UNKNOWN.
4. A lost answer is looked up among the channel's posts by the key that every post of ours carries. It is not there only
   when that is seen `SETTLED_MS` after it was decided: until then a slow request may still arrive. One that comes later
   all the same is known to the server by its `pending_post_id` for as long as it takes to be said again.
5. Posts of one channel go one after the other.

Output operations are called from `gate/gate.py` only.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any, Final
from weakref import WeakValueDictionary

import msgspec

from dragoman.channels.account import Batch, Proof
from dragoman.channels.mattermost.connection import Answered, Connection, Unsent, Unsure, refused
from dragoman.channels.mattermost.facts import PLATFORM, facts
from dragoman.channels.mattermost.outgoing import KEY, MARKS, post, refusal
from dragoman.channels.mattermost.outgoing import OPERATIONS as OPERATIONS
from dragoman.channels.mattermost.places import Places
from dragoman.channels.mattermost.state import MattermostAgent, serves, workspace
from dragoman.channels.mattermost.stream import Kept, Stream
from dragoman.channels.spool import Spool
from dragoman.clock import HOUR, MINUTE, SECOND, Clock
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target, party
from dragoman.words import Fact

SETTLED_MS: Final = MINUTE
LOOKED_BACK_MS: Final = 10 * MINUTE
"""How far our clock and the server's may differ."""
MOST_SEEN: Final = 1_000
"""The server gives no more posts at once."""
SURELY_WHOLE: Final = 8_000
"""A text of more code points may have been the first of several posts."""
_RETRY: Final = 5 * SECOND
_LONGEST_RETRY: Final = HOUR
_POSTS: Final = frozenset({Operation.SEND, Operation.UPLOAD})


class MattermostChannel:
    """The account `user_id` at `server`; an `Account`.

    Args:
        server: its address; `https`, or `http` on the loopback.
        token: the account's access token.
        user_id: who we are; the server says our username.
        clock: for arrivals and `retry_at`.
        spool: opens the account's private inbox.
        timeout: seconds that one request may take.

    Raises:
        DragomanError: `config_invalid` for an address in the clear.
    """

    platform: Final = PLATFORM
    operations: Final = OPERATIONS

    def __init__(
        self,
        server: str,
        host: str,
        token: str,
        user_id: str,
        *,
        clock: Clock,
        spool: Callable[[], Spool],
        timeout: float = 15.0,
    ) -> None:
        self._connection = Connection(server, token, timeout)
        self._agent = MattermostAgent(server=host, user_id=user_id, username=user_id)
        self._clock = clock
        self._places = Places(self._connection, user_id, clock)
        self._stream = Stream(self._connection, self._places, spool, clock)
        self._order: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def name(self) -> str:
        """`mattermost:USER_ID@SERVER`."""
        return f"{PLATFORM}:{self._agent.user_id}@{self._agent.server}"

    async def open(self) -> None:
        """Check that the token is the account's, and learn its username.

        Raises:
            DragomanError: `channel_refused` if it is not, `channel_unreachable` if nobody answered.
        """
        answer = await self._connection.ask("GET", "users", "me")
        if answer.status != 200 and not refused(answer.status):
            raise DragomanError("channel_unreachable", f"status {answer.status}", where="mattermost")
        if answer.status != 200 or answer.text("id") != self._agent.user_id or not answer.text("username"):
            raise DragomanError(
                "channel_refused", f"status {answer.status}", where="mattermost", fix="check token and `user_id`"
            )
        self._agent = msgspec.structs.replace(self._agent, username=answer.text("username"))

    async def close(self) -> None:
        """Close every connection."""
        await self._connection.close()

    async def events(self, since: str | None) -> AsyncIterator[Batch]:
        """Batches from the stored position on, without end; outages are waited out.

        Raises:
            DragomanError: `channel_refused` when the server does not accept our token any more.
        """
        async for batch in self._stream.read(since):
            yield batch

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of an arrival; our token over our own connection authenticated it."""
        kept = msgspec.json.decode(raw, type=Kept)
        return facts(kept.event, self._agent, kept.place, received_at=received_at, authenticated=Fact.YES)

    async def presence(self, target: Target) -> Presence:
        """Who is in the channel now, we ourselves left out; unknown when the server does not say (spec 1 §2)."""
        if not await self._ours(target):
            return Presence(Fact.UNKNOWN)
        state, found = await self._places.afresh(target.channel)
        members = found.of
        if members is None or state.shared is None:
            return Presence(Fact.UNKNOWN)
        own, server = self._agent.user_id, self._agent.server
        others = frozenset(party(PLATFORM, server, user) for user in members if user != own)
        return Presence(Fact.YES if state.shared else Fact.NO, others)

    async def perform(self, output: Output) -> Receipt:
        """Carry out one output operation (spec 1 §6, §7)."""
        reason = refusal(output)
        if reason:
            return Receipt(delivered=Fact.NO, detail=reason)
        if not await self._ours(output.target):
            return Receipt(delivered=Fact.NO, detail="not a channel of this workspace, or that could not be found out")
        file_ids: tuple[str, ...] = ()
        if output.operation is Operation.UPLOAD:
            stored = await self._stored(output)
            if isinstance(stored, Receipt):
                return stored
            file_ids = (stored,)
        try:
            async with self._in_order(output):
                answer = await self._call(output, file_ids)
        except Unsent as failed:
            return Receipt(delivered=Fact.NO, detail=str(failed))
        except Unsure as failed:
            return Receipt(delivered=Fact.UNKNOWN, detail=str(failed))
        return self._receipt(answer, output)

    async def look_up(self, target: Target, key: str, minted_at: int) -> Proof:
        """Whether a post with this key stands in the channel."""
        unknown = Proof(Fact.UNKNOWN)
        query = {"since": str(max(0, minted_at - LOOKED_BACK_MS))}
        try:
            answer = await self._connection.ask("GET", "channels", target.channel, "posts", query=query)
        except DragomanError:
            return unknown
        posts = answer.value.get("posts") if isinstance(answer.value, dict) else None
        if answer.status != 200 or not isinstance(posts, dict):
            return Proof(Fact.UNKNOWN, gone=refused(answer.status))
        ours = {_key(post): post for post in posts.values() if self._wrote(post)}
        found = ours.get(key)
        if found is None:
            settled = self._clock.now() - minted_at > SETTLED_MS and len(posts) < MOST_SEEN
            return Proof(Fact.NO) if settled else unknown
        if len(str(found.get("message"))) > SURELY_WHOLE:
            return Proof(Fact.UNKNOWN, gone=True)
        return Proof(Fact.YES, str(found["id"]))

    def _wrote(self, post: object) -> bool:
        return isinstance(post, dict) and post.get("user_id") == self._agent.user_id and type(post.get("id")) is str

    async def _ours(self, target: Target) -> bool:
        """Whether the server says that this channel is of this workspace."""
        server = self._agent.server
        if target.platform != PLATFORM or not serves(server, target.workspace):
            return False
        state = await self._places.channel(target.channel)
        return state.type is not None and workspace(server, state.type, state.team_id or "") == target.workspace

    async def _stored(self, output: Output) -> str | Receipt:
        """The id of a file that was put beside the channel, or why it is not there: nobody has seen anything."""
        file = output.parts.files[0]
        try:
            answer = await self._connection.put_file(output.target.channel, file.name, file.media_type, file.content)
        except (Unsent, Unsure) as failed:
            return Receipt(delivered=Fact.NO, detail=f"upload: {failed}")
        infos = answer.value.get("file_infos") if isinstance(answer.value, dict) else None
        if answer.status in (200, 201) and isinstance(infos, list) and infos and isinstance(infos[0], dict):
            return str(infos[0].get("id", ""))
        retry = self._clock.now() + _wait(answer, self._clock.now()) if answer.status == 429 else None
        return Receipt(delivered=Fact.NO, detail=f"upload: status {answer.status}", retry_at=retry)

    def _in_order(self, output: Output) -> contextlib.AbstractAsyncContextManager[object]:
        if output.operation not in _POSTS:
            return contextlib.nullcontext()
        return self._order.setdefault(output.target.channel, asyncio.Lock())

    async def _call(self, output: Output, file_ids: tuple[str, ...]) -> Answered:
        own, send = self._agent.user_id, self._connection.send
        match output.operation:
            case Operation.SEND | Operation.UPLOAD:
                return await send("POST", "posts", body=post(output, own, file_ids))
            case Operation.EDIT:
                return await send("PUT", "posts", output.edits or "", "patch", body={"message": output.text})
            case Operation.REACT:
                mark = {"user_id": own, "post_id": output.reply_to, "emoji_name": MARKS[output.text]}
                return await send("POST", "reactions", body=mark)
            case _:
                where = {"channel_id": output.target.channel, "parent_id": output.thread or ""}
                return await send("POST", "users", own, "typing", body=where)

    def _receipt(self, answer: Answered, output: Output) -> Receipt:
        if answer.status == 429:
            now = self._clock.now()
            return Receipt(delivered=Fact.NO, detail="rate limited", retry_at=now + _wait(answer, now))
        if refused(answer.status):
            return Receipt(delivered=Fact.NO, detail=f"{answer.status} {answer.text('id')}".strip())
        evidence = {
            Operation.REACT: f"{output.reply_to}/{answer.text('emoji_name')}" if answer.text("emoji_name") else "",
            Operation.TYPING: f"status {answer.status}",
        }.get(output.operation, answer.text("id"))
        if answer.status in (200, 201) and evidence:
            return Receipt(delivered=Fact.YES, evidence=evidence)
        return Receipt(delivered=Fact.UNKNOWN, detail=f"status {answer.status}")


def _key(post: dict[str, Any]) -> str:
    props = post.get("props")
    key = props.get(KEY) if isinstance(props, dict) else None
    return key if type(key) is str else ""


def _wait(answer: Answered, now: int) -> int:
    """Milliseconds that a rate limit asks for. Its reset is in seconds: from now, or (older servers) of the epoch."""
    for header in ("retry-after", "x-ratelimit-reset"):
        value = answer.headers.get(header, "")
        if value.isascii() and value.isdigit():
            wait = int(value[:12]) * SECOND
            return max(SECOND, min(wait - now if wait > now // 2 else wait, _LONGEST_RETRY))
    return _RETRY
