"""Which words of a mail did its author write now? Quotes, signatures and forwarded mails are cut out. Pure.

In this order, line by line, each step only ever removing:
1. from where an earlier mail begins without quote marks, everything to the end: a line that says so ("Original
   Message", "Forwarded message"), a line of underscores, a block of `From:` with `Sent:` or `To:` or `Subject:` below,
   or a line that says who wrote when, when what follows it is not marked with `>`;
2. lines that begin with `>`, and the line that says who wrote them;
3. from a line `--` on, the signature; at the end, "Sent from my ...".

Too much may be cut, never too little be kept for consent: text can silence and never asks by itself. The whole text
stays in the event's `body`. `plain` makes text of HTML: no script, no style, nothing hidden; quotes get their `>`.

Linear in the length of the text: the standard library's own HTML parser is not.
"""

from __future__ import annotations

import html
import re
from typing import Final

_LINE: Final = 1_000
_BEGINS: Final = re.compile(
    r"\s*(?:[-_—]{2,}\s*(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Weitergeleitete Nachricht"
    r"|Message d'origine|Message transféré|Mensaje original|原始邮件|转发邮件|原始郵件|轉寄的郵件)\s*[-_—]{2,}"
    r"|Begin forwarded message:|_{16,})\s*\Z",
    re.IGNORECASE,
)
_FROM: Final = re.compile(r"[\s*]*(?:From|Von|De|发件人|寄件者|寄件人)\s*[:：]", re.IGNORECASE)
_BELOW: Final = re.compile(
    r"[\s*]*(?:Sent|Date|To|Subject|Cc|Gesendet|Datum|An|Betreff|Envoyé|À|Objet|Enviado|Para|Asunto"
    r"|发送时间|日期|收件人|主题|寄件日期|收件者|主旨)\s*[:：]",
    re.IGNORECASE,
)
_WROTE_FIRST: Final = re.compile(r"\s*(?:On|Am|Le|El|Il|Op|Em|在|于|於)(?=[\s\d])", re.IGNORECASE)
_WROTE_LAST: Final = re.compile(
    r"(?:wrote|schrieb(?:\s[^:：]{1,80})?|a écrit|escribió|ha scritto|schreef|escreveu|写道|寫道)\s*[:：]\s*\Z",
    re.IGNORECASE,
)
_SIGNATURE: Final = re.compile(r"\s?(?:--|—|__)\s*\Z")
_DEVICE: Final = re.compile(
    r"(?:Sent from my(?: \w+){1,4}|Von meinem \w+ gesendet|发自我的\s?\w+)\.?\s*\Z", re.IGNORECASE
)
_RULE: Final = re.compile(r"[\s*]*-{4,}[\s*]*\Z")
_ATTRIBUTION: Final = 3
"""Lines that "who wrote when" may take."""
_TAG: Final = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]{0,30}|[!?])((?:[\s/A-Za-z][^<>]*)?)>")
_RAW: Final = frozenset({"script", "style", "title", "textarea"})
"""Elements whose content is no HTML."""
_UNSEEN: Final = _RAW | {"head", "template", "noscript", "object", "svg"}
_BLOCKS: Final = frozenset(
    {
        *("p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "hr", "pre"),
        "blockquote",
    }
)
_ALONE: Final = frozenset(
    {"br", "hr", "img", "input", "meta", "link", "wbr", "area", "base", "col", "source", "!", "?"}
)
_HIDES: Final = re.compile(
    r"(?:\A|\s)hidden(?=[\s=]|\Z)|display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d]*[1-9])", re.I
)
_DEEPEST: Final = 500


def live_text(body: str) -> str:
    """The live text of a mail's text."""
    lines = _until_an_earlier_mail(body.splitlines())
    spoken = [line for line in lines if not line.lstrip(" \t").startswith(">")]
    for at, line in enumerate(spoken):
        if _SIGNATURE.match(line[:_LINE]):
            del spoken[at:]
            break
    while spoken and (not spoken[-1].strip() or _DEVICE.match(spoken[-1][:_LINE]) or _RULE.match(spoken[-1][:_LINE])):
        spoken.pop()
    return "\n".join(spoken).strip()


def _until_an_earlier_mail(lines: list[str]) -> list[str]:
    kept: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at][:_LINE]
        if _BEGINS.match(line) or _headed(lines, at):
            break
        length = _attribution(lines, at)
        if not length:
            kept.append(lines[at])
            at += 1
            continue
        at += length
        following = next((each for each in lines[at : at + 20] if each.strip()), "")
        if following and not following.lstrip().startswith(">"):
            break
    return kept


