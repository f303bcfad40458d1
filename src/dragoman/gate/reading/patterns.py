"""Which of many patterns can match a text at all? One pass of RE2 over it, for `claims`.

1. A gate is the pattern without what RE2 lacks: look-arounds and back references are left out, Unicode classes widened.
   It matches wherever the pattern does, and sometimes where it does not; it only decides whether to look.
2. All gates of a reader are one `re2.Set`: the text is read once for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final

import re2

_CATEGORIES: Final = {
    op.CATEGORY_DIGIT: r"\d\p{Nd}", op.CATEGORY_NOT_DIGIT: r"\D", op.CATEGORY_SPACE: r"\s\v\x1c-\x1f\x85\p{Z}",
    op.CATEGORY_WORD: r"\w\p{L}\p{N}\p{M}", op.CATEGORY_NOT_WORD: r"\W", op.CATEGORY_NOT_SPACE: r"\S",
}  # fmt: skip
_MOST: Final = 24
"""Repeats beyond this many become unbounded, which only widens a gate and keeps it small."""
_MEMORY: Final = 64 << 20
"""Bytes that one set of gates may use for its states."""


def gate(pattern: re.Pattern[str]) -> str:
    """An RE2 pattern that matches wherever this one does."""
    folded = "(?i)" if pattern.flags & re.IGNORECASE else ""
    return folded + _joined(parser.parse(pattern.pattern, pattern.flags))


def _joined(nodes: Any) -> str:
    return "".join(_one(kind, value) for kind, value in nodes)


def _one(kind: Any, value: Any) -> str:
    if kind is op.LITERAL:
        return re.escape(chr(value)) if value < 128 else chr(value)
    if kind is op.IN:
        return _class(value)
    if kind is op.ANY:
        return "."
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        low, high, inner = value
        most = "" if high is op.MAXREPEAT or high > _MOST else str(high)
        return f"(?:{_joined(inner)}){{{min(low, _MOST)},{most}}}"
    if kind is op.SUBPATTERN:
        return f"(?:{_joined(value[3])})"
    if kind is op.ATOMIC_GROUP:
        return f"(?:{_joined(value)})"
    if kind is op.BRANCH:
        return f"(?:{'|'.join(_joined(branch) for branch in value[1])})"
    if kind is op.NOT_LITERAL:
        return rf"[^{_in_class(value)}]"
    # a back reference may be anything; what stands at a place (look-around, word boundary) takes no characters
    return "(?s:.{0,3})" if kind is op.GROUPREF else ""


def _class(items: Any) -> str:
    parts = []
    negated = items[0][0] is op.NEGATE
    for kind, value in items[1:] if negated else items:
        if kind is op.LITERAL:
            parts.append(_in_class(value))
        elif kind is op.RANGE:
            parts.append(f"{_in_class(value[0])}-{_in_class(value[1])}")
        else:
            # inside a negated class a wide category would narrow the gate; `[^\W...]` is any character
            if negated:
                return "(?s:.)"
            parts.append(_CATEGORIES[value])
    return f"[{'^' if negated else ''}{''.join(parts)}]"


def _in_class(code: int) -> str:
    return rf"\x{{{code:x}}}"


Open = frozenset[int]
"""The `id` of every pattern that may match: hashing a pattern itself would read all of it."""


class Gates:
    """The gates of a reader's patterns, compiled at first use."""

    def __init__(self, patterns: Iterable[re.Pattern[str]] = ()) -> None:
        self.patterns = list(patterns)
        self._ids: list[int] = []
        self._set: Any = None

    def add(self, pattern: str, flags: int = 0) -> re.Pattern[str]:
        """Compiles a pattern and gives it a gate; only before the first text is looked at."""
        self.patterns.append(re.compile(pattern, flags))
        return self.patterns[-1]

    def of(self, text: str) -> Open:
        """The patterns that may match, by identity."""
        if len(self._ids) != len(self.patterns):
            self._ids = [id(pattern) for pattern in self.patterns]
        return frozenset([self._ids[at] for at in self.numbers(text)])

    def numbers(self, text: str) -> list[int]:
        """The numbers of the patterns that may match, in order."""
        if self._set is None:
            options = re2.Options()
            options.max_mem = _MEMORY
            self._set = re2.Set.SearchSet(options)
            for pattern in self.patterns:
                self._set.Add(gate(pattern))
            self._set.Add("")  # always there: without it the pass has failed, and nothing may be left out
            self._set.Compile()
        try:
            found = self._set.Match(text)
        except UnicodeEncodeError:  # a lone surrogate, which is no letter of any pattern
            found = self._set.Match(text.encode("utf-8", "replace").decode())
        return sorted(found)[:-1] if found else list(range(len(self.patterns)))


READERS: Final = Gates()
"""The gates of the readers of `claims`: dates, times, spans, sizes, figures."""
