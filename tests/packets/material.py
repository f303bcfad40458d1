"""What the packet tests share: the moment of the vectors, the vectors themselves, and data made by others."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import orjson
import pytest

from dragoman.clock import parse_rfc3339
from dragoman.packets.signature import Trust, read_trust

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "src" / "dragoman" / "packets" / "vectors"
SHARED = Path(os.environ.get("DRAGOMAN_SHARED") or ROOT.parent / "shared")
NOW = parse_rfc3339("2026-10-06T09:00:00Z")


class Vector(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of a vector file."""

    name: str
    profile: str
    at: str
    expect: dict[str, Any]
    packet: dict[str, Any] | list[Any] | None = None
    raw_base64: str | None = None
    trust: dict[str, Any] | None = None

    @property
    def raw(self) -> bytes:
        """The bytes to validate."""
        return orjson.dumps(self.packet) if self.raw_base64 is None else base64.b64decode(self.raw_base64)

    @property
    def trusted(self) -> Trust | None:
        """Whose signatures count, if anybody's."""
        return None if self.trust is None else read_trust(orjson.dumps(self.trust))

    @property
    def now(self) -> int:
        """The moment of judgement in milliseconds."""
        return parse_rfc3339(self.at)


def vectors() -> Iterator[Vector]:
    """Every vector of every profile."""
    for file in sorted(VECTORS.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield msgspec.convert(json.loads(line), Vector)


def shared(*parts: str) -> Path:
    """A folder of data made by others; the test is skipped where it is absent."""
    folder = SHARED.joinpath(*parts)
    if not folder.exists():
        pytest.skip(f"data made by others is absent: set DRAGOMAN_SHARED to a folder that holds {'/'.join(parts)}")
    return folder
