"""`dragoman drafts`: what waits for an operator's approval, shown whole, let out or not."""

from __future__ import annotations

import os
from typing import Annotated, Any

import msgspec
import typer

from dragoman.cli.beside import AsJson, ConfigPath, note_operator, open_config, say
from dragoman.cli.output import emit, line
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError

DraftId = Annotated[str, typer.Argument(help="A draft id.")]

drafts = typer.Typer(name="drafts", help="List, show, approve or reject filed drafts.", no_args_is_help=True)


@drafts.command("list")
def drafts_list(config: ConfigPath, as_json: AsJson = False) -> None:
    """Every draft that waits for the operator."""
    from dragoman.words import DraftState

    with open_config(config) as (_, books):
        found = books.approvals.listed(DraftState.FILED)
    if as_json:
        emit({"drafts": [_draft(draft) for draft in found]})
        return
    for draft in found:
        line(f"{draft.id}  {draft.reason}  {'' if draft.approvable else 'reject only  '}{draft.target}")


@drafts.command("show")
def drafts_show(draft_id: DraftId, config: ConfigPath, as_json: AsJson = False) -> None:
    """One draft with its exact text."""
    with open_config(config) as (_, books):
        draft = books.approvals.find(draft_id)
    if draft is None:
        raise DragomanError("not_found", "no such draft", where=draft_id, fix="see `dragoman drafts list`")
    say(_draft(draft), as_json, f"{draft.id}  {draft.state}  {draft.reason}  sha256 {draft.sha256}\n\n{draft.text}")


@drafts.command("approve")
def drafts_approve(
    draft_id: DraftId,
    config: ConfigPath,
    sha256: Annotated[str | None, typer.Option("--sha256", help="The hash of the text that was shown.")] = None,
    as_json: AsJson = False,
) -> None:
    """Let exactly this text out, once; every other check runs again at release."""
    from dragoman.receiver.wiring import new_id

    with open_config(config) as (_, books):
        draft = books.approvals.find(draft_id)
        if draft is None:
            raise DragomanError("not_found", "no such draft", where=draft_id, fix="see `dragoman drafts list`")
        with books.ledger.write():
            found = books.approvals.approve(
                draft_id,
                sha256=sha256 or draft.sha256,
                operator=_operator(),
                nonce=new_id("non"),
                now=SystemClock().now(),
            )
            note_operator(books, found.id, "draft_approved")
    say(_draft(found), as_json, f"{found.id}: {found.state}")


@drafts.command("reject")
def drafts_reject(draft_id: DraftId, config: ConfigPath, as_json: AsJson = False) -> None:
    """Never let this text out."""
    with open_config(config) as (_, books), books.ledger.write():
        found = books.approvals.reject(draft_id, operator=_operator(), now=SystemClock().now())
        note_operator(books, found.id, "draft_rejected")
    say(_draft(found), as_json, f"{found.id}: {found.state}")


def _draft(draft: Any) -> dict[str, Any]:
    body: dict[str, Any] = msgspec.to_builtins(draft)
    return {name: value for name, value in body.items() if name != "nonce"} | {"target": str(draft.target)}


def _operator() -> str:
    return f"cli:{os.getuid()}"
