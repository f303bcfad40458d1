"""Did Discord send this interaction? Ed25519 over timestamp and raw body, by the application's public key.

1. The signature covers the bytes of `X-Signature-Timestamp` followed by the bytes of the body, nothing decoded.
2. Without a key, a header, or with one that is no signature, the answer is no. A stamp that is further than
   `STALE` from when the request came in is a no too, whatever its signature.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from dragoman.channels.discord.state import DiscordAgent
from dragoman.clock import MINUTE, SECOND
from dragoman.errors import DragomanError
from dragoman.words import Fact

SIGNATURE, STAMP = "x-signature-ed25519", "x-signature-timestamp"
STALE: Final = 5 * MINUTE
_SIGNATURE: Final = re.compile(r"[0-9a-fA-F]{128}\Z")
_STAMP: Final = re.compile(r"[0-9]{1,12}\Z")


def verify(headers: Mapping[str, str], body: bytes, received_at: int, now: int, agent: DiscordAgent) -> Fact:
    """YES for a request that Discord signed for this application, fresh at `received_at` and `now`; else NO.

    Raises:
        DragomanError: `extra_missing` without the library that verifies.
    """
    given = {name.lower(): value for name, value in headers.items()}
    signature, stamp = given.get(SIGNATURE, ""), given.get(STAMP, "")
    if not agent.public_key or not _SIGNATURE.match(signature) or not _STAMP.match(stamp):
        return Fact.NO
    if any(abs(at - int(stamp) * SECOND) > STALE for at in (received_at, now)):
        return Fact.NO
    try:
        from nacl.exceptions import BadSignatureError
        from nacl.signing import VerifyKey
    except ImportError as missing:
        raise DragomanError(
            "extra_missing", str(missing), where="discord", fix="install it with `pip install 'dragoman[discord]'`"
        ) from missing
    try:
        VerifyKey(bytes.fromhex(agent.public_key)).verify(stamp.encode() + body, bytes.fromhex(signature))
    except (BadSignatureError, ValueError):
        return Fact.NO
    return Fact.YES
