"""Every error that leaves the hub: a stable code, one safe sentence, at most the time to try again."""

from __future__ import annotations

from typing import Final

from dragoman.wire.base import Answer, Moment


class ErrorBody(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """The body of every answer that is not a success."""

    code: str
    message: str
    retry_at: Moment | None = None


ERRORS: Final[dict[str, tuple[int, str]]] = {
    "bad_request": (400, "the request is not valid"),
    "packet_invalid": (400, "the packet is not one object of strict JSON"),
    "expiry_invalid": (400, "the time is past, or too far ahead"),
    "query_empty": (400, "nothing is asked for"),
    "tag_invalid": (400, "a tag needs one to forty letters or digits"),
    "text_empty": (400, "a message needs text"),
    "text_invalid": (400, "a text may not hold the character U+0000"),
    "token_missing": (401, "a bearer token is needed"),
    "token_invalid": (401, "the bearer token is not known"),
    "token_expired": (401, "the bearer token has expired"),
    "nonce_invalid": (401, "the nonce is not valid, or has expired"),
    "nonce_used": (401, "the nonce has been used"),
    "signature_invalid": (401, "the signature does not fit"),
    "origin_mismatch": (401, "the signature was made for another hub"),
    "key_replaced": (401, "another key has taken this one's place"),
    "recovery_invalid": (401, "neither a recovery key nor a code lets this role have a new key"),
    "invitation_needed": (403, "this hub takes new roles by invitation only"),
    "invitation_invalid": (403, "the invitation is not known, used up, or has expired"),
    "tenant_suspended": (403, "the tenant of this role is suspended"),
    "role_revoked": (403, "the keys of this role were revoked"),
    "role_erased": (403, "this role was erased"),
    "instance_read_only": (403, "this instance is not the primary one and may only read"),
    "contact_blocked": (403, "these two roles do not talk to each other"),
    "route_unknown": (404, "there is no such address"),
    "role_unknown": (404, "there is no such role"),
    "contact_unknown": (404, "there is no such contact"),
    "reply_unknown": (404, "no message was accepted under this reply id"),
    "entry_unknown": (404, "there is no such entry"),
    "subscription_unknown": (404, "there is no such subscription"),
    "method_not_allowed": (405, "this address does not take that method"),
    "instance_superseded": (409, "another instance has taken over"),
    "reply_id_conflict": (409, "this reply id was used for another message"),
    "open_id_conflict": (409, "this open id was used for another contact"),
    "publish_id_conflict": (409, "this publish id was used for another delegation"),
    "delegation_ended": (409, "the delegation is closed or has expired"),
    "too_many": (409, "there are too many of these already"),
    "contact_closed": (409, "the contact is closed"),
    "marks_full": (409, "this role has marks of too many grants"),
    "contacts_full": (409, "this role has as many open contacts as it may"),
    "tenant_full": (409, "the tenant has as many roles as it may"),
    "recovery_key_same": (409, "the recovery key must be another key than the role's"),
    "lease_lost": (409, "the lease is no longer held"),
    "proof_gone": (410, "whether this reply id was accepted is no longer known"),
    "body_too_large": (413, "the request body is too large"),
    "text_too_large": (413, "the text is too large"),
    "packet_too_large": (413, "the packet is too large"),
    "rate_limited": (429, "too many requests for now"),
    "reply_limited": (429, "the reply limit is reached for now"),
    "changes_limited": (429, "there were too many changes for now"),
    "media_type_unsupported": (415, "the body must be `application/json`"),
    "internal": (500, "internal error"),
    "overloaded": (503, "the hub has too much to do"),
    "store_unavailable": (503, "the hub cannot reach its store"),
    "shutting_down": (503, "the hub is going down"),
}
"""Every code that the hub answers, with its HTTP status and its one sentence. Codes are stable.

A code of 4xx, `overloaded` and `shutting_down` promise that nothing was written; after `internal` only a look tells.
"""

NOTHING_WRITTEN: Final = frozenset(code for code, (status, _) in ERRORS.items() if status != 500)
"""The codes after which a write certainly did not happen."""
