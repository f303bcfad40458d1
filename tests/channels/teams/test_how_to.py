"""The page on Teams cannot rot: its blocks are a configuration and a policy as they stand."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from dragoman.channels.spool import Spool
from dragoman.channels.teams.section import TeamsSection
from dragoman.clock import SystemClock
from dragoman.gate.policy_file import parse_policy
from dragoman.identity import Target
from dragoman.receiver.config import ChannelsSection

PAGE = (Path(__file__).parents[3] / "docs/how-to/teams.md").read_text()


def test_the_blocks_of_the_page() -> None:
    """The section is read, and serves the target that the policy of the page lists."""
    blocks = dict(re.findall(r'```toml title="([\w.-]+)"\n(.*?)```', PAGE, re.DOTALL))
    channels = msgspec.toml.decode(blocks["teams.toml"], type=dict[str, ChannelsSection])["channels"]
    policy = parse_policy(blocks["teams-policy.toml"].encode())
    target = Target("teams", "72f988bf-86f1-41af-91ab-2d7cd011db47", "19:9c1e4d2b7a@thread.v2")

    assert isinstance(channels.teams, TeamsSection)
    assert "teams:72f988bf-86f1-41af-91ab-2d7cd011db47" == channels.serving(target)
    assert target in policy.targets


@pytest.mark.anyio
async def test_the_command_of_the_page(tmp_path: Path) -> None:
    """It tells the conversation of the newest activity."""
    (tmp_path / "state" / "inbox").mkdir(parents=True)
    inbox = Spool(tmp_path / "state" / "inbox" / f"{b'teams:x'.hex()}.db", SystemClock())
    for id in ("19:older", "a:newest"):
        await inbox.put(msgspec.json.encode({"activity": {"conversation": {"id": id}}, "members": None}))
    inbox.close()
    words = shlex.split(next(line for line in PAGE.splitlines() if line.startswith("$ python")).removeprefix("$ "))

    done = subprocess.run([sys.executable, *words[1:]], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (0, "a:newest\n") == (done.returncode, done.stdout), done.stderr
