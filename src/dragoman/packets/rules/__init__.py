"""The table of rules: what every packet is asked, and what every finding means.

`RULES` holds the rows with a function, in the order in which they are asked; `CATALOG` every id that a verdict can
carry. Documentation and `dragoman packet explain` print from here.
"""

from __future__ import annotations

from typing import Final

from dragoman.packets.rules import acknowledgement, base, claims, delivery, identity, report, review, secrets, time
from dragoman.packets.rules.rule import Hit, Rule, Subject
from dragoman.packets.rules.stages import CHAIN_RULES, STAGE_RULES

__all__ = ["CATALOG", "CHAIN_RULES", "RULES", "STAGE_RULES", "Hit", "Rule", "Subject", "explain"]

RULES: Final[tuple[Rule, ...]] = (
    *identity.RULES,
    *time.RULES,
    *delivery.RULES,
    *acknowledgement.RULES,
    *review.RULES,
    *report.RULES,
    *base.RULES,
    *claims.RULES,
    *secrets.RULES,
)

CATALOG: Final[tuple[Rule, ...]] = (*STAGE_RULES, *RULES, *CHAIN_RULES)


def explain(rule_id: str) -> tuple[Rule, ...]:
    """Every row of this id; a rule of one packet may have a second row for chains. Empty if there is none."""
    return tuple(rule for rule in CATALOG if rule.id == rule_id)
