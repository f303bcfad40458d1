"""What the reading of a Chinese text has in hand: who was spoken of, and what is known from before (see `reading`)."""

from __future__ import annotations

from typing import Final

import msgspec

from dragoman.packets.claims.chinese.clauses import Clause, Roles, Tags, Token
from dragoman.packets.claims.chinese.tags import Tag
from dragoman.packets.claims.seven import Part

_T: Final = Tag
UAIX: Final[Tags] = frozenset({_T.UAIX, _T.PACKET})
OURS: Final[Tags] = UAIX | {_T.WE, _T.OUR, _T.IT}
PROVIDER: Final[Tags] = frozenset({_T.WE, _T.OUR})
THEIRS: Final[Tags] = frozenset({_T.OTHER, _T.NAME, _T.MANUAL, _T.SELF})
DENIALS: Final[Tags] = frozenset({_T.NOT, _T.NOT_ALL, _T.REFUSE})
MANNER: Final[Tags] = frozenset({_T.AUTO, _T.EASE, _T.BENEFIT})
OFFER: Final[Tags] = MANNER | {_T.VOICE, _T.DOMAIN, _T.YOU}
FOR_YOU: Final[Tags] = frozenset({_T.BENEFIT, _T.EASE, _T.YOU})
HEADS: Final = frozenset({Part.SURE, Part.ACT, Part.SOFT, Part.NAMED})
LISTS: Final = frozenset(":：)）")
"""Marks after which a clause is the heading of what follows."""


class Scene(msgspec.Struct):
    """What the sentences before leave behind: who was spoken of, and what a question was about."""

    subject: Tags = frozenset()
    others: bool = False
    ours: bool = False
    asked: str = ""
    topic: Roles = frozenset()


class Here(msgspec.Struct):
    """A sentence in the reading, and what its clauses before leave behind."""

    clauses: list[Clause]
    scene: Scene
    tags: Tags
    """Of the whole sentence."""
    roles: Roles = frozenset()
    """Up to this clause, with what the question before was about."""
    earlier: Roles = frozenset()
    """Before this clause."""
    before: Tags = frozenset()
    subject: Tags = frozenset()
    number: int = 0
    mention: bool = False
    tasked: bool = False
    denied: bool = False
    rhetoric: bool = False
    others: bool = False
    report: bool = False

    @property
    def clause(self) -> Clause:
        """The clause that is read."""
        return self.clauses[self.number]

    @property
    def later(self) -> Clause | None:
        """The next clause."""
        return self.clauses[self.number + 1] if self.number + 1 < len(self.clauses) else None


def ends(clause: Clause, marks: str | frozenset[str]) -> bool:
    """Whether one of the marks ends the clause."""
    return bool(clause.end) and clause.end in marks


def acts(roles: Roles) -> bool:
    """Whether something is done or named, and not only a thing that it may be done with."""
    return any(part in HEADS for _, part in roles)


_SPEAKERS: Final = frozenset({"我", "研发", "同事", "运行时"})


def named_others(tokens: tuple[Token, ...]) -> bool:
    """Whether another is named to whom a later 它 may point."""
    return any(token.tags & {_T.OTHER, _T.NAME} and token.word not in _SPEAKERS for token in tokens)
