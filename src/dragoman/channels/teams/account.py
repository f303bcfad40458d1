"""The Teams account of a section: the secret from its file, Microsoft's side, the adapter. Nothing is connected yet."""

from __future__ import annotations

from dragoman.channels.account import Place
from dragoman.channels.secret_file import read_secret
from dragoman.channels.teams.adapter import TeamsAccount
from dragoman.channels.teams.connector import Connector
from dragoman.channels.teams.section import TeamsSection


def account(section: TeamsSection, place: Place) -> TeamsAccount:
    """The account of its section, not opened yet.

    Raises:
        DragomanError: `extra_missing`, `config_invalid`, or a secret that cannot be read: without it it never starts.
    """
    secret = read_secret(place.at(section.secret_file), "the client secret")
    return TeamsAccount(section, Connector(section, secret, place.clock), place)
