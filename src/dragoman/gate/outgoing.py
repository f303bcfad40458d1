"""By which operations does one draft leave? (spec 1 §7: every operation is declared in the adapter's table)

1. The operation must be declared, and must carry every kind of part in that number. Files that a `send` does not carry
   are uploaded beside it, where uploads are declared; a message of progress never uploads, for a failed turn must be
   able to take all of it back.
2. A text longer than the operation takes is split, where the row allows pieces. The subject leaves with the first
   piece, all other parts with the last.
3. The whole is one decision and one charge; the steps have the keys `key`, `key.2`, `key.3` ... in the order in which
   they leave.
4. A safe error is a sentence and nothing else.

Pure: what cannot leave whole is a reason, and then nothing of it leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.parts import NOTHING, File, PartKind, Parts
from dragoman.gate.ports import Draft, Output
from dragoman.gate.split import split
from dragoman.identity import Party, Target
from dragoman.words import OutputClass, Reason

Table = Mapping[Operation, OperationSpec]


class Bound(msgspec.Struct, frozen=True, kw_only=True):
    """What one draft is bound to at its target: where it stands, and which message it answers, is about, or changes."""

    thread: str | None = None
    reply_to: str | None = None
    edits: str | None = None
    only_for: Party | None = None
    complete: bool = False


class Step(msgspec.Struct, frozen=True):
    """One operation of a draft's way out."""

    operation: Operation
    text: str = ""
    parts: Parts = NOTHING


def steps(draft: Draft, operation: Operation, table: Table) -> tuple[Step, ...] | Reason:
    """The operations by which the whole draft leaves, in order, or why it cannot."""
    spec = table.get(operation)
    if spec is None:
        return Reason.UNDECLARED_OPERATION
    if draft.output_class is OutputClass.SAFE_ERROR and draft.parts:
        return Reason.PART_NOT_CARRIED
    beside = _uploaded(draft, operation, spec, table)
    within = msgspec.structs.replace(draft.parts, files=()) if beside else draft.parts
    if not _carried(within, spec):
        return Reason.PART_NOT_CARRIED
    if spec.carries_text and not draft.text.strip() and not draft.parts and operation is not Operation.STREAM_STOP:
        return Reason.EMPTY_TEXT
    uploads = _uploads(beside, table)
    if isinstance(uploads, Reason):
        return uploads
    if not draft.text.strip() and not within and uploads:
        return uploads
    told = _told(draft.text, within, operation, spec)
    return told if isinstance(told, Reason) else (*told, *uploads)


def outputs(target: Target, way: tuple[Step, ...], key: str, bound: Bound) -> Iterator[Output]:
    """What the adapter is handed, in order. Only the first points at what is answered, only the last ends."""
    for number, step in enumerate(way):
        yield Output(
            operation=step.operation,
            target=target,
            key=key if number == 0 else f"{key}.{number + 1}",
            text=step.text,
            parts=step.parts,
            thread=bound.thread,
            reply_to=None if number else bound.reply_to,
            edits=bound.edits,
            only_for=bound.only_for,
            complete=bound.complete and number == len(way) - 1,
        )


def _carried(parts: Parts, spec: OperationSpec) -> bool:
    return all(count <= spec.carries.get(kind, 0) for kind, count in parts.counts().items())


def _uploaded(draft: Draft, operation: Operation, spec: OperationSpec, table: Table) -> tuple[File, ...]:
    """The files that go beside the message: all of them, when the message cannot take all of them."""
    files = draft.parts.files
    beside = (
        operation is Operation.SEND
        and len(files) > spec.carries.get(PartKind.FILE, 0)
        and Operation.UPLOAD in table
        and draft.output_class is not OutputClass.PROGRESS
    )
    return files if beside else ()


def _uploads(files: tuple[File, ...], table: Table) -> tuple[Step, ...] | Reason:
    if not files:
        return ()
    spec = table[Operation.UPLOAD]
    each = spec.carries.get(PartKind.FILE, 0)
    if not each:
        return Reason.PART_NOT_CARRIED
    if any(len(file.caption) > spec.max_length for file in files):
        return Reason.TOO_LONG
    batches = [files[at : at + each] for at in range(0, len(files), each)]
    return tuple(Step(Operation.UPLOAD, "", Parts(files=batch)) for batch in batches)


def _told(text: str, parts: Parts, operation: Operation, spec: OperationSpec) -> tuple[Step, ...] | Reason:
    if any(len(file.caption) > spec.max_length for file in parts.files):
        return Reason.TOO_LONG
    longest = spec.max_length if spec.carries_text else 0
    if len(text) <= longest:
        return (Step(operation, text, parts),)
    pieces = split(text, longest, spec.pieces)
    if pieces is None:
        return Reason.TOO_LONG
    first, last = Parts(subject=parts.subject), msgspec.structs.replace(parts, subject="")
    carried = [first, *[NOTHING] * (len(pieces) - 2), last]
    return tuple(Step(operation, piece, with_it) for piece, with_it in zip(pieces, carried, strict=True))
