"""A fix names what would have been accepted, where the fault is."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec
import pytest

from dragoman.gate.accepted import accepted, saved_otherwise


class Colour(StrEnum):
    """An own vocabulary."""

    RED = "red"
    BLUE = "blue"


class Row(msgspec.Struct, forbid_unknown_fields=True):
    """One row."""

    colour: Colour
    mode: Literal["on", "off"] = "on"
    number: int | None = None
    names: tuple[str, ...] = ()


class File(msgspec.Struct, forbid_unknown_fields=True):
    """A file of rows."""

    rows: tuple[Row, ...] = ()
    live: bool = False


@pytest.mark.parametrize(
    ("raw", "fix"),
    [
        ('{"rows":[{"colour":"green"}]}', "accepted values: blue, red"),
        ('{"rows":[{"colour":"red","mode":"maybe"}]}', "accepted values: off, on"),
        ('{"rows":[{"colour":"red","number":"1"}]}', "give a whole number"),
        ('{"rows":[{"colour":"red","names":[1]}]}', "give a text"),
        ('{"rows":[{"colour":"red","names":1}]}', "give a list"),
        ('{"live":1}', "give true or false"),
        ('{"rows":[{"color":"red"}]}', "accepted keys: colour, mode, number, names"),
        ('{"rows":[{"colour":"red","x":1}]}', "accepted keys: colour, mode, number, names"),
        ('{"row":[]}', "accepted keys: rows, live"),
    ],
)
def test_the_fix_fits_the_fault(raw: str, fix: str) -> None:
    """Keys where a key is wrong, values or the type where a value is."""
    with pytest.raises(msgspec.ValidationError) as failed:
        msgspec.json.decode(raw, type=File)

    assert accepted(File, str(failed.value)) == fix


@pytest.mark.parametrize(
    ("raw", "otherwise"),
    [
        ("version = 1".encode("utf-8-sig"), True),
        ("version = 1".encode("utf-16"), True),
        ("version = 1".encode("utf-16-le"), True),
        ("name = 'é'".encode("latin-1"), True),
        ("name = 'é'".encode(), False),
        (b"", False),
    ],
)
def test_a_file_in_another_form_is_known(raw: bytes, otherwise: bool) -> None:
    """A mark, two bytes for a character, or another alphabet."""
    assert saved_otherwise(raw) is otherwise
