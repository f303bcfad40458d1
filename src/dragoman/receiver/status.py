"""What stands: tasks and their stops, what waits for the owner, what was spent, what was said to nobody yet.

Read from the ledger and the configuration's files; needs neither the hub nor the state lock. It claims nothing that is
not on record: a delivered notification is not a read one, readiness is this machine's own word, and `real_peer` is
`verified` only by a full exchange with a contact that the owner named for it.
"""

from __future__ import annotations

from typing import Any

import msgspec

from dragoman import wire
from dragoman.channels.hub.facts import contact_target
from dragoman.grants import Spent
from dragoman.identity import Target
from dragoman.ledger.conversations import Conversation, Standing
from dragoman.ledger.inbox import InboundState
from dragoman.receiver.background import background
from dragoman.receiver.books import Books
from dragoman.receiver.config import Config
from dragoman.receiver.ended import role_ended
from dragoman.receiver.host import Answer, Host, host
from dragoman.receiver.level import evidence, level
from dragoman.receiver.question import question_id
from dragoman.receiver.real_peer import real_peer
from dragoman.receiver.sentences import DROPPED, STOP, said
from dragoman.words import DraftState, NotificationState, SendState, StopReason


def status(books: Books, config: Config, now: int, machine: Host | None = None) -> dict[str, Any]:
    """Everything that stands in one ledger, ready for JSON. Times are epoch milliseconds; `machine` is this one."""
    file, machine = config.file, machine or host(config.path, ask=False)
    seen = background(books.cycles.newest(), now)
    lasting = seen["observed"] and not (seen["by_user_service"] and machine.linger is Answer.NO)
    reached, lacks = level(evidence(books, config, now, background=lasting))
    exchange = real_peer(books, config)
    return {
        "now": now,
        "role_id": file.hub.role_id if file.hub else None,
        "mode": "attended" if file.autonomy is None else "autonomous",
        "autonomy": _tasks(books, config, now),
        "waiting_owner": [
            _waiting(books, each, file.language)
            for each in books.conversations.all()
            if each.state is Standing.WAITING_OWNER
        ],
        "uncertain_sends": [
            {
                "reply_id": each.reply_id,
                "contact_id": each.target.channel,
                "since": each.sent_at or each.decided_at,
                "text": each.text,
            }
            for each in books.turns.in_state(SendState.UNCERTAIN)
        ],
        "unsent": [
            {
                "reply_id": each.reply_id,
                "contact_id": each.target.channel,
                "state": state,
                "retry_at": each.retry_at or None,
            }
            for state in (SendState.SAVED, SendState.SENDING)
            for each in books.turns.in_state(state)
        ],
        "drafts": [
            {
                "id": draft.id,
                "reason": draft.reason,
                "approvable": draft.approvable,
                "expires_at": draft.expires_at,
                "since": draft.filed_at,
                "target": str(draft.target),
                "sha256": draft.sha256,
                "text": draft.text,
            }
            for draft in books.approvals.listed(DraftState.FILED)
        ],
        "notifications": [
            {
                "id": each.id,
                "state": each.state,
                "milestone": each.milestone,
                "summary": each.summary,
                "contact_id": each.target or None,
                "since": each.created_at,
            }
            for each in books.notifications.listed()
            if each.state is not NotificationState.DELIVERED
        ],
        "messages": books.inbox.counts(),
        "replies": books.turns.counts(),
        "paused": books.seen.pauses(),
        "background": seen,
        "readiness": {"level": reached, "blockers": lacks, "reported_by": "client"},
        "hub": hub_view(books),
        "ended": _ended(books),
        "real_peer": "unverified" if exchange is None else "verified",
        "real_peer_contact_id": None if exchange is None else exchange.contact_id,
        "real_peer_at": None if exchange is None else exchange.at,
    }


