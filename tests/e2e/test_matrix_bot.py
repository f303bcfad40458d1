"""The example bot as a user runs it: a process of its own on a real homeserver."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from tests.e2e.matrix_world import MatrixWorld, text
from tests.synapse import ROOT, Synapse

pytestmark = [pytest.mark.synapse, pytest.mark.slow]
BOT = ROOT / "examples" / "matrix_bot.py"


def run(*arguments: str) -> subprocess.Popen[str]:
    """The example with these arguments."""
    return subprocess.Popen([sys.executable, str(BOT), *arguments], stdout=subprocess.PIPE, text=True)


def until(told: IO[str], wanted: str) -> list[str]:
    """The lines that the bot printed, up to the one that is `wanted`."""
    lines: list[str] = []
    while not lines or lines[-1] != wanted:
        line = told.readline()
        assert line, f"the bot ended after {lines}"
        lines.append(line.rstrip("\n"))
    return lines


def test_the_example_bot(synapse: Synapse, tmp_path: Path) -> None:
    """It answers a mention in a listed room, prints each decision, leaves all else alone, and ends when interrupted."""
    world = MatrixWorld(synapse, f"bot{os.getpid()}")
    world.rooms["group"] = synapse.room(world.buyer, world.agent, *map(world.user, ("jordan", "crier", "double")))
    token, policy = tmp_path / "token", tmp_path / "policy.toml"
    token.touch(0o600)
    token.write_text(world.agent.token)
    policy.write_text(world.policy())
    bot = run(synapse.url, world.agent.user_id, str(token), str(policy))
    assert bot.stdout is not None
    try:
        until(bot.stdout, "listening")
        world.says("buyer", "group", "closing list B")
        world.says("buyer", "group", text("where is the dock?", world.agent))
        decisions = until(bot.stdout, "output: delivered (released)")
        assert decisions == [
            "event: silent (not_requested)",
            "event: respond (agent_mentioned)",
            "life: sending (released)",
            "output: delivered (released)",
        ]
        assert world.bodies("group") == ["I read: where is the dock?"]
    finally:
        bot.send_signal(signal.SIGINT)
        code = bot.wait(60)
        bot.stdout.close()
    assert code == 0


def test_the_example_bot_with_a_state(synapse: Synapse, tmp_path: Path) -> None:
    """Killed and started again on the same folder: the room sees one answer per request, the journal is one chain."""
    world = MatrixWorld(synapse, f"state{os.getpid()}")
    world.rooms["group"] = synapse.room(world.buyer, world.agent, *map(world.user, ("jordan", "crier", "double")))
    token, policy, state = tmp_path / "token", tmp_path / "policy.toml", tmp_path / "state"
    token.touch(0o600)
    token.write_text(world.agent.token)
    policy.write_text(world.policy())
    wanted: list[str] = []
    for asked in ("are you there?", "and after the restart?"):
        bot = run(synapse.url, world.agent.user_id, str(token), str(policy), str(state))
        assert bot.stdout is not None
        try:
            until(bot.stdout, "listening")
            world.says("buyer", "group", text(asked, world.agent))
            wanted.append(f"I read: {asked}")
            deadline = time.monotonic() + 20
            while world.bodies("group") != wanted and time.monotonic() < deadline:
                time.sleep(0.1)
        finally:
            bot.kill()
            bot.wait(60)
            bot.stdout.close()
    verify = [sys.executable, "-m", "dragoman.cli", "journal", "verify", "--state", str(state)]
    verified = subprocess.run(verify, capture_output=True, text=True, timeout=60, check=False)

    assert wanted == world.bodies("group")
    assert 0 == verified.returncode, verified.stderr


def test_a_refused_token_is_said_in_one_sentence(synapse: Synapse, tmp_path: Path) -> None:
    """A wrong token ends it with exit code 3 and a sentence, not with a traceback, and the token is not shown."""
    world = MatrixWorld(synapse, f"bot{os.getpid()}")
    token, policy = tmp_path / "token", tmp_path / "policy.toml"
    token.touch(0o600)
    token.write_text("syt_nobody")
    policy.write_text("version = 1\n")
    argv = [sys.executable, str(BOT), synapse.url, world.agent.user_id, str(token), str(policy)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("cannot run: channel_refused")
    assert "Traceback" not in done.stderr
    assert "syt_nobody" not in done.stderr
