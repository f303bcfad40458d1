"""The owner's mailbox: only 250 after the whole message is told, by real SMTP."""

from __future__ import annotations

import socket
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.agents.mail import locked, posted
from tests.agents.notices import NOTE, Standing, note
from tests.agents.postfix import postfix
from tests.agents.tls import certificate

from dragoman.agents.notify_addresses import Mailbox
from dragoman.agents.notify_email import EmailNotifier
from dragoman.errors import DragomanError
from dragoman.words import Milestone, NotificationState

pytestmark = pytest.mark.anyio

PASSWORD = "pass-4f2a!"
CASES = [
    ("ok", "delivered", ""),
    ("full", "failed", "refused: 452"),
    ("refuse", "failed", "refused: 554"),
    ("no_rcpt", "failed", "refused: 550"),
    ("busy", "failed", "refused: 421"),
    ("hang", "uncertain", "timeout"),
    ("cut", "uncertain", "SMTPServerDisconnected"),
    ("odd", "uncertain", "refused: 251"),
]


def notifier(port: int, *, box: dict[str, Any] | None = None, **changed: Any) -> EmailNotifier:
    """A notifier of one mailbox on this machine."""
    mailbox = {"server": "127.0.0.1", "security": "none", "sender": "desk@example.org", "to": "owner@example.org"}
    settings: dict[str, Any] = {"clock": Standing(), "time_ms": 1_000} | changed
    return EmailNotifier(Mailbox(**(mailbox | {"port": port} | (box or {}))), **settings)


def password(tmp_path: Path, words: str = PASSWORD) -> Path:
    """The private file with the password."""
    path = tmp_path / "password"
    path.write_text(words)
    path.chmod(0o600)
    return path


@pytest.mark.parametrize(("answer", "state", "why"), CASES, ids=[row[0] for row in CASES])
async def test_what_became_of_it(answer: str, state: str, why: str) -> None:
    """A plain no is failed, a lost answer uncertain, and nothing is sent a second time."""
    with posted(answer) as post:
        told = await notifier(post.port).notify(NOTE)

    assert (NotificationState(state), why) == (told.state, "timeout" if told.slow else told.why)
    assert len(post.messages) <= 1


async def test_the_message(tmp_path: Path) -> None:
    """Addresses, an id that an attempt under the same id repeats, and words that any mail program shows."""
    with posted() as post:
        for _ in range(2):
            await notifier(post.port).notify(NOTE)
    first, second = post.messages

    assert [("desk@example.org", ["owner@example.org"])] * 2 == post.envelopes
    assert {
        "From": "desk@example.org",
        "To": "owner@example.org",
        "Subject": "[Dragoman] Your decision is needed",
        "Date": "Mon, 21 Sep 2026 14:13:20 +0000",
        "Message-ID": "<ntf-1@example.org>",
        "Auto-Submitted": "auto-generated",
    } == {name: first[name] for name in ("From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted")}
    assert first["Message-ID"] == second["Message-ID"]
    assert [
        "It waits.", "Offer the 6th?", "", "Contact: con_1", "",
        "See `dragoman status`; answer with `dragoman resolve`. Do not answer this message.",
    ] == first.get_content().splitlines()  # fmt: skip
    assert ["example.org"] * 2 == post.helos


async def test_chinese_in_subject_and_body() -> None:
    """Encoded as seven-bit text, and read back as it was."""
    said = note(summary="会话正在等待您的决定。\n6号可以吗？", milestone=Milestone.DECISION_NEEDED)
    with posted() as post:
        told = await notifier(post.port, language="zh").notify(said)

    assert NotificationState.DELIVERED is told.state
    assert post.raw[0].isascii()
    assert "[Dragoman] 需要您决定" == post.messages[0]["Subject"]
    assert ["会话正在等待您的决定。", "6号可以吗？"] == post.messages[0].get_content().splitlines()[:2]


@pytest.mark.parametrize(
    "words",
    ["x\r\nBcc: all@example.net\r\n\r\nhello", ".\r\nMAIL FROM:<x@example.net>\r\n", "..dots\n.\n", "a\x00b", "\ud800"],
)
async def test_words_are_only_ever_body(words: str) -> None:
    """Nothing that a counterparty wrote becomes a header, a command or a second message."""
    with posted() as post:
        told = await notifier(post.port).notify(note(summary=words.encode("utf-8", "replace").decode()))

    assert (NotificationState.DELIVERED, 1) == (told.state, len(post.messages))
    (message,) = post.messages
    assert [None, "owner@example.org"] == [message["Bcc"], message["To"]]
    assert [("desk@example.org", ["owner@example.org"])] == post.envelopes


