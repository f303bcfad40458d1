"""The account of a section, made from its private files; not opened yet."""

from __future__ import annotations

from dragoman.channels.account import Place
from dragoman.channels.secret_file import read_secret
from dragoman.channels.telegram.adapter import TelegramAccount
from dragoman.channels.telegram.section import TelegramSection


def account(section: TelegramSection, place: Place) -> TelegramAccount:
    """The bot of `section`.

    Raises:
        DragomanError: as `read_secret` of its files; `config_invalid` for a token or a secret that cannot be right.
    """
    token = read_secret(place.at(section.token_file), "the bot's token")
    secret = "" if section.webhook_secret_file is None else read_secret(place.at(section.webhook_secret_file))
    return TelegramAccount(section, token, secret, place)
