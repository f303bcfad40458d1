"""Parts of one request are decided together, and only when all of it is there (spec 1 §3 step 10, §11.3)."""

from __future__ import annotations

import pytest

from dragoman.gate.event import Event, EventKind
from dragoman.ledger.inbox import Inbound, InboundState
from dragoman.receiver.gather import gathered
from dragoman.words import Fact
from tests.gate.world import JORDAN, NOW, asked, said

QUIET, CAP = 1_500, 10_000


def row(event: Event, at: int) -> tuple[Inbound, Event]:
    """A row that arrived `at` milliseconds after NOW."""
    message = Inbound(
        id=event.event_id,
        target=event.target,
        position=NOW + at,
        raw=b"",
        state=InboundState.DEFERRED,
        reason="",
        turn_id=None,
        lease="",
        acked=False,
        received_at=NOW + at,
    )
    return message, event


def mentions(event: Event) -> bool:
    """Whether the event asks by itself."""
    return event.mentions_agent is Fact.YES


def seen(rows: list[tuple[Inbound, Event]], now: int) -> list[tuple[int, int]]:
    """How many messages each gathering has, and until when it waits after NOW (0: it is whole)."""
    found, _ = gathered(rows, mentions, NOW + now, QUIET, CAP)
    return [(len(each.messages), each.until and each.until - NOW) for each in found]


ALBUM = {"album": "a", "attachments": 1}


@pytest.mark.parametrize(
    ("rows", "now", "expected"),
    [
        pytest.param([(asked("hello"), 0)], 0, [(1, 0)], id="a text alone is decided at once"),
        pytest.param([(asked("", attachments=1), 0)], 0, [(1, 1_500)], id="a file may be followed by more"),
        pytest.param([(asked("", attachments=1), 0)], 1_500, [(1, 0)], id="and is whole when it was not"),
        pytest.param([(said("", attachments=1), 0)], 0, [(1, 0)], id="a file that asks nothing waits for nothing"),
        pytest.param(
            [(asked("", **ALBUM), 0), (said("", **ALBUM), 700), (said("", **ALBUM), 1_400)],
            1_500,
            [(3, 2_900)],
            id="each part of an album makes it wait",
        ),
        pytest.param(
            [(said("", **ALBUM), 0), (asked("", **ALBUM), 700)], 2_200, [(2, 0)], id="the sibling that asks may be last"
        ),
        pytest.param(
            [(asked("", attachments=1), 0), (asked("do these fit?"), 500)], 2_000, [(2, 0)], id="its text joins"
        ),
        pytest.param(
            [(asked("", attachments=1), 0), (asked("and now?"), 5_000)],
            5_000,
            [(1, 0), (1, 0)],
            id="a later text does not",
        ),
        pytest.param(
            [(asked("", attachments=1), 0), (said("by the way"), 500)],
            2_000,
            [(1, 0), (1, 0)],
            id="nor one that asks not",
        ),
        pytest.param(
            [(asked("", attachments=1), 0), (asked("hi", author=JORDAN), 500)],
            600,
            [(1, 1_500), (1, 0)],
            id="another author waits for nobody",
        ),
    ],
)
def test_what_belongs_together(rows: list[tuple[Event, int]], now: int, expected: list[tuple[int, int]]) -> None:
    """One row of the table per way in which messages arrive."""
    assert expected == seen([row(event, at) for event, at in rows], now)


def test_each_message_is_decided_once() -> None:
    """An album that asks and a second one of the same author: no message stands in two gatherings."""
    second = {"album": "b", "attachments": 1}
    rows = [
        row(asked("", **ALBUM), 0),
        row(said("", **second), 10),
        row(asked("", **second), 20),
        row(said("", **ALBUM), 30),
    ]
    found, _ = gathered(rows, mentions, NOW + CAP, QUIET, CAP)

    decided = [message.id for each in found for message in each.messages]
    assert sorted(message.id for message, _ in rows) == sorted(decided)


def test_a_deleted_request_leaves_its_album_unasked() -> None:
    """F11: the part that asked is gone; its siblings asked nothing."""
    asking = asked("", **ALBUM)
    rows = [row(asking, 0), row(said("", **ALBUM), 10), row(said(kind=EventKind.OTHER, deletes=asking.event_id), 20)]
    found, deleted = gathered(rows, mentions, NOW + CAP, QUIET, CAP)

    assert [asking.event_id] == [message.id for message in deleted]
    assert [Fact.NO, Fact.NO] == [each.event.mentions_agent for each in found]
