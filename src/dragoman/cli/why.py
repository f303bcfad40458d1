"""`dragoman why`: the last decision, or any, in words; with `--evidence` also what the journal must not hold.

Works on a receiver's ledger (`--config`) or on the state folder of a gate that a bot embeds (`--state`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.beside import AsJson, MaybeConfig, StateFolder, open_records
from dragoman.cli.language import language
from dragoman.cli.output import emit, line
from dragoman.cli.phrases import STATES, told, word
from dragoman.clock import SystemClock, rfc3339
from dragoman.errors import DragomanError

if TYPE_CHECKING:
    from dragoman.ledger.journal import Recorded


def register(app: typer.Typer) -> None:
    """Add the command to the main app."""
    app.command()(why)


def why(
    correlation_id: Annotated[str | None, typer.Argument(help="A correlation id; the newest when left out.")] = None,
    evidence: Annotated[bool, typer.Option("--evidence", help="Also errors and refused texts, while kept.")] = False,
    config: MaybeConfig = None,
    state: StateFolder = None,
    as_json: AsJson = False,
) -> None:
    """Explain the last decision, or any, in words."""
    with open_records(config, state) as records:
        found = records.journal.why(correlation_id)
        kept = records.evidence.of(found[0].correlation_id, SystemClock().now()) if evidence and found else []
    if not found:
        where, fix = correlation_id or "journal", "see `dragoman journal show`"
        raise DragomanError("not_found", "no such decision", where=where, fix=fix)
    if as_json:
        pieces = [
            {
                "kind": each.kind,
                "kept_at": each.kept_at,
                "until": each.until,
                "text": each.body.decode("utf-8", "replace"),
            }
            for each in kept
        ]
        emit({"records": found, **({"evidence": pieces} if evidence else {})})
        return
    for record in found:
        line(f"{rfc3339(record.time)}  {_decision(record)}")
    for piece in kept:
        line(f"{rfc3339(piece.kept_at)}  {told('kept_until', kind=piece.kind, until=rfc3339(piece.until))}")
        for words in piece.body.decode("utf-8", "replace").splitlines():
            line(f"    {words}")
    if evidence and not kept:
        line(told("no_evidence"))


def _decision(record: Recorded) -> str:
    from dragoman.cli.retold import life
    from dragoman.gate.why import in_words
    from dragoman.words import Reason

    code, outcome, spoken = str(record.reason), str(record.outcome), language()
    meaning = in_words(code, spoken) if code in set(Reason) else life(code, spoken)
    if would := record.facts.get("shadow"):
        meaning = told("shadow", would=would, meaning=meaning)
    return told(
        "decision",
        what=record.consumer or life(str(record.kind), spoken),
        outcome=word(outcome) if outcome in STATES else life(outcome, spoken),
        audience=word(str(record.audience)),
        meaning=meaning,
        reason=code,
    )
