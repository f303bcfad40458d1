"""What is not ready, all of it, each with its fix (spec 2 §2). Calls no model, sends nothing, installs nothing.

Every check stands alone: one that fails hides no other, and one that cannot be made says "not checked", never "ok".
A `blocker` keeps the receiver from running or from being trusted in the background; a `note` is only worth knowing.
The sentences stand in `findings`, the hub in `hub_checks`, what keeps a receiver going in `lasting`.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from dragoman.clock import Clock
from dragoman.errors import DragomanError
from dragoman.gate.policy import Policy
from dragoman.ledger.files import NotPrivate, private_folder
from dragoman.ledger.highwater import HighWater
from dragoman.ledger.store import exists, read_private_mode
from dragoman.receiver.answering import handler_of
from dragoman.receiver.authority import Identity, digest
from dragoman.receiver.books import Books, open_books, side_file
from dragoman.receiver.channel_checks import channels
from dragoman.receiver.config import Config, ConfigProblems, load_config
from dragoman.receiver.findings import Check, blocked, check
from dragoman.receiver.host import host
from dragoman.receiver.hub_checks import hub, versions
from dragoman.receiver.lasting import peer, probes, schedulers, seen
from dragoman.receiver.policy import policy_of
from dragoman.receiver.wiring import notifier_alone, notifier_of

_NEEDS_CONFIG = ("policy", "ledger", "storage", "handler", "notification", "hub", "scope", "background")


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was looked at. `model_calls` and `messages_sent` are always 0: that is what doctor promises."""

    ready: bool
    checks: tuple[Check, ...]
    model_calls: int = 0
    messages_sent: int = 0

    @property
    def blockers(self) -> tuple[Check, ...]:
        """What must be mended."""
        return tuple(check for check in self.checks if check.state == "blocker")


async def doctor(path: Path, clock: Clock) -> Report:
    """Look at everything that the configuration at `path` needs."""
    try:
        config = load_config(path)
    except ConfigProblems as error:
        found = [
            Check(name="config", state="blocker", code=each.code, where=each.where, detail=each.detail, fix=each.fix)
            for each in error.problems
        ]
        found += [check(name, "not_checked", "needs_config") for name in _NEEDS_CONFIG]
        return Report(ready=False, checks=(*found, versions()))
    checks = [check("config", "ok", "config_read", path=config.path), versions()]
    checks += _policy(config)
    books, found = _ledger(config)
    checks += [*found, _storage(config)]
    handler, notifier = _handler(config, checks), await _notifier(config, clock, checks)
    checks += await channels(config, clock)
    identity, found = await hub(config, clock, handler, notifier, books)
    checks += found
    checks += _scope(config, books, identity, clock.now())
    machine = host(config.path)
    checks += seen(books, machine, clock.now())
    checks += _wall(config)
    checks += probes(books, clock.now(), {"handler": handler, "notifier": notifier})
    checks += peer(books, config)
    checks += schedulers(machine)
    if books is not None:
        books.close()
    return Report(ready=not any(check.state == "blocker" for check in checks), checks=tuple(checks))


def _policy(config: Config) -> list[Check]:
    try:
        policy: Policy = policy_of(config)
    except DragomanError as error:
        return [blocked("policy", error)]
    if config.file.policy:
        return [check("policy", "ok", "policy_read", version=policy.version)]
    return [check("policy", "ok", "policy_none")]


def _ledger(config: Config) -> tuple[Books | None, list[Check]]:
    water, grant_id = side_file(config.path), config.grant_id
    try:
        if not exists(config.state_dir):
            HighWater(water).check_missing(grant_id)
            return None, [check("ledger", "note", "ledger_none")]
        books = open_books(config.state_dir, water, may_create=False, grant_id=grant_id)
    except DragomanError as error:
        return None, [blocked("ledger", error)]
    try:
        count = books.journal.verify().seq
    except DragomanError as error:
        books.close()
        return None, [blocked("ledger", error)]
    return books, [check("ledger", "ok", "ledger_intact", count=count)]


def _storage(config: Config) -> Check:
    """Whether what must be private is so: folders 0700, files 0600, all ours; what is not there yet is not open."""
    state, section = config.state_dir, config.file.hub
    files = [side_file(config.path), *(state / name for name in ("ledger.db", "journal.key", "checkpoint.key"))]
    files += [config.at(section.key_file)] if section else []
    try:
        if state.exists():
            private_folder(state)
    except NotPrivate:
        return check("storage", "blocker", "storage_open", code="config_not_private", path=state)
    for path in files:
        try:
            if os.path.lexists(path):
                read_private_mode(path)
        except OSError:
            return check("storage", "blocker", "storage_open", code="config_not_private", path=path)
    return check("storage", "ok", "storage_private")


def _handler(config: Config, checks: list[Check]) -> str:
    """The handler's fingerprint; empty when it cannot be used."""
    section = config.file.handler
    try:
        fingerprint = handler_of(config).fingerprint()
    except DragomanError as error:
        checks.append(blocked("handler", error))
        return ""
    cli = next((name for name in ("claude_code", "codex") if getattr(section, name) is not None), "")
    if section.openai is not None:
        checks.append(check("handler", "ok", "handler_endpoint"))
    elif cli:
        tools = ", ".join(getattr(section, cli).tools) or "-"
        checks.append(check("handler", "ok", "handler_cli", kind=cli, tools=tools))
    else:
        checks.append(check("handler", "ok", "handler_command", seen=", ".join(section.environment) or "-"))
    return fingerprint


async def _notifier(config: Config, clock: Clock, checks: list[Check]) -> str:
    """The notifier's fingerprint; empty when there is none, or when it cannot be made. Nobody is told anything."""
    fingerprint = ""
    try:
        made = notifier_of(config)
        if made is None:
            checks.append(check("notification", "note", "notifier_none"))
            return ""
        fingerprint = made.fingerprint()
        async with notifier_alone(config, clock) as notifier:
            assert notifier is not None
            ready = check("notification", "ok", f"notifier_{notifier.kind}", **await notifier.check())
    except DragomanError as error:
        checks.append(blocked("notification", error))
        return fingerprint
    checks.append(ready)
    return fingerprint


def _wall(config: Config) -> list[Check]:
    """What stands between a handler and the door: nothing of ours, when it is a command (SECURITY.md)."""
    if config.file.handler.openai is not None:
        return [check("handler_wall", "ok", "wall_endpoint")]
    return [check("handler_wall", "note", "wall_same_user")]


def _scope(config: Config, books: Books | None, identity: Identity | None, now: int) -> list[Check]:
    autonomy = config.file.autonomy
    if autonomy is None:
        return [check("scope", "note", "scope_attended")]
    if now >= autonomy.expires_at:
        return [check("scope", "blocker", "grant_expired", code="not_ready")]
    if identity is None:
        return [check("scope", "not_checked", "scope_needs_hub")]
    used = books.charges.used(autonomy.grant_id) if books else None
    if used and used.digest != digest(autonomy, config.file.owner_instruction or "", identity):
        return [check("scope", "blocker", "grant_changed", code="grant_changed", where=autonomy.grant_id)]
    return [check("scope", "ok", "grant_valid", grant=autonomy.grant_id)]
