"""A TCP proxy on the loopback that loses what a test tells it to lose; it runs in the test's own event loop."""

from __future__ import annotations

import asyncio
import contextlib


class Way:
    """The way to a server at `port`; clients use `Way.port`.

    `to_server` and `to_client` say whether bytes still pass in that direction; what does not pass is lost for good, and
    the connections stay open.
    """

    def __init__(self, port: int) -> None:
        self._server_port = port
        self.port = 0
        self.to_server = self.to_client = True
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._listening: asyncio.Server | None = None

    async def open(self) -> None:
        """Listen; again on the same port after `close`."""
        self._listening = await asyncio.start_server(self._came, "127.0.0.1", self.port)
        self.port = self._listening.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """End every connection that stands."""
        for writer in list(self._writers):
            writer.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def close(self) -> None:
        """Nobody is there any more."""
        if self._listening is not None:
            self._listening.close()
            self._listening = None
        await self.cut()

    async def _came(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        there: list[asyncio.StreamWriter] = [writer]
        try:
            back, forth = await asyncio.open_connection("127.0.0.1", self._server_port)
            there.append(forth)
            self._writers |= set(there)
            await asyncio.gather(self._pass(reader, forth, "to_server"), self._pass(back, writer, "to_client"))
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            for each in there:
                each.close()
                self._writers.discard(each)
            self._tasks.discard(task)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, direction: str) -> None:
        while data := await reader.read(65_536):
            if getattr(self, direction):
                writer.write(data)
                await writer.drain()
        with contextlib.suppress(OSError):
            writer.close()
