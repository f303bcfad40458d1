"""What this receiver tells the hub of itself, and what it learns there of how things stand (spec 2 §1, §3.13, §3.14).

1. A report goes out on a change and at least every `EVERY_SECONDS`, by a clock that nobody sets. It runs beside the
   lives: what fails is left for the next round, and no reply ever waits for it.
2. Only dated evidence is reported, each piece with its moment: cycles in the background, probes with the hashes of
   their commands, the grant's end. What is not on record is left out.
3. A wait is shown as the owner's only where the handler asked; what the gate holds, and any other wait, as the gate's.
4. High-water marks are raised after cycles that charged something; they are compared at the start (`hub_marks`).
5. What the hub knows is kept for `status`: readiness, and every known conversation; beyond the fifty that one look
   shows, the others are asked for by their ids. An expired message is told to the owner once, whatever is repeated.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from dragoman import __version__, wire
from dragoman.channels.hub.answers import HubError
from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.facts import PLATFORM, contact_target
from dragoman.clock import MINUTE, Clock
from dragoman.ledger.changes import Change, What
from dragoman.ledger.conversations import Standing
from dragoman.receiver.authority import Authority, Identity
from dragoman.receiver.background import background
from dragoman.receiver.books import Books
from dragoman.receiver.hub_marks import counts_of
from dragoman.receiver.notify import Notices
from dragoman.receiver.sentences import EXPIRED, said
from dragoman.receiver.trade import tell_trades
from dragoman.words import Action, Milestone, SendState, StopReason

EVERY_SECONDS: Final = 50.0
LOOK_MS: Final = 5 * MINUTE
"""How long what the hub said of the conversations is good for."""
BY_ID: Final = 200
"""How many conversations beyond the newest are asked for by id in one round."""
MOST: Final = 1000
"""How many waits one report holds."""
VIEW: Final = "hub_view"
READINESS: Final = "hub_readiness"
_CURSOR: Final = "hub_events"


class Reporter:
    """The reports of one role's receiver.

    Args:
        steady: seconds of a clock that nobody sets.
        lasts: whether cycles of this start go on after a log-out; what does not last is not background.
        may_reply: whether the policy lets replies out now.
    """

    def __init__(
        self,
        client: HubClient,
        identity: Identity,
        *,
        books: Books,
        authority: Authority,
        notices: Notices,
        clock: Clock,
        steady: Callable[[], float],
        lasts: bool,
        may_reply: Callable[[], bool],
    ) -> None:
        self._client = client
        self._hub = client.reports
        self._identity = identity
        self._books = books
        self._authority = authority
        self._notices = notices
        self._clock = clock
        self._steady = steady
        self._lasts = lasts
        self._may_reply = may_reply
        self._news = asyncio.Event()
        self._said: tuple[Any, float] | None = None
        self._asked: float | None = None
        self._raised: tuple[str, dict[str, int]] | None = None

    def nudge(self) -> None:
        """Something may have changed."""
        self._news.set()

    async def run(self) -> None:
        """Report for as long as it is let; ends only by being cancelled."""
        while True:
            await self.tell()
            # Not `wait_for`: it may lose a cancellation that comes together with news.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(EVERY_SECONDS):
                    await self._news.wait()
            self._news.clear()

    async def tell(self) -> None:
        """One round of everything that is due. What fails is left for the next one."""
        steps = [self._report, self._raise_marks, self._look]
        if self._asked is None or self._steady() - self._asked >= EVERY_SECONDS:
            self._asked = self._steady()
            steps += [self._expired, self._trades]
        for step in steps:
            # Whatever goes wrong here, replies go on; the next round tries again.
            with contextlib.suppress(Exception):
                await step()

    # --- what is said ------------------------------------------------------------------------------------------------

    def report(self) -> wire.ReportReceiver:
        """What is on record now."""
        books, mandate, now = self._books, self._authority.mandate, self._clock.now()
        scope = mandate.scope
        seen = background(books.cycles.newest(), now)
        return wire.ReportReceiver(
            generation=self._identity.generation,
            sent_at=now,
            version=__version__,
            mode="autonomous" if mandate.autonomy is not None else "attended",
            background_at=seen["observed_at"] if self._lasts else None,
            handler=_probed(books, "handler", self._identity.handler),
            notifier=_probed(books, "notifier", self._identity.notifier),
            scope_until=scope.expires_at if scope is not None and not scope.changed else None,
            may_reply=self._may_reply(),
            waiting=list(waits(books))[:MOST],
        )

    async def _report(self) -> None:
        report = self.report()
        now, news = self._steady(), msgspec.structs.replace(report, sent_at=0, background_at=None)
        if self._said is not None and self._said[0] == news and now - self._said[1] < EVERY_SECONDS:
            return
        answer = await self._hub.report(report)
        self._said = (news, now)
        self._books.ledger.put(READINESS, msgspec.json.encode(answer.readiness).decode())

    async def _raise_marks(self) -> None:
        grant = self._authority.mandate.grant
        if grant is None:
            return
        raised = (grant.id, counts_of(self._books, grant.id))
        if raised == self._raised or not raised[1]["uses"]:
            return
        await self._hub.raise_marks(grant.id, self._books.ledger.install_id, raised[1])
        self._raised = raised

    # --- what is learnt ----------------------------------------------------------------------------------------------

    async def _look(self) -> None:
        """Ask where every known conversation stands, when the last answer has grown old."""
        now, kept = self._clock.now(), view(self._books)
        if kept is not None and 0 <= now - kept.at < LOOK_MS:
            return
        status = await self._hub.status()
        found = {each.contact_id: each for each in status.conversations}
        if status.truncated:
            for contact_id in [each for each in self._known() if each not in found][:BY_ID]:
                with contextlib.suppress(HubError):
                    found[contact_id] = await self._hub.communication(contact_id)
        told = View(at=now, truncated=status.truncated, conversations=list(found.values()))
        self._books.ledger.put(VIEW, msgspec.json.encode(told).decode())

    def _known(self) -> list[str]:
        """The contacts of the grant, and those with anything on record here."""
        grant = self._authority.mandate.grant
        targets = (grant.targets if grant else frozenset()) | {each.target for each in self._books.conversations.all()}
        return sorted(each.channel for each in targets if each.platform == PLATFORM)

    async def _expired(self) -> None:
        """Tell the owner of messages that nobody fetched in time: each once, with the place up to which was read."""
        books, language = self._books, self._authority.mandate.language
        after = int(books.ledger.get(_CURSOR) or 0)
        page = await self._client.finding.events(after=after, kinds=[wire.EventKind.MESSAGE_EXPIRED])
        if page.next_after == after:
            return
        with books.ledger.write():
            for event in page.events:
                reply_id, contact = event.facts.reply_id or "", event.facts.contact_id or ""
                words = said(EXPIRED, language)
                if self._notices.queue(Milestone.WAIT_REMINDER, f"expired|{reply_id}", words, contact=contact):
                    books.ledger.note(self._unread(reply_id, contact))
            books.ledger.put(_CURSOR, str(page.next_after))

    def _unread(self, reply_id: str, contact: str) -> Change:
        """That the peer did not fetch a reply in time."""
        place, now = str(contact_target(self._identity.role_id, contact)), self._clock.now()
        return Change(what=What.REPLY, target=place, id=reply_id, before=SendState.SENT, after="expired", now=now)

    async def _trades(self) -> None:
        """Pass on to the owner what the hub's operator told of trades."""
        await tell_trades(self._client, self._books, self._notices, self._clock, self._authority.mandate.language)


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What the hub said of the conversations, and when it was asked."""

    at: int
    truncated: bool
    conversations: list[wire.Communication]


def view(books: Books) -> View | None:
    """The last look at the hub that was kept."""
    kept = books.ledger.get(VIEW)
    return None if kept is None else msgspec.json.decode(kept, type=View)


def waits(books: Books) -> Iterable[wire.Waiting]:
    """The hub's conversations that wait, the newest change first: what for, and since when."""
    limited = {each.target for each in books.turns.in_state(SendState.SAVED) if each.retry_at}
    for each in books.conversations.all():
        if each.target.platform != PLATFORM:
            continue
        waits_for = None
        if each.state is Standing.WAITING_OWNER:
            latest = books.turns.latest(each.target)
            decision = books.turns.decision(latest.id) if latest is not None else None
            asked = decision is not None and decision.action is Action.WAITING_OWNER
            waits_for = wire.WaitsFor.OWNER if asked else wire.WaitsFor.GATE
        elif each.stop_reason is StopReason.REPLY_LIMITED and each.target in limited:
            waits_for = wire.WaitsFor.LIMIT
        if waits_for is not None:
            yield wire.Waiting(contact_id=each.target.channel, waits_for=waits_for, since=each.updated_at)


def _probed(books: Books, part: str, command: str) -> wire.Probed | None:
    """The last probe of a command, if it passed."""
    kept = books.ledger.get(f"probe_{part}")
    told: dict[str, Any] = msgspec.json.decode(kept) if kept else {}
    if not told.get("ok") or not command:
        return None
    return wire.Probed(at=int(told["at"]), command=_hash(str(told["command"])), command_now=_hash(command))


def _hash(command: str) -> str:
    """A command's fingerprint as others may see it: no path is in it."""
    return hashlib.sha256(b"dragoman-command-v1\n" + command.encode()).hexdigest()
