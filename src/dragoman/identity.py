"""Who and where: exact identities, byte for byte as the authenticated platform sends them (spec 1 §2).

1. A target is the triple platform, workspace, channel; a party is platform, workspace, id.
2. Every part is a non-empty, unpadded, printable string; anything else parses to `UNKNOWN` or `NOBODY`.
3. `UNKNOWN` and `NOBODY` equal nothing, not even themselves: a malformed identity never matches a malformed policy key.
4. No prefix, glob, case folding or trimming anywhere.

The text form `platform/workspace/channel` (command line, policy) writes `/` and `%` inside a part as `%2F` and `%25`.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec.structs import astuple

PART_LIMIT: Final = 512


class _Exact(msgspec.Struct, frozen=True, eq=False):
    """Three parts that are equal byte for byte or not at all; without a platform it is nothing and equals nothing."""

    platform: str
    workspace: str

    @property
    def known(self) -> bool:
        """Whether this names anything at all."""
        return bool(self.platform)

    def __eq__(self, other: Any) -> bool:
        return type(other) is type(self) and bool(self.platform) and astuple(self) == astuple(other)

    def __ne__(self, other: Any) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(astuple(self))

    def __str__(self) -> str:
        return "/".join(map(_escape, astuple(self)))


class Target(_Exact, frozen=True, eq=False):
    """One place where somebody listens; `known` is False for `UNKNOWN` only."""

    channel: str


class Party(_Exact, frozen=True, eq=False):
    """One account of one person or bot; `known` is False for `NOBODY` only."""

    id: str


UNKNOWN: Final = Target("", "", "")
NOBODY: Final = Party("", "", "")


def target(platform: object, workspace: object, channel: object) -> Target:
    """The target of three raw parts, or `UNKNOWN` if any is malformed."""
    if well_formed(platform) and well_formed(workspace) and well_formed(channel):
        return Target(str(platform), str(workspace), str(channel))
    return UNKNOWN


def party(platform: object, workspace: object, id: object) -> Party:
    """The party of three raw parts, or `NOBODY` if any is malformed."""
    if well_formed(platform) and well_formed(workspace) and well_formed(id):
        return Party(str(platform), str(workspace), str(id))
    return NOBODY


def parse_target(text: object) -> Target:
    """The target of a `platform/workspace/channel` text, or `UNKNOWN`."""
    return target(*_split(text))


def parse_party(text: object) -> Party:
    """The party of a `platform/workspace/id` text, or `NOBODY`."""
    return party(*_split(text))


def well_formed(part: object) -> bool:
    """Whether one identity part is a non-empty, unpadded, bounded, printable string."""
    return type(part) is str and 0 < len(part) <= PART_LIMIT and part == part.strip() and part.isprintable()


def _escape(part: str) -> str:
    return part.replace("%", "%25").replace("/", "%2F")


def _split(text: object) -> tuple[object, object, object]:
    if type(text) is not str or text.count("/") != 2:
        return (None, None, None)
    first, second, third = (part.replace("%2F", "/").replace("%25", "%") for part in text.split("/"))
    return (first, second, third)
