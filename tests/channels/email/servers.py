"""A Postfix and a Dovecot of one test module's own, and a small check in between: the receiving side of `desk.example`.

    people → MX port → check (DKIM by dkimpy, with keys instead of DNS; its result goes on top) → Postfix → LMTP
    we     → submission port (SASL by Dovecot) → Postfix → LMTP; Postfix keeps a copy in our folder `Sent`

Every address of every domain below is a mailbox here, with the same password. Nothing leaves the loopback; all of it
ends with the module.
"""

from __future__ import annotations

import base64
import os
import pwd
import re
import shutil
import smtplib
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from pathlib import Path
from typing import Any, Final

import dkim
import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP as Server
from aiosmtpd.smtp import Envelope, Session
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from dragoman.channels.account import Place
from dragoman.channels.inlet import Inlet
from dragoman.channels.spool import Spool
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError

PASSWORD: Final = "a-password-of-the-tests"
AUTHSERV: Final = "mx.desk.example"
DOMAINS: Final = ("desk.example", "shop.example", "other.example", "partner.example")
MAIN: Final = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
mail_owner = postfix
myhostname = mx.desk.example
mydestination =
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
maillog_file = {folder}/mail.log
maillog_file_prefixes = {folder}
smtpd_recipient_restrictions = reject_unauth_destination
smtpd_relay_restrictions = reject_unauth_destination
smtpd_tls_cert_file = {folder}/cert.pem
smtpd_tls_key_file = {folder}/key.pem
smtpd_tls_security_level = may
default_transport = error:nothing leaves
relay_transport = error:nothing leaves
virtual_mailbox_domains = {domains}
virtual_mailbox_maps = static:all
virtual_transport = lmtp:inet:127.0.0.1:{lmtp}
lmtp_destination_concurrency_limit = 1
lmtp_destination_recipient_limit = 20
recipient_delimiter = +
message_size_limit = 20000000
alias_maps =
alias_database =
"""
MASTER: Final = """
127.0.0.1:{mx} inet n - n - - smtpd
  -o content_filter=check:127.0.0.1:{check}
127.0.0.1:{back} inet n - n - - smtpd
127.0.0.1:{submission} inet n - n - - smtpd
  -o syslog_name=postfix/submission -o cleanup_service_name=keeping
  -o smtpd_sasl_auth_enable=yes -o smtpd_sasl_type=dovecot -o smtpd_sasl_path=inet:127.0.0.1:{auth}
  -o smtpd_client_restrictions=permit_sasl_authenticated,reject
check unix - - n - 10 smtp
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
keeping unix n - n - 0 cleanup
  -o sender_bcc_maps=regexp:{folder}/etc/copies
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
error unix - - n - - error
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""
DOVECOT: Final = """
protocols = imap lmtp
listen = 127.0.0.1
base_dir = {folder}/run
state_dir = {folder}/run
log_path = {folder}/dovecot.log
mail_location = maildir:{folder}/mail/%u
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/mail/%u allow_all_users=yes
}}
disable_plaintext_auth = no
auth_failure_delay = 0
ssl = yes
ssl_cert = <{folder}/cert.pem
ssl_key = <{folder}/key.pem
recipient_delimiter = +
lmtp_save_to_detail_mailbox = yes
lda_mailbox_autocreate = yes
mail_max_userip_connections = 100
first_valid_uid = 1
service imap-login {{
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    address = 127.0.0.1
    port = {lmtp}
  }}
}}
service anvil {{
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service auth {{
  inet_listener {{
    address = 127.0.0.1
    port = {auth}
  }}
}}
"""


