"""What every route takes: a request whose body is read strictly, the caller's token, the place to go on from."""

from __future__ import annotations

from typing import Annotated, Any, Final, get_args

import msgspec
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.handlers import BaseRouteHandler
from litestar.params import FromPath, Parameter

from dragoman.hub.refusal import Refusal
from dragoman.hub.service import Hub

After = Annotated[int, Parameter(ge=0, le=2**53 - 1)]
Since = Annotated[int | None, Parameter(ge=0, le=2**53 - 1)]
TheHub = NamedDependency[Hub]
PathId = FromPath[str]
AUTHORIZATION: Final = b"authorization"


class AnyRequest(Request[Any, Any, State]):
    """A request whose body is decoded strictly and at once into the struct that its handler takes.

    The framework's own way is an untyped value first, then a lenient conversion that takes `"10"` for `10`.
    """

    async def json(self) -> Any:
        """The body as the handler's struct; refuses `bad_request`."""
        field = self.route_handler.parsed_data_field
        if field is None:
            raise Refusal("bad_request")
        try:
            return msgspec.json.decode(await self.body(), type=field.annotation)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise Refusal("bad_request") from None


def token_of(request: AnyRequest) -> str | None:
    """The bearer token of a request; a malformed header is no token."""
    return token_in(request.headers.get("authorization", ""))


def token_in(header: str) -> str | None:
    """The bearer token that an `Authorization` header names, or None."""
    scheme, _, token = header.partition(" ")
    return token if scheme.lower() == "bearer" and 0 < len(token) <= 200 and token.isascii() else None


def is_json(header: str) -> bool:
    """Whether a `Content-Type` header says JSON."""
    return header.partition(";")[0].strip().lower() == "application/json"


def whole_numbers(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """A guard: what is a whole number in a query is written as one; the framework would take `5.0` and ` 5` too."""
    for name, value in connection.query_params.multi_items():
        field = handler.parsed_fn_signature.parameters.get(name)
        if field is not None and int in (field.annotation, *get_args(field.annotation)) and not _is_whole(value):
            raise Refusal("bad_request")


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and text.isascii()
