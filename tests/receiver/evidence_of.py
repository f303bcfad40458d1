"""The packets that a story left, judged: each chain verifies, says where its conversation stands, holds no text.

`complaints(folder)` finds each ledger below a folder and says what is wrong with its packets; the suites of the
receiver, of the crashes and of the whole way ask it after every test. It reads what
`dragoman packet export` would write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dragoman.errors import DragomanError
from dragoman.identity import Target
from dragoman.ledger.conversations import Standing
from dragoman.ledger.highwater import HighWater
from dragoman.ledger.packets import KeptPacket
from dragoman.ledger.store import open_ledger
from dragoman.packets.build import BOUNDARY
from dragoman.packets.chain import ChainVerdict, validate_chain
from dragoman.packets.verdict import Result
from dragoman.receiver import packet_rows
from dragoman.receiver.books import Books
from dragoman.receiver.export import chains

ENDED = frozenset({"completed", "cancelled"})
FIXED = frozenset(
    {
        BOUNDARY,
        "a reply, a question or silence",
        "acts within one grant of its owner; records only",
        "another instance became the primary one",
        "confirm the owner's grant under a new id",
        "decides what the agent may not",
        "records what arrived",
        "stop and ask the owner",
        "what was handed over was looked at",
    }
)
"""The sentences that are in no table."""
PATTERNS = (
    re.compile(r"Handle (admitted )?messages of this conversation: \d+\."),
    re.compile(r"generation \d+ ended, generation \d+ goes on"),
)
WORD = re.compile(r"[A-Za-z0-9_:.,=+*/-]*")


def complaints(folder: Path) -> list[str]:
    """What is wrong with the packets of the ledgers below `folder`; a ledger that a test broke leaves none."""
    found: list[str] = []
    for path in sorted(folder.rglob("ledger.db")):
        try:
            books = Books(open_ledger(path.parent), HighWater(path.parent / "none.json"))
        except DragomanError:
            continue  # a ledger that cannot be trusted: the story's own assertions are about that
        try:
            found += [f"{path.parent}: {each}" for each in _of_ledger(books, path.parent)]
        finally:
            books.close()
    return found


def _of_ledger(books: Books, state: Path) -> Iterator[str]:
    refused = books.ledger.rows("SELECT body FROM journal WHERE body LIKE '%packet_not_written%'")
    if refused:
        yield f"packets were not written: {[json.loads(row['body'])['reason'] for row in refused]}"
    texts = frozenset(_texts(books, state))
    for target in books.packets.targets():
        for task, chain in chains(books, target):
            verdict = validate_chain([(f"{each.number:05}", each.raw) for each in chain])
            if verdict.result is Result.FAIL:
                yield f"{target} task {task}: {_findings(verdict)}"
            yield from (f"{target} task {task}: {each}" for each in _spoken(chain, texts))
    for conversation in books.conversations.all():
        yield from _stands(books, conversation.target, conversation.state)


def _findings(verdict: ChainVerdict) -> list[str]:
    alone = [f"{each.name} {found.rule}" for each in verdict.packets for found in each.verdict.findings]
    return [*alone, *(f"{each.packet} {each.finding.rule} {each.finding.message}" for each in verdict.findings)]


def _stands(books: Books, target: Target, state: Standing) -> Iterator[str]:
    """What the chain's end and its replies must say of this conversation."""
    found = list(chains(books, target))
    last = found[-1][1] if found else []
    lifecycle = json.loads(last[-1].raw)["conversation"]["lifecycle_state"] if last else ""
    if state is Standing.WAITING_OWNER and (not last or lifecycle in ENDED):
        yield f"{target} waits for its owner, and its chain says `{lifecycle}`"
    if state in (Standing.COMPLETED, Standing.CLOSED) and last and lifecycle not in ENDED:
        yield f"{target} is {state}, and its chain says `{lifecycle}`"
    named = b"\n".join(each.raw for _, chain in found for each in chain)
    for decision in books.turns.newest(target, 1000):
        told = decision.state == "sent" and not decision.complete
        if told and found and f'"reply:{decision.reply_id}"'.encode() not in named:
            yield f"{target}: no packet names the sent reply {decision.reply_id}"


def _spoken(chain: list[KeptPacket], texts: frozenset[str]) -> Iterator[str]:
    """Strings that are no fixed sentence, id or state, and words of the story."""
    for packet in chain:
        for said in _strings(json.loads(packet.raw)):
            if said in _sentences() or any(pattern.fullmatch(said) for pattern in PATTERNS):
                continue
            if not WORD.fullmatch(said):
                yield f"packet {packet.number} holds a sentence of its own: {said!r}"
            spoken = [text for text in texts if text in said]
            if spoken:
                yield f"packet {packet.number} holds words of the story: {spoken}"


def _sentences() -> frozenset[str]:
    """Every fixed sentence."""
    tables = (
        packet_rows.INTAKES,
        packet_rows.CORRECTIONS,
        packet_rows.STATUSES,
        packet_rows.BLOCKERS,
        packet_rows.WAITS,
    )
    rows = [said for table in tables for _, said in table]
    values = {value for row in [*rows, packet_rows.SUPERSEDED] for value in _values(row)}
    asked = {f"{value}, under another grant of the owner" for value in values}
    return FIXED | values | asked


def _values(row: Any) -> Iterator[str]:
    for name in row.__struct_fields__:
        value = getattr(row, name)
        yield from value if isinstance(value, tuple) else [str(value)]


def _texts(books: Books, state: Path) -> Iterator[str]:
    """What was said in this story, by anybody: long enough to be no accident."""
    queries = (
        "SELECT text AS said FROM decision",
        "SELECT owner_summary AS said FROM decision",
        "SELECT note AS said FROM turn",
        "SELECT note AS said FROM conversation",
        "SELECT text AS said FROM draft",
    )
    said = [str(row["said"]) for query in queries for row in books.ledger.rows(query)]
    for name in ("calls.jsonl", "told.jsonl"):
        path = state.parent / name
        if path.exists():
            said += [text for line in path.read_text().splitlines() for text in _said_in(line)]
    yield from (each for each in said if len(each) > 5 and each not in _sentences())


def _said_in(line: str) -> Iterator[str]:
    try:
        told = json.loads(line)
    except ValueError:
        return
    for message in told.get("messages", ()):
        yield str(message.get("text", ""))
    yield from (str(told.get(name, "")) for name in ("owner_instruction", "summary"))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)
