"""Who and where: exact identities, byte for byte as the authenticated platform sends them (spec 1 §2).

1. A target is the triple platform, workspace, channel; a party is platform, workspace, id.
2. Every part is a non-empty, unpadded string without control characters; anything else parses to `UNKNOWN`.
3. `UNKNOWN` equals nothing, not even itself, so a malformed identity can never match a malformed policy key.
4. No prefix, glob, case folding or trimming anywhere.

The text form `platform/workspace/channel` (command line, policy keys) writes `/` and `%` inside a part as `%2F` and `%25`.
"""

from __future__ import annotations

from typing import Final

import msgspec

PART_LIMIT: Final = 512


class Unknown:
    """The identity that is nobody and nowhere; it never equals anything."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __bool__(self) -> bool:
        return False


UNKNOWN: Final = Unknown()


class Target(msgspec.Struct, frozen=True, order=True):
    """One place where somebody listens."""

    platform: str
    workspace: str
    channel: str

    def __str__(self) -> str:
        return "/".join(map(_escape, (self.platform, self.workspace, self.channel)))


class Party(msgspec.Struct, frozen=True, order=True):
    """One account of one person or bot."""

    platform: str
    workspace: str
    id: str

    def __str__(self) -> str:
        return "/".join(map(_escape, (self.platform, self.workspace, self.id)))


def target(platform: object, workspace: object, channel: object) -> Target | Unknown:
    """The target of three raw parts, or `UNKNOWN` if any is malformed."""
    if well_formed(platform) and well_formed(workspace) and well_formed(channel):
        return Target(str(platform), str(workspace), str(channel))
    return UNKNOWN


def party(platform: object, workspace: object, id: object) -> Party | Unknown:
    """The party of three raw parts, or `UNKNOWN` if any is malformed."""
    if well_formed(platform) and well_formed(workspace) and well_formed(id):
        return Party(str(platform), str(workspace), str(id))
    return UNKNOWN


def parse_target(text: str) -> Target | Unknown:
    """The target of a `platform/workspace/channel` text, or `UNKNOWN`."""
    parts = _split(text)
    return target(*parts) if parts else UNKNOWN


def parse_party(text: str) -> Party | Unknown:
    """The party of a `platform/workspace/id` text, or `UNKNOWN`."""
    parts = _split(text)
    return party(*parts) if parts else UNKNOWN


def well_formed(part: object) -> bool:
    """Whether one identity part is a non-empty, unpadded, bounded string without control characters."""
    return (
        type(part) is str
        and 0 < len(part) <= PART_LIMIT
        and part == part.strip()
        and all(char.isprintable() for char in part)
    )


def _escape(part: str) -> str:
    return part.replace("%", "%25").replace("/", "%2F")


def _split(text: object) -> list[str] | None:
    if type(text) is not str or text.count("/") != 2:
        return None
    return [part.replace("%2F", "/").replace("%25", "%") for part in text.split("/")]
