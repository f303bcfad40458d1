"""The account of a configured section."""

from __future__ import annotations

from dragoman.channels.account import Place
from dragoman.channels.secret_file import read_secret
from dragoman.channels.zulip.adapter import ZulipChannel
from dragoman.channels.zulip.section import ZulipSection


def account(section: ZulipSection, place: Place) -> ZulipChannel:
    """The account, not opened yet.

    Raises:
        DragomanError: `config_invalid` for an address in the clear; as `read_secret` for the API key.
    """
    key = read_secret(place.at(section.key_file), "the API key")
    return ZulipChannel(
        section.realm,
        section.host,
        section.email,
        key,
        section.user_id,
        clock=place.clock,
        topic=section.topic,
    )
