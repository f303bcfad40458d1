"""What would have been accepted where a typed file is wrong? For the fix of an error, in names of ours only.

1. A key too many or too few: the keys of that table.
2. A wrong value: the values or the type of that key.
3. A file that is not UTF-8, or begins with a mark: how to save it.

The fault's message ends in a path such as `$.targets[...].audience`; what is no such path is judged as the whole.
Pure, and never quotes the value.
"""

from __future__ import annotations

import re
from enum import EnumMeta
from typing import Any, Final

import msgspec

SAVE: Final = "save it as UTF-8 without a byte order mark"
_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_STEP: Final = re.compile(r"\.([A-Za-z_][\w-]*)|\[[^\]]*\]")
_TYPES: Final[dict[str, str]] = {
    "IntType": "give a whole number",
    "FloatType": "give a number",
    "BoolType": "give true or false",
    "StrType": "give a text",
    "BytesType": "give base64",
    "VarTupleType": "give a list",
    "ListType": "give a list",
}


def saved_otherwise(raw: bytes) -> bool:
    """Whether a text file was saved in another form than plain UTF-8."""
    if raw.startswith(_MARKS) or b"\x00" in raw[:64]:
        return True
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def accepted(kind: Any, message: str) -> str:
    """The fix of a `msgspec.ValidationError` with this `message`, raised for a value of type `kind`."""
    from msgspec import inspect

    node: Any = inspect.type_info(kind)
    path = message.rpartition("`$")[2] if "`$" in message else ""
    for step in _STEP.finditer(path):
        node = _inside(_plain(node), step[1])
    node = _plain(node)
    match node:
        case inspect.StructType():
            return f"accepted keys: {', '.join(field.encode_name for field in node.fields)}"
        case inspect.EnumType(cls=EnumMeta() as values):
            return f"accepted values: {', '.join(sorted(str(each.value) for each in values))}"
        case inspect.LiteralType():
            return f"accepted values: {', '.join(str(each) for each in node.values)}"
        case _:
            return _TYPES.get(type(node).__name__, "give valid JSON")


def _plain(node: Any) -> Any:
    """The type beside None; the one that has keys where there are several."""
    types = [each for each in getattr(node, "types", ()) if not isinstance(each, msgspec.inspect.NoneType)]
    return max(types, key=lambda each: hasattr(each, "fields")) if types else node


def _inside(node: Any, key: str | None) -> Any:
    if key is not None:
        found = [field.type for field in getattr(node, "fields", ()) if field.encode_name == key]
        return found[0] if found else node
    return getattr(node, "item_type", getattr(node, "value_type", node))
