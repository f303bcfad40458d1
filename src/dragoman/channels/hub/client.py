"""The typed HTTP client of the hub: one method per verb, and a plain word about what an error leaves open.

1. A body out is a `wire` request; a body in is counted before it is parsed, and decoded strictly into a `wire` answer.
2. No redirects, no proxies from the environment, no cookies; HTTPS except on loopback. A 3xx is a fault, not a road.
3. It logs in by itself and again when the token ends. The generation of the first log-in is kept for every write, so a
   takeover by another instance ends in the hub's refusal and is never papered over by a fresh token. Only
   `log_in` changes it.
4. It repeats no write on its own, except after a refused token, which the hub answers before it looks at the body.
5. Reading answers, and what a no leaves open, is `answers`.
"""

from __future__ import annotations

import asyncio
import functools
import ssl
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self, TypeVar

import httpx2
import msgspec

from dragoman import wire
from dragoman.channels.hub.address import checked_origin, is_loopback, path_id
from dragoman.channels.hub.answers import HubError, decoded, refusal_of
from dragoman.channels.hub.finding import Finding
from dragoman.channels.hub.key_life import KeyLife
from dragoman.channels.hub.keys import RoleKey
from dragoman.channels.hub.reports import Reports
from dragoman.clock import SECOND, Clock

ANSWER_BYTES: Final = 8 * 1024 * 1024
CONNECT_SECONDS: Final = 5.0
TOTAL_SECONDS: Final = 20.0
RENEW_BEFORE_MS: Final = 30 * SECOND

_NOT_SENT: Final = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.UnsupportedProtocol,
    httpx2.LocalProtocolError,
)
_TOKEN_CODES: Final = frozenset({"token_expired", "token_invalid"})

A = TypeVar("A", bound=wire.Answer)


@functools.cache
def _trust() -> ssl.SSLContext:
    """Whose certificates are believed; one for the process: making it takes 20 ms and 0.8 MB, for every role again."""
    return httpx2.create_ssl_context(trust_env=False)


