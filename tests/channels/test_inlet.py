"""The one address that platforms call: bounded, silent about everything inside, and closed without a caller."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import httpx2
import pytest

from dragoman.channels.inlet import BODY_BYTES, Answer, Inlet, Request
from dragoman.errors import DragomanError
from dragoman.testing import HandClock

pytestmark = pytest.mark.anyio


@pytest.fixture
def failures() -> list[Exception]:
    """What was reported inside."""
    return []


@pytest.fixture
async def inlet(failures: list[Exception]) -> AsyncIterator[Inlet]:
    """An address with one account that answers what it was asked, and one that breaks."""
    made = Inlet("127.0.0.1", 0, HandClock(7), failures.append)

    async def echo(request: Request) -> Answer:
        said = [request.body, request.query.get("q", "").encode(), request.headers.get("x-proof", "").encode()]
        return Answer(status=201, body=b"|".join([*said, b"%d" % request.received_at]))

    async def broken(request: Request) -> Answer:
        raise RuntimeError("token xoxb-secret")

    made.on("POST", "/echo", echo)
    made.on("POST", "/broken", broken)
    await made.start()
    yield made
    await made.close()


async def test_a_request_arrives_whole(inlet: Inlet) -> None:
    """Body, query and headers as they were sent, with the time of arrival."""
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{inlet.port}") as client:
        answer = await client.post("/echo?q=1", content=b"\x00raw", headers={"X-Proof": "v0"})

    assert (201, b"\x00raw|1|v0|7") == (answer.status_code, answer.content)


async def test_what_nobody_asked_for(inlet: Inlet) -> None:
    """Another path, another method: a status and nothing else, of no software's name."""
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{inlet.port}") as client:
        answers = [await client.get("/echo"), await client.post("/other")]

    assert [(405, b""), (404, b"")] == [(answer.status_code, answer.content) for answer in answers]
    assert all("server" not in answer.headers for answer in answers)


async def test_a_failure_is_told_inside_only(inlet: Inlet, failures: list[Exception]) -> None:
    """The platform sees a status, which makes it offer the event again."""
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{inlet.port}") as client:
        answer = await client.post("/broken")

    assert (500, b"") == (answer.status_code, answer.content)
    assert ["token xoxb-secret"] == [str(failed) for failed in failures]


async def test_a_body_that_is_too_large(inlet: Inlet) -> None:
    """It is refused as soon as that is known."""
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{inlet.port}") as client:
        answer = await client.post("/echo", content=b"x" * (BODY_BYTES + 1))

    assert 413 == answer.status_code


async def test_two_accounts_want_one_path(inlet: Inlet) -> None:
    """The second one is an error of the configuration."""

    async def other(request: Request) -> Answer:
        return Answer()

    with pytest.raises(DragomanError) as caught:
        inlet.on("POST", "/echo", other)

    assert "config_invalid" == caught.value.code


async def test_without_an_account_no_port_is_open() -> None:
    """Nothing listens that nobody needs."""
    inlet = Inlet("127.0.0.1", 0, HandClock(), lambda failed: None)
    await inlet.start()
    await inlet.close()

    assert 0 == inlet.port


async def test_an_address_that_is_taken() -> None:
    """It is said, and where to mend it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        inlet = Inlet("127.0.0.1", taken.getsockname()[1], HandClock(), lambda failed: None)

        async def handler(request: Request) -> Answer:
            return Answer()

        inlet.on("POST", "/x", handler)
        with pytest.raises(DragomanError) as caught:
            await asyncio.wait_for(inlet.start(), 10)

    assert ("config_invalid", "channels.listen") == (caught.value.code, caught.value.where)


async def test_a_start_that_is_broken_off() -> None:
    """Cancelled while it begins, it is closed like any other, and its address is free again."""
    inlet = Inlet("127.0.0.1", 0, HandClock(), lambda failed: None)

    async def handler(request: Request) -> Answer:
        return Answer()

    inlet.on("POST", "/x", handler)
    starting = asyncio.ensure_future(inlet.start())
    await asyncio.sleep(0)
    starting.cancel()
    await asyncio.wait({starting})
    await inlet.close()
    await inlet.start()
    port = inlet.port
    await asyncio.gather(inlet.start(), inlet.start())

    assert (True, port) == (port > 0, inlet.port)
    await inlet.close()
