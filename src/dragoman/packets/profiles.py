"""The profiles that are built: id, schema, field order, and whether a packet of it ends its work (spec 3 §2).

1. A profile that is not in the table answers `profile_unsupported`; unknown is never a pass.
2. Schemas are JSON Schema 2020-12, closed, with formats asserted and a linear regex engine; they are loaded once.
3. If this installation does not enforce `date-time`, the table refuses to load: a check that does nothing is no check.
4. Findings come from the keyword that failed and from the schema's own limits, never from the value.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
from collections.abc import Iterator
from typing import Any, Final

import jsonschema_rs
import msgspec

from dragoman.errors import DragomanError
from dragoman.packets.envelope import FIELDS, SUBFIELDS
from dragoman.packets.texts import FreeTexts, free_texts
from dragoman.packets.verdict import Finding, Severity, pointer

_FOLDER: Final = "schemas"
_ENVELOPE: Final = "envelope"
_URN: Final = "urn:dragoman:schema:"

TERMINAL: Final = frozenset({"uai.agent.final-report.v1"})
"""Profiles after which the work of a conversation is over."""

BUILT: Final = (
    "uai.agent.message.v1",
    "uai.agent.ack.v1",
    "uai.agent.task-status.v1",
    "uai.agent.blocker.v1",
    "uai.agent.memory-proposal.v1",
    "uai.agent.handoff.v1",
    "uai.agent.final-report.v1",
    "uai.agent.correction.v1",
    "uai.intent.request.v1",
    "uai.intent.response.v1",
    "uai.capability.statement.v1",
    "uai.error.v1",
    "uai.conformance.result.v1",
    "uai.task.status.v1",
)
"""Every profile of this table, in the order of the published model: eight of agents, six of the base."""

MESSAGES: Final[dict[str, str]] = {
    "Required": "a required field is missing",
    "Type": "has the wrong JSON type",
    "Enum": "is not one of the allowed words",
    "Constant": "is not the one allowed value",
    "Pattern": "does not have the required form",
    "Format": "does not have the required form",
    "MaxLength": "is too long",
    "MinLength": "is too short",
    "Minimum": "is too small",
    "Maximum": "is too large",
    "MinItems": "has too few entries",
    "MaxItems": "has too many entries",
    "MaxProperties": "has too many fields",
}
"""What a failed keyword is called; anything else "does not fit the schema"."""

PATTERNS: Final[dict[str, str]] = {
    r"\S": "is blank",
    "^[a-z]+[-_:.][A-Za-z0-9._:-]{1,120}$": "is no id: a kind in small letters, then one of `-`, `_`, `:`, `.`, then "
    "at most 120 letters, digits or these (such as `msg-1`, `agent:stock`)",
    "^sha256:[0-9a-f]{64}$": "is no checksum: `sha256:` and 64 small hexadecimal digits",
    "^[A-Za-z0-9_-]{86}$": "is no signature: 86 characters of base64url without padding",
}
"""What a text is not, that does not fit a pattern; of any other pattern the pattern itself is told."""

UNDECLARED: Final = "a field is not declared here"
"""How the message of an undeclared field begins."""

FIX: Final = "compare the field with `dragoman packet schema {profile}`"


class Profile(msgspec.Struct, frozen=True):
    """One profile: its compound schema, the order of its body, the compiled validator, and `texts.free_texts` of it."""

    id: str
    title: str
    schema: dict[str, Any]
    body_order: tuple[str, ...]
    terminal: bool
    validator: Any
    free_texts: FreeTexts


def profile(profile_id: object) -> Profile | None:
    """The profile of this exact id, or None if it is not built."""
    return _table().get(profile_id) if isinstance(profile_id, str) else None


def profiles() -> tuple[Profile, ...]:
    """Every built profile."""
    return tuple(_table().values())


def envelope_schema() -> dict[str, Any]:
    """The schema of the envelope alone, with an open body."""
    return _load(_ENVELOPE)


def declared_names() -> frozenset[str]:
    """Every field name that a schema declares; only these may stand in the path of a finding."""
    return _names()


def shape_findings(chosen: Profile, packet: Any) -> Iterator[Finding]:
    """Every way in which `packet` does not fit the schema of `chosen`."""
    if not chosen.validator.is_valid(packet):
        yield from _violations(chosen.validator, packet, FIX.format(profile=chosen.id))


def envelope_findings(packet: Any) -> Iterator[Finding]:
    """Every way in which `packet` does not fit the envelope, for packets whose profile is not built."""
    yield from _violations(_envelope_validator(), packet, "compare the field with the envelope's schema")


def _violations(validator: Any, packet: Any, fix: str) -> Iterator[Finding]:
    for error in validator.iter_errors(packet):
        path, message = _place(error, packet)
        yield Finding(rule="schema_violation", severity=Severity.FAILURE, path=path, message=message, fix=fix)


def shown(path: tuple[str | int, ...]) -> str:
    """`path` as a JSON Pointer, cut before the first name that no schema declares."""
    known = declared_names()
    kept: list[str | int] = []
    for part in path:
        if isinstance(part, str) and part not in known:
            break
        kept.append(part)
    return pointer(tuple(kept))


def shown_pointer(path: str) -> str:
    """A JSON Pointer, cut before the first name that no schema declares; positions in arrays stay."""
    kept: list[str] = []
    for part in path.split("/")[1:]:
        if part not in declared_names() and not (part.isdecimal() and len(part) <= 6):
            break
        kept.append(part)
    return "".join("/" + part for part in kept)


def _place(error: Any, packet: Any) -> tuple[str, str]:
    """Where one schema error is and what to say of it; a missing field is named at its own place."""
    name, kind = type(error.kind).__name__.rsplit(".", 1)[-1], error.kind
    path = tuple(error.instance_path)
    message = MESSAGES.get(name, "does not fit the schema")
    if name == "Required":
        path = (*path, kind.property)
    elif name == "Enum":
        message = f"{message}: {', '.join(map(str, kind.options))}"
    elif name == "Type":
        message = f"{message}: {' or '.join(kind.types)} belongs here"
    elif name == "Pattern":
        message = PATTERNS.get(kind.pattern, f"{message}: `{kind.pattern}`")
    elif name == "AdditionalProperties":
        message = UNDECLARED + _which(kind.unexpected, path, packet)
    elif hasattr(kind, "limit"):
        message = f"{message}: the limit is {kind.limit}"
    return shown(path), message


def _which(unexpected: list[str], path: tuple[str | int, ...], packet: Any) -> str:
    """How many fields of the object are not declared, and what is, in whatever order they stand; their own names may
    be secrets."""
    box: Any = packet
    try:
        for part in path:
            box = box[part]
        count = f": {len(unexpected)} of its {len(box)} fields"
    except (KeyError, IndexError, TypeError):
        return ""
    return count + (f"; declared are {', '.join(known)}" if (known := _declared_at(path, packet)) else "")


def _declared_at(path: tuple[str | int, ...], packet: Any) -> tuple[str, ...]:
    """The fields of the envelope, of one of its objects, or of the body; nothing for what lies deeper."""
    if not path:
        return FIELDS
    if path == ("body",):
        chosen = profile(packet.get("profile"))
        return chosen.body_order if chosen else ()
    required, optional = SUBFIELDS.get(path[0], ((), ())) if len(path) == 1 and isinstance(path[0], str) else ((), ())
    return (*required, *optional)


@functools.cache
def _table() -> dict[str, Profile]:
    envelope = _load(_ENVELOPE)
    registry = jsonschema_rs.Registry([(envelope["$id"], envelope)])
    made = {}
    for name in BUILT:
        schema = _load(name)
        made[name] = Profile(
            id=name,
            title=schema["description"],
            schema={**schema, "$defs": {_ENVELOPE: envelope}},
            body_order=tuple(schema["properties"]["body"]["properties"]),
            terminal=name in TERMINAL,
            validator=_compiled(schema, registry),
            free_texts=free_texts(schema, envelope),
        )
    return made


@functools.cache
def _envelope_validator() -> Any:
    return _compiled(_load(_ENVELOPE), None)


def _compiled(schema: dict[str, Any], registry: Any) -> Any:
    """A validator with formats asserted, proven on the spot."""
    refuse_lax_formats(_validator({"type": "string", "format": "date-time"}, None))
    return _validator(schema, registry)


def refuse_lax_formats(probe: Any) -> None:
    """Raise unless `probe`, a validator of `format: date-time`, refuses an impossible date.

    Raises:
        DragomanError: `internal`, formats are not enforced here and no packet can be judged.
    """
    if probe.is_valid("2026-02-30T00:00:00Z") or not probe.is_valid("2026-02-28T00:00:00Z"):
        raise DragomanError(
            "internal",
            "the JSON Schema engine does not enforce `date-time`",
            where="jsonschema-rs",
            fix="install a release of jsonschema-rs that asserts formats",
        )


def _validator(schema: dict[str, Any], registry: Any) -> Any:
    return jsonschema_rs.Draft202012Validator(
        schema,
        validate_formats=True,
        ignore_unknown_formats=False,
        registry=registry,
        pattern_options=jsonschema_rs.RegexOptions(),
    )


def _load(name: str) -> dict[str, Any]:
    folder = importlib.resources.files("dragoman.packets") / _FOLDER
    loaded: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


@functools.cache
def _names() -> frozenset[str]:
    found: set[str] = set()
    waiting: list[Any] = [_load(name) for name in (_ENVELOPE, *BUILT)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            declared = node.get("properties")
            found.update(declared if isinstance(declared, dict) else ())
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
    return frozenset(found)