def _headed(lines: list[str], at: int) -> bool:
    """Whether the head of an earlier mail begins here."""
    if not _FROM.match(lines[at][:_LINE]):
        return False
    return any(_BELOW.match(line[:_LINE]) for line in lines[at + 1 : at + 4])


def _attribution(lines: list[str], at: int) -> int:
    """How many lines say who wrote when; 0 when none does."""
    if not _WROTE_FIRST.match(lines[at][:_LINE]):
        return 0
    for length in range(1, _ATTRIBUTION + 1):
        line = lines[at + length - 1][:_LINE] if at + length <= len(lines) else ""
        if not line.strip():
            return 0
        if _WROTE_LAST.search(line[-120:]):
            return length
    return 0


def plain(marked_up: str) -> str:
    """HTML as text: what is shown, in lines; quotes with `>` before each."""
    shown = _Shown()
    at = 0
    while at < len(marked_up):
        found = _TAG.match(marked_up, at) if marked_up[at] == "<" else None
        if marked_up.startswith("<!--", at):
            at = _behind(marked_up, "-->", at)
        elif found and found[2].lower() in _RAW and not found[1]:
            at = _behind(marked_up, f"</{found[2]}", found.end())
        elif found:
            shown.tag(found[2].lower(), found[3], closes=bool(found[1]))
            at = found.end()
        else:
            end = marked_up.find("<", at + 1)
            end = len(marked_up) if end < 0 else end
            shown.say(html.unescape(marked_up[at:end]))
            at = end
    return shown.text()


def _behind(text: str, word: str, at: int) -> int:
    """Where it goes on behind the next `word`; without one, at the end."""
    end = text.find(word, at)
    return len(text) if end < 0 else end + len(word) if word == "-->" else end


class _Shown:
    """Collects what a reader would see."""

    def __init__(self) -> None:
        self._open: list[tuple[str, bool, bool]] = []
        """Tag, whether it hides, whether it quotes."""
        self._hidden = self._quoted = 0
        self._lines: list[tuple[bool, list[str]]] = [(False, [])]

    def tag(self, name: str, attributes: str, *, closes: bool) -> None:
        """One element opens or closes."""
        if name in _BLOCKS:
            self._break()
        if closes:
            self._close(name)
        elif name not in _ALONE and len(self._open) < _DEEPEST:
            hides = name in _UNSEEN or bool(_HIDES.search(attributes[:_LINE]))
            self._open.append((name, hides, name == "blockquote"))
            self._hidden += hides
            self._quoted += name == "blockquote"

    def say(self, words: str) -> None:
        """Text."""
        if not self._hidden:
            if self._lines[-1][0] != bool(self._quoted):
                self._break()
            self._lines[-1][1].append(words)

    def text(self) -> str:
        """What was collected."""
        joined = ((quoted, " ".join("".join(words).split())) for quoted, words in self._lines)
        return "\n".join(f"> {line}" if quoted else line for quoted, line in joined if line)

    def _close(self, name: str) -> None:
        """With whatever was left open inside it."""
        inner = next((back for back, (each, _, _) in enumerate(reversed(self._open[-50:]), 1) if each == name), 0)
        for _, hides, quotes in self._open[len(self._open) - inner :]:
            self._hidden -= hides
            self._quoted -= quotes
        del self._open[len(self._open) - inner :]

    def _break(self) -> None:
        self._lines.append((bool(self._quoted), []))
