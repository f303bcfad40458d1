"""The verdict: stages, honesty about what was not checked, and silence about values (spec 3 §3)."""

from __future__ import annotations

import json
import time

import msgspec
import orjson
import pytest

from dragoman.packets.rules import CATALOG, RULES, Rule
from dragoman.packets.seal import seal, sealed
from dragoman.packets.strict import Limits
from dragoman.packets.validate import judge, validate
from dragoman.packets.verdict import Result, Severity, Stage
from tests.packets.make_vectors import ACK, BLOCKER, REPORT, TOKEN, base
from tests.packets.material import NOW, shared

STAGES = tuple(stage.value for stage in Stage)


@pytest.mark.parametrize(
    ("raw", "checked"),
    [
        (b"{", 1),
        (b"[]", 2),
        (b"{}", 3),
        (b'{"uai_version":"1.0"}', 4),
        (orjson.dumps(sealed(base(ACK))), 7),
    ],
)
def test_what_was_not_reached_is_not_checked(raw: bytes, checked: int) -> None:
    """A verdict lists the stages behind the one that failed as not checked; a signature never counts as checked."""
    verdict = validate(raw, now=NOW)
    assert (verdict.checked, verdict.not_checked) == (STAGES[:checked], STAGES[checked:])


def test_all_findings_are_collected_in_one_order() -> None:
    """Several defects give several findings, by place, however the fields stand."""
    packet = base(BLOCKER)
    packet["source"]["agent_id"] = "x"
    packet["delivery"]["expires_at"] = "yesterday"
    packet["body"]["human_review_required"] = False
    del packet["conversation"]["correlation_id"]
    verdict = validate(orjson.dumps(packet), now=NOW)
    assert [(found.path, found.rule) for found in verdict.findings] == [
        ("/body/human_review_required", "blocker_without_review"),
        ("/conversation/correlation_id", "correlation_missing"),
        ("/delivery/expires_at", "timestamp_not_utc"),
        ("/integrity/checksum", "checksum_mismatch"),
        ("/source/agent_id", "identity_malformed"),
    ]
    assert validate(orjson.dumps(dict(reversed(packet.items()))), now=NOW) == verdict


def test_values_and_unknown_names_are_never_echoed() -> None:
    """Whatever is wrong with it, no text of the packet stands in the verdict."""
    packet = base(ACK)
    for box, name in (
        ("body", "reason"),
        ("conversation", "lifecycle_state"),
        ("source", "agent_id"),
        ("trust", "scheme"),
    ):
        packet[box][name] = f"{TOKEN}!"
    packet["profile_" + TOKEN] = 1
    packet["extensions"][TOKEN] = {TOKEN: 2.5, "x": TOKEN}
    packet["body"][TOKEN] = {TOKEN: 2.0}
    for changed in (
        packet,
        {**packet, "profile": TOKEN},
        {**packet, "uai_version": TOKEN},
        {**packet, "message_id": TOKEN},
    ):
        for raw in (orjson.dumps(changed), json.dumps(changed).encode()[:-1] + b',"' + TOKEN.encode() + b'":1}'):
            verdict = validate(raw, now=NOW)
            assert verdict.result is Result.FAIL
            assert TOKEN not in msgspec.json.encode(verdict).decode()


def test_the_moment_of_judgement_decides_expiry() -> None:
    """The same packet passes one millisecond before its expiry and fails at it; an archive is not judged for age."""
    packet = base(ACK)
    packet["delivery"]["expires_at"] = "2026-10-06T09:00:01Z"
    raw = orjson.dumps(sealed(packet))
    assert validate(raw, now=NOW + 999).rules == ()
    assert validate(raw, now=NOW + 1000).rules == ("packet_expired",)
    verdict, _ = judge(raw, now=None)
    assert (verdict.rules, verdict.not_checked) == ((), ("age", "signature"))


def test_a_rule_that_breaks_is_a_failure() -> None:
    """An error in a check is a no, named by the rule."""

    def broken(_: object) -> None:
        raise ZeroDivisionError

    rule = Rule(id="identity_malformed", reason="", fix="", check=broken)  # type: ignore[arg-type]
    assert validate(orjson.dumps(sealed(base(ACK))), now=NOW, rules=(rule,)).rules == ("rule_failed",)


