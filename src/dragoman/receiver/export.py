"""Writes the packet chain of one conversation into a folder, byte for byte (spec 2 §2)."""

from __future__ import annotations

from pathlib import Path

from dragoman.errors import DragomanError
from dragoman.ledger.files import create_private, private_folder
from dragoman.receiver.books import Books


def export(books: Books, contact_id: str, out: Path) -> list[Path]:
    """Write every packet of one contact to `out`; the files, in order.

    Raises:
        DragomanError: `not_found` for an unknown contact, `conflict` when a file is there already.
    """
    found = [
        each.target
        for each in books.conversations.all()
        if contact_id in (each.target.channel, str(each.target)) and books.packets.of(each.target)
    ]
    if len(found) != 1:
        raise DragomanError("not_found", "no packets of this contact", where=contact_id, fix="see `dragoman status`")
    private_folder(out)
    written = []
    for packet in books.packets.of(found[0]):
        path = out / f"{packet.number:05}-{packet.profile}.json"
        try:
            create_private(path, packet.raw)
        except FileExistsError as error:
            raise DragomanError("conflict", "there is one already", where=str(path), fix="export elsewhere") from error
        written.append(path)
    return written
