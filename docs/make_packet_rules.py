"""Prints `docs/reference/packet-rules.md` from the table of rules; a test compares.

python docs/make_packet_rules.py > docs/reference/packet-rules.md
"""

from __future__ import annotations

from dragoman.packets.rules import CATALOG, Rule

HEAD = """# Packet rules

Printed from the table (`python docs/make_packet_rules.py`). Every finding of `dragoman packet validate` and `verify`
carries one of these ids; they do not change. *Stage* is where it is decided: `read`, `form`, `envelope`, `registry`,
`schema`, `rules`, `integrity`, `signature`, or over a whole conversation (`chain`). A *warning* does not fail a packet.
`dragoman packet explain RULE` prints one row.

| rule | stage | severity | why it exists | how to mend it | only for |
|---|---|---|---|---|---|"""


def row(rule: Rule) -> str:
    """One line of the table."""
    profiles = ", ".join(f"`{each}`" for each in sorted(rule.profiles or ()))
    cells = (f"`{rule.id}`", rule.stage, rule.severity, rule.reason, rule.fix, profiles)
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(row(rule) for rule in CATALOG), ""])


if __name__ == "__main__":
    print(page(), end="")
