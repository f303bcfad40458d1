"""One Discord application in the receiver's configuration; nothing secret stands in it."""

from __future__ import annotations

from dragoman.channels.account import AccountSection, Address, PathName
from dragoman.channels.discord.state import PublicKey, Snowflake, is_snowflake


class DiscordSection(AccountSection, frozen=True, kw_only=True):
    """`channels.discord`: the application's id, the file with its bot's token, and, for chat commands by HTTP, its
    public key. `message_content` says whether the privileged intent is switched on for it; without it only messages
    that mention it, and direct ones, can be read. `api_url` is another address of the API, on the loopback only."""

    application_id: Snowflake
    token_file: PathName
    public_key: PublicKey = ""
    message_content: bool = True
    api_url: Address | None = None

    @property
    def account(self) -> str:
        """The application's id."""
        return self.application_id

    def serves(self, workspace: str) -> bool:
        """Every server, and our own direct messages; whether we are in a server is asked before anything leaves."""
        return is_snowflake(workspace)
