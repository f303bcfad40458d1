"""The page on Teams cannot rot: its blocks are a configuration and a policy as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from dragoman.channels.teams.section import TeamsSection
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
