"""The page on IRC holds."""

from __future__ import annotations

from pathlib import Path

from tests.channels.how_to import set_up


def test_the_page_sets_up_an_account(tmp_path: Path) -> None:
    """Its configuration loads, its policy lists places of exactly that account, and every channel that it goes into."""
    config, policy = set_up("irc.md", tmp_path)
    section = config.file.channels.irc

    assert section is not None
    assert {f"irc:{section.account}"} == {config.file.channels.serving(target) for target in policy.targets}
    assert set(section.channels) < {target.channel for target in policy.targets}
    assert not section.in_the_clear
