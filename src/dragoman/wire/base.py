"""What every message between hub and receiver is made of: ids with one grammar each, strict requests, open answers."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta

PROTOCOL_VERSION: Final = 1
API: Final = "/api/v1"
WELL_KNOWN: Final = "/.well-known/dragoman"
BATCH_BYTES: Final = 1024 * 1024
"""Text and packet bytes after which one answer stops taking further messages; at least one always fits."""

RoleId = Annotated[str, Meta(pattern=r"^role_[0-9a-f]{32}$", min_length=37, max_length=37)]
ContactId = Annotated[str, Meta(pattern=r"^con_[0-9a-f]{32}$", min_length=36, max_length=36)]
MessageId = Annotated[str, Meta(pattern=r"^msg_[0-9a-f]{32}$", min_length=36, max_length=36)]
LeaseToken = Annotated[str, Meta(pattern=r"^lse_[0-9a-f]{32}$", min_length=36, max_length=36)]
InstanceId = Annotated[str, Meta(pattern=r"^ins_[0-9a-f]{32}$", min_length=36, max_length=36)]
MintedId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{8,128}(?!\n)$", min_length=8, max_length=128)]
"""An id minted by the caller: `reply_id`, `open_id`. Here as wherever the length is free, `$` alone would allow a line
break at the end."""
PublicKey = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$", min_length=64, max_length=64)]
Signature = Annotated[str, Meta(pattern=r"^[0-9a-f]{128}$", min_length=128, max_length=128)]
Nonce = Annotated[str, Meta(pattern=r"^[0-9a-f]{32,160}(?!\n)$", min_length=32, max_length=160)]
Code = Annotated[str, Meta(pattern=r"^(inv|rec)_[0-9a-f]{32}$", min_length=36, max_length=36)]
"""An invitation, or an operator's recovery code."""
Origin = Annotated[str, Meta(min_length=8, max_length=300)]
Generation = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Moment = Annotated[int, Meta(ge=0, le=2**53 - 1)]
MessageIds = Annotated[list[MessageId], Meta(min_length=1, max_length=100)]
ContactIds = Annotated[list[ContactId], Meta(min_length=1, max_length=200)]


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What every request body has in common: unknown fields are refused.

    What is left at its default is not sent, so that a newer client is understood by an older hub.
    """


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What every answer has in common: fields may be added by a newer hub."""
