"""`dragoman packet seal|sign|keys`: checksum, signature, and whose signatures count.

A private key is a private file of its own (0600) and stands in no argument, environment or output. A trust file holds
public keys only; it is written anew as a whole, and is yours to review like any other file.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from dragoman.cli.output import emit, line, read_file, read_stdin
from dragoman.cli.packet_forms import print_packet
from dragoman.errors import DragomanError
from dragoman.ledger.files import NotPrivate, create_private, read_private
from dragoman.packets.rules.identity import ID
from dragoman.packets.seal import seal
from dragoman.packets.signature import Trust, TrustedKey, decoded, encoded, key_id_of, public_key_of, read_trust

_KEY_BYTES = 4096
_SEED_BYTES = 32

TrustFile = Annotated[
    Path | None, typer.Option("--trust", metavar="FILE", help="Whose signatures count; without it none is judged.")
]
KeyFile = Annotated[Path, typer.Option("--key", metavar="FILE", help="A private key of `packet keys new`.")]
Json = Annotated[bool, typer.Option("--json", help="Write one JSON value.")]

keys = typer.Typer(no_args_is_help=True, help="Keys that sign packets, and the list of those that count.")


class PrivateKey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of a private key."""

    kind: str
    key_id: str
    public_key: str
    seed: str


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("seal")(seal_command)
    app.command("sign")(sign_command)
    app.add_typer(keys, name="keys")


def trust_in(path: Path | None) -> Trust | None:
    """The trust list of a file, or None.

    Raises:
        DragomanError: `input_invalid`.
    """
    return None if path is None else _trust_of(path)


def _trust_of(path: Path) -> Trust:
    raw = read_file(path)
    try:
        return read_trust(raw)
    except DragomanError as error:
        raise DragomanError(error.code, error.detail, where=str(path), fix=error.fix) from None


def seal_command(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A packet file; `-` reads standard input.")],
    as_json: Json = False,
) -> None:
    """Print the packet with a fresh checksum; a signature is dropped. With `--json` in one line."""
    _print_sealed(path, None, as_json)


def sign_command(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A packet file; `-` reads standard input.")],
    key: KeyFile,
    as_json: Json = False,
) -> None:
    """Print the packet sealed and signed with your key. With `--json` in one line."""
    _print_sealed(path, _private_key(key), as_json)


@keys.command("new")
def new_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where the private key is written; must not exist.")],
    as_json: Json = False,
) -> None:
    """Make a key. The private half stays in FILE (0600); what is printed may be given to anybody."""
    seed = os.urandom(_SEED_BYTES)
    public = public_key_of(seed)
    made = PrivateKey(kind="packet-key", key_id=key_id_of(public), public_key=encoded(public), seed=encoded(seed))
    try:
        create_private(file, msgspec.json.format(msgspec.json.encode(made)) + b"\n")
    except FileExistsError:
        fix = "name another file; a key is never written over"
        raise DragomanError("conflict", "exists", where=str(file), fix=fix) from None
    except OSError as error:
        raise DragomanError(
            "input_invalid", error.strerror or "", where=str(file), fix="name a folder that is yours"
        ) from None
    _say(made, as_json)


@keys.command("show")
def show_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A private key of `packet keys new`.")],
    as_json: Json = False,
) -> None:
    """Print the public half of a key."""
    _say(_read_key(file), as_json)


@keys.command("trust")
def trust_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The trust file; made when it is missing.")],
    public_key: Annotated[str, typer.Option("--public-key", help="The public key, as its owner gave it to you.")],
    agent: Annotated[list[str], typer.Option("--agent", help="An agent id that the key speaks for; may be repeated.")],
    must_sign: Annotated[bool, typer.Option("--must-sign", help="Packets of these agents need a signature.")] = False,
    note: Annotated[str, typer.Option("--note", help="How you know whose key it is.")] = "",
    as_json: Json = False,
) -> None:
    """List a public key as one that counts, after you have verified whose it is."""
    raw = decoded(public_key)
    if len(raw) != _SEED_BYTES:
        raise DragomanError(
            "usage", "is no public key", where="--public-key", fix="copy the 43 characters of its owner"
        )
    if strange := [each for each in agent if not ID.fullmatch(each)]:
        fix = "name it as its packets do in `source.agent_id`, such as `agent:stock`"
        raise DragomanError("usage", f"`{strange[0]}` is no agent id", where="--agent", fix=fix)
    added = TrustedKey(key_id=key_id_of(raw), public_key=public_key, agents=tuple(agent), note=note)

    def add(before: Trust) -> Trust:
        if any(each.key_id == added.key_id for each in before.keys):
            fix = "edit its entry in the file"
            raise DragomanError("conflict", f"holds `{added.key_id}` already", where=str(file), fix=fix)
        signing = dict.fromkeys((*before.must_sign, *(agent if must_sign else ())))
        return Trust(keys=(*before.keys, added), must_sign=tuple(signing))

    _change(file, add)
    if as_json:
        emit(added)
    else:
        line(f"{added.key_id} counts for {', '.join(agent)}")


