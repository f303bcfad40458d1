"""The account of a configured section."""

from __future__ import annotations

from dragoman.channels.account import Place
from dragoman.channels.mattermost.adapter import MattermostChannel
from dragoman.channels.mattermost.section import MattermostSection
from dragoman.channels.secret_file import read_secret


def account(section: MattermostSection, place: Place) -> MattermostChannel:
    """The account, not opened yet.

    Raises:
        DragomanError: `config_invalid` for an address in the clear; as `read_secret` for the access token.
    """
    token = read_secret(place.at(section.token_file), "the access token")
    return MattermostChannel(
        section.server,
        section.host,
        token,
        section.user_id,
        clock=place.clock,
        spool=lambda: place.spool(f"mattermost:{section.account}"),
    )
