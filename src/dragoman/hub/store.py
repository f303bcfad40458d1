"""The hub's store as its rooms see it: transactions of named statements, over SQLite or PostgreSQL alike.

1. A *work* is a coroutine function of a `Transaction` that awaits nothing else; so one text of a verb runs on both
   engines. On SQLite it never really waits.
2. `write(work)` answers after the commit; a `Refusal` undoes its work alone. `read(work)` sees one moment of what is
   committed. `glance(work)` is a read of one statement.
3. `together(verb, item)`: items of one verb that arrive together are one call of it, in one transaction. The verb
   answers each item by itself and changes nothing for an item that it refuses.
4. `ring` wakes the polls of a role once the transaction is committed, and not before.
5. `internal` alone leaves open whether a write happened; `overloaded`, `store_unavailable` and `shutting_down` are said
   only of what certainly did not.

The statements of a room stand in `sql/<room>.sql`, both dialects side by side. A file is a list of `-- name: x`; where
the dialects differ, `-- name: x (postgres)` follows. In a text, `each(:ids)` is the members of a list, `absent(:ids)`
whether there is none, and what stands in `{braces}` is for PostgreSQL only: the locks that SQLite, with its one writer,
does not need.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from importlib.resources import files
from typing import Any, Final, Protocol, TypeVar

from dragoman.hub.refusal import Refusal
from dragoman.words import Word

T = TypeVar("T")
Item = TypeVar("Item")

GROUP: Final = 256
"""The most requests that share one commit."""
BACKLOG: Final = 4096
"""The most requests that wait for a writer; more are told `overloaded`."""

_NAMED: Final = re.compile(r"^-- name: (\w+)(?: \((sqlite|postgres)\))?\n(.*?;)\s*(?=^-- name:|^-- --|\Z)", re.S | re.M)


class Row(Protocol):
    """A row: its columns by name."""

    def __getitem__(self, name: str, /) -> Any: ...
    def keys(self) -> Any: ...


class Transaction(Protocol):
    """The named statements, inside one transaction."""

    async def one(self, name: str, /, **values: object) -> Row | None:
        """The first row of a statement, or None."""
        ...

    async def all(self, name: str, /, **values: object) -> Sequence[Row]:
        """Every row of a statement."""
        ...

    async def run(self, name: str, /, **values: object) -> int:
        """How many rows a statement changed."""
        ...

    async def many(self, name: str, rows: Sequence[Mapping[str, object]], /) -> None:
        """One statement once per row of values."""
        ...

    async def gather(self, name: str, rows: Sequence[Mapping[str, object]], /) -> Sequence[Row]:
        """Every row that one statement finds, once per row of values."""
        ...

    async def facts(self, asked: Mapping[str, Mapping[str, object]], /) -> Mapping[str, Sequence[Row]]:
        """Every row of several statements by their names: of one moment, in one round trip, locks taken in order."""
        ...

    async def ring(self, role_id: str, /) -> None:
        """Wake this role's polls after the commit."""
        ...

    async def wipe(self) -> None:
        """What this transaction takes away is to leave the log of the store's file too, after the commit."""
        ...


class StorePoint(Word):
    """The arrows of one transaction; a crash test kills at each."""

    BEGUN = "begun"
    WRITTEN = "written"
    """All of it is written, and not committed."""
    COMMITTED = "committed"
    """And nobody has been answered."""


Checkpoint = Callable[[StorePoint, str], None]
"""Told of every arrow that is passed, and by which verb or work."""


def no_checkpoint(point: StorePoint, name: str, /) -> None:
    """Nobody wants to know."""


def named(work: Any) -> str:
    """What a checkpoint calls a work or verb."""
    return str(getattr(work, "__qualname__", "work"))


Work = Callable[[Transaction], Coroutine[Any, Any, T]]
Verb = Callable[[Transaction, Sequence[Item]], Coroutine[Any, Any, "list[T | Refusal]"]]
"""Answers every item, in order, with its result or its refusal."""


class Store(Protocol):
    """One database of a hub."""

    commits: int
    """How many write transactions were committed; fewer than requests when they came together."""

    async def open(self) -> None:
        """Make or migrate what is missing, and begin to work; raises `DragomanError` `store_broken`."""
        ...

    async def close(self) -> None:
        """Finish what waits; later work is told `shutting_down`."""
        ...

    async def write(self, work: Work[T]) -> T:
        """Run `work` in a transaction; returns after its commit."""
        ...

    async def read(self, work: Work[T]) -> T:
        """Run `work` on one moment of what is committed."""
        ...

    async def glance(self, work: Work[T]) -> T:
        """Run a `work` of one statement on what is committed."""
        ...

    async def together(self, verb: Verb[Item, T], item: Item) -> T:
        """Have `verb` do `item`, with others that wait for the same verb; returns after the commit."""
        ...


def caused(code: str, error: BaseException) -> Refusal:
    """The refusal `code`, with its cause for the log."""
    refusal = Refusal(code)
    refusal.__cause__ = error
    return refusal


def statements(engine: str) -> dict[str, str]:
    """Every statement of the hub by name, as `engine` (`sqlite`, `postgres`) reads it; values are still `:named`."""
    found: dict[str, str] = {}
    for each in sorted(files("dragoman.hub").joinpath("sql").iterdir(), key=lambda path: path.name):
        for name, dialect, text in _NAMED.findall(each.read_text("utf-8")):
            if dialect in ("", engine):
                found[name] = _DIALECTS[engine](text)
    return found


def migrations(engine: str) -> list[tuple[int, str]]:
    """The engine's migrations in order: the version that each leads to, and its script."""
    folder = files("dragoman.hub").joinpath("migrations", engine)
    scripts = sorted((each for each in folder.iterdir() if each.name.endswith(".sql")), key=lambda path: path.name)
    return [(int(each.name[:4]), each.read_text("utf-8")) for each in scripts]


def _sqlite(text: str) -> str:
    text = re.sub(r"\s*\{[^}]*\}", "", text)
    text = re.sub(r"absent\((:\w+)\)", r"\1 IS NULL", text)
    return re.sub(r"\beach\((:\w+)\)", r"(SELECT value FROM json_each(\1))", text)


def _postgres(text: str) -> str:
    text = re.sub(r"\{([^}]*)\}", r"\1", text)
    text = re.sub(r"absent\((:\w+)\)", r"\1::text[] IS NULL", text)
    return re.sub(r"IN \beach\((:\w+)\)", r"= ANY (\1::text[])", text)


_DIALECTS: Final[Mapping[str, Callable[[str], str]]] = {"sqlite": _sqlite, "postgres": _postgres}
