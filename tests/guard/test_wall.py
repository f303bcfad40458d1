"""The wall's own laws, on an SDK of three lines: what is judged once, whose a pass is, and that a fence stands once."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from dragoman.channels.wall import Wall, Walls, fence
from dragoman.errors import DragomanError
from dragoman.gate.in_memory import MemoryJournal
from tests.guard.world import gate_at, stopped


@pytest.fixture
def built(tmp_path: Path) -> tuple[Wall, MemoryJournal]:
    """A wall for which `look` reads and `say` sends, and its journal."""
    gate, journal = gate_at(tmp_path, "slack", "T001", "C001")
    return Wall("slack", frozenset({"look"}), frozenset({"say"}), gate), journal


def became(act: Callable[[], object]) -> str:
    """`passed` or the code."""
    try:
        act()
    except DragomanError as error:
        return error.code
    return "passed"


def crossed(wall: Wall, call: str) -> str:
    """What becomes of one call."""

    def cross() -> None:
        with wall.crossing(call):
            pass

    return became(cross)


def test_reads_pass_sends_and_unknown_do_not(built: tuple[Wall, MemoryJournal]) -> None:
    """Three calls: one of each kind; and the operator reads which of the two noes it was."""
    wall, journal = built
    with pytest.raises(DragomanError, match="`say` sends"):
        wall.judge("say")
    with pytest.raises(DragomanError, match="`shout` is not known to the guard"):
        wall.judge("shout")

    assert "passed" == crossed(wall, "look")
    assert ["slack.say", "slack.shout"] == [entry.consumer for entry in stopped(journal)]


def test_what_lies_below_a_call_is_that_call(built: tuple[Wall, MemoryJournal]) -> None:
    """A transport within a transport is judged once, by one name; another name below it is another call."""
    wall, journal = built
    with wall.open_for(("say",)), wall.crossing("say"):
        assert ["passed", "ungated_send"] == [crossed(wall, "say"), crossed(wall, "shout")]
        wall.judge("POST /anything")  # the session below does not know the call's name
    with wall.crossing("look"):
        assert "ungated_send" == crossed(wall, "say")

    assert 2 == len(stopped(journal))


@pytest.mark.anyio
async def test_a_call_below_is_below_in_the_same_task_only(built: tuple[Wall, MemoryJournal]) -> None:
    """Neither a task nor a thread that copied the context is inside the call."""
    wall, _ = built

    async def child() -> str:
        return became(lambda: wall.judge("POST /anything"))

    found: list[str] = []
    with wall.open_for(("say",)), wall.crossing("say"):
        found.append(await asyncio.create_task(child()))
        found.append(await asyncio.to_thread(became, lambda: wall.judge("POST /anything")))
        copied = contextvars.copy_context()
        thread = threading.Thread(target=copied.run, args=(lambda: found.append(crossed(wall, "say")),))
        thread.start()
        thread.join()

    assert ["ungated_send"] * 3 == found


def test_a_pass_is_of_one_wall(built: tuple[Wall, MemoryJournal], tmp_path: Path) -> None:
    """What one client's door carries out lets nothing of another client out."""
    wall, _ = built
    gate, _ = gate_at(tmp_path, "slack", "T002", "C002")
    other = Wall("slack", frozenset(), frozenset({"say"}), gate)
    with wall.open_for(("say",)):
        assert ["ungated_send", "passed"] == [crossed(other, "say"), crossed(wall, "say")]


class Transport:
    """The SDK."""

    def say(self, text: str) -> str:
        """Its one function."""
        return text


def test_a_fence_stands_once_and_only_where_there_is_something(built: tuple[Wall, MemoryJournal]) -> None:
    """Two guards put one fence up; an SDK without the function that is known is refused as a whole."""
    wall, journal = built

    def crossing(*_: object) -> AbstractContextManager[None]:
        return wall.crossing("say")

    fence(Transport, "say", crossing)
    fence(Transport, "say", crossing)
    with pytest.raises(DragomanError, match="ungated_send"):
        Transport().say("x")
    with pytest.raises(DragomanError) as refused:
        fence(Transport, "shout", crossing)

    assert ("not_ready", 1) == (refused.value.code, len(stopped(journal)))
    assert not hasattr(Transport.say, "__wrapped__")


def test_whose_a_call_is(built: tuple[Wall, MemoryJournal]) -> None:
    """By the client, by its present secret, by any secret while it has none, and else nobody's."""
    wall, _ = built
    walls, client, secrets = Walls(), object(), ["s1"]
    walls.build(client, lambda: iter_of(secrets), wall)
    found = [walls.around(client), walls.around(object(), secret="s1"), walls.around(object(), secret="s2")]
    secrets[:] = ["s2"]
    found.append(walls.around(secret="s2"))
    secrets.clear()
    found += [walls.around(secret="s3"), walls.around(secret=None), walls.around(object()), walls.any()]

    assert [wall, wall, None, wall, wall, None, None, wall] == found
    walls.clear()
    assert walls.any() is None


def iter_of(secrets: list[str]) -> Iterator[str | None]:
    """The secrets, or None for none yet."""
    yield from secrets or [None]  # type: ignore[list-item]
