"""What of a Teams message was said now? Pure: text and its HTML in, live text out.

Teams sends the plain `text`, with `<at>…</at>` for mentions, and as an attachment the HTML that the writer saw. Where
HTML came, it is read: quoted and forwarded messages (`blockquote`) and code (`pre`, `code`, `codeblock`) are left out,
and so are mentions, which stand in `entities`. Else the text is read, without its mentions. What is not closed is cut.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

_CUT: Final = frozenset({"blockquote", "pre", "code", "codeblock", "at", "script", "style", "attachment", "quoted"})
_BLOCKS: Final = frozenset({"p", "div", "br", "li", "tr", "h1", "h2", "h3"})
_AT: Final = re.compile(r"<at\b[^>]*>.*?(?:</at>|\Z)", re.DOTALL | re.IGNORECASE)
_QUOTED: Final = re.compile(r"<quoted\b[^>]*?/?>", re.IGNORECASE)
_MENTION: Final = "http://schema.skype.com/mention"
_BLANKS: Final = re.compile(r"[ \t\u00a0]+")


def live_text(text: str, html: str | None) -> str:
    """The words that the writer said now."""
    if html is None:
        return _tidy(_QUOTED.sub(" ", _AT.sub(" ", text)))
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return _tidy("".join(reader.said))


def _tidy(text: str) -> str:
    lines = (_BLANKS.sub(" ", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


class _Reader(HTMLParser):
    """Collects the text that stands outside of what is cut."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.said: list[str] = []
        self._open: list[str] = []
        """The tags within which nothing counts, outermost first."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag begins."""
        mention = tag == "span" and (dict(attrs).get("itemtype") or "").lower() == _MENTION
        if self._open:
            self._open += [tag] if tag == self._open[0] else []
        elif tag in _CUT or mention:
            self.said.append(" ")
            self._open = [tag]
        elif tag in _BLOCKS:
            self.said.append("\n")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag that is closed at once holds nothing."""
        self.said.append("\n" if tag in _BLOCKS and not self._open else "")

    def handle_endtag(self, tag: str) -> None:
        """A tag ends."""
        if self._open and tag == self._open[0]:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        """Text."""
        if not self._open:
            self.said.append(data)