async def test_nobody_listening_is_nobody_told() -> None:
    """No connection, no byte: failed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    told = await notifier(port).notify(NOTE)

    assert (NotificationState.FAILED, "SMTPConnectError") == (told.state, told.why)


@pytest.mark.parametrize(
    ("security", "right"), [("starttls", True), ("tls", True), ("starttls", False), ("tls", False)]
)
async def test_tls_with_a_checked_certificate(tmp_path: Path, security: str, right: bool) -> None:
    """The named file is trusted; without it nothing is said in the open and nothing is sent."""
    context, ca = certificate(tmp_path)
    options = {"ssl_context": context} if security == "tls" else {"tls_context": context, "require_starttls": True}
    with posted(**options) as post:
        box = {"server": "localhost", "security": security}
        told = await notifier(post.port, box=box, ca_file=ca if right else None).notify(NOTE)

    wanted = NotificationState.DELIVERED if right else NotificationState.FAILED
    assert (wanted, int(right)) == (told.state, len(post.messages))


async def test_no_downgrade() -> None:
    """A server that does not offer STARTTLS gets nothing."""
    with posted() as post:
        told = await notifier(post.port, box={"server": "localhost", "security": "starttls"}).notify(NOTE)

    assert (NotificationState.FAILED, []) == (told.state, post.messages)


@pytest.mark.parametrize("words", [PASSWORD, "another-one"])
async def test_logging_in(tmp_path: Path, words: str) -> None:
    """The password of the private file, after TLS; a wrong one is failed, and shows nowhere."""
    context, ca = certificate(tmp_path)
    with posted(**locked(context, PASSWORD)) as post:
        box = {"server": "localhost", "security": "starttls", "username": "desk"}
        made = notifier(post.port, box=box, ca_file=ca, password_file=password(tmp_path, words))
        told = await made.notify(NOTE)
        if words == PASSWORD:
            assert {"server": "localhost", "logged_in": "yes"} == await made.check()
        else:
            with pytest.raises(DragomanError) as raised:
                await made.check()
            assert ("not_ready", False) == (raised.value.code, words in str(raised.value))

    wanted = NotificationState.DELIVERED if words == PASSWORD else NotificationState.FAILED
    assert (wanted, int(words == PASSWORD)) == (told.state, len(post.messages))
    assert words not in repr(told)


async def test_check_sends_nothing(tmp_path: Path) -> None:
    """A look begins no message; a password that others may read is a blocker."""
    with posted() as post:
        assert {"server": "127.0.0.1", "logged_in": "no"} == await notifier(post.port).check()
        open_to_all = password(tmp_path)
        open_to_all.chmod(0o644)
        with pytest.raises(DragomanError) as raised:
            await notifier(post.port, box={"username": "desk"}, password_file=open_to_all).check()

    assert ("key_invalid", [], []) == (raised.value.code, post.messages, post.envelopes)


def test_another_address_is_another_notifier() -> None:
    """The scope digest sees every part of the mailbox."""
    boxes: list[dict[str, Any]] = [{}, {"to": "other@example.org"}, {"sender": "a@example.org"}, {"username": "desk"}]
    boxes += [{"server": "localhost"}, {"security": "tls"}, {"port": 2525}]
    seen = [notifier(25, box=box).fingerprint() for box in boxes]

    assert len(boxes) == len(set(seen))
    assert seen[0] == notifier(25).fingerprint()


async def test_a_real_postfix(tmp_path: Path) -> None:
    """A Postfix of its own takes the message, by STARTTLS, and puts it into a mailbox as it was written."""
    _, ca = certificate(tmp_path)
    with postfix(tmp_path / "tls.key", ca) as (port, mailbox):
        box = {"server": "localhost", "security": "starttls", "to": "owner@example.org"}
        made = notifier(port, box=box, ca_file=ca, language="zh", time_ms=20_000)
        assert {"server": "localhost", "logged_in": "no"} == await made.check()
        told = await made.notify(note(summary="会话正在等待您的决定。"))
        nobody = await notifier(port, box=box | {"to": "owner@elsewhere.example"}, ca_file=ca, time_ms=20_000).notify(
            NOTE
        )
        assert (NotificationState.DELIVERED, NotificationState.FAILED) == (told.state, nobody.state), (told, nobody)
        for _ in range(200):
            if arrived := list(mailbox.glob("new/*")):
                break
            await anyio.sleep(0.05)
        (found,) = arrived
        message = message_from_bytes(found.read_bytes(), policy=policy.default)

    assert ("[Dragoman] 需要您决定", "<ntf-1@example.org>") == (message["Subject"], message["Message-ID"])
    assert "会话正在等待您的决定。" == message.get_content().splitlines()[0]  # type: ignore[attr-defined]
    assert told.evidence.startswith("250 2.0.0 Ok: queued as ")
