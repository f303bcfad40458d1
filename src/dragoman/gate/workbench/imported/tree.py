"""What stands in a foreign file, and which of it has been read? A tree with the paths that were taken.

1. Reading is bounded: bytes, depth, number of values. Anchors, aliases, tags and keys that stand twice are refused.
2. A YAML scalar keeps its own letters (an id such as `-1001` or `0123` is not a number); `truth` reads it where a yes
   or no is expected, and only by YAML's own words.
3. What nobody took is told at the end by its path, never by its value: a foreign file is full of secrets.

Pure: bytes in, tree out. The parsers are imported when they are needed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from dragoman.errors import DragomanError

SIZE_LIMIT: Final = 1024 * 1024
JSON5_LIMIT: Final = 128 * 1024
"""JSON with comments is read by a slow parser; plain JSON up to `SIZE_LIMIT`."""
DEPTH_LIMIT: Final = 32
COUNT_LIMIT: Final = 100_000

_YES: Final = frozenset({"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})
_NO: Final = frozenset({"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})


class Tree:
    """A parsed file. `get` takes what it reads; `untaken` tells the rest."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._taken: set[str] = set()

    def get(self, *steps: str | int) -> Any:
        """The value at a path, or None; the path and all below it count as read."""
        found = self.peek(*steps)
        self._taken.add(path_of(steps))
        return found

    def peek(self, *steps: str | int) -> Any:
        """The value at a path, or None, without taking it."""
        found = self.root
        for step in steps:
            if isinstance(step, str) and isinstance(found, dict):
                found = found.get(step)
            elif isinstance(step, int) and isinstance(found, list) and step < len(found):
                found = found[step]
            else:
                return None
        return found

    def keys(self, *steps: str | int) -> tuple[str, ...]:
        """The keys of a mapping at a path; none of anything else."""
        found = self.peek(*steps)
        return tuple(found) if isinstance(found, dict) else ()

    def untaken(self) -> Iterator[str]:
        """The topmost paths of what nobody read, in the file's order."""
        above = {path[:end] for path in self._taken for end in range(len(path)) if path[end] in ".["}
        yield from self._rest(self.root, "", above)

    def _rest(self, value: Any, path: str, above: set[str]) -> Iterator[str]:
        if path in self._taken:
            return
        if path and (path not in above or not isinstance(value, dict | list)):
            yield path
        elif isinstance(value, dict):
            for key, inner in value.items():
                yield from self._rest(inner, path_of((*([path] if path else []), key)), above)
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                yield from self._rest(inner, f"{path}[{index}]", above)


def path_of(steps: tuple[str | int, ...]) -> str:
    """A path as it is told: `channels[0].audience`."""
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def truth(value: Any) -> bool | None:
    """A yes or no, or None for what is neither."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return True if value in _YES else False if value in _NO else None
    return None


def texts(value: Any) -> tuple[str, ...] | None:
    """A list of ids, from a list or a text with commas; None for what is no such list."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if not isinstance(value, list):
        return None
    found = tuple(text(each) for each in value)
    return None if None in found else tuple(each for each in found if each is not None)


def text(value: Any) -> str | None:
    """One id as it stands in the file; a whole number in JSON is its digits."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def read_tree(raw: bytes) -> Tree:
    """A JSON, JSON5 or YAML file as a tree whose root is a mapping.

    Raises:
        DragomanError: `input_too_large`; `input_invalid` when it is none of these, too deep, or says a key twice.
    """
    if len(raw) > SIZE_LIMIT:
        raise DragomanError("input_too_large", f"more than {SIZE_LIMIT} bytes", where="source")
    try:
        source = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _invalid(f"not UTF-8 at byte {error.start}") from None
    root = _json(source) if source.lstrip().startswith(("{", "/")) else _yaml(source)
    if not isinstance(root, dict):
        raise _invalid("the file is no mapping of keys")
    _bounded(root)
    return Tree(root)


def _json(source: str) -> Any:
    try:
        return json.loads(source, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return _json5(source)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _invalid("a key stands twice")
    return found


def _json5(source: str) -> Any:
    import json5

    if len(source) > JSON5_LIMIT:
        raise DragomanError("input_too_large", f"JSON with comments over {JSON5_LIMIT} characters", where="source")
    try:
        return json5.loads(source, allow_duplicate_keys=False)
    except (ValueError, RecursionError) as error:
        raise _invalid(f"neither JSON nor JSON5: {str(error)[:200]}") from None


def _yaml(source: str) -> Any:
    """YAML by its events: no object is ever built but mappings, lists and texts."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    stack: list[tuple[Any, str | None]] = []
    root: Any = None
    try:
        for count, event in enumerate(yaml.parse(source, Loader=loader)):
            kind = type(event).__name__
            if count > COUNT_LIMIT:
                raise _invalid(f"more than {COUNT_LIMIT} values")
            if kind == "AliasEvent" or getattr(event, "anchor", None) or getattr(event, "tag", None):
                raise _invalid(f"an anchor, alias or tag at line {event.start_mark.line + 1}")
            if kind in ("MappingStartEvent", "SequenceStartEvent", "ScalarEvent"):
                value = {} if kind.startswith("Map") else [] if kind.startswith("Seq") else event.value
                if kind == "ScalarEvent" and event.implicit[0] and value in ("", "~", "null", "Null", "NULL"):
                    value = None
                if not stack and root is not None:
                    raise _invalid(f"a second document at line {event.start_mark.line + 1}")
                root = root if stack else value
                opened = isinstance(value, dict | list)
                _put(stack, value, event)
                if opened:
                    stack.append((value, None))
                    if len(stack) > DEPTH_LIMIT:
                        raise _invalid(f"deeper than {DEPTH_LIMIT}")
            elif kind in ("MappingEndEvent", "SequenceEndEvent"):
                stack.pop()
    except yaml.YAMLError as error:
        raise _invalid(f"not YAML: {str(error)[:200]}") from None
    return root


def _put(stack: list[tuple[Any, str | None]], value: Any, event: Any) -> None:
    if not stack:
        return
    holder, key = stack[-1]
    if isinstance(holder, list):
        holder.append(value)
    elif key is None:
        line = event.start_mark.line + 1
        if not isinstance(value, str) or value in holder:
            raise _invalid(f"a key that stands twice or is no text, at line {line}")
        holder[value] = None
        stack[-1] = (holder, value)
    else:
        holder[key] = value
        stack[-1] = (holder, None)


def _bounded(root: Any) -> None:
    waiting, count = [(root, 1)], 0
    while waiting:
        value, depth = waiting.pop()
        count += 1
        if depth > DEPTH_LIMIT or count > COUNT_LIMIT:
            raise _invalid(f"deeper than {DEPTH_LIMIT}, or more than {COUNT_LIMIT} values")
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        waiting += [(each, depth + 1) for each in inner]


def _invalid(detail: str) -> DragomanError:
    return DragomanError("input_invalid", detail, where="source", fix="give one JSON, JSON5 or YAML file")
