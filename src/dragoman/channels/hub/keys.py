"""The role key on disk: made once, private from its first byte, refused when it is not.

1. The file is JSON `{"version":1,"secret_key":"<64 hex>","instance_id":"ins_<32 hex>"}` with mode 0600, created
   exclusively: an existing file is never overwritten.
2. It is judged by the opened descriptor, not by its name: a regular file, ours, closed to group and others, no symlink.
3. The secret is shown nowhere: not in `repr`, not in an error, not in a log.

`role_id` stands in the file of a key that took another's place: a role keeps its id when its key changes.

`instance_id` names this installation: every process of it logs in as the same instance. Move the file, never copy it:
a copy would be taken for the same installation.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final, Literal

import msgspec
from nacl.exceptions import CryptoError
from nacl.signing import SigningKey

from dragoman import wire
from dragoman.errors import DragomanError

FILE_BYTES: Final = 4096


class _KeyFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    version: Literal[1]
    secret_key: wire.PublicKey
    instance_id: wire.InstanceId
    role_id: wire.RoleId | None = None


class RoleKey:
    """A role's Ed25519 key and the installation that holds it. It signs; it never tells its secret."""

    __slots__ = ("_signer", "instance_id", "public_key", "role_id")

    def __init__(self, secret: bytes, instance_id: str, role_id: str | None = None) -> None:
        """Take 32 secret bytes; `role_id` when it is not the one that this key makes.

        Raises:
            DragomanError: `key_invalid` when they are not a key.
        """
        try:
            self._signer = SigningKey(secret)
        except (CryptoError, ValueError, TypeError) as error:
            raise DragomanError("key_invalid", "not an Ed25519 key") from error
        self.public_key: str = self._signer.verify_key.encode().hex()
        self.role_id: str = role_id or wire.role_id_of(self.public_key)
        self.instance_id = instance_id

    def sign(self, data: bytes) -> str:
        """The signature of `data`, 128 lower-case hex."""
        return self._signer.sign(data).signature.hex()

    @property
    def replaced(self) -> bool:
        """Whether this key took another one's place: it does not make the role's id."""
        return self.role_id != wire.role_id_of(self.public_key)

    def __repr__(self) -> str:
        return f"RoleKey({self.role_id})"


def create_key(path: Path, *, role_id: str | None = None, instance_id: str | None = None) -> RoleKey:
    """Make a new role key at `path` (spec 2 §1), durable before it returns; for another key's role when one is named.

    Raises:
        DragomanError: `key_invalid` when the file exists or cannot be written.
    """
    secret = os.urandom(32)
    key = RoleKey(secret, instance_id or f"ins_{os.urandom(16).hex()}", role_id)
    stored = _KeyFile(version=1, secret_key=secret.hex(), instance_id=key.instance_id, role_id=role_id)
    body = msgspec.json.encode(stored)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        _sync_folder(path.parent)
    except FileExistsError as error:
        raise DragomanError("key_invalid", "the file exists", where=str(path), fix="choose another path") from error
    except OSError as error:
        raise DragomanError("key_invalid", error.strerror or "", where=str(path)) from error
    return key


def read_key(path: Path) -> RoleKey:
    """The role key at `path`.

    Raises:
        DragomanError: `key_invalid` when the file is missing, a symlink, not ours, open to others, or not a key file.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise _unreadable(error, path) from error
    try:
        complaint = _complaint(os.fstat(fd))
        if complaint:
            raise DragomanError("key_invalid", complaint, where=str(path), fix="chmod 600, owned by you")
        body = os.read(fd, FILE_BYTES + 1)
    except OSError as error:
        raise _unreadable(error, path) from error
    finally:
        os.close(fd)
    try:
        if len(body) > FILE_BYTES:
            raise ValueError("too large")
        stored = msgspec.json.decode(body, type=_KeyFile)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        # The cause is dropped on purpose: a decoder's message may quote the file.
        raise DragomanError("key_invalid", "not a key file", where=str(path)) from None
    return RoleKey(bytes.fromhex(stored.secret_key), stored.instance_id, stored.role_id)


def replace_key(path: Path, new: Path) -> None:
    """Put the key file `new` in the place of the one at `path`, durably; the old secret is gone from there.

    Raises:
        DragomanError: `key_invalid`.
    """
    try:
        new.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise DragomanError("key_invalid", error.strerror or "", where=str(path)) from error


def _unreadable(error: OSError, path: Path) -> DragomanError:
    fix = "restore the role key, or make one with `dragoman hub keygen`"
    return DragomanError("key_invalid", error.strerror or "", where=str(path), fix=fix)


def _complaint(found: os.stat_result) -> str:
    """What makes an opened file unfit to hold a key, or an empty string."""
    if not stat.S_ISREG(found.st_mode):
        return "not a regular file"
    if found.st_uid != os.geteuid():
        return "owned by somebody else"
    if found.st_mode & 0o077:
        return f"mode {stat.S_IMODE(found.st_mode):04o} lets others in, expected 0600"
    return ""


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
