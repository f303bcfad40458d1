"""`dragoman hub migrate|backup|restore|roles|tenants|invite|revoke|code|erase|audit|prune`: the operator of a hub.

They work on the store itself, beside hubs that serve it. A store that is not there is an error, never a new one. JSON
out; a code is shown once, on standard output, and stands nowhere else in the clear.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman import wire
from dragoman.cli.hub_ask import AsJson, PasswordFile, password_in
from dragoman.cli.output import emit
from dragoman.clock import DAY, HOUR, SystemClock
from dragoman.errors import DragomanError

if TYPE_CHECKING:
    from dragoman.hub.admin import Admin
    from dragoman.hub.desk import Desk

app = typer.Typer()

Db = Annotated[str, typer.Option("--db", help="The store, as `dragoman hub serve` names it.")]
RoleId = Annotated[str, typer.Option("--role", help="A role id.")]
Sure = Annotated[bool, typer.Option("--yes", help="Say that it is meant; nothing undoes it.")]


@app.command()
def migrate(db: Db, db_password_file: PasswordFile = None, as_json: AsJson = False) -> None:
    """Bring a store to the version of this release."""
    from dragoman.hub.store import migrations

    _with(db, db_password_file, lambda desk: _nothing({"version": migrations("sqlite")[-1][0]}))


@app.command()
def backup(
    db: Db,
    out: Annotated[Path, typer.Option("--out", help="Where to write; must not exist.")],
    db_password_file: PasswordFile = None,
    as_json: AsJson = False,
) -> None:
    """Write the whole store into one private file, while it is served."""
    from dragoman.hub import backup as saving

    path = _sqlite_path(db)
    if path is not None:
        saving.save_sqlite(path, out)
    else:
        from dragoman.hub.postgres_schema import SCHEMA

        saving.save_postgres(_checked(db), out, SCHEMA, password_in(db_password_file))
    emit({"backup": str(out), "bytes": out.stat().st_size})


@app.command()
def restore(
    db: Db,
    saved: Annotated[Path, typer.Option("--from", help="A backup.")],
    unchanged: Annotated[
        bool, typer.Option("--unchanged", help="Nothing was answered since the backup: leave generations as they are.")
    ] = False,
    db_password_file: PasswordFile = None,
    as_json: AsJson = False,
) -> None:
    """Put a backup in place; where there is a store, nothing is done."""
    from dragoman.hub import backup as saving
    from dragoman.hub.sqlite import SqliteStore

    path, password = _sqlite_path(db, missing=True), password_in(db_password_file)
    if path is None:
        asyncio.run(_restore_postgres(_checked(db), saved, password, unchanged))
    else:
        with saving.placing(path) as making:
            saving.place_sqlite(saved, making)
            if not unchanged:
                asyncio.run(_fenced(SqliteStore(making)))
    emit({"restored": db, "fenced": not unchanged})


@app.command()
def roles(
    db: Db,
    tenant: Annotated[str, typer.Option("--tenant", help="Only of this tenant.")] = "",
    after: Annotated[str, typer.Option("--after", help="Go on after this role id.")] = "",
    db_password_file: PasswordFile = None,
    as_json: AsJson = False,
) -> None:
    """List roles: tenant, state, generation, last poll, open contacts."""
    _admin(db, db_password_file, lambda admin: admin.roles(tenant, after))


@app.command()
def tenants(
    db: Db,
    name: Annotated[str | None, typer.Option("--name", help="Make or change this one; else list all.")] = None,
    limit: Annotated[
        list[str] | None, typer.Option("--limit", help="FIELD=NUMBER of the hub's limits; replaces the tenant's.")
    ] = None,
    suspend: Annotated[
        bool | None, typer.Option("--suspend/--resume", help="Refuse its roles' writes, or take them again.")
    ] = None,
    db_password_file: PasswordFile = None,
    as_json: AsJson = False,
) -> None:
    """List tenants; make one, limit it, suspend it."""
    if name is None:
        _admin(db, db_password_file, lambda admin: admin.tenants())
        return
    limits = _limits(limit) if limit is not None else None
    _admin(db, db_password_file, lambda admin: admin.set_tenant(name, limits, suspend))


@app.command()
def invite(
    db: Db,
    tenant: Annotated[str, typer.Option("--tenant")] = "default",
    uses: Annotated[int, typer.Option("--uses", min=1, max=10_000, help="How many roles may register by it.")] = 1,
    hours: Annotated[int, typer.Option("--hours", min=1, max=24 * 365)] = 24 * 7,
    db_password_file: PasswordFile = None,
    as_json: AsJson = False,
) -> None:
    """Make an invitation and show its code, once."""
    _admin(db, db_password_file, lambda admin: admin.invite(tenant, uses, hours * HOUR))


@app.command()
def revoke(db: Db, role: RoleId, db_password_file: PasswordFile = None, as_json: AsJson = False) -> None:
    """End a role's key and every token at once; it can be recovered."""
    _admin(db, db_password_file, lambda admin: admin.revoke(role))


