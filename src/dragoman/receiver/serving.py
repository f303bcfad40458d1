"""One receiver from its lock to its end: until it is asked to stop, or for one cycle (spec 2 §2, `run` or `once`).

1. The state lock is held from before anything is opened until everything is closed again.
2. `ready` is called once, when it works; whatever ends it comes out as a coded error.
3. A scope that was changed under its grant id is told to the owner when it is seen, not only when a message waits.
4. Another instance's takeover is written down and told before it ends this one.

It prints nothing and knows of no other receiver; `roles` serves many of them side by side.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import msgspec

from dragoman.clock import Clock
from dragoman.errors import DragomanError
from dragoman.receiver.config import Config
from dragoman.receiver.cycle import scope_changed, superseded, tell_changed
from dragoman.receiver.cycle import serve as until_stopped
from dragoman.receiver.cycle import single as one_cycle
from dragoman.receiver.desk import NO_BOUND, Checkpoint, no_checkpoint
from dragoman.receiver.lock import StateLock
from dragoman.receiver.source import Superseded
from dragoman.receiver.wiring import Receiver, opened

Report = Callable[[DragomanError], None]


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """What one cycle came to; `stopped` when it was asked to stop, as a lasting receiver always is in the end."""

    stopped: bool = False
    fetched: int = 0
    sent: int = 0
    errors: tuple[str, ...] = ()


async def serving(
    config: Config,
    *,
    clock: Clock,
    started_by: str,
    stop: asyncio.Event,
    single: bool,
    report: Report,
    ready: Callable[[Receiver], None] = lambda receiver: None,
    checkpoint: Checkpoint = no_checkpoint,
    slots: AbstractAsyncContextManager[object] = NO_BOUND,
) -> Served:
    """Serve one configuration.

    Args:
        single: one cycle instead of all until `stop`; then a hub that is away is not waited for.
        slots: held while a handler runs; shared by all receivers of a process.

    Raises:
        DragomanError: what ended it; `state_locked` when another process owns its state.
    """
    with StateLock(config.state_dir, started_by):
        holder: list[Receiver] = []

        def heard(error: DragomanError) -> None:
            report(error)
            if error.code == "grant_changed" and holder:
                tell_changed(holder[0].notices, holder[0].mandate)

        async with opened(
            config,
            clock=clock,
            started_by=started_by,
            stop=stop,
            checkpoint=checkpoint,
            report=heard,
            patient=not single,
            slots=slots,
        ) as receiver:
            holder.append(receiver)
            ready(receiver)
            try:
                if single:
                    return await _cycle(receiver, stop)
                await until_stopped(receiver.cycles, receiver.notices, stop)
            except Superseded as error:
                language = receiver.mandate.language
                ended = superseded(receiver.books, receiver.notices, clock, language, receiver.generation)
                await receiver.notices.deliver()
                raise ended from error
    return Served(stopped=True)


async def _cycle(receiver: Receiver, stop: asyncio.Event) -> Served:
    before = receiver.books.turns.counts().get("sent", 0)
    outcomes = await one_cycle(receiver.cycles, receiver.notices, stop)
    if stop.is_set():
        return Served(stopped=True)
    if (changed := scope_changed(receiver.mandate)) is not None:
        tell_changed(receiver.notices, receiver.mandate)
        await receiver.notices.deliver()
        raise changed
    return Served(
        fetched=sum(each.fetched for each in outcomes),
        sent=receiver.books.turns.counts().get("sent", 0) - before,
        errors=tuple(code for outcome in outcomes for code in outcome.errors),
    )
