"""Whether a byte of a request left: nobody there, and somebody who reads and hangs up."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest

from dragoman.channels.leaving import Unsent, Unsure, leaving, session

pytestmark = pytest.mark.anyio


async def asked(port: int) -> Exception:
    """What a request to a port comes to."""
    async with session() as client:
        with leaving() as watched:
            try:
                async with client.post(f"http://127.0.0.1:{port}/", data=b"hello"):
                    raise AssertionError("it was answered")
            except aiohttp.ClientError as failed:
                return watched.failed(failed)


async def test_what_left_and_what_did_not() -> None:
    """Refused at the door it is unsent; cut after it was read it is unsure, and the next request begins anew."""

    async def hangs_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(hangs_up, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    cut = await asked(port)
    server.close()
    await server.wait_closed()
    refused = await asked(port)

    assert (Unsure, Unsent) == (type(cut), type(refused))
