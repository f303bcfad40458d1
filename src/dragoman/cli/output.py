"""How the command line speaks: one JSON object for machines, lines for people, errors with their fix.

Everything goes out through `shown`: nobody's words can steer a terminal or look like the next line of ours.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import msgspec

from dragoman.cli import error_phrases
from dragoman.cli.language import language
from dragoman.errors import DragomanError, Exit
from dragoman.shown import json_shown, shown

INPUT_LIMIT: Final = 8 * 1024 * 1024
"""The most bytes that any command reads from standard input or one file."""


def emit(value: Any) -> None:
    """Write one JSON value and a newline to standard output."""
    sys.stdout.write(json_shown(msgspec.json.encode(value).decode()) + "\n")
    sys.stdout.flush()


def line(text: str) -> None:
    """Write one line for people to standard output."""
    sys.stdout.write(shown(text) + "\n")
    sys.stdout.flush()


def lines(text: str) -> None:
    """Write a text of several lines for people to standard output."""
    sys.stdout.write(shown(text, lines=True) + "\n")
    sys.stdout.flush()


def fail(error: DragomanError, *, as_json: bool) -> Exit:
    """Report an error and return its exit code."""
    body = {
        "code": error.code,
        "message": error.safe,
        "where": shown(error.where),
        "detail": shown(error.detail),
        "fix": shown(error.fix),
    }
    if as_json:
        emit({"error": {name: text for name, text in body.items() if text}})
    else:
        spoken = language()
        body["fix"] = shown(error_phrases.fix(error.fix, spoken))
        lines = [f"dragoman: {error.code}: {error_phrases.safe(error, spoken)}"]
        lines += [
            f"  {error_phrases.label(name, spoken)}: {body[name]}" for name in ("where", "detail", "fix") if body[name]
        ]
        sys.stderr.write("\n".join(lines) + "\n")
    return error.exit


def read_stdin() -> bytes:
    """All of standard input, bounded.

    Raises:
        DragomanError: `input_too_large`; `input_invalid` when it is closed.
    """
    if sys.stdin is None:
        raise DragomanError("input_invalid", "is closed", where="standard input", fix="pipe the input in")
    raw = sys.stdin.buffer.read(INPUT_LIMIT + 1)
    if len(raw) > INPUT_LIMIT:
        raise DragomanError("input_too_large", f"more than {INPUT_LIMIT} bytes", where="standard input")
    return raw


def read_file(path: Path, code: str = "input_invalid") -> bytes:
    """The bytes of one regular file, bounded.

    Raises:
        DragomanError: `code` if it cannot be read, `input_too_large`.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(INPUT_LIMIT + 1)
    except OSError as error:
        raise DragomanError(code, error.strerror or "cannot be read", where=str(path), fix="check the path") from None
    if len(raw) > INPUT_LIMIT:
        raise DragomanError("input_too_large", f"more than {INPUT_LIMIT} bytes", where=str(path))
    return raw


def decode(raw: bytes, kind: Any, where: str) -> Any:
    """Strictly decode JSON into a typed value.

    Raises:
        DragomanError: `input_invalid` with the path of the offending field.
    """
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        from dragoman.gate.accepted import SAVE, accepted, saved_otherwise

        fix = SAVE if saved_otherwise(raw) else "give valid JSON"
        if isinstance(error, msgspec.ValidationError) and kind is not Any:
            fix = accepted(kind, str(error))
        raise DragomanError("input_invalid", str(error), where=where, fix=fix) from None


def decode_once(raw: bytes, kind: Any, where: str) -> Any:
    """`decode`, of JSON in which no key stands twice: nobody knows which one was meant.

    Raises:
        DragomanError: `input_invalid`.
    """
    from dragoman.packets.read import read

    value, found = decode(raw, kind, where), read(raw)
    if isinstance(found, tuple):
        fix = "give strict JSON, each key once"
        raise DragomanError("input_invalid", found[0].message, where=found[0].path or where, fix=fix)
    return value
