"""What Schemathesis leaves out, in its own environment: values that mean something else on the wire.

1. Two lone surrogates that meet are one character, so a body that is too long for its maker is not for the hub.
2. A number or a truth value in an address is text there, and a text is what is asked for.
"""

from __future__ import annotations

import json
from typing import Any

import schemathesis


@schemathesis.hook
def filter_body(context: Any, body: Any) -> bool:
    """Whether every string of a body is text."""
    try:
        json.dumps(body, ensure_ascii=False, default=repr).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@schemathesis.hook
def filter_query(context: Any, query: Any) -> bool:
    """Whether the tags of a query are texts already."""
    tags = (query or {}).get("tag", [])
    return isinstance(tags, list) and all(isinstance(each, str) for each in tags)
