"""The page on Discord holds."""

from __future__ import annotations

from pathlib import Path

from dragoman.channels.discord.state import is_snowflake
from tests.channels.how_to import set_up


def test_the_page_sets_up_an_account(tmp_path: Path) -> None:
    """Its configuration loads, its policy lists channels that exactly that account serves, and every id is one."""
    config, policy = set_up("discord.md", tmp_path)
    section = config.file.channels.discord

    assert section is not None
    ids = {part for target in policy.targets for part in (target.workspace, target.channel)}
    assert all(map(is_snowflake, ids))
    assert {f"discord:{section.account}"} == {config.file.channels.serving(target) for target in policy.targets}
