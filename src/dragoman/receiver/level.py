"""How far does the evidence on this machine reach? (spec 2 §1 readiness, §3.13)

    none → configured → reachable → attended → autonomous_reported

1. Each level is all of the one before it and one thing more; the first thing that lacks ends the climb.
2. Every piece of evidence is dated and decays: a cycle after two minutes, background after five, a probe after seven
   days or when its command has changed.
3. It is this machine's own word. Whether this instance is the primary one, and whether the hub believes any of it, only
   the hub can say; `none` therefore never occurs here: who can read this has a configuration.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

import msgspec

from dragoman.clock import DAY, SECOND
from dragoman.errors import DragomanError
from dragoman.receiver.answering import handler_of
from dragoman.receiver.books import Books
from dragoman.receiver.config import Config
from dragoman.receiver.policy import policy_of
from dragoman.receiver.wiring import notifier_of

POLL_MS: Final = 120 * SECOND
PROBE_MS: Final = 7 * DAY


class Level(StrEnum):
    """The levels of readiness, lowest first."""

    CONFIGURED = "configured"
    REACHABLE = "reachable"
    ATTENDED = "attended"
    AUTONOMOUS = "autonomous_reported"


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What stands now; each is a plain yes or no about dated evidence."""

    poll: bool
    notification: bool
    background: bool
    handler: bool
    scope: bool
    reply_authority: bool


NEEDS: Final[tuple[tuple[Level, tuple[str, ...]], ...]] = (
    (Level.REACHABLE, ("poll",)),
    (Level.ATTENDED, ("notification",)),
    (Level.AUTONOMOUS, ("background", "handler", "scope", "reply_authority")),
)
"""What each level needs besides the one before it."""


def level(evidence: Evidence) -> tuple[Level, tuple[str, ...]]:
    """The level that this evidence reaches, and every blocker above it, in order."""
    lacks = tuple(name for _, names in NEEDS for name in names if not getattr(evidence, name))
    reached = Level.CONFIGURED
    for candidate, names in NEEDS:
        if set(names) & set(lacks):
            break
        reached = candidate
    return reached, lacks


def evidence(books: Books, config: Config, now: int, *, background: bool) -> Evidence:
    """What this ledger shows; `background` is judged by the caller, who knows the host."""
    autonomy = config.file.autonomy
    return Evidence(
        poll=any(each.ok and now - each.started_at <= POLL_MS for each in books.cycles.newest()),
        notification=probed(books, config, "notifier", now),
        background=background,
        handler=probed(books, config, "handler", now),
        scope=autonomy is not None and now < autonomy.expires_at and _same_scope(books, config),
        reply_authority=_may_send(config),
    )


def probed(books: Books, config: Config, part: str, now: int) -> bool:
    """Whether the handler or the notifier, as it is now, passed a probe within seven days."""
    kept = books.ledger.get(f"probe_{part}")
    told: dict[str, Any] = msgspec.json.decode(kept) if kept else {}
    try:
        program = handler_of(config) if part == "handler" else notifier_of(config)
        command = program.fingerprint() if program is not None else ""
    except DragomanError:
        return False
    fresh = bool(told.get("ok")) and now - int(told.get("at", 0)) <= PROBE_MS
    return fresh and bool(command) and told.get("command") == command


def _same_scope(books: Books, config: Config) -> bool:
    """Whether no conversation stands still because the scope was changed under its id."""
    assert config.file.autonomy is not None
    grant_id = config.file.autonomy.grant_id
    return not any(
        each.stop_reason in ("grant_changed", "generation_changed") and each.grant_id == grant_id
        for each in books.conversations.all()
    )


def _may_send(config: Config) -> bool:
    try:
        return policy_of(config).mode != "shadow"
    except DragomanError:
        return False
