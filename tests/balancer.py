"""A small TCP balancer for tests: connections go to the next upstream that accepts, in turn.

Usage: `python -m tests.balancer PORT UPSTREAM_PORT...`
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import subprocess
import sys

from tests.postgres import free_port


class Balancer:
    """A balancer process in front of loopback ports."""

    def __init__(self, upstream: list[int]) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, "-m", "tests.balancer", str(self.port), *map(str, upstream)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        self._process.stdout.readline()

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


async def main(port: int, upstream: list[int]) -> None:
    """Serve until killed."""
    turns = itertools.cycle(upstream)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in upstream:
            with contextlib.suppress(OSError):
                far_reader, far_writer = await asyncio.open_connection("127.0.0.1", next(turns))
                break
        else:
            writer.transport.abort()
            return
        ways = [asyncio.create_task(_pump(reader, far_writer)), asyncio.create_task(_pump(far_reader, writer))]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for each in (writer, far_writer):
            each.transport.abort()
        for way in ways:
            way.cancel()

    server = await asyncio.start_server(serve, "127.0.0.1", port, backlog=512)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await server.serve_forever()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while part := await reader.read(64 * 1024):
            writer.write(part)
            await writer.drain()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), [int(each) for each in sys.argv[2:]]))
