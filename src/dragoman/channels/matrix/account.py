"""The account of a configured section, on matrix-nio."""

from __future__ import annotations

from dragoman.channels.account import Place
from dragoman.channels.matrix.adapter import MatrixChannel
from dragoman.channels.matrix.connection import read_token
from dragoman.channels.matrix.section import MatrixSection
from dragoman.channels.matrix.state import MatrixAgent, is_user_id
from dragoman.errors import DragomanError


def account(section: MatrixSection, place: Place) -> MatrixChannel:
    """The account, not opened yet.

    Raises:
        DragomanError: `config_invalid` for an id that is none or an address in the clear; as `read_secret` for the
            access token.
    """
    for user_id in (section.user_id, *section.bots, *section.accept_invitations_from):
        if not is_user_id(user_id):
            raise DragomanError(
                "config_invalid", f"`{user_id}` is no user id", where="channels.matrix", fix="write `@name:server`"
            )
    return MatrixChannel(
        section.homeserver,
        read_token(place.at(section.token_file)),
        MatrixAgent(user_id=section.user_id, bots=frozenset(section.bots)),
        clock=place.clock,
        accept_invitations_from=frozenset(section.accept_invitations_from),
    )
