"""Any OpenAI-compatible endpoint as a handler (spec 2 §2, spec 1 §8).

The prompt is laid out as `asking` says: two system messages, then the counterparty's words as JSON data (user). The
request names no tools. One request, no retry here: a second try is a charged turn, and that is the receiver's decision.

The answer counts only if: HTTP 200 without redirect, within size and time, exactly one choice that finished by itself
(`stop`, no tool call), and its text passes `parse_answer`. Nothing is repaired.

The key comes from a private file at each call; it is never in an argument, the environment, an error or a log.
Proxies and certificates named by the environment are not used. Plain `http` is for this machine only.
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import os
import stat
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from dragoman.agents.asking import orders, read_words, words
from dragoman.agents.contract import ANSWER_SCHEMA, Fault, HandlerAnswer, HandlerFailed, HandlerRequest
from dragoman.errors import DragomanError
from dragoman.gate.prompt import STRICT_PROMPT

RESPONSE_BYTES: Final = 1024 * 1024


class LogProb(msgspec.Struct, frozen=True):
    """How likely one token was, as a natural logarithm."""

    logprob: float


class LogProbs(msgspec.Struct, frozen=True):
    """The likelihoods of one choice."""

    content: list[LogProb] | None = None


class Message(msgspec.Struct, frozen=True):
    """What the model said."""

    content: str | None = None
    tool_calls: list[Any] | None = None


class Choice(msgspec.Struct, frozen=True):
    """One finished answer of a model."""

    message: Message
    finish_reason: str | None = None
    logprobs: LogProbs | None = None


class _Completion(msgspec.Struct, frozen=True):
    choices: list[Choice]


class Endpoint:
    """One OpenAI-compatible server.

    Args:
        base_url: up to and without `/v1`; `https`, or `http` on a loopback address.
        api_key_file: a private file that holds the key, or None.
        time_ms: limit of one whole exchange.
        response_bytes: limit of one response.

    Raises:
        DragomanError: `config_invalid` for an address that is not allowed.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key_file: Path | None = None,
        time_ms: int = 60_000,
        response_bytes: int = RESPONSE_BYTES,
    ) -> None:
        self.base_url = checked_url(base_url)
        self._key_file = api_key_file
        self._time_s = time_ms / 1000
        self._limit = response_bytes

    async def chat(self, body: dict[str, Any]) -> Choice:
        """One chat completion; the one choice of the response.

        Raises:
            HandlerFailed: with its fault.
        """
        raw = await self.post("/v1/chat/completions", body)
        try:
            choices = msgspec.json.decode(raw, type=_Completion).choices
        except UnicodeDecodeError as error:
            raise HandlerFailed(Fault.NOT_UTF8, "the endpoint's response") from error
        except msgspec.ValidationError as error:
            raise HandlerFailed(Fault.WRONG_SCHEMA, f"the endpoint's response: {error}") from error
        except (msgspec.DecodeError, RecursionError) as error:
            raise HandlerFailed(Fault.NOT_JSON, "the endpoint's response") from error
        if len(choices) != 1:
            raise HandlerFailed(Fault.WRONG_SCHEMA, f"{len(choices)} choices, expected one")
        return choices[0]

    async def post(self, path: str, body: dict[str, Any]) -> bytes:
        """The body of one 200 response.

        Raises:
            HandlerFailed: with its fault.
            DragomanError: `extra_missing`, or `key_invalid` for the key file.
        """
        headers = {"content-type": "application/json", "accept": "application/json"}
        if self._key_file is not None:
            headers["authorization"] = f"Bearer {read_key(self._key_file)}"
        try:
            async with asyncio.timeout(self._time_s):
                return await self._exchange(path, msgspec.json.encode(body), headers)
        except TimeoutError as error:
            raise HandlerFailed(Fault.TIMEOUT, f"after {self._time_s:g} s", where=self.base_url) from error

    async def _exchange(self, path: str, content: bytes, headers: dict[str, str]) -> bytes:
        http = _httpx()
        secure = self.base_url.startswith("https")  # without TLS there is nothing to verify, only time to lose
        try:
            async with (
                http.AsyncClient(trust_env=False, follow_redirects=False, timeout=None, verify=secure) as client,
                client.stream("POST", self.base_url + path, content=content, headers=headers) as response,
            ):
                if response.status_code != 200:
                    raise HandlerFailed(Fault.HTTP_STATUS, f"status {response.status_code}", where=self.base_url)
                received = bytearray()
                async for chunk in response.aiter_bytes():
                    received += chunk
                    if len(received) > self._limit:
                        raise HandlerFailed(Fault.OUTPUT_TOO_LARGE, f"more than {self._limit} bytes")
                return bytes(received)
        except (http.HTTPError, http.InvalidURL, OSError) as error:
            # Only the kind: the text of an HTTP error may quote a header.
            raise HandlerFailed(Fault.UNREACHABLE, type(error).__name__, where=self.base_url) from None


