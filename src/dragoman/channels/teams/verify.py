"""Did the Bot Connector send this activity, to our bot? Pure but for the signature's arithmetic, which PyJWT does.

Each of these must hold: one `Bearer` token; signed RS256 (whatever its header says else) by exactly one of the keys
that we were handed, an RSA key; issuer `https://api.botframework.com`; audience our app id and nothing else; `exp` and
`nbf` around now, five minutes of skew; the `serviceurl` claim equal to the activity's; the key endorsed for the
activity's channel, which is `msteams`; and an address that may be answered (`service.is_allowed`).

Keys are never fetched here. Nothing raises but for the missing package.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from dragoman.channels.teams.service import is_allowed
from dragoman.channels.teams.state import TeamsAgent
from dragoman.clock import MINUTE, SECOND
from dragoman.errors import DragomanError
from dragoman.words import Fact

ISSUER: Final = "https://api.botframework.com"
CHANNEL: Final = "msteams"
SKEW: Final = 5 * MINUTE
TOKEN_LIMIT: Final = 16_384


def verify(headers: Mapping[str, str], body: bytes, received_at: int, now: int, agent: TeamsAgent) -> Fact:
    """Whether the connector proves the activity in `body` (spec 1 §3 step 0); header names in any case.

    Raises:
        DragomanError: `extra_missing`.
    """
    scheme, _, token = next((v for k, v in headers.items() if k.lower() == "authorization"), "").partition(" ")
    activity = _object(body)
    if scheme.lower() != "bearer" or not 0 < len(token) <= TOKEN_LIMIT or not agent.app_id or not activity:
        return Fact.NO
    key = _key(token, agent.keys)
    claims = _claims(token, key) if key else None
    if key is None or claims is None:
        return Fact.NO
    address, channel = activity.get("serviceUrl"), activity.get("channelId")
    endorsed = key.get("endorsements")
    holds = (
        claims.get("iss") == ISSUER
        and claims.get("aud") == agent.app_id
        and _timely(claims, received_at)
        and type(address) is str
        and claims.get("serviceurl") == address
        and is_allowed(address, agent.service_urls)
        and channel == CHANNEL
        and isinstance(endorsed, list)
        and channel in endorsed
    )
    return Fact.YES if holds else Fact.NO


def key_id(token: str) -> str:
    """The `kid` of a token's header, or an empty text; says nothing of whether it is genuine."""
    head = _object(_decoded(token.partition(".")[0]))
    kid = head.get("kid")
    return kid if type(kid) is str and head.get("alg") == "RS256" else ""


def _key(token: str, keys: tuple[dict[str, Any], ...]) -> dict[str, Any] | None:
    kid = key_id(token)
    found = [key for key in keys if key.get("kid") == kid and key.get("kty") == "RSA"] if kid else []
    return found[0] if len(found) == 1 else None


def _claims(token: str, key: dict[str, Any]) -> dict[str, Any] | None:
    """The claims of a token with a right signature; times are not looked at here, for the clock is an argument."""
    try:
        import jwt
    except ImportError as missing:
        raise DragomanError(
            "extra_missing", str(missing), where="teams", fix="install it with `pip install 'dragoman[teams]'`"
        ) from missing
    try:
        public = {name: key[name] for name in ("kty", "n", "e")}
        found = jwt.decode(
            token,
            jwt.PyJWK(public, algorithm="RS256").key,
            algorithms=["RS256"],
            options={
                "verify_exp": False,
                "verify_nbf": False,
                "verify_iat": False,
                "verify_aud": False,
                "verify_iss": False,
            },
        )
    except (jwt.PyJWTError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _timely(claims: Mapping[str, Any], now: int) -> bool:
    ends, begins = claims.get("exp"), claims.get("nbf")
    if type(ends) is not int or (begins is not None and type(begins) is not int):
        return False
    return now < ends * SECOND + SKEW and (begins is None or begins * SECOND - SKEW <= now)


def _object(raw: bytes) -> Mapping[str, Any]:
    try:
        found = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _decoded(part: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError:
        return b""
