"""Which words of a Mattermost post did its author say now, and which names does it call? Pure.

1. Quotes and code are cut as in Markdown; what stands in them calls nobody.
2. A name is `@` and letters, digits, `.`, `-`, `_`, not within a word or an address; full stops, dashes and underscores
   at its end may be punctuation, as the server reads it. Names are compared without case.
3. `@all`, `@channel` and `@here` call nobody in particular.
4. Only when the server lists us too, our own name is cut out of the live text.
"""

from __future__ import annotations

import re
from typing import Final

from dragoman.channels.markdown import said

EVERYBODY: Final = frozenset({"all", "channel", "here"})
_NAME: Final = re.compile(r"(?<![\w@.-])@([A-Za-z0-9._-]{1,128})")


def named(message: str, own: str) -> tuple[bool, bool]:
    """Whether the live text calls us (`own` is our username), and whether it calls anybody else."""
    called = [_called(found[1]) for found in _NAME.finditer(said(message))]
    mine = any(own.lower() in names for names in called)
    return mine, any(own.lower() not in names and not names & EVERYBODY for names in called)


def begins(message: str, own: str) -> bool:
    """Whether the live text begins with our name."""
    found = _NAME.match(said(message).lstrip())
    return found is not None and own.lower() in _called(found[1])


def calls_everybody(message: str) -> bool:
    """Whether the server would ring everybody for this text."""
    return any(_called(found[1]) & EVERYBODY for found in _NAME.finditer(said(message)))


def live_text(message: str, own: str, *, mentioned: bool) -> str:
    """The live text; see the file's law."""
    text = said(message)
    if mentioned:
        text = _NAME.sub(lambda found: " " if own.lower() in _called(found[1]) else found[0], text)
        text = re.sub(r"\A[\s:,]+", "", text)
    return text.strip()


def _called(name: str) -> frozenset[str]:
    """The names that `name` may mean: itself, and itself without what may be punctuation at its end."""
    name = name.lower()
    return frozenset({name, name.rstrip("."), name.rstrip("._-")}) - {""}
