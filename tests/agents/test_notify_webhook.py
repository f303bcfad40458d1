"""The owner's webhook: only the acknowledgement under the same id is told, and no secret shows anywhere."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.agents.hook import Hook, hooked
from tests.agents.notices import NOTE, NOW, Standing
from tests.agents.tls import certificate

from dragoman.agents.notify_webhook import WebhookNotifier
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError
from dragoman.words import NotificationState

pytestmark = pytest.mark.anyio

SECRET, TOKEN = "0123456789abcdef0123456789abcdef", "tok-4f2a"
CASES = [
    ("ok", "delivered", ""),
    ("no", "failed", "not_delivered"),
    ("wrong_id", "uncertain", "other_notification"),
    ("other_type", "uncertain", "wrong_schema"),
    ("not_json", "uncertain", "not_json"),
    ("empty", "uncertain", "not_json"),
    ("error", "uncertain", "http_status"),
    ("refuse", "uncertain", "http_status"),
    ("redirect", "uncertain", "http_status"),
    ("slow", "uncertain", "timeout"),
    ("drip", "uncertain", "timeout"),
    ("cut", "uncertain", ""),
    ("half", "uncertain", ""),
    ("flood", "uncertain", "output_too_large"),
    ("gzip", "delivered", ""),
]


def notifier(tmp_path: Path, url: str, **changed: Any) -> WebhookNotifier:
    """A notifier with its private files."""
    for name, words in (("secret", SECRET), ("token", TOKEN)):
        path = tmp_path / name
        path.write_text(words + "\n")
        path.chmod(0o600)
    settings: dict[str, Any] = {"time_ms": 500, "answer_bytes": 4_096, "clock": Standing()}
    settings |= {"secret_file": tmp_path / "secret", "bearer_file": tmp_path / "token"}
    return WebhookNotifier(url, **(settings | changed))


@pytest.mark.parametrize(("answer", "state", "why"), CASES, ids=[row[0] for row in CASES])
async def test_what_became_of_it(tmp_path: Path, answer: str, state: str, why: str) -> None:
    """The state follows from the acknowledgement alone; asked once, whatever came back."""
    with hooked(answer) as hook:
        told = await notifier(tmp_path, hook.url).notify(NOTE)

    assert (NotificationState(state), 1) == (told.state, len(hook.requests))
    assert not why or why == told.why.split(":")[0]
    assert ["/hook?token=hidden"] == hook.paths


async def test_what_is_sent_and_how_it_is_signed(tmp_path: Path) -> None:
    """The notification as JSON, its id beside it, and a signature over time and body that anybody can make again."""
    with hooked() as hook:
        await notifier(tmp_path, hook.url).notify(NOTE)
    ((headers, body),) = hook.requests
    signed = f"{NOW // 1000}.".encode() + body

    assert {
        "schema_version": 1,
        "notification_id": "ntf-1",
        "milestone": "decision_needed",
        "summary": "It waits.\nOffer the 6th?",
        "contact_id": "con_1",
        "probe": False,
    } == json.loads(body)
    assert (str(NOW // 1000), "ntf-1") == (headers["dragoman-timestamp"], headers["idempotency-key"])
    assert "v1=" + hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest() == headers["dragoman-signature"]
    assert f"Bearer {TOKEN}" == headers["authorization"]


async def test_nobody_listening_is_nobody_told(tmp_path: Path) -> None:
    """A refused connection left no byte: failed, not uncertain."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/hook"
    told = await notifier(tmp_path, url).notify(NOTE)

    assert (NotificationState.FAILED, "cannot_connect: ConnectError") == (told.state, told.why)


