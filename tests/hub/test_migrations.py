"""From the database that the first version wrote to the newest: nothing answered then is lost, whatever kills it."""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from nacl.signing import SigningKey

from dragoman import wire
from dragoman.clock import HOUR
from dragoman.errors import DragomanError
from dragoman.hub import postgres_schema, rows
from dragoman.hub.desk import Desk
from dragoman.hub.postgres import PostgresStore
from dragoman.hub.service import Hub
from dragoman.hub.sqlite import SqliteStore
from dragoman.hub.store import Store, migrations
from dragoman.hub.wake import Bell
from tests.hub.world import ORIGIN, UNLIMITED, Instance, TestClock, counted_ids
from tests.postgres import Cluster

FIXTURE = Path(__file__).parents[1] / "fixtures" / "version1" / "hub.sqlite3"
ROOT = Path(__file__).parents[2]
NUMBERS = [number for number, _ in migrations("sqlite")]
NEWEST = NUMBERS[-1]
TABLES = ("meta", "role", "used_nonce", "session", "contact", "message", "lease")
KEY = SigningKey(b"m" * 32)
POINTS = [f"{number}:{point}" for number in NUMBERS[1:] for point in ("begun", "written", "committed")]


class Old:
    """A database as version 1 left it, on one engine, with a token for each role and a role whose key is known."""

    def __init__(self, engine: str, place: str, cluster: Cluster | None = None) -> None:
        self.engine = engine
        self.cluster = cluster
        self.place = place
        self.rows = _version1_rows()
        self.now = max(row["created_at"] for row in self.rows["message"]) + 1
        self.tokens = {row["role_id"]: f"tok_{number:032x}" for number, row in enumerate(self.rows["role"])}
        public = KEY.verify_key.encode().hex()
        self.known = wire.role_id_of(public)
        for row in self.rows["role"]:
            self.rows["session"].append(
                {
                    "token_hash": rows.token_hash(self.tokens[row["role_id"]]),
                    "role_id": row["role_id"],
                    "instance_id": row["primary_instance"],
                    "generation": row["generation"],
                    "expires_at": self.now + HOUR,
                }
            )
        self.rows["role"].append(
            {
                "role_id": self.known,
                "public_key": public,
                "created_at": self.now,
                "generation": 3,
                "primary_instance": f"ins_{1:032x}",
            }
        )

    def store(self, bell: Bell) -> Store:
        """Not open yet; opening it migrates."""
        return SqliteStore(Path(self.place), bell) if self.engine == "sqlite" else PostgresStore(self.place, bell)

    def migrate(self, wanted: str = "0:never") -> subprocess.Popen[bytes]:
        """A process that migrates, and kills itself at the point that is wanted."""
        command = [sys.executable, "-m", "tests.hub.migrate_at", self.engine, self.place, wanted]
        return subprocess.Popen(command, cwd=ROOT)

    def version(self) -> int:
        """The version that the database says it has."""
        if self.engine == "sqlite":
            with contextlib.closing(sqlite3.connect(self.place)) as file:
                return int(file.execute("PRAGMA user_version").fetchone()[0])
        return asyncio.run(self._on_postgres(postgres_schema.version_of))

    def set(self, version: int, oldest_reader: int) -> None:
        """Make it look like the database of a version that is not written yet."""
        if self.engine == "sqlite":
            with contextlib.closing(sqlite3.connect(self.place)) as file:
                file.execute(f"PRAGMA user_version = {version}")
                file.execute("UPDATE meta SET value = ? WHERE key = 'oldest_reader'", (str(oldest_reader).encode(),))
                file.commit()
            return
        statement = "UPDATE meta SET value = $1 WHERE key = $2"

        async def change(connection: Any) -> None:
            await connection.execute(statement, str(version).encode(), "version")
            await connection.execute(statement, str(oldest_reader).encode(), "oldest_reader")

        asyncio.run(self._on_postgres(change))

    def content(self) -> dict[str, list[dict[str, Any]]]:
        """What stands in the columns that version 1 knew, its settings left out."""
        if self.engine == "sqlite":
            with contextlib.closing(sqlite3.connect(self.place)) as file:
                file.row_factory = sqlite3.Row
                found = {name: [dict(row) for row in file.execute(f"SELECT * FROM {name}")] for name in TABLES[1:]}
        else:
            found = asyncio.run(self._on_postgres(_all_rows))
        known = {name: set(self.rows[name][0]) if self.rows[name] else set() for name in TABLES}
        return {
            name: sorted(({k: row[k] for k in known[name]} for row in found[name]), key=repr) for name in TABLES[1:]
        }

    def schema(self) -> set[str]:
        """Every table with every column."""
        if self.engine == "sqlite":
            with contextlib.closing(sqlite3.connect(self.place)) as file:
                sql = "SELECT m.name || '.' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c"
                return {row[0] for row in file.execute(sql)}

        async def columns(connection: Any) -> set[str]:
            sql = "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = $1"
            return {row[0] for row in await connection.fetch(sql, postgres_schema.SCHEMA)}

        return asyncio.run(self._on_postgres(columns))

    async def _on_postgres(self, work: Any) -> Any:
        connection = await asyncpg.connect(self.place, server_settings={"search_path": postgres_schema.SCHEMA})
        try:
            return await work(connection)
        finally:
            await connection.close()


