"""Errors of every route to refusals, by one table; what caused one goes to the log and no further."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from litestar.exceptions import HTTPException

from dragoman.hub.refusal import Refusal

BY_STATUS: Final[Mapping[int, str]] = {
    400: "bad_request",
    401: "token_missing",
    404: "route_unknown",
    405: "method_not_allowed",
    413: "body_too_large",
    415: "media_type_unsupported",
}
"""The code of what the framework refuses by itself."""

_log: Final = logging.getLogger("dragoman.hub")


def refusal_for(error: Exception) -> Refusal:
    """What the caller is told of an error."""
    if isinstance(error, Refusal):
        refusal = error
    elif isinstance(error, HTTPException):
        refusal = Refusal(BY_STATUS.get(error.status_code, "bad_request" if error.status_code < 500 else "internal"))
    else:
        refusal = Refusal("internal")
        refusal.__cause__ = error
    if refusal.__cause__ is not None:
        _log.error("refused with %s", refusal.code, exc_info=refusal.__cause__)
    return refusal


def headers_of(refusal: Refusal) -> dict[str, str]:
    """The headers of a refusal, beside those of its body."""
    return {} if refusal.retry_seconds is None else {"retry-after": str(refusal.retry_seconds)}


def allowed_at(path: str, routes: Iterable[Any]) -> str:
    """What `Allow` says of an address that does not take a method: the methods of the route that it belongs to."""
    for route in routes:
        if re.fullmatch(re.sub(r"\\\{[^}]*\}", "[^/]+", re.escape(route.path_format)), path.rstrip("/") or "/"):
            return ", ".join(sorted(route.methods))
    return ""
