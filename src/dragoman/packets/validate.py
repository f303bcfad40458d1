"""Bytes in, verdict out (spec 3 §3).

The stages, in this order: read, form, envelope, registry, schema, rules, integrity, signature.
1. Keyless bytes are rebuilt to named fields before anything else is looked at (`forms.py`).
2. Bytes that `read.glance` knows for strict and that fit a closed schema have passed every stage up to the schema at
   once, and are asked only what no schema can say. All others go from stage to stage; the verdict is the same.
3. After a failed read, form, envelope or registry the later stages are not checked, and the verdict says so.
4. Otherwise all findings are collected (of one rule at most `MOST_FINDINGS`); one defect does not hide another.
5. A rule that fails a place replaces `schema_violation` at that place; a warning replaces nothing.
6. A check that breaks is a failure (`rule_failed`), never a pass.
7. A signature is judged by our own trust list (`signature.py`); without one, or where there is nothing to judge,
   `signature` stands under "not checked".
8. Nothing of the packet enters a finding but names that a schema declares; the profile and message id of the verdict
   are given only if all rules were asked and nothing is wrong with them.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import compress, islice, product
from operator import not_
from typing import Any, Final, NamedTuple

from dragoman.errors import DragomanError
from dragoman.packets.canonical import digest, sealed_bytes, sealed_from
from dragoman.packets.envelope import VERSION, at
from dragoman.packets.forms import keyed
from dragoman.packets.profiles import UNDECLARED, Profile, envelope_findings, profile, shape_findings, shown_pointer
from dragoman.packets.read import DEFAULT_LIMITS, Document, Limits, Problem, glance, read
from dragoman.packets.rules import RULES, Rule, Subject, explain
from dragoman.packets.rules.identity import ID
from dragoman.packets.rules.prose import prose_of, prose_of_words
from dragoman.packets.rules.rule import Check
from dragoman.packets.signature import Trust, asked, complaint
from dragoman.packets.texts import Words
from dragoman.packets.verdict import Finding, Severity, Stage, Verdict, in_order, result_of

__all__ = ["AGE", "Verdict", "judge", "validate"]

AGE: Final = "age"
"""What an archived packet is not judged for; stands under "not checked" then."""

MOST_FINDINGS: Final = 1_000
"""Most findings that the schema, or any one rule, may make on one packet."""

Rows = tuple[tuple[Rule, Check], ...]
"""Rules and their functions."""

UNPROVEN: Final = frozenset({False})
"""Which rules are asked of a packet that fits its schema (`Rule.proven`)."""
ALL: Final = frozenset({False, True})

_STAGES: Final = tuple(stage.value for stage in Stage)
_LATE: Final = _STAGES.index(Stage.INTEGRITY)
_CHECKED: Final = {
    done: (
        _STAGES[:_LATE] + tuple(compress(_STAGES[_LATE:], done)),
        tuple(compress(_STAGES[_LATE:], map(not_, done))),
    )
    for done in product((False, True), repeat=2)
}
"""What is checked and what is not, by whether checksum and signature were."""


def validate(
    raw: bytes,
    *,
    now: int,
    limits: Limits = DEFAULT_LIMITS,
    rules: tuple[Rule, ...] = RULES,
    trust: Trust | None = None,
) -> Verdict:
    """The verdict on one live packet.

    Args:
        raw: the bytes as they came; any bytes are allowed, nothing is raised for them.
        now: the moment of judgement, milliseconds since the epoch.
        limits: bounds on size, depth and number of values.
        rules: the table of rules; a test leaves one out to see that it is needed.
        trust: whose signatures count; None leaves signatures unchecked.
    """
    return judge(raw, now=now, limits=limits, rules=rules, trust=trust)[0]


def judge(
    raw: bytes,
    *,
    now: int | None,
    limits: Limits = DEFAULT_LIMITS,
    rules: tuple[Rule, ...] = RULES,
    trust: Trust | None = None,
) -> tuple[Verdict, dict[str, Any] | None]:
    """The verdict and the packet that was read, in its keyed form, or None. `now` None leaves age out (an archive)."""
    if limits.max_depth >= DEFAULT_LIMITS.max_depth and (fitting := _fitting(glance(raw, limits))) is not None:
        subject = Subject.of(fitting.packet, fitting.profile, now, plain=True, prose=prose_of_words(fitting.words))
        found = _asked(subject, _chosen(rules, fitting.profile, UNPROVEN))
        return _concluded(subject, found, trust, fitting.whole), fitting.packet
    document = read(raw, limits)
    if not isinstance(document, Document):
        return _stopped(Stage.READ, [_problem(found) for found in document]), None
    packet = document.value
    if was_keyless := type(packet) is list:
        packet, misfits = keyed(packet)
        if misfits:
            return _stopped(Stage.FORM, [finding(*misfit) for misfit in misfits]), None
    if type(packet) is not dict:
        return _stopped(Stage.FORM, [finding("form_unsupported", "", "is neither named fields nor an array")]), None
    if packet.get("uai_version") != VERSION:
        wrong = [finding("version_unsupported", "/uai_version", "is missing or no version that is known here")]
        return _stopped(Stage.ENVELOPE, wrong), packet
    chosen = profile(packet.get("profile"))
    if chosen is None:
        unknown = finding("profile_unsupported", "/profile", "names no profile that is built here")
        wrong = [] if was_keyless else _bounded(envelope_findings(packet))
        shape = [found for found in wrong if found.path != "/profile"]
        return _stopped(Stage.REGISTRY, [unknown, *shape]), packet
    prose = prose_of(packet, document.seen)
    subject = Subject.of(packet, chosen.id, now, plain=document.plain, prose=prose)
    return _concluded(subject, _judged(subject, chosen, rules), trust), packet


def finding(rule_id: str, path: str, message: str) -> Finding:
    """A finding of a stage, with severity and remedy from the catalogue."""
    row = explain(rule_id)[0]
    return Finding(rule=rule_id, severity=row.severity, path=path, message=message, fix=row.fix)


class _Fitting(NamedTuple):
    """A packet that fits its profile's schema, which leaves nothing in it open; `whole` are its canonical bytes."""

    packet: dict[str, Any]
    profile: str
    words: Words
    whole: bytes


