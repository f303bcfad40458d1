"""`channels.whatsapp`: one number of the WhatsApp Cloud API in the receiver's configuration. No secret is in it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from dragoman.channels.account import AccountSection, Address, PathName

Digits = Annotated[str, Meta(pattern=r"^[0-9]{5,20}\Z")]


class WhatsAppSection(AccountSection, frozen=True, kw_only=True):
    """The files hold one secret each: the access token, the app's secret, the word of the webhook's verification."""

    phone_number_id: Digits
    token_file: PathName
    app_secret_file: PathName
    verify_token_file: PathName
    business_id: Digits | None = None
    """The WhatsApp business account; webhooks of another one are refused."""
    path: Annotated[str, Meta(pattern=r"^/[A-Za-z0-9._/-]{1,120}\Z")] = "/whatsapp"
    """Where Meta calls us, below `channels.listen`."""
    api_url: Address = "https://graph.facebook.com"
    api_version: Annotated[str, Meta(pattern=r"^v[0-9]{1,3}\.[0-9]{1,2}\Z")] = "v25.0"
    status_seconds: Annotated[float, Meta(ge=0.1, le=120)] = 15.0
    """How long a send waits for the status that proves it; what comes later is found by a look-up."""

    @property
    def account(self) -> str:
        """The number's id."""
        return self.phone_number_id
