"""The account of a configured section."""

from __future__ import annotations

from dragoman.channels.account import Place
from dragoman.channels.irc.adapter import IrcAccount
from dragoman.channels.irc.section import IrcSection
from dragoman.channels.secret_file import read_secret


def account(section: IrcSection, place: Place) -> IrcAccount:
    """The account, not opened yet.

    Raises:
        DragomanError: as `read_secret` for the password.
    """
    return IrcAccount(section, read_secret(place.at(section.password_file), "the password"), place)
