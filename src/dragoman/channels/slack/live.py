"""Which words of a Slack message did its author say now, and whom did he mention?

Where there are rich-text blocks they decide, and the text is not looked at:
1. a mention is an element of type `user` that is not styled as code;
2. what stands in `rich_text_quote` and `rich_text_preformatted` is not there: neither words nor mentions.

Messages without rich-text blocks (old clients, other servers) have marked-up text. There a mention is `<@ID>`, which
the server writes (what people type arrives as `&lt;@ID&gt;`), and this is cut out first, in this order: fenced code,
quoted lines, inline code.

In both, the live text has no mentions and no emoji; `<!here>`, `<!subteam^…>` and the like mention nobody. Every step
is linear in its input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from dragoman.channels.payload import Payload
from dragoman.words import Fact

_FENCE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_CODE: Final = re.compile(r"`[^`\n]+`")
_QUOTED: Final = re.compile(r"^&gt;&gt;&gt;[\s\S]*|^&gt;.*$", re.MULTILINE)
_MARK: Final = re.compile(r"<([^<>\n]{1,4096})>")
_CALLED: Final = re.compile(r"\s*<@([^<>|\n]{1,255})(?:\|[^<>\n]{0,255})?>")
_EMOJI: Final = re.compile(r"(?<![\w:]):(?=[0-9_+'-]{0,64}[a-z])[a-z0-9_+'-]{1,64}:(?!\w)")


class Said(msgspec.Struct, frozen=True):
    """The live text, the ids of everybody who is mentioned in it, and of whoever is before its first word."""

    live: str
    mentioned: frozenset[str] = frozenset()
    called: str = ""


def in_blocks(blocks: Sequence[Payload]) -> Said | None:
    """What the rich-text blocks say; None when there is none. Names in the payload what is malformed in them."""
    rich = [block for block in blocks if block.text("type") == "rich_text"]
    if not rich:
        return None
    words: list[str] = []
    mentioned: list[str] = []
    called, begun = "", False
    for section in (section for block in rich for section in _sections(block)):
        for element in section.objects("elements"):
            if element.inside("style").flag("code") is not Fact.YES:
                words.append(_word(element, mentioned))
                called = called or ("" if begun or not mentioned else mentioned[0])
                begun = begun or bool(words[-1].strip()) or bool(mentioned)
        words.append("\n")
    return Said(_trimmed("".join(words)), frozenset(mentioned), called)


def in_text(text: str) -> Said:
    """What a marked-up text says."""
    left = _CODE.sub(" ", _QUOTED.sub(" ", _FENCE.sub(" ", text)))
    mentioned = frozenset(mark[1:].partition("|")[0] for mark in _MARK.findall(left) if mark[0] == "@")
    called = _CALLED.match(left)
    shown = _MARK.sub(lambda mark: " " if mark[1][0] in "@!" else readable(mark[0]), left)
    return Said(_trimmed(unescaped(_EMOJI.sub(" ", shown))), mentioned, called[1] if called else "")


def body_of(text: str, own: str) -> str:
    """What the handler reads: the whole text as a reader sees it, but for our own mention."""
    without = re.sub(rf"<@{re.escape(own)}(?:\|[^<>\n]{{0,255}})?>[:,]?", "", text)
    return unescaped(readable(without)).strip()


def readable(text: str) -> str:
    """Links and channels as words; mentions stay as they are."""
    return _MARK.sub(_shown, text)


def unescaped(text: str) -> str:
    """The three characters that Slack escapes, as they were typed."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _shown(mark: re.Match[str]) -> str:
    target, _, label = mark[1].partition("|")
    if target[0] in "@!":
        return mark[0]
    if target[0] == "#":
        return f"#{label or target[1:]}"
    return f"{label} ({target})" if label and label not in target else target


def _sections(block: Payload) -> Iterator[Payload]:
    """Where words stand: sections, and the items of lists."""
    for part in block.objects("elements"):
        kind = part.text("type")
        if kind == "rich_text_section":
            yield part
        elif kind == "rich_text_list":
            yield from (item for item in part.objects("elements") if item.text("type") == "rich_text_section")


def _word(element: Payload, mentioned: list[str]) -> str:
    """The words of one element; whom it mentions is added to `mentioned`."""
    match element.text("type"):
        case "text":
            return element.text("text")
        case "link":
            return element.text("text") or element.text("url")
        case "user":
            mentioned.append(element.id("user_id", needed=True))
    return " "


def _trimmed(text: str) -> str:
    return re.sub(r"\A[\s:,]+", "", text).rstrip()
