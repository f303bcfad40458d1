"""The role key file: private from its first byte, refused when it is not, and silent about its secret."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from nacl.signing import VerifyKey

from dragoman import wire
from dragoman.channels.hub.keys import create_key, read_key
from dragoman.errors import DragomanError


def test_made_and_read(tmp_path: Path) -> None:
    """What is read is what was made: same role, same installation, and its signatures fit."""
    path = tmp_path / "role.key"
    made, read = create_key(path), read_key(path)

    assert (made.role_id, made.public_key, made.instance_id) == (read.role_id, read.public_key, read.instance_id)
    assert wire.role_id_of(made.public_key) == made.role_id
    assert VerifyKey(bytes.fromhex(made.public_key)).verify(b"data", bytes.fromhex(read.sign(b"data"))) == b"data"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_secret_is_not_shown(tmp_path: Path) -> None:
    """Neither `repr` nor an error about a broken file holds a digit of the secret."""
    path = tmp_path / "role.key"
    key = create_key(path)
    secret = path.read_text().split('"secret_key":"')[1][:64]
    path.write_text(path.read_text().replace("}", ',"more":1}'))
    with pytest.raises(DragomanError) as caught:
        read_key(path)

    assert secret not in repr(key) + str(caught.value) + str(caught.value.__cause__)
    assert secret not in repr(vars(caught.value))


def test_an_existing_key_is_never_overwritten(tmp_path: Path) -> None:
    """A second `keygen` to the same path is refused and the first key stays."""
    path = tmp_path / "role.key"
    role_id = create_key(path).role_id
    with pytest.raises(DragomanError, match="exists"):
        create_key(path)

    assert role_id == read_key(path).role_id


def group_may_read(path: Path) -> None:
    path.chmod(0o640)


def others_may_write(path: Path) -> None:
    path.chmod(0o602)


def a_symlink(path: Path) -> None:
    path.rename(path.with_name("real.key"))
    path.symlink_to(path.with_name("real.key"))


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir(0o700)


def missing(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def garbage(path: Path) -> None:
    path.write_bytes(b"\xff" * 100)


def too_large(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b" " * 5000)


def deeply_nested(path: Path) -> None:
    path.write_bytes(b'{"secret_key":' + b"[" * 4000)


def short_secret(path: Path) -> None:
    text = path.read_text()
    path.write_text(text.replace('"secret_key":"', '"secret_key":"ab', 1))


BAD = [
    group_may_read, others_may_write, a_symlink, a_folder, missing,
    empty, garbage, too_large, deeply_nested, short_secret,
]  # fmt: skip


@pytest.mark.parametrize("spoil", BAD, ids=lambda spoil: spoil.__name__)
def test_what_is_not_a_private_key_file_is_refused(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    """Open to others, a link, or not a key: one code, no exception of another kind."""
    path = tmp_path / "role.key"
    create_key(path)
    spoil(path)
    with pytest.raises(DragomanError) as caught:
        read_key(path)

    assert caught.value.code == "key_invalid"
