"""Abuse of what waits: floods of parts, others who join, stolen albums, deletions and stops of others' things, and a
policy that changes, or is mistyped, in the middle of it."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.cases.doors import WORLD, Bot, Daemon

pytestmark = pytest.mark.slow

ALBUM: dict[str, Any] = {"album": "a1", "attachments": 1}


def test_ten_thousand_parts_of_one_request_are_bounded(bot: Bot) -> None:
    """One author sends parts without end: a full buffer is decided at once, and the next ones are late."""
    bot.platform.ask("which dates?", channel="DM1", direct=True, **ALBUM)
    for number in range(3_000):
        bot.platform.write(f"part {number}", channel="DM1", direct=True, **ALBUM)
    began = time.monotonic()
    bot.run([["reply", "Good morning."]], [["reply", "Good morning."]], at_once=True)

    assert time.monotonic() - began < 50
    assert len(bot.platform.arrived) <= 2


def test_many_buffers_do_not_slow_each_other(bot: Bot) -> None:
    """A thousand authors with an album each, none of whom asked: nothing is said, and it takes no time."""
    for number in range(1_000):
        bot.platform.write("part", author=f"buyer{number}", **ALBUM)
    began = time.monotonic()
    bot.run()

    assert (time.monotonic() - began < 40, []) == (True, bot.platform.arrived)


@pytest.mark.parametrize(
    "other",
    [
        {"author": "mallory2"},
        {"channel": "INT"},
        {"thread": "t2"},
        {"author": "buyer\u200b"},
        {"author": "buyer", "bot": True},
    ],
)
def test_nobody_joins_the_album_of_another(daemon: Daemon, other: dict[str, Any]) -> None:
    """The same album id of another author, target, thread or kind of author is another album: nobody reads it."""
    daemon.platform.ask("which dates?", **ALBUM)
    daemon.platform.write("Send the price of Kestrel to me.", **(ALBUM | other))
    daemon.until(lambda: bool(daemon.calls()))
    time.sleep(0.5)
    daemon.once()

    assert [["which dates?"]] == [[each["text"] for each in call["messages"]] for call in daemon.calls()]


def test_an_album_id_that_was_used_up_by_another_swallows_nothing(daemon: Daemon) -> None:
    """Mallory is answered under an album id; the buyer's request under the same id is no duplicate of it."""
    daemon.platform.ask("first", author="guest", **ALBUM)
    daemon.until(lambda: len(daemon.calls()) == 1)
    daemon.platform.ask("second", author="buyer", **ALBUM)
    daemon.until(lambda: len(daemon.calls()) == 2)

    assert ["first", "second"] == [call["messages"][-1]["text"] for call in daemon.calls()]


def test_a_message_id_that_was_used_elsewhere_swallows_nothing(daemon: Daemon) -> None:
    """The same message id in another channel is another message."""
    daemon.platform.write("closing list B", id="same", channel="DM2", direct=True, author="guest")
    daemon.platform.ask("which dates?", id="same", channel="EXT")
    daemon.until(lambda: len(daemon.calls()) == 2)

    assert 2 == len(daemon.platform.arrived)


@pytest.mark.parametrize("stopper", ["guest", "buyer\u2060", "mallory"])
def test_nobody_stops_the_turn_of_another(daemon: Daemon, stopper: str) -> None:
    """An outsider's `stop` ends what is his; the buyer's waiting parts and running turn go on."""
    daemon.platform.ask("which dates?", **ALBUM)
    daemon.platform.write("/stop", author=stopper)
    daemon.platform.ask("/stop", author=stopper)
    daemon.until(lambda: bool(daemon.calls()))

    assert ["Good morning."] == daemon.platform.texts("EXT")


def test_a_deletion_elsewhere_deletes_nothing_here(daemon: Daemon) -> None:
    """The id of a waiting part is deleted in another channel."""
    asked = daemon.platform.ask("which dates?", **ALBUM)
    daemon.platform.write("", kind="other", deletes=asked, channel="DM1", author="buyer")
    daemon.until(lambda: bool(daemon.calls()))

    assert ["Good morning."] == daemon.platform.texts("EXT")


@pytest.mark.parametrize("mode", ["Shadow", "SHADOW", "shadow ", "shadw", "off", "", "none", "observe"])
def test_a_mistyped_mode_is_no_mode(daemon: Daemon, mode: str) -> None:
    """A running receiver keeps its last good policy, and a price stays a draft."""
    daemon.answers("Our price is 40 EUR.")
    with daemon.running():
        daemon.policy(WORLD.replace("version = 1", f'version = 1\nmode = "{mode}"', 1))
        daemon.platform.ask()
        end = time.monotonic() + 10
        while not daemon.calls() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.3)

    assert (1, []) == (len(daemon.calls()), daemon.platform.texts("EXT"))


def test_a_receiver_in_shadow_mode_sends_nothing(daemon: Daemon) -> None:
    """Also when shadow mode was written by mistake: another bot speaks there, and this one only looks on."""
    daemon.policy(WORLD.replace("version = 1", 'version = 1\nmode = "shadow"', 1))
    daemon.platform.ask()
    daemon.platform.fire("weekly")
    daemon.order("/pause everywhere")
    daemon.once()
    daemon.once()

    assert ([], []) == (daemon.calls(), daemon.platform.arrived)


def test_a_policy_that_changes_between_answer_and_send_holds(daemon: Daemon) -> None:
    """While the handler thinks, the target is denied: what it answers is not sent."""
    daemon.answers("Good morning.", sleep=1.5)
    with daemon.running():
        daemon.platform.ask()
        end = time.monotonic() + 10
        while not daemon.calls() and time.monotonic() < end:
            time.sleep(0.02)
        daemon.policy(
            WORLD.replace(
                'channel = "EXT"\naudience = "external"', 'channel = "EXT"\naccess = "deny"\naudience = "external"', 1
            )
        )
        time.sleep(2.5)

    assert (1, []) == (len(daemon.calls()), daemon.platform.texts("EXT"))


@pytest.mark.parametrize("hours", [-48, -1, 48])
def test_a_clock_that_steps_opens_nothing(daemon: Daemon, hours: int) -> None:
    """The clock jumps between filing and approving: nothing leaves twice, and what is expired stays so."""
    daemon.answers("Our price is 40 EUR.")
    daemon.platform.ask()
    daemon.once()
    (draft,) = daemon.drafts()
    daemon.once(hours * 3600)
    daemon.order(f"/approve {draft['id']}")
    daemon.once(hours * 3600)
    daemon.once(hours * 3600)
    daemon.once()

    assert len(daemon.platform.texts("EXT")) <= 1
    assert hours != 48 or [] == daemon.platform.texts("EXT")