class OpenAIHandler:
    """A handler that asks one model at one endpoint."""

    def __init__(self, endpoint: Endpoint, model: str, *, max_tokens: int = 800, temperature: float = 0.0) -> None:
        self._endpoint = endpoint
        self._model = model
        self._max_tokens = max_tokens
        self._temperature = temperature

    def fingerprint(self) -> str:
        """What the scope digest holds of this handler: address, model, settings and the prompt."""
        facts = [self._endpoint.base_url, self._model, self._max_tokens, self._temperature, STRICT_PROMPT]
        return hashlib.sha256(msgspec.json.encode(facts)).hexdigest()

    async def answer(self, request: HandlerRequest) -> HandlerAnswer:
        """Ask the model once for `request`.

        Raises:
            HandlerFailed: no usable answer; the turn failed and stays charged.
        """
        choice = await self._endpoint.chat(self.body(request))
        if choice.message.tool_calls:
            raise HandlerFailed(Fault.TOOL_CALL, "a tool call, though no tools exist")
        if choice.finish_reason != "stop":
            raise HandlerFailed(Fault.NOT_JSON, f"finished by `{str(choice.finish_reason)[:30]}`, expected `stop`")
        return read_words(choice.message.content or "", request)

    def body(self, request: HandlerRequest) -> dict[str, Any]:
        """The request to the model; the first message is the same bytes for every request."""
        strict, owner = orders(request)
        return {
            "model": self._model,
            "messages": [
                {"role": "system", "content": strict},
                {"role": "system", "content": owner},
                {"role": "user", "content": words(request)},
            ],
            "temperature": self._temperature,
            "max_tokens": self._max_tokens,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": ANSWER_SCHEMA},
            },
        }


def read_key(path: Path) -> str:
    """The key in a private file of our own.

    Raises:
        DragomanError: `key_invalid`; the detail never holds the content.
    """
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise DragomanError("key_invalid", error.strerror or "cannot be opened", where=str(path)) from None
    try:
        facts = os.fstat(number)
        private = stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o077
        raw = os.read(number, 4097) if private else b""
    finally:
        os.close(number)
    if not private:
        raise DragomanError("key_invalid", "expected a regular file of mode 0600", where=str(path), fix="chmod 600")
    key = raw.strip()
    if not key or len(raw) > 4096 or not all(33 <= byte <= 126 for byte in key):
        raise DragomanError("key_invalid", "expected one line of visible ASCII", where=str(path))
    return key.decode("ascii")


def checked_url(base_url: str) -> str:
    """The address without a trailing `/v1`.

    Raises:
        DragomanError: `config_invalid` unless it is `https`, or `http` on this machine.
    """
    parts = urlsplit(base_url)
    plain = parts.scheme == "http" and _loopback(parts.hostname or "")
    if not (parts.hostname and (parts.scheme == "https" or plain)) or parts.username or parts.query or parts.fragment:
        raise DragomanError(
            "config_invalid",
            "expected `https`, or `http` on this machine, without user, query or fragment",
            where="base_url",
        )
    return base_url.rstrip("/").removesuffix("/v1")


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _httpx() -> Any:
    try:
        import httpx2
    except ImportError as error:
        raise DragomanError("extra_missing", "httpx2", fix="pip install 'dragoman[receiver]'") from error
    return httpx2
