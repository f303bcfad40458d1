"""The page on Matrix holds."""

from __future__ import annotations

from pathlib import Path

from dragoman.channels.matrix.state import is_user_id
from tests.channels.how_to import set_up


def test_the_page_sets_up_an_account(tmp_path: Path) -> None:
    """Its configuration loads, its policy lists rooms of exactly that account, and every id is a full one."""
    config, policy = set_up("matrix.md", tmp_path)
    section = config.file.channels.matrix

    assert section is not None
    assert all(map(is_user_id, (section.user_id, *section.bots, *section.accept_invitations_from)))
    assert {f"matrix:{section.user_id}"} == {config.file.channels.serving(target) for target in policy.targets}
