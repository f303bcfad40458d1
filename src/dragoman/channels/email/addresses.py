"""Which addresses does this header name, and which channel are the people of a mail? Pure.

1. An address is `dot-atom@domain`, in ASCII; its domain is put into lower case, its local part is byte for byte. What
   is quoted, a domain literal, a route, looks encoded (`=?`), or holds any other letter is no address, and spoils the
   whole header.
2. Display names, comments and encoded words are no part of an address, whatever stands in them.
3. An empty group (`undisclosed-recipients:;`) says that others got it whom nobody names.
4. A channel is its exact set of addresses, ours left out: sorted, joined by commas. An address that stands only in
   `Reply-To` is part of who may hear, but is never written to; it is marked, so that no other mail has that channel.
5. One form only: what does not come out of `channel_of` as it went in is no channel.

Linear in the length of the header; nothing raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from dragoman.identity import PART_LIMIT

HEADER_LIMIT: Final = 32_768
"""Characters of a header that are read; a longer one is spoilt."""
REPLY_TO: Final = "reply-to:"
_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDRESS: Final = re.compile(rf"({_ATOM}(?:\.{_ATOM})*)@({_LABEL}(?:\.{_LABEL})*)\Z")


class Addresses(msgspec.Struct, frozen=True):
    """What a header names. `spoilt`: it could not be read whole; `hidden`: it has an empty group."""

    found: tuple[str, ...] = ()
    spoilt: bool = False
    hidden: bool = False


class People(msgspec.Struct, frozen=True):
    """Who is in a channel besides us: whom a mail there goes to, and who else may hear."""

    written_to: tuple[str, ...]
    heard_by: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """Everybody."""
        return self.written_to + self.heard_by


def canonical(text: str) -> str:
    """The one form of an address, or an empty text if it is none."""
    found = _ADDRESS.match(text) if len(text) <= 254 and "=?" not in text else None
    return f"{found[1]}@{found[2].lower()}" if found else ""


def domain_of(address: str) -> str:
    """The domain of an address."""
    return address.rpartition("@")[2]


def addresses(header: str) -> Addresses:
    """The addresses of one unfolded address header, in their order."""
    if len(header) > HEADER_LIMIT:
        return Addresses(spoilt=True)
    return _Reading().read(header)


def channel_of(people: People) -> str:
    """The channel of these people; empty when it is nobody, or more than an identity holds."""
    parts = [*sorted(set(people.written_to)), *sorted(REPLY_TO + each for each in set(people.heard_by))]
    found = ",".join(parts)
    return found if people.written_to and len(found) <= PART_LIMIT else ""


def people_of(channel: str) -> People | None:
    """Who is in a channel, or None when it is none."""
    if len(channel) > PART_LIMIT:
        return None
    parts = channel.split(",")
    heard = tuple(part.removeprefix(REPLY_TO) for part in parts if part.startswith(REPLY_TO))
    people = People(tuple(part for part in parts if not part.startswith(REPLY_TO)), heard)
    exact = all(address and canonical(address) == address for address in people.all)
    return people if exact and channel_of(people) == channel else None


def of_another(people: Iterable[str], domains: frozenset[str]) -> bool:
    """Whether anybody is of a domain that is not among ours."""
    return any(domain_of(address) not in domains for address in people)


class _Reading:
    """One pass over a header."""

    def __init__(self) -> None:
        self._found: list[str] = []
        self._bare: list[str] = []
        self._angle: list[str] | None = None
        self._closed = False
        self._spoilt = False
        self._hidden = False
        self._group: int | None = None

    def read(self, header: str) -> Addresses:
        """The addresses of the whole header."""
        at = 0
        while at < len(header):
            char = header[at]
            if char == '"':
                at = self._quoted(header, at)
            elif char == "(":
                at = self._comment(header, at)
            else:
                self._take(char)
                at += 1
        self._end()
        self._spoilt |= self._group is not None
        return Addresses(tuple(dict.fromkeys(self._found)), self._spoilt, self._hidden)

    def _take(self, char: str) -> None:
        if self._angle is not None and not self._closed:
            self._closed = char == ">"
            self._angle += [] if self._closed else [char]
        elif char == "<":
            self._spoilt |= self._angle is not None
            self._angle, self._closed = [], False
        elif char == ">":
            self._spoilt = True
        elif char == ",":
            self._end()
        elif char == ":":
            self._spoilt |= self._group is not None or self._angle is not None
            self._bare, self._group = [], len(self._found)
        elif char == ";":
            self._end()
            self._spoilt |= self._group is None
            self._hidden |= self._group == len(self._found)
            self._group = None
        elif self._angle is None:
            self._bare.append(char)
        else:
            self._spoilt |= not char.isspace()

    def _end(self) -> None:
        """A mailbox ends here; between two commas there may be none."""
        text = "".join(self._bare if self._angle is None else self._angle).strip()
        self._spoilt |= self._angle is not None and not self._closed
        if text or self._angle is not None:
            address = canonical(text)
            self._spoilt |= not address
            self._found += [address] if address else []
        self._bare, self._angle, self._closed = [], None, False

    def _quoted(self, header: str, at: int) -> int:
        """A quoted text: of a display name it says nothing; in an address it leaves a mark that no address has."""
        (self._bare if self._angle is None else self._angle).append("\x00")
        at += 1
        while at < len(header) and header[at] != '"':
            at += 2 if header[at] == "\\" else 1
        self._spoilt |= at >= len(header)
        return at + 1

    def _comment(self, header: str, at: int) -> int:
        depth = 0
        while at < len(header):
            char = header[at]
            depth += {"(": 1, ")": -1}.get(char, 0)
            at += 2 if char == "\\" else 1
            if depth == 0:
                return at
        self._spoilt = True
        return at
