"""What is not ready, all of it, each with its fix (spec 2 §2). Calls no model, sends nothing, installs nothing.

Every check stands alone: one that fails hides no other, and one that cannot be made says "not checked", never "ok".
A `blocker` keeps the receiver from running or from being trusted in the background; a `note` is only worth knowing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from dragoman import wire
from dragoman.channels.hub.client import HubClient
from dragoman.clock import DAY, SECOND, Clock
from dragoman.errors import DragomanError
from dragoman.gate.policy import Policy
from dragoman.ledger.highwater import HighWater
from dragoman.ledger.store import exists
from dragoman.receiver.authority import Identity, digest
from dragoman.receiver.books import Books, open_books, side_file
from dragoman.receiver.config import Config, ConfigProblems, load_config
from dragoman.receiver.policy import policy_of
from dragoman.receiver.status import background
from dragoman.receiver.wiring import handler_of, key_of, notifier_of

SKEW_MS: Final = 30 * SECOND
PROBE_MS: Final = 7 * DAY


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One finding. `state` is `ok`, `blocker`, `note` or `not_checked`."""

    name: str
    state: str
    detail: str = ""
    code: str = ""
    where: str = ""
    fix: str = ""


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
        names = ("policy", "ledger", "handler", "notification", "hub", "scope", "background")
        found += [Check(name=name, state="not_checked", detail="needs a configuration") for name in names]
        return Report(ready=False, checks=tuple(found))
    checks = [Check(name="config", state="ok", detail=str(config.path))]
    checks += _policy(config)
    books, found = _ledger(config)
    checks += found
    handler, notifier = _commands(config, checks)
    identity, found = await _hub(config, clock, handler, notifier)
    checks += found
    checks += _scope(config, books, identity, clock.now())
    checks += _background(books, clock.now())
    checks += _wall(config)
    checks += _probes(books, clock.now(), {"handler": handler, "notifier": notifier})
    checks += _host()
    if books is not None:
        books.close()
    return Report(ready=not any(check.state == "blocker" for check in checks), checks=tuple(checks))


def _blocker(name: str, error: DragomanError) -> Check:
    return Check(name=name, state="blocker", code=error.code, where=error.where, detail=error.detail, fix=error.fix)


def _policy(config: Config) -> list[Check]:
    try:
        policy: Policy = policy_of(config)
    except DragomanError as error:
        return [_blocker("policy", error)]
    detail = f"version {policy.version}" if config.file.policy else "none given: everything is external"
    return [Check(name="policy", state="ok", detail=detail)]


def _ledger(config: Config) -> tuple[Books | None, list[Check]]:
    water = side_file(config.path)
    try:
        if not exists(config.state_dir):
            HighWater(water).check_missing()
            return None, [Check(name="ledger", state="note", detail="none yet; the first run makes it")]
        books = open_books(config.state_dir, water, may_create=False)
        count = books.journal.verify().seq
    except DragomanError as error:
        return None, [_blocker("ledger", error)]
    return books, [Check(name="ledger", state="ok", detail=f"{count} journal records, chain intact")]


def _commands(config: Config, checks: list[Check]) -> tuple[str, str]:
    """The fingerprints of handler and notifier; empty for what cannot be used."""
    handler = notifier = ""
    try:
        handler = handler_of(config).fingerprint()
        checks.append(Check(name="handler", state="ok", detail=_handler_words(config)))
    except DragomanError as error:
        checks.append(_blocker("handler", error))
    try:
        told = notifier_of(config)
        if told is None:
            fix = "add `notifier` to be told"
            detail = "no notifier: the owner is never told, summaries stay in `status`"
            checks.append(Check(name="notification", state="note", detail=detail, fix=fix))
        else:
            notifier = told.fingerprint()
            checks.append(Check(name="notification", state="ok", detail="authorised"))
    except DragomanError as error:
        checks.append(_blocker("notification", error))
    return handler, notifier


def _wall(config: Config) -> list[Check]:
    """What stands between a handler and the door: nothing of ours, when it is a command (SECURITY.md)."""
    if config.file.handler.openai is not None:
        return [Check(name="handler_wall", state="ok", detail="the handler is no process of this machine's")]
    detail = (
        "the handler runs as the same user: it could read the keys and the token, write the ledger and the policy, "
        "reach the network, and end the receiver; only its answer on standard output is taken"
    )
    fix = "give it no tools; run it in a sandbox, or the receiver under a user of its own"
    return [Check(name="handler_wall", state="note", detail=detail, fix=fix)]


def _handler_words(config: Config) -> str:
    """What is known of the handler, and what is not ours to know."""
    section = config.file.handler
    if section.openai is not None:
        return "an endpoint; its requests name no tools"
    seen = ", ".join(section.environment) or "nothing more"
    return f"authorised by path and hash; sees {seen} of the environment; its own tools are not controlled here"


