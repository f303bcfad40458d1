"""Calls every public method of an object with arguments made up from its signature, and says what became of each."""

from __future__ import annotations

import asyncio
import inspect
import re
import typing
from collections.abc import Callable, Iterator
from typing import Any

from dragoman.errors import DragomanError

Made = Callable[[str, str], Any]
"""An argument for a parameter: its name and its annotation as text."""


def methods(owner: type, *, only_async: bool = False) -> Iterator[str]:
    """The names of the public methods of a class and of those it is made from."""
    for name, method in inspect.getmembers(owner, inspect.isfunction):
        if not name.startswith("_") and (not only_async or inspect.iscoroutinefunction(method)):
            yield name


def arguments(method: Callable[..., Any], made: Made) -> tuple[list[Any], dict[str, Any]]:
    """Arguments for every parameter that must be given."""
    placed: list[Any] = []
    named: dict[str, Any] = {}
    for name, parameter in inspect.signature(method).parameters.items():
        if parameter.default is not inspect.Parameter.empty:
            continue
        value = made(name, str(parameter.annotation))
        if parameter.kind is parameter.KEYWORD_ONLY:
            named[name] = value
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            placed.append(value)
    return placed, named


async def outcome(method: Callable[..., Any], made: Made, timeout: float = 5.0, **more: Any) -> str:
    """`stopped`, `passed`, or the error that the SDK itself raised."""
    placed, named = arguments(method, made)
    named |= more
    try:
        async with asyncio.timeout(timeout):  # in this very task, as a bot would
            result = method(*placed, **named)
            if inspect.isasyncgen(result) or hasattr(result, "__anext__"):
                async for _ in result:
                    break
            elif inspect.isawaitable(result):
                await result
    except DragomanError as error:
        return "stopped" if error.code == "ungated_send" else error.code
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:200]
    return "passed"


def plain(name: str, annotation: str) -> Any:
    """A plain value by the annotation."""
    if re.search(r"Sequence|List|list|Iterable|tuple", annotation) and "str" not in annotation:
        return []
    if re.search(r"\bdict\b|Dict|Mapping|JSONDict|MetadataDict", annotation):
        return {}
    if re.search(r"\bbool\b", annotation):
        return True
    if re.search(r"\b(int|float|Snowflake)\b", annotation) and "str" not in annotation:
        return 4_000_000_000_000_001
    return "x1"


def api_names(owner: type, pattern: str) -> set[str]:
    """What stands in the source of a class."""
    return set(typing.cast(list[str], re.findall(pattern, inspect.getsource(owner))))
