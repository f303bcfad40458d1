"""Builds a receiver out of its configuration: policy, ledger, handler, notifier, hub, authority, lives.

Order: the state lock is taken by the caller → policy → ledger under its side file → leftovers of a killed run are
ended → commands are authorised → log-in → the grant's scope is bound to its id. The first thing that fails ends it,
with its code; `doctor` is for the whole list. Everything that is opened is closed again, in the opposite order.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

import msgspec

from dragoman.agents import process
from dragoman.agents.notifier import Notifier
from dragoman.agents.notify_channel import Door
from dragoman.agents.program import Program
from dragoman.channels.hub.client import HubClient, HubError
from dragoman.channels.hub.keys import RoleKey, read_key
from dragoman.clock import DAY, HOUR, SECOND, Clock, SystemClock
from dragoman.errors import DragomanError
from dragoman.gate.gate import Gate
from dragoman.gate.policy import Policy
from dragoman.identity import Target
from dragoman.ledger.conversations import Standing
from dragoman.ledger.inbox import InboundState
from dragoman.receiver.answering import handler_of as handler_of
from dragoman.receiver.authority import Authority, Identity, Mandate
from dragoman.receiver.books import Books, open_books, side_file
from dragoman.receiver.chats import chats as chats_of
from dragoman.receiver.config import Config
from dragoman.receiver.cycle import Cycle
from dragoman.receiver.desk import NO_BOUND, Checkpoint, Desk, no_checkpoint
from dragoman.receiver.evidence import Evidence
from dragoman.receiver.host import Answer, host
from dragoman.receiver.hub_marks import check_marks
from dragoman.receiver.hub_source import HubSource
from dragoman.receiver.lock import held_key
from dragoman.receiver.notify import Notices
from dragoman.receiver.patience import patiently
from dragoman.receiver.policy import policy_of
from dragoman.receiver.real_peer import note_real_peer
from dragoman.receiver.report import Reporter
from dragoman.receiver.runs import Runs, program_of
from dragoman.receiver.source import Source
from dragoman.receiver.telling import door_of, notifier_from, standing_grants


class Receiver(msgspec.Struct, frozen=True, kw_only=True):
    """An opened receiver."""

    config: Config
    books: Books
    gate: Gate
    authority: Authority
    notices: Notices
    cycles: list[Cycle]
    generation: int

    @property
    def mandate(self) -> Mandate:
        """What the owner wants now."""
        return self.authority.mandate


def new_id(kind: str) -> str:
    """An unguessable id of a kind: `rpl-` and 32 hex."""
    return f"{kind}-{secrets.token_hex(16)}"


def notifier_of(
    config: Config,
    on_start: Callable[[process.Started], None] | None = None,
    door: Door | None = None,
    clock: Clock | None = None,
) -> Notifier | None:
    """The configured notifier, or None. One that speaks in a chat needs its `door` to say anything.

    Raises:
        DragomanError: `config_invalid` when the command is refused.
    """

    def program(argv: tuple[str, ...], environment: tuple[str, ...]) -> Program:
        section = config.file.notifier
        assert section is not None
        limits = process.Limits(time_ms=section.timeout_seconds * SECOND, stdout_bytes=section.max_output_bytes)
        return program_of(config, argv, limits, environment, on_start)

    return notifier_from(config, program, door, clock or SystemClock())


@contextlib.asynccontextmanager
async def notifier_alone(config: Config, clock: Clock, books: Books | None = None) -> AsyncIterator[Notifier | None]:
    """The configured notifier with its door, without the lives: for a probe beside a running receiver, and for
    `doctor`, which tells nobody and needs no ledger.

    Raises:
        DragomanError: what the notifier, its channel or its target cannot be used for.
    """
    async with contextlib.AsyncExitStack() as stack:
        door = None
        if config.file.notifier is not None and config.file.notifier.channel is not None:
            policy = policy_of(config).with_grants(standing_grants(config))
            if books is None:
                gate, paused = Gate(policy=policy, clock=clock), _nowhere
            else:
                gate, paused = _gate(config, books, policy, clock), books.seen.paused
            door = door_of(config, gate, await chats_of(config, stack, clock, lambda name: None), paused)
        yield notifier_of(config, door=door, clock=clock)


def key_of(config: Config) -> RoleKey:
    """The role key, which must be the configured role's.

    Raises:
        DragomanError: `key_invalid`.
    """
    hub = config.file.hub
    assert hub is not None
    path = config.at(hub.key_file)
    key = read_key(path)
    if key.role_id != hub.role_id:
        raise DragomanError("key_invalid", f"the key is of `{key.role_id}`", where=str(path), fix="mend `hub.role_id`")
    return key


@contextlib.asynccontextmanager
async def opened(
    config: Config,
    *,
    clock: Clock,
    started_by: str,
    stop: asyncio.Event,
    checkpoint: Checkpoint = no_checkpoint,
    report: Callable[[DragomanError], None] = lambda error: None,
    patient: bool = False,
    slots: contextlib.AbstractAsyncContextManager[object] = NO_BOUND,
) -> AsyncIterator[Receiver]:
    """Open everything that `config` names; the caller holds the state lock. `patient`: wait for what is away.
    `slots` is held while a handler runs.

    Raises:
        DragomanError: with the code of the first thing that fails.
    """
    async with contextlib.AsyncExitStack() as stack:
        policy = policy_of(config)
        books = open_books(config.state_dir, side_file(config.path), may_create=True, grant_id=config.grant_id)
        stack.callback(books.close)
        stack.callback(note_real_peer, books, config)
        runs = Runs(config.state_dir, _longest(config))
        runs.end_leftovers(time.time())
        books.notifications.interrupted(clock.now())
        handler, gate = handler_of(config, runs.note), _gate(config, books, policy, clock)
        chats = await chats_of(config, stack, clock, books.cycles.position, report, patient=patient)
        door = door_of(config, gate, chats, books.seen.paused)
        notifier = notifier_of(config, runs.note, door, clock)
        sources: list[Source] = []
        identity, client = None, None
        if config.file.hub is not None:
            client = await _client(config, stack, clock)
            enter = partial(_hub, config, client, clock, handler.fingerprint(), notifier, books)
            source, identity = await (patiently(enter, stop, report, random.random) if patient else enter())
            sources.append(source)
        sources += chats
        standing = standing_grants(config)
        authority = Authority(
            config,
            identity,
            policy=policy,
            gate=gate,
            books=books,
            clock=clock,
            standing=standing,
            runs=partial(_runs, started=config),
        )
        if authority.mandate.grant is not None:
            books.note_use(authority.mandate.grant.id)
        notices = Notices(
            books, notifier, clock, new_id, leaks=lambda text: bool(gate.policy.guard.scan(text, terms=False))
        )
        evidence = books.recorded(clock, new_id)
        if identity is not None:
            _hand_over(books, evidence, identity.generation, clock.now())
        reporter = None
        if client is not None and identity is not None:
            reporter = Reporter(
                client,
                identity,
                books=books,
                authority=authority,
                notices=notices,
                clock=clock,
                steady=_steady,
                lasts="systemd user" not in started_by or host(config.path).linger is not Answer.NO,
                may_reply=lambda: gate.policy.mode != "shadow",
            )
        cycles = [
            Cycle(
                Desk(
                    books=books,
                    source=source,
                    gate=gate,
                    authority=authority,
                    answer=handler.answer,
                    notices=notices,
                    clock=clock,
                    new_id=new_id,
                    checkpoint=checkpoint,
                    slots=slots,
                    evidence_ms=config.file.evidence_days * DAY,
                    reminder_ms=config.file.draft_reminder_hours * HOUR,
                ),
                boot_id=boot_id(),
                started_by=started_by,
                counts=source is sources[0],
                stop=stop,
                report=report,
                reporter=reporter if source.bounded else None,
                steady=_steady,
            )
            for source in sources
        ]
        yield Receiver(
            config=config,
            books=books,
            gate=gate,
            authority=authority,
            notices=notices,
            cycles=cycles,
            generation=identity.generation if identity else 0,
        )


async def _client(config: Config, stack: contextlib.AsyncExitStack, clock: Clock) -> HubClient:
    hub = config.file.hub
    assert hub is not None
    key = key_of(config)
    stack.enter_context(held_key(config.at(hub.key_file)))
    return await stack.enter_async_context(HubClient(hub.url, key, clock, instance_id=hub.instance_id))


async def _hub(
    config: Config, client: HubClient, clock: Clock, handler: str, notifier: Notifier | None, books: Books
) -> tuple[HubSource, Identity]:
    hub = config.file.hub
    assert hub is not None
    try:
        session = await client.log_in()
    except HubError as error:
        error.where = error.where or hub.url
        raise
    if not session.primary:
        raise DragomanError(
            "not_ready",
            "primary_instance: another instance of this role is the primary one",
            where="hub",
            fix="stop that instance, then `dragoman hub login --takeover`",
        )
    await check_marks(client.reports, books, config.grant_id)
    limits = (await client.well_known()).limits
    identity = Identity(
        role_id=client.role_id,
        instance_id=client.instance_id,
        generation=session.generation,
        handler=handler,
        notifier=notifier.fingerprint() if notifier else "",
    )
    return HubSource(client, limits, clock, session.generation), identity


def _runs(config: Config, identity: Identity, *, started: Config) -> bool:
    """Whether the commands that `config` names are those of the start, their files included."""
    if (config.file.handler, config.file.notifier) != (started.file.handler, started.file.notifier):
        return False
    try:
        notifier = notifier_of(config)
        found = (handler_of(config).fingerprint(), notifier.fingerprint() if notifier else "")
    except DragomanError:
        return False
    return found == (identity.handler, identity.notifier)


def _hand_over(books: Books, evidence: Evidence, generation: int, now: int) -> None:
    """Note the generation; conversations that an earlier one left get their handoff packet, and what rests at the hub
    is for the hub to offer again."""
    before = books.ledger.get("generation")
    if before == str(generation):
        return
    with books.ledger.write():
        books.ledger.put("generation", str(generation))
        for target in books.inbox.targets_in(InboundState.DEFERRED) if before else ():
            if target.platform == "hub":
                books.inbox.out_of_sight(target, now)
        for conversation in books.conversations.all() if before else ():
            if conversation.target.platform == "hub" and conversation.state in (Standing.OPEN, Standing.WAITING_OWNER):
                evidence.handed_over(conversation.target, int(before or 0), generation)


def _gate(config: Config, books: Books, policy: Policy, clock: Clock) -> Gate:
    return Gate(
        policy=policy,
        journal=books.journal,
        approvals=books.approvals,
        charges=books.charges,
        seen=books.seen,
        observations=books.observations,
        looks_on=True,
        evidence=books.evidence,
        evidence_ms=config.file.evidence_days * DAY,
        clock=clock,
        new_id=new_id,
    )


def _nowhere(target: Target) -> bool:
    """Without a ledger nothing is known to be paused."""
    return False


def _longest(config: Config) -> int:
    """The most seconds that a command of this configuration may run."""
    notifier = config.file.notifier
    return max(config.file.handler.timeout_seconds, notifier.timeout_seconds if notifier else 0)


def _steady() -> float:
    """Seconds of a clock that nobody sets and that sleeps with nobody, the same in every process of this boot."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


def boot_id() -> str:
    """Names this boot of the machine; empty where the system does not say."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
