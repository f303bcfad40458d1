"""Which words of a Matrix body did its author say now? Quotes, code and our own mention are cut out.

In this order, each step only ever removing text:
1. fenced code, lines that start with `>` (quotes, and the reply fallback that old clients still write), inline code, as
   `channels/markdown.py` says; with them the lines that the formatted body shows inside `blockquote`, `pre` or
   `mx-reply` (quotes without a `>`);
2. only when `m.mentions` names us: our own mention, in the forms that clients write it.

The formatted body is used to find quotes, code and the visible text of a mention, never as text of its own.
Every step is linear in its input; nothing here decides whether we were mentioned.
"""

from __future__ import annotations

import html
import re
from typing import Final
from urllib.parse import unquote

from dragoman.channels.markdown import said

_TAG: Final = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)([^<>]*)>")
_HREF: Final = re.compile(r"href\s*=\s*[\"']([^\"'<>]{0,1024})[\"']")
_HIDING: Final = frozenset({"blockquote", "pre", "mx-reply"})
_BREAKING: Final = frozenset({"br", "p", "div", "li", "h1", "h2", "h3", "h4", "h5", "h6", "tr"}) | _HIDING
_PERMALINK: Final = "https://matrix.to/#/"


def live_text(body: str, formatted: str, own: str, *, mentioned: bool) -> str:
    """The live text of `body` for the account `own` (a Matrix user id); see the file's law."""
    hidden, pills = _formatted_hints(formatted, own)
    text = said(body, hidden)
    return (_without_mention(text, own, pills) if mentioned else text).strip()


def _formatted_hints(formatted: str, own: str) -> tuple[frozenset[str], list[str]]:
    """Lines that stand inside quotes or code blocks, and the visible texts of links to `own`."""
    hidden: list[str] = []
    pills: list[str] = []
    depth, at, linked = 0, 0, False
    for tag in _TAG.finditer(formatted):
        shown = html.unescape(formatted[at : tag.start()])
        if linked:
            pills.append(shown.strip())
        if depth:
            hidden.append(shown)
        closing, name, at = bool(tag[1]), tag[2].lower(), tag.end()
        linked = name == "a" and not closing and _links_to(tag[3], own)
        if depth and name in _BREAKING:
            hidden.append("\n")
        if name in _HIDING:
            depth = max(0, depth + (-1 if closing else 1))
    lines = "".join(hidden).splitlines()
    return frozenset(filter(None, map(str.strip, lines))), [pill for pill in pills if pill]


def _links_to(attributes: str, own: str) -> bool:
    found = _HREF.search(attributes)
    return bool(found) and unquote(html.unescape(found[1]) if found else "") == _PERMALINK + own


def _without_mention(text: str, own: str, pills: list[str]) -> str:
    exact = re.escape(own) + r"(?![\w-]|[.:]\w)"
    text = re.sub(rf"\[[^\]\n]{{0,255}}\]\({re.escape(_PERMALINK)}{exact}\)|(?<!\w){exact}", " ", text)
    for pill in pills[:16]:
        text = text.replace(pill, " ", 1)
    local = re.escape(own[1:].partition(":")[0])
    text = re.sub(rf"\A\s*@?{local}(?=[\s,]|:\s|:?\Z)", "", text)
    return re.sub(r"\A[\s:,]+", "", text)
