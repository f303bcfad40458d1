"""What did the hub answer, and what does a no leave open?

1. An answer counts only as JSON of the struct that was asked for; a web page with status 200 is no answer.
2. A no is one of the codes of `wire.ERRORS` with its own status; anything else proves nothing.
3. `HubError.uncertain` says whether the hub may have done what was asked though no answer says so. In doubt: yes.
4. Every no carries how to mend it, as far as that is known here.
"""

from __future__ import annotations

from typing import Final, TypeVar

import httpx2
import msgspec

from dragoman import wire
from dragoman.errors import DragomanError

A = TypeVar("A", bound=wire.Answer)

_FIXES: Final = {
    "hub_unreachable": "see that the hub runs and that its address is right; nothing is lost meanwhile",
    "signature_invalid": "make the role known with `dragoman hub register`, or restore its key",
    "origin_mismatch": "use the address that the hub names, or start it with `--origin`",
    "instance_superseded": "another instance took over: run there, or `dragoman hub login --takeover`",
    "instance_read_only": "another instance is the primary one: run there, or `dragoman hub login --takeover`",
    "contact_blocked": "do not try again: one of the two roles blocks the other",
    "contact_closed": "open a new contact if the matter is not done",
    "delegation_ended": "search again: it takes no more answers",
    "entry_unknown": "search again: it is gone, or was never there",
    "too_many": "end or close one of those that stand first",
    "changes_limited": "wait until `retry_at`",
    "query_empty": "name a word or a tag to search for",
    "key_replaced": "use the newest key file of this role, or recover it with `dragoman hub key recover`",
    "role_revoked": "recover the role with `dragoman hub key recover`",
    "invitation_needed": "ask the hub's operator for an invitation, then `dragoman hub register --invitation FILE`",
    "invitation_invalid": "ask the hub's operator for another invitation",
    "recovery_invalid": "use the recovery key that was named, or ask the hub's operator for a code",
    "tenant_suspended": "ask the hub's operator",
    "rate_limited": "try again in a moment",
    "overloaded": "try again in a moment",
    "shutting_down": "try again when the hub is back",
}
"""How to mend what the hub, or its absence, says no to."""


class HubError(DragomanError):
    """The hub could not be asked (`hub_unreachable`) or said no (`hub_refused`).

    Args:
        wire_code: the code of `wire.ERRORS` that the hub gave, or an empty string when it gave none.
        status: the HTTP status, 0 when there was no answer.
        retry_at: when the hub said to try again, milliseconds since the epoch.
        sent: whether bytes of the request may have reached the hub.
    """

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        wire_code: str = "",
        status: int = 0,
        retry_at: int | None = None,
        sent: bool,
    ) -> None:
        super().__init__(code, detail or wire_code, fix=_FIXES.get(wire_code) or _FIXES.get(code, ""))
        self.wire_code = wire_code
        self.status = status
        self.retry_at = retry_at
        self.sent = sent

    @property
    def uncertain(self) -> bool:
        """Whether a write may have happened all the same: ask for its `reply_id`, or repeat it under the same id."""
        return self.sent and self.wire_code not in wire.NOTHING_WRITTEN


def decoded(raw: bytes, answer: type[A], response: httpx2.Response) -> A:
    """An answer of 200 as its struct.

    Raises:
        HubError: it is not what the hub speaks; what was asked may have happened.
    """
    kind = response.headers.get("content-type", "").partition(";")[0].strip()
    try:
        if kind != "application/json":
            raise ValueError(f"content type `{kind[:80]}`")
        return msgspec.json.decode(raw, type=answer)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        detail = "the answer is not what the hub speaks"
        raise HubError("hub_unreachable", detail, status=response.status_code, sent=True) from error


def refusal_of(raw: bytes, response: httpx2.Response) -> HubError:
    """The error that an answer other than 200 means; without a known code it proves nothing."""
    status = response.status_code
    try:
        body = decoded(raw, wire.ErrorBody, response)
    except HubError as error:
        error.status = status
        return error
    if body.code not in wire.ERRORS or wire.ERRORS[body.code][0] != status:
        return HubError("hub_unreachable", "an error of no known code", status=status, sent=True)
    code = "hub_refused" if status < 500 else "hub_unreachable"
    return HubError(code, wire_code=body.code, status=status, retry_at=body.retry_at, sent=True)
