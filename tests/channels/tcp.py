"""A TCP proxy on the loopback that loses what a test tells it to lose; it runs in the test's own event loop."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import subprocess
from pathlib import Path


class Way:
    """The way to a server at `port`; clients use `Way.port`.

    `to_server` and `to_client` say whether bytes still pass in that direction; what does not pass is lost for good, and
    the connections stay open. With `tls` it speaks TLS to the client, for a server that does not.
    """

    def __init__(self, port: int, tls: ssl.SSLContext | None = None) -> None:
        self._server_port, self._tls = port, tls
        self.port = 0
        self.to_server = self.to_client = True
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._listening: asyncio.Server | None = None

    async def open(self) -> None:
        """Listen; again on the same port after `close`."""
        self._listening = await asyncio.start_server(self._came, "127.0.0.1", self.port, ssl=self._tls)
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


def certificate(folder: Path, name: str) -> Path:
    """A certificate for a host's name that it signed itself; its key is beside it, with `.key` at the end."""
    made = folder / f"{name}.pem"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"]
    words += [
        "-keyout",
        f"{made}.key",
        "-out",
        str(made),
        "-subj",
        f"/CN={name}",
        "-addext",
        f"subjectAltName=DNS:{name}",
    ]
    subprocess.run(words, check=True, capture_output=True, timeout=30)
    return made
