"""`run`, `once` and `status` with `--roles`: the same for every role of a folder, in one process.

A role that cannot be used is a line of the answer like any other, never the end of it. With `--json` an answer is one
object; `run` writes one object for each thing that happens, named by its role. `run` ends with 0 when it was asked to
stop; `once` ends with 3 when something is wrong with any role.
"""

from __future__ import annotations

import asyncio
import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dragoman.cli import error_phrases
from dragoman.cli.beside import open_config, say
from dragoman.cli.language import configured, language
from dragoman.cli.output import emit, line
from dragoman.cli.phrases import told
from dragoman.cli.screen import Row, show
from dragoman.cli.serving import stopped_by_signals, warn
from dragoman.cli.standing import ended_rows
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError, unforeseen
from dragoman.shown import shown

if TYPE_CHECKING:
    from dragoman.receiver.roles import Ended, News, Roles

MOST_FILES: Final = 65_536


def at_once_by_default() -> int:
    """How many handlers run at once over all roles when nobody says: two for each core, at least four."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:
        cores = os.cpu_count() or 1
    return max(4, 2 * cores)


def run_roles(folder: Path, *, started_by: str, at_once: int | None, as_json: bool) -> None:
    """Serve every role until SIGTERM or SIGINT."""
    from dragoman.receiver.roles import roles_in

    _prepared()
    names = [role.name for role in roles_in(folder)]
    say({"running": started_by, "roles": names}, as_json, told("roles_running", count=len(names)))

    async def work() -> None:
        await _roles(folder, started_by, at_once, as_json).run()

    asyncio.run(work())
    say({"stopped": started_by}, as_json, told("stopped"))


def once_roles(folder: Path, *, started_by: str, at_once: int | None, as_json: bool) -> None:
    """One cycle of every role."""
    _prepared()

    async def work() -> list[Ended]:
        return await _roles(folder, started_by, at_once, as_json).once()

    ended = asyncio.run(work())
    if as_json:
        emit({"roles": [_cycle(each) for each in ended]})
    else:
        for each in ended:
            line(_cycle_in_words(each))
    bad = [each.role for each in ended if each.error is not None or (each.served and each.served.errors)]
    if bad:
        raise DragomanError("not_ready", ", ".join(bad), where="roles", fix="see `dragoman status`")


def status_roles(folder: Path, *, as_json: bool) -> None:
    """How every role stands; who needs the owner first."""
    from dragoman.receiver.roles import roles_in

    _prepared()
    found = [_stands(role) for role in roles_in(folder)]
    found.sort(key=lambda each: (not each["needs_owner"], each["role"]))
    if as_json:
        emit({"roles": found})
        return
    show(_rows(found))


# --- run, once -------------------------------------------------------------------------------------------------------


def _prepared() -> None:
    """Private files from here on, and as many open ones as the machine lets: every role needs about ten."""
    os.umask(0o077)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _roles(folder: Path, started_by: str, at_once: int | None, as_json: bool) -> Roles:
    from dragoman.receiver.roles import Roles

    return Roles(
        folder,
        clock=SystemClock(),
        started_by=started_by,
        stop=stopped_by_signals(),
        slots=asyncio.Semaphore(at_once or at_once_by_default()),
        tell=lambda news: _tell(news, as_json),
    )


def _tell(news: News, as_json: bool) -> None:
    """One thing that happened to a role."""
    if news.running:
        say({"role": news.role, "running": True}, as_json, told("role_running", role=news.role))
    if news.error is None:
        return
    if news.again_seconds is None or not as_json:
        warn(news.error, as_json, news.role)
    if news.again_seconds is not None:
        body = {"role": news.role, "ended": news.error.code, "where": news.error.where, "fix": news.error.fix}
        words = told("role_again", role=news.role, seconds=round(news.again_seconds))
        say({**body, "again_seconds": news.again_seconds}, as_json, words)


def _cycle(ended: Ended) -> dict[str, Any]:
    if ended.error is not None:
        return {"role": ended.role, "error": _told_error(ended.error)}
    assert ended.served is not None
    served = ended.served
    return {"role": ended.role, "fetched": served.fetched, "sent": served.sent, "errors": served.errors}


def _cycle_in_words(ended: Ended) -> str:
    if ended.error is not None:
        return f"{ended.role}: {ended.error.code}: {_safe(ended.error)}"
    assert ended.served is not None
    return told("role_cycle", role=ended.role, fetched=ended.served.fetched, sent=ended.served.sent)


# --- status ----------------------------------------------------------------------------------------------------------


def _stands(role: Any) -> dict[str, Any]:
    """One role: its whole status, what ended it, or why neither can be said."""
    from dragoman.receiver.status import status

    found: dict[str, Any] = {"role": role.name, "error": None, "status": None, "needs_owner": True}
    try:
        found["config"] = str(role.config())
        with open_config(role.config()) as (loaded, books):
            found["status"] = status(books, loaded, SystemClock().now())
    except Exception as error:  # noqa: BLE001  what one role meets hides no other
        found["error"] = _told_error(unforeseen(error))
        return found
    finally:
        configured(None)
    stands = found["status"]
    waits = ("waiting_owner", "uncertain_sends", "drafts")
    found["needs_owner"] = stands["ended"] is not None or any(stands[name] for name in waits)
    return found


def _rows(found: list[dict[str, Any]]) -> Iterator[Row]:
    needing = sum(each["needs_owner"] for each in found)
    yield Row(told("roles_wait", count=len(found), waiting=needing), "urgent" if needing else "good")
    for each in found:
        name, stands = shown(each["role"]), each["status"]
        if stands is None:
            error = each["error"]
            yield Row(f"  {name}: {error['code']}: {shown(error['where'] or error['detail'])}", "urgent")
            if fix := error_phrases.fix(error["fix"], language()):
                yield Row(f"      {told('fix', fix=shown(fix))}", "dim")
            continue
        tasks = stands["autonomy"]
        counts = {
            "waiting": sum(len(stands[name]) for name in ("waiting_owner", "uncertain_sends", "drafts")),
            "tasks": len(tasks),
            "stopped": sum(task["stop_reason"] is not None for task in tasks),
            "today": f"{tasks[0]['dispatches_today']}/{tasks[0]['max_dispatches']}" if tasks else "-",
        }
        yield Row(f"  {told('role_stands', role=name, **counts)}", "head" if each["needs_owner"] else "")
        yield from ended_rows(stands)
        if each["needs_owner"]:
            yield Row(f"      dragoman status --config {shown(each['config'])}", "command")


# --- errors ----------------------------------------------------------------------------------------------------------


def _told_error(error: DragomanError) -> dict[str, str]:
    return {"code": error.code, "where": error.where, "detail": error.detail, "fix": error.fix}


def _safe(error: DragomanError) -> str:
    return error_phrases.safe(error, language())
