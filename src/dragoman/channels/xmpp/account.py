"""The account of a configured section, on slixmpp."""

from __future__ import annotations

from dragoman.channels.account import Place
from dragoman.channels.secret_file import read_secret
from dragoman.channels.xmpp.adapter import XmppAccount
from dragoman.channels.xmpp.section import XmppSection


def account(section: XmppSection, place: Place) -> XmppAccount:
    """The account, not opened yet.

    Raises:
        DragomanError: as `read_secret` for the password.
    """
    return XmppAccount(section, read_secret(place.at(section.password_file), "the password"), place)
