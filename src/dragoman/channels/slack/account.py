"""One Slack app in one workspace, as the receiver runs it: by the Events API (Slack calls us) or by Socket Mode.

1. A request counts only with its signature (`verify`), over the raw body; without it, 401 and nothing is read. The
   challenge of `url_verification` is echoed under the same condition.
2. What came is kept (`Spool`) before Slack gets its 200 or its acknowledgement; within its three seconds nothing else
   is done. Retries and twins are kept too: their key tells that they are copies.
3. What must be known beside an event is looked up after that, before the event is handed on, and only when it can
   change the decision (`worth_asking`); it stays with the event. A look-up that failed leaves unknown.
4. Events of other types are kept out, but they drop what they say has changed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec

from dragoman.channels.account import Arrival, Batch, Place
from dragoman.channels.inlet import Answer, Request
from dragoman.channels.secret_file import read_secret
from dragoman.channels.slack.adapter import SlackChannel
from dragoman.channels.slack.connection import Connection
from dragoman.channels.slack.facts import facts, worth_asking
from dragoman.channels.slack.section import SlackSection
from dragoman.channels.slack.socket import listen
from dragoman.channels.slack.state import SlackLookup
from dragoman.channels.slack.verify import verify
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.words import Fact

CHALLENGE_LIMIT: Final = 1_000
LOOK_UPS: Final = 10.0
"""Seconds that the look-ups beside one event may take; after them it is judged with what is not known."""
_ENDED: Final = frozenset({"app_uninstalled", "tokens_revoked"})
_FORM: Final = "application/x-www-form-urlencoded"


class Kept(msgspec.Struct, frozen=True):
    """One arrival: the envelope, or a slash command's form, and what was known beside it."""

    envelope: dict[str, Any]
    lookup: SlackLookup | None = None


def account(section: SlackSection, place: Place) -> SlackAccount:
    """The account of a section, not opened yet.

    Raises:
        DragomanError: as `secret_file.read_secret`; `config_invalid`.
    """
    return SlackAccount(section, place)


class SlackAccount(SlackChannel):
    """See the top of this file; `pace` is in seconds between messages of one conversation."""

    def __init__(self, section: SlackSection, place: Place, *, timeout: float = 15.0, pace: float = 1.0) -> None:
        token = read_secret(place.at(section.bot_token_file), "the bot token")
        super().__init__(
            section.team_id,
            section.app_id,
            token,
            api_url=section.api_url,
            clock=place.clock,
            timeout=timeout,
            pace=pace,
        )
        self._section, self._place = section, place
        self._secret = self._app_token = ""
        if section.signing_secret_file is not None:
            self._secret = read_secret(place.at(section.signing_secret_file), "the signing secret")
        if section.app_token_file is not None:
            self._app_token = read_secret(place.at(section.app_token_file), "the app-level token")
        self._spool = place.spool(self.name)

    @property
    def name(self) -> str:
        """`slack:` and the workspace."""
        return f"slack:{self._section.account}"

    async def close(self) -> None:
        """Close the connections and the inbox."""
        await super().close()
        self._spool.close()

    async def events(self, since: str | None) -> AsyncIterator[Batch]:
        """Batches from the stored position on, without end; outages are waited out.

        Raises:
            DragomanError: `channel_refused` when Slack does not accept our token any more.
        """
        listening = asyncio.ensure_future(self._listen())
        reading = self._spool.read(since)
        try:
            while True:
                coming = asyncio.ensure_future(anext(reading))
                try:
                    await asyncio.wait({coming, listening}, return_when=asyncio.FIRST_COMPLETED)
                    if not coming.done():
                        await listening  # it ends with an error only
                    batch = coming.result()
                finally:
                    if not coming.done():
                        coming.cancel()
                        with contextlib.suppress(asyncio.CancelledError):
                            await coming
                arrivals = await asyncio.gather(*(self._completed(arrival) for arrival in batch.arrivals))
                yield Batch(tuple(arrivals), batch.position)
        finally:
            listening.cancel()
            with contextlib.suppress(asyncio.CancelledError, DragomanError):
                await listening

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of one arrival: its signature, or our own websocket, authenticated it on its way in."""
        kept = msgspec.json.decode(raw, type=Kept)
        return facts(kept.envelope, self.agent, kept.lookup, received_at=received_at, authenticated=Fact.YES)

    # --- in ----------------------------------------------------------------------------------------------------------

    async def _listen(self) -> None:
        if self._app_token:
            connection = Connection(self._section.api_url, self._app_token, self._connection.timeout)
            try:
                await listen(connection, self._app_token, self._heard, self._place.report)
            finally:
                await connection.close()
            return
        self._place.inlet.on("POST", self._section.path, self._called)
        await self._place.inlet.start()
        await asyncio.Event().wait()

    async def _called(self, request: Request) -> Answer:
        """One request of Slack's, or of somebody who says so."""
        me = msgspec.structs.replace(self.agent, signing_secret=self._secret)
        if verify(request.headers, request.body, request.received_at, self._place.clock.now(), me) is not Fact.YES:
            return Answer(status=401)
        said = _decoded(request)
        if said is None:
            return Answer(status=400)
        if said.get("type") == "url_verification":
            challenge = said.get("challenge")
            good = type(challenge) is str and challenge.isprintable() and len(challenge) <= CHALLENGE_LIMIT
            return Answer(body=str(challenge).encode()) if good else Answer(status=400)
        await self._heard("events_api" if said.get("type") == "event_callback" else "slash_commands", said)
        return Answer()

    async def _heard(self, kind: str, said: Mapping[str, Any]) -> None:
        """Keep what may become a message, or take it in at once."""
        if kind == "events_api":
            event = said.get("event")
            if not isinstance(event, dict):
                return
            self._lookups.changed(event)
            if event.get("type") in _ENDED:
                self._place.report(DragomanError("channel_refused", str(event["type"]), where=self.name))
            if event.get("type") not in ("message", "app_mention"):
                return
        elif not isinstance(said.get("command"), str):
            return
        await self._spool.put(msgspec.json.encode(Kept(dict(said))))

    async def _completed(self, arrival: Arrival) -> Arrival:
        """The arrival with what is worth knowing beside it."""
        try:
            kept = msgspec.json.decode(arrival.raw, type=Kept)
        except (msgspec.DecodeError, RecursionError):  # said by whoever reads it
            return arrival
        wanted = worth_asking(kept.envelope, self.agent)
        if not (wanted.channel or wanted.user):
            return arrival
        known = SlackLookup()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_UPS):
                known = await self._lookups.about(wanted.channel, wanted.user)
        return Arrival(msgspec.json.encode(msgspec.structs.replace(kept, lookup=known)), arrival.received_at)


def _decoded(request: Request) -> dict[str, Any] | None:
    """The object in a body: JSON, or a form; None when there is none."""
    try:
        if request.headers.get("content-type", "").partition(";")[0].strip() == _FORM:
            return dict(parse_qsl(request.body.decode(), keep_blank_values=True, max_num_fields=64))
        said = msgspec.json.decode(request.body)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None
