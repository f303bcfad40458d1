"""What hub and receiver say to each other, typed once for both ends (spec 2 §1).

1. Requests refuse unknown fields; answers may grow fields that an older client skips.
2. Every id has one grammar, stated here as a type; a malformed id is a bad request and never reaches a query.
3. Times are integer milliseconds UTC; durations end in `_ms`, sizes in `_bytes` and count UTF-8 bytes.
4. An error is a code of `ERRORS`, its one safe sentence, and at most the time to try again; nothing else leaves.
5. Both signing inputs stand here, so that the two ends cannot differ. They name their purpose and the hub's origin:
   a signature made for one hub, or for one purpose, is worth nothing at another.

Nothing here reads a clock, opens a socket or decides whether something may happen; that is `hub.rules`.
"""

from __future__ import annotations

from dragoman.wire.base import (
    API,
    BATCH_BYTES,
    PROTOCOL_VERSION,
    WELL_KNOWN,
    Answer,
    ContactId,
    ContactIds,
    Generation,
    InstanceId,
    LeaseToken,
    MessageId,
    MessageIds,
    MintedId,
    Moment,
    Nonce,
    Origin,
    PublicKey,
    Request,
    RoleId,
    Signature,
)
from dragoman.wire.contacts import (
    DELIVERY_ZH,
    CloseContact,
    Communication,
    Contact,
    Contacts,
    Delivery,
    Message,
    Messages,
    OpenContact,
    SendMessage,
    Sent,
)
from dragoman.wire.errors import (
    ERRORS,
    NOTHING_WRITTEN,
    ErrorBody,
)
from dragoman.wire.events import (
    Event,
    EventFacts,
    EventKind,
    Events,
    TradeKind,
)
from dragoman.wire.hub import (
    Health,
    Limits,
    WellKnown,
)
from dragoman.wire.identity import (
    AskNonce,
    GivenNonce,
    LogIn,
    Me,
    RegisterRole,
    Role,
    Session,
    login_input,
    origin_of,
    register_input,
    role_id_of,
)
from dragoman.wire.leases import (
    AckMessages,
    Lease,
    Leased,
    ReleaseMessages,
    RenewLease,
    Settled,
    TakeLease,
)

__all__ = [
    "API",
    "BATCH_BYTES",
    "DELIVERY_ZH",
    "ERRORS",
    "NOTHING_WRITTEN",
    "PROTOCOL_VERSION",
    "WELL_KNOWN",
    "AckMessages",
    "Answer",
    "AskNonce",
    "CloseContact",
    "Communication",
    "Contact",
    "ContactId",
    "ContactIds",
    "Contacts",
    "Delivery",
    "ErrorBody",
    "Event",
    "EventFacts",
    "EventKind",
    "Events",
    "Generation",
    "GivenNonce",
    "Health",
    "InstanceId",
    "Lease",
    "LeaseToken",
    "Leased",
    "Limits",
    "LogIn",
    "Me",
    "Message",
    "MessageId",
    "MessageIds",
    "Messages",
    "MintedId",
    "Moment",
    "Nonce",
    "OpenContact",
    "Origin",
    "PublicKey",
    "RegisterRole",
    "ReleaseMessages",
    "RenewLease",
    "Request",
    "Role",
    "RoleId",
    "SendMessage",
    "Sent",
    "Session",
    "Settled",
    "Signature",
    "TakeLease",
    "TradeKind",
    "WellKnown",
    "login_input",
    "origin_of",
    "register_input",
    "role_id_of",
]
