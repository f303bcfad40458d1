"""Messages: sending them once, and reading them again.

Sends that arrive together are one call of `_send_all`: facts for all of them are fetched in a few statements, each is
decided by itself in the order of arrival, and what was accepted is written at once. So the cost of a commit and of a
round trip is shared, and a refusal touches nobody else: it uses up nothing of a limit either, and what was taken
before in the same call counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from dragoman import wire
from dragoman.clock import DAY, HOUR
from dragoman.hub import rows, rules, tenants
from dragoman.hub.desk import Desk
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Row, Transaction

WINDOWS: Final = (HOUR, DAY)
"""Of the two reply limits: per contact, per role."""
_BOUNDS: Final = (
    ("replies_per_contact_hour", "message_nth_in_contact"),
    ("replies_per_role_day", "message_nth_of_role"),
)
"""The limit of each window, and the statement that tells when the reply was sent that would have to leave it first."""


_Place = tuple[str, str]
"""What a window counts: a role in one contact, or, without one, wherever it sends."""


class _Ask(NamedTuple):
    """One send, checked as far as it can be without the store."""

    token: str | None
    contact_id: str
    body: wire.SendMessage
    digest: str
    complaint: str | None


class Messages:
    """The verbs of messages."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._verb = self._send_all  # one object, so that the store knows its lane

    async def send(self, token: str | None, contact_id: str, body: wire.SendMessage) -> wire.Sent:
        """Take a message; returns when it is durable."""
        ask = _Ask(
            token=token,
            contact_id=contact_id,
            body=body,
            digest=rules.body_digest(contact_id, body),
            complaint=rules.message_complaint(body, self._desk.limits),
        )
        return await self._desk.store.together(self._verb, ask)

    async def reply(self, token: str | None, reply_id: str, since: int | None = None) -> wire.Sent:
        """What was accepted under the caller's `reply_id`, minted at `since`; no row proves nothing for older ones."""

        async def work(tx: Transaction) -> wire.Sent:
            now = self._desk.clock.now()
            caller, _ = await rows.caller_of(tx, token, now)
            if not rules.is_minted_id(reply_id):
                raise Refusal("reply_unknown")
            known = await tx.one("message_known", **rows.known_asked([(caller.role_id, reply_id)]))
            proves = since is None or now - since <= self._desk.limits.proof_ms
            return rows.sent(rows.must(known, "reply_unknown" if proves else "proof_gone"), replayed=True)

        return await self._desk.store.read(work)

    async def page(self, token: str | None, contact_id: str, after: int) -> wire.Messages:
        """A page of a contact's messages."""

        async def work(tx: Transaction) -> wire.Messages:
            asking = await rows.seen(tx, token)
            caller, _ = rows.caller_in(asking, token, self._desk.clock.now())
            await rows.contact_row(tx, contact_id, caller.role_id)
            page = rows.limits_in(asking, token, self._desk.limits).page
            oldest = self._desk.clock.now() - self._desk.limits.retention_ms
            found = await tx.all("message_list", contact_id=contact_id, after=after, oldest=oldest, limit=page + 1)
            taken = rows.fitting(found[:page])
            return wire.Messages(
                messages=taken,
                next_after=taken[-1].seq if taken else after,
                truncated=len(taken) < len(found),
            )

        return await self._desk.store.read(work)

    async def _send_all(self, tx: Transaction, asks: Sequence[_Ask]) -> list[wire.Sent | Refusal]:
        sending = await _Sending.of(tx, self._desk, asks)
        answers = [rows.refused_or(sending.accept, ask) for ask in asks]
        await sending.write(tx)
        return answers


def _places(role_id: str, contact_id: str) -> tuple[_Place, _Place]:
    """The places of the two windows of `_BOUNDS`."""
    return (role_id, contact_id), (role_id, "")


