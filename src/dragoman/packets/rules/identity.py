"""Who speaks, to whom, in which work: identity and correlation (seed, loop steps 1 and 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dragoman.packets.envelope import at, says
from dragoman.packets.rules.rule import Hit, Rule, Subject

ID: Final = re.compile(r"[a-z]+[-_:.][A-Za-z0-9._:-]{1,120}", re.ASCII)

_WORDS: Final = ("role_lane", "project", "authority_boundary")


def identity_malformed(subject: Subject) -> Iterator[Hit]:
    """Source and target each need an agent id of the grammar and words for lane, project and authority."""
    for side in ("source", "target"):
        party = subject.packet.get(side)
        if type(party) is not dict:
            yield f"/{side}", "is no identity"
            continue
        agent_id = party.get("agent_id")
        if type(agent_id) is not str or not ID.fullmatch(agent_id):
            yield f"/{side}/agent_id", "is no well-formed agent id"
        for word in _WORDS:
            if not says(party.get(word)):
                yield f"/{side}/{word}", "is missing or blank"


def correlation_missing(subject: Subject) -> Iterator[Hit]:
    """Every packet carries the id of the work that it belongs to."""
    found = at(subject.packet, "conversation", "correlation_id")
    if type(found) is not str or not ID.fullmatch(found):
        yield "/conversation/correlation_id", "no well-formed correlation id"


RULES: Final = (
    Rule(
        id="identity_malformed",
        reason="A malformed source or target fails before the packet is treated as a portable record.",
        fix="give agent id, role lane, project, contact hint and authority boundary of both sides",
        check=identity_malformed,
        proven=True,
    ),
    Rule(
        id="correlation_missing",
        reason="Requests, acknowledgements, blockers, reports and corrections stay tied to one workflow.",
        fix="carry the `correlation_id` of the first packet of this work",
        check=correlation_missing,
        proven=True,
    ),
)
