"""The Discord account of a section, not opened yet."""

from __future__ import annotations

from dragoman.channels.account import Place
from dragoman.channels.discord.adapter import DiscordAccount
from dragoman.channels.discord.section import DiscordSection
from dragoman.channels.secret_file import read_secret


def account(section: DiscordSection, place: Place) -> DiscordAccount:
    """The account; its token is read now, and nothing is asked of Discord.

    Raises:
        DragomanError: as `secret_file.read_secret`; `extra_missing`; `config_invalid` for an `api_url` elsewhere.
    """
    return DiscordAccount(section, read_secret(place.at(section.token_file), "the bot's token"), place)
