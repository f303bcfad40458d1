"""What does the live text of a message show: substance, a question, another's name, a command?

1. The text arrives as live text: the platform's facts have already cut quotes, code, forwards and our own mention. What
   slips through in plain Markdown or as a mention token is cut here once more.
2. Text may silence, never open: `leading_name` may be wrong towards silence, a mention is never found here, and
   `substantive` and `open_question` count only where policy already opened the door (spec 1 §3 step 8, §11.8).
3. Own names match exactly, character by character; a look-alike, another letter case or a folded form is somebody else.
4. A command stands at the very start of the text, behind a configured prefix, and nowhere else. A leading space is not
   the start: whoever cuts the mention away also strips the space it leaves.

Never: a model, a guess from meaning, a display name, a Unicode fold when consent hangs on it.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from dragoman.gate.event import Command
from dragoman.gate.live_words import (
    ACKNOWLEDGEMENTS,
    BROADCASTS,
    CJK_NOT_NAMES,
    CJK_SURNAMES,
    GREETINGS,
    NOT_NAMES,
    OPENERS_EN,
    OPENERS_ZH,
    THANKS,
)
from dragoman.words import Fact

_FENCE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_INLINE: Final = re.compile(r"``[^\n]*?``|`[^`\n]*`")
_QUOTE_LINE: Final = re.compile(r"^[ \t]*(?:>|＞).*$", re.MULTILINE)
_TOKEN: Final = re.compile(r"<(?:[@#!][^>\s]{1,100}|a?:\w{1,64}:\d{1,32})>")
_AT_NAME: Final = re.compile(r"(?<![\w.])[@＠](?:[A-Za-z0-9][A-Za-z0-9_.\-]*(?::[A-Za-z0-9.\-]+)?|\w+)")
_SHORTCODE: Final = re.compile(r":[A-Za-z+\-][A-Za-z0-9_+\-]{0,63}:")
_KEYCAP: Final = re.compile("[0-9#*]\ufe0f?\u20e3")
_CJK: Final = re.compile(r"[㐀-鿿]")

_FILLERS: Final = frozenset("\u115f\u1160\u3164\uffa0")
"""Letters that nobody sees."""
_HEAD_MARKS: Final = re.compile(
    r"^(?:(?:[-•–—]|\d{1,2}[.)])\s+)?[\"'“‘(\[]{0,2}"
    r"(?:(?:[Tt]o|[Ff]or|FAO|[Cc]c|[Qq]uestion for|[Nn]ote to)[\s:]+(?=[A-Z][\w ]{1,40}[:,]))?"
)
_CLOSING: Final = frozenset("\"'*_~ \t\r\n\u3000\ufe0f")
_CLOSING_CLASSES: Final = frozenset({"So", "Sk", "Cf", "Mn", "Pf", "Pe", "Zs"})

_WORD: Final = r"[^\W\d_][\w'’\-]{0,30}"
_AND: Final = r"(?:\s*(?:,|&|/|、)\s*|\s+(?:and|und|et|和|跟)\s+)"
_TITLE: Final = r"(?:(?:mr|mrs|ms|dr|prof|herr|frau|Mr|Mrs|Ms|Dr|Prof|Herr|Frau)\.?\s+)?"
_NAME: Final = rf"{_TITLE}{_WORD}(?:[ ]{_WORD}){{0,2}}"
_VOCATIVE: Final = re.compile(
    rf"({_NAME}(?:{_AND}{_NAME}){{0,4}})[\"'”’)\]]{{0,2}}\s*([,，:：;；!！]|\s[-–—]\s|—|…|\.{{3}}|[?？](?=\s\S)|$)"
)
_NAME_ONLY: Final = re.compile(rf"{_TITLE}{_WORD}(?:[ ]{_WORD})?")
_SPLIT: Final = re.compile(_AND)
_ASKED: Final = re.compile(
    r"\s*(?:can|could|would|will|do|did|are|have|might) (?:you|u|ya)\b|\s*please\b|\s*pls\b", re.I
)
_CJK_NAME: Final = re.compile(
    rf"(?:(?:[小老阿][㐀-鿿]{{1,2}})|(?:[㐀-鿿]{{1,2}}(?:总|總|经理|經理|老师|老師|先生|女士|小姐|师傅|主任|工|哥|姐|董|博士))"
    rf"|(?:[{CJK_SURNAMES}][㐀-鿿]{{1,2}}))$"
)
_CJK_HEAD: Final = re.compile(r"([㐀-鿿]{2,6}?)(?:你好|您好|好|早)?\s*(?:[,，:：;；!！、]|\s[-–—]\s|——|@)")
_CJK_GREETING: Final = re.compile(
    r"(?:你好|您好|嗨|哈喽|哈囉|早上好|上午好|下午好|晚上好|亲爱的|親愛的|尊敬的|谢谢|謝謝|麻烦|请)[,，!！\s]*"
)
_COMMAND: Final = re.compile(r"([^\W\d_][\w\-]{0,31})(?:@([^\s@]{1,128}))?(?:\s+|$)")


def substantive(text: str) -> bool:
    """Whether the text says anything beyond mentions, quotes, code, emoji and acknowledgements (spec 1 §3)."""
    live = _without_marks(text)
    begun = _words(live, _ENOUGH)
    at = _acknowledged(begun)
    if len(begun) < _ENOUGH or at + _LONGEST_ACK <= len(begun):
        return at < len(begun)
    words = _words(live)
    return _acknowledged(words) < len(words)


def open_question(text: str) -> bool:
    """Whether the text is a question by rule: it ends in `?`/`？` or starts with a listed opener (spec 1 §11.8).

    A question mark alone, or one inside a trailing link, asks nothing.
    """
    live = _without_marks(text).strip()
    words = _words(live, _ENOUGH)
    if not words:
        return False
    end = len(live)
    while end and (live[end - 1] in _CLOSING or unicodedata.category(live[end - 1]) in _CLOSING_CLASSES):
        end -= 1
    if live[:end].endswith(("?", "？")) and "://" not in live[:end].split()[-1]:
        return True
    spoken = " ".join(words)
    return any(spoken == opener or spoken.startswith(opener + " ") for opener in OPENERS_EN) or any(
        "".join(words).startswith(opener) for opener in OPENERS_ZH
    )


def leading_name(text: str, own_names: frozenset[str]) -> bool:
    """Whether the text starts by calling somebody else than the agent: `Jordan, …`, `@jordan …`.

    Own names match exactly; a list that also names the agent is addressed to the agent too: False (spec 1 §3 step 7).
    """
    head = _QUOTE_LINE.sub("", text[:600])[:300].replace("*", "").replace("~", "").lstrip()
    while head and unicodedata.category(head[0]) in {"So", "Sk", "Cf", "Mn"}:
        head = head[1:].lstrip()
    head = _HEAD_MARKS.sub("", head)
    if _calls(head, own_names):
        return False
    greeted, rest = _after_greeting(head)
    if greeted and _calls(rest, own_names):
        return False
    if rest[:1] in {"@", "＠", "<"}:
        return _at_somebody(rest, own_names)
    if _CJK.match(rest):
        return _cjk_vocative(head, own_names) or _cjk_vocative(rest, own_names)
    return _vocative(rest, greeted, own_names)


def command_of(text: str, prefixes: tuple[str, ...], own_names: frozenset[str]) -> Command | None:
    """The command at the very start of the live text, or None (spec 1 §3, settled points).

    `directed` is YES when `@name` is exactly an own name, NO when it is another, UNKNOWN without one. ASCII letters of
    the command's name are lower-cased (`/STOP`), nothing else is folded.
    """
    for prefix in sorted((p for p in prefixes if p), key=len, reverse=True):
        if not text.startswith(prefix):
            continue
        found = _COMMAND.match(text, len(prefix))
        if found is None:
            return None
        name, at = found.group(1), found.group(2)
        directed = Fact.UNKNOWN if at is None else Fact.YES if at in own_names else Fact.NO
        return Command(name.lower() if name.isascii() else name, text[found.end() :].strip(), directed)
    return None


def _without_marks(text: str) -> str:
    """The text without code, quote lines, mention tokens, `@name` and written emoji."""
    for pattern in (_FENCE, _INLINE, _QUOTE_LINE, _TOKEN, _AT_NAME, _SHORTCODE, _KEYCAP):
        text = pattern.sub(" ", text)
    return text


def _words(text: str, most: int | None = None) -> list[str]:
    """Folded words, or the first `most` of them; every CJK character is a word of its own. Only letters and numbers
    make words, never emoji."""
    words: list[str] = []
    word = ""
    for char in unicodedata.normalize("NFKC", text).replace("’", "'").casefold():
        kind = "Z" if char in _FILLERS else unicodedata.category(char)[0]
        if _CJK.match(char) or (kind not in "LNM" and not (char == "'" and word)):
            if word:
                words.append(word.rstrip("'"))
            word = ""
            if kind == "L":
                words.append(char)
            if most is not None and len(words) >= most:
                return words[:most]
        elif kind != "M" or word:
            word += char
    return [*words, word.rstrip("'")] if word else words


def _acknowledged(words: list[str]) -> int:
    """How many words at the start only acknowledge."""
    at = 0
    while at < len(words):
        step = next((n for n in range(_LONGEST_ACK, 0, -1) if tuple(words[at : at + n]) in _ACKS), 0)
        if not step:
            return at
        at += step
    return at


_ACKS: Final = frozenset(tuple(_words(ack)) for ack in ACKNOWLEDGEMENTS)
_LONGEST_ACK: Final = max(len(ack) for ack in _ACKS)
_ENOUGH: Final = 1 + max(
    4 * _LONGEST_ACK, *(len(opener.split()) for opener in OPENERS_EN), *(len(opener) for opener in OPENERS_ZH)
)
"""Words after which what a text begins with is known, whatever follows."""


def _calls(head: str, own_names: frozenset[str]) -> bool:
    """Whether the text starts with one of our own names, with or without `@`, ending at a word boundary."""
    bare = head[1:] if head[:1] in {"@", "＠"} else head
    return any(
        name and bare.startswith(name) and not (bare[len(name) : len(name) + 1].isalnum() and name[-1].isascii())
        for name in own_names
    )


def _after_greeting(head: str) -> tuple[str, str]:
    """(how it began: "", "greeting" or, where a name needs punctuation behind it, "comma"; the text behind it)."""
    for kind, listed in (("greeting", GREETINGS), ("comma", THANKS)):
        for greeting in listed:
            rest = head[len(greeting) :]
            if head[: len(greeting)].casefold() == greeting and rest[:1] in {" ", "\u00a0", ",", "，"}:
                return ("comma" if rest[0] in ",，" else kind), rest.lstrip(" \u00a0,，")
    found = _CJK_GREETING.match(head)
    return ("greeting", head[found.end() :]) if found else ("", head)


def _at_somebody(rest: str, own_names: frozenset[str]) -> bool:
    found = _TOKEN.match(rest) or _AT_NAME.match(rest)
    if found is None:
        return False
    name = found.group().strip("<>@＠!&")
    return name not in own_names and name.rstrip(".-") not in own_names and name.casefold() not in BROADCASTS


def _vocative(rest: str, greeted: str, own_names: frozenset[str]) -> bool:
    found = _VOCATIVE.match(rest)
    closed = rest[found.start(2) : found.end(2)] if found else ""
    if found and (greeted or closed.strip(" \n!！")):
        names = [name.strip() for name in _SPLIT.split(found.group(1)) if name.strip()]
        if any(name in own_names for name in names):
            return False
        if names and all(_is_name(name) for name in names):
            return True
        # lower-case names count only when what follows asks "you" for something
        plain = all(name.isalpha() and name.casefold() not in NOT_NAMES for name in names)
        return bool(names) and plain and bool(_ASKED.match(rest, found.end()))
    if greeted == "greeting":
        only = _NAME_ONLY.match(rest)
        return only is not None and _is_name(only.group().split()[0])
    return False


def _is_name(name: str) -> bool:
    """Capitalised words of which none is listed as a common opener, label, day or month."""
    parts = [part for part in name.split() if part.rstrip(".").casefold() not in _TITLES]
    return bool(parts) and all(
        len(part) > 1 and part[0].isupper() and part.casefold() not in NOT_NAMES for part in parts
    )


_TITLES: Final = frozenset({"mr", "mrs", "ms", "dr", "prof", "herr", "frau"})


def _cjk_vocative(text: str, own_names: frozenset[str]) -> bool:
    found = _CJK_HEAD.match(text)
    if found is None:
        return False
    name = found.group(1)
    return name not in own_names and name not in CJK_NOT_NAMES and bool(_CJK_NAME.match(name))
