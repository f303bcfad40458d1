"""Payloads, bent: every place in one, a value put there or taken away, and ids that only look the same."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

Place = tuple[str | int, ...]
"""The keys and indices that lead to one value."""

GONE: Final = object()
"""Instead of a value: the key is not there at all."""

JUNK: Final = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=2**62, max_value=2**70)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["\ud800", "", " ", "\x00", "a" * 2_000]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
"""Whatever JSON can hold, and what careless decoders let through."""


def places(raw: Any, here: Place = ()) -> list[Place]:
    """Every place in a payload below its top."""
    inner: list[tuple[str | int, Any]] = []
    if isinstance(raw, dict):
        inner = list(raw.items())
    elif isinstance(raw, list):
        inner = list(enumerate(raw))
    return [found for key, value in inner for found in ((*here, key), *places(value, (*here, key)))]


def changed(raw: Any, place: Place, value: Any = GONE) -> Any:
    """A copy of a payload with `value` at one place, or without it."""
    key, *rest = place
    copy: Any = dict(raw) if isinstance(raw, dict) else list(raw)
    if rest:
        copy[key] = changed(copy[key], tuple(rest), value)
    elif value is GONE:
        del copy[key]
    else:
        copy[key] = value
    return copy


def texts_replaced(raw: Any, old: str, new: str) -> Any:
    """A copy of a payload with `new` for `old` wherever it stands in a text."""
    if isinstance(raw, dict):
        return {key: texts_replaced(value, old, new) for key, value in raw.items()}
    if isinstance(raw, list):
        return [texts_replaced(value, old, new) for value in raw]
    return raw.replace(old, new) if isinstance(raw, str) else raw


def variants(id: str) -> list[str]:
    """Ids that a careless reading would take for this one: other case, padding, width, and invisible characters."""
    wide = chr(ord(id[-1]) + 0xFEE0) if 0x21 <= ord(id[-1]) <= 0x7E else id[-1]
    found = [id.swapcase(), f" {id}", f"{id} ", f"{id}\n", f"{id}\u200b", f"{id[:-1]}{wide}", f"{id}x", id[:-1]]
    return [other for other in dict.fromkeys(found) if other not in ("", id)]
