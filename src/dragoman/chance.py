"""Chance: ids that nobody can guess or count, and the one source of them for whoever embeds the gate.

Pure files take `new_id` as an argument, as they take `now`; tests pass ids that count.
"""

from __future__ import annotations

import secrets
from typing import Final

ID_BYTES: Final = 16


def unguessable(kind: str) -> str:
    """A new id of a kind: `unguessable("dft")` gives `dft-` and 32 hex digits."""
    return f"{kind}-{secrets.token_hex(ID_BYTES)}"
