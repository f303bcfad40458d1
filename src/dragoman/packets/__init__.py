"""Packets: portable evidence. A packet records; it never orders, and a runtime elsewhere does the work (spec 3)."""

from __future__ import annotations

from dragoman.packets.chain import ChainVerdict, validate_chain
from dragoman.packets.read import Limits
from dragoman.packets.seal import seal
from dragoman.packets.validate import validate
from dragoman.packets.verdict import Finding, Result, Severity, Verdict

__all__ = [
    "ChainVerdict",
    "Finding",
    "Limits",
    "Result",
    "Severity",
    "Verdict",
    "seal",
    "validate",
    "validate_chain",
]
