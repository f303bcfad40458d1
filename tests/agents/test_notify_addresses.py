"""Where the owner may be told: addresses judged from their words alone."""

from __future__ import annotations

from email import message_from_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.agents.notify_addresses import Mailbox, is_address, refused_mailbox, refused_url

URLS = [
    ("https://hooks.example.org/a?token=x", True),
    ("https://[2001:db8::1]:8443/a", True),
    ("http://127.0.0.1:8080/a", True),
    ("http://[::1]/a", True),
    ("http://localhost/a", True),
    ("http://hooks.example.org/a", False),
    ("http://127.0.0.1.example.org/", False),
    ("http://localhost.example.org/", False),
    ("http://127.0.0.1@example.org/", False),
    ("https://user:word@example.org/", False),
    ("https://example.org/#a", False),
    ("https:///a", False),
    ("ftp://127.0.0.1/", False),
    ("https://example.org/\r\nX: y", False),
    ("https://example.org:99999/", False),
    ("https://例子.example/", False),
    ("//example.org/", False),
]
ADDRESSES = [
    ("owner@example.org", True),
    ("first.last+desk=1@mail.example.co", True),
    ("root@localhost", True),
    ("", False),
    ("owner", False),
    ("@example.org", False),
    ("owner@", False),
    ("owner@example..org", False),
    (".owner@example.org", False),
    ("own..er@example.org", False),
    ("-oX@example.org", False),
    ("a@b@example.org", False),
    ("Owner <owner@example.org>", False),
    ('"own er"@example.org', False),
    ("owner@[127.0.0.1]", False),
    ("owner@example.org\r\nBcc: x@example.net", False),
    ("owner@example.org\n", False),
    ("owner@example.org, x@example.net", False),
    ("主人@example.org", False),
    ("owner@例子.example", False),
]
BOXES = [
    ("tls anywhere", {}, None),
    ("starttls anywhere", {"security": "starttls"}, None),
    ("in the clear to this machine", {"security": "none", "server": "127.0.0.1"}, None),
    ("in the clear elsewhere", {"security": "none"}, "security"),
    ("in the clear to what only looks near", {"security": "none", "server": "localhost.example.org"}, "security"),
    ("a server with a port", {"server": "mail.example.org:465"}, "server"),
    ("a server with a scheme", {"server": "smtp://mail.example.org"}, "server"),
    ("a bad sender", {"sender": "desk"}, "from"),
    ("a bad recipient", {"to": "owner@example.org\r\nX: y"}, "to"),
]


@pytest.mark.parametrize(("url", "right"), URLS)
def test_webhook_addresses(url: str, right: bool) -> None:
    """Encrypted or on this machine, with nothing hidden in it."""
    assert right == (refused_url(url) is None)


@pytest.mark.parametrize(("address", "right"), ADDRESSES)
def test_mail_addresses(address: str, right: bool) -> None:
    """One plain address and nothing else."""
    assert right == is_address(address)


@pytest.mark.parametrize(("what", "changed", "wrong"), BOXES, ids=[row[0] for row in BOXES])
def test_mailboxes(what: str, changed: dict[str, str], wrong: str | None) -> None:
    """The key that is wrong is named."""
    box = {"server": "mail.example.org", "security": "tls", "sender": "desk@example.org", "to": "o@example.org"}
    found = refused_mailbox(Mailbox(**(box | changed)))  # type: ignore[arg-type]

    assert wrong == (found[0] if found else None)


@given(st.text(max_size=40) | st.from_regex(r"[a-z\r\n<>,;: ]{1,9}@[a-z.\r\n]{1,9}", fullmatch=True))
def test_an_accepted_address_is_one_header_and_one_address(text: str) -> None:
    """Whatever is accepted reads back as itself out of a raw header."""
    if is_address(text):
        message = message_from_bytes(f"To: {text}\r\n\r\nbody".encode())
        assert [("To", text)] == message.items()