def _fitting(seen: tuple[Any, bytes] | None) -> _Fitting | None:
    if seen is None:
        return None
    value, whole = seen
    if type(value) is not dict or (chosen := profile(value.get("profile"))) is None:
        return None
    if not chosen.validator.is_valid(value) or (words := chosen.free_texts(value)) is None:
        return None
    return _Fitting(value, chosen.id, words, whole)


def _judged(subject: Subject, chosen: Profile, rules: tuple[Rule, ...]) -> list[Finding]:
    """What schema and rules find."""
    specific = _asked(subject, _chosen(rules, chosen.id, ALL))
    shape = _bounded(shape_findings(chosen, subject.packet))
    if shape and specific:
        said = {found.path for found in specific if found.severity is Severity.FAILURE}
        shape = [found for found in shape if found.path not in said or found.message.startswith(UNDECLARED)]
    return [*shape, *specific]


def _concluded(subject: Subject, found: list[Finding], trust: Trust | None, whole: bytes | None = None) -> Verdict:
    """The verdict, once the packet has been compared with its checksum and signature too. `whole` are the canonical
    bytes of a packet that fits its schema, if they are known."""
    packet = subject.packet
    checked, left_out = _CHECKED[_sealed(packet, subject.plain, trust, found, whole)]
    findings = in_order(found) if found else ()
    return Verdict(
        result=result_of(findings),
        profile=subject.profile,
        message_id=packet["message_id"] if whole and not findings else _message_id(packet, findings),
        findings=findings,
        checked=checked,
        not_checked=left_out if subject.now is not None else (AGE, *left_out),
    )


def _asked(subject: Subject, rows: Rows) -> list[Finding]:
    found: list[Finding] = []
    for rule, check in rows:
        try:
            if not (hits := check(subject)):
                continue
            hits = list(islice(hits, MOST_FINDINGS + 1))
        except Exception:  # noqa: BLE001 - whatever breaks in a check is a no (law 6)
            found.append(finding("rule_failed", "", f"the rule `{rule.id}` could not be asked"))
            continue
        if hits:
            found += _bounded(
                Finding(rule=rule.id, severity=rule.severity, path=path, message=message, fix=rule.fix)
                for path, message in hits
            )
    return found


def _chosen(rules: tuple[Rule, ...], profile_id: str, which: frozenset[bool]) -> Rows:
    """The rules with a function that concern a profile; those of the whole table are chosen once."""
    return _of_table(profile_id, which) if rules is RULES else _concerning(rules, profile_id, which)


@functools.cache
def _of_table(profile_id: str, which: frozenset[bool]) -> Rows:
    return _concerning(RULES, profile_id, which)


def _concerning(rules: tuple[Rule, ...], profile_id: str, which: frozenset[bool]) -> Rows:
    return tuple(
        (rule, rule.check)
        for rule in rules
        if rule.check is not None and rule.proven in which and (rule.profiles is None or profile_id in rule.profiles)
    )


def _bounded(findings: Iterator[Finding]) -> list[Finding]:
    """At most `MOST_FINDINGS` of one source, and the remark that there are more."""
    found = list(islice(findings, MOST_FINDINGS + 1))
    if len(found) > MOST_FINDINGS:
        found[-1] = finding("findings_cut_off", "", f"more than {MOST_FINDINGS} findings of `{found[0].rule}`")
    return found


def _sealed(
    packet: dict[str, Any], plain: bool, trust: Trust | None, found: list[Finding], whole: bytes | None
) -> tuple[bool, bool]:
    """Compare checksum and signature with the packet's bytes, made once; which of the two were. A checksum that is not
    there has been told by the schema."""
    stated = packet["integrity"]["checksum"] if whole else at(packet, "integrity", "checksum")
    signed = asked(packet, trust)
    hashed = type(stated) is str
    if not hashed and not signed:
        return False, False
    try:
        body = sealed_from(whole, packet["integrity"]) if whole else sealed_bytes(packet, plain=plain)
    except DragomanError:
        body = b""
    if hashed and (not body or stated != digest(body)):
        found.append(finding("checksum_mismatch", "/integrity/checksum", "is not the checksum of this packet"))
    if signed and trust is not None and (wrong := complaint(packet, body, trust)) is not None:
        found.append(finding(*wrong))
    return hashed, signed


def _stopped(stage: Stage, findings: list[Finding]) -> Verdict:
    """The verdict of a packet that did not get past `stage`."""
    reached = _STAGES.index(stage) + 1
    return Verdict(
        result=result_of(tuple(findings)),
        profile=None,
        message_id=None,
        findings=in_order(findings),
        checked=_STAGES[:reached],
        not_checked=_STAGES[reached:],
    )


def _problem(problem: Problem) -> Finding:
    """A problem of the reader."""
    return finding(problem.rule, shown_pointer(problem.path), problem.message)


def _message_id(packet: dict[str, Any], findings: tuple[Finding, ...]) -> str | None:
    """The message id, unless something is wrong with it: a secret may have the form of an id."""
    found = packet.get("message_id")
    sound = type(found) is str and ID.fullmatch(found) and all(wrong.path != "/message_id" for wrong in findings)
    return found if sound else None
