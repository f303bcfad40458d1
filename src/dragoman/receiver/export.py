"""Writes the packet chains of one conversation into a folder, byte for byte (spec 2 §2).

1. A conversation holds one chain for each task. The first lies in the folder itself, every further one in `task-N`
   inside it, so that each folder is one conversation for `dragoman packet verify`.
2. A file is named by the packet's number and profile, private from its creation, and never written over: what is there
   already with the same bytes stands, other bytes are a conflict. So a later export adds what came since.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dragoman.errors import DragomanError
from dragoman.identity import Target
from dragoman.ledger.files import NotPrivate, create_private, private_folder, read_private
from dragoman.ledger.packets import KeptPacket
from dragoman.receiver.books import Books

FINAL: Final = "uai.agent.final-report.v1"


def export(books: Books, contact_id: str, out: Path) -> list[Path]:
    """Write every packet of one contact to `out`; the files, in order.

    Raises:
        DragomanError: `not_found` for an unknown contact, `conflict` when another file is there already.
    """
    found = [each for each in books.packets.targets() if contact_id in (each.channel, str(each))]
    if len(found) != 1:
        detail = "no packets of this contact" if not found else "more than one conversation; name the whole target"
        raise DragomanError("not_found", detail, where=contact_id, fix="see `dragoman status`")
    return [path for chain in chains(books, found[0]) for path in _written(*chain, out)]


def chains(books: Books, target: Target) -> Iterator[tuple[int, list[KeptPacket]]]:
    """The chains of one conversation, each with the number of its task, from 1."""
    task, chain = 1, []
    for packet in books.packets.of(target):
        chain.append(packet)
        if packet.profile == FINAL:
            yield task, chain
            task, chain = task + 1, []
    if chain:
        yield task, chain


def _written(task: int, chain: list[KeptPacket], out: Path) -> Iterator[Path]:
    private_folder(out)
    folder = out if task == 1 else out / f"task-{task}"
    private_folder(folder)
    for packet in chain:
        path = folder / f"{packet.number:05}-{packet.profile}.json"
        try:
            create_private(path, packet.raw)
        except FileExistsError as error:
            if not _same(path, packet.raw):
                raise DragomanError(
                    "conflict", "another file is there", where=str(path), fix="export elsewhere"
                ) from error
        yield path


def _same(path: Path, raw: bytes) -> bool:
    """Whether this very packet was exported there before."""
    try:
        return read_private(path, len(raw) + 1) == raw
    except (OSError, NotPrivate, ValueError):
        return False
