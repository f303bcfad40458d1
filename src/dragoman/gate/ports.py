"""The ports of the gate: what it needs from outside, and the values that cross.

An adapter implements `Channel`; the ledger implements `Journal`, `Approvals`, `Charges`, `Seen`; an agent is handed a
`Turn` and nothing else. Only `gate/outlet.py` calls `Channel.perform`.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Mapping, Sequence
from typing import Final, Protocol

import msgspec

from dragoman.gate.burst import Buffer, Part
from dragoman.gate.event import Event
from dragoman.gate.observe import Observed
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.parts import NOTHING, Parts
from dragoman.grants import Grant, Spent
from dragoman.identity import Party, Target
from dragoman.words import (
    Audience,
    DraftState,
    Fact,
    Outcome,
    OutputClass,
    Reason,
    ReleaseOutcome,
    Topic,
    Word,
)


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """One finished piece of output, carrying its class from birth."""

    text: str
    output_class: OutputClass = OutputClass.FINAL
    topics: frozenset[Topic] = frozenset()
    """What the handler declares; a declaration only adds topics."""
    parts: Parts = NOTHING


class Output(msgspec.Struct, frozen=True, kw_only=True):
    """What the door hands to an adapter: one operation on one target. `key` is the idempotency key of this output."""

    operation: Operation
    target: Target
    key: str
    text: str = ""
    parts: Parts = NOTHING
    """All parts of the message: an edit that brings none leaves none standing."""
    thread: str | None = None
    reply_to: str | None = None
    edits: str | None = None
    """For `CHANGING` operations: the platform's id of our own message that is changed."""
    only_for: Party | None = None
    """For `PRIVATE`: who alone sees it. It is never shown to anybody else, whatever fails."""
    complete: bool = False
    """The conversation ends with this output (hub only, spec 2 §1)."""


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """What the transport proved. `delivered` YES only with its evidence; NO only when it provably did not leave."""

    delivered: Fact
    evidence: str = ""
    detail: str = ""
    retry_at: int | None = None
    """When the platform said to come back, epoch milliseconds (rate limits)."""


class Presence(msgspec.Struct, frozen=True):
    """Who is in a target right now, as far as the platform says. `parties` is None when it does not."""

    shared: Fact
    parties: frozenset[Party] | None = None


class Channel(Protocol):
    """One connected platform account."""

    @property
    def platform(self) -> str:
        """The platform's name, the first part of its targets."""
        ...

    @property
    def operations(self) -> Mapping[Operation, OperationSpec]:
        """The operation table; what is not in it is refused."""
        ...

    async def presence(self, target: Target) -> Presence:
        """Who is there now; failure to find out is `Fact.UNKNOWN`, never an exception that means no."""
        ...

    async def perform(self, output: Output) -> Receipt:
        """Carry out one output operation. Called from `gate/gate.py` only."""
        ...


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One journal record (spec 1 §9): no body, no party terms, no channel ids, no secrets.

    `target` and `author` are handed over in clear and stored as keyed pseudonyms by the journal.
    """

    correlation_id: str
    kind: str
    """`event`, `output`, `life`, `notice` or `operator`."""
    outcome: str
    reason: str
    time: int
    audience: Audience = Audience.EXTERNAL
    output_class: OutputClass | None = None
    consumer: str = ""
    """Adapter and operation, such as `matrix.send`."""
    policy_version: str = ""
    target: Target | None = None
    author: Party | None = None
    evidence: str = ""
    facts: Mapping[str, str] = {}
    """Normalised facts: kinds, booleans, counts and ages, so that a new policy can be replayed over them."""
    named: Mapping[str, str] = {}
    """Names and ids in clear that a new policy must be able to compare; stored among the facts as keyed pseudonyms."""


class Journal(Protocol):
    """Where decisions are written down."""

    def record(self, entry: Entry) -> None:
        """Write one record durably; raising means that the act it describes must not happen."""
        ...


class Filed(msgspec.Struct, frozen=True, kw_only=True):
    """A filed draft (spec 1 §4). `epoch` is policy version + audience."""

    id: str
    target: Target
    text: str
    sha256: str
    epoch: str
    reason: Reason
    topics: tuple[Topic, ...] = ()
    correlation_id: str = ""
    state: DraftState = DraftState.FILED
    approvable: bool = True
    filed_at: int = 0
    expires_at: int = 0
    operator: str = ""
    nonce: str = ""
    reply_id: str = ""
    thread: str | None = None
    pinged_at: int = 0
    """When the owner was last reminded of it; 0 for never."""
    body: bytes = b""
    """The parts of the draft (`parts.encoded`); `sha256` covers them with the text."""


class Approvals(Protocol):
    """The store of filed drafts; every state change is durable and single-use."""

    def file(self, draft: Filed) -> None:
        """File one draft in state `filed`."""
        ...

    def find(self, draft_id: str) -> Filed | None:
        """One draft, or None."""
        ...

    def claim(self, draft_id: str, sha256: str, epoch: str, now: int) -> bool:
        """`approved` → `claimed`, once, and only for the same text and epoch before expiry."""
        ...

    def settle(self, draft_id: str, state: DraftState, now: int) -> None:
        """`claimed` → `delivered` or `uncertain`."""
        ...

    def listed(self, state: DraftState | None = None) -> Sequence[Filed]:
        """Drafts in one state, or all of them, oldest first."""
        ...

    def approve(self, draft_id: str, *, sha256: str, operator: str, nonce: str, now: int) -> Filed:
        """`filed` → `approved` for exactly this text. Raises `DragomanError` when it does not wait for one."""
        ...

    def reject(self, draft_id: str, *, operator: str, now: int) -> Filed:
        """`filed` or `approved` → `rejected`. Raises `DragomanError` when it has left, or is not known."""
        ...

    def interrupted(self, now: int) -> list[str]:
        """At a start: what was claimed when the process died is `uncertain`; the ids."""
        ...


class Charges(Protocol):
    """The durable counters behind grants."""

    def spent(self, grant_id: str, target: Target, now: int) -> Spent:
        """What has been charged so far."""
        ...

    def charge(self, grant: Grant, target: Target, now: int) -> bool:
        """Charge one use in one transaction if the grant still covers it; False charges nothing."""
        ...


class SeenState(Word):
    """What is known of an event's dedupe key. A `TWIN` may be decided once more (spec 1 §11.4)."""

    NEW = "new"
    DUPLICATE = "duplicate"
    TWIN = "twin"


