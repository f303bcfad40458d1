"""What must be known beside a Telegram update: our bot, and who is in the chat.

Both are decoded strictly: exactly these keys. They are what `dragoman gate check` takes as `--agent` and `--state`. The
agent is what `getMe` answers, with what the operator says beside it.

Telegram knows no organisations. What can be proven is that a group holds nobody but people whom the operator named as
ours: their number and ours is the number of its members.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

USERNAME: Final = re.compile(r"[A-Za-z0-9_]{1,64}\Z")
SECRET: Final = re.compile(r"[A-Za-z0-9_-]{1,256}\Z")
PSEUDO: Final = frozenset({1087968824, 777000, 136817688})
"""Accounts that stand for somebody else: an anonymous administrator, Telegram itself, whoever posts as a channel."""


class TelegramAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Our bot: its id and its present username, which people mention it by.

    Raises:
        ValueError: an id or a name of a wrong form (a `ValidationError` while decoding).
    """

    id: int
    username: str
    first_name: str = ""
    is_bot: bool = True
    colleagues: frozenset[int] = frozenset()
    """User ids of people of ours; a group of nobody else is not shared."""
    secret_token: str = ""
    """What Telegram says in a header of each webhook call; empty: no webhook, and nothing is proven by one."""

    def __post_init__(self) -> None:
        if not 0 < self.id < 2**52 or not self.is_bot:
            raise ValueError("`id` must be the id of a bot")
        if not USERNAME.match(self.username):
            raise ValueError("`username` must be the bot's username without `@`")
        if self.secret_token and not SECRET.match(self.secret_token):
            raise ValueError("`secret_token` must be 1 to 256 of A-Z a-z 0-9 _ -")
        if self.colleagues & PSEUDO or any(user <= 0 for user in self.colleagues):
            raise ValueError("`colleagues` must be the ids of persons")

    def called(self, name: str) -> bool:
        """Whether a username, without `@`, is ours; ASCII letters of any case, and nothing is folded into them."""
        return name.isascii() and name.lower() == self.username.lower()


class ChatState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of a group when an update of it is judged; a key left out or null is not known."""

    open: bool | None = None
    """Whether more than its members can read it: a public group, or one that belongs to a channel."""
    member_count: int | None = None
    """How many are in it, we and other bots included."""
    colleagues: frozenset[int] | None = None
    """Which of the agent's colleagues are in it."""

    @property
    def only_ours(self) -> bool | None:
        """Whether nobody but colleagues and we can read it; None when that is not known."""
        if self.open or None in (self.open, self.member_count) or self.colleagues is None:
            return False if self.open else None
        return self.member_count == len(self.colleagues) + 1
