"""The OpenAPI document made to say what the hub does: every status that an operation answers, with its codes.

1. A body takes no unknown field. An error is an `ErrorBody`, under its own status, whose `code` is one of those listed.
2. Codes that follow from an operation's shape are added by it: a body, a token, a generation, something to look up.
   What is left stands in `OWN`, by the handler's name; `tests/hub/test_openapi.py` knows of every one that is missing.
3. `429` and `503` may carry `Retry-After`.

It decides nothing: a code that is answered and does not stand here is a defect of this file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from litestar.openapi.spec import (
    OpenAPI,
    OpenAPIHeader,
    OpenAPIMediaType,
    OpenAPIResponse,
    OpenAPIType,
    Operation,
    Reference,
    RequestBody,
    Schema,
)

from dragoman import wire

ALWAYS: Final = ("internal", "overloaded", "store_unavailable", "shutting_down", "rate_limited")
WITH_BODY: Final = ("bad_request", "body_too_large", "media_type_unsupported")
WITH_TOKEN: Final = ("token_missing", "token_invalid", "token_expired")
WITH_GENERATION: Final = ("instance_superseded", "instance_read_only", "tenant_suspended")
WITH_PATH: Final = ("route_unknown", "method_not_allowed")
"""An id with a stroke in it names another address."""
SIGNED: Final = ("origin_mismatch", "signature_invalid")
KEYED: Final = (*SIGNED, "nonce_invalid", "nonce_used", "key_replaced", "role_revoked", "role_erased")

OWN: Final[Mapping[str, tuple[str, ...]]] = {
    "Register": (
        *SIGNED,
        *("key_replaced", "role_revoked", "role_erased"),
        *("invitation_needed", "invitation_invalid", "tenant_suspended", "tenant_full"),
    ),
    "Nonce": (),
    "LogIn": KEYED,
    "Me": (),
    "Rotate": KEYED,
    "Revoke": (*KEYED, "recovery_invalid"),
    "NameRecovery": (*KEYED, "recovery_key_same"),
    "Recover": (*KEYED, "recovery_invalid", "recovery_key_same", "tenant_full"),
    "Erase": (*KEYED, "recovery_invalid"),
    "OpenContact": (
        "role_unknown",
        "open_id_conflict",
        "contacts_full",
        "contact_blocked",
        "entry_unknown",
        "delegation_ended",
    ),
    "Contacts": (),
    "Contact": ("contact_unknown",),
    "CloseContact": ("contact_unknown",),
    "Send": (
        *("contact_unknown", "contact_closed", "contact_blocked", "reply_id_conflict", "lease_lost", "reply_limited"),
        *("text_empty", "text_invalid", "text_too_large", "packet_invalid", "packet_too_large"),
    ),
    "Messages": ("contact_unknown",),
    "Reply": ("reply_unknown", "proof_gone"),
    "Lease": (),
    "Renew": ("lease_lost",),
    "Ack": ("lease_lost",),
    "Release": ("lease_lost",),
    "Events": (),
    "PutStall": ("text_empty", "text_invalid", "tag_invalid", "changes_limited"),
    "MyStall": ("entry_unknown",),
    "Stall": ("entry_unknown",),
    "SearchStalls": ("tag_invalid",),
    "SearchDelegations": ("tag_invalid",),
    "Publish": ("text_empty", "text_invalid", "tag_invalid", "expiry_invalid", "too_many", "publish_id_conflict"),
    "MyDelegations": (),
    "Delegation": ("entry_unknown",),
    "CloseDelegation": ("entry_unknown",),
    "Subscribe": ("query_empty", "tag_invalid", "text_invalid", "too_many"),
    "MySubscriptions": (),
    "EndSubscription": ("subscription_unknown",),
    "SetBlock": ("role_unknown", "too_many"),
    "MyBlocks": (),
    "LiftBlock": ("role_unknown",),
    "Communication": ("contact_unknown",),
    "Status": (),
    "Report": ("text_invalid",),
    "Receiver": (),
    "Readiness": (),
    "RaiseMarks": ("marks_full",),
    "Marks": (),
    "ValidatePacket": (),
    "WellKnown": (),
    "Healthz": (),
}
"""What an operation may answer beside what its shape says."""

_RETRY: Final = OpenAPIHeader(
    schema=Schema(type=OpenAPIType.INTEGER, minimum=1), description="Whole seconds to wait.", required=False
)
_ERROR: Final = Reference(ref="#/components/schemas/ErrorBody")


def name_of(operation: Operation) -> str:
    """The handler's name, as `OWN` has it: the last word of the operation's id."""
    path_and_name = operation.operation_id or ""
    return next((name for name in sorted(OWN, key=len, reverse=True) if path_and_name.endswith(name)), path_and_name)


def operations(document: OpenAPI) -> Iterator[tuple[str, str, Operation]]:
    """Every operation with its path and method."""
    for path, item in (document.paths or {}).items():
        for method in ("get", "post", "put", "patch", "delete"):
            operation = getattr(item, method)
            if operation is not None:
                yield path, method, operation


def codes_of(operation: Operation, path: str, body: type[wire.Request] | None) -> frozenset[str]:
    """Every code that an operation may answer."""
    codes = {*ALWAYS, *OWN.get(name_of(operation), ())}
    if operation.request_body is not None or name_of(operation) == "ValidatePacket":
        codes.update(WITH_BODY)
    if operation.parameters:
        codes.add("bad_request")
    if operation.security:
        codes.update(WITH_TOKEN)
    if body is not None and "generation" in body.__struct_fields__:
        codes.update(WITH_GENERATION)
    if "{" in path:
        codes.update(WITH_PATH)
    return frozenset(codes)


def correct(document: OpenAPI) -> None:
    """Make the document say what the hub does."""
    schemas = document.components.schemas
    for name, schema in schemas.items():
        kind = getattr(wire, name, None)
        if isinstance(kind, type) and issubclass(kind, wire.Request):
            schema.additional_properties = False
    schemas["ErrorBody"] = Schema(
        type=OpenAPIType.OBJECT,
        required=["code", "message"],
        properties={
            "code": Schema(type=OpenAPIType.STRING, enum=sorted(wire.ERRORS)),
            "message": Schema(type=OpenAPIType.STRING),
            "retry_at": Schema(type=[OpenAPIType.INTEGER, OpenAPIType.NULL]),
        },
    )
    for path, _, operation in operations(document):
        if name_of(operation) == "ValidatePacket":
            packet = OpenAPIMediaType(schema=Schema(description="A packet; any bytes are judged."))
            operation.request_body = RequestBody(content={"application/json": packet}, required=True)
        codes = codes_of(operation, path, _body(operation))
        operation.responses = {"200": (operation.responses or {})["200"], **_refused(codes)}


def _body(operation: Operation) -> type[wire.Request] | None:
    """The struct of an operation's body."""
    if not isinstance(operation.request_body, RequestBody):
        return None
    for media in operation.request_body.content.values():
        if isinstance(media.schema, Reference):
            kind = getattr(wire, media.schema.ref.rpartition("/")[2], None)
            if isinstance(kind, type) and issubclass(kind, wire.Request):
                return kind
    return None


def _refused(codes: Collection[str]) -> dict[str, OpenAPIResponse | Reference]:
    by_status: dict[int, list[str]] = defaultdict(list)
    for code in sorted(codes):
        by_status[wire.ERRORS[code][0]].append(code)
    found: dict[str, OpenAPIResponse | Reference] = {}
    for status, listed in sorted(by_status.items()):
        narrowed = Schema(all_of=[_ERROR, Schema(properties={"code": Schema(enum=listed)})])
        found[str(status)] = OpenAPIResponse(
            description="; ".join(f"`{code}`: {wire.ERRORS[code][1]}" for code in listed),
            content={"application/json": OpenAPIMediaType(schema=narrowed)},
            headers={"Retry-After": _RETRY} if status in (429, 503) else None,
        )
    return found
