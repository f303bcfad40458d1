"""A verb's lane on PostgreSQL: what arrives together for it is one call of it, in one transaction.

1. A lane has `WRITERS` connections of its own; each takes all that waits.
2. Between seeing the queue empty and parking nothing is awaited, so no wake-up is lost.
3. A fault of a batch is the same refusal for each of its items; what changed nothing is tried again.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import asyncpg

from dragoman.hub.refusal import Refusal
from dragoman.hub.store import BACKLOG, GROUP, caused, named

TRIES: Final = 4
WRITERS: Final = 2
"""How many connections a verb has: while one batch waits for the disk or for its turn on a busy machine, the next goes
on. More make smaller batches, and each batch costs as much as five requests."""
AGAIN: Final = (
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
    asyncpg.InvalidCachedStatementError,  # a newer hub has just migrated the table
)
LOST: Final = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.OperatorInterventionError,  # shutting down, starting up
    asyncpg.ReadOnlySQLTransactionError,  # the server has become a standby
    asyncpg.TooManyConnectionsError,
    TimeoutError,
)


class Lane:
    """One verb's own connections, and the items that wait for them.

    Args:
        connect: makes a connection.
        commit: runs a work in a transaction of a connection; its last argument names the verb.
        verb: answers every item of a batch.
    """

    def __init__(self, connect: Callable[[], Awaitable[Any]], commit: Callable[..., Awaitable[Any]], verb: Any) -> None:
        self._connect = connect
        self._commit = commit
        self._verb = verb
        self._waiting: deque[tuple[Any, asyncio.Future[Any]]] = deque()
        self._any = asyncio.Event()
        self._closing = False
        self._tasks = [asyncio.create_task(self._run()) for _ in range(WRITERS)]

    async def put(self, item: Any) -> Any:
        """Wait for the verb to do `item`."""
        if len(self._waiting) >= BACKLOG:
            raise Refusal("overloaded")
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, answer))
        self._any.set()
        return await answer

    async def close(self) -> None:
        """Do what waits, then end."""
        self._closing = True
        self._any.set()
        await asyncio.gather(*self._tasks)

    async def _run(self) -> None:
        connection: Any = None
        while not self._closing or self._waiting:
            if not self._waiting:
                # Nothing is awaited between looking and parking: `put` sets the event after it has added.
                self._any.clear()
                await self._any.wait()
                continue
            group = [self._waiting.popleft() for _ in range(min(GROUP, len(self._waiting)))]
            connection, answers = await self._done(connection, [item for item, _ in group])
            _settle(group, answers)
        if connection is not None:
            connection.terminate()

    async def _done(self, connection: Any, items: list[Any]) -> tuple[Any, list[Any]]:
        """The connection to go on with, and what the verb answers; after a fault the same refusal for every item."""
        for attempt in range(TRIES):
            try:
                if connection is None or connection.is_closed():
                    connection = await self._connect()
                answers: list[Any] = await self._commit(connection, lambda tx: self._verb(tx, items), named(self._verb))
            except AGAIN as error:
                refusal = caused("overloaded", error)
                await asyncio.sleep(0.005 * 2**attempt)
            except Refusal as refused:
                return connection, [refused] * len(items)
            except (*LOST, asyncpg.PostgresError) as error:
                return connection, [caused("store_unavailable", error)] * len(items)
            else:
                return connection, answers
        return connection, [refusal] * len(items)


def _settle(group: Sequence[tuple[Any, asyncio.Future[Any]]], answers: Sequence[Any]) -> None:
    for (_, answer), said in zip(group, answers, strict=True):
        if answer.done():
            continue
        if isinstance(said, Refusal):
            answer.set_exception(said)
        else:
            answer.set_result(said)
