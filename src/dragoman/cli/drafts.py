"""`dragoman drafts`: what waits for an operator's approval, shown whole, let out or not.

Works on a receiver's ledger (`--config`) or on the state folder of a gate that a bot embeds (`--state`), beside whoever
runs there. Nothing is sent here: what is approved leaves by the life that filed it. Who decides is `cli:UID`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from dragoman.cli.beside import AsJson, MaybeConfig, StateFolder, note_operator, open_config, say
from dragoman.cli.language import language
from dragoman.cli.output import emit, line
from dragoman.cli.phrases import told, word
from dragoman.clock import SystemClock, rfc3339
from dragoman.errors import DragomanError

if TYPE_CHECKING:
    from dragoman.gate.ports import Filed
    from dragoman.receiver.books import Books

DraftIds = Annotated[list[str], typer.Argument(help="One or more draft ids.")]
DraftId = Annotated[str, typer.Argument(help="A draft id.")]
Sha256 = Annotated[str, typer.Option("--sha256", help="The hash of the text that was shown, or 12 digits of it.")]

drafts = typer.Typer(name="drafts", help="List, show, approve, reject, confirm or expire drafts.", no_args_is_help=True)
app = drafts


@drafts.command("list")
def drafts_list(
    config: MaybeConfig = None,
    state: StateFolder = None,
    only: Annotated[
        str, typer.Option("--only", help="`filed` (those that wait), another state, or `all`.", metavar="STATE")
    ] = "filed",
    as_json: AsJson = False,
) -> None:
    """The drafts that wait for the operator, oldest first."""
    wanted = _state(only)
    with _books(config, state) as books:
        found = books.approvals.listed(wanted)
    now = SystemClock().now()
    if as_json:
        emit({"drafts": [_draft(draft, now) for draft in found]})
        return
    for draft in found:
        line("  ".join(_row(draft, now)))


@drafts.command("show")
def drafts_show(
    draft_id: DraftId, config: MaybeConfig = None, state: StateFolder = None, as_json: AsJson = False
) -> None:
    """One draft with its exact text."""
    with _books(config, state) as books:
        draft = _found(books, draft_id)
    now = SystemClock().now()
    ends = told("draft_head", sha256=draft.sha256, expires=rfc3339(draft.expires_at))
    head = f"{'  '.join(_row(draft, now))}\n{ends}"
    parts = "".join(f"\n{place}: {text}" for place, text in _beside(draft))
    say(_draft(draft, now) | {"parts": _parts(draft)}, as_json, f"{head}{parts}\n\n{draft.text}")


@drafts.command("approve")
def drafts_approve(
    draft_ids: DraftIds,
    config: MaybeConfig = None,
    state: StateFolder = None,
    sha256: Sha256 = "",
    as_json: AsJson = False,
) -> None:
    """Let exactly these texts out, each once, or none of them; every other check runs again at release."""
    if sha256 and len(draft_ids) > 1:
        fix = "approve one id, or leave `--sha256` out"
        raise DragomanError("usage", "one hash for several drafts", where="--sha256", fix=fix)
    with _books(config, state) as books, books.ledger.write():
        found = [_approved(books, draft_id, sha256.lower()) for draft_id in dict.fromkeys(draft_ids)]
    if len(draft_ids) == 1:
        _said(found[0], as_json)
        return
    now = SystemClock().now()
    words = "\n".join(told("draft_is", id=draft.id, state=word(str(draft.state))) for draft in found)
    say({"drafts": [_draft(draft, now) for draft in found]}, as_json, words)


def _approved(books: Books, draft_id: str, sha256: str) -> Filed:
    """Approve one draft in the caller's transaction."""
    from dragoman.chance import unguessable
    from dragoman.gate.approvals import Ruling, names_text, refusal

    draft = _found(books, draft_id)
    if not names_text(draft, sha256):
        raise refusal(Ruling.OTHER_TEXT, draft_id, draft)
    found = books.approvals.approve(
        draft_id, sha256=draft.sha256, operator=_operator(), nonce=unguessable("non"), now=SystemClock().now()
    )
    note_operator(books, found.id, "draft_approved")
    return found


@drafts.command("reject")
def drafts_reject(
    draft_id: DraftId, config: MaybeConfig = None, state: StateFolder = None, as_json: AsJson = False
) -> None:
    """Never let this text out."""
    with _books(config, state) as books, books.ledger.write():
        found = books.approvals.reject(draft_id, operator=_operator(), now=SystemClock().now())
        note_operator(books, found.id, "draft_rejected")
    _said(found, as_json)


