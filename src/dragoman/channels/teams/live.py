"""What of a Teams message was said now? Pure: text and its HTML in, live text out, in time that grows as they do.

Teams sends the plain `text`, with `<at>…</at>` for mentions, and as an attachment the HTML that the writer saw. Where
HTML came, it is read: quoted and forwarded messages (`blockquote`) and code (`pre`, `code`, `codeblock`) are left out,
and so are mentions, which stand in `entities`. Else the text is read, without its mentions. What is not closed is cut.

The standard library's parser is not used: some markup of a few kilobytes keeps it busy for minutes.
"""

from __future__ import annotations

import html
import re
from typing import Final

_CUT: Final = frozenset({"blockquote", "pre", "code", "codeblock", "at", "script", "style", "attachment", "quoted"})
_CUT_OF_TEXT: Final = frozenset({"at", "quoted"})
"""All that is markup in a plain text; any other `<…>` was typed."""
_BLOCKS: Final = frozenset({"p", "div", "br", "li", "tr", "h1", "h2", "h3"})
_TAG: Final = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,19})\b([^<>]{0,2000})>")
_MENTION: Final = "schema.skype.com/mention"
_BLANKS: Final = re.compile(r"[ \t\u00a0]+")


def live_text(text: str, markup: str | None) -> str:
    """The words that the writer said now."""
    if markup is None:
        return _tidy(_outside(text, _CUT_OF_TEXT))
    return _tidy(html.unescape(_outside(_uncommented(markup), _CUT, every_tag=True)))


def _outside(text: str, cut: frozenset[str], *, every_tag: bool = False) -> str:
    """What stands outside of the tags in `cut`; `every_tag` takes the other tags away too."""
    said: list[str] = []
    within, depth, at = "", 0, 0
    for found in _TAG.finditer(text):
        closes, name, more = found[1] == "/", found[2].lower(), found[3]
        cuts = name in cut or (every_tag and name == "span" and _MENTION in more.lower())
        if within:
            depth += (-1 if closes else not more.endswith("/")) if name == within else 0
            if depth == 0:
                within, at = "", found.end()
        elif cuts or every_tag:
            said += [text[at : found.start()], "\n" if name in _BLOCKS else " " if cuts else ""]
            at = found.end()
            if cuts and not closes and not more.endswith("/"):
                within, depth = name, 1
    return "".join([*said, "" if within else text[at:]])


def _uncommented(markup: str) -> str:
    """Markup without comments; one that is not closed takes the rest with it."""
    kept: list[str] = []
    at = 0
    while (begins := markup.find("<!--", at)) >= 0:
        kept.append(markup[at:begins])
        ends = markup.find("-->", begins)
        if ends < 0:
            return "".join(kept)
        at = ends + 3
    return "".join([*kept, markup[at:]])


def _tidy(text: str) -> str:
    lines = (_BLANKS.sub(" ", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)
