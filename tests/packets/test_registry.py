"""The registry says what the package holds, and nothing else."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files

import pytest

from dragoman.packets.forms import order_of
from dragoman.packets.profiles import BUILT, profiles
from dragoman.packets.registry import published, registry, vectors_of
from tests.packets.make_registry import FILE, text

PACKAGE = files("dragoman.packets")


def test_the_file_is_as_it_would_be_written() -> None:
    """Schemas, orders and vectors have not moved on without it: else run `python -m tests.packets.make_registry`."""
    assert text() == FILE.read_text(encoding="utf-8")
    assert registry() == published()


@pytest.mark.parametrize("row", published()["profiles"], ids=lambda row: row["id"])
def test_every_link_leads_somewhere(row: dict[str, str]) -> None:
    """Schema and vectors of a profile are package data, and the digest is that of the vectors."""
    schema = json.loads((PACKAGE / row["schema"]).read_text(encoding="utf-8"))
    raw = (PACKAGE / row["vectors"]).read_bytes()

    assert row["id"] == schema["title"]
    assert "sha256:" + hashlib.sha256(raw).hexdigest() == row["vectors_sha256"]
    assert raw == vectors_of(row["id"])


def test_the_orders_are_those_of_the_keyless_form() -> None:
    """What the registry says of positions is what the reader of keyless packets does."""
    rows = {row["id"]: row["field_order"] for row in published()["profiles"]}
    envelope = published()["compact_field_order_maps"]["envelope"]
    assert set(BUILT) == rows.keys()
    for chosen in profiles():
        orders = order_of(chosen)
        for place, (names, optional) in orders.items():
            told = rows[chosen.id] if place == "body" else envelope["objects"][place]
            required = [at for at, name in enumerate(names) if name not in optional]
            assert (list(names), required) == (told["ordered_fields"], told["required_indexes"])
