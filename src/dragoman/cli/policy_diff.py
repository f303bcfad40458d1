"""`dragoman policy diff`: what differs between two policies, and which decisions of a journal would fall otherwise.

The journal is that of a receiver (`--config`), or an exported one with the ledger's `journal.key` (`--journal --key`):
its ids are pseudonyms, and only that key tells which of them a policy means. Reads, decides nothing, changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from dragoman.cli.beside import AsJson, open_records
from dragoman.cli.output import emit, line
from dragoman.cli.policy_files import compiled_policy, found
from dragoman.errors import DragomanError, Exit
from dragoman.gate.policy_keys import PolicyFile
from dragoman.gate.replay import Pseudonym, Record
from dragoman.gate.workbench.diff import Compared, KeyChange, compared, key_changes

if TYPE_CHECKING:
    from dragoman.ledger.journal import Recorded

RECORDS_LIMIT: Final = 1_000_000
LISTED: Final = 20
"""How many changed decisions are named for people; JSON has all."""


def diff_command(
    old: Annotated[Path, typer.Argument(help="The policy that is in force.")],
    new: Annotated[Path, typer.Argument(help="The policy that would be.")],
    config: Annotated[Path | None, typer.Option(help="A receiver's configuration: its journal is replayed.")] = None,
    state: Annotated[Path | None, typer.Option(help="A state folder, of an embedded gate: its journal.")] = None,
    journal: Annotated[Path | None, typer.Option(help="A file that `journal export` wrote, instead.")] = None,
    key: Annotated[Path | None, typer.Option(help="With `--journal`: the `journal.key` of its ledger.")] = None,
    as_json: AsJson = False,
) -> int:
    """Show the keys that differ, and the journal's decisions that would fall otherwise under the new policy."""
    if sum(each is not None for each in (config, state, journal or key)) > 1:
        fix = "keep one: a configuration, a state folder, or an exported file with its key"
        raise DragomanError("usage", "two journals", where="--journal", fix=fix)
    if (journal is None) != (key is None):
        fix = "give both: the ids of a journal are pseudonyms under that key"
        raise DragomanError("usage", "`--journal` and `--key` go together", where="--journal", fix=fix)
    first, second = found(old), found(new)
    policies = compiled_policy(first), compiled_policy(second)
    changes = key_changes(*(msgspec.toml.decode(each.raw, type=PolicyFile) for each in (first, second)))
    result: Compared | None = None
    if config is not None or state is not None:
        with open_records(config, state) as records:
            result = compared(_bounded(records.journal.every()), *policies, records.journal.pseudonym)
    elif journal is not None and key is not None:
        result = compared(_exported(journal), *policies, _keyed(key))
    if as_json:
        emit({"keys": changes, "decisions": None if result is None else _as_json(result)})
    else:
        _say(changes, result)
    return Exit.OK


def _as_json(result: Compared) -> dict[str, Any]:
    moves = [{"old": _pair(old), "new": _pair(new), "times": times} for old, new, times in result.moves]
    changed = [
        {
            "correlation_id": each.correlation_id,
            "recorded": _pair(each.recorded),
            "old": _pair(each.old),
            "new": _pair(each.new),
        }
        for each in result.changed
    ]
    return {
        "events": result.events,
        "same": result.same,
        "recorded_otherwise": result.recorded_otherwise,
        "moves": moves,
        "changed": changed,
        "not_replayable": result.not_replayable,
    }


def _pair(decided: tuple[str, str]) -> dict[str, str]:
    return {"outcome": decided[0], "reason": decided[1]}


def _say(changes: Sequence[KeyChange], result: Compared | None) -> None:
    line("keys: the same" if not changes else f"keys: {len(changes)} differ")
    for each in changes:
        line(f"  {each.where}: {each.old or '(absent)'} -> {each.new or '(absent)'}")
    if result is None:
        line("decisions: not asked; add `--config` or `--state` to replay a journal")
        return
    line(f"decisions: {result.events} events replayed, {result.same} the same, {len(result.changed)} would change")
    for old, new, times in result.moves:
        line(f"  {times} x {old[0]} ({old[1]}) -> {new[0]} ({new[1]})")
    for changed in result.changed[:LISTED]:
        line(f"    {changed.correlation_id}")
    if len(result.changed) > LISTED:
        line(f"    and {len(result.changed) - LISTED} more; `--json` has all")
    for why, times in result.not_replayable.items():
        line(f"  {times} not replayable: {why}")
    if result.recorded_otherwise:
        line(f"  {result.recorded_otherwise} events were recorded otherwise: another policy was in force then")


def _bounded(records: Any) -> list[Recorded]:
    listed = []
    for record in records:
        listed.append(record)
        if len(listed) > RECORDS_LIMIT:
            raise DragomanError("input_too_large", f"more than {RECORDS_LIMIT} records", where="journal")
    return listed


class _Line(msgspec.Struct, frozen=True):
    body: str


def _exported(path: Path) -> Sequence[Record]:
    """The records of an exported journal whose chain holds.

    Raises:
        DragomanError: `journal_altered` when it is not what was written, `input_invalid` when it is no such file.
    """
    from dragoman.ledger.exported import walked
    from dragoman.ledger.journal import Recorded

    walked(path)
    with path.open("rb") as file:
        lines = file.readlines()[1:-1]
    try:
        bodies = (msgspec.json.decode(each, type=_Line).body for each in lines)
        return _bounded(msgspec.json.decode(body, type=Recorded) for body in bodies)
    except msgspec.MsgspecError as error:
        raise DragomanError("input_invalid", f"a record of another form: {error}", where=str(path)) from None


def _keyed(path: Path) -> Pseudonym:
    """The pseudonyms under a ledger's key, as `LedgerJournal.pseudonym` makes them."""
    from dragoman.ledger.files import read_private
    from dragoman.ledger.journal import pseudonym
    from dragoman.ledger.store import KEY_BYTES

    try:
        secret = read_private(path, KEY_BYTES)
    except (OSError, ValueError) as error:
        fix = "give the `journal.key` of the state folder, mode 0600"
        raise DragomanError("key_invalid", str(error), where=str(path), fix=fix) from None
    if len(secret) != KEY_BYTES:
        raise DragomanError("key_invalid", "not a journal's key", where=str(path), fix="give the `journal.key`")

    return partial(pseudonym, secret)
