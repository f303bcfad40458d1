"""A certificate for `localhost`, made by the machine's `openssl`; without it the test is skipped."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest


def certificate(folder: Path) -> tuple[ssl.SSLContext, Path]:
    """A server's context, and the file that trusts it."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl on this machine")
    key, cert = folder / "tls.key", folder / "tls.pem"
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(cert)]
    subprocess.run([*words.split(), *names], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context, cert
