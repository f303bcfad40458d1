"""A token issuer of our own: RSA keys as Microsoft publishes them, and tokens as its connector signs them."""

from __future__ import annotations

import base64
import json
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

ISSUER: Final = "https://api.botframework.com"


class Signer:
    """One RSA key."""

    def __init__(self, kid: str = "key-1", endorsements: tuple[str, ...] = ("msteams",)) -> None:
        self.private = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
        self.kid, self._endorsements = kid, endorsements

    @property
    def jwk(self) -> dict[str, Any]:
        """The public half, as in the published list."""
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.private.public_key()))
        return {**public, "kid": self.kid, "use": "sig", "x5t": "x", "endorsements": list(self._endorsements)}

    def token(self, claims: dict[str, Any], **headers: Any) -> str:
        """A token with these claims."""
        return jwt.encode(claims, self.private, algorithm="RS256", headers={"kid": self.kid, **headers})


def claims_of(app_id: str, service_url: str, now: int, **other: Any) -> dict[str, Any]:
    """The claims of a right token; `now` in milliseconds."""
    seconds = now // 1_000
    good = {"iss": ISSUER, "aud": app_id, "nbf": seconds - 10, "exp": seconds + 3_600, "serviceurl": service_url}
    return {name: value for name, value in {**good, **other}.items() if value is not ...}


def unsigned(header: dict[str, Any], claims: dict[str, Any], signature: str = "") -> str:
    """A token whose parts are simply written."""
    parts = (base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in (header, claims))
    return ".".join([*parts, signature])
