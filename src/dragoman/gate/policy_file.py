"""The policy file: strict TOML in, a compiled `Policy` out (DESIGN §6).

1. Unknown keys, wrong types, padded identities and duplicates are errors that say where and how to mend them; no row is
   half-applied.
2. What contradicts itself, or would raise trust by mistake, is an error too. The keys are in `policy_keys.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

import msgspec

from dragoman.clock import parse_rfc3339
from dragoman.errors import DragomanError
from dragoman.gate.accepted import SAVE, accepted, saved_otherwise
from dragoman.gate.policy import BROKEN, Observes, Policy, TargetPolicy, TargetRecord
from dragoman.gate.policy_keys import (
    GrantEntry,
    PartyEntry,
    PolicyFile,
    RecordEntry,
    TargetEntry,
    TargetName,
)
from dragoman.gate.policy_terms import guard_of, sources_of
from dragoman.grants import Grant
from dragoman.identity import Party, Target, parse_party, party, target
from dragoman.words import Audience, Purpose

SIZE_LIMIT: Final = 4 * 1024 * 1024
BURST_LIMIT: Final = 60
"""The longest that a request may be held for its attachments, in seconds."""
SHARED_ACCOUNTS: Final = frozenset({("telegram", id) for id in ("1087968824", "777000", "136817688")})
"""Accounts that a platform shows instead of whoever it was: whoever trusts one trusts everybody behind it."""


def parse_policy(raw: bytes, terms_files: Mapping[str, bytes] | None = None, before: Policy = BROKEN) -> Policy:
    """Compile the text of a policy file. `terms_files` holds the contents of each `terms_file` it names; of the terms
    only what differs from the policy `before` is compiled.

    Raises:
        DragomanError: `policy_invalid`, with the path of the offending key and how to mend it.
    """
    if len(raw) > SIZE_LIMIT:
        raise DragomanError("policy_invalid", f"larger than {SIZE_LIMIT} bytes", fix="move terms into a `terms_file`")
    try:
        file = msgspec.toml.decode(raw, type=PolicyFile)
    except msgspec.ValidationError as error:
        inside = str(error).rpartition("`$.")[2].rstrip("`") if "`$." in str(error) else ""
        raise _invalid(inside, str(error), _fix(str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        fix = SAVE if saved_otherwise(raw) else "mend the syntax at that place"
        raise DragomanError("policy_invalid", f"not TOML: {error}", fix=fix) from None
    files = dict(terms_files or {})
    digest = hashlib.sha256(raw)
    for name in sorted(files):
        digest.update(files[name])
    return _compile(file, files, digest.hexdigest()[:16], before)


def terms_files_named(raw: bytes) -> tuple[str, ...]:
    """The `terms_file` names in a policy text, for the shell that reads them; nothing if it does not parse."""
    try:
        file = msgspec.toml.decode(raw, type=PolicyFile)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ()
    return tuple(entry.terms_file for entry in file.counterparties if entry.terms_file)


def _compile(file: PolicyFile, files: Mapping[str, bytes], version: str, before: Policy) -> Policy:
    known = {entry.id for entry in file.counterparties}
    targets: dict[Target, TargetPolicy] = {}
    for index, entry in enumerate(file.targets):
        where = f"targets[{index}]"
        key = _target(entry, where)
        if key in targets:
            raise _invalid(where, "this target is listed twice", "keep one entry")
        targets[key] = _compile_target(entry, where, known, file)
    target_records, owner_records = _compile_records(file.records, known)
    _positive(file)
    sources = sources_of(file.counterparties, files)
    return Policy(
        version=version,
        mode=file.mode,
        unknown_targets=file.unknown_targets,
        language=file.language,
        silence_token=file.silence_token,
        freshness_ms=file.freshness_seconds * 1000,
        admission_ms=file.admission_seconds * 1000,
        admission_sends=file.admission_sends,
        draft_ms=file.draft_seconds * 1000,
        burst_quiet_ms=round(file.burst_quiet_seconds * 1000),
        burst_cap_ms=round(file.burst_cap_seconds * 1000),
        agent_names=frozenset(file.agent_names),
        command_prefixes=file.command_prefixes,
        commands=frozenset(file.commands),
        draft_only=frozenset(file.draft_only),
        draft_only_everywhere=file.autonomy == "draft_only",
        denied_senders=_parties(file.denied_senders, "denied_senders"),
        targets=targets,
        operators=frozenset(_operator(entry, index) for index, entry in enumerate(file.operators)),
        guard=guard_of(sources, before.term_sources, before.guard),
        term_sources=sources,
        grants=_compile_grants(file.grants),
        target_records=target_records,
        owner_records=owner_records,
    )


def _compile_target(entry: TargetEntry, where: str, known: set[str], file: PolicyFile) -> TargetPolicy:
    owners = {*entry.counterparties, *([entry.counterparty] if entry.counterparty else [])}
    for owner in sorted(owners - known):
        key = "counterparty" if owner == entry.counterparty else "counterparties"
        raise _invalid(f"{where}.{key}", f"`{owner}` is not defined", "add a [[counterparties]] entry")
    if entry.takeover_seconds < 0:
        raise _invalid(f"{where}.takeover_seconds", "negative", "use 0 to switch it off")
    allowed = entry.allowed_senders
    return TargetPolicy(
        audience=entry.audience,
        listed=True,
        denied=entry.access == "deny",
        owners=frozenset(owners),
        require_mention=entry.require_mention,
        open_question=entry.open_question_responses,
        operator_messages=entry.operator_messages_are_requests,
        edits_may_request=entry.edits_may_request,
        allowed_senders=None if allowed is None else _parties(allowed, f"{where}.allowed_senders"),
        takeover_ms=entry.takeover_seconds * 1000,
        language=entry.language or file.language,
        public=entry.public,
        draft_only="draft_only" in (file.autonomy, entry.autonomy),
        acknowledges=_acknowledges(entry, where),
        observes=_observes(entry, where),
    )


def _acknowledges(entry: TargetEntry, where: str) -> bool:
    """Spec 1 §3: `never_silent_ack` sends on internal targets only."""
    if entry.never_silent_ack and entry.audience is Audience.EXTERNAL:
        fix = "leave it out, or name an internal target"
        raise _invalid(f"{where}.never_silent_ack", "an external target is never sent an acknowledgement", fix)
    return entry.never_silent_ack


def _observes(entry: TargetEntry, where: str) -> Observes | None:
    """Spec 1 §3: observation only with a retention period and an access rule."""
    given = (entry.observation_seconds, entry.observation_access)
    if not entry.observe_unmentioned_group_messages:
        if given != (None, None):
            fix = "add `observe_unmentioned_group_messages = true`, or remove it"
            raise _invalid(f"{where}.observation_seconds", "nothing is observed here", fix)
        return None
    if entry.observation_seconds is None or entry.observation_access is None or entry.observation_seconds < 1:
        fix = 'add `observation_seconds` (1 or more) and `observation_access = "agent"` or `"operators"`'
        raise _invalid(f"{where}.observe_unmentioned_group_messages", "needs a retention and an access rule", fix)
    return Observes(entry.observation_seconds * 1000, entry.observation_access)


def _compile_grants(entries: tuple[GrantEntry, ...]) -> dict[str, Grant]:
    grants: dict[str, Grant] = {}
    for index, entry in enumerate(entries):
        where = f"grants[{index}]"
        if entry.id in grants or not entry.id.strip():
            raise _invalid(f"{where}.id", "empty or used twice", "give each grant its own id")
        if entry.purpose == "bot" and entry.admits is None:
            raise _invalid(f"{where}.admits", "a bot grant must name its bot", 'add `admits = "platform/workspace/id"`')
        admits = None if entry.admits is None else _party(entry.admits, f"{where}.admits")
        for name in ("max_total", "max_per_target", "max_per_day"):
            if (limit := getattr(entry, name)) is not None and limit < 1:
                raise _invalid(f"{where}.{name}", "below 1", "leave it out, or use 1 or more")
        grants[entry.id] = Grant(
            id=entry.id,
            purpose=Purpose(entry.purpose),
            targets=frozenset(_target(name, f"{where}.targets") for name in entry.targets),
            given_by=entry.given_by,
            expires_at=_time(entry.expires_at, f"{where}.expires_at"),
            not_before=0 if entry.not_before is None else _time(entry.not_before, f"{where}.not_before"),
            admits=admits,
            max_total=entry.max_total,
            max_per_target=entry.max_per_target,
            max_per_day=entry.max_per_day,
        )
    return grants


def _compile_records(
    entries: tuple[RecordEntry, ...], known: set[str]
) -> tuple[dict[Target, tuple[TargetRecord, ...]], dict[str, tuple[TargetRecord, ...]]]:
    by_target: dict[Target, tuple[TargetRecord, ...]] = {}
    by_owner: dict[str, tuple[TargetRecord, ...]] = {}
    for index, entry in enumerate(entries):
        where = f"records[{index}]"
        until = None if entry.expires_at is None else _time(entry.expires_at, f"{where}.expires_at")
        row = TargetRecord(entry.facts, until)
        if (entry.target is None) == (entry.counterparty is None):
            raise _invalid(where, "needs exactly one of `target` and `counterparty`", "keep one of them")
        if entry.target is not None:
            key = _target(entry.target, f"{where}.target")
            by_target[key] = (*by_target.get(key, ()), row)
        elif entry.counterparty is not None:
            if entry.counterparty not in known:
                raise _invalid(f"{where}.counterparty", f"`{entry.counterparty}` is not defined", "define it")
            by_owner[entry.counterparty] = (*by_owner.get(entry.counterparty, ()), row)
    return by_target, by_owner


def _positive(file: PolicyFile) -> None:
    for name in ("freshness_seconds", "admission_seconds", "admission_sends", "draft_seconds"):
        if getattr(file, name) < 1:
            raise _invalid(name, "below 1", "use 1 or more")
    for name, least in (("burst_quiet_seconds", 0.0), ("burst_cap_seconds", file.burst_quiet_seconds)):
        if not least <= getattr(file, name) <= BURST_LIMIT:
            fix = f"use 0 <= burst_quiet_seconds <= burst_cap_seconds <= {BURST_LIMIT}"
            raise _invalid(name, "out of range", fix)
    if not file.silence_token.strip():
        raise _invalid("silence_token", "empty", "name a token such as `NO_REPLY`")
    for prefix in file.command_prefixes:
        if not prefix or prefix != prefix.strip() or prefix[0].isalnum():
            raise _invalid("command_prefixes", f"`{prefix}` is no prefix", "use a sign such as `/` or `!`")


def _target(entry: TargetEntry | TargetName, where: str) -> Target:
    found = target(entry.platform, entry.workspace, entry.channel)
    if not found.known:
        raise _invalid(where, "platform, workspace and channel must be non-empty and unpadded", "copy the exact ids")
    return found


def _operator(entry: PartyEntry, index: int) -> Party:
    found = party(entry.platform, entry.workspace, entry.id)
    if not found.known:
        raise _invalid(f"operators[{index}]", "platform, workspace and id must be non-empty", "copy the exact ids")
    if (found.platform, found.id) in SHARED_ACCOUNTS:
        raise _invalid(f"operators[{index}]", f"`{found.id}` stands for many people", "name the person's own id")
    return found


def _party(text: str, where: str) -> Party:
    found = parse_party(text)
    if not found.known:
        raise _invalid(where, "not `platform/workspace/id`", "write `/` inside a part as `%2F`")
    return found


def _parties(texts: tuple[str, ...], where: str) -> frozenset[Party]:
    return frozenset(_party(text, f"{where}[{index}]") for index, text in enumerate(texts))


def _time(text: str, where: str) -> int:
    try:
        return parse_rfc3339(text)
    except ValueError as error:
        raise _invalid(where, str(error), "write it as `2026-10-06T09:00:00Z`") from None


def _invalid(where: str, detail: str, fix: str) -> DragomanError:
    return DragomanError("policy_invalid", detail, where=where, fix=fix)


def _fix(message: str) -> str:
    """What would have been accepted there, and always the accepted keys of the row (or of the file)."""
    told = accepted(PolicyFile, message)
    if told.startswith("accepted keys"):
        return told
    around = message.rpartition(".")[0] + "`"
    return f"{told}; {accepted(PolicyFile, around)}"
