"""The same packet without names: an array in field order, and back (spec 3 §3, forms).

Three forms are one packet: keyed (named fields), minified (keyed without white space) and keyless. The keyed form is
what is validated, hashed and signed; the others are derived, and rebuilt before anything is judged.

1. Keyless is the array of the twelve envelope fields, in the published order. Each envelope object, and the body, is an
   array in the order of the field registry; `extensions` and whatever lies deeper keep their names.
2. An optional field that is not there is left out at the end of its array, and is `{}` before the end: no optional
   field may itself be an empty object (a test holds the schemas to that). Null stands for null. So each packet has one
   keyless form, and each keyless form is of one packet: `{}` at the end is refused.
3. An array that is too long is `keyless_overflow`; too short for what is required, or something else than an array
   where one belongs, is `keyless_shape`. Both name the place; neither is repaired.
4. Rebuilding reads the profile first: of a profile that is not built no order is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dragoman.errors import DragomanError
from dragoman.packets.envelope import FIELDS, SUBFIELDS
from dragoman.packets.profiles import Profile, profile
from dragoman.packets.verdict import pointer

ABSENT: Final[dict[str, Any]] = {}
_PROFILE_AT: Final = FIELDS.index("profile")

Order = tuple[tuple[str, ...], frozenset[str]]
"""Names in order, and which of them are optional."""
Misfit = tuple[str, str, str]
"""Rule id, JSON Pointer into the keyless form, sentence."""


def keyless(packet: dict[str, Any]) -> list[Any]:
    """The keyless form of a keyed packet.

    Raises:
        DragomanError: `input_invalid`, the packet has fields that no order names, lacks required ones, or is of a
            profile that is not built.
    """
    chosen = profile(packet.get("profile"))
    if chosen is None:
        raise DragomanError("input_invalid", "names no profile that is built here", where="/profile")
    envelope: Order = (FIELDS, frozenset())
    return _positions(packet, envelope, (), _orders(chosen))


def keyed(array: list[Any]) -> tuple[dict[str, Any], list[Misfit]]:
    """The keyed form of a keyless packet, and every way in which the array does not fit; of a misfit the packet is
    not to be used."""
    chosen = profile(array[_PROFILE_AT]) if len(array) > _PROFILE_AT else None
    misfits: list[Misfit] = []
    orders = _orders(chosen) if chosen is not None else {}
    return _named(array, (FIELDS, frozenset()), (), orders, misfits), misfits


def order_of(chosen: Profile) -> dict[str, Order]:
    """The field order of every array of a profile's keyless form, by the field it stands in; the envelope's own is
    `FIELDS`."""
    return _orders(chosen)


def place_in_array(path: str, chosen: Profile) -> str:
    """The JSON Pointer into the keyless form for one into the keyed form; a name without a place ends it."""
    top, *rest = path.split("/")[1:] or [""]
    if top not in FIELDS:
        return ""
    made = f"/{FIELDS.index(top)}"
    if rest and top in (orders := _orders(chosen)):
        names = orders[top][0]
        if rest[0] not in names:
            return made
        rest[0] = str(names.index(rest[0]))
    return "/".join([made, *rest])


def _orders(chosen: Profile) -> dict[str, Order]:
    found: dict[str, Order] = {
        name: ((*required, *optional), frozenset(optional)) for name, (required, optional) in SUBFIELDS.items()
    }
    required = chosen.schema["properties"]["body"]["required"]
    return found | {"body": (chosen.body_order, frozenset(chosen.body_order) - frozenset(required))}


def _positions(box: dict[str, Any], order: Order, path: tuple[str, ...], inner: dict[str, Order]) -> list[Any]:
    names, optional = order
    if box.keys() - set(names):
        raise DragomanError("input_invalid", "a field has no place in the order", where=pointer(path))
    made: list[Any] = []
    for name in names:
        if name not in box:
            if name not in optional:
                raise DragomanError("input_invalid", "a required field is missing", where=pointer((*path, name)))
            made.append(ABSENT)
        elif name in inner and not path:
            if type(box[name]) is not dict:
                raise DragomanError("input_invalid", "expected an object", where=pointer((*path, name)))
            made.append(_positions(box[name], inner[name], (*path, name), {}))
        elif _absent(box[name]) and name in optional:
            raise DragomanError("input_invalid", "an optional field is an empty object", where=pointer((*path, name)))
        else:
            made.append(box[name])
    while made and made[-1] is ABSENT:
        made.pop()
    return made


def _named(
    array: Any, order: Order, path: tuple[int, ...], inner: dict[str, Order], misfits: list[Misfit]
) -> dict[str, Any]:
    names, optional = order
    misfit = _misfit(path, misfits)
    if type(array) is not list:
        misfit("keyless_shape", "is no array in field order")
        return {}
    if len(array) > len(names):
        misfit("keyless_overflow", "has more positions than the order has fields")
        return {}
    if len(array) <= max((at for at, name in enumerate(names) if name not in optional), default=-1):
        misfit("keyless_shape", "has fewer positions than required fields")
        return {}
    if array and _absent(array[-1]) and names[len(array) - 1] in optional:
        misfit("keyless_shape", "ends with a field that is not there")
        return {}
    made: dict[str, Any] = {}
    for at, (name, item) in enumerate(zip(names, array, strict=False)):
        if _absent(item) and name in optional:
            continue
        made[name] = _named(item, inner[name], (*path, at), {}, misfits) if name in inner and not path else item
    return made


def _absent(item: Any) -> bool:
    return type(item) is dict and not item


def _misfit(path: tuple[int, ...], misfits: list[Misfit]) -> Callable[[str, str], None]:
    return lambda rule, sentence: misfits.append((rule, pointer(path), sentence))