async def _hub(config: Config, clock: Clock, handler: str, notifier: str) -> tuple[Identity | None, list[Check]]:
    if config.file.hub is None:
        return None, [Check(name="hub", state="note", detail="no hub configured")]
    checks: list[Check] = []
    try:
        key = key_of(config)
        async with HubClient(config.file.hub.url, key, clock, instance_id=config.file.hub.instance_id) as client:
            known = await client.well_known()
            session = await client.log_in()
            skew = client.skew_ms or 0
    except DragomanError as error:
        error.where = error.where or config.file.hub.url
        return None, [_blocker("hub", error)]
    checks.append(
        Check(name="hub", state="ok", detail=f"logged in as `{key.role_id}`, generation {session.generation}")
    )
    if known.protocol_version != wire.PROTOCOL_VERSION:
        detail = f"protocol {known.protocol_version}, expected {wire.PROTOCOL_VERSION}"
        checks.append(Check(name="hub", state="blocker", code="hub_refused", detail=detail, fix="upgrade"))
    if abs(skew) > SKEW_MS:
        checks.append(
            Check(name="clock", state="blocker", code="not_ready", detail=f"{skew} ms off the hub", fix="set the clock")
        )
    if not session.primary:
        fix = "stop the other instance, then `dragoman hub login --takeover`"
        detail = "another instance of this role is the primary one"
        checks.append(Check(name="primary_instance", state="blocker", code="not_ready", detail=detail, fix=fix))
    identity = Identity(
        role_id=key.role_id,
        instance_id=client.instance_id,
        generation=session.generation,
        handler=handler,
        notifier=notifier,
    )
    return identity, checks


def _scope(config: Config, books: Books | None, identity: Identity | None, now: int) -> list[Check]:
    autonomy = config.file.autonomy
    if autonomy is None:
        detail = "attended: messages are fetched and shown, nothing is dispatched"
        return [Check(name="scope", state="note", detail=detail, fix="add `autonomy` with what the owner granted")]
    if now >= autonomy.expires_at:
        fix = "ask the owner; a new grant has a new `grant_id`"
        return [Check(name="scope", state="blocker", code="not_ready", detail="the grant has expired", fix=fix)]
    used = books.charges.used(autonomy.grant_id) if books else None
    if identity is None:
        return [Check(name="scope", state="not_checked", detail="needs the hub")]
    if used and used.digest != digest(autonomy, config.file.owner_instruction or "", identity):
        fix = "restore the text, or ask the owner and use a new `grant_id`"
        detail = "instruction, limits, contacts, commands, identity or generation changed under the same grant id"
        return [
            Check(name="scope", state="blocker", code="grant_changed", where=autonomy.grant_id, detail=detail, fix=fix)
        ]
    return [Check(name="scope", state="ok", detail=f"grant `{autonomy.grant_id}`")]


def _background(books: Books | None, now: int) -> list[Check]:
    seen = background(books.cycles.newest(), now) if books else {"observed": False, "boots": 0}
    if seen["observed"]:
        return [Check(name="background", state="ok", detail=f"observed; boots seen: {seen['boots']}")]
    fix = "start `dragoman run` under a service, or `dragoman once` every 30 seconds"
    detail = "no two successful cycles 25 to 120 seconds apart in this boot"
    return [Check(name="background", state="note", detail=detail, fix=fix)]


def _probes(books: Books | None, now: int, commands: Mapping[str, str]) -> list[Check]:
    """Whether a fresh probe passed with the commands as they are now; `commands` are their fingerprints."""
    told: dict[str, dict[str, Any]] = {}
    for part in commands:
        found = books.ledger.get(f"probe_{part}") if books else None
        told[part] = msgspec.json.decode(found) if found else {}
    fix = "run `dragoman probe`"
    if not told["handler"].get("ok") or now - int(told["handler"]["at"]) > PROBE_MS:
        return [Check(name="probe", state="note", detail="no fresh passed probe", fix=fix)]
    for part, fingerprint in commands.items():
        if fingerprint and told[part].get("command", "") != fingerprint:
            detail = f"the {part} has changed since the probe"
            return [Check(name="probe", state="not_checked", detail=detail, fix=fix)]
    return [Check(name="probe", state="ok", detail="the handler answered a probe")]


def _host() -> list[Check]:
    """Facts about this machine's schedulers; nothing is started or changed."""
    facts = {
        "systemd": shutil.which("systemctl") is not None,
        "linger": Path(f"/var/lib/systemd/linger/{os.environ.get('USER', '')}").is_file(),
        "started_by_systemd": "INVOCATION_ID" in os.environ,
        "cron": shutil.which("crontab") is not None,
    }
    words = ", ".join(f"{name} {'yes' if found else 'no'}" for name, found in facts.items())
    return [Check(name="scheduler", state="note", detail=words)]
