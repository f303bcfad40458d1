"""Writes `src/dragoman/packets/vectors/*.jsonl` anew: `python tests/packets/make_vectors.py`.

Each vector is one packet (as an object, or as bytes in base64 where the bytes matter), the time at which it is judged,
and the verdict with the ids of the rules that must speak, no more and no fewer. The expectations are written here by
hand from the specification; the validator is not asked while writing.
"""

# ruff: noqa: E501 - a table of one line per vector

from __future__ import annotations

import base64
import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from dragoman.clock import parse_rfc3339
from dragoman.packets.examples import example
from dragoman.packets.profiles import BUILT
from dragoman.packets.seal import sealed, signed

FOLDER = Path(__file__).parents[2] / "src" / "dragoman" / "packets" / "vectors"
AT = "2026-10-06T09:00:00Z"
Packet = dict[str, Any]
Change = Callable[[Packet], Any]

ACK = "uai.agent.ack.v1"
STATUS = "uai.agent.task-status.v1"
BLOCKER = "uai.agent.blocker.v1"
REPORT = "uai.agent.final-report.v1"
MESSAGE = "uai.agent.message.v1"
MEMORY = "uai.agent.memory-proposal.v1"
HANDOFF = "uai.agent.handoff.v1"
CORRECTION = "uai.agent.correction.v1"
REQUEST = "uai.intent.request.v1"
RESPONSE = "uai.intent.response.v1"
STATEMENT = "uai.capability.statement.v1"
ERROR = "uai.error.v1"
CONFORMANCE = "uai.conformance.result.v1"
TASK = "uai.task.status.v1"


def base(profile: str) -> Packet:
    """The example of a profile with readable ids, issued at `AT`."""
    given: Counter[str] = Counter()

    def new_id(kind: str) -> str:
        given[kind] += 1
        return f"{kind}-{given[kind]:04d}"

    made: Packet = json.loads(example(profile, now=parse_rfc3339(AT), new_id=new_id))
    for field in ("acknowledged_message_id", "corrects_message_id", "request_message_id", "about_message_id"):
        if field in made["body"]:
            made["body"][field] = "msg-0000"
    if "history" in made["body"]:
        made["body"]["history"] = ["msg-0000"]
    return made


def put(path: str, value: Any) -> Change:
    """Set the field at a slash-separated path."""

    def change(packet: Packet) -> None:
        *way, last = path.split("/")
        box: Any = packet
        for part in way:
            box = box[int(part)] if isinstance(box, list) else box[part]
        box[int(last) if isinstance(box, list) else last] = value

    return change


def drop(path: str) -> Change:
    """Remove the field at a slash-separated path."""

    def change(packet: Packet) -> None:
        *way, last = path.split("/")
        box: Any = packet
        for part in way:
            box = box[int(part)] if isinstance(box, list) else box[part]
        del box[last]

    return change


def both(*changes: Change) -> Change:
    """One change after the other."""

    def change(packet: Packet) -> None:
        for one in changes:
            one(packet)

    return change


def nothing(_: Packet) -> None:
    """Leave the packet as it is."""


TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7" + "abcdefghi"
"""Invented, of the form of a real one, and written in two parts so that scanners of source code keep quiet."""

DENIAL = "UAIX does not provide automatic sync, hosted messaging, official adapters or repository writes."
DENIAL_ZH = "本包不提供自动同步、托管消息、运行时编排、官方适配器、存储库写入、证书颁发或托管导入。"

