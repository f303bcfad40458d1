"""A Postfix of one test's own: folder, queue, port, one mailbox, no way out. Skipped without Postfix or root.

It takes mail for `example.org` by STARTTLS only and delivers it into a maildir; everything else is refused. It ends
with the test, and its folder goes.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

MAIN = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
mail_owner = postfix
myhostname = localhost
mydestination =
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
maillog_file = {folder}/mail.log
maillog_file_prefixes = {folder}
smtpd_tls_security_level = encrypt
smtpd_tls_cert_file = {folder}/cert.pem
smtpd_tls_key_file = {folder}/key.pem
smtpd_recipient_restrictions = reject_unauth_destination
smtpd_relay_restrictions = reject_unauth_destination
default_transport = error:nothing leaves
relay_transport = error:nothing leaves
virtual_mailbox_domains = example.org
virtual_mailbox_base = {folder}
virtual_mailbox_maps = static:box/
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{gid}
virtual_minimum_uid = 1
alias_maps =
alias_database =
"""
MASTER = """
127.0.0.1:{port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
error unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""


@contextmanager
def postfix(key: Path, cert: Path) -> Iterator[tuple[int, Path]]:
    """Its port, and the maildir."""
    command = shutil.which("postfix") or shutil.which("postfix", path="/usr/sbin:/sbin")
    if command is None or os.geteuid() != 0:
        pytest.skip("needs Debian's postfix, and root to start one")
    folder = Path(tempfile.mkdtemp(prefix="dragoman-postfix-"))
    try:
        folder.chmod(0o755)
        owner = pwd.getpwnam("postfix")
        for name, mode in (("queue", 0o755), ("data", 0o700), ("box", 0o700), ("etc", 0o755)):
            (folder / name).mkdir(mode=mode)
        for name in ("data", "box"):
            os.chown(folder / name, owner.pw_uid, owner.pw_gid)
        shutil.copy(key, folder / "key.pem")
        shutil.copy(cert, folder / "cert.pem")
        (folder / "key.pem").chmod(0o600)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = int(free.getsockname()[1])
        words = MAIN.format(folder=folder, uid=owner.pw_uid, gid=owner.pw_gid)
        (folder / "etc" / "main.cf").write_text(words)
        (folder / "etc" / "master.cf").write_text(MASTER.format(port=port))
        control = [command, "-c", str(folder / "etc")]
        started = subprocess.run([*control, "start"], capture_output=True, text=True, timeout=60, check=False)
        log = folder / "mail.log"
        assert started.returncode == 0, started.stderr + (log.read_text() if log.exists() else "")
        try:
            _wait(port)
            yield port, folder / "box"
        finally:
            subprocess.run([*control, "stop"], capture_output=True, timeout=60, check=False)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("postfix did not listen")
