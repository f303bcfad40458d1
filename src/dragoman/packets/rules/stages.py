"""Findings that a stage or a chain decides, not a function: their reasons and remedies, in the same table form."""

from __future__ import annotations

from typing import Final

from dragoman.packets.rules.rule import Rule
from dragoman.packets.verdict import Severity, Stage


def _row(id: str, stage: Stage | str, reason: str, fix: str, severity: Severity = Severity.FAILURE) -> Rule:
    return Rule(id=id, stage=stage, reason=reason, fix=fix, severity=severity)


CHAIN: Final = "chain"

STAGE_RULES: Final = (
    _row(
        "too_large", Stage.READ, "Every input is bounded in size.", "send less, or raise the limit where you validate"
    ),
    _row("too_deep", Stage.READ, "Every input is bounded in depth.", "flatten the packet"),
    _row(
        "encoding_invalid",
        Stage.READ,
        "One text has one byte form: UTF-8 without a mark.",
        "save it as UTF-8 without byte order mark",
    ),
    _row(
        "json_invalid",
        Stage.READ,
        "A packet is one JSON document.",
        "texts and names in double quotes, no comma after the last, no comments",
    ),
    _row("duplicate_key", Stage.READ, "Two programs may read two different packets.", "keep one of the two fields"),
    _row("lone_surrogate", Stage.READ, "Half a character has no UTF-8 form and no hash.", "write the whole character"),
    _row("number_out_of_range", Stage.READ, "Beyond 2^53-1 programs round differently.", "write it as a text"),
    _row("form_unsupported", Stage.FORM, "Only what was rebuilt to named fields is judged.", "send the keyed form"),
    _row(
        "keyless_shape",
        Stage.FORM,
        "Positions mean fields only in the published order.",
        "derive the array with `dragoman packet keyless`",
    ),
    _row(
        "keyless_overflow",
        Stage.FORM,
        "What stands beyond the order belongs to no field.",
        "derive the array with `dragoman packet keyless`",
    ),
    _row(
        "version_unsupported", Stage.ENVELOPE, "The version says how to read the rest.", 'set `uai_version` to `"1.0"`'
    ),
    _row(
        "profile_unsupported",
        Stage.REGISTRY,
        "A body without a known profile means nothing that could be checked.",
        "use a profile of `dragoman packet profiles`",
    ),
    _row("schema_violation", Stage.SCHEMA, "Undeclared or malformed fields are refused.", "see the profile's schema"),
    _row(
        "findings_cut_off",
        Stage.RULES,
        "A list without end helps nobody.",
        "mend what is listed, then validate again",
    ),
    _row(
        "rule_failed", Stage.RULES, "A check that breaks is a no.", "report this packet's shape as a defect of Dragoman"
    ),
    _row(
        "checksum_mismatch",
        Stage.INTEGRITY,
        "The packet is not the one that was sealed.",
        "get the original; `dragoman packet seal` is for packets of your own",
    ),
    _row(
        "signature_invalid",
        Stage.SIGNATURE,
        "The packet was not sealed by a key that speaks for its source.",
        "get the original from its source, or list the key after you have verified whose it is",
    ),
    _row(
        "signature_missing",
        Stage.SIGNATURE,
        "Whoever is listed as signing is not known by an unsigned packet.",
        "ask the source for the signed packet",
    ),
)
"""Decided while reading, rebuilding, looking up, matching the schema or hashing."""

CHAIN_RULES: Final = (
    _row("packet_invalid", CHAIN, "A chain holds no better than its packets.", "see the findings of that packet"),
    _row("chain_empty", CHAIN, "No packet is no evidence.", "name a folder that holds packets"),
    _row("correlation_mismatch", CHAIN, "One chain is one workflow.", "verify each conversation on its own"),
    _row("parent_unknown", CHAIN, "What a packet answers must be in evidence.", "add the packet that it names"),
    _row("message_id_conflict", CHAIN, "One id names one packet.", "find out which of the two is the original"),
    _row("sequence_conflict", CHAIN, "One source counts each packet once, without gaps.", "add the missing packets"),
    _row("idempotency_conflict", CHAIN, "One key, one body.", "use a new key for a new body"),
    _row("lifecycle_invalid", CHAIN, "A finished conversation does not go on.", "open a new conversation, or correct"),
    _row("ack_missing", CHAIN, "What asks for an acknowledgement gets one.", "add the acknowledgement"),
    _row("ack_conflict", CHAIN, "One request has one answer, its target's.", "let a person decide which one holds"),
    _row("ack_of_ack", CHAIN, "Acknowledgements of acknowledgements never end.", "acknowledge the request instead"),
    _row("work_before_ack", CHAIN, "Work waits for its acknowledgement.", "acknowledge first, or correct the record"),
    _row("packet_expired", CHAIN, "An expired packet was still used.", "ask the source for a new packet"),
)
"""Decided over a whole conversation."""
