"""What is known while English sentences are read (see `reading`)."""

from __future__ import annotations

import msgspec

from dragoman.packets.claims.english.fields.bearers import NOBODY
from dragoman.packets.claims.english.fields.clauses import Clause, Roles
from dragoman.packets.claims.english.fields.tags import Sign, Signs


class Scene(msgspec.Struct):
    """What the sentences before leave behind."""

    subject: Signs = NOBODY
    asked: str = ""


class Here(msgspec.Struct):
    """The clause that is read, its neighbours, and what the clauses before leave behind."""

    clauses: list[Clause]
    subject: Signs = NOBODY
    near: Signs = NOBODY
    """Who of us was named last: the packet, where "it" stands after another."""
    number: int = 0
    roles: Roles = frozenset()

    def bid(self, at: int) -> bool:
        """Whether the reader was asked to do something and is told what comes of it: upload it and it is imported."""
        first = [word for word in self.clauses[0].words[:3] if not word.signs & {Sign.PREP, Sign.WHERE}][:2]
        if not any(Sign.BID in word.signs for word in first):
            return False
        return self.number > 0 or any(word.text in ("and", ",") for word in self.clause.words[2:at])

    @property
    def packet(self) -> bool:
        """Whether the packet was spoken of before."""
        return any(Sign.PACKET in clause.signs for clause in self.clauses[: self.number])

    @property
    def clause(self) -> Clause:
        """The clause that is read."""
        return self.clauses[self.number]

    @property
    def signs(self) -> Signs:
        """The signs of all clauses of the sentence."""
        return frozenset[object]().union(*(clause.signs for clause in self.clauses))  # type: ignore[return-value]
