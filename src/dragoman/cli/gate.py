"""`dragoman gate check|release|schema`: the gate on one event, or one text, with nothing sent (docs/reference/cli.md).

`check` reads one raw event as its platform sends it and prints the decision. `release` reads a text, JSON string
chunks, or a draft with its parts, and prints what would have left, per operation. Both run the same pure files and the
same turn as the daemon.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import parse_qsl

import msgspec
import typer

from dragoman.cli.output import decode, emit, read_file, read_stdin
from dragoman.cli.platforms import PLATFORMS, Platform, operations_of
from dragoman.clock import SystemClock, parse_rfc3339
from dragoman.errors import DragomanError
from dragoman.gate.admit import Admission, admit
from dragoman.gate.asked import Standing
from dragoman.gate.event import Event, EventKind
from dragoman.gate.gate import Gate
from dragoman.gate.in_memory import MemoryApprovals, MemoryCharges, MemoryJournal, MemorySeen
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.parts import NOTHING, Parts
from dragoman.gate.policy import Policy
from dragoman.gate.policy_keys import PolicyFile
from dragoman.gate.ports import Delivery, Draft, Output, Presence, Receipt, SeenState
from dragoman.gate.release import text_hash
from dragoman.gate.turn import SILENCE, STREAM_LIMIT, LiveTurn
from dragoman.grants import Grant, Spent
from dragoman.identity import NOBODY, Target, parse_target
from dragoman.receiver.policy import load_policy
from dragoman.words import Fact, Outcome, OutputClass, Reason, Topic

Count = Annotated[int, msgspec.Meta(ge=0)]

app = typer.Typer(no_args_is_help=True, help="Check one event, or one text, against a policy; sends nothing.")


class StateSpent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What has been charged to one grant so far: in all, on this target, today."""

    total: Count = 0
    on_target: Count = 0
    today: Count = 0


class State(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The `--state` file of `gate check`: what a running gate would have looked up. Times are epoch milliseconds."""

    lookup: dict[str, Any] | None = None
    """What the adapter knows of the place; its shape is the platform's own (`dragoman gate schema lookup:PLATFORM`)."""
    seen: SeenState = SeenState.NEW
    paused: bool = False
    colleague_at: Count | None = None
    burst_open: bool = False
    spent: dict[str, StateSpent] = {}


class Envelope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A raw event with its transport, as `gate check` takes it. `received_at` is RFC 3339 or epoch milliseconds."""

    headers: dict[str, str]
    body_base64: str
    received_at: int | str | None = None


class DraftFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole draft, as `gate release --draft` takes it; the content of a file is base64."""

    text: str = ""
    parts: Parts = NOTHING
    topics: tuple[Topic, ...] = ()


class _Fixed:
    """A clock that stands still."""

    def __init__(self, now: int) -> None:
        self._now = now

    def now(self) -> int:
        """The time it was set to."""
        return self._now


class _Rehearsal:
    """A channel that performs nothing and remembers what it was asked."""

    def __init__(self, platform: str, operations: dict[Operation, OperationSpec], presence: Presence) -> None:
        self.platform = platform
        self.operations = operations
        self.outputs: list[Output] = []
        self._presence = presence

    async def presence(self, target: Target) -> Presence:
        """What the command line said."""
        return self._presence

    async def perform(self, output: Output) -> Receipt:
        """Remember it, as if it had left."""
        self.outputs.append(output)
        return Receipt(delivered=Fact.YES, evidence=f"rehearsal-{len(self.outputs)}")


@app.command()
def check(
    policy: Annotated[Path, typer.Option(help="The policy file.")],
    platform: Annotated[str, typer.Option(help="Whose raw event this is.")],
    agent: Annotated[Path, typer.Option(help="JSON: the agent's own identity on that platform.")],
    state: Annotated[Path | None, typer.Option(help="JSON: what a running gate would have looked up.")] = None,
    now: Annotated[str | None, typer.Option(help="RFC 3339 time to decide at; default: the clock.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object (always on here).")] = True,
) -> None:
    """Decide one raw event from standard input and print outcome, reason and audience."""
    moment = _moment(now)
    compiled = load_policy(policy)
    known = decode(read_file(state), State, str(state)) if state else State()
    event, authenticated = _event(
        read_stdin(), _platform(platform), read_file(agent), msgspec.json.encode(known.lookup), moment
    )
    standing = Standing(
        now=moment,
        seen=known.seen,
        paused=known.paused,
        colleague_at=known.colleague_at,
        burst_open=known.burst_open,
        spent={
            grant: Spent(total=used.total, on_target=used.on_target, today=used.today)
            for grant, used in known.spent.items()
        },
    )
    admission = admit(event, compiled, standing, "cor-check")
    emit(_told(admission, authenticated))


def _told(admission: Admission, authenticated: Fact) -> dict[str, Any]:
    return {
        "outcome": admission.outcome,
        "reason": admission.reason,
        "audience": admission.audience,
        "allowed_classes": admission.allowed_classes,
        "authenticated": authenticated is Fact.YES,
        "target": str(admission.target) if admission.target.known else None,
        "grant_id": admission.grant_id,
        "policy_version": admission.policy_version,
        "expires_at": admission.expires_at if admission.responds else None,
    }


def _event(raw: bytes, platform: Platform, agent: bytes, lookup: bytes, now: int) -> tuple[Event, Fact]:
    """The event and whether its transport proved it; a bare event proves nothing and skips step 0."""
    found = decode(raw, Any, "standard input")
    if not isinstance(found, dict):
        raise DragomanError("input_invalid", "an event is a JSON object", where="standard input")
    if "body_base64" not in found:
        return platform.read(found, agent, lookup, now, Fact.YES), Fact.UNKNOWN
    envelope = decode(raw, Envelope, "standard input")
    body = platform.body(envelope.body_base64)
    received = envelope.received_at
    moment = now if received is None else _moment(received, "received_at") if isinstance(received, str) else received
    authenticated = platform.verify(envelope.headers, body, moment, now, agent)
    inner = _form(body) if _is_form(envelope.headers) else decode(body, Any, "body_base64")
    if not isinstance(inner, dict):
        raise DragomanError("input_invalid", "an event is a JSON object", where="body_base64")
    return platform.read(inner, agent, lookup, moment, authenticated), authenticated


def _is_form(headers: Mapping[str, str]) -> bool:
    said = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
    return said.partition(";")[0].strip().lower() == "application/x-www-form-urlencoded"


def _form(body: bytes) -> dict[str, str]:
    """A form as the object that adapters read: of a field that stands twice the last counts."""
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=64))
    except ValueError:
        raise DragomanError("input_invalid", "not a form", where="body_base64") from None


