"""The page on Zulip holds."""

from __future__ import annotations

from pathlib import Path

from dragoman.channels.zulip.state import recipient
from tests.channels.how_to import set_up


def test_the_page_sets_up_an_account(tmp_path: Path) -> None:
    """Its configuration loads, and its policy lists exact places of exactly that realm, one with the bot in it."""
    config, policy = set_up("zulip.md", tmp_path)
    section = config.file.channels.zulip

    assert section is not None
    assert {f"zulip:{section.account}"} == {config.file.channels.serving(target) for target in policy.targets}
    places = [recipient(target.channel) for target in policy.targets]
    assert all(place is not None and (place.stream or section.user_id in place.people) for place in places)
