"""An attacker has the doors that everybody has (`tests.cases.doors`, the hub's verbs, its HTTP), and nothing else."""

from __future__ import annotations

from tests.cases.conftest import bot, daemon, desk, desks, passages
from tests.hub.conftest import engine, postgres, world

__all__ = ["bot", "daemon", "desk", "desks", "engine", "passages", "postgres", "world"]
