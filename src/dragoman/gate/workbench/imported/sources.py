"""Which sources are known, and which of them is a file? One row per source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from dragoman.gate.workbench.imported.draft import Imported
from dragoman.gate.workbench.imported.field import import_field
from dragoman.gate.workbench.imported.hermes import PLATFORMS, import_hermes
from dragoman.gate.workbench.imported.openclaw import import_openclaw
from dragoman.gate.workbench.imported.tree import Tree

Importer = Callable[[Tree, Mapping[str, str], frozenset[str]], Imported]

SOURCES: Final[dict[str, Importer]] = {
    "field": lambda tree, workspaces, accepted: import_field(tree),
    "openclaw": import_openclaw,
    "hermes": import_hermes,
}
"""Name → importer: the tree, our accounts by platform, the grounds that may be wider here."""


def kind_of(tree: Tree) -> str:
    """The source that a file's keys speak of, or nothing."""
    channels = tree.peek("channels")
    if isinstance(channels, list):
        return "field"
    if isinstance(channels, dict):
        return "openclaw"
    named = {"platforms", "gateway", *PLATFORMS} & set(tree.keys())
    return "hermes" if named else ""