class Check:
    """The receiving server's own check: takes away forged results, puts its own on top, and hands the mail back."""

    def __init__(self, keys: dict[bytes, bytes], back: int) -> None:
        self._keys, self._back = keys, back

    async def handle_DATA(self, server: Server, session: Session, envelope: Envelope) -> str:
        """One mail."""
        raw = envelope.content
        assert isinstance(raw, bytes)
        foreign = re.compile(
            rb"^Authentication-Results:\s*mx\.desk\.example(?:.*\r\n)(?:[ \t].*\r\n)*", re.MULTILINE | re.IGNORECASE
        )
        bare = foreign.sub(b"", raw)
        result = self._result(bare)
        with smtplib.SMTP("127.0.0.1", self._back, timeout=20) as client:
            client.sendmail(envelope.mail_from or "", envelope.rcpt_tos, result + bare)
        return "250 handed back"

    def _result(self, raw: bytes) -> bytes:
        sender = parseaddr(str(message_from_bytes(raw, policy=policy.compat32).get("From", "")))[1]
        domain = sender.rpartition("@")[2].lower()
        signed = b"d=" + domain.encode() + b";" in raw
        right = signed and dkim.verify(raw, dnsfunc=lambda name, timeout=5: self._keys.get(name))
        found = "pass" if right else "fail"
        told = f"dkim={found} header.d={domain}; dmarc={found} (p=reject) header.from={domain}"
        return f"Authentication-Results: {AUTHSERV};\r\n {told}\r\n".encode()


class Servers:
    """The running servers."""

    def __init__(self, folder: Path, ports: dict[str, int], key: bytes) -> None:
        self.folder, self.ports, self._key = folder, ports, key
        self.ca_file = folder / "cert.pem"

    def people_send(self, mail: EmailMessage | bytes, *recipients: str, sender: str = "", signed: str = "") -> None:
        """Somebody's mail comes to the MX, signed by a domain's own key if one is named."""
        raw = mail if isinstance(mail, bytes) else mail.as_bytes(policy=policy.SMTP)
        if signed:
            raw = dkim.sign(raw, b"s1", signed.encode(), self._key, include_headers=[b"from", b"to", b"cc"]) + raw
        with smtplib.SMTP("127.0.0.1", self.ports["mx"], timeout=20) as client:
            client.sendmail(sender, list(recipients), raw)

    def settle(self, seconds: float = 45.0) -> None:
        """Wait until nothing is on its way any more."""
        end, quiet = time.monotonic() + seconds, 0
        while quiet < 2:
            waiting = [
                path
                for name in ("incoming", "active", "maildrop", "deferred")
                for path in (self.folder / "queue" / name).rglob("*")
                if path.is_file()
            ]
            quiet = 0 if waiting else quiet + 1
            assert time.monotonic() < end, (self.folder / "mail.log").read_text()[-3_000:]
            time.sleep(0.03)

    def mails(self, address: str, folder: str = "") -> list[EmailMessage]:
        """Every mail in a mailbox, in the order in which it came."""
        self.settle()
        box = self.folder / "mail" / address / (f".{folder}" if folder else "")
        files = [path for name in ("new", "cur") if (box / name).is_dir() for path in (box / name).iterdir()]
        found = []
        for path in sorted(files, key=_came):
            with suppress(FileNotFoundError):
                found.append(message_from_bytes(path.read_bytes(), policy=policy.default))
        return found  # type: ignore[return-value]

    def submissions(self, user: str) -> int:
        """How many mails this account has submitted, by the server's log."""
        log = (self.folder / "mail.log").read_text()
        return len(re.findall(rf"postfix/submission/smtpd.*sasl_username={re.escape(user)}$", log, re.MULTILINE))

    def doveadm(self, *words: str) -> str:
        """A command of the mail store's operator."""
        done = subprocess.run(
            ["doveadm", "-c", str(self.folder / "dovecot.conf"), *words], capture_output=True, text=True, check=True
        )
        return done.stdout

    def section(self, mailbox: str, folder: Path, **changed: Any) -> dict[str, Any]:
        """`channels.email` of an account here, with its private files in `folder`."""
        for name, secret in (("mail.password", PASSWORD), ("mail.key", "0123456789abcdef-of-the-tests")):
            path = folder / name
            path.touch(0o600)
            path.write_text(secret)
        return {
            "mailbox": mailbox,
            "imap_host": "127.0.0.1",
            "imap_port": self.ports["imap"],
            "imap_security": "none",
            "smtp_host": "127.0.0.1",
            "smtp_port": self.ports["submission"],
            "smtp_security": "none",
            "password_file": "mail.password",
            "key_file": "mail.key",
            "authserv_id": AUTHSERV,
            "own_domains": ["desk.example"],
            "copies_folder": "Sent",
            **changed,
        }


