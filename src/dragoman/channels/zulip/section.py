"""A Zulip account in the receiver's configuration. Pure; nothing secret stands in it."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta

from dragoman.channels.account import AccountSection, Address, Id, PathName


class ZulipSection(AccountSection, frozen=True, kw_only=True):
    """`channels.zulip`: one bot. `key_file` is a private file with its API key."""

    realm: Address
    """The address of the organisation; its host and port name it in policies."""
    email: Id
    user_id: Annotated[int, Meta(ge=1, lt=2**53)]
    key_file: PathName
    topic: Annotated[str, Meta(max_length=60)] = ""
    """The topic of what is said in a channel without being asked there."""

    @property
    def host(self) -> str:
        """Host and port, as in workspaces."""
        return urlsplit(self.realm).netloc

    @property
    def account(self) -> str:
        """Our user id in the realm."""
        return f"{self.user_id}@{self.host}"

    def serves(self, workspace: str) -> bool:
        """The realm."""
        return workspace == self.host
