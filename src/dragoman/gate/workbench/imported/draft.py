"""What an import has found so far: entries to write, notes beside them, and what was left behind with its reason.

`Left.kind` says why something is not in the new file:

    always          the same holds here always, so there is no key for it
    closed          broader or unclear there; the closed form here
    no_counterpart  nothing here corresponds
    accepted        wider here, and the operator said that it may be

A target that is named twice keeps no opening: it is denied. Values of the source are shown only where they are ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from dragoman.gate.policy_keys import PartyEntry, PolicyFile, TargetEntry
from dragoman.gate.workbench.imported.tree import Tree
from dragoman.gate.workbench.lint.shapes import fits
from dragoman.identity import party, target, well_formed
from dragoman.words import Audience

Kind = Literal["always", "closed", "no_counterpart", "accepted"]

PERSONS_LIMIT: Final = 10_000


class Left(msgspec.Struct, frozen=True):
    """One thing of the source that is not in the new file as it stood there."""

    path: str
    kind: Kind
    why: str


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """The new policy, its notes by key path, and what was left."""

    file: PolicyFile
    notes: Mapping[str, str]
    left: tuple[Left, ...]


class Draft:
    """Collects an import. `accepted` holds the grounds that may be wider here: `replies`, `direct`."""

    def __init__(self, tree: Tree, accepted: frozenset[str] = frozenset()) -> None:
        self.tree = tree
        self.accepted = accepted
        self.left: list[Left] = []
        self.autonomy: Literal["auto", "draft_only"] = "auto"
        self._targets: dict[tuple[str, str, str], tuple[TargetEntry, str]] = {}
        self._operators: dict[tuple[str, str, str], PartyEntry] = {}

    def leave(self, path: str, kind: Kind, why: str) -> None:
        """Tell of one thing that is not taken over as it stood."""
        self.left.append(Left(path, kind, why))

    def add(self, path: str, entry: TargetEntry) -> None:
        """Take a target over; a malformed one is left, one that is there already is denied."""
        key = (entry.platform, entry.workspace, entry.channel)
        if not target(*key).known or not fits(key[0], "workspace", key[1]) or not fits(key[0], "channel", key[2]):
            self.leave(path, "closed", "no exact ids of that platform; names, aliases and wildcards match nothing here")
        elif key in self._targets:
            first = self._targets[key][1]
            self.leave(path, "closed", f"named twice, here and at {first}: denied")
            denied = TargetEntry(platform=key[0], workspace=key[1], channel=key[2], audience=Audience.EXTERNAL)
            self._targets[key] = (msgspec.structs.replace(denied, access="deny"), first)
        else:
            self._targets[key] = (entry, path)

    def operator(self, platform: str, workspace: str, id: str) -> None:
        """Take an operator's account over."""
        self._operators[(platform, workspace, id)] = PartyEntry(platform=platform, workspace=workspace, id=id)

    def senders(self, path: str, listed: tuple[str, ...] | None, platform: str, workspace: str) -> tuple[str, ...]:
        """The accounts of an allow-list that are exact ids here; what is not is left out and told."""
        if listed is None:
            self.leave(path, "closed", "no list of ids: nobody is let in by it")
            return ()
        found: dict[str, None] = {}
        for each in listed[:PERSONS_LIMIT]:
            if each == "*":
                self.leave(path, "closed", "`*` lets everyone in there; here nobody is let in by a wildcard")
            elif not well_formed(each) or not fits(platform, "user", each):
                self.leave(path, "closed", f"an entry is no exact {platform} account id and lets nobody in")
            else:
                found[str(party(platform, workspace, each))] = None
        if len(listed) > PERSONS_LIMIT:
            self.leave(path, "closed", f"more than {PERSONS_LIMIT} accounts: the rest is left out")
        return tuple(found)

    def done(self, source: str) -> Imported:
        """The policy as collected; whatever nobody read is told as without counterpart."""
        for path in self.tree.untaken():
            self.leave(path, "no_counterpart", "nothing here corresponds")
        rows = list(self._targets.values())
        file = PolicyFile(
            version=1,
            autonomy=self.autonomy,
            targets=tuple(entry for entry, _ in rows),
            operators=tuple(self._operators.values()),
        )
        notes = {f"targets[{index}]": f"from {path}" for index, (_, path) in enumerate(rows)}
        notes[""] = f"Imported from {source}. Nothing here admits more than it did there; what was left is told by\n"
        notes[""] += "the command. Next: give each target its counterparty, add operators, run `dragoman policy lint`."
        return Imported(file=file, notes=notes, left=tuple(dict.fromkeys(self.left)))
