"""`dragoman journal list|verify|paths`: what was decided, whether the chain holds, what was exercised (spec 1 §9)."""

from __future__ import annotations

from typing import Annotated

import typer

from dragoman.cli.output import emit, line
from dragoman.cli.receiver import AsJson, ConfigPath, open_config
from dragoman.clock import rfc3339

app = typer.Typer(name="journal", help="Read the journal, check its chain, list what was exercised.")


@app.command("list")
def list_records(
    config: ConfigPath,
    newest: Annotated[int, typer.Option(min=1, max=10_000, help="How many, from the newest back.")] = 50,
    kind: Annotated[str, typer.Option(help="event, output, life, notice or operator; default: every kind.")] = "",
    as_json: AsJson = False,
) -> None:
    """The newest records, oldest first: no bodies, no ids in clear."""
    with open_config(config) as (_, books):
        found = books.journal.newest(newest, kind)
    if as_json:
        emit({"records": found})
        return
    for record in found:
        words = f"{rfc3339(record.time)}  {record.correlation_id}  {record.consumer or record.kind}: {record.outcome}"
        line(f"{words} ({record.reason}, {record.audience})")


@app.command()
def verify(config: ConfigPath, as_json: AsJson = False) -> None:
    """Check the hash chain from the first record to the newest; its head is what a checkpoint would sign."""
    with open_config(config) as (_, books):
        count, head = books.journal.verify(), books.journal.head()
    if as_json:
        emit({"records": count, "head": head})
    else:
        line(f"{count} records, head {head.hash}")


@app.command()
def paths(config: ConfigPath, as_json: AsJson = False) -> None:
    """Every consumer path (adapter and operation) that was exercised, how often, and when last."""
    with open_config(config) as (_, books):
        found = books.journal.paths()
    if as_json:
        emit({"paths": found})
        return
    for path in found:
        line(f"{path['consumer']}: {path['times']} times, last {rfc3339(path['last'])}")
