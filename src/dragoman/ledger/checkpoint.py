"""Who says that this was the journal's head? An Ed25519 signature over it (spec 1 §9).

1. The private key is a file of its own beside the ledger, 0600, made with it; it never leaves its folder, and is shown
   nowhere. A ledger of an older release gets one at its first checkpoint.
2. What is signed names its purpose, the journal, the record's number and hash, and the time.
3. A checkpoint is genuine under a public key that the verifier brings; the one inside it proves nothing.
4. Whoever holds the private key can sign another past. Checkpoints show it to those who kept an earlier one elsewhere.

The signing library belongs to the extra `receiver`; it is imported only when something is signed or verified.
"""

from __future__ import annotations

import contextlib
import secrets
from pathlib import Path
from typing import Final

from dragoman.errors import DragomanError
from dragoman.ledger.chain import Checkpoint, Head
from dragoman.ledger.files import create_private, read_private

KEY_FILE: Final = "checkpoint.key"
KEY_BYTES: Final = 32


def make_key(folder: Path) -> None:
    """Make the signing key of the ledger in `folder`, unless there is one."""
    with contextlib.suppress(FileExistsError):
        create_private(folder / KEY_FILE, secrets.token_bytes(KEY_BYTES))


def signed(folder: Path, journal_id: str, head: Head, at: int) -> Checkpoint:
    """A checkpoint of `head`, signed with the key in `folder`.

    Raises:
        DragomanError: `key_invalid` when the key cannot be used.
    """
    from nacl.signing import SigningKey

    key = SigningKey(_secret(folder))
    signature = key.sign(signing_input(journal_id, head, at)).signature
    return Checkpoint(
        journal=journal_id,
        seq=head.seq,
        hash=head.hash,
        at=at,
        public_key=key.verify_key.encode().hex(),
        signature=signature.hex(),
    )


def public_key(folder: Path) -> str:
    """The public half of the key in `folder`, 64 hex.

    Raises:
        DragomanError: `key_invalid` when the key cannot be used.
    """
    from nacl.signing import SigningKey

    return SigningKey(_secret(folder)).verify_key.encode().hex()


def genuine(checkpoint: Checkpoint, key: str) -> bool:
    """Whether the holder of `key` (64 hex, public) signed exactly this checkpoint."""
    from nacl.exceptions import CryptoError
    from nacl.signing import VerifyKey

    said = signing_input(checkpoint.journal, Head(checkpoint.seq, checkpoint.hash), checkpoint.at)
    try:
        VerifyKey(bytes.fromhex(key)).verify(said, bytes.fromhex(checkpoint.signature))
    except (CryptoError, ValueError, TypeError):
        return False
    return True


def signing_input(journal_id: str, head: Head, at: int) -> bytes:
    """What is signed; every part has one form, so no two checkpoints share these bytes."""
    return f"dragoman-journal-checkpoint-v1\n{journal_id}\n{head.seq}\n{head.hash}\n{at}\n".encode()


def _secret(folder: Path) -> bytes:
    path = folder / KEY_FILE
    fix = "restore the state folder; a new key signs no earlier checkpoint"
    try:
        make_key(folder)
        secret = read_private(path, KEY_BYTES)
    except (OSError, ValueError) as error:
        raise DragomanError("key_invalid", str(error), where=str(path), fix=fix) from error
    if len(secret) != KEY_BYTES:
        raise DragomanError("key_invalid", "not the key that was made with this ledger", where=str(path), fix=fix)
    return secret
