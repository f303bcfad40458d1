"""Which words were made by a machine to be kept secret? Long words that mix capitals, small letters and digits.

The table of `secrets` knows the vendors that mark their keys. A key without a mark looks like nothing that people
write: at least `LEAST` characters of one alphabet, with at least `EACH` capitals, small letters and digits, changing
from one to the other all the time. Inside a link, identifiers of documents look the same, so a word behind a `/`, `=`
or `@` of a link is left alone; what guards signed links is `secrets`.

Never found this way: numbers, hex digests and UUIDs (one case only), product codes (no small letters), long words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

RULE: Final = "secret:random_word"
LEAST: Final = 28
SIGN: Final = rf"[A-Za-z0-9+/_-]{{{LEAST}}}"
"""What occurs in every text that holds such a word."""
EACH: Final = 3

_WORD: Final = re.compile(r"(?<![A-Za-z0-9+/_\-])[A-Za-z0-9][A-Za-z0-9+/_-]{26,}[A-Za-z0-9](?![A-Za-z0-9])")
_CHANGE: Final = re.compile("[a-z][A-Z0-9]|[A-Z][a-z0-9]|[0-9][A-Za-z]")
_IN_LINK: Final = re.compile(r"(?:[a-z]{2,10}://|www\.)\S*\Z", re.IGNORECASE)


def random_words(cased: str) -> Iterator[tuple[int, int]]:
    """The spans of such words in a folded text (cased)."""
    for word in _WORD.finditer(cased):
        text = word[0]
        if text.count("/") > len(text) // 12 or text.count("-") > len(text) // 8:
            continue  # a path or a slug
        each = min(
            sum(char.isdigit() for char in text),
            sum(char.isupper() for char in text),
            sum(char.islower() for char in text),
        )
        if each < EACH or len(_CHANGE.findall(text)) * 4 < len(text):
            continue
        if not _IN_LINK.search(cased, max(0, word.start() - 512), word.start()):
            yield word.span()
