"""One packet, three forms: what was derived is rebuilt to the very same packet, and its hash is the same."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import DragomanError
from dragoman.packets.canonical import checksum
from dragoman.packets.forms import ABSENT, keyed, keyless, order_of
from dragoman.packets.profiles import profiles
from dragoman.packets.validate import validate
from tests.packets.material import Vector, vectors

PASSING = [each for each in vectors() if each.expect["result"] == "pass" and isinstance(each.packet, dict)]


@pytest.mark.parametrize("vector", PASSING, ids=lambda vector: f"{vector.profile}-{vector.name}")
def test_there_and_back(vector: Vector) -> None:
    """Every packet that passes has a keyless form, which gives the packet again: same fields, hash and verdict."""
    assert isinstance(vector.packet, dict)
    array = keyless(vector.packet)
    again, misfits = keyed(array)

    assert (vector.packet, []) == (again, misfits)
    assert checksum(vector.packet) == checksum(again)
    keyed_verdict = validate(vector.raw, now=vector.now, trust=vector.trusted)
    assert keyed_verdict == validate(orjson.dumps(array), now=vector.now, trust=vector.trusted)


def test_absent_is_never_a_value() -> None:
    """No optional field may be an empty object, or the mark for what is not there could be mistaken for it."""
    for chosen in profiles():
        for place, (names, optional) in order_of(chosen).items():
            for name in sorted(optional & set(names)):
                node = chosen.schema["properties"][place] if place == "body" else None
                if node is None:
                    continue
                field = node["properties"][name]
                assert "object" not in str(field.get("type")), f"{chosen.id}: {name}"


def test_what_has_no_place_is_refused() -> None:
    """An undeclared field, a missing one, an unknown profile: no array is made of them, nor a name repeated."""
    packet: dict[str, Any] = dict(PASSING[0].packet or {})  # type: ignore[arg-type]
    for wrong, where in (
        ({**packet, "more": 1}, ""),
        ({name: value for name, value in packet.items() if name != "trust"}, "/trust"),
        ({**packet, "profile": "uai.agent.nothing.v1"}, "/profile"),
        ({**packet, "trust": {**packet["trust"], "more": 1}}, "/trust"),
        ({**packet, "trust": []}, "/trust"),
    ):
        with pytest.raises(DragomanError) as caught:
            keyless(wrong)
        assert ("input_invalid", where) == (caught.value.code, caught.value.where)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3) | st.just(ABSENT),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=8,
)


@settings(max_examples=200)
@given(st.data())
def test_no_array_raises_or_passes(data: st.DataObject) -> None:
    """Whatever stands at a position: a verdict, never an error, and never a pass for another packet."""
    vector = data.draw(st.sampled_from(PASSING))
    array = keyless(vector.packet)  # type: ignore[arg-type]
    at = data.draw(st.integers(0, len(array) - 1))
    value = data.draw(JSON)
    changed = value != array[at] or type(value) is not type(array[at])
    array[at] = value
    verdict = validate(orjson.dumps(array), now=vector.now, trust=vector.trusted)

    assert "rule_failed" not in verdict.rules
    assert not changed or verdict.result == "fail"
