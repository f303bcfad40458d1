"""How the updates of one bot come: asked for, or by calls of Telegram's; with what must be known beside each.

1. Polling: the position is the offset of the next update. Telegram keeps updates for 24 hours and forgets those below
   the offset that it is asked for, so it is asked only for what was stored. Without a position reading starts behind
   the last update: what was said before is history.
2. Webhook: a call is proven by our secret, kept in the spool, and only then confirmed.
3. An arrival holds the update as it came, our username at that time, and who is in the group where that can decide
   anything (`worth_asking`). Nobody in the chat sees that look-up. No typing, receipt or file download happens here.
4. Outages are waited out, with growing pauses; the second failure in a row is told to the owner.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import msgspec

from dragoman.channels.account import Arrival, Batch, Place
from dragoman.channels.address import pause
from dragoman.channels.inlet import Answer as Told
from dragoman.channels.inlet import Request
from dragoman.channels.spool import Spool
from dragoman.channels.telegram.connection import Connection, refused
from dragoman.channels.telegram.facts import PLATFORM, facts, worth_asking
from dragoman.channels.telegram.section import TelegramSection
from dragoman.channels.telegram.state import ChatState, TelegramAgent
from dragoman.channels.telegram.verify import verify
from dragoman.clock import HOUR
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.words import Fact

PATH: Final = "/telegram"
UPDATES: Final = ["message", "edited_message"]
"""What we ask for; nothing else can be a request."""
_SPOOLED: Final = "spool:"
_ANY: Final = {"update_id": None}
_THERE: Final = frozenset({"creator", "administrator", "member"})


class Came(msgspec.Struct, frozen=True):
    """What an arrival holds."""

    update: msgspec.Raw
    username: str
    chat: ChatState | None = None


class _Numbered(msgspec.Struct, frozen=True):
    update_id: int


class Updates:
    """The updates of the bot of `section`.

    Args:
        secret: what Telegram must say in a header of its calls; empty without a webhook.
        wait: seconds that Telegram may hold a request for news open.
    """

    def __init__(self, section: TelegramSection, secret: str, connection: Connection, place: Place, wait: int) -> None:
        self._section, self._connection, self._place, self._wait = section, connection, place, wait
        self.name = f"{PLATFORM}:{section.account}"
        try:
            self.agent = TelegramAgent(
                id=section.bot_id, username="_", colleagues=frozenset(section.colleagues), secret_token=secret
            )
        except ValueError as wrong:
            raise DragomanError("config_invalid", str(wrong), where="channels.telegram") from wrong
        self._known_at: int | None = None
        self._spool: Spool | None = None

    async def open(self) -> None:
        """See that the token is the bot's, and by which name it is mentioned.

        Raises:
            DragomanError: `channel_refused` if it is not, `channel_unreachable` if nobody answered.
        """
        answer = await self._connection.ask("getMe")
        me = answer.holds(dict[str, Any]) or {}
        if me.get("id") != self.agent.id or me.get("is_bot") is not True or not isinstance(me.get("username"), str):
            code = "channel_refused" if refused(answer) or answer.ok else "channel_unreachable"
            raise DragomanError(code, f"getMe: {answer.status}", where="telegram", fix="check the bot's token")
        self.agent = msgspec.structs.replace(self.agent, username=me["username"])
        self._known_at = self._place.clock.now()

    def close(self) -> None:
        """Close the inbox."""
        if self._spool is not None:
            self._spool.close()

    def read(self, since: str | None) -> AsyncIterator[Batch]:
        """Batches from the stored position on, without end.

        Raises:
            DragomanError: `channel_refused` when Telegram does not know our token any more; `inbox_broken`.
        """
        return self._called(since) if self._section.webhook_url else self._polled(since)

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of one arrival; our own connection, or the secret of its call, authenticated it."""
        came = msgspec.json.decode(raw, type=Came)
        agent = msgspec.structs.replace(self.agent, username=came.username)
        return facts(_update(came.update), agent, came.chat, received_at=received_at, authenticated=Fact.YES)

    async def _polled(self, since: str | None) -> AsyncIterator[Batch]:
        offset = int(since) if since is not None and since.isdecimal() else None
        failures = 0
        while True:
            try:
                await self._known()
                news = await self._news(offset)
                numbers = [_number(update) for update in news]
                arrivals = () if offset is None else tuple([await self._arrival(update) for update in news])
            except DragomanError as failed:
                if failed.code == "channel_refused":
                    raise
                failures += 1
                if failures == 2:
                    self._place.report(failed)
                await asyncio.sleep(pause(failures))
                continue
            first, failures = offset is None, 0
            offset = max([offset or 0, *(number + 1 for number in numbers)])
            if news or first:
                yield Batch(arrivals, str(offset))

    async def _news(self, offset: int | None) -> list[msgspec.Raw]:
        """The updates from `offset` on; the last one when there is no offset yet."""
        known = offset is not None
        answer = await self._connection.ask(
            "getUpdates",
            limit=float(self._wait) if known else 0.0,
            offset=offset if known else -1,
            timeout=self._wait if known else 0,
            allowed_updates=UPDATES,
        )
        news = answer.holds(list[msgspec.Raw])
        if news is not None:
            return news
        detail = f"getUpdates: {answer.status} {answer.description}"
        fix = "stop whoever else reads this bot's updates, or delete its webhook" if answer.status == 409 else ""
        code = "channel_refused" if refused(answer) else "channel_unreachable"
        raise DragomanError(code, detail, where=self.name, fix=fix)

    async def _called(self, since: str | None) -> AsyncIterator[Batch]:
        spool, inlet = self._inbox(), self._place.inlet
        await inlet.start()
        failures = 0
        while not await self._hooked(drop=since is None):
            failures += 1
            await asyncio.sleep(pause(failures))
        position = since.removeprefix(_SPOOLED) if since is not None and since.startswith(_SPOOLED) else None
        async for batch in spool.read(position):
            arrivals = []
            for kept in batch.arrivals:
                with contextlib.suppress(DragomanError):  # an old name is better than none: it is only compared
                    await self._known()
                arrival = await self._arrival(msgspec.Raw(kept.raw))
                arrivals.append(msgspec.structs.replace(arrival, received_at=kept.received_at))
            yield Batch(tuple(arrivals), f"{_SPOOLED}{batch.position}")

    def _inbox(self) -> Spool:
        if self._spool is None:
            self._spool = self._place.spool(self.name)
            self._place.inlet.on("POST", PATH, self._taken)
        return self._spool

    async def _taken(self, request: Request) -> Told:
        """One call: proven, kept, confirmed."""
        now = request.received_at
        if verify(request.headers, request.body, now, now, self.agent) is not Fact.YES:
            return Told(status=401)
        if _number(request.body) < 0 or self._spool is None:
            return Told(status=400)
        await self._spool.put(request.body)
        return Told()

    async def _hooked(self, *, drop: bool) -> bool:
        """Tell Telegram where to call us; whether it will."""
        try:
            answer = await self._connection.ask(
                "setWebhook",
                url=self._section.webhook_url,
                secret_token=self.agent.secret_token,
                allowed_updates=UPDATES,
                drop_pending_updates=drop,
            )
        except DragomanError:
            return False
        if refused(answer):
            raise DragomanError("channel_refused", f"setWebhook: {answer.status}", where=self.name)
        if not answer.ok:
            self._place.report(
                DragomanError("channel_unreachable", f"setWebhook: {answer.description}", where=self.name)
            )
        return answer.ok

    async def _known(self) -> None:
        """Ask for our name now and then: an owner may change it."""
        if self._known_at is None or self._place.clock.now() - self._known_at >= HOUR:
            await self.open()

    async def _arrival(self, update: msgspec.Raw) -> Arrival:
        where = worth_asking(_update(update), self.agent)
        chat = await self.chat(where) if where else None
        came = Came(update, self.agent.username, chat)
        return Arrival(msgspec.json.encode(came), self._place.clock.now())

    # --- who is there ------------------------------------------------------------------------------------------------

    async def chat(self, channel: str) -> ChatState:
        """What can be known of a group; what cannot be found out is left out."""
        try:
            chat = (await self._connection.ask("getChat", chat_id=channel)).holds(dict[str, Any])
            if chat is None:
                return ChatState()
            if chat.get("type") not in ("group", "supergroup") or "username" in chat or "linked_chat_id" in chat:
                return ChatState(open=True)
            count = (await self._connection.ask("getChatMemberCount", chat_id=channel)).holds(int)
            there = [user for user in sorted(self.agent.colleagues) if await self._is_there(channel, user)]
        except DragomanError:
            return ChatState()
        return ChatState(open=False, member_count=count, colleagues=frozenset(there))

    async def _is_there(self, channel: str, user: int) -> bool:
        answer = await self._connection.ask("getChatMember", chat_id=channel, user_id=user)
        member = answer.holds(dict[str, Any]) or {}
        return member.get("status") in _THERE or (member.get("status"), member.get("is_member")) == ("restricted", True)


def _update(raw: msgspec.Raw | bytes) -> Mapping[str, Any]:
    """The update of an arrival; one that is no JSON object is malformed, and nothing more."""
    try:
        return msgspec.json.decode(raw, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _ANY


def _number(raw: msgspec.Raw | bytes) -> int:
    """The number of an update; -1 for one that has none."""
    try:
        return msgspec.json.decode(raw, type=_Numbered).update_id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return -1
