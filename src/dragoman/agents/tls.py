"""Whose certificates are believed: those of one named file, or those that this system believes.

What the environment says (`SSL_CERT_FILE`, `SSL_CERT_DIR`) is not asked: who starts a process does not choose whom it
trusts. TLS 1.2 at least, the name checked.
"""

from __future__ import annotations

import os
import ssl
from pathlib import Path

from dragoman.errors import DragomanError


def trusting(ca_file: Path | None) -> ssl.SSLContext:
    """A client's context that trusts `ca_file`, or without one what this system trusts.

    Raises:
        DragomanError: `config_invalid` when the file holds no certificates.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    system = ssl.get_default_verify_paths()
    file = str(ca_file) if ca_file else system.openssl_cafile if os.path.isfile(system.openssl_cafile) else None
    folder = None if ca_file or not os.path.isdir(system.openssl_capath) else system.openssl_capath
    try:
        context.load_verify_locations(file, folder)
    except (OSError, TypeError) as error:  # ssl.SSLError is an OSError; TypeError: neither exists
        fix = "name a PEM file of certificates" if ca_file else "install this system's certificates, or name `ca_file`"
        why = getattr(error, "reason", None) or getattr(error, "strerror", None) or "no certificates to trust"
        raise DragomanError("config_invalid", str(why), where=str(ca_file or "ca_file"), fix=fix) from None
    return context
