"""The fake channel: what it records, how it fails on demand, and its folder for two processes."""

from __future__ import annotations

import json
import multiprocessing
import os
import stat
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from dragoman.channels.memory.adapter import LINE_LIMIT, Arrival, Fault, MemoryChannel, Outbox
from dragoman.channels.memory.facts import MemoryAgent
from dragoman.clock import MINUTE
from dragoman.errors import DragomanError
from dragoman.gate.operations import Operation
from dragoman.gate.parts import Button, File, Parts
from dragoman.gate.ports import Channel, Output, Presence, Receipt
from dragoman.identity import Party, Target
from dragoman.words import Fact, SendKey

AGENT = MemoryAgent(workspace="desk", id="agent")
ROOM = Target("memory", "desk", "returns")


class At:
    """A clock that stands."""

    def now(self) -> int:
        """Always the same moment."""
        return 1_000


def channel(send_key: SendKey = SendKey.NATIVE, folder: Path | None = None) -> MemoryChannel:
    """A fake account."""
    return MemoryChannel(AGENT, clock=At(), send_key=send_key, folder=folder)


def said(text: str, key: str = "k1", target: Target = ROOM) -> Output:
    """A text to send."""
    return Output(operation=Operation.SEND, target=target, key=key, text=text)


@pytest.mark.anyio
async def test_it_is_a_channel_that_records() -> None:
    """A performed output is recorded and answered with evidence; other operations are counted too."""
    fake = channel()
    as_port: Channel = fake
    typing = Output(operation=Operation.TYPING, target=ROOM, key="k0")
    assert Receipt(delivered=Fact.YES, evidence="memory-1") == await as_port.perform(typing)
    assert Receipt(delivered=Fact.YES, evidence="memory-2") == await as_port.perform(said("hello"))
    assert [typing, said("hello")] == fake.performed
    assert {Operation.TYPING: 1, Operation.SEND: 1} == dict(fake.counts)
    assert set(Operation) == set(as_port.operations)


@pytest.mark.anyio
async def test_faults_come_in_order() -> None:
    """Planned faults hit one call each: what is known to be refused is NO, what timed out is UNKNOWN."""
    fake = channel()
    fake.plan(Fault.REFUSED, Fault.RATE_LIMITED, Fault.VANISHED, None, Fault.ANSWER_LOST)
    receipts = [await fake.perform(said(str(n), f"k{n}")) for n in range(6)]
    assert [Fact.NO, Fact.NO, Fact.UNKNOWN, Fact.YES, Fact.UNKNOWN, Fact.YES] == [r.delivered for r in receipts]
    assert 1_000 + MINUTE == receipts[1].retry_at
    assert ["3", "4", "5"] == [output.text for output in fake.performed]


@pytest.mark.anyio
@pytest.mark.parametrize(("send_key", "arrived"), [(SendKey.NATIVE, 1), (SendKey.NONE, 2)])
async def test_the_same_key_twice(send_key: SendKey, arrived: int) -> None:
    """After a lost answer, a repetition arrives once with a native key, and twice without."""
    fake = channel(send_key)
    fake.plan(Fault.ANSWER_LOST)
    await fake.perform(said("hello"))
    assert Fact.YES is (await fake.perform(said("hello"))).delivered
    assert arrived == len(fake.performed)
    assert {send_key} == {spec.send_key for spec in fake.operations.values()}


@pytest.mark.anyio
async def test_another_accounts_target_is_refused() -> None:
    """An output for another workspace provably does not leave."""
    fake = channel()
    assert Fact.NO is (await fake.perform(said("hello", target=Target("memory", "other", "returns")))).delivered
    assert [] == fake.performed


@pytest.mark.anyio
async def test_presence_is_unknown_unless_stated() -> None:
    """Nothing is assumed about who is there."""
    fake = channel()
    assert Presence(Fact.UNKNOWN) == await fake.presence(ROOM)
    there = Presence(Fact.NO, frozenset({Party("memory", "desk", "buyer")}))
    fake.presence_of[ROOM] = there
    assert there == await fake.presence(ROOM)


@pytest.mark.anyio
async def test_the_inbox_gives_complete_lines_only(tmp_path: Path) -> None:
    """Complete objects come with the offset behind them; torn and broken lines do not."""
    folder = tmp_path / "room"
    fake = channel(folder=folder)
    (folder / "inbox.jsonl").write_bytes(b'{"id":"m1"}\nnot json\n[1]\n{"id":"m2"}\n{"id":"m3"')
    arrivals = fake.events()
    assert Arrival({"id": "m1"}, 1_000, 12) == await anext(arrivals)
    second = await anext(arrivals)
    assert ({"id": "m2"}, 37) == (second.raw, second.offset)
    with (folder / "inbox.jsonl").open("ab") as inbox:
        inbox.write(b"}\n")
    assert {"id": "m3"} == (await anext(arrivals)).raw
    assert {"id": "m3"} == (await anext(fake.events(second.offset))).raw
    assert Fact.YES is fake.event(second).authenticated


