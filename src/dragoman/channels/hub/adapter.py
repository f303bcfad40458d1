"""The hub as a channel: one output operation, `send`, de-duplicated by its `reply_id`.

1. The output's key is the `reply_id`; the same key is the same message, however often it is sent.
2. A send names the lease under which its contact's messages are held, if any: after its loss it changes nothing.
3. Under a lease the messages that it answers are settled in the commit of the reply; `settled` says, once, which were.
4. `delivered` is YES only with the hub's message id; NO only when the hub's answer, or a connection that never stood,
   proves that nothing was written; all else is UNKNOWN, to be asked for by `reply_id`.
5. Why a send was refused is kept under its key until it is asked for once; it is for our own next step, not for others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from dragoman.channels.hub.client import HubClient, HubError
from dragoman.channels.hub.facts import PLATFORM
from dragoman.errors import DragomanError
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target
from dragoman.words import Fact, SendKey

TEXT_BYTES: Final = 16 * 1024
ACKS: Final = 100
"""The most messages that one reply settles."""


def operations(text_bytes: int = TEXT_BYTES) -> dict[Operation, OperationSpec]:
    """The operation table, with the hub's limit of one text."""
    return {Operation.SEND: OperationSpec(SendKey.NATIVE, text_bytes)}


class HubChannel:
    """One role at one hub, as `gate.ports.Channel`.

    Args:
        client: the role's connection.
        leases: the live lease token per contact id; read at each send.
        answered: the messages per contact id that a reply under that lease settles; read at each send.
        text_bytes: the hub's limit of one text.
    """

    platform: Final = PLATFORM

    def __init__(
        self,
        client: HubClient,
        leases: Mapping[str, str],
        answered: Mapping[str, Sequence[str]] | None = None,
        *,
        text_bytes: int = TEXT_BYTES,
    ) -> None:
        self._client = client
        self._leases = leases
        self._answered = {} if answered is None else answered
        self._settled: dict[str, tuple[str, ...]] = {}
        self._refusals: dict[str, str] = {}
        self.text_bytes = text_bytes
        self.operations: Mapping[Operation, OperationSpec] = operations(text_bytes)

    async def presence(self, target: Target) -> Presence:
        """Always another owner's agent, and therefore outside."""
        return Presence(shared=Fact.YES)

    async def perform(self, output: Output) -> Receipt:
        """Send one message (spec 2 §1). Called from `gate/gate.py` only."""
        ours = (output.target.platform, output.target.workspace) == (PLATFORM, self._client.role_id)
        if output.operation is not Operation.SEND or not ours:
            return Receipt(delivered=Fact.NO, detail="not a contact of this role")
        if len(output.text.encode()) > self.text_bytes:
            self._refusals[output.key] = "text_too_large"
            return Receipt(delivered=Fact.NO, detail="text_too_large")
        contact = output.target.channel
        lease = self._leases.get(contact)
        answers = list(self._answered.get(contact, ()))[:ACKS] if lease else []
        try:
            sent = await self._client.send(
                contact,
                reply_id=output.key,
                text=output.text,
                complete=output.complete,
                lease_token=lease,
                ack_message_ids=answers or None,
            )
        except HubError as error:
            self._refusals[output.key] = error.wire_code or error.code
            delivered = Fact.UNKNOWN if error.uncertain else Fact.NO
            # The hub's moment by our clock: one of the two may be wrong.
            retry_at = None if error.retry_at is None else error.retry_at - (self._client.skew_ms or 0)
            return Receipt(delivered=delivered, detail=error.wire_code or error.code, retry_at=retry_at)
        except DragomanError as error:
            self._refusals[output.key] = error.code
            return Receipt(delivered=Fact.NO, detail=error.code)
        if answers and not sent.replayed:
            self._settled[output.key] = tuple(answers)
        return Receipt(delivered=Fact.YES, evidence=sent.message_id)

    def settled(self, key: str) -> tuple[str, ...]:
        """The messages that the hub settled with the send under this key, once; none after a repetition."""
        return self._settled.pop(key, ())

    def refusal(self, key: str) -> str:
        """The hub's code for the last failed send under this key, once; empty when there was none."""
        return self._refusals.pop(key, "")
