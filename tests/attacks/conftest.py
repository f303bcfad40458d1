"""An attacker has the doors that everybody has (`tests.cases.doors`), and nothing else."""

from __future__ import annotations

from tests.cases.conftest import bot, daemon, desk, desks, passages

__all__ = ["bot", "daemon", "desk", "desks", "passages"]
