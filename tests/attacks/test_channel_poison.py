"""One thing that a server passes on and nobody can encode: it costs that thing, and not whatever comes after it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.channels.teams.connector import Connector
from dragoman.errors import DragomanError
from dragoman.receiver.config import ChannelsSection
from dragoman.testing import HandClock
from tests.attacks.test_channel_secrets import place

pytestmark = [pytest.mark.anyio, pytest.mark.platforms]

HALF = r"\ud800"
SAID = (f"hi {HALF} there", "which dates?")
MATRIX_EVENT = {
    "type": "m.room.message",
    "sender": "@kim:shop.example",
    "origin_server_ts": 1_790_000_000_000,
    "content": {"msgtype": "m.text", "body": "BODY"},
}


def matrix() -> Callable[[str], str]:
    """A homeserver whose first answer begins the stream, and whose next ones bring one message each."""
    serial = iter(range(1, 1_000))

    def answer(path: str) -> str:
        if "whoami" in path:
            return '{"user_id": "@desk:home.example"}'
        if "/sync" not in path:
            return "{}"
        number = next(serial)
        said = SAID[number - 2 : number - 1] if number >= 2 else ()
        events = [json.dumps({**MATRIX_EVENT, "event_id": f"${number}"}).replace("BODY", text) for text in said]
        room = f'{{"timeline": {{"events": [{", ".join(events)}]}}}}'
        return f'{{"next_batch": "s{number}", "rooms": {{"join": {{"!r:home.example": {room}}}}}}}'

    return answer


def telegram() -> Callable[[str], str]:
    """A Bot API that hands out one update for each poll."""
    serial = iter(range(1, 1_000))

    def answer(path: str) -> str:
        if "getMe" in path:
            return '{"ok": true, "result": {"id": 7000000001, "is_bot": true, "username": "desk_bot"}}'
        if "getUpdates" not in path:
            return '{"ok": false, "error_code": 400}'
        number = next(serial)
        if number not in (2, 3):
            return '{"ok": true, "result": []}'
        message = {"message_id": number, "date": 1_790_000_000, "text": "BODY", "chat": {"id": 51, "type": "private"}}
        update = {"update_id": number, "message": {**message, "from": {"id": 51, "is_bot": False}}}
        return f'{{"ok": true, "result": [{json.dumps(update)}]}}'.replace("BODY", SAID[number - 2])

    return answer


SERVERS: dict[str, tuple[Callable[[], Callable[[str], str]], dict[str, Any], list[str]]] = {
    "matrix": (
        matrix,
        {"homeserver": "{url}", "user_id": "@desk:home.example", "token_file": "s"},
        ["hi ? there", "which dates?"],
    ),
    "telegram": (
        telegram,
        {"bot_id": 7000000001, "token_file": "s", "api_url": "{url}"},
        ["hi ? there", "which dates?"],
    ),
}
"""The server, the account's section, and what is read: half a character is a question mark."""


@contextmanager
def serving(answer: Callable[[str], str]) -> Iterator[str]:
    """The address of a server that answers so."""

    class Answers(BaseHTTPRequestHandler):
        def _any(self) -> None:
            self.rfile.read(int(self.headers.get("content-length") or 0))
            told = answer(self.path).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        do_GET = do_POST = do_PUT = _any

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("platform", SERVERS)
async def test_half_a_character(tmp_path: Path, platform: str) -> None:
    """The next message is read all the same."""
    made, keys, right = SERVERS[platform]
    (tmp_path / "s").touch(0o600)
    (tmp_path / "s").write_text("7000000001:EXAMPLE-not-a-token-EXAMPLE-not-a-token")
    with serving(made()) as url:
        filled = {key: value.format(url=url) if isinstance(value, str) else value for key, value in keys.items()}
        section = getattr(msgspec.convert({platform: filled}, ChannelsSection), platform)
        account = import_module(f"dragoman.channels.{platform}.account").account(section, place(tmp_path, []))
        await account.open()
        read: list[str] = []
        async with asyncio.timeout(45):
            async for batch in account.events(None if platform == "telegram" else "s0"):
                read += [account.event(each.raw, each.received_at).text for each in batch.arrivals]
                if len(read) == len(right):
                    break
        await account.close()

    assert right == read


async def test_who_calls_cannot_make_us_ask(tmp_path: Path) -> None:
    """Tokens with keys that nobody has, while Microsoft is away: it is asked once, and not once for each call."""
    asked: list[str] = []

    def away(path: str) -> str:
        asked.append(path)
        return "no JSON"

    (tmp_path / "s").touch(0o600)
    (tmp_path / "s").write_text("a-secret")
    with serving(away) as url:
        keys = {"app_id": "1b6f3c2e-0000-4000-8000-000000000007", "tenant_id": "72f988bf-0000-4000-8000-2d7cd011db47"}
        keys |= {"service_url": f"{url}/", "login_url": url, "openid_url": f"{url}/openid", "secret_file": "s"}
        section = msgspec.convert({"teams": keys}, ChannelsSection).teams
        assert section is not None
        connector = Connector(section, "a-secret", HandClock())
        for number in range(20):
            with pytest.raises(DragomanError):
                await connector.keys(f"nobodys-{number}")
        await connector.close()

    assert ["/openid"] == asked
