"""A Matrix account in the receiver's configuration. Pure; nothing secret stands in it.

The account speaks to every room that it is in and that the policy lists. It joins a room by itself only when whoever
invited it is named here, byte for byte.
"""

from __future__ import annotations

from dragoman.channels.account import AccountSection, Address, Id, PathName


class MatrixSection(AccountSection, frozen=True, kw_only=True):
    """`channels.matrix`: one Matrix account. `token_file` is a private file."""

    homeserver: Address
    user_id: Id
    token_file: PathName
    bots: tuple[Id, ...] = ()
    accept_invitations_from: tuple[Id, ...] = ()
    """The user ids whose invitations are accepted; nobody's without one."""

    @property
    def account(self) -> str:
        """Our user id."""
        return self.user_id
