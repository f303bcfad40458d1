"""Did our own receiving server prove the domain of the author? Pure (RFC 8601, RFC 7489).

1. Only the topmost `Authentication-Results` counts, and only when our own server signed it (`authserv_id`). One of
   another server on top, or none, proves nothing: whoever writes a mail can put such headers into it, but not above
   those of the server that takes it. That server must take away foreign headers with its id (RFC 8601 §5).
2. A DMARC result decides alone, whenever there is one but `none`: `pass` for exactly the domain of `From` is a yes,
   anything else a no.
3. Without one: DKIM passed for exactly that domain, or SPF passed with an envelope sender of exactly that domain. A
   parent or a sub-domain is somebody else here, since who owns what below a suffix is not known.
4. What cannot be read, is doubled, or is not there is no proof. There is no third answer: unknown is never a yes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from dragoman.words import Fact

_LONGEST: Final = 8_192
_METHOD: Final = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]{0,30})(?:/\d{1,3})?\s*=\s*([A-Za-z]{1,30})(?![^\s])")
_PROPERTY: Final = re.compile(r"\s([a-z]{1,20}\.[A-Za-z0-9_-]{1,40})\s*=\s*(\S{1,320})")


class Result(msgspec.Struct, frozen=True):
    """One method, what it found, and about what."""

    method: str
    found: str
    about: dict[str, str]


def proven(headers: Sequence[str], domain: str, authserv_id: str) -> Fact:
    """YES when the topmost of these `Authentication-Results` proves `domain` as the author's, else NO."""
    results = _results(headers[0], authserv_id) if headers and domain else None
    if results is None:
        return Fact.NO
    dmarc = [each for each in results if each.method == "dmarc" and each.found != "none"]
    if dmarc:
        right = all(each.found == "pass" and each.about.get("header.from", "").lower() == domain for each in dmarc)
        return Fact.YES if right else Fact.NO
    return Fact.YES if any(_aligned(each, domain) for each in results) else Fact.NO


def signer(headers: Sequence[str]) -> str:
    """Who signed the topmost of these `Authentication-Results`; empty without one that can be read."""
    bare = _bare(headers[0][:_LONGEST]) if headers else None
    words = (bare or "").partition(";")[0].split()
    return words[0].lower() if words and words[0].isprintable() and len(words[0]) <= 255 else ""


def _aligned(result: Result, domain: str) -> bool:
    if result.found != "pass":
        return False
    if result.method == "dkim":
        signed = result.about.get("header.d") or result.about.get("header.i", "").rpartition("@")[2]
        return signed.lower() == domain
    sender = result.about.get("smtp.mailfrom", "")
    return result.method == "spf" and sender.rpartition("@")[2].lower() == domain


def _results(header: str, authserv_id: str) -> list[Result] | None:
    """The results of one header, or None when it is not our server's or cannot be read."""
    bare = _bare(header) if len(header) <= _LONGEST else None
    first, *rest = bare.split(";") if bare else [""]
    words = first.split()
    if not 1 <= len(words) <= 2 or words[0].lower() != authserv_id.lower() or words[1:] not in ([], ["1"]):
        return None
    found = []
    for each in rest:
        method = _METHOD.match(each)
        if method is not None:
            about = _PROPERTY.findall(each[method.end() :])
            names = dict(about)
            found.append(Result(method[1].lower(), method[2].lower(), names if len(names) == len(about) else {}))
    return found


def _bare(header: str) -> str | None:
    """The header without comments, and with a mark that no domain has for what is quoted; None when one stays open."""
    kept: list[str] = []
    depth, quoted, at = 0, False, 0
    while at < len(header):
        char = header[at]
        at += 1
        if char == "\\" and (depth or quoted):
            at += 1
        elif quoted:
            quoted = char != '"'
        elif depth:
            depth += {"(": 1, ")": -1}.get(char, 0)
        elif char in '"(':
            quoted, depth = char == '"', int(char == "(")
            kept.append("\x00" if quoted else " ")
        elif char == ")":
            return None
        else:
            kept.append(char)
    return None if depth or quoted else "".join(kept)
