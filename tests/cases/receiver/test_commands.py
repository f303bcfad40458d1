"""3C: handler and notifier processes that misbehave in every way that was reported; what they were and did is counted
by the machine, not by us."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

import pytest

from tests.cases.receiver.stage import NOTED, YES, Stage, alive, seconds
from tests.cases.reports import case
from tests.receiver.world import until

pytestmark = pytest.mark.slow
REPLY = json.dumps({"schema_version": 1, "action": "reply", "message": YES})


@case("R033", "`sh -c 'sleep 60 & sleep 60'`: returns ≤ timeout+2 s, group killed")
def test_r033_a_grandchild_keeps_the_pipe(stage: Stage) -> None:
    """The cycle comes back in time, and nothing of the group is left."""
    began = time.monotonic()
    stage.on()
    idle = seconds(began)
    stage.handled_by("/bin/sh", "-c", "sleep 61.0303 & sleep 62.0303", timeout_seconds=1)
    stage.write_grant("grant-2")
    stage.peer_says("Can we meet?")
    began = time.monotonic()
    stage.on()

    assert seconds(began) <= 1.5 * idle + 1 + 2, "a start's own time may vary"
    assert alive("sleep 61.0303") + alive("sleep 62.0303") == 0
    assert stage.failure() == "timeout"


@case("R035", "`yes` handler: killed at the byte cap, RSS flat, both streams drained")
@pytest.mark.parametrize(
    ("command", "failure"),
    [
        ("yes {}", "output_too_large"),
        ("yes {} >&2 & yes {}", "output_too_large"),
        ("yes {} >&2", "timeout"),
    ],
    ids=["out", "both", "err"],
)
def test_r035_endless_output(stage: Stage, command: str, failure: str) -> None:
    """What cannot be heard out costs no memory: the receiver is as large as in an idle cycle."""
    word = os.urandom(8).hex()
    stage.handled_by("/bin/sh", "-c", command.replace("{}", word), timeout_seconds=2)
    idle = _largest(stage)
    stage.peer_says("Can we meet?")
    busy = _largest(stage)

    assert busy < idle + 20_000, "kilobytes"
    assert stage.failure() == failure
    assert alive(f"yes {word}") == 0


def _largest(stage: Stage) -> int:
    """The kilobytes of a cycle's process and those that it waited for, at their largest."""
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True)\n"
    code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    words = [sys.executable, "-m", "dragoman.cli.main", "once", "--config", str(stage.config), "--json"]
    stage.passed()
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    return int(done.stdout.splitlines()[-1])


@case("R037", "`\\xff` in stdout → decision rejected (`handler_output_invalid`), daemon alive, count spent")
def test_r037_bytes_that_are_no_text(stage: Stage) -> None:
    """The turn has failed and is paid for; the receiver lives on and answers the next one."""
    other = stage.another("other")
    contact = stage.opens(other)
    text = NOTED + 'note("calls.jsonl", json.load(sys.stdin))\nsys.stdout.buffer.write(b"{\\xff}")\n'
    stage.handled_by(sys.executable, stage.script("bytes.py", text))
    stage.write_grant("grant-7f3a", contact_ids=[stage.contact, contact])
    stage.peer_says("Can we meet?")
    with stage.serving() as process:
        assert until(lambda: stage.failure() == "not_utf8")
        assert process.poll() is None
        assert stage.task()["turns_used"] == len(stage.calls()) >= 1
        stage.says(other, contact, "And we two?")
        assert until(lambda: contact in {call["contact_id"] for call in stage.calls()})

    assert (stage.texts(), stage.texts(contact)) == ([], [])


@case("R040", "ignore EPIPE; judge by exit status and stdout")
@pytest.mark.parametrize(("ending", "texts"), [("exit 0", [YES]), ("exit 1", [])])
def test_r040_nobody_reads_the_question(stage: Stage, ending: str, texts: list[str]) -> None:
    """A handler that closes its ear before a long question counts by what it says and how it ends."""
    stage.handled_by("/bin/sh", "-c", f"exec 0<&-; echo '{REPLY}'; {ending}")
    for number in range(12):
        stage.peer_says(f"{number} " + "Can we meet? " * 1_200)
    stage.on()

    assert stage.texts() == texts


@case("R042", "notifier needs an explicit acknowledgement JSON with the id, not just exit 0")
@pytest.mark.parametrize(
    "said",
    ["ERROR: not sent", '{"schema_version":1,"delivered":true,"notification_id":"ntf-other"}', '{"delivered":true}'],
    ids=["an error", "another id", "no id"],
)
def test_r042_exit_0_is_no_acknowledgement(stage: Stage, said: str) -> None:
    """It was told once, it is not claimed, and it is not told again by itself."""
    stage.confirms(raw=said)
    stage.answers(action="waiting_owner", owner_summary="Offer the 6th?")
    stage.peer_says("Which day?")
    stage.on()
    stage.on()

    assert [each["state"] for each in stage.status()["notifications"]] == ["uncertain"]
    assert len(stage.told()) == 1