async def _all_rows(connection: Any) -> dict[str, list[dict[str, Any]]]:
    return {name: [dict(row) for row in await connection.fetch(f"SELECT * FROM {name}")] for name in TABLES[1:]}


def _version1_rows() -> dict[str, list[dict[str, Any]]]:
    with contextlib.closing(sqlite3.connect(f"file:{FIXTURE}?mode=ro&immutable=1", uri=True)) as file:
        file.row_factory = sqlite3.Row
        return {name: [dict(row) for row in file.execute(f"SELECT * FROM {name}")] for name in TABLES}


def _on_sqlite(folder: Path) -> Old:
    folder.mkdir(mode=0o700)
    path = folder / "hub.db"
    path.touch(0o600)
    path.write_bytes(FIXTURE.read_bytes())
    old = Old("sqlite", str(path))
    with contextlib.closing(sqlite3.connect(path)) as file:
        for name in ("role", "session"):
            for row in old.rows[name]:
                marks = ", ".join("?" for _ in row)
                file.execute(f"INSERT OR IGNORE INTO {name} ({', '.join(row)}) VALUES ({marks})", [*row.values()])
        file.commit()
    return old


def _on_postgres(cluster: Cluster) -> Old:
    """The same rows, in the tables of PostgreSQL's first migration."""
    old = Old("postgres", cluster.database(), cluster)

    async def fill() -> None:
        connection = await asyncpg.connect(old.place, server_settings={"search_path": postgres_schema.SCHEMA})
        await postgres_schema.migrate(connection, upto=1)
        for name in TABLES[1:]:
            for row in old.rows[name]:
                marks = ", ".join(f"${n}" for n, _ in enumerate(row, 1))
                own = "OVERRIDING SYSTEM VALUE" if "number" in row else ""
                sql = f"INSERT INTO {name} ({', '.join(row)}) {own} VALUES ({marks})"
                await connection.execute(sql, *row.values())
        await connection.close()

    asyncio.run(fill())
    return old