@app.command()
def recover(
    db: Db,
    role: RoleId,
    hours: Annotated[int, typer.Option("--hours", min=1, max=24 * 7)] = 24,
    db_password_file: PasswordFile = None,
    as_json: AsJson = False,
) -> None:
    """Make a one-time code for `dragoman hub key recover` and show it, once."""
    _admin(db, db_password_file, lambda admin: admin.recovery_code(role, hours * HOUR))


@app.command()
def erase(
    db: Db, role: RoleId, yes: Sure = False, db_password_file: PasswordFile = None, as_json: AsJson = False
) -> None:
    """Erase a role and its words for good."""
    if not yes:
        raise DragomanError("usage", "nothing undoes it", where="--yes", fix="say `--yes` when it is meant")
    _admin(db, db_password_file, lambda admin: admin.erase(role))


@app.command()
def audit(
    db: Db,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000)] = 100,
    db_password_file: PasswordFile = None,
    as_json: AsJson = False,
) -> None:
    """Show what was done to roles, tenants and invitations, newest first."""
    _admin(db, db_password_file, lambda admin: admin.audit(limit))


@app.command()
def prune(
    db: Db,
    retention_days: Annotated[int, typer.Option("--retention-days", min=1, max=3650)] = 7,
    db_password_file: PasswordFile = None,
    as_json: AsJson = False,
) -> None:
    """Do now what retention would do by itself."""

    async def work(admin: Admin) -> dict[str, int]:
        return {"looked_at": await admin.prune()}

    _admin(db, db_password_file, work, wire.Limits(retention_ms=retention_days * DAY))


def _admin(
    db: str, password_file: Path | None, verb: Callable[[Admin], Awaitable[Any]], limits: wire.Limits | None = None
) -> None:
    from dragoman.hub.admin import Admin

    _with(db, password_file, lambda desk: verb(Admin(desk)), limits)


def _with(
    db: str, password_file: Path | None, verb: Callable[[Desk], Awaitable[Any]], limits: wire.Limits | None = None
) -> None:
    """Open a store that is there, do one thing, and show what came of it."""
    from dragoman.hub.desk import Desk
    from dragoman.hub.refusal import Refusal
    from dragoman.hub.serve import random_id, store_of
    from dragoman.hub.wake import Bell

    _sqlite_path(db)
    bell = Bell()
    store = store_of(db, bell, password_in(password_file))

    async def work() -> Any:
        await store.open()
        try:
            return await verb(Desk(store, SystemClock(), random_id, limits or wire.Limits(), frozenset(), bell))
        except Refusal as refusal:
            raise DragomanError("store_broken", refusal.code, where="--db", fix="try again") from refusal
        finally:
            await store.close()

    emit(asyncio.run(work()))


def _sqlite_path(db: str, *, missing: bool = False) -> Path | None:
    """The file of a store on SQLite, None for PostgreSQL.

    Raises:
        DragomanError: `store_broken` when there is no such file.
    """
    scheme, found, rest = db.partition("://")
    if found and scheme != "sqlite":
        return None
    path = Path("/" + rest.lstrip("/")) if found else Path(db)
    if not missing and not path.exists():
        fix = "name the store that `dragoman hub serve` made"
        raise DragomanError("store_broken", "there is no such store", where="--db", fix=fix)
    return path


def _checked(db: str) -> str:
    """An address of PostgreSQL without a password in it."""
    from dragoman.hub.serve import store_of
    from dragoman.hub.wake import Bell

    store_of(db, Bell())
    return db


async def _restore_postgres(db: str, saved: Path, password: str | None, unchanged: bool) -> None:
    from dragoman.hub import backup as saving
    from dragoman.hub.postgres import PostgresStore, has_hub

    if await has_hub(db, password):
        fix = "restore into a database of its own"
        raise DragomanError("conflict", "there is a hub in this database", where="--db", fix=fix)
    await asyncio.to_thread(saving.place_postgres, db, saved, password)
    store = PostgresStore(db, password=password)
    await (_opened(store) if unchanged else _fenced(store))


async def _fenced(store: Any) -> None:
    from dragoman.hub import backup as saving

    await store.open()
    try:
        await saving.fence(store)
    finally:
        await store.close()


async def _opened(store: Any) -> None:
    await store.open()
    await store.close()


async def _nothing(value: Any) -> Any:
    return value


def _limits(given: list[str]) -> dict[str, int | None]:
    """`FIELD=NUMBER` each."""
    found: dict[str, int | None] = {}
    for each in given:
        name, equals, number = each.partition("=")
        if not equals or not number.isascii() or not number.isdigit():
            raise DragomanError("input_invalid", "expected FIELD=NUMBER", where="--limit")
        found[name] = int(number)
    return found
