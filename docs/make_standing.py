"""Prints `docs/reference/delivery-states.md` and `readiness.md` from the hub's tables; a test holds the pages to them.

python docs/make_standing.py delivery-states > docs/reference/delivery-states.md
python docs/make_standing.py readiness > docs/reference/readiness.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Final

from dragoman.clock import DAY, MINUTE, SECOND
from dragoman.hub.standing import BACKGROUND_MS, DELIVERY, POLL_MS, PROBE_MS, READINESS, RECENT_MS, REPORT_MS
from dragoman.wire import DELIVERY_ZH, READINESS_ZH, Limits, ReadinessLevel

STATES_HEAD: Final = """# Delivery states

Printed from the hub's table (`python docs/make_standing.py delivery-states`); what stands here is what runs.
`GET /api/v1/contacts/{id}/communication` answers with `delivery.state`, the same in Chinese as `state_zh`, and
`retry_at` while `reply_limited`. `GET /api/v1/communication/status` answers with the 50 conversations that are
not closed and have the newest word; with `truncated: true` any other is asked for by its id. The state is
derived at each look from what is stored, and from the side of the role that asks. The first row that holds is
the state.
"""

STATES_TAIL: Final = """
- **Waits** are what a receiver reports of its conversations (`PUT /api/v1/communication/receiver`, `waiting`):
  `owner` when its handler asked the owner, `gate` when anything else waits for the owner (a held draft, a
  parked turn, an uncertain send, attended mode), `limit` when a saved reply waits for the reply limits. The
  peer is shown `peer_waiting_owner` for `owner` alone.
- A wait does not end by time: an owner who is away does not answer by being away. It ends when the receiver
  reports that it ended, or when another generation takes over, whose own report then counts.
- **`reply_limited`** is no failure: the limits (6 per contact and hour, 60 per role and day, both rolling) are
  used up. The receiver keeps the reply and sends it under the same `reply_id` when they have room; nobody is
  notified, no model is asked.
- **`peer_receiver.reported_recently`** says whether the peer's present primary instance reported itself within
  {recent} minutes, and nothing else: not that a model lives, that the peer refuses, or that a human has read.
- **`expired`** lists the caller's own replies that nobody fetched for {retention} days: `awaiting_peer_pickup`
  before, then dropped by the hub. Their sender has one event `message_expired` each (`GET /api/v1/events`); the
  receiver tells its owner once.
- Texts are removed after those {retention} days. That a reply id was accepted can be proven for {proof} days:
  `GET /api/v1/replies/{{id}}?since=` answers `reply_unknown` only where that is proof, else `proof_gone`; the
  receiver then keeps the reply as `uncertain_send` until its owner says what became of it.
"""

READINESS_HEAD: Final = """# Readiness

Printed from the hub's table (`python docs/make_standing.py readiness`); what stands here is what runs.
`GET /api/v1/me/readiness` (`.autonomy`) and `GET|PUT /api/v1/communication/receiver` (`.readiness`) answer with a
`level` and its `blockers`. Both are computed at each look from dated evidence and fall by themselves when it
ages; `reported_by` is always `client`: nothing of it was proven by the hub.
"""

READINESS_TAIL: Final = """
- **`none`**: no self-report of the present primary instance. A report of a superseded generation counts for
  nothing.
- **`configured`**: there is one. An old client, which names no version, is never more; nor is a brand, a
  registration or an open stall, which are not asked at all.
- **Polls** are noted when the primary instance asks for messages or renews a lease: a receiver that works
  through a long turn stays reachable. Sending, reading and logging in are not noted. They are kept in memory
  and written down every 20 seconds.
- **Moments** of a report are of the reporter's clock and are moved by the difference to the hub's; a moment
  ahead of now is no evidence.
- The receiver reports on a change and at least every minute, beside its work: a report that fails delays no
  reply. `dragoman status` shows the last answer under `hub`, `dragoman doctor` asks for it as `hub_readiness`.

High-water marks (`GET|PUT /api/v1/marks`) are two numbers per grant, `uses` and `all`, and the id of the ledger
that first used it. They only rise, are never summed and never given back as counts to go on from. A receiver
compares them at its start: a ledger that is another one, or below them, was deleted or restored
(`ledger_missing`), even when database and side file are both gone. That is left by restoring the state, or by
the owner's new grant.
"""


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """A Markdown table."""
    names = list(head)
    yield "| " + " | ".join(names) + " |"
    yield "|" + "---|" * len(names)
    for row in rows:
        yield "| " + " | ".join(str(cell) for cell in row) + " |"


def delivery_states() -> Iterator[str]:
    """The page of the ten states."""
    yield STATES_HEAD
    rows = [(number, f"`{row.state}`", DELIVERY_ZH[row.state], row.when) for number, row in enumerate(DELIVERY, 1)]
    yield from table(("", "state", "中文", "when"), rows)
    limits = Limits()
    yield STATES_TAIL.format(
        recent=RECENT_MS // MINUTE, retention=limits.retention_ms // DAY, proof=limits.proof_ms // DAY
    ).rstrip()


def readiness() -> Iterator[str]:
    """The page of the levels."""
    yield READINESS_HEAD
    needs: dict[ReadinessLevel, list[str]] = {level: [] for level in ReadinessLevel}
    for row in READINESS:
        needs[row.level].append(f"`{row.blocker}`")
    needs[ReadinessLevel.CONFIGURED] = ["a valid self-report"]
    yield from table(
        ("level", "中文", "needs, besides the level before it"),
        ((f"`{level}`", READINESS_ZH[level], ", ".join(names)) for level, names in needs.items()),
    )
    yield ""
    yield from table(("blocker", "is met when"), ((f"`{row.blocker}`", row.when) for row in READINESS))
    yield ""
    yield (
        f"Ages: a poll {POLL_MS // SECOND} s, background {BACKGROUND_MS // MINUTE} min, "
        f"a report {REPORT_MS // MINUTE} min, a probe {PROBE_MS // DAY} days."
    )
    yield READINESS_TAIL.rstrip()


PAGES: Final = {"delivery-states": delivery_states, "readiness": readiness}

if __name__ == "__main__":
    print("\n".join(PAGES[sys.argv[1]]()))
