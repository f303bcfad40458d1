"""In which language does the command line speak to people? The first of these that says something:

1. `--lang en|zh`, wherever it stands before a `--`.
2. The configuration's own `language`, from the moment it was read.
3. The locale, as POSIX orders it: LC_ALL, LC_MESSAGES, LANG; whatever begins with `zh` is Chinese, the rest English.

Machine output (`--json`) is never translated, and no answer depends on the language.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Final

from dragoman.errors import DragomanError

LANGUAGES: Final = ("en", "zh")
FLAG: Final = "--lang"

_FLAGGED: ContextVar[str] = ContextVar("flagged", default="")
_CONFIGURED: ContextVar[str] = ContextVar("configured", default="")


def without_flag(words: Sequence[str]) -> list[str]:
    """The command's words without `--lang`, whose value holds from now on; a call begins with nothing said.

    Raises:
        DragomanError: `usage` when its value is missing or no language of ours.
    """
    _FLAGGED.set("")
    _CONFIGURED.set("")
    left: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            return [*left, word, *rest]
        if word != FLAG and not word.startswith(f"{FLAG}="):
            left.append(word)
            continue
        value = word.partition("=")[2] if "=" in word else next(rest, "")
        if value not in LANGUAGES:
            fix = "say `--lang en` or `--lang zh`"
            raise DragomanError("usage", f"no language `{value[:20]}`", where=FLAG, fix=fix)
        _FLAGGED.set(value)
    return left


def configured(language: str | None) -> None:
    """The configuration was read; it may name a language."""
    _CONFIGURED.set(language or "")


def language() -> str:
    """`en` or `zh`."""
    return _FLAGGED.get() or _CONFIGURED.get() or of_locale(os.environ)


def of_locale(environment: Mapping[str, str]) -> str:
    """The language that these variables name; English when they name none of ours."""
    named = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    return "zh" if named.lower().startswith("zh") else "en"


def pick(pair: tuple[str, str], **values: object) -> str:
    """The sentence of a pair (English, Chinese) in the language that holds, with its places filled."""
    sentence = pair[1] if language() == "zh" else pair[0]
    return sentence.format(**values) if values else sentence