def place(folder: Path) -> Place:
    """What an account is given, with its files in `folder`."""

    def none(name: str) -> Spool:
        raise AssertionError("a mailbox keeps everything itself")

    def report(error: DragomanError) -> None:
        raise AssertionError(str(error))

    clock = SystemClock()
    inlet = Inlet("127.0.0.1", 0, clock, lambda failed: None)
    return Place(clock=clock, at=lambda name: folder / name, spool=none, inlet=inlet, report=report)


def _came(path: Path) -> tuple[int, int]:
    found = re.match(r"(\d+)\.M(\d+)", path.name)
    return (int(found[1]), int(found[2])) if found else (0, 0)


@contextmanager
def servers() -> Iterator[Servers]:
    """Both, until the block ends."""
    postfix, dovecot = (shutil.which(name) or shutil.which(name, path="/usr/sbin") for name in ("postfix", "dovecot"))
    if postfix is None or dovecot is None or os.geteuid() != 0:
        missing = "needs Debian's postfix, dovecot-imapd and dovecot-lmtpd, and root to start them"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(missing)
    folder = Path(tempfile.mkdtemp(prefix="dragoman-mail-"))
    try:
        ports = _free("mx", "back", "submission", "check", "imap", "imaps", "lmtp", "auth")
        key, public = _key()
        _prepare(folder, ports)
        names = {f"s1._domainkey.{domain}.".encode(): b"v=DKIM1; k=rsa; p=" + public for domain in DOMAINS}
        check = Controller(Check(names, ports["back"]), hostname="127.0.0.1", port=ports["check"])
        check.start()
        store = subprocess.Popen([dovecot, "-F", "-c", str(folder / "dovecot.conf")], stderr=subprocess.DEVNULL)
        control = [postfix, "-c", str(folder / "etc")]
        try:
            started = subprocess.run([*control, "start"], capture_output=True, text=True, timeout=60, check=False)
            assert started.returncode == 0, started.stderr
            for name in ("mx", "back", "submission", "imap", "lmtp"):
                _wait(ports[name], folder)
            yield Servers(folder, ports, key)
        finally:
            subprocess.run([*control, "stop"], capture_output=True, timeout=60, check=False)
            store.terminate()
            store.wait(30)
            check.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _prepare(folder: Path, ports: dict[str, int]) -> None:
    folder.chmod(0o755)
    owner = pwd.getpwnam("postfix")
    for name, mode in (("queue", 0o755), ("data", 0o700), ("mail", 0o700), ("etc", 0o755), ("run", 0o755)):
        (folder / name).mkdir(mode=mode)
    for name in ("data", "mail"):
        os.chown(folder / name, owner.pw_uid, owner.pw_gid)
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    words += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    words += ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run(words, capture_output=True, check=True)
    facts = {"folder": folder, "uid": owner.pw_uid, "gid": owner.pw_gid, "domains": " ".join(DOMAINS), **ports}
    (folder / "etc" / "main.cf").write_text(MAIN.format(**facts))
    (folder / "etc" / "master.cf").write_text(MASTER.format(**facts))
    (folder / "etc" / "copies").write_text("/^([^@+]+)@desk\\.example$/ ${1}+Sent@desk.example\n")
    (folder / "dovecot.conf").write_text(DOVECOT.format(password=PASSWORD, **facts))


def _key() -> tuple[bytes, bytes]:
    key = rsa.generate_private_key(public_exponent=65_537, key_size=1024)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private, base64.b64encode(public)


def _free(*names: str) -> dict[str, int]:
    sockets = [socket.socket() for _ in names]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = {name: int(each.getsockname()[1]) for name, each in zip(names, sockets, strict=True)}
    for each in sockets:
        each.close()
    return ports


def _wait(port: int, folder: Path) -> None:
    for _ in range(200):
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        time.sleep(0.05)
    logs = [path.read_text()[-2_000:] for path in (folder / "mail.log", folder / "dovecot.log") if path.exists()]
    raise AssertionError("\n".join(["a mail server did not listen", *logs]))
