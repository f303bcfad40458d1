"""Did a byte of this request leave? It decides whether a failed send is a NO, or is not known.

It is observed on the connection itself, because errors do not say it: aiohttp repeats a cut request by itself, and
"connection refused" can be the answer to its second try.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # aiohttp is an extra of the platforms that use it
    import aiohttp


class Unsent(Exception):
    """The request failed, and provably no byte of it left."""


class Unsure(Exception):
    """The request failed after bytes of it may have left, or its answer says nothing."""


class Leaving:
    """One watched request, its repetitions included."""

    left = False

    def failed(self, error: Exception) -> Unsent | Unsure:
        """What a failure of the request comes to; only its kind is told."""
        return (Unsure if self.left else Unsent)(type(error).__name__)


_watched: ContextVar[Leaving | None] = ContextVar("dragoman_leaving", default=None)


def session() -> aiohttp.ClientSession:
    """A session that tells when a request begins to leave; it keeps no cookies and reads no environment."""
    import aiohttp

    trace = aiohttp.TraceConfig()
    trace.on_request_headers_sent.append(_on_headers)
    return aiohttp.ClientSession(trace_configs=[trace], cookie_jar=aiohttp.DummyCookieJar(), trust_env=False)


@contextlib.contextmanager
def leaving() -> Iterator[Leaving]:
    """Watch the request that is made inside, over a `session` of this file."""
    request = Leaving()
    _watched.set(request)
    try:
        yield request
    finally:
        _watched.set(None)


async def _on_headers(session: object, context: object, params: object) -> None:
    request = _watched.get()
    if request is not None:
        request.left = True
