"""The way to the Bot Connector and to Microsoft's logins, by Microsoft's SDK: our token, its keys, rosters, activities.

1. The token is got by the client credentials of the app, kept until shortly before its end, and shown to allowed
   addresses only (`service.is_allowed`).
2. The keys are those of the OpenID configuration, fetched again after a day, or when a token names a key that is not
   among them, then at most once in `_KEYS_AGAIN`. Their address must be of the same kind as the configured one.
3. Answers are bounded in time; nothing is repeated. Whether a byte may have left is told by what failed.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Final
from urllib.parse import urlsplit

from dragoman.channels.address import LOOPBACK, is_private
from dragoman.channels.leaving import Unsent as Unsent
from dragoman.channels.leaving import Unsure as Unsure
from dragoman.channels.teams.section import TeamsSection
from dragoman.channels.teams.state import Member
from dragoman.clock import DAY, MINUTE, SECOND, Clock
from dragoman.errors import DragomanError

try:
    import httpx
    from microsoft_teams.api.activities import MessageActivityInput, TypingActivityInput
    from microsoft_teams.api.clients.conversation import ConversationActivityClient, ConversationMemberClient
    from microsoft_teams.common.http import Client, ClientOptions
except ImportError as missing:
    raise DragomanError(
        "extra_missing", str(missing), where="teams", fix="install it with `pip install 'dragoman[teams]'`"
    ) from missing

SECONDS: Final = 15.0
ROSTER_SECONDS: Final = 5.0
PAGES: Final = 20
PAGE: Final = 500
SCOPE: Final = "https://api.botframework.com/.default"
PLACEHOLDER: Final = "DO_NOT_USE_PLACEHOLDER_ID"
"""What the SDK says of an activity whose id did not come back."""
_KEYS_AGAIN: Final = 10 * SECOND
_NOT_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


class Refused(Exception):
    """The connector read the request, and will not do it. `wait` is the seconds of `Retry-After`."""

    def __init__(self, status: int, wait: int | None) -> None:
        super().__init__(f"status {status}")
        self.status, self.wait = status, wait


class Connector:
    """Microsoft's side of one bot.

    Raises:
        DragomanError: `config_invalid` for an address in the clear.
    """

    def __init__(self, section: TeamsSection, secret: str, clock: Clock) -> None:
        for url in (section.service_url, section.login_url, section.openid_url):
            if not is_private(url):
                raise DragomanError("config_invalid", "a secret would travel in the clear", where="teams")
        logging.getLogger("httpx").setLevel(logging.WARNING)
        self._section, self._secret, self._clock = section, secret, clock
        self._http = httpx.AsyncClient(timeout=SECONDS, follow_redirects=False, trust_env=False)
        self._client = Client(ClientOptions(token=self._bearer), _http=self._http)
        self._token, self._token_until = "", 0
        self._keys: tuple[dict[str, Any], ...] = ()
        self._keys_at = self._keys_asked = 0
        self._asking = asyncio.Lock()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    # --- logins ------------------------------------------------------------------------------------------------------

    async def login(self) -> None:
        """Get a token, or keep the one there is.

        Raises:
            DragomanError: `channel_refused`, `channel_unreachable`.
        """
        async with self._asking:
            if self._clock.now() < self._token_until:
                return
            url = f"{self._section.login_url.rstrip('/')}/{self._section.tenant_id}/oauth2/v2.0/token"
            asked = {"grant_type": "client_credentials", "client_id": self._section.app_id, "scope": SCOPE}
            answer = await self._answer("POST", url, data={**asked, "client_secret": self._secret})
            token, lasts = answer.get("access_token"), answer.get("expires_in")
            if type(token) is not str or type(lasts) is not int:
                raise DragomanError("channel_refused", "no token", where="teams", fix="check app id, tenant and secret")
            self._token = token
            self._token_until = self._clock.now() + max(lasts * SECOND - 5 * MINUTE, MINUTE)

    async def keys(self, kid: str) -> tuple[dict[str, Any], ...]:
        """The published keys, as fresh as `kid` needs them; what cannot be fetched is what there is.

        Raises:
            DragomanError: `channel_unreachable`, `channel_refused` when there are none at all.
        """
        async with self._asking:
            now = self._clock.now()
            known = any(key.get("kid") == kid for key in self._keys)
            if known and now - self._keys_at < DAY:
                return self._keys
            if now - self._keys_asked < (_KEYS_AGAIN if self._keys else SECOND):  # whoever calls cannot make us ask
                if not self._keys:
                    raise DragomanError("channel_unreachable", "no keys yet", where="teams openid_url")
                return self._keys
            self._keys_asked = now
            try:
                found = await self._answer("GET", self._section.openid_url)
                address = found.get("jwks_uri")
                if type(address) is not str or not self._beside(address):
                    raise DragomanError("channel_refused", "keys at an unknown address", where="teams openid_url")
                keys = (await self._answer("GET", address)).get("keys")
            except DragomanError:
                if not self._keys:
                    raise
                return self._keys
            self._keys = tuple(key for key in keys if isinstance(key, dict)) if isinstance(keys, list) else ()
            self._keys_at = self._clock.now()
            return self._keys

    def _beside(self, url: str) -> bool:
        """Whether keys may come from there: HTTPS, or this machine where the configuration is of this machine too."""
        local = urlsplit(self._section.openid_url).hostname in LOOPBACK
        return is_private(url) and (url.startswith("https:") or local)

    async def _answer(self, method: str, url: str, **content: Any) -> dict[str, Any]:
        try:
            answer = await self._http.request(method, url, **content)
            found = answer.json() if answer.status_code == 200 else None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError, RecursionError) as failed:
            raise DragomanError("channel_unreachable", type(failed).__name__, where="teams") from failed
        if not isinstance(found, dict):
            refused = 400 <= answer.status_code < 500 and answer.status_code != 429
            code = "channel_refused" if refused else "channel_unreachable"
            fix = "check app id, tenant and secret"
            raise DragomanError(code, f"status {answer.status_code}", where="teams", fix=fix)
        return found

    async def _bearer(self) -> str:
        return self._token

    # --- conversations -----------------------------------------------------------------------------------------------

    async def roster(self, service_url: str, conversation: str) -> tuple[Member, ...] | None:
        """Everybody in a conversation; None when that cannot be told whole."""
        try:
            await self.login()
            async with asyncio.timeout(ROSTER_SECONDS):
                return await self._pages(ConversationMemberClient(service_url, self._client), conversation)
        except (DragomanError, httpx.HTTPError, httpx.InvalidURL, ValueError, OSError):
            return None

    async def _pages(self, people: ConversationMemberClient, conversation: str) -> tuple[Member, ...] | None:
        members: list[Member] = []
        after: str | None = None
        for _ in range(PAGES):
            page = await people.get_paged(conversation, PAGE, after)
            members += [
                Member(
                    id=each.id,
                    aad_object_id=each.aad_object_id or "",
                    tenant_id=each.tenant_id or "",
                    user_role=each.user_role or "",
                    user_principal_name=each.user_principal_name or "",
                )
                for each in page.members or ()
            ]
            after = page.continuation_token
            if not after:
                return tuple(members)
        return None

    async def send_activity(
        self, service_url: str, conversation: str, activity: dict[str, Any], edits: str | None
    ) -> str:
        """Say something new, or in the place of `edits`; the activity's id, or the SDK's placeholder.

        Raises:
            Refused, Unsent, Unsure.
        """
        try:
            await self.login()
        except DragomanError as failed:
            raise Unsent(f"no token: {failed.code}") from failed
        typing = activity["type"] == "typing"
        told = TypingActivityInput() if typing else MessageActivityInput.model_validate(activity)
        client = ConversationActivityClient(service_url, self._client)
        try:
            sent = await (client.update(conversation, edits, told) if edits else client.create(conversation, told))
        except httpx.HTTPStatusError as failed:
            status, after = failed.response.status_code, failed.response.headers.get("retry-after", "")
            if 400 <= status < 500 and status not in (408, 412):
                self._token_until = 0 if status == 401 else self._token_until
                wait = int(after) if after.isascii() and after.isdigit() and len(after) < 7 else None
                raise Refused(status, wait) from failed
            raise Unsure(f"status {status}") from failed
        except _NOT_SENT as failed:
            raise Unsent(type(failed).__name__) from failed
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, OSError) as failed:
            raise Unsure(type(failed).__name__) from failed
        return sent.id
