"""The named statements as PostgreSQL takes them, and a transaction of them on one connection."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

from dragoman.hub.store import Row

_VALUE: Final = re.compile(r"(?<![:\w]):([a-z_]+)")
_NUMBER: Final = re.compile(r"\$(\d+)")


class Text:
    """One statement as PostgreSQL takes it: numbered values, and the names in their order."""

    def __init__(self, text: str) -> None:
        self.names: list[str] = list(dict.fromkeys(_VALUE.findall(text)))
        self.text = _VALUE.sub(lambda found: f"${self.names.index(found[1]) + 1}", text)

    def values(self, given: Mapping[str, object]) -> list[object]:
        """The values in the order of the numbers."""
        return [given[name] for name in self.names]


@lru_cache(maxsize=64)
def _as_one(names: tuple[str, ...], texts: tuple[Text, ...]) -> str:
    """Several statements as one, whose rows are a statement's name and the row as JSON."""
    parts: list[str] = []
    before = 0
    for name, text in zip(names, texts, strict=True):
        numbered = _NUMBER.sub(lambda found, before=before: f"${int(found[1]) + before}", text.text)  # type: ignore[misc]
        parts.append(f"SELECT '{name}' AS name, row_to_json(f)::text AS row FROM (\n{numbered.rstrip(' ;')}\n) f")  # noqa: S608
        before += len(text.names)
    return "\nUNION ALL\n".join(parts)


class PostgresTransaction:
    """The named statements on one connection."""

    def __init__(self, connection: Any, texts: Mapping[str, Text]) -> None:
        self._connection = connection
        self._texts = texts
        self.rung: set[str] = set()

    async def one(self, name: str, /, **values: object) -> Row | None:
        """The first row of a statement, or None."""
        statement = self._texts[name]
        found: Row | None = await self._connection.fetchrow(statement.text, *statement.values(values))
        return found

    async def all(self, name: str, /, **values: object) -> Sequence[Row]:
        """Every row of a statement."""
        statement = self._texts[name]
        found: Sequence[Row] = await self._connection.fetch(statement.text, *statement.values(values))
        return found

    async def run(self, name: str, /, **values: object) -> int:
        """How many rows a statement changed."""
        statement = self._texts[name]
        tag: str = await self._connection.execute(statement.text, *statement.values(values))
        return int(tag.rpartition(" ")[2])

    async def many(self, name: str, rows: Sequence[Mapping[str, object]], /) -> None:
        """One statement once per row of values, in one round trip."""
        if rows:
            statement = self._texts[name]
            await self._connection.executemany(statement.text, [statement.values(row) for row in rows])

    async def gather(self, name: str, rows: Sequence[Mapping[str, object]], /) -> Sequence[Row]:
        """Every row that one statement finds, once per row of values, in one round trip."""
        if not rows:
            return []
        statement = self._texts[name]
        found: Sequence[Row] = await self._connection.fetchmany(statement.text, [statement.values(row) for row in rows])
        return found

    async def facts(self, asked: Mapping[str, Mapping[str, object]], /) -> Mapping[str, Sequence[Row]]:
        """Every row of several statements by their names, in one round trip."""
        texts = [self._texts[name] for name in asked]
        values = [value for text, given in zip(texts, asked.values(), strict=True) for value in text.values(given)]
        found: dict[str, list[Row]] = {name: [] for name in asked}
        for name, row in await self._connection.fetch(_as_one(tuple(asked), tuple(texts)), *values):
            found[name].append(msgspec.json.decode(row))
        return found

    async def ring(self, role_id: str, /) -> None:
        """Wake this role's polls, in every process, after the commit."""
        self.rung.add(role_id)

    async def wipe(self) -> None:
        """PostgreSQL clears its own log and frees what was taken away, in its time."""
