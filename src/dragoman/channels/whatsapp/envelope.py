"""What is in a webhook's body? Cuts one body into envelopes with one message or status each. Pure; never raises.

Meta puts any number of entries, changes, messages and statuses into one body, also of other numbers of the same app. An
envelope has the body's own shape, so that a fact is read alike from a whole body and from a part; what is beside the
message (metadata, contacts) stays with every part. An item that is no object stays where it is: facts name it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

ITEMS: Final = ("messages", "message_echoes", "statuses", "errors")
"""The lists of which each item is a thing of its own."""


def split(body: object) -> list[dict[str, Any]]:
    """The envelopes of a body, in its order; empty for what is no webhook at all."""
    if not isinstance(body, Mapping):
        return []
    return [
        {**body, "entry": [{**entry, "changes": [{**change, "value": value}]}]}
        for entry in _objects(body.get("entry"))
        for change in _objects(entry.get("changes"))
        for value in _values(change.get("value"))
    ]


def _values(value: object) -> Iterator[dict[str, Any]]:
    if not isinstance(value, Mapping):
        return
    kept = {key: inner for key, inner in value.items() if key not in ITEMS}
    for name in ITEMS:
        items = value.get(name)
        for item in items if isinstance(items, list) else ():
            yield {**kept, name: [item]}


def _objects(items: object) -> Iterator[Mapping[str, Any]]:
    for item in items if isinstance(items, list) else ():
        if isinstance(item, Mapping):
            yield item