async def test_no_proxy_of_the_environment_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the environment names as a proxy sees nothing."""
    with hooked() as hook, hooked() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setitem(os.environ, name, proxy.url.partition("/hook")[0])
        told = await notifier(tmp_path, hook.url).notify(NOTE)

    assert (NotificationState.DELIVERED, 1, 0) == (told.state, len(hook.requests), len(proxy.requests))


@pytest.mark.parametrize("answer", [row[0] for row in CASES])
async def test_no_secret_in_what_is_said_about_it(tmp_path: Path, answer: str) -> None:
    """Neither secret, nor token, nor what the address holds."""
    with hooked(answer) as hook:
        told = await notifier(tmp_path, hook.url).notify(NOTE)

    assert not [word for word in (SECRET, TOKEN, "hidden") if word in repr(told)]


@pytest.mark.parametrize(
    ("mode", "words"), [(0o644, SECRET), (0o600, "short"), (0o600, ""), (0o600, "two words of it 1234")]
)
async def test_a_secret_that_cannot_be_used_tells_nobody(tmp_path: Path, mode: int, words: str) -> None:
    """Open to others, or too short, or no line: failed before anything left, and said by `check`."""
    with hooked() as hook:
        made = notifier(tmp_path, hook.url)
        (tmp_path / "secret").write_text(words)
        (tmp_path / "secret").chmod(mode)
        told = await made.notify(NOTE)
        with pytest.raises(DragomanError) as raised:
            await made.check()

    assert (NotificationState.FAILED, [], "key_invalid") == (told.state, hook.requests, raised.value.code)


async def test_check_asks_nothing(tmp_path: Path) -> None:
    """A look at secret and address makes no request; nobody listening is a blocker."""
    with hooked() as hook:
        made = notifier(tmp_path, hook.url)
        assert {"host": "127.0.0.1"} == await made.check()
    assert [] == hook.requests
    with pytest.raises(DragomanError) as raised:
        await made.check()
    assert "not_ready" == raised.value.code
    assert "hidden" not in str(raised.value)


def test_another_address_is_another_notifier(tmp_path: Path) -> None:
    """The scope digest sees it; a new secret for the same address it does not."""
    first, same = (notifier(tmp_path, "https://a.example/x").fingerprint() for _ in range(2))
    rotated = notifier(tmp_path, "https://a.example/x", bearer_file=None).fingerprint()

    assert first == same == rotated
    assert first != notifier(tmp_path, "https://a.example/y").fingerprint()


async def test_a_certificate_is_checked(tmp_path: Path) -> None:
    """Told over TLS to whom the named file trusts; to others not a byte."""
    with secured(tmp_path) as (hook, url, ca):
        trusted = await notifier(tmp_path, url, ca_file=ca).notify(NOTE)
        stranger = await notifier(tmp_path, url).notify(NOTE)
        other = await notifier(tmp_path, url.replace("localhost", "127.0.0.1"), ca_file=ca).notify(NOTE)

    assert [NotificationState.DELIVERED, NotificationState.FAILED, NotificationState.FAILED] == [
        told.state for told in (trusted, stranger, other)
    ]
    assert 1 == len(hook.requests)


@contextmanager
def secured(tmp_path: Path) -> Iterator[tuple[Hook, str, Path]]:
    """The same server over TLS, with a certificate for `localhost`."""
    context, ca = certificate(tmp_path)
    with hooked() as hook:
        server = hook._server
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        yield hook, f"https://localhost:{server.server_port}/hook", ca


async def test_the_example_of_the_other_side_accepts_it(tmp_path: Path) -> None:
    """It checks the signature, tells the owner once per id, and refuses another secret."""
    notifier(tmp_path, "http://127.0.0.1:1/")
    example = Path(__file__).parents[2] / "examples" / "notifiers" / "webhook_receiver.py"
    words = ["--secret", str(tmp_path / "secret"), "--port", "0", "--out", str(tmp_path / "told.jsonl")]
    process = subprocess.Popen([sys.executable, str(example), *words], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline().rpartition(":")[2])
        hook = notifier(tmp_path, f"http://127.0.0.1:{port}/", clock=SystemClock(), time_ms=5_000).notify
        states = [(await hook(NOTE)).state, (await hook(NOTE)).state]
        (tmp_path / "secret").write_text("f" * 32)
        states.append((await hook(NOTE)).state)
    finally:
        process.terminate()
        process.communicate(timeout=60)

    assert [NotificationState.DELIVERED, NotificationState.DELIVERED, NotificationState.UNCERTAIN] == states
    assert 1 == len((tmp_path / "told.jsonl").read_text().splitlines())