@pytest.mark.anyio
async def test_a_line_that_is_left_out_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By file and place, never by its words; an empty line is nothing; without anybody to tell, standard error is."""
    folder, told = tmp_path / "room", list[DragomanError]()
    lines = b'{"id":"m1"}\n\nnot json\n[1]\n\xff\n' + b"x" * (LINE_LIMIT + 1) + b'\n{"id":"m2"}\n'
    fake = MemoryChannel(AGENT, clock=At(), folder=folder, report=told.append)
    (folder / "inbox.jsonl").write_bytes(lines)
    arrivals = fake.events()
    assert ["m1", "m2"] == [(await anext(arrivals)).raw["id"] for _ in range(2)]

    places = [13, 22, 26, 28]
    assert [f"the line at byte {place} is no JSON object; it was left out" for place in places] == [
        error.detail for error in told
    ]
    assert {(str(folder / "inbox.jsonl"), "write one JSON object per line")} == {
        (each.where, each.fix) for each in told
    }
    arrivals = channel(folder=folder).events()
    assert ["m1", "m2"] == [(await anext(arrivals)).raw["id"] for _ in range(2)]
    assert 4 == capsys.readouterr().err.count("input_invalid")


@pytest.mark.anyio
async def test_the_outbox_is_private_and_survives_a_torn_line(tmp_path: Path) -> None:
    """The outbox has mode 0600 in a 0700 folder; a line torn by a crash is cut before the next."""
    folder = tmp_path / "room"
    fake = channel(folder=folder)
    await fake.perform(said("one", "k1"))
    path = folder / "outbox.jsonl"
    with path.open("ab") as outbox:
        outbox.write(b'{"id":"memory-2","key":"k')
    await channel(folder=folder).perform(said("two", "k2"))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [("memory-1", "k1", "one"), ("memory-2", "k2", "two")] == [(x["id"], x["key"], x["text"]) for x in lines]
    assert (0o600, 0o700) == (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(folder.stat().st_mode))


def test_a_folder_open_to_others_is_refused(tmp_path: Path) -> None:
    """Somebody else could write events there."""
    (tmp_path / "room").mkdir()
    os.chmod(tmp_path / "room", 0o755)
    with pytest.raises(DragomanError) as refused:
        channel(folder=tmp_path / "room")
    assert "config_not_private" == refused.value.code


def _append(folder: Path, worker: int, together: Barrier) -> None:
    outbox = Outbox(folder / "outbox.jsonl", native=True)
    for n in range(30):
        together.wait(60)
        outbox.append(said(f"{worker}", f"k{n}"), n)


def test_processes_write_each_key_once(tmp_path: Path) -> None:
    """Processes that repeat the same key at the same moment leave one line per key."""
    folder = tmp_path / "room"
    outbox = Outbox(folder / "outbox.jsonl", native=True)
    outbox.append(said("first", "k"), 0)
    path = folder / "outbox.jsonl"
    path.write_bytes(path.read_bytes() * 5_000)  # a long file: reading it takes long enough to collide
    spawn = multiprocessing.get_context("spawn")
    together = spawn.Barrier(3)
    workers = [spawn.Process(target=_append, args=(folder, n, together)) for n in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [line.key for line in outbox.read()[5_000:]] == [f"k{n}" for n in range(30)]


@pytest.mark.anyio
async def test_the_folder_keeps_parts(tmp_path: Path) -> None:
    """Another process reads what came with a text: files as base64, and who alone sees it."""
    tmp_path.chmod(0o700)
    parts = Parts(files=(File(name="a.bin", content=b"\x00\xff"),), buttons=(Button(label="Open"),))
    fake = channel(folder=tmp_path)
    kim = Party("memory", "desk", "kim")
    await fake.perform(Output(operation=Operation.PRIVATE, target=ROOM, key="k1", text="hi", parts=parts, only_for=kim))

    (line,) = Outbox(tmp_path / "outbox.jsonl", native=True).read()
    raw = json.loads((tmp_path / "outbox.jsonl").read_text())

    assert (parts, kim, Operation.PRIVATE) == (line.parts, line.only_for, line.operation)
    assert "AP8=" == raw["parts"]["files"][0]["content"]
