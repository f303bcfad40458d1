"""Tells the owner by one signed HTTP request (spec 2 §2).

`POST` of the notification as JSON. The other side counts as having told the owner only if it answers 2xx, within size
and time, with the acknowledgement of `notifier.py` under the same id.

1. The address is `https`, or `http` on a loopback address. No redirect is followed, no proxy or certificate of the
   environment is used, no cookie is kept, no request is repeated.
2. No connection → `failed`: nothing left. From the first byte on, anything but the acknowledgement → `uncertain`.
3. Who asks is proven by `Dragoman-Signature: v1=<hex>`, HMAC-SHA256 under the shared secret over the bytes
   `<Dragoman-Timestamp>.<body>`; the time is seconds since the epoch, so that an old request can be refused. The id is
   in `Idempotency-Key` too.
4. Secret and bearer token are read from private files at each call; neither they nor the address (it may hold a token
   itself) are in an error, a log, an argument or the environment.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from dragoman.agents.notifier import Notification, Told, acknowledged
from dragoman.agents.notify_addresses import refused_url
from dragoman.agents.openai import read_key
from dragoman.agents.tls import trusting
from dragoman.clock import SECOND, Clock
from dragoman.errors import DragomanError
from dragoman.words import NotificationState

SIGNATURE: Final = "Dragoman-Signature"
TIMESTAMP: Final = "Dragoman-Timestamp"
SECRET_LENGTH: Final = 16
"""Characters that a shared secret must have at least."""


class _TooLarge(Exception):
    """The answer is longer than allowed."""


class WebhookNotifier:
    """One endpoint.

    Args:
        url: where to; see `notify_addresses`.
        secret_file: the private file with the shared secret.
        bearer_file: a private file with a token for the `Authorization` header, or None.
        ca_file: certificates to trust instead of the usual ones, or None.
        time_ms: limit of one whole exchange.
        answer_bytes: limit of one answer.

    Raises:
        DragomanError: `config_invalid` for an address that is not allowed.
    """

    kind = "webhook"

    def __init__(
        self,
        url: str,
        *,
        secret_file: Path,
        bearer_file: Path | None = None,
        ca_file: Path | None = None,
        clock: Clock,
        time_ms: int = 30_000,
        answer_bytes: int = 16 * 1024,
    ) -> None:
        if (why := refused_url(url)) is not None:
            raise DragomanError("config_invalid", why, where="notifier.webhook.url", fix="use `https://`")
        self._url, self._secure, self._ca_file = url, url.lower().startswith("https"), ca_file
        self._secret_file, self._bearer_file = secret_file, bearer_file
        self._clock = clock
        self._time_s = time_ms / SECOND
        self._limit = answer_bytes

    def fingerprint(self) -> str:
        """The address."""
        return hashlib.sha256(msgspec.json.encode([self.kind, self._url])).hexdigest()

    def ready(self) -> bool:
        """An endpoint may always be asked."""
        return True

    async def check(self) -> dict[str, str]:
        """Whether secret and token can be read and something listens there; no request is made.

        Raises:
            DragomanError: `extra_missing`, `key_invalid`, `config_invalid` or `not_ready`.
        """
        _httpx()
        self._secrets()
        address = urlsplit(self._url)
        tls = trusting(self._ca_file) if self._secure else None
        port = address.port or (443 if self._secure else 80)
        try:
            opening = asyncio.open_connection(address.hostname, port, ssl=tls)
            _, writer = await asyncio.wait_for(opening, min(self._time_s, 10))
            writer.close()
        except (OSError, TimeoutError) as error:
            why, fix = type(error).__name__, "see that it listens, and that its certificate is its own"
            raise DragomanError("not_ready", why, where="notifier.webhook.url", fix=fix) from None
        return {"host": str(address.hostname)}

    async def notify(self, notification: Notification) -> Told:
        """Ask once; never raises for what the other side does."""
        content = msgspec.json.encode(notification)
        try:
            http, (secret, bearer) = _httpx(), self._secrets()
            verify = trusting(self._ca_file) if self._secure else False  # without TLS there is nothing to verify
        except DragomanError as error:
            return Told(NotificationState.FAILED, f"{error.code}: {error.detail}")
        timestamp = str(self._clock.now() // SECOND)
        headers = {
            "content-type": "application/json",
            "accept": "application/json",
            "accept-encoding": "identity",
            "user-agent": "dragoman",
            "idempotency-key": notification.notification_id,
            TIMESTAMP: timestamp,
            SIGNATURE: signature(secret, timestamp, content),
        }
        if bearer:
            headers["authorization"] = f"Bearer {bearer}"
        try:
            # The connection's own limit ends first: a whole limit that ends there would not know whether bytes left.
            async with asyncio.timeout(self._time_s + 1):
                return await self._exchange(http, verify, content, headers)
        except TimeoutError:
            return Told(NotificationState.UNCERTAIN, "timeout", slow=True)

    async def _exchange(self, http: Any, verify: Any, content: bytes, headers: dict[str, str]) -> Told:
        try:
            async with (
                http.AsyncClient(
                    trust_env=False, follow_redirects=False, timeout=http.Timeout(self._time_s), verify=verify
                ) as client,
                client.stream("POST", self._url, content=content, headers=headers) as response,
            ):
                status, raw = response.status_code, await _read(response, self._limit)
        except (http.ConnectError, http.ConnectTimeout, http.UnsupportedProtocol, http.InvalidURL) as error:
            slow = isinstance(error, http.ConnectTimeout)
            return Told(NotificationState.FAILED, f"cannot_connect: {type(error).__name__}", slow=slow)
        except _TooLarge:
            return Told(NotificationState.UNCERTAIN, "output_too_large")
        except (http.HTTPError, http.StreamError, OSError) as error:
            # Only the kind: the text of an HTTP error may quote the address or a header.
            slow = isinstance(error, http.TimeoutException)
            return Told(NotificationState.UNCERTAIN, "timeout" if slow else type(error).__name__, slow=slow)
        if not 200 <= status < 300:
            return Told(NotificationState.UNCERTAIN, f"http_status: {status}")
        state, why = acknowledged(raw, headers["idempotency-key"])
        return Told(state, why, f"http status {status}")

    def _secrets(self) -> tuple[str, str]:
        """The shared secret, and the token or an empty string.

        Raises:
            DragomanError: `key_invalid`.
        """
        secret = read_key(self._secret_file)
        if len(secret) < SECRET_LENGTH:
            fix = "write 32 random hex characters"
            raise DragomanError("key_invalid", "too short to sign with", where=str(self._secret_file), fix=fix)
        return secret, "" if self._bearer_file is None else read_key(self._bearer_file)


def signature(secret: str, timestamp: str, content: bytes) -> str:
    """The value of `Dragoman-Signature` for one body at one time."""
    return "v1=" + hmac.new(secret.encode(), timestamp.encode() + b"." + content, hashlib.sha256).hexdigest()


async def _read(response: Any, limit: int) -> bytes:
    received = bytearray()
    async for chunk in response.aiter_raw():
        received += chunk
        if len(received) > limit:
            raise _TooLarge
    return bytes(received)


def _httpx() -> Any:
    try:
        import httpx2
    except ImportError as error:
        raise DragomanError("extra_missing", "httpx2", fix="pip install 'dragoman[receiver]'") from error
    return httpx2
