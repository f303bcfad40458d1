"""What the hub writes down of its requests and faults: one JSON object per line, and never what was said.

1. A request's line has the fields of `FIELDS` and no other; what is not named there cannot get into it.
2. A role stands as a hash of its id, so that a line can be told from another role's without naming anybody.
3. A fault's line has the types of its errors and where they arose; their texts only where they cannot quote a value
   (SQLite's and the system's do not, PostgreSQL's do).
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import sys
import traceback
from collections.abc import Mapping, MutableMapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, BinaryIO, Final

import msgspec
import structlog

from dragoman.errors import DragomanError

FIELDS: Final = ("time", "event", "request_id", "method", "route", "status", "code", "duration_ms", "role")
_FRAMES: Final = 6


class RequestLog:
    """A line per request, into an open file."""

    def __init__(self, file: BinaryIO) -> None:
        self._log = structlog.wrap_logger(
            structlog.BytesLogger(file),
            processors=[_known_only, structlog.processors.JSONRenderer(serializer=_json)],
            wrapper_class=structlog.BoundLogger,
            cache_logger_on_first_use=True,
        )

    def write(self, now: int, **fields: object) -> None:
        """One request; `now` in milliseconds since the epoch."""
        self._log.info("request", time=_time(now), **fields)


def opened(name: str) -> BinaryIO:
    """The file of the log, private from the start; `-` is standard error.

    Raises:
        DragomanError: `config_invalid` when it cannot be written, or others may read it.
    """
    if name == "-":
        return sys.stderr.buffer
    try:
        fd = os.open(Path(name), os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise DragomanError("config_invalid", error.strerror or "", where="--log") from error
    if os.fstat(fd).st_mode & 0o077:
        os.close(fd)
        raise DragomanError("config_invalid", "others may read the file", where="--log", fix="chmod 600")
    return os.fdopen(fd, "ab", buffering=0)


def role_hash(role_id: str | None) -> str | None:
    """What stands for a role in a line."""
    return None if role_id is None else hashlib.sha256(role_id.encode()).hexdigest()[:16]


class FaultFormat(logging.Formatter):
    """Faults as JSON lines without the words of anybody."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line: dict[str, object] = {
            "time": _time(int(record.created * 1000)),
            "event": "fault",
            "level": record.levelname.lower(),
            "said": _said(record),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line["errors"] = [_told(each) for each in _chain(record.exc_info[1])]
        return _json(line).decode()


def install_faults(stream: IO[str] | None = None) -> None:
    """Have every fault of this process written so, to standard error."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(FaultFormat())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)


def _said(record: logging.LogRecord) -> str:
    """Our own words; of the server's the fixed ones; of everybody else's, who it was."""
    if record.name.startswith("dragoman"):
        return record.getMessage()
    fixed = record.name.startswith("uvicorn") and isinstance(record.msg, str)
    return f"{record.name}: {record.msg.splitlines()[0][:200]}" if fixed and record.msg else record.name


def _chain(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and len(found) < 5 and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _told(error: BaseException) -> dict[str, object]:
    told: dict[str, object] = {"type": type(error).__name__}
    if isinstance(error, sqlite3.Error):
        told["text"] = str(error)
    elif isinstance(error, OSError):
        told["text"] = error.strerror or ""
    elif isinstance(sqlstate := getattr(error, "sqlstate", None), str):
        told["sqlstate"] = sqlstate
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    told["at"] = [f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in frames]
    return told


def _known_only(_: Any, __: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    return {name: event[name] for name in FIELDS if event.get(name) is not None}


def _json(value: Any, **_: Any) -> bytes:
    return msgspec.json.encode(value)


def _time(now: int) -> str:
    return datetime.fromtimestamp(now / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