@drafts.command("confirm")
def drafts_confirm(
    draft_id: DraftId,
    config: MaybeConfig = None,
    state: StateFolder = None,
    delivered: Annotated[
        bool | None, typer.Option("--delivered/--not-delivered", help="Whether the counterparty has it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what became of an uncertain draft; one that did not arrive waits for a new approval."""
    from dragoman.receiver.resolve import confirm_draft

    if delivered is None:
        fix = "look at the platform, then say `--delivered` or `--not-delivered`"
        raise DragomanError("usage", "neither delivered nor not delivered", where="dragoman drafts confirm", fix=fix)
    with _books(config, state) as books, books.ledger.write():
        now = SystemClock().now()
        found = confirm_draft(books, draft_id, delivered=delivered, operator=_operator(), now=now)
        note_operator(books, found.id, "draft_confirmed" if delivered else "draft_not_delivered")
    _said(found, as_json)


@drafts.command("expire")
def drafts_expire(config: MaybeConfig = None, state: StateFolder = None, as_json: AsJson = False) -> None:
    """Close every draft whose time is over; a running receiver does so by itself."""
    with _books(config, state) as books, books.ledger.write():
        found = books.approvals.expire(SystemClock().now())
        for draft_id in found:
            note_operator(books, draft_id, "draft_expired")
    say({"expired": found}, as_json, "\n".join(found) or told("none"))


@contextlib.contextmanager
def _books(config: Path | None, state: Path | None) -> Iterator[Books]:
    """The ledger of a receiver, or of an embedded gate."""
    if (config is None) == (state is None):
        raise DragomanError("usage", "name one of `--config` and `--state`", where="options", fix="give exactly one")
    if config is not None:
        with open_config(config) as (_, books):
            yield books
        return
    from dragoman.ledger.highwater import HighWater
    from dragoman.ledger.store import open_ledger
    from dragoman.receiver.books import Books

    assert state is not None
    os.umask(0o077)
    opened = Books(open_ledger(state), HighWater(state / "high-water.json"))
    with contextlib.closing(opened):
        yield opened


def _found(books: Books, draft_id: str) -> Filed:
    from dragoman.gate.approvals import Ruling, refusal

    draft = books.approvals.find(draft_id)
    if draft is None:
        raise refusal(Ruling.UNKNOWN, draft_id)
    return draft


def _state(word: str) -> Any:
    from dragoman.words import DraftState

    if word == "all":
        return None
    if word not in set(DraftState):
        fix = f"accepted values: all, {', '.join(DraftState)}"
        raise DragomanError("input_invalid", "no state of a draft", where=word, fix=fix)
    return DraftState(word)


def _draft(draft: Filed, now: int) -> dict[str, Any]:
    """What a program reads; the approval's nonce is nobody's business."""
    hidden = ("nonce", "body")
    shown: dict[str, Any] = {name: value for name, value in msgspec.to_builtins(draft).items() if name not in hidden}
    return shown | {
        "target": str(draft.target),
        "age_ms": max(0, now - draft.filed_at),
        "expires_in_ms": max(0, draft.expires_at - now),
        "pinged": draft.pinged_at > 0,
    }


def _parts(draft: Filed) -> dict[str, Any]:
    """What leaves with the text: subject, files (base64), buttons, cards, polls, links; empty without any."""
    from dragoman.gate.parts import decoded

    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(decoded(draft.body)))
    return found


def _beside(draft: Filed) -> list[tuple[str, str]]:
    """The words of the parts with their places; of a file that is no text, only what is said about it."""
    from dragoman.gate.parts import decoded, passages

    return [(passage.place, passage.text) for passage in passages("", decoded(draft.body)) if passage.text]


def _row(draft: Filed, now: int) -> list[str]:
    from dragoman.gate.command_words import age

    row = [draft.id, word(str(draft.state)), str(draft.reason), age(now - draft.filed_at, language())]
    row += [told("pinged")] if draft.pinged_at else []
    row += [] if draft.approvable else [told("reject_only")]
    return [*row, str(draft.target)]


def _said(draft: Filed, as_json: bool) -> None:
    say(_draft(draft, SystemClock().now()), as_json, told("draft_is", id=draft.id, state=word(str(draft.state))))


def _operator() -> str:
    return f"cli:{os.getuid()}"
