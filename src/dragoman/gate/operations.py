"""By which operations can something leave, and what is known of each? (spec 1 §6, §7)

Closed: an adapter declares those that it has, with a row each; whatever it lacks is refused. The tables say what an
operation costs, what it names and what class it has, whichever adapter carries it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from dragoman.gate.parts import PartKind
from dragoman.words import OutputClass, SendKey, Word


class Operation(Word):
    """Every way in which something can leave (spec 1 §7). An adapter that lacks one does not declare it."""

    SEND = "send"
    EDIT = "edit"
    STREAM_START = "stream_start"
    STREAM_APPEND = "stream_append"
    STREAM_STOP = "stream_stop"
    UPLOAD = "upload"
    TYPING = "typing"
    REACT = "react"
    READ_RECEIPT = "read_receipt"
    THREAD = "thread"
    """Opens a topic or thread; the text is its title."""
    UNFURL = "unfurl"
    WEBHOOK_RESPONSE = "webhook_response"
    PRIVATE = "private"
    """A message in a group that one account alone sees (ephemeral)."""


PAID: Final = frozenset(
    {
        *(Operation.SEND, Operation.STREAM_START, Operation.UPLOAD, Operation.THREAD),
        *(Operation.WEBHOOK_RESPONSE, Operation.PRIVATE),
    }
)
"""What makes something new: it uses up the sends of an admission and the budget of a grant. The rest changes or marks
what is there, and is bounded by `MOST_CHANGES`."""
CHANGING: Final = frozenset({Operation.EDIT, Operation.STREAM_APPEND, Operation.STREAM_STOP})
"""What says by `edits` which message of ours it changes."""
POINTING: Final = frozenset({Operation.REACT, Operation.READ_RECEIPT, Operation.UNFURL})
"""What says by `reply_to` which message it is about."""
CLASS_OF: Final[Mapping[Operation, OutputClass]] = {
    Operation.TYPING: OutputClass.PROGRESS,
    Operation.REACT: OutputClass.PROGRESS,
    Operation.READ_RECEIPT: OutputClass.PROGRESS,
}
"""The only class of an operation, whatever it is called (spec 1 §11.5)."""
MOST_CHANGES: Final = 512
"""The most operations besides `PAID` ones under one admission."""


class OperationSpec(msgspec.Struct, frozen=True):
    """One row of an adapter's operation table (spec 1 §6, §7). `max_length` is in characters of text, and of captions.

    `pieces` is into how many messages a longer text may be split; 1 refuses it.
    """

    send_key: SendKey
    max_length: int
    carries_text: bool = True
    carries: Mapping[PartKind, int] = {}
    """Which parts it takes, and how many of each; what is not named is refused before anything leaves."""
    pieces: int = 1
