"""A Mattermost account in the receiver's configuration. Pure; nothing secret stands in it."""

from __future__ import annotations

from urllib.parse import urlsplit

from dragoman.channels.account import AccountSection, Address, Id, PathName
from dragoman.channels.mattermost.state import serves


class MattermostSection(AccountSection, frozen=True, kw_only=True):
    """`channels.mattermost`: one bot account. `token_file` is a private file with its access token."""

    server: Address
    """The address of the server; its host and port name it in policies."""
    user_id: Id
    token_file: PathName

    @property
    def host(self) -> str:
        """Host and port, as in workspaces."""
        return urlsplit(self.server).netloc

    @property
    def account(self) -> str:
        """Our user id at the server."""
        return f"{self.user_id}@{self.host}"

    def serves(self, workspace: str) -> bool:
        """Every team of the server, and messages outside of teams."""
        return serves(self.host, workspace)