@app.command()
def release(
    policy: Annotated[Path, typer.Option(help="The policy file.")],
    target: Annotated[str, typer.Option(help="platform/workspace/channel; `/` inside a part as %2F.")],
    output_class: Annotated[OutputClass, typer.Option("--class", help="What kind of content it is.")],
    admitted: Annotated[bool, typer.Option("--admitted", help="It answers an admitted event of that target.")] = False,
    grant: Annotated[str | None, typer.Option(help="It is delivered under this grant.")] = None,
    chunks: Annotated[
        bool, typer.Option("--chunks", help="Standard input is one JSON string per line: a stream.")
    ] = False,
    draft: Annotated[
        bool, typer.Option("--draft", help="Standard input is one JSON object with text and parts.")
    ] = False,
    shared: Annotated[Fact, typer.Option(help="Whether outsiders are in the channel right now.")] = Fact.NO,
    now: Annotated[str | None, typer.Option(help="RFC 3339 time to decide at; default: the clock.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object (always on here).")] = True,
) -> None:
    """Decide one draft from standard input and print what would have left, per operation."""
    where = parse_target(target)
    if not where.known:
        fix = "write platform/workspace/channel; `/` inside a part as %2F"
        raise DragomanError("input_invalid", f"`{target}` is no target", where="--target", fix=fix)
    if admitted and grant:
        raise DragomanError("usage", "--admitted and --grant exclude each other", fix="keep one")
    if draft and chunks:
        raise DragomanError("usage", "--draft and --chunks exclude each other", fix="keep one")
    moment = _moment(now)
    compiled = load_policy(policy)
    channel = _Rehearsal(where.platform, operations_of(where.platform), Presence(shared=shared))
    raw = read_stdin()
    pieces = _chunks(raw) if chunks else []
    if draft:
        given = decode(raw, DraftFile, "standard input")
    else:
        given = DraftFile(text="".join(pieces) if chunks else _text(raw))
    said = Draft(text=given.text, parts=given.parts, topics=frozenset(given.topics), output_class=output_class)
    journal = MemoryJournal()
    delivery = asyncio.run(
        _rehearse(compiled, channel, where, said, admitted, grant, pieces if chunks else None, moment, journal)
    )
    emit(
        {
            "release": delivery.outcome,
            "reason": delivery.reason,
            "audience": compiled.audience(where, shared),
            "sent": [_left(output) for output in channel.outputs],
            "draft_sha256": text_hash(said.text, said.parts) if delivery.draft_id else None,
            "findings": journal.entries[-1].facts.get("findings", "").split() if journal.entries else [],
        }
    )


