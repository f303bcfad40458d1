"""The same story on every platform (one chapter a test): who is answered, who is not, and what leaves when things fail.

A chapter that a platform cannot play is skipped with the world's own words for why; a world must name each of them.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

import pytest

from dragoman.gate.event import Event, EventKind
from dragoman.gate.ports import Turn
from dragoman.words import Fact, Outcome, Reason
from tests.platforms.life import CLOCK, GUARDED, HELLO, Life, living, plain, schedule_grant, streaming
from tests.platforms.world import PlatformWorld

CHAPTERS: Final = frozenset(
    {
        *("reads_all", "direct", "trio", "inside", "shared", "bots", "quotes", "replies"),
        *("albums", "edits", "renames", "streams", "reads_back"),
    }
)
STORY: Final = (
    "The returns are looked after by Jordan. The forms lie at the reception. "
    f"Other goods are kept at the {GUARDED} by another customer. The kitchen is on the upper floor."
)
"""An answer whose third sentence names what belongs to another customer."""


class Stories:
    """Subclass it, and say how the world is opened: `async with self.open_world() as world`."""

    def open_world(self) -> contextlib.AbstractAsyncContextManager[PlatformWorld]:
        """A fresh world, its account opened."""
        raise NotImplementedError

    @contextlib.asynccontextmanager
    async def life(
        self, *chapters: str, more: Callable[[PlatformWorld], str] = lambda world: ""
    ) -> AsyncIterator[Life]:
        """A life in a fresh world, if it can play these chapters."""
        async with self.open_world() as world:
            assert CHAPTERS == world.can | world.why_not.keys(), "a world says of each chapter whether it can be played"
            for chapter in chapters:
                if chapter not in world.can:
                    pytest.skip(f"{world.platform}: {world.why_not[chapter]}")
            async with living(world, more(world)) as life:
                yield life

    def _run(self, story: Callable[[], Awaitable[None]]) -> None:
        asyncio.run(asyncio.wait_for(story(), 120))

    # --- who is answered ----------------------------------------------------------------------------------------------

    def test_a_group_is_left_alone_until_it_asks(self) -> None:
        """Chatter of a group costs nothing and shows nothing; who addresses the agent is answered, once, there."""

        async def story() -> None:
            async with self.life() as life:
                async with life.costs_nothing():
                    chatter = await life.says(text="did you see the game?")
                    if "reads_all" in life.world.can:
                        assert (await life.decision(chatter)).outcome is Outcome.SILENT
                asked = await life.hears(text="where is list B?", mentions=True)
                assert (Outcome.RESPOND, 1) == (asked.outcome, life.turns), asked
                assert [HELLO] == await life.shows("group", [HELLO])
                assert asked.target == life.world.target("group")
                assert life.world.party("buyer") == next(
                    event.author.id for event in life.events if event.event_id == asked.event_id
                )

        self._run(story)

    def test_people_among_themselves(self) -> None:
        """A message to another person is not ours, whatever name stands in it."""

        async def story() -> None:
            async with self.life("reads_all") as life:
                async with life.costs_nothing():
                    to_other = await life.hears(text="can you drive?", mentions_other="jordan")
                    assert to_other.outcome is Outcome.SILENT
                assert [] == await life.world.shown("group")

        self._run(story)

    def test_another_bot(self) -> None:
        """What another bot says is no request, even when it addresses us."""

        async def story() -> None:
            async with self.life("bots") as life:
                async with life.costs_nothing():
                    bot = await life.hears(who="crier", text="status please", mentions=True)
                    assert bot.outcome is not Outcome.RESPOND
                assert [] == await life.world.shown("group")

        self._run(story)

    def test_a_group_of_three_is_no_one_to_one(self) -> None:
        """In a group direct message nobody is answered without asking."""

        async def story() -> None:
            async with self.life("trio") as life:
                unasked = await life.says(place="trio", text="hello you two")
                if "reads_all" in life.world.can:
                    assert (await life.decision(unasked)).outcome is Outcome.SILENT
                asked = await life.hears(place="trio", text="and you, desk?", mentions=True)
                assert (Outcome.RESPOND, 1) == (asked.outcome, life.turns), asked
                assert [HELLO] == await life.shows("trio", [HELLO])

        self._run(story)

    def test_a_real_one_to_one(self) -> None:
        """In a one-to-one everything a person says is a request."""

        async def story() -> None:
            async with self.life("direct") as life:
                asked = await life.hears(place="direct", text="are you there?")
                assert (Outcome.RESPOND, Reason.DIRECT_MESSAGE) == (asked.outcome, asked.reason)
                assert [HELLO] == await life.shows("direct", [HELLO])

        self._run(story)

    # --- what is forged -----------------------------------------------------------------------------------------------

    def test_a_quote_asks_nobody(self) -> None:
        """A mention inside a quoted text is not one."""

        async def story() -> None:
            async with self.life("quotes", "reads_all") as life, life.costs_nothing():
                quoted = await life.hears(text="look what it said", quotes="where is list B?")
                assert quoted.outcome is Outcome.SILENT

        self._run(story)

    def test_a_borrowed_name(self) -> None:
        """Who takes the operator's or the agent's name is still who he is."""

        async def story() -> None:
            async with self.life("renames", "reads_all") as life:
                await life.world.rename("jordan")
                async with life.costs_nothing():
                    named = await life.hears(who="jordan", text="good morning all")
                    assert named.outcome is Outcome.SILENT
                event = next(each for each in life.events if each.event_id == named.event_id)
                assert life.world.party("jordan") == event.author.id

        self._run(story)

    # --- how a request comes ------------------------------------------------------------------------------------------

    def test_an_album_is_one_request(self) -> None:
        """Pictures that come together, with one text that asks, are answered once."""

        async def story() -> None:
            async with self.life("albums") as life:
                await life.says(text="what are these?", mentions=True, files=3)
                assert [HELLO] == await life.shows("group", [HELLO])
                await asyncio.sleep(1.0)
                assert ([HELLO], 1) == (await life.world.shown("group"), life.turns)

        self._run(story)

    def test_stop_during_a_burst(self) -> None:
        """`stop` by who asked ends what waits, and nothing is said."""

        async def story() -> None:
            async with self.life("albums") as life:

                async def slow(turn: Turn) -> None:
                    await asyncio.sleep(0.8)
                    await turn.reply(HELLO)

                life.answers = slow
                await life.says(text="what are these?", mentions=True, files=2)
                await asyncio.sleep(0.1)
                await life.says(text="/stop", mentions=True)
                await asyncio.sleep(2.2)
                assert [] == await life.world.shown("group")

        self._run(story)

    def test_an_edit_that_adds_a_mention(self) -> None:
        """By itself an edit is no request."""

        async def story() -> None:
            async with self.life("edits", "reads_all") as life:

                async def edited() -> bool:
                    return any(event.kind is EventKind.EDIT for event in life.events)

                async with life.costs_nothing():
                    said = await life.says(text="where is list B?")
                    await life.decision(said)
                    await life.world.edit("buyer", "group", said, "where is list B then?", mentions=True)
                    assert await life.until(edited)
                assert [] == await life.world.shown("group")

        self._run(story)

    def test_a_place_that_is_shared(self) -> None:
        """Where a guest or another organisation listens is external, even if the policy says internal."""

        async def story() -> None:
            async with self.life("shared") as life:
                asked = await life.hears(who="oper", place="shared", text="what do we pay?", mentions=True)
                assert "external" == asked.audience

        self._run(story)

    # --- what leaves --------------------------------------------------------------------------------------------------

    def test_a_long_answer_with_somebody_elses_name_in_it(self) -> None:
        """Streamed in pieces that cut the name: not a letter of it is ever shown; the rest waits for the operator."""

        async def story() -> None:
            async with self.life("streams") as life:
                life.answers = streaming(STORY)
                await life.hears(text="how is the hall laid out?", mentions=True)
                await asyncio.sleep(0.5)
                shown = "\n".join(await life.world.shown("group"))
                assert not any(word in shown for word in ("Northwind", "North", "depot"))
                assert 1 == len(life.approvals.listed())

        self._run(story)

    def test_a_long_answer_arrives_whole(self) -> None:
        """Without such a name all of it is shown."""

        async def story() -> None:
            async with self.life("streams") as life:
                whole = STORY.replace(GUARDED, "north hall")
                life.answers = streaming(whole)
                await life.hears(text="how is the hall laid out?", mentions=True)

                async def there() -> bool:
                    return "".join(whole.split()) in "".join("".join(await life.world.shown("group")).split())

                assert await life.until(there)

        self._run(story)

    def test_a_failing_handler(self) -> None:
        """The one fixed sentence is said, and not a word of the error."""

        async def story() -> None:
            async with self.life() as life:

                async def broken(turn: Turn) -> None:
                    raise RuntimeError("secret-host.internal refused")

                life.answers = broken
                await life.hears(text="where is list B?", mentions=True)

                async def said() -> bool:
                    return bool(await life.world.shown("group"))

                assert await life.until(said)
                (sentence,) = await life.world.shown("group")
                assert not any(word in sentence for word in ("secret-host", "RuntimeError"))
                life.answers = plain
                await life.hears(text="and now?", mentions=True)
                assert [sentence, HELLO] == await life.shows("group", [sentence, HELLO])

        self._run(story)

    @pytest.mark.parametrize("granted", [True, False], ids=["with a grant", "without one"])
    def test_a_scheduled_message(self, granted: bool) -> None:
        """What a schedule says leaves under its grant only."""

        async def story() -> None:
            async with self.life(more=lambda world: schedule_grant(world.target("group"))) as life:
                event = Event(
                    kind=EventKind.SYNTHETIC,
                    target=life.world.target("group"),
                    event_id="schedule-1",
                    dedupe_key="schedule-1",
                    received_at=CLOCK.now(),
                    authenticated=Fact.YES,
                    shared=Fact.NO,
                    grant_id="weekly" if granted else None,
                )
                before = await life.world.written()
                await life.judge(event)
                expected = [HELLO] if granted else []
                assert expected == await life.shows("group", expected)
                if not granted:
                    assert before == await life.world.written()

        self._run(story)
