"""The owner's confirmed word, entered from outside while the receiver runs or rests (spec 2 §2, §3.6, §3.10).

Three forms, each bound to one id; `owner_confirmed` that is not exactly true is refused:

    contact_id + decision continue|reply|close (+ message, note,      leaves `waiting_owner`
        question_id: what `status` showed; another question by now is a conflict)
    reply_id + reply_delivered                                        leaves `uncertain_send`
    notification_id + notification_delivered                          leaves an uncertain or failed notification

1. Each is one transaction; the running receiver finds it at its next look. No lock is needed, nothing is sent here.
2. The same word again changes nothing; a word for something that does not wait is refused.
3. `reply` is the owner's own text: filed and approved in one, it passes the gate like any approved draft.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Final, Literal

import msgspec

from dragoman.errors import DragomanError
from dragoman.gate.policy import Policy
from dragoman.gate.ports import Entry, Filed
from dragoman.gate.release import text_hash
from dragoman.identity import Target
from dragoman.ledger.approvals import APPROVAL_MS
from dragoman.ledger.conversations import CLOSE, Conversation, Standing
from dragoman.ledger.inbox import InboundState
from dragoman.ledger.turns import Decided, TurnRow, TurnState
from dragoman.receiver.books import Books
from dragoman.receiver.question import question_id
from dragoman.words import Action, DraftState, Fact, Reason, SendState, StopReason

OWNER: Final = "owner"


class Resolution(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the owner confirmed; exactly one of the three ids."""

    owner_confirmed: Literal[True] | bool
    contact_id: str | None = None
    decision: Literal["continue", "reply", "close"] | None = None
    message: str | None = None
    note: str | None = None
    question_id: str | None = None
    reply_id: str | None = None
    reply_delivered: bool | None = None
    notification_id: str | None = None
    notification_delivered: bool | None = None


