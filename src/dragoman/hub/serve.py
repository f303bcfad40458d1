"""The hub as a process: open the store, listen, say where, and go down in order.

1. The socket is bound before anything is printed; port 0 takes a free port, and the address told is the one bound.
2. Plain HTTP leaves this machine only when the operator says so; TLS belongs to a proxy in front, whose origin is
   named.
3. Rates, the log of requests and the metrics stand in front of the application (`front`); metrics are shown on an
   address of their own when one is named.
4. On SIGTERM or SIGINT polls return, requests under way are finished within `GRACE_SECONDS`, then the store is closed.
   None of this is needed for durability: `kill -9` loses nothing that was answered.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import secrets
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
import uvicorn

from dragoman import wire
from dragoman.clock import Clock
from dragoman.errors import DragomanError
from dragoman.hub.api import make_app
from dragoman.hub.desk import Desk
from dragoman.hub.doorstep import Doorstep
from dragoman.hub.front import Front, show_metrics
from dragoman.hub.logs import RequestLog, install_faults, opened
from dragoman.hub.metrics import Metrics
from dragoman.hub.porter import Porter
from dragoman.hub.rates import Rates
from dragoman.hub.service import Hub
from dragoman.hub.sqlite import SqliteStore
from dragoman.hub.store import Checkpoint, Store, no_checkpoint
from dragoman.hub.wake import Bell

GRACE_SECONDS: Final = 10
BACKLOG: Final = 512
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


class Listen(msgspec.Struct, frozen=True, kw_only=True):
    """Where to listen. `insecure_http` allows an address that other machines can reach."""

    host: str = "127.0.0.1"
    port: int = 0
    insecure_http: bool = False


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """How a hub is run.

    `invited`: new roles need an invitation. `log`: a file for the log of requests, `-` for standard error, None for
    none. `metrics`: where metrics are shown besides. `proxies`: addresses whose `X-Forwarded-For` is believed; when
    none is named and an origin is elsewhere, a proxy on this machine is. The last two are published as they are.
    """

    invited: bool = False
    log: str | None = None
    metrics: Listen | None = None
    rates: Rates = Rates()
    proxies: tuple[str, ...] = ()
    minimum_client_version: str = ""
    client_releases: tuple[wire.ClientRelease, ...] = ()


def operation_of(
    registration: str, log: str | None, metrics: Listen | None, proxies: Sequence[str], rates: Sequence[float]
) -> Operation:
    """How a hub is run, as options say it; `rates` per second of address, entrance, role and log-in.

    Raises:
        DragomanError: `input_invalid`.
    """
    if registration not in ("open", "invited"):
        raise DragomanError("input_invalid", "expected `open` or `invited`", where="--registration")
    try:
        named = tuple(str(ipaddress.ip_address(each)) for each in proxies)
    except ValueError as error:
        raise DragomanError("input_invalid", "expected an IP address", where="--trusted-proxy") from error
    usual = Rates()
    address, entrance, role, log_in = (
        each.at(wished)
        for each, wished in zip((usual.address, usual.entrance, usual.role, usual.log_in), rates, strict=True)
    )
    return Operation(
        invited=registration == "invited",
        log=log,
        metrics=metrics,
        rates=Rates(address=address, entrance=entrance, role=role, log_in=log_in),
        proxies=named,
    )


def random_id(prefix: str) -> str:
    """An unguessable id: the prefix and 32 lower-case hex."""
    return prefix + secrets.token_hex(16)


def _chance() -> float:
    """A number from 0 to 1 that no two processes share."""
    return secrets.randbelow(1000) / 1000


def parse_listen(text: str, *, insecure_http: bool) -> Listen:
    """`HOST:PORT`, `[::1]:PORT` or `:PORT` (loopback).

    Raises:
        DragomanError: `input_invalid` when it is malformed, `config_invalid` when it is off loopback without leave.
    """
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise DragomanError("input_invalid", "expected HOST:PORT", where="--listen")
    if host not in _LOOPBACK and not insecure_http:
        raise DragomanError(
            "config_invalid",
            "plain HTTP would leave this machine",
            where="--listen",
            fix="listen on 127.0.0.1 behind a TLS proxy, or pass --insecure-http",
        )
    return Listen(host=host, port=int(port), insecure_http=insecure_http)


def store_of(db: str, bell: Bell, password: str | None = None, checkpoint: Checkpoint = no_checkpoint) -> Store:
    """The store that `--db` names: `sqlite:///absolute/path`, a plain path, or `postgresql://user@host/database`.

    Raises:
        DragomanError: `not_implemented` for every other kind of store; `config_invalid` for a password in the address.
    """
    scheme, found, rest = db.partition("://")
    if not found:
        return SqliteStore(Path(db), bell, checkpoint=checkpoint)
    if scheme == "sqlite" and rest.startswith("/"):
        return SqliteStore(Path("/" + rest.lstrip("/")), bell, checkpoint=checkpoint)
    if scheme in ("postgresql", "postgres"):
        if (":" in rest.partition("@")[0] and "@" in rest) or "password=" in rest:
            fix = "name a private file with --db-password-file, or use the password file of PostgreSQL"
            raise DragomanError(
                "config_invalid", "a password in an argument is seen by everybody", where="--db", fix=fix
            )
        from dragoman.hub.postgres import PostgresStore

        return PostgresStore(db, bell, password=password, checkpoint=checkpoint)
    fix = "use sqlite:///… or postgresql://…"
    raise DragomanError("not_implemented", f"a store of kind `{scheme[:40]}`", where="--db", fix=fix)


def serve(
    db: str,
    listen: Listen,
    clock: Clock,
    limits: wire.Limits,
    *,
    origins: Collection[str] = (),
    password: str | None = None,
    operation: Operation = Operation(),  # noqa: B008  frozen
    checkpoint: Checkpoint = no_checkpoint,
    ready: Callable[[str], None],
) -> None:
    """Serve until told to stop; `ready` gets the address once connections are accepted by the kernel.

    Raises:
        DragomanError: `store_broken`, or `config_invalid` when the address cannot be had.
    """
    install_faults()
    bell = Bell()
    store = store_of(db, bell, password, checkpoint)
    log = RequestLog(opened(operation.log)) if operation.log is not None else None

    async def main() -> None:
        await store.open()
        try:
            sock = _bind(listen, "--listen")
            address = _address(listen.host, sock.getsockname()[1])
            known = _origins(address, origins)
            porter = _porter(store, clock, known, operation)
            desk = Desk(
                store,
                clock,
                random_id,
                limits,
                known,
                bell,
                operation.invited,
                operation.minimum_client_version,
                operation.client_releases,
            )
            hub = Hub(desk, porter)
            metrics = Metrics(store, bell)
            app = make_app(hub)
            front = Front(app, app.is_hot, porter, metrics, clock, random_id, time.monotonic, log)
            async with hub.upkeep.running(_chance), _metrics_shown(metrics, operation.metrics):
                ready(address)
                await _Server(_config(front), hub).serve(sockets=[sock])
        finally:
            await store.close()

    with asyncio.Runner(loop_factory=uvicorn.Config(str).get_loop_factory()) as runner:
        runner.run(main())


class _Server(uvicorn.Server):
    """Uvicorn, which first tells the waiting polls that it is time, and returns instead of dying of the signal.

    Its handler of SIGTERM stays when it has ended: told once more while the store is closed, the process still ends by
    itself. SIGINT is given back, so that a person can break off a store that does not close.
    """

    def __init__(self, config: uvicorn.Config, hub: Hub) -> None:
        super().__init__(config)
        self._hub = hub

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._hub.closing = True
        self._hub.desk.bell.ring_all()
        super().handle_exit(sig, frame)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        signal.signal(signal.SIGTERM, self.handle_exit)
        before = signal.signal(signal.SIGINT, self.handle_exit)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _porter(store: Store, clock: Clock, origins: Collection[str], operation: Operation) -> Porter:
    here_only = all(urlsplit(each).hostname in _LOOPBACK for each in origins)
    return Porter(
        store,
        clock,
        rates=operation.rates,
        proxies=operation.proxies or (() if here_only else _LOOPBACK[:2]),
        here_only=here_only and not operation.proxies,
        watching=operation.log is not None,
    )


@contextlib.asynccontextmanager
async def _metrics_shown(metrics: Metrics, listen: Listen | None) -> AsyncIterator[None]:
    """Show the metrics, and nothing else, on an address of their own meanwhile."""
    if listen is None:
        yield
        return

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await show_metrics(metrics, send)

    server = _Quiet(uvicorn.Config(app, lifespan="off", log_config=None, access_log=False, ws="none", http=Doorstep))
    task = asyncio.create_task(server.serve(sockets=[_bind(listen, "--metrics-listen")]))
    try:
        yield
    finally:
        server.should_exit = True
        await task


class _Quiet(uvicorn.Server):
    """Uvicorn that leaves signals to the server beside it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _config(app: Front) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        access_log=False,
        log_config=None,
        log_level="warning",
        server_header=False,
        date_header=False,
        proxy_headers=False,
        limit_concurrency=2048,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=GRACE_SECONDS,
        http=Doorstep,
        ws="none",
    )


def _bind(listen: Listen, option: str) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
        sock = socket.socket(family, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((listen.host, listen.port))
        sock.listen(BACKLOG)
    except OSError as error:
        raise DragomanError("config_invalid", error.strerror or "cannot bind", where=option) from error
    return sock


def _address(host: str, port: int) -> str:
    return wire.origin_of(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")


def _origins(address: str, named: Collection[str]) -> frozenset[str]:
    """The origins that log-ins may be signed for: those named, else the bound address and its loopback spellings."""
    if named:
        return frozenset(wire.origin_of(each) for each in named)
    port = address.rpartition(":")[2]
    return frozenset({address, *(_address(host, int(port)) for host in _LOOPBACK)})