class HubClient:
    """One role's instance at one hub.

    Args:
        base_url: the hub's origin, `https://…`, or `http://` on loopback.
        key: the role key; signs log-ins.
        clock: tells when the token nears its end.
        total_seconds: bound of one whole request, waiting time of a poll not counted.

    Raises:
        DragomanError: `config_invalid` when the address is not an origin or not HTTPS.
    """

    def __init__(
        self,
        base_url: str,
        key: RoleKey,
        clock: Clock,
        *,
        instance_id: str | None = None,
        total_seconds: float = TOTAL_SECONDS,
        answer_bytes: int = ANSWER_BYTES,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self.origin = checked_origin(base_url)
        self.key = key
        self.instance_id = instance_id or key.instance_id
        self._clock = clock
        self._total = total_seconds
        self._answer_bytes = answer_bytes
        self._session: wire.Session | None = None
        self._token_ends = 0
        self._generation: int | None = None
        self._login = asyncio.Lock()
        self.skew_ms: int | None = None
        """The hub's clock minus ours, as of the last log-in or lease."""
        self.finding = Finding(self)
        self.key_life = KeyLife(self)
        self.reports = Reports(self)
        self._http = httpx2.AsyncClient(
            base_url=self.origin,
            timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS, pool=CONNECT_SECONDS),
            follow_redirects=False,
            trust_env=False,
            verify=_trust(),
            transport=transport,
            headers={"accept": "application/json", "accept-encoding": "identity", "user-agent": "dragoman"},
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections; the token is left to expire."""
        await self._http.aclose()

    @property
    def role_id(self) -> str:
        """The role that the key makes."""
        return self.key.role_id

    # --- identity ---

    async def register(self, invitation: str | None = None) -> wire.Role:
        """Make the role known to the hub, by an invitation if it asks for one; registering twice changes nothing."""
        signature = self.key.sign(wire.register_input(self.origin, self.key.public_key))
        body = wire.RegisterRole(
            public_key=self.key.public_key,
            origin=self.origin,
            signature=signature,
            role_id=self.role_id if self.key.replaced else None,
            invitation=invitation,
        )
        return await self._ask("POST", "/roles", wire.Role, body, token=None)

    async def log_in(self, *, takeover: bool = False) -> wire.Session:
        """Log in now and work under the session's generation from here on. `takeover` makes this instance primary."""
        async with self._login:
            session = await self._new_session(takeover)
            self._generation = session.generation
            return session

    async def generation(self) -> int:
        """The generation that this client's writes are made under; logs in if need be."""
        if self._generation is None:
            await self._token()
        assert self._generation is not None
        return self._generation

    async def me(self) -> wire.Me:
        """What the hub holds of this instance now."""
        return await self.get("/me", wire.Me)

    # --- contacts and messages ---

    async def open_contact(self, open_id: str, peer_role_id: str, *, delegation_id: str | None = None) -> wire.Contact:
        """Open a contact; the same `open_id` again is the same contact. It may answer a delegation of the peer."""
        body = wire.OpenContact(
            open_id=open_id,
            peer_role_id=peer_role_id,
            generation=await self.generation(),
            delegation_id=delegation_id,
        )
        return await self.post("/contacts", wire.Contact, body)

    async def contacts(self, *, after: int = 0) -> wire.Contacts:
        """A page of this role's contacts."""
        return await self.get(f"/contacts?after={after}", wire.Contacts)

    async def contact(self, contact_id: str) -> wire.Contact:
        """One contact."""
        return await self.get(f"/contacts/{path_id(contact_id)}", wire.Contact)

    async def close_contact(self, contact_id: str) -> wire.Contact:
        """Close a contact for both sides."""
        body = wire.CloseContact(generation=await self.generation())
        return await self.post(f"/contacts/{path_id(contact_id)}/close", wire.Contact, body)

    async def send(
        self,
        contact_id: str,
        *,
        reply_id: str,
        text: str,
        packet: str | None = None,
        complete: bool = False,
        lease_token: str | None = None,
        ack_message_ids: list[str] | None = None,
        generation: int | None = None,
    ) -> wire.Sent:
        """Send a message. `generation`: the one a saved decision was made under; else this client's own.
        `ack_message_ids` are settled in the same commit, under `lease_token`; not by a repetition (`replayed`)."""
        body = wire.SendMessage(
            reply_id=reply_id,
            generation=generation if generation is not None else await self.generation(),
            text=text,
            packet=packet,
            complete=complete,
            lease_token=lease_token,
            ack_message_ids=ack_message_ids,
        )
        return await self.post(f"/contacts/{path_id(contact_id)}/messages", wire.Sent, body)

    async def reply(self, reply_id: str, *, since: int | None = None) -> wire.Sent | None:
        """What the hub accepted under this role's `reply_id`, or None when it proves that there is nothing. `since`:
        when the id was minted, by the hub's clock; of one that is too old it says `proof_gone`."""
        asked = "" if since is None else f"?since={max(0, since)}"
        try:
            return await self.get(f"/replies/{path_id(reply_id)}{asked}", wire.Sent)
        except HubError as error:
            if error.wire_code == "reply_unknown":
                return None
            raise

    async def messages(self, contact_id: str, *, after: int = 0) -> wire.Messages:
        """A page of a contact's messages after `seq` `after`, both sides'."""
        return await self.get(f"/contacts/{path_id(contact_id)}/messages?after={after}", wire.Messages)

    async def communication(self, contact_id: str) -> wire.Communication:
        """Where the conversation stands."""
        return await self.get(f"/contacts/{path_id(contact_id)}/communication", wire.Communication)

    # --- leases ---

    async def lease(
        self,
        *,
        limit: int = 10,
        wait_ms: int = 0,
        contact_ids: list[str] | None = None,
        message_ids: list[str] | None = None,
    ) -> wire.Leased:
        """Lease waiting messages, waiting up to `wait_ms` (at most 30,000) for the first."""
        body = wire.TakeLease(
            generation=await self.generation(),
            limit=limit,
            wait_ms=wait_ms,
            contact_ids=contact_ids,
            message_ids=message_ids,
        )
        return await self.post("/leases", wire.Leased, body, extra_seconds=wait_ms / SECOND)

    async def renew(self, lease_token: str) -> wire.Lease:
        """Move the lease's end; never past its cap."""
        body = wire.RenewLease(lease_token=lease_token, generation=await self.generation())
        return await self.post("/leases/renew", wire.Lease, body)

    async def ack(self, lease_token: str, message_ids: list[str]) -> wire.Settled:
        """Tell the hub that these messages are handled; all or none."""
        body = wire.AckMessages(lease_token=lease_token, generation=await self.generation(), message_ids=message_ids)
        return await self.post("/leases/ack", wire.Settled, body)

    async def release(self, lease_token: str, message_ids: list[str], *, not_before: int = 0) -> wire.Settled:
        """Give these messages back, to be leased again from `not_before` (milliseconds since the epoch) on."""
        body = wire.ReleaseMessages(
            lease_token=lease_token,
            generation=await self.generation(),
            message_ids=message_ids,
            not_before=not_before,
        )
        return await self.post("/leases/release", wire.Settled, body)

    # --- the hub itself ---

    async def well_known(self) -> wire.WellKnown:
        """The hub's protocol version and limits."""
        return await self._ask("GET", "", wire.WellKnown, None, token=None, path=wire.WELL_KNOWN)

    # --- the road ---

    async def get(self, route: str, answer: type[A], extra_seconds: float = 0.0) -> A:
        """Look at `route` (below the API's path), for the rooms of the client that stand in files of their own."""
        return await self._authorised("GET", route, answer, None, extra_seconds)

    async def post(self, route: str, answer: type[A], body: wire.Request, extra_seconds: float = 0.0) -> A:
        """Ask `route` for something; the answer may come `extra_seconds` later than others."""
        return await self._authorised("POST", route, answer, body, extra_seconds)

    async def put(self, route: str, answer: type[A], body: wire.Request) -> A:
        """Put something in the place of what was at `route`."""
        return await self._authorised("PUT", route, answer, body, 0.0)

    async def post_signed(self, route: str, answer: type[A], make: Callable[[str], wire.Request]) -> A:
        """Ask `route` for something that `make` signs under a nonce of its own; no token goes with it."""
        given = await self._ask("POST", "/nonces", wire.GivenNonce, wire.AskNonce(role_id=self.role_id), token=None)
        return await self._ask("POST", route, answer, make(given.nonce), token=None)

    async def _authorised(
        self, method: str, route: str, answer: type[A], body: wire.Request | None, extra_seconds: float
    ) -> A:
        token = await self._token()
        try:
            return await self._ask(method, route, answer, body, token=token, extra_seconds=extra_seconds)
        except HubError as error:
            if error.wire_code not in _TOKEN_CODES:
                raise
        return await self._ask(
            method, route, answer, body, token=await self._token(stale=token), extra_seconds=extra_seconds
        )

    async def _token(self, stale: str | None = None) -> str:
        """A token that is good for now; `stale` is one that the hub has just refused."""
        async with self._login:
            session = self._session
            if session is None or session.token == stale or self._clock.now() >= self._token_ends:
                session = await self._new_session(False)
                if self._generation is None:
                    self._generation = session.generation
            return session.token

    async def _new_session(self, takeover: bool) -> wire.Session:
        given = await self._ask("POST", "/nonces", wire.GivenNonce, wire.AskNonce(role_id=self.role_id), token=None)
        signed = wire.login_input(self.origin, self.role_id, self.instance_id, given.nonce, takeover)
        body = wire.LogIn(
            role_id=self.role_id,
            instance_id=self.instance_id,
            nonce=given.nonce,
            origin=self.origin,
            signature=self.key.sign(signed),
            takeover=takeover,
        )
        session = await self._ask("POST", "/sessions", wire.Session, body, token=None)
        now = self._clock.now()
        self.skew_ms = session.server_time - now
        # Our clock may be wrong: only the length of the token's life is taken from the hub.
        life = session.expires_at - session.server_time
        self._token_ends = now + max(life - RENEW_BEFORE_MS, life // 2)
        self._session = session
        return session

    async def _ask(
        self,
        method: str,
        route: str,
        answer: type[A],
        body: wire.Request | None,
        *,
        token: str | None,
        path: str = "",
        extra_seconds: float = 0.0,
    ) -> A:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        content = None
        if body is not None:
            content = msgspec.json.encode(body)
            headers["content-type"] = "application/json"
        request = self._http.build_request(method, path or wire.API + route, content=content, headers=headers)
        try:
            async with asyncio.timeout(self._total + extra_seconds):
                response = await self._http.send(request, stream=True)
                try:
                    raw = await self._read(response)
                finally:
                    await response.aclose()
        except _NOT_SENT as error:
            raise HubError("hub_unreachable", type(error).__name__, sent=False) from error
        except (httpx2.HTTPError, TimeoutError) as error:
            raise HubError("hub_unreachable", type(error).__name__, sent=True) from error
        if response.status_code == 200:
            return decoded(raw, answer, response)
        raise refusal_of(raw, response)

    async def _read(self, response: httpx2.Response) -> bytes:
        parts: list[bytes] = []
        size = 0
        async for part in response.aiter_raw():
            size += len(part)
            if size > self._answer_bytes:
                raise HubError("hub_unreachable", "the answer is too large", status=response.status_code, sent=True)
            parts.append(part)
        return b"".join(parts)


__all__ = ["ANSWER_BYTES", "CONNECT_SECONDS", "HubClient", "HubError", "checked_origin", "is_loopback"]
