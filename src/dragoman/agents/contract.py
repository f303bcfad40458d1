"""The words of the handler contract: what a handler is asked, and which answers count (spec 2 §2).

A handler gets one `HandlerRequest` as JSON and gives one `HandlerAnswer` as JSON. `parse_answer` accepts an answer only
if all of this holds, asked in this order, and raises `HandlerFailed` with the first `Fault` otherwise:

1. within `ANSWER_BYTES`;  2. strict UTF-8, without surrogates smuggled in by escapes;  3. exactly one JSON object, no
NaN, no endless numbers, no depth;  4. no key twice, at any depth;  5. no key that the contract does not know;
6. the right `schema_version` and types (`true` is not 1);  7. `complete` only with `reply`;
8. for a `reply` words that can be seen, within `max_message_bytes`; no words otherwise;
9. a question in `owner_summary` for `waiting_owner`;  10. for a probe only `completed`, with a summary.

It must never mend an answer, guess what was meant, or fall back to a reply. An answer is untrusted: passing here means
well-formed, not allowed; what may leave is the gate's question.
"""

from __future__ import annotations

import json
import re
import unicodedata
from enum import StrEnum
from typing import Any, Final, Literal, NoReturn

import msgspec

from dragoman.errors import DragomanError
from dragoman.words import Action, Topic

SCHEMA_VERSION: Final = 1
ANSWER_BYTES: Final = 256 * 1024
SUMMARY_BYTES: Final = 4 * 1024
REQUEST_BYTES: Final = 4 * 1024 * 1024
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that show nothing."""


class Fault(StrEnum):
    """Why a handler's run gave no usable answer."""

    CANNOT_START = "cannot_start"
    COMMAND_CHANGED = "command_changed"
    EXIT_CODE = "exit_code"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    HTTP_STATUS = "http_status"
    OUTPUT_TOO_LARGE = "output_too_large"
    NOT_UTF8 = "not_utf8"
    NOT_JSON = "not_json"
    DUPLICATE_KEY = "duplicate_key"
    UNKNOWN_KEY = "unknown_key"
    WRONG_SCHEMA = "wrong_schema"
    TOOL_CALL = "tool_call"
    HOST_ERROR = "host_error"
    COMPLETE_WITHOUT_REPLY = "complete_without_reply"
    EMPTY_MESSAGE = "empty_message"
    MESSAGE_TOO_LARGE = "message_too_large"
    PROBE_ANSWER = "probe_answer"


class HandlerFailed(DragomanError):
    """`handler_failed` with its stable `fault`; `evidence` (end of stderr and the like) is for the operator only."""

    def __init__(self, fault: Fault, detail: str = "", *, evidence: str = "", where: str = "", fix: str = "") -> None:
        super().__init__("handler_failed", f"{fault}: {detail}" if detail else str(fault), where=where, fix=fix)
        self.fault = fault
        self.evidence = evidence