@case("R043", "allow-list env; test that `FOO_DB_URL`, tokens, identity key path are absent")
@pytest.mark.parametrize("command", ["handler", "notifier"])
def test_r043_what_a_command_may_see(stage: Stage, command: str) -> None:
    """Of everything that the receiver's environment holds, only the short list and what was named by the operator."""
    planted = {
        "FOO_DB_URL": "postgres://u:SECRET-1@db/x",
        "GITHUB_TOKEN": "SECRET-2",
        "AWS_SESSION": "SECRET-3",
        "SSH_AUTH_SOCK": "SECRET-4",
        "KEYFILE": str(stage.folder / "us.key"),
        "MODEL_NAME": "small",
    }
    see = 'note("seen.jsonl", dict(os.environ))\n'
    path = getattr(stage, command)
    path.write_text(path.read_text().replace("import json, os", "import os, json", 1) + "\n")
    path.write_text(path.read_text().replace("\nasked = ", f"\n{see}asked = ").replace("\ntold = ", f"\n{see}told = "))
    body = json.loads(stage.config.read_text())[command] | {"environment": ["MODEL_NAME"]}
    stage.write(**{command: body})
    stage.answers(action="waiting_owner", owner_summary="Offer the 6th?")
    stage.peer_says("Which day?")
    process = stage.start("once", **planted)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, out + err
    (seen,) = map(json.loads, (stage.folder / "seen.jsonl").read_text().splitlines())

    assert seen.keys() <= {*planted, "DRAGOMAN_RUN", "PATH", "HOME", "LANG", "TZ", "TMPDIR"} | {
        name for name in os.environ if name.startswith("LC_")
    }
    assert seen["MODEL_NAME"] == "small"
    assert not {*planted} - {"MODEL_NAME"} & seen.keys()
    assert "SECRET" not in str(seen)
    assert "us.key" not in str(seen)


@case("R045", "attempts cap per message → parked + owner notice; other contacts proceed")
def test_r045_a_message_on_which_the_handler_always_fails(stage: Stage) -> None:
    """Three charged attempts, then it rests with the owner, who is told once; another contact has been served."""
    other = stage.another("other")
    contact = stage.opens(other)
    stage.write_grant("grant-7f3a", contact_ids=[stage.contact, contact])
    stage.answers(YES, by_word={"meet": {"exit": 1}})
    stage.peer_says("Can we meet?")
    stage.says(other, contact, "And we two?")
    for ahead in (0, 6, 40, 80):
        stage.on(ahead)

    assert [each for each in stage.asked() if each] == [["Can we meet?"], ["And we two?"]] or len(stage.calls()) == 4
    assert stage.texts(contact) == [YES]
    assert stage.status()["messages"] == {"done": 1, "kept": 1}
    assert stage.task() == {"state": "waiting_owner", "stop_reason": "waiting_owner", "turns_used": 3}
    assert [told["milestone"] for told in stage.told()] == ["decision_needed"]
    assert not stage.unacked()


@case("R046", "empty/whitespace `message` with `reply` rejected; sentinel words never sent")
@pytest.mark.parametrize("message", ["", "  \n\t", "\u200b\u2060", "NO_REPLY", "HEARTBEAT_OK"])
def test_r046_silence_is_no_message(stage: Stage, message: str) -> None:
    """The peer is not woken by nothing, nor by the word that means nothing: the usual one, or the policy's own."""
    if message == "HEARTBEAT_OK":
        stage.script("policy.toml", f'version = 1\nsilence_token = "{message}"\n')
        stage.write(policy="policy.toml")
    stage.answers(raw=json.dumps({"schema_version": 1, "action": "reply", "message": message}))
    stage.peer_says("Can we meet?")
    stage.on()

    assert (len(stage.calls()), stage.texts()) == (1, [])
    assert stage.road.of(r"^POST .*/contacts/\w+/messages$") == []


@case("R047", "probe answer other than `completed` → probe fails, nothing leaves the machine (hub log empty)")
@pytest.mark.parametrize(
    "answer",
    [
        {"action": "reply", "message": YES},
        {"action": "waiting_owner", "owner_summary": "Shall I?"},
        {"action": "no_reply"},
        {"action": "completed"},
    ],
    ids=["reply", "waiting_owner", "no_reply", "no summary"],
)
def test_r047_a_probe_that_wants_to_speak(stage: Stage, answer: dict[str, Any]) -> None:
    """The probe says that it failed; no request of any kind has gone to the hub."""
    stage.answers(to_probe=True, **answer)
    done = stage.ran("probe")

    assert (done.code, done.error) == (3, "handler_failed")
    assert [call["probe"] for call in stage.calls()] == [True]
    assert stage.road.asked == []
    assert [told["milestone"] for told in stage.told()] == ["probe"], "the notifier's own probe, to the owner"
