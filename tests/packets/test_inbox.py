"""Taking packets in: one piece of work, one result; acknowledgements are owed once, and never for themselves."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from dragoman.clock import SystemClock
from dragoman.packets.build import message
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


RETRY = {"message_id": "msg-0002", "delivery__retry_count": 1, "extensions": {"x-note": "again"}}


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


def test_an_acknowledgement_of_ours_ends_the_duty(tmp_path: Path) -> None:
    """Written by another program and taken in here, it settles what it names; it is due nothing itself."""
    take(tmp_path, packet())
    ack = packet("uai.agent.ack.v1", body__acknowledged_message_id="msg-0001", message_id="msg-0009")
    ack = sealed({**ack, "delivery": {**ack["delivery"], "idempotency_key": "idem-msg-0009"}})
    assert 0 == take(tmp_path, ack)[0]

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