def _ended(books: Books) -> dict[str, Any] | None:
    """What ended this role in a process of many, until it works again."""
    found = role_ended(books)
    return None if found is None else msgspec.to_builtins(found)


def hub_view(books: Books) -> dict[str, Any] | None:
    """What the hub said last: how far it takes this receiver to reach, and where its conversations stand there."""
    readiness, seen = books.ledger.get("hub_readiness"), books.ledger.get("hub_view")
    if readiness is None and seen is None:
        return None
    return {
        "readiness": None if readiness is None else msgspec.json.decode(readiness),
        "seen": None if seen is None else msgspec.json.decode(seen),
    }


def text_of(target: Target, raw: bytes | None) -> str:
    """The words of one kept message, for the owner's eyes."""
    if raw is None:
        return ""
    try:
        if target.platform == "hub":
            return msgspec.json.decode(raw, type=wire.Message).text
        whole = msgspec.json.decode(raw)
        return str(whole.get("body") or whole.get("text") or "") if isinstance(whole, dict) else ""
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ""


def _tasks(books: Books, config: Config, now: int) -> list[dict[str, Any]]:
    autonomy, hub = config.file.autonomy, config.file.hub
    if autonomy is None or hub is None:
        return []
    named = {contact_target(hub.role_id, contact) for contact in autonomy.contact_ids}
    tasks = []
    for target in sorted(named | books.charges.accepted(autonomy.grant_id), key=str):
        spent = books.charges.spent(autonomy.grant_id, target, now)
        conversation = books.conversations.at(target)
        stop = _stop(conversation, spent, autonomy.expires_at, now)
        summary = _summary(books, conversation, config.file.language)
        tasks.append(
            {
                "grant_id": autonomy.grant_id,
                "contact_id": target.channel,
                "state": conversation.state,
                "stop_reason": stop,
                "turns_used": spent.on_target,
                "turns_left": max(0, autonomy.max_turns_per_contact - spent.on_target),
                "max_turns": autonomy.max_turns_per_contact,
                "dispatches_today": spent.today,
                "max_dispatches": autonomy.max_dispatches_per_day,
                "expires_at": autonomy.expires_at,
                "summary": summary or (said(STOP[stop], config.file.language) if stop else ""),
            }
        )
    return tasks


def _stop(conversation: Conversation, spent: Spent, expires_at: int, now: int) -> StopReason | None:
    if conversation.stop_reason is None and now >= expires_at:
        return StopReason.GRANT_EXPIRED
    return conversation.stop_reason


def _summary(books: Books, conversation: Conversation, language: str) -> str:
    """What the owner reads of a conversation; a draft that he has just rejected is not held any more, even before a
    receiver has looked at it again."""
    turn = books.turns.of(conversation.target)
    decision = books.turns.decision(turn.id) if turn else None
    draft = books.approvals.find(decision.draft_id) if decision and decision.draft_id else None
    if draft is None or draft.state not in DROPPED:
        return conversation.summary
    return said(DROPPED[draft.state], language, draft.id)


def _waiting(books: Books, conversation: Conversation, language: str) -> dict[str, Any]:
    kept = books.inbox.in_state(conversation.target, InboundState.KEPT)
    turn = books.turns.of(conversation.target)
    decision = books.turns.decision(turn.id) if turn else None
    draft = books.approvals.find(decision.draft_id) if decision and decision.draft_id else None
    return {
        "contact_id": conversation.target.channel,
        "target": str(conversation.target),
        "stop_reason": conversation.stop_reason,
        "question_id": question_id(conversation.summary, [each.id for each in kept]),
        "since": conversation.updated_at,
        "summary": _summary(books, conversation, language),
        "draft_id": draft.id if draft is not None and draft.state is DraftState.FILED else None,
        "reply_id": decision.reply_id if decision is not None and decision.state is SendState.UNCERTAIN else None,
        "messages": [{"id": each.id, "text": text_of(each.target, each.raw)} for each in kept],
    }
