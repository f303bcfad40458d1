"""Where python-telegram-bot lets something leave, and by which name each call is judged (`wall.py`, `calls.py`).

Every method of `Bot` and `ExtBot`, every shortcut (`message.reply_text`), and `do_api_request` end in `BaseRequest`: by
the method's name, which is the end of the address. Below it, `do_request` of the bot's own request classes and every
request of its httpx clients are judged by the same name.

1. A request is the guarded account's when its address carries that account's token, whichever bot or client makes it.
2. Files are fetched from addresses that carry the token too: a GET there is `file`, and reads.
"""

from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager
from typing import Any, Final

from dragoman.channels.wall import Wall, Walls, fence, passing
from dragoman.errors import DragomanError

try:
    import httpx
    from telegram import Bot
    from telegram.request import BaseRequest, HTTPXRequest
except ImportError as missing:
    raise DragomanError(
        "extra_missing", str(missing), where="telegram", fix="install it with `pip install 'dragoman[telegram]'`"
    ) from missing

WALLS: Final = Walls()

Crossing = AbstractContextManager[None]


def raise_fences(bot: Bot) -> None:
    """Put the fences up that `bot` needs; each once per process, and without effect for bots that no gate guards.

    Raises:
        DragomanError: `not_ready` for a version of the SDK that sends by another way.
    """
    fence(BaseRequest, "_request_wrapper", _request)
    for request in bot._request:
        for owner in type(request).__mro__:
            if "do_request" in vars(owner) and owner is not BaseRequest:
                fence(owner, "do_request", _request)


def watch_clients(bot: Bot, wall: Wall) -> None:
    """The httpx clients of `bot` are watched too, and those that it makes when it starts again."""

    async def starting(request: httpx.Request) -> None:
        url = str(request.url)
        if WALLS.around(secret=_token(url)) is wall:
            wall.judge(_name(url, request.method))

    for request in bot._request:
        if isinstance(request, HTTPXRequest):
            hooks = dict(request._client_kwargs.get("event_hooks") or {})
            hooks["request"] = [*hooks.get("request", ()), starting]
            request._client_kwargs["event_hooks"] = hooks
            request._client.event_hooks = {**request._client.event_hooks, **hooks}


def _request(_: Any, url: str, method: str, *__: Any, **___: Any) -> Crossing:
    wall = WALLS.around(secret=_token(url))
    return wall.crossing(_name(url, method)) if wall else passing()


def _token(url: str) -> str:
    """The token in an address such as `https://api.telegram.org/bot<token>/sendMessage`."""
    with contextlib.suppress(ValueError):
        parts = httpx.URL(url).path.split("/")
        found = [part for part in parts if part.startswith("bot") and ":" in part]
        return found[0].removeprefix("bot") if found else ""
    return ""


def _name(url: str, method: str) -> str:
    """The API method that an address calls, or `file`."""
    parts = httpx.URL(url).path.split("/")
    at = next(at for at, part in enumerate(parts) if part.startswith("bot") and ":" in part)
    if at and parts[at - 1] == "file":
        return "file" if method == "GET" else f"file {method}"
    return "/".join(parts[at + 1 :])
