"""The hub as `doctor` sees it: can it be reached as this role, safely, at the same time, in the same protocol?

One log-in with nonce and signature, one look at the well-known document; nothing is written but the session. A hub that
is not reached leaves one blocker and hides no other check.
"""

from __future__ import annotations

import platform
import sqlite3
from typing import Final
from urllib.parse import urlsplit

from dragoman import __version__, wire
from dragoman.channels.hub.address import is_loopback
from dragoman.channels.hub.answers import HubError
from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.release import release
from dragoman.channels.hub.reports import Reports
from dragoman.clock import SECOND, Clock
from dragoman.errors import DragomanError
from dragoman.receiver.authority import Identity
from dragoman.receiver.books import Books
from dragoman.receiver.config import Config
from dragoman.receiver.findings import Check, blocked, check
from dragoman.receiver.hub_marks import FIX, UNKNOWN_TO_HUB, counts_of, fallen
from dragoman.receiver.wiring import key_of

SKEW_MS: Final = 30 * SECOND


def versions() -> Check:
    """What runs here."""
    return check(
        "versions",
        "ok",
        "versions",
        dragoman=__version__,
        python=platform.python_version(),
        sqlite=sqlite3.sqlite_version,
        protocol=wire.PROTOCOL_VERSION,
    )


def https(url: str) -> Check:
    """Whether the way to the hub is closed to others: HTTPS, or this machine alone."""
    parts = urlsplit(url)
    if parts.scheme == "https":
        return check("https", "ok", "hub_https")
    if is_loopback(parts.hostname or ""):
        return check("https", "ok", "hub_loopback")
    return check("https", "blocker", "hub_plain", code="config_invalid", where="hub.url")


async def hub(
    config: Config, clock: Clock, handler: str, notifier: str, books: Books | None = None
) -> tuple[Identity | None, list[Check]]:
    """Who we are at the hub, or None, and what was found. `handler` and `notifier` are fingerprints."""
    section = config.file.hub
    if section is None:
        return None, [check("hub", "note", "hub_none")]
    checks = [https(section.url)]
    try:
        key = key_of(config)
        async with HubClient(section.url, key, clock, instance_id=section.instance_id) as client:
            known = await client.well_known()
            session = await client.log_in()
            skew = client.skew_ms or 0
            remembered = await _remembered(client.reports, config, books)
    except DragomanError as error:
        error.where = error.where or section.url
        return None, [*checks, blocked("hub", error)]
    checks.append(check("hub", "ok", "hub_logged_in", role=key.role_id, generation=session.generation))
    checks += remembered
    if known.protocol_version != wire.PROTOCOL_VERSION:
        found, expected = known.protocol_version, wire.PROTOCOL_VERSION
        checks.append(check("hub", "blocker", "hub_protocol", code="hub_refused", found=found, expected=expected))
    minimum = known.minimum_client_version
    if minimum and older(__version__, minimum):
        old = {"minimum": minimum, "version": __version__}
        checks.append(check("versions", "blocker", "client_too_old", code="hub_refused", **old))
    checks += _published(known.client_releases)
    off = abs(skew) > SKEW_MS
    state, finding, code = ("blocker", "clock_off", "not_ready") if off else ("ok", "clock_right", "")
    checks.append(check("clock", state, finding, code=code, skew=skew))
    if not session.primary:
        checks.append(check("primary_instance", "blocker", "not_primary", code="not_ready"))
    identity = Identity(
        role_id=key.role_id,
        instance_id=client.instance_id,
        generation=session.generation,
        handler=handler,
        notifier=notifier,
    )
    return identity, checks


def _published(releases: list[wire.ClientRelease]) -> list[Check]:
    """Whether what runs here is, file by file, a release that the hub publishes; nothing where it publishes none."""
    if not releases:
        return []
    mine = release()
    if mine.sha256 in {each.sha256 for each in releases}:
        return [check("release", "ok", "release_published", version=mine.version)]
    return [check("release", "note", "release_other", version=mine.version)]


async def _remembered(reports: Reports, config: Config, books: Books | None) -> list[Check]:
    """What the hub remembers of us: how far our reports reach, and whether our ledger reaches its marks."""
    checks = []
    try:
        found = (await reports.readiness()).autonomy
        level, missing = str(found.level), ", ".join(found.blockers)
        if missing:
            checks.append(check("hub_readiness", "note", "hub_misses", level=level, missing=missing))
        else:
            checks.append(check("hub_readiness", "ok", "hub_reached", level=level))
        marks = await reports.marks(config.grant_id) if config.grant_id else None
    except HubError as error:
        if error.wire_code in UNKNOWN_TO_HUB:
            return checks
        raise
    ledger = books.ledger.install_id if books is not None else ""
    counts = counts_of(books, config.grant_id) if books is not None else {}
    if marks is not None and (why := fallen(marks, ledger, counts)):
        checks.append(blocked("ledger", DragomanError("ledger_missing", why, where="hub", fix=FIX)))
    return checks


def older(version: str, minimum: str) -> bool:
    """Whether `version` comes before `minimum`; a minimum that cannot be read is met by nobody."""
    mine, least = _numbers(version), _numbers(minimum)
    return least is None or mine is None or mine < least


def _numbers(version: str) -> tuple[int, ...] | None:
    """The numbers of a release, as far as they are plain: `1.4.0rc1` is read as 1.4."""
    numbers = []
    for part in version.split("."):
        if not part.isascii() or not part.isdigit():
            break
        numbers.append(int(part))
    return (*numbers, *(0,) * (4 - len(numbers))) if numbers else None