@pytest.mark.parametrize("entry", [1, {}, {"kind": "log", "ref": TOKEN}])
def test_a_flood_of_defects_is_cut_off(entry: object) -> None:
    """Tens of thousands of defects give a bounded list that says so, in bounded time."""
    packet = base(ACK)
    packet["provenance"]["evidence_refs"] = [entry] * 6_000
    verdict = validate(orjson.dumps(sealed(packet)), now=NOW)
    assert verdict.result is Result.FAIL
    assert "findings_cut_off" in verdict.rules
    assert len(verdict.findings) < 3_000


@pytest.mark.parametrize(
    "text", ["no certification ", "hosted ", "%41", "QUFBQUFBQUFBQUFBQUFBQUFB ", "not only ", "ab"]
)
def test_hostile_prose_takes_no_square_time(text: str) -> None:
    """A packet full of what the rules look for is judged in seconds, and too much to check is no pass."""
    packet = base(ACK)
    packet["extensions"]["x"] = text * (1_000_000 // len(text))
    started = time.process_time()
    validate(orjson.dumps(packet), now=NOW)
    assert time.process_time() - started < 10


def test_more_than_is_read_for_claims_is_no_pass() -> None:
    """Prose in which claims may stand is read up to a bound, over all fields together; what is behind it is refused."""
    packet = base(ACK)
    packet["extensions"] = {f"x{number}": "The hosted parts are red. " * 2_000 for number in range(6)}
    found = [finding.message for finding in validate(orjson.dumps(sealed(packet)), now=NOW).findings]
    assert "is more than is read for claims in one packet" in found


def test_limits_are_findings() -> None:
    """A packet over a limit fails in the reader."""
    assert validate(b" " * 20, now=NOW, limits=Limits(max_bytes=10)).rules == ("too_large",)


def test_sealing_repairs_the_checksum_and_keeps_the_rest() -> None:
    """A changed packet passes again after it was sealed, in the published order and without its old signature."""
    packet = base(ACK)
    packet["body"]["reason"] = "looked at it"
    packet["body"] = dict(sorted(packet["body"].items()))
    packet["integrity"]["signature"] = {"algorithm": "ed25519", "key_id": "k", "value": "A" * 86}
    shuffled = orjson.dumps(dict(reversed(packet.items())), option=orjson.OPT_INDENT_2)
    assert "checksum_mismatch" in validate(shuffled, now=NOW).rules
    mended = seal(shuffled)
    assert validate(mended, now=NOW).rules == ()
    assert list(orjson.loads(mended)) == list(packet)
    assert list(orjson.loads(mended)["body"]) == list(base(ACK)["body"])
    del packet["integrity"]
    assert {name: orjson.loads(mended)[name] for name in packet} == packet
    assert seal(mended) == mended


def test_reports_that_only_claim_are_refused() -> None:
    """The four packets of case C083, carried over to our field names, each fail for their own reason."""
    lines = (shared("cases") / "events.jsonl").read_text(encoding="utf-8").splitlines()
    case = next(json.loads(line) for line in lines if '"C083"' in line)
    bodies = [packet["body"] for packet in case["input"]["packets"]]

    def report(theirs: dict[str, object]) -> dict[str, object]:
        packet = base(REPORT)
        for name in ("tests_run", "skipped_checks", "blockers", "risks", "memory_proposals", "skipped_memory_updates"):
            if name not in theirs:
                del packet["body"][name]
            else:
                entries = theirs[name]
                packet["body"][name] = {"none_stated": not entries, "entries": entries}
        if "evidence" in theirs:
            entries = [{"kind": "check", "ref": entry["id"]} for entry in theirs["evidence"]]  # type: ignore[attr-defined]
            packet["body"]["verification_evidence"] = {"none_stated": not entries, "entries": entries}
        return packet

    expected = [{"report_claim_unsupported"}, {"report_incomplete"}, {"report_claim_unsupported"}]
    for body, rules in zip(bodies, expected, strict=False):
        assert set(validate(orjson.dumps(sealed(report(body))), now=NOW).rules) == rules
    blocked = base(BLOCKER)
    blocked["body"] |= {"blocker_type": "secret", "human_review_required": bodies[3]["requires_human_review"]}
    assert validate(orjson.dumps(sealed(blocked)), now=NOW).rules == ("blocker_without_review",)


def test_the_catalogue_explains_every_rule() -> None:
    """Every id has a reason and a remedy, and every function of the table says in a sentence what it asks."""
    for rule in CATALOG:
        assert rule.id.replace("_", "").isalnum()
        assert rule.id == rule.id.lower()
        assert rule.reason
        assert rule.fix
        assert rule.severity in Severity
    assert all(rule.check and (rule.check.__doc__ or "").strip() for rule in RULES)
    assert len({rule.id for rule in RULES}) == len(RULES)
