"""`channels.teams`: one bot of Microsoft Teams in the receiver's configuration. No secret is in it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from dragoman.channels.account import AccountSection, Address, Id, PathName

Guid = Annotated[str, Meta(pattern=r"^[0-9A-Za-z-]{8,64}\Z")]


class TeamsSection(AccountSection, frozen=True, kw_only=True):
    """`secret_file` holds the app's client secret. The three addresses are Microsoft's; others must be of this machine,
    or HTTPS."""

    app_id: Guid
    tenant_id: Guid
    secret_file: PathName
    recipient_id: Id | None = None
    """Our account in activities; `28:<app_id>` when left out."""
    path: Annotated[str, Meta(pattern=r"^/[A-Za-z0-9._/-]{1,120}\Z")] = "/api/messages"
    """Where the connector calls us, below `channels.listen`."""
    service_url: Address = "https://smba.trafficmanager.net/teams"
    """Where we speak as long as no activity told the address of its region."""
    login_url: Address = "https://login.microsoftonline.com"
    openid_url: Address = "https://login.botframework.com/v1/.well-known/openidconfiguration"

    @property
    def account(self) -> str:
        """The tenant: the workspace of every target."""
        return self.tenant_id
