"""A handler that lies: about topics, classes and silence; with endless, huge, nested, late or countless answers."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.cases.doors import SAFE, Bot, Daemon, Desk
from tests.cases.runs import RETRIES
from tests.cli.desk import told

PRICE = "Our price is 40 EUR."
slow = pytest.mark.slow


@slow
@pytest.mark.parametrize("topics", [[], ["unverified_claim"], ["prices_and_rates"]])
def test_declared_topics_take_none_away(daemon: Daemon, topics: list[str]) -> None:
    """Whatever a handler declares, or leaves out, a price is a price."""
    daemon.answers(PRICE, topics=topics)
    daemon.platform.ask()
    daemon.once()

    assert [] == daemon.platform.texts("EXT")


@pytest.mark.parametrize("output_class", ["progress", "operational", "reasoning", "internals", "secret", "path"])
def test_no_class_but_the_two_leaves(desk: Desk, output_class: str) -> None:
    """What is born as anything but an answer never reaches an outsider, though its text be harmless."""
    done = told(desk.release("Good morning.", "--admitted", output_class=output_class))

    assert ("deny", []) == (done["release"], done["sent"])


@pytest.mark.parametrize(
    "text", [PRICE, "Good morning.", f"{SAFE} {PRICE}", f"{SAFE}\n{PRICE}", SAFE + "\u200b" + PRICE]
)
def test_a_safe_error_is_no_way_around_the_checks(desk: Desk, text: str) -> None:
    """Only our own fixed sentence alone is let off the topics."""
    done = told(desk.release(text, "--admitted", output_class="safe_error"))

    assert PRICE not in text or ("hold", []) == (done["release"], done["sent"])


@pytest.mark.parametrize(
    "text",
    ["NO_REPLY", " NO_REPLY\n", "Sure. NO_REPLY", "NO_REPLY because the price is secret", "**NO_REPLY**", "[NO_REPLY]"],
)
def test_a_marker_of_silence_is_never_shown(desk: Desk, text: str) -> None:
    """Alone it is silence, in a text it denies the text; whole and in a stream, letter by letter."""
    for said in (text, list(text)):
        done = told(desk.release(said, "--admitted"))
        assert not any("NO_REPLY" in each["text"] for each in done["sent"])


RAW: dict[str, str | int] = {
    "no JSON": "Our price is 40 EUR.",
    "two objects": '{"schema_version":1,"action":"no_reply"}{"schema_version":1,"action":"reply","message":"x"}',
    "a key twice": '{"schema_version":1,"action":"no_reply","action":"reply","message":"x"}',
    "deep": "[" * 100_000,
    "deep objects": '{"a":' * 100_000,
    "deep in a key": '{"schema_version":1,"action":"reply","message":"x","topics":' + "[" * 90_000 + "]" * 90_000 + "}",
    "a huge number": '{"schema_version":1,"action":"reply","message":"x","complete":' + "9" * 200_000 + "}",
    "a number too small": '{"schema_version":1e400,"action":"reply","message":"x"}',
    "half characters": '{"schema_version":1,"action":"reply","message":"\\ud800"}',
    "a class of its own": '{"schema_version":1,"action":"reply","message":"x","class":"final"}',
    "a target of its own": '{"schema_version":1,"action":"reply","message":"x","target":"memory/desk/DM2"}',
    "a grant of its own": '{"schema_version":1,"action":"reply","message":"x","grant_id":"weekly"}',
    "nothing to see": '{"schema_version":1,"action":"reply","message":"\\u200b\\u2060"}',
    "too much": json.dumps({"schema_version": 1, "action": "reply", "message": "x" * 400_000}),
}


@slow
@pytest.mark.parametrize("name", RAW)
def test_an_answer_of_another_shape_says_nothing(daemon: Daemon, name: str) -> None:
    """Refused whole, in a moment; the counterparty gets one fixed sentence at the end, and the cycle goes on."""
    daemon.answers(raw=RAW[name])
    daemon.platform.ask()
    began = time.monotonic()
    for ahead in RETRIES:
        daemon.once(ahead)

    assert [SAFE] == daemon.platform.texts()
    assert time.monotonic() - began < 30


@slow
def test_a_turn_says_no_more_than_its_admission_allows(bot: Bot) -> None:
    """Countless replies, edits and streams of one turn: the sends and the changes end."""
    bot.platform.ask()
    bot.run([*([["reply", f"Good morning {letter}."] for letter in "abcdefghijklmnopqrstuvwxyz"])])
    sends = len(bot.platform.arrived)
    bot.platform.ask()
    bot.run([["reply", "Good morning."], *([["edit", f"Good evening{'.' * number}"] for number in range(700)])])

    assert 1 <= sends < 26
    assert len(bot.platform.arrived) - sends < 600


@slow
def test_replies_at_once_share_one_budget(bot: Bot) -> None:
    """A turn that says a hundred things at the same time, before the first has arrived."""
    bot.platform.ask()
    done = bot.run([["at_once", [f"Good morning{'!' * number}" for number in range(100)]]])
    bot.platform.ask()
    bot.run([*([["reply", f"Good day{'!' * number}"] for number in range(100)])])
    at_once, later = [
        sum(each["text"].startswith(word) for each in bot.platform.arrived) for word in ("Good m", "Good d")
    ]

    assert (at_once, 100) == (later, len([each for each in done if "outcome" in each]))


@slow
def test_a_turn_that_is_over_says_nothing(bot: Bot) -> None:
    """An agent keeps the turn of one outsider and speaks by it during the turn of another."""
    bot.platform.ask(channel="DM1", direct=True)
    bot.platform.ask(channel="DM2", direct=True, author="zenith")
    done = bot.run([["reply", "Good morning."]], [["late", "Good evening."]])

    assert ["send", "deny"] == [each["outcome"] for each in done]
    assert ["Good morning."] == bot.platform.texts()


@slow
def test_an_endless_stream_ends(bot: Bot) -> None:
    """A stream without end is cut off where a stream must end, in a moment, and its rest is not said."""
    bot.platform.ask(channel="DM1", direct=True)
    began = time.monotonic()
    bot.run([["stream", ["a" * 50 + "\n"] * 5_000]])

    assert time.monotonic() - began < 40
    assert sum(len(each["text"]) for each in bot.platform.arrived if each["operation"] == "send") <= 200_000


@slow
@pytest.mark.parametrize("chunk", ["a", "。", "\n", " ", "9", "`", "<", "N"])
def test_a_stream_of_single_letters_takes_no_time(bot: Bot, chunk: str) -> None:
    """Thirty thousand pieces of one character."""
    bot.platform.ask(channel="DM1", direct=True)
    began = time.monotonic()
    bot.run([["stream", [chunk] * 30_000]])

    assert time.monotonic() - began < 20


def parts(**more: Any) -> str:
    """A draft file."""
    return json.dumps({"text": "See.", "parts": more})


@pytest.mark.parametrize(
    "draft",
    [
        parts(cards=[{"title": "a", "fields": [{"name": "n", "value": "v"}] * 30_000}]),
        parts(buttons=[{"label": "a"}] * 100_000),
        parts(cards=[{"title": "a", "cards": [{"title": "a"}]}]),
        '{"text":"a","parts":' + '{"cards":[' * 50_000,
        parts(polls=[{"question": "a", "options": ["b"] * 50_000}]),
        parts(files=[{"name": "a.txt", "content": "QUJD" * 1_000_000}]),
    ],
)
def test_parts_are_bounded(desk: Desk, draft: str) -> None:
    """Too many, too deep and too large are refused in a moment."""
    began = time.monotonic()
    done = desk.release(draft, "--admitted", "--draft")

    assert done.code != 0 or told(done)["sent"] == []
    assert time.monotonic() - began < 30