class _Sending:
    """The sends of one transaction: what the store says of them, what was accepted so far, what is to be written."""

    def __init__(self, desk: Desk, now: int, callers: Mapping[str, Row], contacts: Mapping[str, Row]) -> None:
        self._desk = desk
        self._now = now
        self._callers = callers
        self._contacts = contacts
        self._known: dict[tuple[str, str], Row | Mapping[str, object]] = {}
        self._settling = rows.Settlements({}, {})
        self._windows: dict[_Place, dict[int, int]] = {}
        self._taken: Counter[_Place] = Counter()
        self._blocked: set[str] = set()
        self._seqs = {contact_id: row["last_seq"] for contact_id, row in contacts.items()}
        self._added: list[dict[str, object]] = []
        self._acked: list[dict[str, object]] = []

    @classmethod
    async def of(cls, tx: Transaction, desk: Desk, asks: Sequence[_Ask]) -> _Sending:
        """Fetch what the store says of these sends, each kind of fact for all of them at once."""
        now = desk.clock.now()
        ids = sorted({ask.contact_id for ask in asks if rules.is_contact_id(ask.contact_id)})
        # First what is locked. Alone: the limits of a role and its reply ids are its own, whatever contacts and hubs it
        # sends by at once. Then a look of its own, which sees what those wrote that were waited for.
        tokens = rows.callers_asked(ask.token for ask in asks)
        held = await tx.facts({"session_hold_alone": tokens, "contact_hold": {"contact_ids": ids}})
        contacts = {row["contact_id"]: row for row in held["contact_hold"]}
        sending = cls(desk, now, rows.callers_of(held["session_hold_alone"]), contacts)
        found = await tx.facts(
            {
                "block_contacts": {"contact_ids": ids},
                "message_known": rows.known_asked(sending._pairs(asks)),
                **rows.settlements_asked(
                    [ask.body.lease_token for ask in asks if ask.body.lease_token is not None],
                    [each for ask in asks for each in ask.body.ack_message_ids or ()],
                ),
            }
        )
        sending._blocked = {row["contact_id"] for row in found["block_contacts"]}
        sending._known = {(row["sender"], row["reply_id"]): row for row in found["message_known"]}
        sending._settling = rows.settlements_of(found)
        sending._windows = await sending._full(tx, asks)
        return sending

    def _pairs(self, asks: Sequence[_Ask]) -> list[tuple[str, str]]:
        """Who sends under which reply id."""
        found = [(self._callers.get(rows.token_hash(ask.token or "")), ask.body.reply_id) for ask in asks]
        return [(caller["role_id"], reply_id) for caller, reply_id in found if caller is not None]

    async def _full(self, tx: Transaction, asks: Sequence[_Ask]) -> dict[_Place, dict[int, int]]:
        """By place, and by how many of these sends it has taken, when the reply was sent that has to leave first."""
        asked: Counter[_Place] = Counter()
        wanted: list[list[dict[str, object]]] = [[], []]
        kept: list[tuple[_Place, int]] = []
        for ask in asks:
            caller = self._callers.get(rows.token_hash(ask.token or ""))
            if caller is None or (caller["role_id"], ask.body.reply_id) in self._known:
                continue
            limits = tenants.within(self._desk.limits, caller["limits"])
            for which, place in enumerate(_places(caller["role_id"], ask.contact_id)):
                bound = getattr(limits, _BOUNDS[which][0])
                taken = asked[place]
                asked[place] += 1
                if bound is None or taken >= bound:
                    continue
                sender, contact_id = caller["role_id"], ask.contact_id
                before = bound - 1 - taken
                wanted[which].append({"ask": len(kept), "sender": sender, "contact_id": contact_id, "before": before})
                kept.append((place, taken))
        full: dict[_Place, dict[int, int]] = {}
        for (_, name), each in zip(_BOUNDS, wanted, strict=True):
            for row in await tx.gather(name, each):
                place, taken = kept[row["ask"]]
                full.setdefault(place, {})[taken] = row["created_at"]
        return full

    def _leaving(self, place: _Place, bound: int | None) -> int | None:
        """When the reply was sent that must have left this window before one more; one of this batch: now."""
        taken = self._taken[place]
        if bound is None:
            return None
        return self._now if taken >= bound else self._windows.get(place, {}).get(taken)

    def accept(self, ask: _Ask) -> wire.Sent:
        """Decide one send; raises its refusal."""
        body = ask.body
        caller = rows.writer_in(self._callers, ask.token, body.generation, self._now)
        row = self._contacts.get(ask.contact_id)
        if row is None or caller.role_id not in (row["opener"], row["peer"]):
            raise Refusal("contact_unknown")
        known = self._known.get((caller.role_id, body.reply_id))
        if known is not None:
            if known["digest"] != ask.digest:
                raise Refusal("reply_id_conflict")
            return rows.sent(known, replayed=True)
        if ask.complaint is not None:
            raise Refusal(ask.complaint)
        limits = rows.limits_in(self._callers, ask.token, self._desk.limits)
        too_large = tenants.size_complaint(body, limits) if limits is not self._desk.limits else None
        if too_large is not None:
            raise Refusal(too_large)
        if row["closed_at"] is not None:
            raise Refusal("contact_closed")
        if ask.contact_id in self._blocked:
            raise Refusal("contact_blocked")
        places = _places(caller.role_id, ask.contact_id)
        bounds = [getattr(limits, field) for field, _ in _BOUNDS]
        until = rules.limited_until(
            [self._leaving(*each) for each in zip(places, bounds, strict=True)], WINDOWS, self._now
        )
        if until is not None:
            raise Refusal("reply_limited", retry_at=until, now=self._now)
        self._settle(caller, body)
        self._taken.update(places)
        return rows.sent(self._add(ask, caller.role_id, row), replayed=False)

    def _settle(self, caller: rules.Caller, body: wire.SendMessage) -> None:
        if body.ack_message_ids is not None and body.lease_token is None:
            raise Refusal("lease_lost")
        if body.lease_token is None:
            return
        self._settling.live(caller, body.lease_token, self._now)
        if body.ack_message_ids is not None:
            settling = self._settling.ask(caller, body.lease_token, body.ack_message_ids, self._now, rules.may_ack)
            if not settling.replayed:
                self._settling.settled(body.ack_message_ids)
                self._acked.append(
                    {"message_ids": body.ack_message_ids, "lease_token": body.lease_token, "now": self._now}
                )

    def _add(self, ask: _Ask, sender: str, contact: Row) -> Mapping[str, object]:
        self._seqs[ask.contact_id] += 1
        row: dict[str, object] = {
            "message_id": self._desk.new_id("msg_"),
            "contact_id": ask.contact_id,
            "seq": self._seqs[ask.contact_id],
            "sender": sender,
            "recipient": contact["peer"] if contact["opener"] == sender else contact["opener"],
            "reply_id": ask.body.reply_id,
            "digest": ask.digest,
            "text": ask.body.text,
            "packet": ask.body.packet,
            "complete": int(ask.body.complete),
            "now": self._now,
        }
        self._added.append(row)
        seen = {**row, "created_at": self._now}
        self._known[sender, ask.body.reply_id] = seen
        return seen

    async def write(self, tx: Transaction) -> None:
        """Write what was accepted, and wake whom it is for."""
        await tx.many("message_ack", self._acked)
        await tx.many("message_add", self._added)
        touched = {str(row["contact_id"]) for row in self._added}
        await tx.many("contact_seq", [{"contact_id": each, "last_seq": self._seqs[each]} for each in sorted(touched)])
        for role_id in sorted({str(row["recipient"]) for row in self._added}):
            await tx.ring(role_id)
