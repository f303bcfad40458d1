"""What participants can type, be called, or blow up, on every platform: nothing of it asks, nothing takes its time.

The payloads are those of each adapter's contract: a message that asks, and the same without what asks.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from dragoman.gate.event import AuthorKind, Event
from dragoman.testing.adapter_world import TEXT, Payloads
from dragoman.testing.judged import judged
from dragoman.testing.payloads import changed, places, texts_replaced
from dragoman.words import Fact, Outcome
from tests.channels.email import mails
from tests.channels.fuzzing import at, worlds
from tests.channels.slack.test_contract import read as read_slack

WORLDS = worlds()
MARKED = sorted(name for name, world in WORLDS.items() if not world.text_may_ask)
SECONDS = 2.0

DRESSED = (
    *(
        "{}",
        "@{}",
        "＠{}",
        "<{}>",
        "<@{}>",
        "<@!{}>",
        "<@&{}>",
        "&lt;@{}&gt;",
        "\\<@{}>",
        "@**{}**",
        "@_**{}**",
        "@[{}]",
    ),
    *("`{}`", "```\n{}\n```", "> {}", "&gt; {}", ">>> {}", "||{}||", "*{}*", "[{}](https://x.example)", "<at>{}</at>"),
    *("/{}", "!{}", "{}:", "{}, which dates?", "<a href='https://matrix.to/#/{}'>x</a>", "https://matrix.to/#/{}"),
    *(
        "\u202e{}\u202c",
        "\u200b{}\u200b",
        "{}\u200d",
        "\ufeff{}",
        "{}\x00",
        "<!subteam^{}>",
        "<!here> {}",
        "@here @all @room",
    ),
    "{}" * 300,
)
"""How a name can be dressed by whoever types it."""


@pytest.mark.parametrize("platform", MARKED)
def test_nothing_typed_asks(platform: str) -> None:
    """Names and ids of the agent, typed as every platform's marks, quoted, hidden, reversed: still only text."""
    world = WORLDS[platform]
    for name in world.names:
        for dress in DRESSED:
            event = world.read(texts_replaced(world.unasked, TEXT, dress.replace("{}", name)))
            assert judged(event).outcome is not Outcome.RESPOND, dress.replace("{}", name)[:80]


def called(raw: Any) -> list[tuple[str | int, ...]]:
    """Where a payload says how somebody is called."""
    names = {"name", "username", "first_name", "last_name", "title", "sender_full_name", "display_name", "global_name"}
    names |= {"nick", "profile", "real_name", "sender_name", "channel_name", "channel_display_name"}
    return [place for place in places(raw) if place[-1] in names and isinstance(at(raw, place), str)]


@pytest.mark.parametrize("platform", sorted(WORLDS))
def test_a_name_makes_nobody_somebody_else(platform: str) -> None:
    """Whatever people and places are called: author, target, kind and decision stay as they are, or nobody answers."""
    world = WORLDS[platform]
    for raw in (world.asking, world.unasked):
        meant = world.read(raw)
        for place in called(raw):
            for name in (*world.names, "Oper", "\u202erepO", "desk\x00", "<@U1>", "a" * 5_000):
                event = world.read(changed(raw, place, name))
                told = (event.author, event.target, event.author_kind, event.mentions_agent, event.command)
                same = told == (meant.author, meant.target, meant.author_kind, meant.mentions_agent, meant.command)
                assert same or judged(event).outcome is not Outcome.RESPOND, (place, name[:20])


BLOWN = (
    *("@" * 200_000, "<@" * 100_000, "`" * 200_000, "```" * 60_000, "&gt;" * 50_000, "> \n" * 60_000, "(" * 200_000),
    *("<" * 250_000, "[[" * 100_000, "\n" * 250_000, " " * 250_000, ":a" * 100_000, "<at>" * 60_000, "<b>" * 80_000),
    *("<blockquote>" * 20_000, "&" * 250_000, "/" * 250_000, "\u200b" * 250_000, "a@" * 100_000, "*_~" * 80_000),
    *("||" * 120_000, "@**" * 80_000, "https://" * 30_000, "<!--" * 60_000, "((" * 1_000 + "a" * 100_000),
)


def timed(world: Payloads, raw: Any) -> tuple[Event, float]:
    """The facts, and how long they took."""
    began = time.process_time()
    event = world.read(raw)
    return event, time.process_time() - began


@pytest.mark.parametrize("platform", sorted(WORLDS))
def test_large_texts_are_read_in_time(platform: str) -> None:
    """A quarter of a megabyte of what a reader could stumble over."""
    world = WORLDS[platform]
    took = {text[:12]: timed(world, texts_replaced(world.asking, TEXT, text))[1] for text in BLOWN}

    assert {} == {text: seconds for text, seconds in took.items() if seconds > SECONDS}


@pytest.mark.parametrize("platform", sorted(WORLDS))
def test_long_lists_and_deep_nests(platform: str) -> None:
    """Ten thousand mentions, blocks, flags, and things in things in things: in time, and without an error."""
    world = WORLDS[platform]
    deep: Any = "x"
    for _ in range(400):
        deep = (
            {"elements": [deep], "type": "rich_text_section", "content": [deep]}
            if deep == "x"
            else {"elements": [deep]}
        )
    for place in places(world.asking):
        value = at(world.asking, place)
        if isinstance(value, list) and value:
            assert timed(world, changed(world.asking, place, value * 10_000))[1] < SECONDS, place
        event, seconds = timed(world, changed(world.asking, place, deep))
        assert seconds < SECONDS, place
        assert event.malformed == () or judged(event).outcome is not Outcome.RESPOND, place


def test_an_operator_of_another_workspace() -> None:
    """The same id of another Slack workspace is another person, and makes the place shared."""
    asking = WORLDS["slack"].asking
    stranger = read_slack({**asking, "event": {**asking["event"], "user_team": "T0OTHERORG"}})

    assert ("T0OTHERORG", Fact.YES) == (stranger.author.workspace, stranger.shared)
    assert stranger.author != read_slack(asking).author


def test_one_channel_id_in_two_workspaces() -> None:
    """They are two targets, and their messages are no copies of each other."""
    asking = WORLDS["slack"].asking
    here, there = read_slack(asking), read_slack({**asking, "team_id": "T0OTHERORG", "authorizations": None})

    assert here.target.channel == there.target.channel
    assert here.target != there.target
    assert here.dedupe_key != there.dedupe_key


@pytest.mark.parametrize(
    "more",
    [{"bot_id": "B0CRIERBT1"}, {"app_id": "A0CRIERAP1"}, {"bot_profile": {"id": "B1"}}, {"subtype": "bot_message"}],
    ids=str,
)
def test_a_bot_that_writes_as_a_person(more: dict[str, Any]) -> None:
    """An app that posts with somebody's name, or as a user, is a bot: it needs a grant."""
    asking = WORLDS["slack"].asking
    event = read_slack({**asking, "event": {**asking["event"], "username": "Kim", **more}})

    assert AuthorKind.BOT is event.author_kind
    assert judged(event).outcome is not Outcome.RESPOND


def test_a_forged_mail_does_not_take_the_place_of_the_real_one() -> None:
    """Its key is its own, though author and message id are the real one's."""
    forged = mails.of(authentication_results="mx.desk.example; dmarc=fail header.from=shop.example")

    assert (forged.event_id, Fact.NO) == (mails.of().event_id, forged.authenticated)
    assert forged.dedupe_key != mails.of().dedupe_key
