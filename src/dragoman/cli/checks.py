"""`dragoman doctor` and `dragoman probe`: what is not ready, and does what is configured really work?

`doctor` looks and calls nothing; `probe` really runs the handler and the notifier once. Neither contacts a peer.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from dragoman.cli import error_phrases
from dragoman.cli.beside import AsJson, ConfigPath, MaybeConfig, RolesFolder, one_of, say
from dragoman.cli.language import configured, language, pick
from dragoman.cli.output import emit
from dragoman.cli.phrases import told
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError, Exit, unforeseen
from dragoman.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dragoman.cli.screen import Row
    from dragoman.receiver.doctor import Report
    from dragoman.receiver.findings import Check
    from dragoman.receiver.probe import Probed


def register(app: typer.Typer) -> None:
    """Add both commands to the main app."""
    app.command()(doctor)
    app.command()(probe)


def doctor(
    config: MaybeConfig = None,
    roles: RolesFolder = None,
    as_json: AsJson = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the configuration's JSON Schema.")] = False,
) -> None:
    """List all that is not ready, with its fix; calls no model, sends nothing."""
    from dragoman.receiver import doctor as room
    from dragoman.receiver.config import json_schema, load_config

    if schema:
        emit(json_schema())
        return
    if (folder := one_of(config, roles)) is not None:
        _of_roles(folder, as_json)
        return
    assert config is not None
    report = asyncio.run(room.doctor(config, SystemClock()))
    with contextlib.suppress(DragomanError):  # a broken one is in the report; the locale speaks then
        configured(load_config(config).file.spoken)
    if as_json:
        emit({"blockers": report.blockers, **msgspec.structs.asdict(report)})
    else:
        from dragoman.cli.screen import show

        show(_page(report))
    if not report.ready:
        raise typer.Exit(_exit_of(report.blockers[0].code))


def _of_roles(folder: Path, as_json: bool) -> None:
    """The same of every role of a folder; one that cannot even be looked at is in its place."""
    from dragoman.cli.screen import Row, show
    from dragoman.receiver.doctor import Report
    from dragoman.receiver.doctor import doctor as looked_at
    from dragoman.receiver.findings import blocked
    from dragoman.receiver.roles import roles_in

    clock, reports = SystemClock(), {}
    for role in roles_in(folder):
        try:
            reports[role.name] = asyncio.run(looked_at(role.config(), clock))
        except Exception as error:  # noqa: BLE001  what one role meets hides no other
            reports[role.name] = Report(ready=False, checks=(blocked("config", unforeseen(error)),))
    if as_json:
        each = [{"role": name, "blockers": it.blockers, **msgspec.structs.asdict(it)} for name, it in reports.items()]
        emit({"ready": all(report.ready for report in reports.values()), "roles": each})
    else:
        for name, report in reports.items():
            show([Row(f"{shown(name)}:", "head"), *_page(report)])
    if bad := [report for report in reports.values() if not report.ready]:
        raise typer.Exit(_exit_of(bad[0].blockers[0].code))


def probe(config: ConfigPath, as_json: AsJson = False) -> None:
    """Really run the handler and the notifier once; contacts nobody."""
    from dragoman.receiver.answering import handler_of
    from dragoman.receiver.books import open_books, side_file
    from dragoman.receiver.config import load_config
    from dragoman.receiver.notify import Notices
    from dragoman.receiver.probe import probe as probing
    from dragoman.receiver.wiring import new_id, notifier_alone

    os.umask(0o077)
    loaded, clock = load_config(config), SystemClock()
    configured(loaded.file.spoken)
    handler, water = handler_of(loaded), side_file(loaded.path)

    async def work() -> Probed:
        async with notifier_alone(loaded, clock, books) as notifier:
            return await probing(
                handler.answer,
                Notices(books, notifier, clock, new_id),
                books,
                clock,
                instruction=loaded.file.owner_instruction or "",
                language=loaded.file.language,
                commands=(handler.fingerprint(), notifier.fingerprint() if notifier else ""),
                has_notifier=notifier is not None,
                probe_id=new_id("prb"),
            )

    books = open_books(loaded.state_dir, water, may_create=True, grant_id=loaded.grant_id)
    with contextlib.closing(books):
        probed = asyncio.run(work())
    if not probed.handler_ok:
        raise DragomanError(
            "handler_failed", probed.handler, where="handler", fix="run it by hand with a probe request"
        )
    if not probed.ok:
        fix = "ask the owner, then `dragoman resolve` under the same id"
        raise DragomanError(
            "notifier_failed", f"{probed.notifier}: {probed.notifier_detail}", where=probed.notification_id, fix=fix
        )
    notified = told("probe_notifier_none" if probed.notifier is None else "probe_notifier_ok")
    handled = told("probe_handler", said=shown(probed.handler))
    say(msgspec.to_builtins(probed), as_json, f"{handled}\n{notified}\n{told('probe_proves')}")


def _page(report: Report) -> Iterator[Row]:
    """The verdict first, then what blocks, then the rest in the order in which it was looked at."""
    from dragoman.cli.screen import Row

    count = len(report.blockers)
    yield Row(told("ready"), "good") if report.ready else Row(told("not_ready", count=count), "urgent")
    for check in sorted(report.checks, key=lambda each: each.state != "blocker"):
        yield from _rows(check)
    yield Row(told("no_calls"), "dim")


def _rows(check: Check) -> Iterator[Row]:
    from dragoman.cli.screen import Row, pad
    from dragoman.receiver import findings

    style = {"blocker": "urgent", "ok": "good", "note": ""}.get(check.state, "dim")
    state, name = pick(findings.STATES[check.state]), pick(findings.NAMES[check.name])
    where = f"{check.where}: " if check.where else ""
    yield Row(f"{pad(state, 12)} {name}: {where}{_detail(check)}", style)
    if fix := _fix(check):
        yield Row(f"{' ' * 13}{told('fix', fix=fix)}", style)


def _detail(check: Check) -> str:
    from dragoman.receiver import findings

    if check.finding:
        return findings.detail(check.finding, language(), check.values)
    safe = error_phrases.safe(DragomanError(check.code), language()) if check.code else ""
    return ": ".join(part for part in (safe, check.detail) if part)


def _fix(check: Check) -> str:
    from dragoman.receiver import findings

    if check.finding and check.fix:
        return findings.fix(check.finding, language(), check.values)
    return error_phrases.fix(check.fix, language())


def _exit_of(code: str) -> int:
    return int(DragomanError(code).exit) if code else int(Exit.CANNOT_RUN)
