"""The kinds of value that sections of the receiver's configuration share; each is strict, none reads anything."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

Seconds = Annotated[int, Meta(ge=1, le=86_400)]
Text = Annotated[str, Meta(min_length=1, max_length=20_000)]
Path_ = Annotated[str, Meta(min_length=1, max_length=4_096, pattern=r"^[^\x00-\x1f\x7f]+\Z")]
Word = Annotated[str, Meta(max_length=4_096, pattern=r"^[^\x00]*\Z")]
Argv = Annotated[tuple[Word, ...], Meta(min_length=1, max_length=64)]


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the file: unknown keys are errors."""
