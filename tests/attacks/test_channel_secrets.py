"""A platform's server in trouble, which also repeats every word that it was told: our secrets stay where they belong.

Neither an error nor the report to the owner, neither a finding of `doctor` nor a line of any library's log has a token
in it, whatever level the log has. And a server in trouble is no refusal: nobody is sent to look for another token.
"""

from __future__ import annotations

import contextlib
import json
import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.channels.account import Place
from dragoman.channels.inlet import Inlet
from dragoman.channels.spool import Spool
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError
from dragoman.receiver.config import ChannelsSection

pytestmark = [pytest.mark.anyio, pytest.mark.platforms]

TELLTALE = "TELLTALEtelltale"
SECTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "slack": (
        f"xoxb-{TELLTALE}",
        {"team_id": "T0HOMEORG1", "app_id": "A0DESKAP01", "bot_token_file": "s", "signing_secret_file": "s"}
        | {"api_url": "{url}/api/"},
    ),
    "telegram": (f"7000000001:{TELLTALE * 2}", {"bot_id": 7000000001, "token_file": "s", "api_url": "{url}"}),
    "whatsapp": (
        f"EAA{TELLTALE}",
        {"phone_number_id": "106540352242922", "token_file": "s", "app_secret_file": "s"}
        | {"verify_token_file": "s", "api_url": "{url}"},
    ),
    "teams": (
        f"{TELLTALE}~",
        {"app_id": "1b6f3c2e-0000-4000-8000-000000000007", "tenant_id": "72f988bf-0000-4000-8000-2d7cd011db47"}
        | {"secret_file": "s", "service_url": "{url}/", "login_url": "{url}", "openid_url": "{url}/openid"},
    ),
    "mattermost": (TELLTALE.lower(), {"server": "{url}", "user_id": "deskdeskdeskdeskdeskdesk01", "token_file": "s"}),
    "zulip": (TELLTALE * 2, {"realm": "{url}", "email": "desk-bot@x.example", "user_id": 12, "key_file": "s"}),
    "matrix": (f"syt_{TELLTALE}", {"homeserver": "{url}", "user_id": "@desk:home.test", "token_file": "s"}),
}
TROUBLE = {
    200: "",
    401: "channel_refused",
    500: "channel_unreachable",
    429: "channel_unreachable",
    0: "channel_unreachable",
}
"""What the server answers (0: it cuts the connection) → the error's code; of an answer without sense, any."""


class Parrot:
    """A server that answers every request with one status, and with all that it was told."""

    def __init__(self) -> None:
        self.status = 500
        parrot = self

        class Answers(BaseHTTPRequestHandler):
            def _any(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode("latin-1")
                heard = f"{self.path} {self.headers} {body}"
                if parrot.status == 0:
                    self.connection.close()
                    return
                words = dict.fromkeys(("error", "description", "errcode", "msg", "message", "code", "id"), heard)
                told = json.dumps({"ok": False, "error_code": parrot.status} | words).encode()
                self.send_response(parrot.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)

            do_GET = do_POST = do_PUT = _any

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def stop(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def parrot() -> Iterator[Parrot]:
    """The server, until the end of the test."""
    made = Parrot()
    try:
        yield made
    finally:
        made.stop()


def place(folder: Path, reported: list[Exception]) -> Place:
    """What a receiver gives an account."""
    clock = SystemClock()
    return Place(
        clock=clock,
        at=folder.joinpath,
        spool=lambda name: Spool(folder / (name.encode().hex() + ".db"), clock),
        inlet=Inlet("127.0.0.1", 0, clock, reported.append),
        report=reported.append,
    )


@pytest.mark.parametrize("status", TROUBLE)
@pytest.mark.parametrize("platform", SECTIONS)
async def test_a_server_in_trouble(
    parrot: Parrot,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    platform: str,
    status: int,
) -> None:
    """The error's code says who must do something; nothing that is said of it has the secret in it."""
    secret, keys = SECTIONS[platform]
    (tmp_path / "s").touch(0o600)
    (tmp_path / "s").write_text(secret)
    parrot.status, reported = status, list[Exception]()
    filled = {key: value.format(url=parrot.url) if isinstance(value, str) else value for key, value in keys.items()}
    section = getattr(msgspec.convert({platform: filled}, ChannelsSection), platform)
    given = place(tmp_path, reported)

    with caplog.at_level(logging.DEBUG):
        account = import_module(f"dragoman.channels.{platform}.account").account(section, given)
        with pytest.raises(DragomanError) as caught:
            await account.open()
        with contextlib.suppress(DragomanError):
            await account.close()
        try:
            found: Any = await import_module(f"dragoman.channels.{platform}.check").checks(section, given)
        except DragomanError as failed:
            found = repr(failed) + failed.detail
    said = [repr(caught.value), caught.value.detail, caught.value.fix, *map(repr, reported), repr(found), caplog.text]
    said += capfd.readouterr()

    assert caught.value.code == TROUBLE[status] or status == 200
    assert secret not in "\n".join(said)
