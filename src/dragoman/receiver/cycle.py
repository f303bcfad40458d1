"""One cycle and the loop of cycles: recover, fetch, live, remind, tell (spec 2 §2 run / once).

1. A cycle first goes on with what the last one left, then fetches, then lives through every conversation that has
   something to do, several at a time; one conversation's failure is not another's.
2. What one cycle takes on is bounded by what one fetch gives.
3. Telling the owner runs beside: a hanging notifier delays no answer.
4. SIGTERM: what is in flight gets a grace, then is cancelled; the rows say where to go on. The end is a success.
5. Another instance's takeover ends everything: nothing more is written under the old generation.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Final

import msgspec

from dragoman.channels.hub.answers import HubError
from dragoman.clock import SECOND, Clock
from dragoman.errors import DragomanError
from dragoman.gate.ports import Entry
from dragoman.identity import Target
from dragoman.ledger.conversations import GOING
from dragoman.ledger.inbox import Inbound
from dragoman.receiver.authority import Mandate
from dragoman.receiver.books import Books
from dragoman.receiver.desk import Desk
from dragoman.receiver.life import Life
from dragoman.receiver.notify import Notices
from dragoman.receiver.report import Reporter
from dragoman.receiver.sentences import STOP, said
from dragoman.receiver.source import Arrived
from dragoman.receiver.steps import run_of
from dragoman.receiver.upkeep import Upkeep
from dragoman.words import Milestone, StopReason

AT_ONCE: Final = 4
POLL_MS: Final = 25 * SECOND
LISTEN_SECONDS: Final = 0.5
LISTEN_MS: Final = 250
"""How long the lives of a chat platform go on before it is listened to beside them, and for how long each time."""
GRACE_SECONDS: Final = 5.0
REPORT_SECONDS: Final = 5.0
"""How long a single cycle waits for its report at most."""
_STEPS: Final = "clock_steps"
OUTAGE_SECONDS: Final = (1.0, 2.0, 5.0, 15.0, 30.0)


_NOT_LET_IN: Final = frozenset({"key_replaced", "role_revoked", "role_erased", "signature_invalid", "origin_mismatch"})


def for_good(error: DragomanError) -> bool:
    """Whether the hub will never let this process in again as it is: its key is not the role's any more."""
    return isinstance(error, HubError) and error.wire_code in _NOT_LET_IN


def _ends(error: DragomanError) -> bool:
    """Whether an error ends the loop; every other is waited out."""
    return error.code in ("ledger_broken", "ledger_missing") or for_good(error)


