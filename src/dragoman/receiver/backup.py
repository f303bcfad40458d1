"""A receiver's private state as one file, and back (spec 2 §2, §3.14, §3.16).

1. A backup is taken from the running ledger through SQLite's own copy, never file by file: what was committed is in it,
   whole. Marks are read before the ledger, so that a restored pair never looks older than itself.
2. One private file (0600), complete before it has its name, and never over another. Every part carries its hash; the
   ledger's copy is checked before the backup is called one. The role key is in it only when asked for by name.
3. A restore writes only where nothing is, and under the state lock. It refunds nothing: marks that stand here are never
   replaced or lowered, and a ledger below them is told as older; the receiver then refuses the grants that were used.
4. A backup is read like any input: known parts only, bounded, and judged whole before a byte is put in place.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import itertools
import os
import sqlite3
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from dragoman import __version__
from dragoman.errors import DragomanError
from dragoman.ledger.checkpoint import KEY_FILE as CHECKPOINT_KEY
from dragoman.ledger.files import create_private, private_folder, read_private, sync_folder
from dragoman.ledger.highwater import HighWater
from dragoman.ledger.store import APPLICATION_ID, FILE, KEY_FILE, VERSION, exists, open_ledger
from dragoman.receiver.books import open_books, side_file
from dragoman.receiver.config import SIZE_LIMIT, Config, load_config
from dragoman.receiver.lock import StateLock

MANIFEST: Final = "manifest.json"
MARKS: Final = "high-water.json"
CONFIG: Final = "config"
ROLE_KEY: Final = "role.key"
PARTS: Final = {FILE: 2**36, KEY_FILE: 4_096, CHECKPOINT_KEY: 4_096, MARKS: 2**24, CONFIG: SIZE_LIMIT, ROLE_KEY: 65_536}
"""What a backup may hold, and how large each part may be, in bytes."""
_STATE: Final = (KEY_FILE, CHECKPOINT_KEY, FILE)
"""The parts of the state folder; the ledger last: with it the state is there."""
_CHUNK: Final = 1024 * 1024


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One part of a backup."""

    name: str
    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What stands first in a backup. `taken_at` is epoch milliseconds."""

    format: Literal[1] = 1
    release: str
    taken_at: int
    install_id: str
    config_name: str
    parts: tuple[Part, ...]


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """A backup that was taken."""

    file: str
    bytes: int
    parts: tuple[str, ...]
    taken_at: int


class Restored(msgspec.Struct, frozen=True, kw_only=True):
    """What was put in place, and whether it is older than what was used here."""

    files: tuple[str, ...]
    taken_at: int
    older: bool


# --- taking ----------------------------------------------------------------------------------------------------------


def take(path: Path, out: Path, now: int, *, with_key: bool = False) -> Taken:
    """Back up the receiver whose configuration is at `path` into the new file `out`.

    Raises:
        DragomanError: `conflict` when `out` exists, `input_invalid` when it cannot be written, `ledger_missing`,
            `ledger_broken`, `key_invalid`, or what is wrong with the configuration.
    """
    config = load_config(path)
    if os.path.lexists(out):
        raise DragomanError("conflict", "there is one already", where=str(out), fix="choose a name that is free")
    held = {CONFIG: _private(config.path, SIZE_LIMIT, "config_unreadable")}
    marks = HighWater(side_file(config.path))
    if marks.read().grants:
        held[MARKS] = _private(marks.path, PARTS[MARKS], "ledger_broken")
    if with_key:
        held[ROLE_KEY] = _role_key(config)
    copy, beside = out.with_name(f"{out.name}.ledger"), out.with_name(f"{out.name}.new")
    try:
        for leftover in (copy, beside):
            leftover.unlink(missing_ok=True)
        install_id = _copied(config.state_dir, copy)
        held |= {name: _private(config.state_dir / name, PARTS[name], "ledger_broken") for name in _STATE[:-1]}
        parts = [Part(name, len(body), hashlib.sha256(body).hexdigest()) for name, body in held.items()]
        parts.append(Part(FILE, copy.stat().st_size, _hash_of(copy)))
        manifest = Manifest(
            release=__version__, taken_at=now, install_id=install_id, config_name=path.name, parts=tuple(parts)
        )
        _write(beside, {MANIFEST: msgspec.json.encode(manifest), **held}, copy)
        _named(beside, out)
    except OSError as error:
        fix = "choose a folder that exists, with room"
        raise DragomanError("input_invalid", error.strerror or "", where=str(out), fix=fix) from error
    finally:
        for left in (copy, beside):
            with contextlib.suppress(OSError):
                left.unlink(missing_ok=True)
    return Taken(file=str(out), bytes=out.stat().st_size, parts=tuple(each.name for each in parts), taken_at=now)


def _copied(state_dir: Path, copy: Path) -> str:
    """Copy the live ledger and judge the copy; the id that it was born with."""
    with contextlib.closing(open_ledger(state_dir)) as ledger:
        ledger.backup(copy)
        install_id = ledger.install_id
    judge(copy)
    return install_id


def judge(ledger: Path) -> None:
    """See that a file is a whole ledger of a version that can be read. It is left as one file, without a log beside.

    Raises:
        DragomanError: `ledger_broken`.
    """
    try:
        with contextlib.closing(sqlite3.connect(ledger, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise _broken(str(error), ledger) from error
    if application != APPLICATION_ID or not 1 <= version <= VERSION or verdict != "ok":
        raise _broken(f"application id {application:#x}, version {version}, {verdict}", ledger)


def _role_key(config: Config) -> bytes:
    if config.file.hub is None:
        raise DragomanError(
            "not_found", "there is no role key without a hub", where="hub", fix="leave `--with-key` out"
        )
    return _private(config.at(config.file.hub.key_file), PARTS[ROLE_KEY], "key_invalid")


def _write(path: Path, held: dict[str, bytes], ledger: Path) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name, body in held.items():
                archive.addfile(_entry(name, len(body)), io.BytesIO(body))
            with ledger.open("rb") as copy:
                archive.addfile(_entry(FILE, ledger.stat().st_size), copy)
        file.flush()
        os.fsync(file.fileno())


def _entry(name: str, size: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o600
    return entry


def _named(beside: Path, out: Path) -> None:
    """Give a complete file its name, unless something has that name by now."""
    try:
        os.link(beside, out)
    except FileExistsError:
        raise DragomanError(
            "conflict", "there is one already", where=str(out), fix="choose a name that is free"
        ) from None
    sync_folder(out.parent)


# --- restoring -------------------------------------------------------------------------------------------------------


def restore(path: Path, source: Path) -> Restored:
    """Put the state in `source` where the configuration at `path` says; the configuration too, if there is none.

    Raises:
        DragomanError: `input_invalid` when it is no backup, `conflict` when there is a state already, `state_locked`,
            `ledger_broken`, or what is wrong with the configuration.
    """
    with contextlib.ExitStack() as stack:
        archive, manifest = _opened(source, stack)
        sizes = {part.name: part for part in manifest.parts}
        placed: list[str] = []
        if CONFIG in sizes and not os.path.lexists(path):
            private_folder(path.parent)
            create_private(path, _body(archive, sizes[CONFIG]))
            placed.append(str(path))
        config = load_config(path)
        stack.enter_context(StateLock(config.state_dir, "restore"))
        if exists(config.state_dir) or any(
            os.path.lexists(config.state_dir / f"{FILE}{end}") for end in ("-wal", "-shm")
        ):
            fix = "move the present state folder away first; nothing is overwritten"
            raise DragomanError("conflict", "there is a state already", where=str(config.state_dir), fix=fix)
        placed += _placed(archive, sizes, config)
    return Restored(files=tuple(placed), taken_at=manifest.taken_at, older=_older(config))


def _opened(source: Path, stack: contextlib.ExitStack) -> tuple[tarfile.TarFile, Manifest]:
    """The archive and its manifest, every part of it judged by size and hash."""
    try:
        archive = stack.enter_context(tarfile.open(source, mode="r:"))  # noqa: SIM115  the caller's stack closes it
        entries = list(itertools.islice(archive, len(PARTS) + 2))
        if len(entries) > len(PARTS) + 1:
            raise ValueError("more parts than a backup has")
        first = entries[0] if entries else None
        if first is None or first.name != MANIFEST or not first.isreg() or first.size > _CHUNK:
            raise ValueError("no manifest first")
        held = archive.extractfile(first)
        manifest = msgspec.json.decode(held.read() if held else b"", type=Manifest)
        names = [part.name for part in manifest.parts]
        if len(set(names)) != len(names) or not set(names) <= PARTS.keys() or not {*_STATE, CONFIG} <= set(names):
            raise ValueError("other parts than a backup has")
        for part in manifest.parts:
            digest, size = hashlib.sha256(), 0
            for chunk in _chunks(archive, part):
                digest.update(chunk)
                size += len(chunk)
            if (size, digest.hexdigest()) != (part.bytes, part.sha256):
                raise ValueError(f"`{part.name}` is not what was written")
    except (OSError, ValueError, KeyError, EOFError, tarfile.TarError, msgspec.MsgspecError) as error:
        fix = "give a file that `dragoman backup` wrote"
        raise DragomanError("input_invalid", f"no backup: {error}", where=str(source), fix=fix) from error
    return archive, manifest


def _chunks(archive: tarfile.TarFile, part: Part) -> Iterator[bytes]:
    entry = archive.getmember(part.name)
    if not entry.isreg() or entry.size != part.bytes or entry.size > PARTS[part.name]:
        raise ValueError(f"`{part.name}` has another kind or size")
    held = archive.extractfile(entry)
    while held is not None and (chunk := held.read(_CHUNK)):
        yield chunk


def _body(archive: tarfile.TarFile, part: Part) -> bytes:
    return b"".join(_chunks(archive, part))


def _placed(archive: tarfile.TarFile, parts: dict[str, Part], config: Config) -> list[str]:
    """Everything but the ledger where nothing is; then the ledger, judged once more, under its own name."""
    state = config.state_dir
    wanted: dict[str, Path] = {name: state / name for name in _STATE[:-1]} | {MARKS: side_file(config.path)}
    if config.file.hub is not None:
        wanted[ROLE_KEY] = config.at(config.file.hub.key_file)
    placed = []
    beside = state / f"{FILE}.restored"
    try:
        beside.unlink(missing_ok=True)
        fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as file:
            for chunk in _chunks(archive, parts[FILE]):
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        judge(beside)
        for name in _STATE[:-1]:
            wanted[name].unlink(missing_ok=True)  # the keys of a ledger that is not there any more
        for name, path in wanted.items():
            if name in parts and not os.path.lexists(path):
                create_private(path, _body(archive, parts[name]))
                placed.append(str(path))
        os.rename(beside, state / FILE)
        sync_folder(state)
    except OSError as error:
        fix = "see that the disk has room and can be written; nothing was done that is not written down"
        raise DragomanError("ledger_broken", error.strerror or "", where=str(state), fix=fix) from error
    finally:
        beside.unlink(missing_ok=True)
    return [*placed, str(state / FILE)]


def _older(config: Config) -> bool:
    """Whether the receiver will refuse what now stands there under the grants that were used here."""
    try:
        with contextlib.closing(open_books(config.state_dir, side_file(config.path), may_create=False)):
            return False
    except DragomanError as error:
        if error.code != "ledger_missing":
            raise
        return True


def _private(path: Path, limit: int, code: str) -> bytes:
    try:
        return read_private(path, limit)
    except (OSError, ValueError) as error:
        raise DragomanError(code, str(error), where=str(path), fix="chmod 600, owned by you") from error


def _hash_of(path: Path) -> str:
    digest: Any = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return str(digest.hexdigest())


def _broken(detail: str, path: Path) -> DragomanError:
    fix = "restore the state folder from a backup; do not delete it"
    return DragomanError("ledger_broken", detail, where=str(path), fix=fix)
