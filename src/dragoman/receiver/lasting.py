"""Does the receiver go on by itself? Cycles that were seen, the machine's schedulers, probes, a real peer.

What was seen is one thing, what the machine will do after a log-out or a reboot another: cycles of a service that ends
with the last log-in are told as that, and not as background (spec 2 §2; a laptop's user service is the usual trap).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import msgspec

from dragoman.clock import SECOND, rfc3339
from dragoman.ledger.cycles import Cycle
from dragoman.receiver.background import NEAREST_MS, background
from dragoman.receiver.books import Books
from dragoman.receiver.config import Config
from dragoman.receiver.findings import Check, check
from dragoman.receiver.host import Answer, Host, Unit
from dragoman.receiver.level import PROBE_MS
from dragoman.receiver.real_peer import real_peer

_LINGER = {
    Answer.YES: ("ok", "linger_on"),
    Answer.NO: ("note", "linger_off"),
    Answer.UNKNOWN: ("note", "linger_unknown"),
}
_UNIT = {
    Unit.ENABLED: ("ok", "unit_enabled"),
    Unit.DISABLED: ("note", "unit_disabled"),
    Unit.ABSENT: ("note", "unit_absent"),
    Unit.UNKNOWN: ("note", "unit_unknown"),
}


def seen(books: Books | None, host: Host, now: int) -> list[Check]:
    """Whether cycles were observed in the background, and will be after a log-out."""
    cycles = books.cycles.newest() if books else []
    found = background(cycles, now)
    if found["observed"] and found["by_user_service"] and host.linger is Answer.NO:
        return [check("background", "note", "background_ends")]
    if found["observed"]:
        return [check("background", "ok", "background_seen", boots=found["boots"])]
    if crowded(cycles, now):
        return [check("background", "note", "background_crowded")]
    return [check("background", "note", "background_unseen")]


def crowded(cycles: list[Cycle], now: int) -> bool:
    """Whether the newest cycles of `once` follow one another faster than any one scheduler of ours starts them."""
    lately = [each for each in cycles if each.started_by.startswith("once") and now - each.started_at <= 120 * SECOND]
    gaps = [newer.started_at - older.started_at for newer, older in pairwise(lately)]
    return len(gaps) >= 3 and all(gap < NEAREST_MS for gap in gaps)


def schedulers(host: Host) -> list[Check]:
    """Facts about this machine's schedulers, of its own kind only."""
    if host.system == "darwin":
        return [check("scheduler", "note", "login_session_only")] if host.agent else []
    facts = {name: "yes" if getattr(host, name) else "no" for name in ("systemd", "cron", "started_by_systemd")}
    checks = [check("scheduler", "note", "host", **facts)]
    if host.system.startswith("linux"):
        state, finding = _LINGER[host.linger]
        checks.append(check("scheduler", state, finding))
        state, finding = _UNIT[host.unit]
        checks.append(check("scheduler", state, finding, unit=host.unit_name))
    return checks


def probes(books: Books | None, now: int, commands: Mapping[str, str]) -> list[Check]:
    """Whether a fresh probe passed with the commands as they are now; `commands` are their fingerprints."""
    told: dict[str, dict[str, Any]] = {}
    for part in commands:
        found = books.ledger.get(f"probe_{part}") if books else None
        told[part] = msgspec.json.decode(found) if found else {}
    if not told["handler"].get("ok") or now - int(told["handler"]["at"]) > PROBE_MS:
        return [check("probe", "note", "probe_none")]
    for part, fingerprint in commands.items():
        if fingerprint and told[part].get("command", "") != fingerprint:
            return [check("probe", "not_checked", f"probe_{part}_changed")]
    return [check("probe", "ok", "probe_passed")]


def peer(books: Books | None, config: Config) -> list[Check]:
    """Whether a full exchange with a test contact is on record."""
    if config.file.hub is None:
        return []
    found = real_peer(books, config) if books else None
    if found is None:
        return [check("real_peer", "note", "real_peer_unverified")]
    return [check("real_peer", "ok", "real_peer_verified", where=found.contact_id, date=rfc3339(found.at)[:10])]