@pytest.fixture
def old(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> Old:
    """A database of version 1."""
    if engine == "sqlite":
        return _on_sqlite(tmp_path / "old")
    return _on_postgres(request.getfixturevalue("postgres"))


async def _seen_by(old: Old) -> dict[str, Any]:
    """What each role sees through the newest hub with the token that version 1 gave it."""
    bell = Bell()
    store = old.store(bell)
    await store.open()
    hub = Hub(Desk(store, TestClock(old.now), counted_ids(), UNLIMITED, frozenset({ORIGIN}), bell))
    found: dict[str, Any] = {}
    try:
        for role_id, token in old.tokens.items():
            me = await hub.entrance.me(token)
            contacts = (await hub.contacts.page(token, 0)).contacts
            texts = {}
            for each in contacts:
                page = await hub.messages.page(token, each.contact_id, 0)
                texts[each.contact_id] = [(m.seq, m.text, m.packet, m.reply_id, m.complete) for m in page.messages]
            found[role_id] = (me.generation, me.primary, me.superseded, texts)
        known = Instance(hub, KEY, f"ins_{1:032x}")
        session = await known.log_in()
        found["known"] = (session.generation, session.primary, (await known.register()).replayed)
    finally:
        await store.close()
    return found


def _answered(old: Old) -> dict[str, Any]:
    """The same, straight from the rows that version 1 wrote."""
    found: dict[str, Any] = {}
    for role in old.rows["role"][:-1]:
        mine = [row for row in old.rows["contact"] if role["role_id"] in (row["opener"], row["peer"])]
        texts = {
            row["contact_id"]: [
                (m["seq"], m["text"], m["packet"], m["reply_id"], bool(m["complete"]))
                for m in sorted(old.rows["message"], key=lambda m: m["seq"])
                if m["contact_id"] == row["contact_id"]
            ]
            for row in mine
        }
        found[role["role_id"]] = (role["generation"], True, False, texts)
    found["known"] = (3, True, True)
    return found


def test_everything_answered_then_is_readable_now(old: Old) -> None:
    """Roles, contacts, messages, tokens and keys of version 1 are what they were, for the newest hub's clients."""
    assert 1 == old.version()
    assert _answered(old) == asyncio.run(_seen_by(old))
    assert NEWEST == old.version()
    assert sum(len(texts) for role in _answered(old).values() if len(role) == 4 for texts in role[3].values()) > 8


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_killed_at_a_named_point(old: Old, point: str) -> None:
    """A migration that is killed has happened whole or not at all; the next start goes on from there."""
    number, where = int(point.partition(":")[0]), point.partition(":")[2]
    before = old.content()
    code = old.migrate(point).wait(30)
    then = old.version()
    between = old.content()
    last = old.migrate().wait(30)

    assert (-signal.SIGKILL, 0) == (code, last)
    assert then == (number if where == "committed" else NUMBERS[NUMBERS.index(number) - 1])
    assert before == between == old.content()
    assert NEWEST == old.version()


@pytest.mark.slow
def test_killed_at_random_moments(old: Old, tmp_path: Path) -> None:
    """Killed from outside again and again, at any moment: in the end it is the newest, with all that was there."""
    chance = random.Random(f"migrations {old.engine}")
    before, answered = old.content(), _answered(old)
    kills = 0
    for number in range(16):
        process = old.migrate()
        # From before it can have begun to after it can have ended, however fast the machine is.
        time.sleep(0.05 * number + chance.uniform(0, 0.05))
        process.kill()
        kills += process.wait(30) == -signal.SIGKILL
    assert kills > 0
    assert before == old.content()
    assert answered == asyncio.run(_seen_by(old))
    fresh = _fresh_schema(old, tmp_path)
    assert fresh == old.schema()


def _fresh_schema(old: Old, folder: Path) -> set[str]:
    """The schema of a store that was never old."""
    fresh = Old(old.engine, old.cluster.database() if old.cluster else str(folder / "fresh" / "hub.db"))
    asyncio.run(_opened(fresh))
    return fresh.schema()


def test_processes_that_migrate_at_once(old: Old) -> None:
    """Three hubs that start together: each ends well, each migration happened once."""
    before = old.content()
    processes = [old.migrate() for _ in range(3)]

    assert [0, 0, 0] == [each.wait(60) for each in processes]
    assert (NEWEST, before) == (old.version(), old.content())


def test_a_newer_store_says_who_may_read_it(old: Old) -> None:
    """A store of a version to come is served when it lets this version; else it is refused and not touched."""
    assert 0 == old.migrate().wait(30)
    old.set(NEWEST + 7, NEWEST)
    served = asyncio.run(_seen_by(old))
    old.set(NEWEST + 7, NEWEST + 1)
    with pytest.raises(DragomanError) as caught:
        asyncio.run(_opened(old))

    assert _answered(old) == served
    assert ("store_broken", "run a newer dragoman") == (caught.value.code, caught.value.fix)
    assert NEWEST + 7 == old.version()


async def _opened(old: Old) -> None:
    store = old.store(Bell())
    await store.open()
    await store.close()


@pytest.fixture(autouse=True)
def _the_fixture_stays() -> Iterator[None]:
    """Nobody writes into the file that version 1 wrote."""
    before = FIXTURE.read_bytes()
    yield
    assert before == FIXTURE.read_bytes()
    assert not FIXTURE.with_name("hub.sqlite3-wal").exists()