EVERY_PLACE: Final = "*"
"""How a pause everywhere is named among the pauses."""


class Seen(Protocol):
    """What the gate remembers of a target: decided messages, pauses, colleagues."""

    def seen(self, dedupe_key: str) -> SeenState:
        """Whether this message was decided before."""
        ...

    def decided(
        self, dedupe_key: str, outcome: Outcome, reason: Reason, now: int, facts: Mapping[str, str] | None = None
    ) -> None:
        """Remember how this message was decided; `facts` are what its twin is merged with."""
        ...

    def twin(self, dedupe_key: str) -> Mapping[str, str]:
        """The facts that were remembered of the first copy; empty without one."""
        ...

    def paused(self, target: Target) -> bool:
        """Whether the operator paused the agent everywhere or here."""
        ...

    def pause(self, target: Target | None, now: int) -> None:
        """Pause at one target, or everywhere; a pause that stands keeps its beginning."""
        ...

    def resume(self, target: Target | None) -> bool:
        """End that pause; whether there was one."""
        ...

    def pauses(self) -> Mapping[str, int]:
        """Every pause by its target's text form, or `EVERY_PLACE`, and since when."""
        ...

    def colleague_at(self, target: Target) -> int | None:
        """When a human of ours last wrote there, epoch milliseconds."""
        ...

    def colleague_wrote(self, target: Target, now: int) -> None:
        """Remember that a human of ours wrote there."""
        ...


class Evidence(Protocol):
    """Where raw evidence goes (errors, refused texts); private, for the operator, for a time (spec 1 §11.10)."""

    def keep(self, correlation_id: str, kind: str, body: bytes, now: int, until: int) -> None:
        """Keep one piece until `until`; what does not fit is cut or dropped, never an error."""
        ...


class Bursts(Protocol):
    """The parts of requests that are still arriving (`burst.py`); what is added is there after a restart."""

    def add(self, buffer: Buffer, part: Part) -> None:
        """Keep one part; a copy of one that waits already changes nothing."""
        ...

    def parts(self, buffer: Buffer) -> tuple[Part, ...]:
        """What waits, oldest first."""
        ...

    def buffers(self) -> tuple[Buffer, ...]:
        """Every buffer in which something waits."""
        ...

    def drop(self, buffer: Buffer) -> None:
        """Nothing waits there any more."""
        ...

    def remove(self, target: Target, event_id: str) -> None:
        """A message was deleted."""
        ...


class Observations(Protocol):
    """Texts of silent group messages that the policy lets be kept (`observe.py`)."""

    def keep(self, observed: Observed) -> None:
        """Keep one text; what has been kept long enough goes."""
        ...

    def of(self, target: Target, now: int) -> tuple[Observed, ...]:
        """What is kept of one target, oldest first."""
        ...


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one draft at the door."""

    outcome: ReleaseOutcome
    reason: Reason
    delivered: Fact = Fact.NO
    """YES only with transport evidence; UNKNOWN is `uncertain`."""
    evidence: str = ""
    draft_id: str = ""
    pieces: tuple[str, ...] = ()
    """The platform's id of every message that it was split into, as far as they are proven."""
    retry_at: int | None = None


class Turn(Protocol):
    """What an agent is handed: the only way to speak, and only to where the event came from."""

    @property
    def event(self) -> Event:
        """What is answered, with all its parts; `body` is what may be read, in the words of whoever wrote it."""
        ...

    @property
    def observed(self) -> tuple[Observed, ...]:
        """What was said here before without asking the agent, where the policy lets it be read: untrusted."""
        ...

    async def reply(
        self, text: str, *, parts: Parts = NOTHING, topics: frozenset[Topic] = frozenset(), private: bool = False
    ) -> Delivery:
        """Answer with a finished text and what comes with it; `private` shows it to the one who asked alone."""
        ...

    async def edit(self, text: str, *, parts: Parts = NOTHING, topics: frozenset[Topic] = frozenset()) -> Delivery:
        """Replace the last sent message of this turn, its parts included."""
        ...

    async def progress(self, text: str, *, parts: Parts = NOTHING) -> Delivery:
        """Show how far the work is, in one message that each call replaces; internal targets only."""
        ...

    async def react(self, emoji: str) -> Delivery:
        """Mark the message that is answered; internal targets only."""
        ...

    async def typing(self) -> Delivery:
        """Show that an answer is being written; internal targets only."""
        ...

    async def stream(self, chunks: AsyncIterable[str]) -> Delivery:
        """Answer piece by piece; whole checked sentences leave as they are complete."""
        ...

    async def stay_silent(self) -> None:
        """End the turn without output; a success."""
        ...