class Outcome(msgspec.Struct, frozen=True):
    """What one cycle came to: messages fetched, and the codes of what went wrong."""

    fetched: int
    errors: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the cycle counts as a successful one."""
        return not self.errors


class Cycle:
    """Cycles of one source.

    Args:
        boot_id: names this boot of the machine.
        started_by: `run`, `once` or a scheduler's name; kept with each cycle.
        counts: whether its cycles are written down as evidence of work in the background; one source's are.
        stop: set when no new work is to be taken on.
        report: told of every error that did not stop the loop.
        reporter: tells the hub of this receiver, beside the lives; None where there is no hub.
        steady: seconds of a clock that nobody sets, the same for every process of this boot.
    """

    def __init__(
        self,
        desk: Desk,
        *,
        boot_id: str = "",
        started_by: str = "run",
        counts: bool = True,
        stop: asyncio.Event | None = None,
        report: Callable[[DragomanError], None] = lambda error: None,
        reporter: Reporter | None = None,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self.reporter = reporter
        self._steady = steady
        self._life = Life(desk)
        self._upkeep = Upkeep(desk)
        self._source = desk.source
        self._books = desk.books
        self._clock = desk.clock
        self._boot_id = boot_id
        self._started_by = started_by
        self._counts = counts
        self._stop = stop or asyncio.Event()
        self._report = report
        self._authority = desk.authority
        self._said: set[str] = set()
        self._room = asyncio.Semaphore(AT_ONCE)
        self._heard = 0

    async def once(self, wait_ms: int) -> Outcome:
        """One cycle.

        Raises:
            Superseded: another instance has taken over.
            DragomanError: the ledger cannot be written, or the source cannot be asked.
        """
        cycles, seq = self._books.cycles, 0
        if self._counts:
            seq = cycles.start(self._clock.now(), self._run(), self._started_by)
        errors: list[str] = []
        self._heard = 0
        self._upkeep.expire()
        errors += await self._live({target: [] for target in self._life.unfinished()})
        recalled = self._life.recall()
        arrived = await self._fetch(0 if recalled else min(wait_ms, self._life.due(), self._upkeep.due()))
        fresh = await self._life.arrive(arrived) if arrived or not self._source.leases else {}
        errors += await self._live({target: [] for target in recalled} | fresh)
        await self._upkeep.release()
        await self._upkeep.close_asked()
        self._upkeep.remind()
        self._upkeep.remind_of_drafts()
        self._upkeep.forget()
        outcome = Outcome(len(arrived) + self._heard, tuple(errors))
        if self._counts:
            cycles.end(seq, self._clock.now(), outcome.ok)
        if self.reporter is not None:
            self.reporter.nudge()
        return outcome

    def _run(self) -> str:
        """Names the run of this cycle: the boot, and how often the clock was set in it."""
        ledger, kept = self._books.ledger, self._books.ledger.get(_STEPS)
        run, keep = run_of(kept, self._boot_id, self._clock.now(), int(self._steady() * SECOND))
        if keep != kept:
            ledger.put(_STEPS, keep)
        return run

    async def run(self) -> None:
        """Cycles until `stop`; an outage is waited out."""
        failures = 0
        while not self._stop.is_set():
            self._say_changed()
            try:
                outcome = await self.once(POLL_MS)
                failures = 0 if outcome.ok else failures + 1
            except DragomanError as error:
                if _ends(error):
                    raise
                self._report(error)
                failures += 1
            if failures:
                with contextlib.suppress(TimeoutError):
                    wait = OUTAGE_SECONDS[min(failures, len(OUTAGE_SECONDS)) - 1]
                    await asyncio.wait_for(self._stop.wait(), wait)

    def _say_changed(self) -> None:
        """Say once that nothing is done under a changed scope, and that a policy file is not in force; again when it
        was mended in between."""
        mandate = self._authority.look()
        changed = scope_changed(mandate) if self._source.bounded else None
        found = {error.code: error for error in (changed, self._authority.refused) if error is not None}
        for code in found.keys() - self._said:
            self._report(found[code])
        self._said = set(found)

    async def _fetch(self, wait_ms: int) -> list[Arrived]:
        """What waits; nothing once it is time to stop. What a dropped poll leased is offered again by its source."""
        fetching = asyncio.ensure_future(self._source.fetch(wait_ms))
        stopping = asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait({fetching, stopping}, return_when=asyncio.FIRST_COMPLETED)
            return await fetching if fetching.done() else []
        finally:
            fetching.cancel()
            stopping.cancel()

    async def _live(self, conversations: dict[Target, list[Inbound]]) -> list[str]:
        """Live through these conversations, a few at a time; the codes of those that failed."""
        lives = asyncio.gather(*(self._one(*each) for each in conversations.items()), return_exceptions=True)
        try:
            await self._listen(lives)
            ended = await lives
        except BaseException:
            lives.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await lives
            raise
        for each in ended:
            if isinstance(each, BaseException):
                raise each
        return [code for code in ended if isinstance(code, str) and code]

    async def _listen(self, lives: asyncio.Future[list[str | BaseException]]) -> None:
        """While handlers run on a chat platform, hear what comes in, so that a stop or a pause need not wait for them.

        What is no command is written down and waits for the next cycle.
        """
        while not lives.done():
            await asyncio.wait({lives}, timeout=LISTEN_SECONDS)
            if lives.done() or self._source.leases:
                return
            try:
                arrived = await self._source.fetch(LISTEN_MS)
                self._heard += len(arrived)
                for target in await self._life.arrive(arrived) if arrived else ():
                    await self._life.listen(target)
            except DragomanError as error:
                if _ends(error):
                    raise
                self._report(error)
                return

    async def _one(self, target: Target, fresh: list[Inbound]) -> str:
        async with self._room:
            try:
                await self._life.advance(target, fresh)
            except DragomanError as error:
                if _ends(error):
                    raise
                self._report(error)
                return error.code
        return ""


async def serve(
    cycles: list[Cycle], notices: Notices, stop: asyncio.Event, *, grace_seconds: float = GRACE_SECONDS
) -> None:
    """Run every source until `stop` (the same that the cycles were given), or until one of them cannot go on.

    Raises:
        Superseded: another instance has taken over.
        DragomanError: what ended it.
    """
    working = [asyncio.ensure_future(cycle.run()) for cycle in cycles]
    telling = asyncio.ensure_future(_tell(notices))
    stopping = asyncio.ensure_future(stop.wait())
    reporting = [asyncio.ensure_future(cycle.reporter.run()) for cycle in cycles if cycle.reporter is not None]
    every = {*working, *reporting, telling, stopping}
    try:
        await asyncio.wait(every, return_when=asyncio.FIRST_COMPLETED)
        stop.set()
        await asyncio.wait(working, timeout=grace_seconds)
    finally:
        for task in every:
            task.cancel()
        await asyncio.wait(every)
    for task in (*working, *reporting, telling):
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error


async def single(
    cycles: list[Cycle], notices: Notices, stop: asyncio.Event, *, grace_seconds: float = GRACE_SECONDS
) -> list[Outcome]:
    """One cycle of every source, then tell the owner; what came of each, nothing when `stop` cut it short.

    Raises:
        Superseded: another instance has taken over.
        DragomanError: what ended it.
    """

    async def work() -> list[Outcome]:
        outcomes = [await cycle.once(0) for cycle in cycles]
        for reporter in (cycle.reporter for cycle in cycles if cycle.reporter is not None):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(REPORT_SECONDS):
                    await reporter.tell()
        await notices.deliver()
        return outcomes

    working, stopping = asyncio.ensure_future(work()), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({working}, timeout=grace_seconds)
        return working.result() if working.done() else []
    finally:
        for task in (working, stopping):
            task.cancel()
        await asyncio.wait({working, stopping})


async def _tell(notices: Notices) -> None:
    """Tell the owner, again and again."""
    while True:
        if not await notices.deliver():
            await asyncio.sleep(1)


def scope_changed(mandate: Mandate) -> DragomanError | None:
    """That the scope was changed under the same grant id, so that nothing is done; None when it was not."""
    if mandate.scope is None or not mandate.scope.changed:
        return None
    return DragomanError(
        "grant_changed",
        "nothing is handled or sent until it is mended; messages wait at the hub",
        where=mandate.scope.id,
        fix="restore the text, or ask the owner and use a new `grant_id`; `dragoman doctor` says what is wrong",
    )


def tell_changed(notices: Notices, mandate: Mandate) -> None:
    """Queue what the owner is told of a changed scope; once per grant, with or without a message that waits."""
    grant_id = mandate.grant.id if mandate.grant else ""
    words = said(STOP[StopReason.GRANT_CHANGED], mandate.language)
    notices.queue(Milestone.DECISION_NEEDED, f"{StopReason.GRANT_CHANGED}||{grant_id}|", words)


def superseded(books: Books, notices: Notices, clock: Clock, language: str, generation: int) -> DragomanError:
    """Write down that another instance has taken over, and the error that ends this one."""
    evidence = books.recorded(clock)
    with books.ledger.write():
        books.journal.record(
            Entry(
                correlation_id=f"generation-{generation}",
                kind="life",
                outcome="stopped",
                reason=StopReason.GENERATION_CHANGED,
                time=clock.now(),
            )
        )
        for conversation in books.conversations.all():
            hub, going = conversation.target.platform == "hub", conversation.state in GOING
            if hub and going:
                evidence.superseded(conversation.target)
        words = said(STOP[StopReason.GENERATION_CHANGED], language)
        notices.queue(Milestone.DECISION_NEEDED, f"generation_changed|{generation}", words)
    return DragomanError(
        "generation_changed",
        f"generation {generation} was superseded",
        where="hub",
        fix="run here only after `dragoman hub login --takeover` and the owner's new grant id",
    )
