"""The page on Slack holds."""

from __future__ import annotations

import json
import re
from pathlib import Path

from dragoman.channels.slack.check import NEEDED, PARTS
from dragoman.channels.slack.state import is_channel
from tests.channels.how_to import PAGES, set_up


def test_the_page_sets_up_an_account(tmp_path: Path) -> None:
    """Its configuration loads, and its policy lists channels of exactly that workspace."""
    config, policy = set_up("slack.md", tmp_path)

    assert {"slack:T0HOMEORG1"} == {config.file.channels.serving(target) for target in policy.targets}
    assert all(is_channel(target.channel) for target in policy.targets)


def test_its_manifest_asks_for_what_is_used(tmp_path: Path) -> None:
    """The scopes are those that `doctor` looks for, and the address is the one where the receiver listens."""
    config, _ = set_up("slack.md", tmp_path)
    found = re.search(r'```json title="manifest.json"\n(.*?)```', (PAGES / "slack.md").read_text(), re.DOTALL)
    manifest = json.loads(found[1] if found else "")
    section = config.file.channels.slack

    assert section is not None
    assert sorted(NEEDED | PARTS) == manifest["oauth_config"]["scopes"]["bot"]
    assert manifest["settings"]["event_subscriptions"]["request_url"].endswith(section.path)
    assert {"app_mention", "message.channels", "channel_shared"} <= set(
        manifest["settings"]["event_subscriptions"]["bot_events"]
    )
