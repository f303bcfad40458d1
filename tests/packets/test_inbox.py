"""Taking packets in: one piece of work, one result; acknowledgements are owed once, and never for themselves."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from dragoman.clock import SystemClock, rfc3339
from dragoman.packets.build import message
from dragoman.packets.chain import validate_chain
from dragoman.packets.examples import example
from dragoman.packets.inbox import again, first, kept_of, work_of
from dragoman.packets.seal import sealed, written
from tests.packets.test_cli_packet import run

NOW = SystemClock().now()


def packet(profile: str = "uai.agent.message.v1", **changed: Any) -> dict[str, Any]:
    """A fresh packet; `a__b=value` changes a field before it is sealed."""
    counter = itertools.count(1)
    made = json.loads(example(profile, now=NOW, new_id=lambda kind: f"{kind}-{next(counter):04d}"))
    made["message_id"] = "msg-0001"
    made["delivery"]["idempotency_key"] = "idem-msg-0001"
    made["conversation"]["correlation_id"] = "corr-0001"
    for way, value in changed.items():
        box, last = made, way.split("__")
        for part in last[:-1]:
            box = box[part]
        box[last[-1]] = value
    return sealed(made)


RETRY: dict[str, Any] = {"message_id": "msg-0002", "delivery__retry_count": 1, "extensions": {"x-note": "again"}}


@pytest.mark.parametrize(
    ("changed", "outcome"),
    [
        ({}, "repeated"),
        (RETRY, "repeated"),
        ({"body__intent": "Something else."}, "conflict"),
        ({"target__agent_id": "agent:other"}, "conflict"),
        ({"conversation__correlation_id": "corr-0002"}, "conflict"),
    ],
)
def test_a_used_key(changed: dict[str, Any], outcome: str) -> None:
    """The same work gives the first result, another one a conflict with it."""
    kept = kept_of(packet(), NOW)
    answer = again(packet(**changed), kept)

    assert (outcome, kept.result) == (answer.outcome, answer.result)
    assert first(kept).result == answer.result


@pytest.mark.parametrize(
    ("profile", "asks", "due"),
    [("uai.agent.message.v1", True, True), ("uai.agent.message.v1", False, False), ("uai.agent.ack.v1", True, False)],
)
def test_what_is_due_an_acknowledgement(profile: str, asks: bool, due: bool) -> None:
    """What asks for one; an acknowledgement never, whatever it asks."""
    assert due == kept_of(packet(profile, delivery__ack_required=asks), NOW).result.acknowledgement_due


def test_work_is_not_its_envelope() -> None:
    """A retry is the same work: its own id, time and count are of the envelope."""
    assert work_of(packet()) == work_of(packet(**RETRY))


def take(folder: Path, made: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """`packet inbox take`, its exit code and answer."""
    code, text = run("inbox", "take", "-", "--state", str(folder / "inbox"), "--json", stdin=written(made))
    return code, json.loads(text)


def test_the_whole_way(tmp_path: Path) -> None:
    """Taken, repeated, refused, in conflict; the acknowledgement that is owed validates, and is the same once more."""
    code, taken = take(tmp_path, packet())
    again_code, repeated = take(tmp_path, packet(**RETRY))
    conflict_code, conflict = take(tmp_path, packet(body__intent="Something else."))
    refused_code, refused = take(tmp_path, packet(body__intent=" "))
    assert [(0, "taken"), (0, "repeated"), (1, "conflict"), (1, "refused")] == [
        (code, taken["outcome"]),
        (again_code, repeated["outcome"]),
        (conflict_code, conflict["outcome"]),
        (refused_code, refused["outcome"]),
    ]
    assert taken["result"] == repeated["result"] == conflict["result"]

    state = ("--state", str(tmp_path / "inbox"))
    assert ["msg-0001"] == [row["message_id"] for row in json.loads(run("inbox", "due", *state, "--json")[1])["due"]]
    acks = [run("inbox", "ack", "msg-0001", *state, "--json") for _ in range(2)]
    assert acks[0] == acks[1]
    assert 0 == run("validate", "-", stdin=acks[0][1].encode())[0]
    assert {"due": []} == json.loads(run("inbox", "due", *state, "--json")[1])


def acknowledgement(by: str, to: str = "agent:stock", **changed: Any) -> dict[str, Any]:
    """An acknowledgement of `packet()`; its target is the agent of the desk."""
    named = {"source__agent_id": by, "target__agent_id": to, "body__acknowledged_message_id": "msg-0001"}
    own = {"message_id": "msg-0009", "delivery__idempotency_key": "idem-msg-0009"}
    return packet("uai.agent.ack.v1", **(named | own | changed))


@pytest.mark.parametrize(
    ("by", "to", "changed"),
    [
        ("agent:stock", "agent:desk", {}),
        ("agent:stock", "agent:stock", {}),
        ("agent:other", "agent:stock", {}),
        ("agent:Desk", "agent:stock", {}),
        ("agent:desk", "agent:other", {}),
        ("agent:desk", "agent:stock", {"conversation__correlation_id": "corr-0009"}),
        ("agent:desk", "agent:stock", {"body__acknowledged_message_id": "msg-0002"}),
    ],
)
def test_nobody_else_ends_the_duty(tmp_path: Path, by: str, to: str, changed: dict[str, Any]) -> None:
    """Neither its source nor a stranger, to nobody else, of no other conversation: the packet stays due."""
    take(tmp_path, packet())
    assert "taken" == take(tmp_path, acknowledgement(by, to, **changed))[1]["outcome"]

    assert ["msg-0001"] == due(tmp_path)


def due(folder: Path) -> list[str]:
    """The message ids that are due an acknowledgement."""
    rows = json.loads(run("inbox", "due", "--state", str(folder / "inbox"), "--json")[1])["due"]
    return [row["message_id"] for row in rows]


def test_an_end_between_two_writes_is_made_good(tmp_path: Path) -> None:
    """An acknowledgement was taken, and the program ended before the duty was settled: taken again, it settles it."""
    take(tmp_path, packet())
    before = set((tmp_path / "inbox").iterdir())
    take(tmp_path, acknowledgement("agent:desk"))
    (settled,) = (each for each in set((tmp_path / "inbox").iterdir()) - before if each.suffix == ".ack")
    settled.unlink()
    assert ["msg-0001"] == due(tmp_path)
    assert "repeated" == take(tmp_path, acknowledgement("agent:desk"))[1]["outcome"]

    assert [] == due(tmp_path)


def test_two_sources_with_one_message_id(tmp_path: Path) -> None:
    """Who answers by a message id that two sources use is asked which one is meant; nothing is acknowledged unseen."""
    take(tmp_path, packet())
    take(tmp_path, packet(source__agent_id="agent:mallory"))
    state = ("--state", str(tmp_path / "inbox"), "--json")
    assert (2, "conflict") == run("inbox", "ack", "msg-0001", *state)
    code, text = run("inbox", "ack", "msg-0001", *state, "--source", "agent:stock")

    assert (0, "agent:stock") == (code, json.loads(text)["target"]["agent_id"])
    assert ["msg-0001"] == due(tmp_path)


def test_an_answer_is_not_changed_but_an_open_one_is_closed(tmp_path: Path) -> None:
    """Deferred, then accepted, each once and counted; what was accepted is never rejected; the chain holds."""
    take(tmp_path, packet())
    state = ("--state", str(tmp_path / "inbox"), "--json")
    deferred = run("inbox", "ack", "msg-0001", *state, "--status", "deferred", "--reason", "tomorrow")
    assert deferred == run("inbox", "ack", "msg-0001", *state)
    assert (2, "conflict") == run("inbox", "ack", "msg-0001", *state, "--status", "blocked", "--reason", "x")
    accepted = run("inbox", "ack", "msg-0001", *state, "--status", "accepted")
    assert accepted == run("inbox", "ack", "msg-0001", *state)
    assert (2, "conflict") == run("inbox", "ack", "msg-0001", *state, "--status", "rejected", "--reason", "x")

    assert [0, 1] == [json.loads(text)["conversation"]["sequence"] for _, text in (deferred, accepted)]
    chain = [("0", written(packet()))] + [(str(at), text.encode()) for at, (_, text) in enumerate([deferred, accepted])]
    assert () == validate_chain(chain).rules


def test_what_has_expired_is_not_accepted(tmp_path: Path) -> None:
    """Taken in time and accepted too late: refused, and still due; it can be rejected."""
    soon = rfc3339(SystemClock().now() + 1_500)
    take(tmp_path, packet(delivery__expires_at=soon))
    time.sleep(1.6)
    state = ("--state", str(tmp_path / "inbox"), "--json")
    assert (2, "conflict") == run("inbox", "ack", "msg-0001", *state)
    assert ["msg-0001"] == due(tmp_path)
    assert 0 == run("inbox", "ack", "msg-0001", *state, "--status", "rejected", "--reason", "too late")[0]


def test_an_inbox_that_is_none(tmp_path: Path) -> None:
    """A link, a file, a folder that others may enter: refused, and nothing is written."""
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "file").touch()
    (tmp_path / "open").mkdir(mode=0o755)
    raw = written(packet())
    for name, answer in (
        ("link", (2, "input_invalid")),
        ("file", (2, "input_invalid")),
        ("open", (3, "config_not_private")),
    ):
        assert answer == run("inbox", "take", "-", "--state", str(tmp_path / name), stdin=raw)
    assert [] == list((tmp_path / "real").iterdir()) == list((tmp_path / "open").iterdir())


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """A write that is cut off leaves no half packet and no file; with room again the packet is taken."""
    file = tmp_path / "packet.json"
    file.write_bytes(written(packet()))
    words = ["packet", "inbox", "take", str(file), "--state", str(tmp_path / "inbox"), "--json"]
    small = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); " + (
        "resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)); "
    )
    script = small + f"import sys; sys.argv = ['dragoman', *{words!r}]; from dragoman.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, check=False)

    assert "ledger_broken" == json.loads(done.stdout)["error"]["code"], done.stderr
    assert [] == list((tmp_path / "inbox").iterdir())
    assert "taken" == take(tmp_path, packet())[1]["outcome"]


def test_a_kill_at_any_moment(tmp_path: Path) -> None:
    """`kill -9` at each step of keeping a packet: afterwards it is taken or repeated, and what is due can be listed."""
    file = tmp_path / "packet.json"
    file.write_bytes(written(packet()))
    outcomes = set()
    for step in ("os.open", "os.fsync", "os.link"):
        folder = tmp_path / step
        words = ["packet", "inbox", "take", str(file), "--state", str(folder / "inbox"), "--json"]
        script = (
            "import os, signal, sys\n"
            "def hook(event, args):\n"
            f"    if {step!r} == 'os.open' and event == 'open' and str(args[0]).endswith('.new'): die()\n"
            f"    if {step!r} == 'os.link' and event == 'os.link': die()\n"
            "def die(): os.kill(os.getpid(), signal.SIGKILL)\n"
            f"if {step!r} == 'os.fsync':\n"
            "    real = os.fsync\n"
            "    os.fsync = lambda fd: die()\n"
            "sys.addaudithook(hook)\n"
            f"sys.argv = ['dragoman', *{words!r}]\n"
            "from dragoman.cli.main import main\n"
            "main()\n"
        )
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, check=False)
        assert -9 == done.returncode, done.stderr
        assert [] == due(folder)
        outcomes.add(take(folder, packet())[1]["outcome"])
        assert ["msg-0001"] == due(folder)

    assert {"taken"} == outcomes


def test_a_key_is_its_bytes(tmp_path: Path) -> None:
    """The same key by another source, or in other letters, is another key: neither blocks the first."""
    take(tmp_path, packet())
    others: tuple[dict[str, Any], ...] = (
        {"source__agent_id": "agent:mallory", "body__intent": "Something else."},
        {"delivery__idempotency_key": "idem-MSG-0001", "body__intent": "Something else."},
    )
    assert ["taken", "taken"] == [take(tmp_path, packet(**other))[1]["outcome"] for other in others]
    lookalike = take(tmp_path, packet(delivery__idempotency_key="idem-msg-000１"))[1]
    assert "refused" == lookalike["outcome"]
    assert "repeated" == take(tmp_path, packet(**RETRY))[1]["outcome"]


def test_an_acknowledgement_of_ours_ends_the_duty(tmp_path: Path) -> None:
    """Written by another program and taken in here, it settles what it names; it is due nothing itself."""
    take(tmp_path, packet())
    assert 0 == take(tmp_path, acknowledgement("agent:desk"))[0]

    assert {"due": []} == json.loads(run("inbox", "due", "--state", str(tmp_path / "inbox"), "--json")[1])
    assert (2, "conflict") == run("inbox", "ack", "msg-0009", "--state", str(tmp_path / "inbox"))


def test_two_programs_at_once(tmp_path: Path) -> None:
    """Of many processes that take the same packet at once, one takes it, and all tell the same result."""
    file = tmp_path / "packet.json"
    file.write_bytes(written(packet()))
    (tmp_path / "inbox").mkdir(mode=0o700)
    command = [sys.executable, "-m", "dragoman.cli.main", "packet", "inbox", "take", str(file), "--json"]

    def one(number: int) -> dict[str, Any]:
        done = subprocess.run([*command, "--state", str(tmp_path / "inbox")], capture_output=True, check=True)
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(one, range(4)))
    assert ["repeated"] * 3 + ["taken"] == sorted(answer["outcome"] for answer in answers)
    assert 1 == len({json.dumps(answer["result"], sort_keys=True) for answer in answers})


def test_the_builder_and_the_inbox_agree(tmp_path: Path) -> None:
    """What the running life writes can be taken in."""
    assert callable(message)
    for profile in ("uai.agent.task-status.v1", "uai.agent.blocker.v1", "uai.intent.request.v1"):
        code, answer = take(tmp_path, packet(profile, delivery__idempotency_key=f"idem-{profile[-9:]}"))
        assert (0, "taken") == (code, answer["outcome"])