class Resolver:
    """Enters resolutions into one ledger."""

    def __init__(self, books: Books, policy: Policy, now: int, new_id: Callable[[str], str]) -> None:
        self._books = books
        self._policy = policy
        self._now = now
        self._new_id = new_id

    def resolve(self, said: Resolution) -> dict[str, Any]:
        """Enter one resolution; what stands now.

        Raises:
            DragomanError: `input_invalid` for a malformed or unconfirmed one, `not_found`, or `conflict`.
        """
        _check(said)
        with self._books.ledger.write():
            if said.contact_id is not None:
                return self._contact(said, said.contact_id)
            if said.reply_id is not None:
                return self._reply(said.reply_id, delivered=bool(said.reply_delivered))
            assert said.notification_id is not None
            found = self._books.notifications.resolve(
                said.notification_id, delivered=bool(said.notification_delivered), now=self._now
            )
            self._record(found.id, "notification_resolved", str(found.state), None)
            return {"notification_id": found.id, "state": found.state}

    # --- a conversation ----------------------------------------------------------------------------------------------

    def _contact(self, said: Resolution, contact_id: str) -> dict[str, Any]:
        conversation = self._waiting(contact_id)
        digest = hashlib.sha256(msgspec.json.encode(said, order="deterministic")).hexdigest()
        answer = {"contact_id": contact_id, "decision": said.decision}
        turn = self._books.turns.of(conversation.target)
        if conversation.resolution == digest and (conversation.state is not Standing.WAITING_OWNER or _own(turn)):
            return answer | {"state": conversation.state, "repeated": True}
        if conversation.state is not Standing.WAITING_OWNER:
            raise DragomanError("conflict", f"the conversation is `{conversation.state}`", where=contact_id)
        self._same_question(said, conversation)
        self._end_open(conversation, turn)
        after = msgspec.structs.replace(conversation, resolution=digest)
        match said.decision:
            case "reply":
                self._own_words(conversation.target, str(said.message))
            case "close":
                after = msgspec.structs.replace(
                    after, state=Standing.CLOSED, stop_reason=StopReason.CONTACT_CLOSED, note=CLOSE, summary=""
                )
                for message in self._books.inbox.in_state(conversation.target, InboundState.KEPT):
                    self._books.inbox.move(message.id, InboundState.DONE, reason="closed", now=self._now)
            case _:
                after = msgspec.structs.replace(
                    after, state=Standing.OPEN, stop_reason=None, note=said.note or "go on", summary=""
                )
        self._books.conversations.put(after, self._now)
        self._record(f"resolve-{digest[:16]}", "resolved", str(said.decision), conversation.target)
        return answer | {"state": after.state}

    def _same_question(self, said: Resolution, conversation: Conversation) -> None:
        kept = self._books.inbox.in_state(conversation.target, InboundState.KEPT)
        asked = question_id(conversation.summary, [each.id for each in kept])
        if said.question_id is not None and said.question_id != asked:
            fix = "look at it with `dragoman status` and answer that"
            raise DragomanError("conflict", "another question waits by now", where="question_id", fix=fix)

    def _waiting(self, contact_id: str) -> Conversation:
        found = [
            each for each in self._books.conversations.all() if contact_id in (each.target.channel, str(each.target))
        ]
        if len(found) != 1:
            detail = "no such conversation" if not found else "more than one conversation; name the whole target"
            raise DragomanError("not_found", detail, where=contact_id, fix="see `dragoman status`")
        return found[0]

    def _end_open(self, conversation: Conversation, turn: TurnRow | None) -> None:
        """What was open gives way to the owner's word; what may have left must be settled first."""
        decision = self._books.turns.decision(turn.id) if turn else None
        if turn is None:
            return
        if _own(turn):
            raise DragomanError("conflict", "the owner's reply is on its way", where=conversation.target.channel)
        if decision is not None and decision.state in (SendState.SENDING, SendState.UNCERTAIN):
            raise DragomanError(
                "conflict",
                f"settle `{decision.reply_id}` first",
                where=conversation.target.channel,
                fix="reply_delivered",
            )
        if decision is not None:
            if decision.draft_id:
                self._books.approvals.reject(decision.draft_id, operator=OWNER, now=self._now)
            self._books.turns.mark(decision.reply_id, SendState.STOPPED, now=self._now)
        self._books.turns.move(turn.id, TurnState.SETTLED, failure="resolved", now=self._now)

    def _own_words(self, target: Target, text: str) -> None:
        """The owner's text as an approved draft behind a saved decision: the usual road out, no handler, no charge."""
        draft_id, turn_id, reply_id = self._new_id("dft"), self._new_id("trn"), self._new_id("rpl")
        shared = Fact.YES if target.platform == "hub" else Fact.UNKNOWN
        self._books.approvals.file(
            Filed(
                id=draft_id,
                target=target,
                text=text,
                sha256=text_hash(text),
                epoch=self._policy.epoch(self._policy.audience(target, shared)),
                reason=Reason.OPERATOR_COMMAND,
                state=DraftState.APPROVED,
                filed_at=self._now,
                expires_at=self._now + APPROVAL_MS,
                operator=OWNER,
                nonce=self._new_id("non"),
                reply_id=reply_id,
            )
        )
        self._books.turns.open(
            TurnRow(
                id=turn_id,
                target=target,
                grant_id="",
                generation=0,
                correlation_id=self._new_id("cor"),
                admission=b"",
                attempts=0,
                state=TurnState.DECIDED,
                next_at=0,
                failure="",
                note="",
                created_at=self._now,
            )
        )
        self._books.turns.decide(
            Decided(
                turn_id=turn_id, reply_id=reply_id, target=target, action=Action.REPLY, text=text, state=SendState.HELD
            ),
            self._now,
        )
        self._books.turns.mark(reply_id, SendState.HELD, draft_id=draft_id, now=self._now)
        for message in self._books.inbox.in_state(target, InboundState.KEPT):
            self._books.inbox.move(message.id, InboundState.KEPT, reason="answered", turn_id=turn_id, now=self._now)

    # --- a reply -----------------------------------------------------------------------------------------------------

    def _reply(self, reply_id: str, *, delivered: bool) -> dict[str, Any]:
        decision = self._books.turns.by_reply(reply_id)
        if decision is None:
            raise DragomanError("not_found", "no such reply", where=reply_id, fix="see `dragoman status`")
        wanted = SendState.SENT if delivered else SendState.SAVED
        if decision.state is not SendState.UNCERTAIN:
            if decision.state is wanted:
                return {"reply_id": reply_id, "state": wanted, "repeated": True}
            raise DragomanError("conflict", f"the reply is `{decision.state}`", where=reply_id)
        _reply_settled(self._books, decision, delivered=delivered, now=self._now)
        draft = self._books.approvals.find(decision.draft_id) if delivered and decision.draft_id else None
        if draft is not None and draft.state is DraftState.UNCERTAIN:
            self._books.approvals.confirm(draft.id, delivered=True, operator=OWNER, now=self._now)
        self._record(reply_id, "reply_resolved", str(wanted), decision.target)
        return {"reply_id": reply_id, "state": wanted}

    def _record(self, correlation_id: str, outcome: str, reason: str, target: Target | None) -> None:
        self._books.journal.record(
            Entry(
                correlation_id=correlation_id,
                kind="operator",
                outcome=outcome,
                reason=reason,
                time=self._now,
                target=target,
            )
        )


