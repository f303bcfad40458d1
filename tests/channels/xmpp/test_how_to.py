"""The page on XMPP holds."""

from __future__ import annotations

from pathlib import Path

from dragoman.channels.xmpp.state import is_bare
from tests.channels.how_to import set_up


def test_the_page_sets_up_an_account(tmp_path: Path) -> None:
    """Its configuration loads, its policy lists places of exactly that account, and every id is a bare JID."""
    config, policy = set_up("xmpp.md", tmp_path)
    section = config.file.channels.xmpp

    assert section is not None
    assert all(map(is_bare, (section.jid, *section.rooms, *section.bots)))
    assert {f"xmpp:{section.jid}"} == {config.file.channels.serving(target) for target in policy.targets}
    assert set(section.rooms) < {target.channel for target in policy.targets}
