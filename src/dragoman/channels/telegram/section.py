"""A Telegram bot in the receiver's configuration. Pure; nothing secret stands in it.

Without `webhook_url` the account asks Telegram for news (long polling). With it Telegram calls that address, which must
lead to `/telegram` at `channels.listen`; the secret that it then says in a header stands in `webhook_secret_file`.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from dragoman.channels.account import AccountSection, Address, PathName

_CALLED: Final = r"^(https://|http://(127\.0\.0\.1|localhost)[:/])[^\s@]+\Z"
UserId = Annotated[int, Meta(ge=1, le=2**52)]


class TelegramSection(AccountSection, frozen=True, kw_only=True):
    """`channels.telegram`: one bot. `token_file` and `webhook_secret_file` are private files.

    Raises:
        ValueError: a webhook's address without its secret, or the other way round (a `ValidationError` while decoding).
    """

    bot_id: UserId
    token_file: PathName
    webhook_url: Annotated[str, Meta(pattern=_CALLED, max_length=300)] | None = None
    """`https`, but for a Bot API server of one's own, which may call the loopback in the clear."""
    webhook_secret_file: PathName | None = None
    api_url: Address = "https://api.telegram.org"
    """The Bot API; another one only for a Bot API server of one's own."""
    colleagues: Annotated[tuple[UserId, ...], Meta(max_length=20)] = ()
    """User ids of people of ours: a group of nobody else, and us, can be internal. Without any no group can."""

    def __post_init__(self) -> None:
        if (self.webhook_url is None) != (self.webhook_secret_file is None):
            raise ValueError("`webhook_url` and `webhook_secret_file` need one another")

    @property
    def account(self) -> str:
        """Our bot's id."""
        return str(self.bot_id)
