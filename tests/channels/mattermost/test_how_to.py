"""The page on Mattermost holds."""

from __future__ import annotations

from pathlib import Path

from tests.channels.how_to import set_up


def test_the_page_sets_up_an_account(tmp_path: Path) -> None:
    """Its configuration loads, and its policy lists channels of exactly that server, one of a team and one of none."""
    config, policy = set_up("mattermost.md", tmp_path)
    section = config.file.channels.mattermost

    assert section is not None
    assert {f"mattermost:{section.account}"} == {config.file.channels.serving(target) for target in policy.targets}
    assert 2 == len({target.workspace for target in policy.targets})
    assert {section.host} == {operator.workspace for operator in policy.operators}
