"""What a lint rule is, what it sees, and what it says (docs/reference/policy-lint.md).

1. A rule is one small function over `Look`; it yields places and words, and decides nothing else.
2. It has an id that never changes its meaning, a severity, why it matters and how to mend it, and two examples of its
   own: one policy that it finds fault with and one that it does not. Tests run both; the page shows the first.
3. `error`: the gate does something other than the file seems to say, or a guard is off. `warning`: an entry without
   effect, or a risk that should be meant. `note`: worth knowing; fails nothing.

Pure; the modes of files are looked up by the shell and handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

import msgspec

from dragoman.gate.policy import Policy
from dragoman.gate.policy_keys import PolicyFile, TargetEntry
from dragoman.words import Audience


class Severity(StrEnum):
    """How much a finding matters; `note` fails no lint."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class FileMode(msgspec.Struct, frozen=True, kw_only=True):
    """What the shell saw of a file on disk. `mode` is the nine permission bits."""

    where: str
    """`` for the policy itself, or the key path that names the file."""
    mode: int = 0o600
    ours: bool = True
    """Owned by who runs the command, or by root."""
    folder: bool = False
    """The folder that it lies in: who can write there can put another file in its place."""


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """All that a rule may see. `now` is epoch milliseconds."""

    file: PolicyFile
    policy: Policy
    now: int
    terms: tuple[tuple[str, str, str], ...] = ()
    """Every protected term: owner, where it stands, the term."""
    modes: tuple[FileMode, ...] = ()

    def targets(self) -> Iterator[tuple[str, TargetEntry]]:
        """Each target entry with its key path."""
        return ((f"targets[{index}]", entry) for index, entry in enumerate(self.file.targets))

    def external(self) -> Iterator[tuple[str, TargetEntry]]:
        """The target entries where an outsider listens."""
        return ((where, entry) for where, entry in self.targets() if entry.audience is Audience.EXTERNAL)

    def trusted(self) -> Iterator[tuple[str, TargetEntry]]:
        """The internal and operator entries."""
        return ((where, entry) for where, entry in self.targets() if entry.audience is not Audience.EXTERNAL)

    @property
    def platforms(self) -> frozenset[str]:
        """The platforms that targets are on."""
        return frozenset(entry.platform for entry in self.file.targets)

    @property
    def closed(self) -> bool:
        """Whether nothing but listed targets is heard."""
        return self.file.unknown_targets == "closed"

    def operators_on(self, platform: str) -> bool:
        """Whether an operator has an account there."""
        return any(entry.platform == platform for entry in self.file.operators)


Hit = tuple[str, str]
"""Where (key path) and what, in words; never a protected term."""
Finds = Callable[[Look], Iterable[Hit]]


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule with its two examples (policy text without `version`; `hit_mode` is that of its files)."""

    id: str
    severity: Severity
    about: str
    """What is found and why it matters: one sentence."""
    fix: str
    find: Finds
    hit: str
    miss: str
    hit_mode: int = 0o600


def rule(
    severity: Severity, about: str, fix: str, *, hit: str, miss: str, hit_mode: int = 0o600
) -> Callable[[Finds], Rule]:
    """Make a rule of a function; its name is the rule's id."""

    def made(find: Finds) -> Rule:
        return Rule(
            id=str(getattr(find, "__name__", "")),
            severity=severity,
            about=about,
            fix=fix,
            find=find,
            hit=hit,
            miss=miss,
            hit_mode=hit_mode,
        )

    return made


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing found. `line` is 0 where the file has no line for it."""

    rule: str
    severity: Severity
    where: str
    detail: str
    why: str
    fix: str
    line: int = 0


def place(audience: str = "external", more: str = "", channel: str = "!room:x.example") -> str:
    """A `[[targets]]` row for examples."""
    row = f'platform = "matrix"\nworkspace = "@desk:x.example"\nchannel = "{channel}"\naudience = "{audience}"\n'
    return f"[[targets]]\n{row}{more}\n"


def oper(id: str = "@olga:x.example") -> str:
    """An `[[operators]]` row for examples."""
    return f'[[operators]]\nplatform = "matrix"\nworkspace = "@desk:x.example"\nid = "{id}"\n'


def party(id: str = "acme", more: str = "") -> str:
    """A `[[counterparties]]` row for examples."""
    return f'[[counterparties]]\nid = "{id}"\n{more}\n'


def given(more: str = "", channel: str = "!room:x.example", until: str = "2026-12-31T00:00:00Z") -> str:
    """A `[[grants]]` row for examples."""
    named = f'{{ platform = "matrix", workspace = "@desk:x.example", channel = "{channel}" }}'
    budget = "" if "max_" in more else "max_per_day = 1\n"
    targets = "" if "targets =" in more else f"targets = [{named}]\n"
    purpose = "" if "purpose =" in more else 'purpose = "schedule"\n'
    return f'[[grants]]\nid = "weekly"\n{purpose}{targets}given_by = "olga"\nexpires_at = "{until}"\n{budget}{more}\n'