VALID: list[tuple[str, Change]] = [
    ("example", nothing),
    ("denies_claims", put("body/support_boundary", DENIAL)),
    ("denies_claims_zh", put("body/support_boundary", DENIAL_ZH)),
    ("microseconds", put("provenance/issued_at", "2026-10-06T08:59:59.123456Z")),
    (
        "optional_fields",
        both(
            put("conversation/traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
            put("delivery/priority", "high"),
            put("trust/scheme", "none"),
            put("trust/credential_ref", "keyring:stock-agent"),
            put("provenance/confidence", "high"),
        ),
    ),
    ("extension_with_float", put("extensions", {"x-score": 0.5, "größe": [1, {"😀": None}]})),
    ("other_runtime_does_it", put("extensions", {"x-note": "Carcinus provides runtime orchestration."})),
]
"""Changes after which any packet still passes."""

INVALID: list[tuple[str, Change, list[str]]] = [
    ("source_agent_id_malformed", put("source/agent_id", "Desk"), ["identity_malformed"]),
    ("source_agent_id_with_more_behind", put("source/agent_id", "agent:desk!"), ["identity_malformed"]),
    ("correlation_with_more_behind", put("conversation/correlation_id", "corr-1 "), ["correlation_missing"]),
    ("idempotency_key_with_more_behind", put("delivery/idempotency_key", "idem-1\n"), ["idempotency_key_missing"]),
    ("target_is_text", put("target", "agent:desk"), ["identity_malformed"]),
    ("role_lane_blank", put("source/role_lane", "  "), ["identity_malformed"]),
    ("correlation_absent", drop("conversation/correlation_id"), ["correlation_missing"]),
    ("correlation_malformed", put("conversation/correlation_id", "41"), ["correlation_missing"]),
    ("time_with_offset", put("provenance/issued_at", "2026-10-06T09:00:00+00:00"), ["timestamp_not_utc"]),
    ("time_lower_case", put("provenance/issued_at", "2026-10-06t09:00:00z"), ["timestamp_not_utc"]),
    ("time_impossible", put("delivery/expires_at", "2027-02-30T00:00:00Z"), ["timestamp_not_utc"]),
    ("time_leap_second", put("delivery/expires_at", "2026-12-31T23:59:60Z"), ["timestamp_not_utc"]),
    ("time_seven_digits", put("provenance/issued_at", "2026-10-06T08:00:00.1234567Z"), ["timestamp_not_utc"]),
    ("time_as_number", put("delivery/expires_at", 1790000000), ["timestamp_not_utc"]),
    (
        "expired",
        both(put("provenance/issued_at", "2026-10-05T09:00:00Z"), put("delivery/expires_at", AT)),
        ["packet_expired"],
    ),
    (
        "issued_after_expiry",
        put("provenance/issued_at", "2027-10-06T09:00:00Z"),
        ["issued_after_expiry", "issued_in_future"],
    ),
    (
        "issued_at_expiry",
        both(put("provenance/issued_at", "2026-10-06T09:03:00Z"), put("delivery/expires_at", "2026-10-06T09:03:00Z")),
        ["issued_after_expiry"],
    ),
    ("issued_in_future", put("provenance/issued_at", "2026-10-06T09:05:01Z"), ["issued_in_future"]),
    ("idempotency_key_absent", drop("delivery/idempotency_key"), ["idempotency_key_missing"]),
    ("fallback_absent", drop("delivery/fallback_directive"), ["fallback_missing"]),
    ("fallback_blank", put("delivery/fallback_directive", " "), ["fallback_missing"]),
    (
        "expected_output_unknown",
        put("delivery/expected_output_schema", "uai.agent.applause.v1"),
        ["expected_output_unknown"],
    ),
    (
        "retries_although_never",
        both(put("delivery/retry_policy", "never"), put("delivery/retry_count", 2)),
        ["retry_contradicts_policy"],
    ),
    ("float_for_integer", put("conversation/sequence", 0.0), ["number_not_integer"]),
    (
        "claims_hosted_messaging",
        put("extensions", {"x-note": "This packet provides hosted messaging."}),
        ["unsupported_claim"],
    ),
    (
        "claims_sync_after_denial",
        put("body/support_boundary", "UAIX is no runtime, but it offers automatic sync."),
        ["unsupported_claim"],
    ),
    ("claims_zh", put("body/support_boundary", "我们提供托管消息和自动同步。"), ["unsupported_claim"]),
    ("claims_certified", put("source/authority_boundary", "Certified by UAIX for all actions."), ["unsupported_claim"]),
    ("secret_in_prose", put("body/support_boundary", f"Log in with {TOKEN}."), ["secret_present"]),
    (
        "secret_in_base64",
        put("extensions", {"x-note": base64.b64encode(f"token {TOKEN}".encode()).decode()}),
        ["secret_present"],
    ),
    ("secret_behind_a_name", put("extensions", {"x-password": "hunter2!"}), ["secret_present"]),
    ("secret_in_a_list", put("extensions", {"x-passwords": [], "x-password": ["hunter2!"]}), ["secret_present"]),
    (
        "secret_named_beside",
        put("extensions", {"x-env": [{"name": "DB_PASSWORD", "value": "hunter2!"}]}),
        ["secret_present"],
    ),
    ("secret_as_a_name", put("extensions", {TOKEN: True}), ["secret_present"]),
    ("secret_in_a_reference", put("trust/credential_ref", TOKEN), ["secret_present"]),
    ("undeclared_field", put("priority", "high"), ["schema_violation"]),
    ("undeclared_body_field", put("body/mood", "good"), ["schema_violation"]),
    ("extensions_absent", drop("extensions"), ["schema_violation"]),
    ("support_boundary_absent", drop("body/support_boundary"), ["schema_violation"]),
    ("message_id_malformed", put("message_id", "1"), ["schema_violation"]),
    ("version_unknown", put("uai_version", "2.0"), ["version_unsupported"]),
    ("profile_unknown", put("profile", "uai.agent.request.v1"), ["profile_unsupported"]),
    ("profile_with_underscore", put("profile", "uai.agent.final_report.v1"), ["profile_unsupported"]),
]
"""Changes after which any packet fails, or warns, and by which rules."""

OF_PROFILE: dict[str, list[tuple[str, Change, list[str]]]] = {
    ACK: [
        ("rejected_with_reason", both(put("body/ack_status", "rejected"), put("body/reason", "not our lane"), put("conversation/lifecycle_state", "cancelled")), []),
        ("deferred_with_next_update", both(put("body/ack_status", "deferred"), put("body/reason", "after lunch"), put("body/next_update_at", "2026-10-06T13:00:00Z"), put("conversation/lifecycle_state", "waiting")), []),
        ("accepted_without_reason_field", drop("body/reason"), []),
        ("status_ok", put("body/ack_status", "ok"), ["ack_status_invalid"]),
        ("status_absent", drop("body/ack_status"), ["ack_status_invalid"]),
        ("rejected_without_reason", both(put("body/ack_status", "rejected"), put("conversation/lifecycle_state", "cancelled")), ["ack_reason_missing"]),
        ("asks_for_ack", put("delivery/ack_required", True), ["ack_of_ack"]),
        ("acknowledges_itself", put("body/acknowledged_message_id", "msg-0001"), ["ack_of_ack"]),
        ("accepted_read_as_done", put("conversation/lifecycle_state", "completed"), ["lifecycle_invalid"]),
        ("next_update_local_time", put("body/next_update_at", "2026-10-06T13:00:00"), ["timestamp_not_utc"]),
    ],
    STATUS: [
        (
            "warning_hides_no_failure",
            both(put("body/state", "completed"), put("body/progress/percent", 100), put("conversation/lifecycle_state", "completed"), put("body/evidence_refs", "none")),
            ["completion_without_evidence", "schema_violation"],
        ),
        ("completed_with_evidence", both(put("body/state", "completed"), put("body/progress/percent", 100), put("conversation/lifecycle_state", "completed"), put("body/evidence_refs", [{"kind": "log", "ref": "log:42"}])), []),
        ("waiting_owner", both(put("body/state", "waiting_owner"), put("body/blocking_reasons", ["a decision on the price"]), put("conversation/lifecycle_state", "waiting")), []),
        ("completed_with_blocking_reason", both(put("body/state", "completed"), put("body/progress/percent", 100), put("conversation/lifecycle_state", "completed"), put("body/evidence_refs", [{"kind": "log", "ref": "log:42"}]), put("body/blocking_reasons", ["no access"])), ["status_inconsistent"]),
        ("completed_at_forty_percent", both(put("body/state", "completed"), put("conversation/lifecycle_state", "completed"), put("body/evidence_refs", [{"kind": "log", "ref": "log:42"}])), ["status_inconsistent"]),
        ("failed_without_reason", both(put("body/state", "failed"), put("conversation/lifecycle_state", "failed")), ["status_inconsistent"]),
        ("bare_done", both(put("body/state", "completed"), put("body/progress/percent", None), put("conversation/lifecycle_state", "completed")), ["completion_without_evidence"]),
        ("working_but_completed", put("conversation/lifecycle_state", "completed"), ["lifecycle_invalid"]),
        ("percent_over_hundred", put("body/progress/percent", 101), ["schema_violation"]),
        ("evidence_of_no_kind", put("body/evidence_refs", [{"kind": "rumour", "ref": "r"}]), ["schema_violation"]),
    ],
    BLOCKER: [
        ("dependency_without_review", both(put("body/blocker_type", "dependency"), put("body/human_review_required", False)), []),
        *((f"{kind}_without_review", both(put("body/blocker_type", kind), put("body/human_review_required", False)), ["blocker_without_review"]) for kind in ("authorization", "access", "secret", "destructive", "boundary")),
        ("review_absent", drop("body/human_review_required"), ["blocker_without_review"]),
        ("type_unknown", put("body/blocker_type", "weather"), ["schema_violation"]),
    ],
    REPORT: [
        ("failed_check_is_reported", put("body/tests_run/entries/0", {"name": "unit", "command": "pytest", "exit_code": 1, "result": "failed"}), []),
        ("nothing_done", both(*(put(f"body/{name}", {"none_stated": True, "entries": []}) for name in ("changed_files", "tests_run", "skipped_checks", "verification_evidence")), put("body/outcome", "cancelled"), put("conversation/lifecycle_state", "cancelled")), []),
        ("passed_without_command", both(drop("body/tests_run/entries/0/command")), ["report_claim_unsupported"]),
        ("passed_without_exit_code", drop("body/tests_run/entries/0/exit_code"), ["report_claim_unsupported"]),
        ("passed_without_evidence", drop("body/tests_run/entries/0/evidence_ref"), ["report_claim_unsupported"]),
        ("passed_with_exit_code_1", put("body/tests_run/entries/0/exit_code", 1), ["report_claim_unsupported"]),
        ("evidence_ref_dangling", put("body/tests_run/entries/0/evidence_ref", "ev-9"), ["report_claim_unsupported"]),
        ("completed_without_evidence", both(put("body/tests_run", {"none_stated": True, "entries": []}), put("body/verification_evidence", {"none_stated": True, "entries": []})), ["report_claim_unsupported"]),
        ("section_absent", drop("body/risks"), ["report_incomplete"]),
        ("section_neither", put("body/risks", {"none_stated": False, "entries": []}), ["report_incomplete"]),
        ("section_both", put("body/risks", {"none_stated": True, "entries": ["late"]}), ["report_incomplete"]),
        ("section_is_a_list", put("body/blockers", []), ["report_incomplete"]),
        ("next_action_blank", put("body/exact_next_action", ""), ["report_incomplete"]),
        ("skipped_without_reason", drop("body/skipped_checks/entries/0/reason"), ["skipped_check_without_reason"]),
        ("skipped_with_blank_reason", put("body/skipped_checks/entries/0/reason", " "), ["skipped_check_without_reason"]),
        ("completed_but_working", put("conversation/lifecycle_state", "working"), ["lifecycle_invalid"]),
        ("bare_done", both(*(drop(f"body/{name}") for name in ("new_files", "tests_run", "skipped_checks", "blockers", "risks", "verification_evidence", "memory_proposals", "skipped_memory_updates", "exact_next_action"))), ["report_incomplete"] * 9 + ["report_claim_unsupported"]),
    ],
    MESSAGE: [("no_constraints", put("body/constraints", []), []), ("intent_blank", put("body/intent", " "), ["schema_violation"])],
    MEMORY: [
        ("session_token", put("body/proposed_facts/0/kind", "session_token"), ["memory_not_durable"]),
        ("local_trace", put("body/proposed_facts/0/kind", "local_trace"), ["memory_not_durable"]),
        ("kind_absent", drop("body/proposed_facts/0/kind"), ["memory_not_durable"]),
        ("mixed_with_execution", put("body/task_execution_separation", False), ["memory_mixed_with_execution"]),
        ("cold_memory_promoted", both(put("body/source_type", "cold_memory"), put("body/proposed_status", "promoted"), put("body/review_ref", "review:1")), ["cold_memory_promoted"]),
        ("cold_memory_proposed", put("body/source_type", "cold_memory"), []),
        ("review_not_required", put("body/review_required", False), ["review_missing"]),
        ("approved_without_review", put("body/proposed_status", "approved"), ["review_missing"]),
        ("approved_with_review", both(put("body/proposed_status", "approved"), put("body/review_ref", "review:1")), []),
        ("no_facts", put("body/proposed_facts", []), ["schema_violation"]),
    ],
    HANDOFF: [
        ("nothing_cited", put("body/delegated_authorization", []), []),
        ("authority_as_text", put("body/delegated_authorization", "may merge"), ["authority_in_handoff"]),
        ("authority_made_up", put("body/delegated_authorization", [{"may": "merge", "until": "tomorrow"}]), ["authority_in_handoff", *["schema_violation"] * 3]),
        ("citation_with_scope", put("body/delegated_authorization/0/scope", "everything"), ["authority_in_handoff", "schema_violation"]),
        ("next_action_blank", put("body/exact_next_action", " "), ["schema_violation"]),
    ],
    CORRECTION: [
        ("supersedes", both(put("body/correction_kind", "supersede"), put("body/corrected_body", {"task_id": "task-1"})), []),
        ("history_empty", put("body/history", []), ["correction_history_broken"]),
        ("history_of_another", put("body/history", ["msg-0009"]), ["correction_history_broken"]),
        ("history_repeats", put("body/history", ["msg-0000", "msg-0000"]), ["correction_history_broken"]),
        ("history_holds_itself", put("body/history", ["msg-0001", "msg-0000"]), ["correction_history_broken"]),
        ("retract_with_body", put("body/corrected_body", {}), ["correction_history_broken"]),
        ("amend_without_body", put("body/correction_kind", "amend"), ["correction_history_broken"]),
        ("float_in_corrected_body", both(put("body/correction_kind", "amend"), put("body/corrected_body", {"x": 1.0})), ["number_not_integer"]),
    ],
    REQUEST: [
        ("any_answer_will_do", put("body/response_expectation/profile", None), []),
        ("subject_blank", put("body/subject", " "), ["schema_violation"]),
        ("expectation_absent", drop("body/response_expectation"), ["schema_violation"]),
    ],
    RESPONSE: [
        ("completed", both(put("body/status", "completed"), put("body/task_ref", None), put("body/result_refs", [{"kind": "artifact", "ref": "doc:dates"}]), put("conversation/lifecycle_state", "completed")), []),
        ("rejected_with_notice", both(put("body/status", "rejected"), put("conversation/lifecycle_state", "cancelled")), []),
        ("accepted_without_task", put("body/task_ref", None), ["response_without_task"]),
        ("rejected_without_notice", both(put("body/status", "rejected"), put("body/notices", []), put("conversation/lifecycle_state", "cancelled")), ["refusal_without_notice"]),
        ("deferred_without_notice", both(put("body/status", "deferred"), put("body/notices", []), put("conversation/lifecycle_state", "waiting")), ["refusal_without_notice"]),
        ("accepted_read_as_done", put("conversation/lifecycle_state", "completed"), ["lifecycle_invalid"]),
        ("status_ok", put("body/status", "ok"), ["schema_violation"]),
    ],
    STATEMENT: [
        ("names_a_profile_of_others", put("body/supported_profiles/0", "uai.agent.applause.v1"), ["capability_profile_unknown"]),
        ("claims_nothing_beside", put("body/non_claims", []), ["schema_violation"]),
        ("supports_no_profile", put("body/supported_profiles", []), ["schema_violation"]),
        ("denies_in_non_claims", put("body/non_claims", [DENIAL, DENIAL_ZH]), []),
        ("claims_in_operations", put("body/operations", ["We offer hosted messaging."]), ["unsupported_claim"]),
    ],
    ERROR: [
        ("code_of_ones_own", put("body/code", "x_shelf_full"), []),
        ("code_unknown", put("body/code", "shelf_full"), ["error_code_unknown"]),
        ("code_in_capitals", put("body/code", "PACKET_INVALID"), ["error_code_unknown"]),
        ("status_of_success", put("body/status", 200), ["schema_violation"]),
        ("path_is_no_pointer", put("body/errors/0/path", "delivery.expires_at"), ["schema_violation"]),
    ],
    CONFORMANCE: [
        ("all_passed", both(put("body/summary", {"total": 3, "passed": 3, "failed": 0, "skipped": 0}), put("body/failures", [])), []),
        ("counts_do_not_add_up", put("body/summary/total", 4), ["conformance_sum_wrong"]),
        ("failures_without_count", put("body/summary", {"total": 3, "passed": 3, "failed": 0, "skipped": 0}), ["conformance_sum_wrong"]),
        ("count_without_failures", put("body/failures", []), ["conformance_sum_wrong"]),
        ("negative_count", put("body/summary/passed", -2), ["conformance_sum_wrong", "schema_violation"]),
        ("claims_certification", put("body/validator/name", "Certified by UAIX for all actions."), ["unsupported_claim"]),
    ],
    TASK: [
        ("completed_with_result", both(put("body/state", "completed"), put("body/progress/percent", 100), put("conversation/lifecycle_state", "completed"), put("body/result_refs", [{"kind": "log", "ref": "log:42"}])), []),
        ("bare_done", both(put("body/state", "completed"), put("body/progress/percent", None), put("conversation/lifecycle_state", "completed")), ["completion_without_evidence"]),
        ("completed_at_forty_percent", both(put("body/state", "completed"), put("conversation/lifecycle_state", "completed"), put("body/result_refs", [{"kind": "log", "ref": "log:42"}])), ["status_inconsistent"]),
        ("failed_without_reason", both(put("body/state", "failed"), put("conversation/lifecycle_state", "failed")), ["status_inconsistent"]),
        ("working_but_completed", put("conversation/lifecycle_state", "completed"), ["lifecycle_invalid"]),
    ],
}  # fmt: skip
"""What only one profile can do right or wrong; no rules means that it passes."""

WARNINGS = frozenset({"issued_in_future", "completion_without_evidence", "capability_profile_unknown"})


def vectors(profile: str) -> Iterator[dict[str, Any]]:
    """Every vector of one profile."""
    for name, change in VALID:
        yield vector(profile, name, change, [])
    for name, change, rules in [*INVALID, *OF_PROFILE[profile]]:
        yield vector(profile, name, change, rules)
    tampered = sealed(base(profile))
    tampered["body"]["support_boundary"] = "changed after sealing"
    yield row(profile, "changed_after_sealing", {"packet": tampered}, ["checksum_mismatch"])
    unread = sealed(base(profile))
    unread["integrity"]["signature"] = {"algorithm": "ed25519", "key_id": "key-1", "value": "A" * 86}
    yield row(profile, "signature_without_a_trust_list", {"packet": unread}, [])
    yield from keyless_vectors(profile)
    yield from signed_vectors(profile)
    yield from raw_vectors(profile)


OBJECTS = ("source", "target", "conversation", "delivery", "trust", "body", "provenance", "integrity")
"""What is an array of its own in the keyless form."""


def keyless(packet: Packet) -> list[Any]:
    """The values in the order in which they stand; the examples stand in the published one."""
    made = [list(value.values()) if name in OBJECTS else value for name, value in packet.items()]
    if packet["profile"] == MEMORY and "review_ref" not in packet["body"]:
        made[8].insert(6, {})
    return made


def keyless_vectors(profile: str) -> Iterator[dict[str, Any]]:
    """Packets without names."""
    packet = sealed(base(profile))
    yield row(profile, "keyless", {"packet": keyless(packet)}, [])
    prioritised = copy.deepcopy(base(profile))
    prioritised["conversation"]["causation_id"] = "msg-0000"
    prioritised["trust"]["replay_window_ms"] = 1000
    array = keyless(sealed(prioritised))
    array[5].insert(4, {})  # traceparent is not there
    array[7][2:2] = [{}, {}, {}]  # scheme, credential_ref, signature_ref
    yield row(profile, "keyless_with_gaps", {"packet": array}, [])
    yield row(profile, "keyless_too_short", {"packet": keyless(packet)[:-1]}, ["keyless_shape"])
    yield row(profile, "keyless_too_long", {"packet": [*keyless(packet), None]}, ["keyless_overflow"])
    inner = keyless(packet)
    inner[3] = [*inner[3], "more"]
    yield row(profile, "keyless_source_too_long", {"packet": inner}, ["keyless_overflow"])
    ended = keyless(packet)
    ended[5] = [*ended[5], {}]
    yield row(profile, "keyless_ends_with_nothing", {"packet": ended}, ["keyless_shape"])
    named = keyless(packet)
    named[8] = packet["body"]
    yield row(profile, "keyless_with_a_named_body", {"packet": named}, ["keyless_shape"])
    yield row(
        profile, "keyless_null", {"packet": [*keyless(packet)[:5], None, *keyless(packet)[6:]]}, ["keyless_shape"]
    )
    swapped = keyless(packet)
    swapped[9][0], swapped[9][1] = swapped[9][1], swapped[9][0]
    yield row(
        profile,
        "keyless_in_another_order",
        {"packet": swapped},
        ["timestamp_not_utc", "schema_violation", "checksum_mismatch"],
    )


SEED = bytes(range(32))
OTHER_SEED = bytes(range(1, 33))
KEY = {
    "key_id": "key-56475aa75463474c0285df5dbf2bcab7",
    "public_key": "A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg",
    "agents": ["agent:stock"],
}
"""The public half of `SEED`: SHA-256 of it begins as the key id says."""


def signed_vectors(profile: str) -> Iterator[dict[str, Any]]:
    """Packets with a signature, judged by a trust list."""
    packet = signed(base(profile), SEED)
    named = {**packet["integrity"]["signature"]}
    trust = {"version": 1, "keys": [KEY], "must_sign": ["agent:stock"]}
    no = ["signature_invalid"]

    def judged(name: str, made: Packet, rules: list[str], **changed: Any) -> dict[str, Any]:
        key = {**KEY, **{name: value for name, value in changed.items() if name != "keys"}}
        return row(profile, name, {"packet": made, "trust": {**trust, "keys": changed.get("keys", [key])}}, rules)

    yield judged("signed", packet, [])
    yield judged("signed_while_the_key_held", packet, [], holds_from="2026-10-01T00:00:00Z", holds_until=AT)
    yield judged("signed_before_the_key_held", packet, no, holds_from="2026-10-06T09:00:01Z")
    yield judged("signed_after_the_key_held", packet, no, holds_until="2026-10-06T08:59:59Z")
    yield judged("signed_by_a_withdrawn_key", packet, no, withdrawn=True)
    yield judged("signed_by_a_key_of_another_agent", packet, no, agents=["agent:desk"])
    yield judged("signed_by_an_unlisted_key", packet, no, keys=[])
    yield judged(
        "signed_by_another_key_under_this_name", with_signature(signed(base(profile), OTHER_SEED), named["key_id"]), no
    )
    yield judged("signature_is_missing", sealed(base(profile)), ["signature_missing"])
    changed = copy.deepcopy(packet)
    changed["body"]["support_boundary"] = "changed after signing"
    resealed = sealed(changed)
    resealed["integrity"]["signature"] = named
    yield judged("signature_of_another_packet", resealed, no)
    yield judged("signature_changed", with_signature(packet, named["key_id"], "B" + named["value"][1:]), no)


def with_signature(packet: Packet, key_id: str, value: str = "") -> Packet:
    """The packet with another key id, or another value, in its signature."""
    made = copy.deepcopy(packet)
    made["integrity"]["signature"] |= {"key_id": key_id} | ({"value": value} if value else {})
    return made


def raw_vectors(profile: str) -> Iterator[dict[str, Any]]:
    """Bytes that stop at the reader."""
    text = json.dumps(base(profile), ensure_ascii=False)
    for name, raw, rule in (
        ("byte_order_mark", b"\xef\xbb\xbf" + text.encode(), "encoding_invalid"),
        ("latin_1", text.replace("shelves", "größe").encode("latin-1"), "encoding_invalid"),
        ("trailing_data", (text + "{}").encode(), "json_invalid"),
        ("cut_off", text[:-1].encode(), "json_invalid"),
        ("nan", text.replace('"sequence": 0', '"sequence": NaN').encode(), "json_invalid"),
        ("duplicate_key", (text[:-1] + ', "profile": "uai.agent.ack.v1"}').encode(), "duplicate_key"),
        ("duplicate_key_escaped", (text[:-1] + ', "pro\\u0066ile": "x"}').encode(), "duplicate_key"),
        ("lone_surrogate", text.replace("shelves", "\\ud800", 1).encode(), "lone_surrogate"),
        ("lone_surrogate_in_key", (text[:-1] + ', "\\udc00": 1}').encode(), "lone_surrogate"),
        ("integer_too_large", text.replace('"sequence": 0', '"sequence": 9007199254740992').encode(), "number_out_of_range"),
        ("too_deep", text.replace('"extensions": {}', '"extensions": {"x":' + "[" * 70 + "]" * 70 + "}").encode(), "too_deep"),
        ("neither_object_nor_array", b'"packet"', "form_unsupported"),
    ):  # fmt: skip
        yield row(profile, name, {"raw_base64": base64.b64encode(raw).decode()}, [rule])


def vector(profile: str, name: str, change: Change, rules: list[str]) -> dict[str, Any]:
    """One changed packet, sealed after the change so that only the change speaks."""
    packet = copy.deepcopy(base(profile))
    change(packet)
    return row(profile, name, {"packet": sealed(packet)}, rules)


def row(profile: str, name: str, form: dict[str, Any], rules: list[str]) -> dict[str, Any]:
    """The line of one vector."""
    result = "fail" if set(rules) - WARNINGS else "pass"
    return {"name": name, "profile": profile, "at": AT, **form, "expect": {"result": result, "rules": sorted(rules)}}


def main() -> None:
    """Write one file per profile."""
    for profile in BUILT:
        lines = [json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in vectors(profile)]
        (FOLDER / f"{profile}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
