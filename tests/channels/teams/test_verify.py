"""Whose activity it is: a token of the connector for our bot and this address, and nothing else. Keys are our own."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any, NamedTuple

import msgspec
import pytest
from cryptography.hazmat.primitives import serialization

from dragoman.channels.teams.service import is_allowed
from dragoman.channels.teams.state import TeamsAgent
from dragoman.channels.teams.verify import SKEW, verify
from dragoman.words import Fact
from tests.channels.teams.keys import Signer, claims_of, unsigned

APP, NOW, URL = "1b6f3c2e-0000-4000-8000-000000000007", 1_790_000_000_000, "https://smba.trafficmanager.net/amer/"
GOOD, THIEF = Signer(), Signer()
OTHER_CHANNEL = Signer("key-2", ("webchat",))
AGENT = TeamsAgent(recipient_id=f"28:{APP}", app_id=APP, keys=(GOOD.jwk, OTHER_CHANNEL.jwk))
BODY = json.dumps({"type": "message", "channelId": "msteams", "serviceUrl": URL}).encode()


def signed(**other: Any) -> str:
    """A right token, but for these claims."""
    return GOOD.token(claims_of(APP, URL, NOW, **other))


def confused() -> str:
    """A token signed HS256 with the public key as the secret."""
    public = GOOD.private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    bare = unsigned({"alg": "HS256", "kid": "key-1"}, claims_of(APP, URL, NOW)).rstrip(".")
    mac = hmac.new(public, bare.encode(), hashlib.sha256).digest()
    return f"{bare}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


class Row(NamedTuple):
    """A request, and whether it is the connector's."""

    name: str
    token: str
    right: bool = False
    body: bytes = BODY


SECONDS = NOW // 1_000
TABLE = [
    Row("right", signed(), True),
    Row("expired within the skew", signed(exp=SECONDS - SKEW // 1_000 + 1), True),
    Row("expired", signed(exp=SECONDS - SKEW // 1_000)),
    Row("begins within the skew", signed(nbf=SECONDS + SKEW // 1_000), True),
    Row("begins later", signed(nbf=SECONDS + SKEW // 1_000 + 1)),
    Row("never expires", signed(exp=...)),
    Row("expires at a text", GOOD.token(claims_of(APP, URL, NOW, exp="9999999999"))),
    Row("for another bot", signed(aud="another-app")),
    Row("for us and another bot", signed(aud=[APP, "another-app"])),
    Row("for nobody", signed(aud=...)),
    Row("of another issuer", signed(iss="https://sts.windows.net/x/")),
    Row("of no issuer", signed(iss=...)),
    Row("for another address", signed(serviceurl="https://smba.trafficmanager.net/emea/")),
    Row("for no address", signed(serviceurl=...)),
    Row("the address without its slash", signed(serviceurl=URL.rstrip("/"))),
    Row("forged: another key of that name", THIEF.token(claims_of(APP, URL, NOW))),
    Row("a key that nobody published", Signer("key-9").token(claims_of(APP, URL, NOW))),
    Row("a key of another channel", OTHER_CHANNEL.token(claims_of(APP, URL, NOW))),
    Row("a key in the header", THIEF.token(claims_of(APP, URL, NOW), jwk=THIEF.jwk, kid="key-9")),
    Row("alg none", unsigned({"alg": "none", "kid": "key-1"}, claims_of(APP, URL, NOW))),
    Row("alg none, another way", unsigned({"alg": "None", "kid": "key-1"}, claims_of(APP, URL, NOW), "x")),
    Row("HS256 with the public key", confused()),
    Row("cut off", signed()[:-4]),
    Row("not a token", "x.y.z"),
    Row("nothing", ""),
    Row("very long", "a" * 20_000),
    Row("another address in the body", signed(), body=BODY.replace(b"/amer/", b"/emea/")),
    Row("another channel in the body", signed(), body=BODY.replace(b"msteams", b"webchat")),
    Row("no body", signed(), body=b""),
    Row("a list as the body", signed(), body=b"[]"),
]


@pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])
def test_whose_activity_it_is(row: Row) -> None:
    """Only a token of a published key, for our bot, this address and this time proves anything."""
    found = verify({"Authorization": f"Bearer {row.token}"}, row.body, NOW, NOW, AGENT)

    assert (Fact.YES if row.right else Fact.NO) is found


def test_how_it_is_sent() -> None:
    """Without the header, with another scheme, without keys or an app id of ours: nothing is proven."""
    for headers in ({}, {"authorization": ""}, {"authorization": signed()}, {"authorization": f"Basic {signed()}"}):
        assert Fact.NO is verify(headers, BODY, NOW, NOW, AGENT)
    for agent in (msgspec.structs.replace(AGENT, keys=()), msgspec.structs.replace(AGENT, app_id="")):
        assert Fact.NO is verify({"authorization": f"Bearer {signed()}"}, BODY, NOW, NOW, agent)
    twice = msgspec.structs.replace(AGENT, keys=(GOOD.jwk, THIEF.jwk))
    assert Fact.NO is verify({"authorization": f"Bearer {signed()}"}, BODY, NOW, NOW, twice)


def test_a_signed_address_of_somebody_else() -> None:
    """A genuine token for an address that is not the connector's is not taken: our own token would be sent there."""
    for url in ("https://smba.trafficmanager.net.evil.example/", "https://evil.example/teams", "http://127.0.0.1:9/"):
        body = BODY.replace(URL.encode(), url.encode())
        token = GOOD.token(claims_of(APP, url, NOW))
        assert Fact.NO is verify({"authorization": f"Bearer {token}"}, body, NOW, NOW, AGENT)


ADDRESSES = [
    ("https://smba.trafficmanager.net/amer/", True),
    ("https://smba.infra.gov.teams.microsoft.us/teams", True),
    ("http://smba.trafficmanager.net/amer/", False),
    ("https://smba.trafficmanager.net:8443/amer/", False),
    ("https://smba.trafficmanager.net@evil.example/", False),
    ("https://evil.example\\@smba.trafficmanager.net/", False),
    ("https://SMBA.trafficmanager.net/", False),
    ("https://smba.trafficmanager.net/?to=x", False),
    ("https://smba.trafficmanager.net./", False),
    ("//smba.trafficmanager.net/", False),
    ("https://[::1", False),
    ("", False),
    ("http://127.0.0.1:16150/_connector", True),
    ("http://127.0.0.1:16150/_connector/", True),
    ("http://127.0.0.1:16151/_connector", False),
    ("http://named.example/", False),
]


@pytest.mark.parametrize(("url", "right"), ADDRESSES)
def test_where_our_token_may_go(url: str, right: bool) -> None:
    """To Microsoft's own hosts over HTTPS, and to the exact private addresses of the configuration."""
    assert right is is_allowed(url, ("http://127.0.0.1:16150/_connector", "http://named.example/"))