def _left(output: Output) -> dict[str, Any]:
    parts = {kind: count for kind, count in output.parts.counts().items() if count}
    return {"operation": output.operation, "text": output.text} | ({"parts": parts} if parts else {})


async def _rehearse(
    policy: Policy,
    channel: _Rehearsal,
    target: Target,
    draft: Draft,
    admitted: bool,
    grant: str | None,
    pieces: list[str] | None,
    now: int,
    journal: MemoryJournal,
) -> Delivery:
    """One draft through the real door, or the pieces of one stream through the real turn."""
    gate = Gate(
        policy=policy,
        journal=journal,
        approvals=MemoryApprovals(),
        charges=MemoryCharges(),
        seen=MemorySeen(),
        clock=_Fixed(now),
        new_id=lambda kind: f"{kind}-{uuid.uuid4().hex}",
    )
    authority: Admission | Grant | None = None
    if admitted:
        authority = _answering(policy, target, now)
    elif grant is not None:
        authority = policy.grants.get(grant)
        if authority is None:
            raise DragomanError("not_found", "the policy has no such grant", where="--grant", fix="see [[grants]]")
    text, final = draft.text.strip(), draft.output_class is OutputClass.FINAL
    if final and (text == policy.silence_token or not (text or draft.parts)):
        return SILENCE
    if pieces is not None and isinstance(authority, Admission) and final:
        if len(draft.text) > STREAM_LIMIT:
            raise DragomanError("input_too_large", f"a stream over {STREAM_LIMIT} characters", where="standard input")
        asked = Event(
            kind=EventKind.MESSAGE, target=target, event_id="rehearsal", dedupe_key="rehearsal", received_at=now
        )
        turn = LiveTurn(gate, authority, channel, lambda kind: kind, policy.silence_token, event=asked)
        return await turn.stream(_as_stream(pieces))
    return await gate.deliver(draft, authority, channel, key="rehearsal", target=target)


def _answering(policy: Policy, target: Target, now: int) -> Admission:
    """The admission that `--admitted` claims: an addressed event of exactly this target, decided now."""
    return Admission(
        id="cor-rehearsal",
        outcome=Outcome.RESPOND,
        reason=Reason.AGENT_MENTIONED,
        audience=policy.audience(target, Fact.NO),
        target=target,
        event_id="rehearsal",
        answers="rehearsal",
        policy_version=policy.version,
        decided_at=now,
        expires_at=now + policy.admission_ms,
        max_sends=policy.admission_sends,
        author=NOBODY,
        language=policy.at(target).language,
    )


async def _as_stream(pieces: list[str]) -> AsyncIterator[str]:
    for piece in pieces:
        yield piece


def _chunks(raw: bytes) -> list[str]:
    lines = [line for line in raw.split(b"\n") if line.strip()]
    return [decode(line, str, f"standard input, line {number}") for number, line in enumerate(lines, 1)]


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DragomanError("input_invalid", f"not UTF-8 at byte {error.start}", where="standard input") from None


def _moment(text: str | None, where: str = "--now") -> int:
    if text is None:
        return SystemClock().now()
    try:
        return parse_rfc3339(text)
    except ValueError as error:
        fix = "write it as `2026-10-06T09:00:00Z`"
        raise DragomanError("input_invalid", str(error), where=where, fix=fix) from None


def _platform(name: str) -> Platform:
    if name not in PLATFORMS:
        fix = f"use one of: {', '.join(sorted(PLATFORMS))}"
        raise DragomanError("not_implemented", f"no facts for platform `{name}`", where="--platform", fix=fix)
    return PLATFORMS[name]()


_SCHEMAS: Final = {"policy": PolicyFile, "state": State, "event-envelope": Envelope, "draft": DraftFile}


@app.command()
def schema(
    part: Annotated[
        str, typer.Argument(help="policy, state, event-envelope, draft, or agent:PLATFORM, lookup:PLATFORM.")
    ],
    json: Annotated[bool, typer.Option("--json", help="One JSON object (always on here).")] = True,
) -> None:
    """Print the JSON Schema of an input of these commands."""
    kind, _, name = part.partition(":")
    if kind in _SCHEMAS and not name:
        emit(msgspec.json.schema(_SCHEMAS[kind]))
    elif kind == "agent":
        emit(msgspec.json.schema(_platform(name).agent))
    elif kind == "lookup":
        emit(msgspec.json.schema(_platform(name).lookup))
    else:
        known = ", ".join([*_SCHEMAS, "agent:PLATFORM", "lookup:PLATFORM"])
        raise DragomanError("usage", f"no schema `{part}`", fix=f"use one of: {known}")