class _Wire(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Strict on both ends."""


class HandlerMessage(_Wire, frozen=True, kw_only=True):
    """One message of this conversation. `text` and `sender` are untrusted words; `sent_at` is epoch milliseconds.

    `observed` is what somebody said there without asking the agent, where the owner's policy lets it be read.
    """

    id: str
    text: str
    sent_at: int
    origin: Literal["peer", "agent", "observed"] = msgspec.field(name="from", default="peer")
    sender: str = ""
    """A label that the sender chose; never an identity."""
    attachments: int = 0
    """How many files came with it; they are not handed over."""
    new: bool = False
    """Whether it is asked now; the others were said before, and are answered or were not for the agent."""


class HandlerLimits(_Wire, frozen=True, kw_only=True):
    """What is left of the grant; None means that no such bound applies. `expires_at` is epoch milliseconds."""

    max_message_bytes: int
    turns_left: int | None = None
    dispatches_left: int | None = None
    expires_at: int | None = None


class HandlerRequest(_Wire, frozen=True, kw_only=True):
    """What a handler is asked. A probe has no messages and no contact."""

    limits: HandlerLimits
    owner_instruction: str
    messages: tuple[HandlerMessage, ...] = ()
    contact_id: str | None = None
    probe: bool = False
    record: tuple[str, ...] = ()
    """The authorised facts that the owner lets the handler see."""
    language: str = "en"
    schema_version: Literal[1] = SCHEMA_VERSION


class HandlerAnswer(_Wire, frozen=True, kw_only=True):
    """What a handler answers. `topics` only add to what the gate finds by itself."""

    schema_version: Literal[1]
    action: Action
    message: str = ""
    complete: bool = False
    owner_summary: str = ""
    topics: tuple[Topic, ...] = ()


ANSWER_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "schema_version": {"type": "integer", "const": SCHEMA_VERSION},
        "action": {"type": "string", "enum": [str(action) for action in Action]},
        "message": {"type": "string"},
        "complete": {"type": "boolean"},
        "owner_summary": {"type": "string"},
        "topics": {
            "type": "array",
            "items": {"type": "string", "enum": [str(topic) for topic in Topic]},
            "maxItems": len(Topic),
        },
    },
    "required": ["schema_version", "action", "message", "complete", "owner_summary", "topics"],
    "additionalProperties": False,
}
"""The answer as JSON Schema, for models that can be held to one; strict modes ask for every key and every type."""

_KEYS: Final = frozenset(HandlerAnswer.__struct_encode_fields__)
_encode: Final = msgspec.json.Encoder().encode


def write_request(request: HandlerRequest) -> bytes:
    """The request as one line of JSON, as it is put on a handler's stdin."""
    return _encode(request) + b"\n"


def write_answer(answer: HandlerAnswer) -> bytes:
    """The answer as one line of JSON, as a handler prints it."""
    return _encode(answer) + b"\n"


def read_request(raw: bytes) -> HandlerRequest:
    """The request of a handler's stdin.

    Raises:
        DragomanError: `input_invalid` or `input_too_large`.
    """
    if len(raw) > REQUEST_BYTES:
        raise DragomanError("input_too_large", f"expected at most {REQUEST_BYTES} bytes", where="stdin")
    try:
        return msgspec.json.decode(raw, type=HandlerRequest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DragomanError("input_invalid", str(error), where="stdin") from error


def parse_answer(raw: bytes, *, probe: bool, max_message_bytes: int) -> HandlerAnswer:
    """The answer in `raw`, or the first reason why there is none (order of the file's law).

    Raises:
        HandlerFailed: with its `fault`.
    """
    value = read_object(raw)
    unknown = sorted(value.keys() - _KEYS)
    if unknown:
        accepted = ", ".join(HandlerAnswer.__struct_encode_fields__)
        raise HandlerFailed(Fault.UNKNOWN_KEY, f"`{unknown[0][:60]}`; accepted keys: {accepted}")
    try:
        answer = msgspec.convert(value, HandlerAnswer)
    except msgspec.ValidationError as error:
        raise HandlerFailed(Fault.WRONG_SCHEMA, _accepted(unquoted(error))) from error
    _check_words(answer, max_message_bytes)
    if probe:
        _check_probe(answer)
    return answer


def read_object(raw: bytes, *, limit: int = ANSWER_BYTES) -> dict[str, Any]:
    """Exactly one JSON object out of untrusted bytes, read strictly (steps 1 to 4).

    Raises:
        HandlerFailed: with its `fault`.
    """
    if len(raw) > limit:
        raise HandlerFailed(Fault.OUTPUT_TOO_LARGE, f"{len(raw)} bytes, at most {limit}")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise HandlerFailed(Fault.NOT_UTF8, f"at byte {error.start}") from error
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise HandlerFailed(Fault.NOT_UTF8, "a lone surrogate") from error
    except (ValueError, RecursionError) as error:
        raise HandlerFailed(Fault.NOT_JSON, str(error)[:200]) from error
    if type(value) is not dict:
        raise HandlerFailed(Fault.NOT_JSON, "expected one object")
    return value


def unquoted(error: msgspec.ValidationError) -> str:
    """What was wrong and where, without the value: it is kept and shown, and may be a secret of the command's."""
    return re.sub(r"'.*'", "", str(error), flags=re.DOTALL)[:200]


def _accepted(detail: str) -> str:
    """The same, and which values of ours are accepted there."""
    for place, values in (("$.action", Action), ("$.topics[", Topic)):
        if place in detail:
            return f"{detail}; accepted values: {', '.join(values)}"
    return detail


def silence(text: str, token: str = "") -> bool:
    """Whether `text` says nothing: no visible character, or the whole of it is the configured silence `token`."""
    return blank(text) or (bool(token) and text.strip() == token)


def blank(text: str) -> bool:
    """Whether no character of `text` can be seen (spaces, controls, format characters, fillers)."""
    return all(char in _BLANK or char.isspace() or unicodedata.category(char)[0] == "C" for char in text)


def _check_words(answer: HandlerAnswer, max_message_bytes: int) -> None:
    reply = answer.action is Action.REPLY
    if answer.complete and not reply:
        raise HandlerFailed(Fault.COMPLETE_WITHOUT_REPLY)
    if reply and blank(answer.message):
        raise HandlerFailed(Fault.EMPTY_MESSAGE)
    if not reply and answer.message:
        raise HandlerFailed(Fault.WRONG_SCHEMA, f"`message` with action `{answer.action}`")
    if len(answer.message.encode()) > max_message_bytes:
        raise HandlerFailed(Fault.MESSAGE_TOO_LARGE, f"at most {max_message_bytes} bytes")
    if len(answer.owner_summary.encode()) > SUMMARY_BYTES:
        raise HandlerFailed(Fault.MESSAGE_TOO_LARGE, f"`owner_summary`: at most {SUMMARY_BYTES} bytes")
    if answer.action is Action.WAITING_OWNER and blank(answer.owner_summary):
        raise HandlerFailed(Fault.EMPTY_MESSAGE, "`waiting_owner` without the question in `owner_summary`")


def _check_probe(answer: HandlerAnswer) -> None:
    if answer.action is not Action.COMPLETED or blank(answer.owner_summary):
        raise HandlerFailed(Fault.PROBE_ANSWER, f"expected `completed` with a summary, got `{answer.action}`")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise HandlerFailed(Fault.DUPLICATE_KEY)
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"`{name}` is not JSON")