@keys.command("withdraw")
def withdraw_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The trust file.")],
    key_id: Annotated[str, typer.Option("--key-id", help="The key that no longer counts.")],
    as_json: Json = False,
) -> None:
    """From now on nothing that the key has signed counts, whenever it was signed."""

    def withdraw(before: Trust) -> Trust:
        if all(each.key_id != key_id for each in before.keys):
            raise DragomanError("not_found", f"no key `{key_id}`", where=str(file), fix="see the file for its keys")
        rows = (
            msgspec.structs.replace(each, withdrawn=True) if each.key_id == key_id else each for each in before.keys
        )
        return Trust(keys=tuple(rows), must_sign=before.must_sign)

    _change(file, withdraw)
    if as_json:
        emit({"key_id": key_id, "withdrawn": True})
    else:
        line(f"{key_id} counts no more")


def _change(file: Path, edit: Callable[[Trust], Trust]) -> None:
    """Put the edited list in place, whole. Who edits holds the file beside it: of two at once neither undoes the other,
    the second is refused."""
    beside = file.with_name(file.name + ".new")
    try:
        made = beside.open("xb")
    except FileExistsError:
        fix = "try again; if nothing else changes the list, remove this leftover first"
        raise DragomanError("conflict", "the list is being changed", where=str(beside), fix=fix) from None
    except OSError as error:
        raise _unwritable(file, error) from None
    try:
        with made:
            after = edit(_trust_of(file) if file.exists() else Trust())
            body = msgspec.json.format(msgspec.json.encode(after), indent=2) + b"\n"
            read_trust(body)
            made.write(body)
            made.flush()
            os.fsync(made.fileno())
        os.replace(beside, file)
    except BaseException as error:
        beside.unlink(missing_ok=True)  # only here: once it is in place, the name is free for the next
        if isinstance(error, OSError):
            raise _unwritable(file, error) from None
        raise


def _unwritable(file: Path, error: OSError) -> DragomanError:
    return DragomanError("input_invalid", error.strerror or "", where=str(file), fix="name a file that is yours")


def _print_sealed(path: str, key: PrivateKey | None, as_json: bool) -> None:
    raw = read_stdin() if path == "-" else read_file(Path(path))
    try:
        made = seal(raw, seed=None if key is None else decoded(key.seed))
    except DragomanError as error:
        raise DragomanError(error.code, error.detail, where=f"{path}{error.where}", fix=error.fix) from None
    print_packet(made, as_json=as_json)


def _private_key(file: Path) -> PrivateKey:
    key = _read_key(file)
    if len(decoded(key.seed)) != _SEED_BYTES or encoded(public_key_of(decoded(key.seed))) != key.public_key:
        raise DragomanError(
            "key_invalid", "its halves do not fit", where=str(file), fix="make a new one: `packet keys new`"
        )
    return key


def _read_key(file: Path) -> PrivateKey:
    fix = "name a file of `dragoman packet keys new`, with mode 0600"
    try:
        return msgspec.json.decode(read_private(file, _KEY_BYTES), type=PrivateKey)
    except NotPrivate as error:
        raise DragomanError("config_not_private", str(error), where=str(file), fix=f"chmod 600 {file}") from None
    except (OSError, ValueError, msgspec.DecodeError):
        raise DragomanError("key_invalid", "no private key", where=str(file), fix=fix) from None


def _say(key: PrivateKey, as_json: bool) -> None:
    if as_json:
        emit({"key_id": key.key_id, "public_key": key.public_key})
    else:
        line(f"key id:     {key.key_id}")
        line(f"public key: {key.public_key}")
