"""Is a link what it says it is? (spec 1 §5: link targets are checked)

Asked of every link target, in this order; the first that holds names the rule:

    link:scheme         neither http, https, mailto nor tel: it runs or hides something (`javascript:`, `data:`)
    link:userinfo       a name or password before the host: `https://example.com@other.net/`
    link:host           a host that browsers read otherwise than people: backslashes, bare numbers, no host at all
    link:internal_host  a host that only our own network knows: private addresses, single words, internal endings
    link:other_host     the shown text names another host than the target

Links are also found where a text carries them in markup (Markdown, HTML, `<target|shown>`); there only a target with a
scheme, or with `//`, is a link, and only a scheme that runs something is refused.

Pure; decides nothing and follows nothing.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from dragoman.gate.markup import Shown, linked

SAFE_SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})
RUNNING_SCHEMES: Final = frozenset(
    {"javascript", "data", "vbscript", "file", "blob", "filesystem", "view-source", "about", "jar", "intent"}
)
_INTERNAL: Final = (
    *(".internal", ".local", ".localdomain", ".localhost", ".lan", ".corp", ".intranet", ".private", ".home"),
    *(".home.arpa", ".cluster.local", ".ts.net", ".onion"),
)
_FILES: Final = frozenset(
    {
        *("pdf", "txt", "md", "csv", "json", "xml", "html", "htm", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt"),
        *("png", "jpg", "jpeg", "gif", "svg", "webp", "zip", "gz", "tar", "mp3", "mp4", "mov", "wav"),
        *("py", "js", "ts", "rs", "go", "java", "sh", "log", "toml", "yaml", "yml"),
    }
)
"""Endings by which a dotted word is a file's name rather than a host."""
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*):")
_IGNORED: Final = re.compile("[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]")
_NAMED_HOST: Final = re.compile(r"(https?://)?((?:[a-z0-9_-]{1,63}\.){1,8}[a-z]{2,24})(?![a-z0-9_-])")
"""Plain letters only: a look-alike letter leaves a rest that is no host of the target's."""


def suspicious(target: str, shown: str = "") -> str | None:
    """The rule by which a link is not what it seems, or None."""
    plain = _plain(target)
    scheme = _SCHEME.match(plain)
    if scheme is None or scheme[1] not in SAFE_SCHEMES:
        return "link:scheme"
    if scheme[1] == "tel":
        return None
    if scheme[1] == "mailto":
        address = plain[scheme.end() :].split("?", 1)[0]
        return _other_host(shown, address.rpartition("@")[2], "")
    return _suspicious_address(plain[scheme.end() :], shown)


def marked_up(text: str) -> Iterator[tuple[Shown, str]]:
    """The links in a text's markup that are not what they seem, each with its rule."""
    for link in linked(text):
        plain = _plain(link.target)
        scheme = _SCHEME.match(plain)
        if scheme is not None and scheme[1] in RUNNING_SCHEMES:
            yield link, "link:scheme"
        elif plain.startswith("//") or (scheme is not None and scheme[1] in SAFE_SCHEMES):
            rule = suspicious(f"https:{plain}" if plain.startswith("//") else plain, link.shown)
            if rule is not None:
                yield link, rule


def _plain(target: str) -> str:
    """The target as a browser reads it: no white space or invisible characters, compatibility forms undone."""
    return _IGNORED.sub("", unicodedata.normalize("NFKC", target)).replace("。", ".").casefold()


def _suspicious_address(rest: str, shown: str) -> str | None:
    if not rest.startswith("//") or "\\" in rest.split("?", 1)[0]:
        return "link:host"
    authority, path = re.split(r"(?=[/?#])|\Z", rest[2:], maxsplit=1)[0], rest[2:]
    if "@" in authority or "%" in authority:
        return "link:userinfo"
    host = _host(authority)
    if not host or (not host.startswith("[") and re.search(r"[^\w.-]", host)):
        return "link:host"
    return _internal(host) or _other_host(shown, host, path[len(authority) :])


def _host(authority: str) -> str:
    """The host of an authority without its port and closing dot."""
    if authority.startswith("["):
        return authority.partition("]")[0] + "]"
    return authority.partition(":")[0].rstrip(".")


def _internal(host: str) -> str | None:
    last = host.rpartition(".")[2]
    bare = host.strip("[]")
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        if last.isdigit() or re.fullmatch(r"0x[0-9a-f]*", last) or host.startswith("["):
            return "link:host"
        return "link:internal_host" if "." not in host or f".{host}".endswith(_INTERNAL) else None
    return None if address.is_global else "link:internal_host"


def _other_host(shown: str, host: str, path: str) -> str | None:
    for found in _NAMED_HOST.finditer(unicodedata.normalize("NFKC", shown).casefold()):
        named = found[2]
        is_file = not found[1] and (named.rpartition(".")[2] in _FILES or named in path)
        if not is_file and not _same(named, host):
            return "link:other_host"
    return None


def _same(named: str, host: str) -> bool:
    """Whether a named host is the target's, or a domain that it belongs to; `www.` says nothing."""
    named, host = named.removeprefix("www."), host.removeprefix("www.")
    return host == named or host.endswith(f".{named}")
