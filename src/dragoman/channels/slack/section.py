"""One Slack app in one workspace, in the receiver's configuration. Secrets stand in private files that it names.

Either Slack calls us (`signing_secret_file`, the Events API) or we call Slack (`app_token_file`, Socket Mode).
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from dragoman.channels.account import AccountSection, Address, PathName

SLACK: Final = "https://slack.com/api/"

SlackId = Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9]{2,40}\Z")]


class SlackSection(AccountSection, frozen=True, kw_only=True):
    """`channels.slack`; `path` is where Slack calls us below `channels.listen`.

    Raises:
        ValueError: not exactly one way in (a `ValidationError` while decoding).
    """

    team_id: Annotated[SlackId, Meta(description="The workspace, `T…`.")]
    app_id: Annotated[SlackId, Meta(description="The app, `A…`.")]
    bot_token_file: PathName
    signing_secret_file: PathName | None = None
    app_token_file: PathName | None = None
    path: Annotated[str, Meta(pattern=r"^/[A-Za-z0-9._~/-]{1,200}\Z")] = "/slack/events"
    api_url: Address = SLACK

    def __post_init__(self) -> None:
        if (self.signing_secret_file is None) == (self.app_token_file is None):
            raise ValueError(
                "name `signing_secret_file` (Slack calls us) or `app_token_file` (Socket Mode), one of them"
            )

    @property
    def account(self) -> str:
        """The workspace."""
        return self.team_id
