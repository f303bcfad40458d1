"""The page on WhatsApp cannot rot: its blocks are a configuration and a policy as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from dragoman.channels.whatsapp.section import WhatsAppSection
from dragoman.gate.policy_file import parse_policy
from dragoman.identity import Target
from dragoman.receiver.config import ChannelsSection

PAGE = (Path(__file__).parents[3] / "docs/how-to/whatsapp.md").read_text()


def test_the_blocks_of_the_page() -> None:
    """The section is read, and serves the target that the policy of the page lists."""
    blocks = dict(re.findall(r'```toml title="([\w.-]+)"\n(.*?)```', PAGE, re.DOTALL))
    channels = msgspec.toml.decode(blocks["whatsapp.toml"], type=dict[str, ChannelsSection])["channels"]
    policy = parse_policy(blocks["whatsapp-policy.toml"].encode())
    target = Target("whatsapp", "106540352242922", "16505551234")

    assert isinstance(channels.whatsapp, WhatsAppSection)
    assert "whatsapp:106540352242922" == channels.serving(target)
    assert target in policy.targets
