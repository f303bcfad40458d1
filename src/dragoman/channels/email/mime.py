"""What is in this RFC 5322 message? Headers as they stand, one text, and how much else. Pure; nothing raises.

1. At most `SIZE_LIMIT` bytes are read; the rest of a longer mail is not there (`cut`).
2. Header fields are unfolded, in their order, never decoded: what is judged is what the servers judged.
3. The text is that of the first readable `text/plain`, or else of the first `text/html`, reduced (`live.plain`). An
   unknown charset is read as UTF-8, and what no charset explains becomes U+FFFD; a lone surrogate never comes out.
4. Every other part is an attachment, a whole mail in a mail too, which is not opened. The other form of the text is
   none, nor is a nameless part that its HTML shows (`related`).
"""

from __future__ import annotations

import email.errors
import email.header
import email.policy
from collections.abc import Iterator
from email.message import Message
from email.parser import BytesParser
from typing import Final

import msgspec

from dragoman.channels.email.live import plain

SIZE_LIMIT: Final = 131_072
"""Bytes of a mail that are read."""
_DEPTH: Final = 12
_PARTS: Final = 200
_FAILURES: Final = (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError)
"""What the standard library's parser is known to raise for malformed mail."""
_CHARSETS: Final = frozenset(
    {
        *("us-ascii", "ascii", "utf-8", "utf8", "utf-16", "koi8-r", "koi8-u", "big5", "gb2312", "gbk", "gb18030"),
        *("shift_jis", "euc-jp", "iso-2022-jp", "euc-kr", "iso-2022-kr", "macintosh"),
        *(f"iso-8859-{n}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16)),
        *(f"windows-125{n}" for n in range(9)),
    }
)

Header = tuple[str, str]


class Mail(msgspec.Struct, frozen=True, kw_only=True):
    """One message, read."""

    headers: tuple[Header, ...] = ()
    """Names in lower case, and unfolded values."""
    content_type: str = "text/plain"
    text: str = ""
    attachments: int = 0
    readable: bool = True
    """Whether it could be read as a message at all."""
    cut: bool = False

    def all(self, name: str) -> list[str]:
        """The values of a header, topmost first."""
        return [value for each, value in self.headers if each == name]

    def one(self, name: str) -> str:
        """The value of a header that stands there once; empty when it is not there, or doubled."""
        found = self.all(name)
        return found[0].strip() if len(found) == 1 else ""


def read(raw: bytes) -> Mail:
    """The message in these bytes."""
    cut = len(raw) > SIZE_LIMIT
    try:
        message = BytesParser(policy=email.policy.compat32).parsebytes(raw[:SIZE_LIMIT])
        headers = tuple((str(name).lower(), _unfolded(value)) for name, value in message.raw_items())
        texts, attachments = _contents(message)
        return Mail(
            headers=headers,
            content_type=message.get_content_type(),
            text=texts,
            attachments=attachments,
            cut=cut,
        )
    except _FAILURES:
        return Mail(readable=False, cut=cut)


def decoded(value: str) -> str:
    """The words of an unstructured header, such as a subject: one line, without control characters."""
    try:
        pieces = email.header.decode_header(value)
        words = "".join(piece if isinstance(piece, str) else _text(piece, charset) for piece, charset in pieces)
    except (*_FAILURES, email.errors.HeaderParseError):
        words = value
    shown = "".join(char if char.isprintable() else " " for char in words)
    return " ".join(shown.encode("utf-8", "replace").decode("utf-8", "replace").split())


def _unfolded(value: object) -> str:
    text = "".join(str(value).splitlines()) if "\r" in str(value) or "\n" in str(value) else str(value)
    return text.encode("utf-8", "replace").decode("utf-8", "replace")


def _contents(message: Message) -> tuple[str, int]:
    """The text, and the number of attachments."""
    words, marked_up, attachments = "", "", 0
    for count, (part, inside) in enumerate(_leaves(message, "", 0)):
        if count >= _PARTS:
            break
        kind = part.get_content_type()
        attached = part.get_content_disposition() == "attachment" or part.get_filename() is not None
        if kind == "text/plain" and not attached and not words.strip():
            words = _words(part)
        elif kind == "text/html" and not attached and not marked_up:
            marked_up = _words(part)
        elif attached or not (kind in ("text/plain", "text/html") or inside in ("alternative", "related")):
            attachments += 1
    return (words if words.strip() else plain(marked_up)).rstrip(), attachments


def _leaves(part: Message, inside: str, depth: int) -> Iterator[tuple[Message, str]]:
    """Every part that is no container, and in which kind of container it stands."""
    payload = part.get_payload()
    container = part.get_content_maintype() == "multipart" and isinstance(payload, list)
    if not container or depth >= _DEPTH:
        yield part, inside
        return
    for each in payload if isinstance(payload, list) else ():
        if isinstance(each, Message):
            yield from _leaves(each, part.get_content_subtype(), depth + 1)


def _words(part: Message) -> str:
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    text = _text(content, part.get_content_charset("utf-8"))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _text(content: bytes, charset: str | None) -> str:
    known = (charset or "utf-8").lower()
    text = content.decode(known if known in _CHARSETS else "utf-8", "replace")
    return text.encode("utf-8", "replace").decode("utf-8", "replace")
