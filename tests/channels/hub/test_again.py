"""Asking a hub again: what is repeated, after which wait, and what is not."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.channels.hub.again import FIRST_MS, LONGEST_MS, again, wait_ms
from dragoman.channels.hub.answers import HubError
from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.keys import RoleKey
from dragoman.clock import SystemClock
from tests.hub_process import running_hub

NOW = 1_800_000_000_000


def no(code: str, status: int, retry_at: int | None = None) -> HubError:
    """What the client raises for a no of the hub, or for none (status 0)."""
    return HubError("hub_refused", wire_code=code, status=status, retry_at=retry_at, sent=status > 0)


class Turned:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.time = NOW
        self.slept: list[float] = []

    def now(self) -> int:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += int(seconds * 1000)


WAITS = [
    ("no answer, the first time", no("", 0), 1, 0.0, 250),
    ("no answer, the first time, by chance", no("", 0), 1, 1.0, 500),
    ("no answer, the third time", no("", 0), 3, 1.0, 2_000),
    ("no answer, for long", no("", 0), 40, 1.0, LONGEST_MS),
    ("too much to do", no("overloaded", 503), 1, 1.0, 500),
    ("an error inside", no("internal", 500), 2, 1.0, 1_000),
    ("the hub says when", no("rate_limited", 429, NOW + 7_000), 1, 0.0, 7_000),
    ("the hub says when, and it is past", no("rate_limited", 429, NOW - 7_000), 1, 0.0, 0),
    ("a limit that says when", no("reply_limited", 429, NOW + 3_600_000), 9, 1.0, 3_600_500),
    ("a contact of nobody", no("contact_unknown", 404), 1, 0.5, None),
    ("a taken id", no("reply_id_conflict", 409), 1, 0.5, None),
]


@pytest.mark.parametrize(
    ("error", "attempt", "chance", "wait"), [row[1:] for row in WAITS], ids=[row[0] for row in WAITS]
)
def test_waits(error: HubError, attempt: int, chance: float, wait: int | None) -> None:
    """The hub's word first, else growing waits; a no that stands is not asked again."""
    assert wait == wait_ms(error, attempt, NOW, 0, chance)


@given(st.integers(1, 10_000), st.floats(0, 1), st.integers(-(10**7), 10**7))
def test_waits_have_bounds(attempt: int, chance: float, skew: int) -> None:
    """However often and by whatever chance: never less than half of the first wait, never more than the longest."""
    wait = wait_ms(no("", 0), attempt, NOW, skew, chance)

    assert wait is not None
    assert FIRST_MS // 2 <= wait <= LONGEST_MS


@pytest.mark.anyio
async def test_it_ends() -> None:
    """A hub that never comes back is asked with growing waits until the time is over, and the last error is raised."""
    turned = Turned()
    asked = 0

    async def ask() -> None:
        nonlocal asked
        asked += 1
        raise no("", 0)

    with pytest.raises(HubError):
        await again(ask, clock=turned, sleep=turned.sleep, chance=lambda: 1.0, within_ms=20_000)

    assert ([0.5, 1.0, 2.0, 4.0, 8.0], 6) == (turned.slept, asked)


@pytest.mark.anyio
async def test_a_send_outlives_the_hub(tmp_path: Path) -> None:
    """A send while the hub is killed and started again arrives once: the same `reply_id` is the same message."""
    a, b = RoleKey(b"a" * 32, f"ins_{1:032x}"), RoleKey(b"b" * 32, f"ins_{2:032x}")
    with running_hub(tmp_path / "hub") as hub:
        async with HubClient(hub.url, a, SystemClock()) as client, HubClient(hub.url, b, SystemClock()) as other:
            await client.register()
            await other.register()
            contact = (await client.open_contact("open_0001", b.role_id)).contact_id

            async def say(number: int) -> int:
                reply_id = f"reply_{number:06}"
                sent = await again(
                    lambda: client.send(contact, reply_id=reply_id, text=f"word {number}"),
                    clock=SystemClock(),
                    sleep=asyncio.sleep,
                    chance=random.Random(number).random,
                )
                return sent.seq

            saying = asyncio.gather(*(say(number) for number in range(60)))
            await asyncio.sleep(0.05)
            hub.kill()
            await asyncio.to_thread(hub.start)
            seqs = await saying
            stored = (await client.messages(contact)).messages

    assert list(range(1, 61)) == sorted(seqs)
    assert {f"word {number}" for number in range(60)} == {each.text for each in stored}