def confirm_draft(books: Books, draft_id: str, *, delivered: bool, operator: str, now: int) -> Filed:
    """The operator's word on an uncertain draft, in the caller's transaction; the reply behind it follows.

    It arrived: that is the end of it. It did not: the draft waits for a new approval, nothing is sent by itself.

    Raises:
        DragomanError: `not_found`, or `conflict` when nothing is uncertain about it.
    """
    found = books.approvals.confirm(draft_id, delivered=delivered, operator=operator, now=now)
    decision = books.turns.by_reply(found.reply_id) if found.reply_id else None
    if decision is None or decision.state is not SendState.UNCERTAIN:
        return found
    if delivered:
        _reply_settled(books, decision, delivered=True, now=now)
        return found
    books.turns.mark(decision.reply_id, SendState.HELD, now=now)
    conversation = books.conversations.at(decision.target)
    if conversation.stop_reason is StopReason.UNCERTAIN_SEND:
        waiting = msgspec.structs.replace(conversation, stop_reason=StopReason.WAITING_OWNER, summary=draft_id)
        books.conversations.put(waiting, now)
    return found


def _reply_settled(books: Books, decision: Decided, *, delivered: bool, now: int) -> None:
    """An uncertain reply was delivered, or goes once more under its own id (spec 2 §3.6)."""
    state, evidence = (SendState.SENT, OWNER) if delivered else (SendState.SAVED, "")
    books.turns.mark(decision.reply_id, state, evidence=evidence, now=now)
    standing, stop = Standing.OPEN, None
    if delivered:
        books.turns.move(decision.turn_id, TurnState.SETTLED, now=now)
        for message in books.inbox.of_turn(decision.turn_id):
            books.inbox.move(message.id, InboundState.DONE, turn_id=decision.turn_id, now=now)
        if decision.complete:
            standing, stop = Standing.COMPLETED, StopReason.COMPLETED
    conversation = books.conversations.at(decision.target)
    books.conversations.put(msgspec.structs.replace(conversation, state=standing, stop_reason=stop, summary=""), now)


def _own(turn: TurnRow | None) -> bool:
    return turn is not None and turn.attempts == 0


def _check(said: Resolution) -> None:
    """Exactly one form, whole.

    Raises:
        DragomanError: `input_invalid`.
    """
    if said.owner_confirmed is not True:
        raise DragomanError("input_invalid", "not true", where="owner_confirmed", fix="ask the owner first")
    forms = (
        ("contact_id", said.contact_id is not None, said.decision is not None),
        ("reply_id", said.reply_id is not None, said.reply_delivered is not None),
        ("notification_id", said.notification_id is not None, said.notification_delivered is not None),
    )
    named = [name for name, first, second in forms if first or second]
    whole = [name for name, first, second in forms if first and second]
    if len(named) != 1 or named != whole:
        fix = "contact_id + decision, reply_id + reply_delivered, or notification_id + notification_delivered"
        raise DragomanError("input_invalid", "expected exactly one form", where="resolution", fix=fix)
    if (said.message is not None) != (said.decision == "reply") or not (said.message is None or said.message.strip()):
        raise DragomanError("input_invalid", "`message` belongs to `reply`, and only there", where="message")
    if said.note is not None and said.decision != "continue":
        raise DragomanError("input_invalid", "`note` belongs to `continue`", where="note")
    if said.question_id is not None and said.contact_id is None:
        raise DragomanError("input_invalid", "`question_id` belongs to `contact_id`", where="question_id")
