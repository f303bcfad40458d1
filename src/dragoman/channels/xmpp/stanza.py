"""Which element does this text hold? Reads one stanza of untrusted XML. Pure; nothing here raises.

1. The text is bounded, and may hold no declaration, comment, entity definition or processing instruction: XMPP forbids
   them, so that a text with `<!` or `<?` is none of a server.
2. Only children of an element are looked at, never what lies deeper by itself: what is forwarded or quoted inside
   another element is no part of the message.
3. A payload that may stand once and stands twice is malformed: nobody can say which of them was shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element, ParseError, fromstring, tostring

LIMIT: Final = 262_144
CLIENT: Final = "jabber:client"
CARBONS: Final = "urn:xmpp:carbons:2"
CORRECTS: Final = "urn:xmpp:message-correct:0"
DELAY: Final = "urn:xmpp:delay"
FALLBACKS: Final = ("urn:xmpp:fallback:0", "urn:xmpp:feature-fallback:0")
FASTEN: Final = "urn:xmpp:fasten:0"
FORWARD: Final = "urn:xmpp:forward:0"
MUC_USER: Final = "http://jabber.org/protocol/muc#user"
OCCUPANT_ID: Final = "urn:xmpp:occupant-id:0"
OOB: Final = "jabber:x:oob"
REFERENCE: Final = "urn:xmpp:reference:0"
REPLY: Final = "urn:xmpp:reply:0"
RETRACT_0: Final = "urn:xmpp:message-retract:0"
RETRACT: Final = "urn:xmpp:message-retract:1"
SID: Final = "urn:xmpp:sid:0"
STYLING: Final = "urn:xmpp:styling:0"
ENCRYPTED: Final = ("eu.siacs.conversations.axolotl", "urn:xmpp:omemo:2", "jabber:x:encrypted", "urn:xmpp:openpgp:0")
UNSAYABLE: Final = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot hold, and the carriage return, which it does not keep."""


def parsed(text: str) -> Element | None:
    """The element that the text is, or None."""
    if not text or len(text) > LIMIT or "<!" in text or "<?" in text:
        return None
    try:
        return fromstring(text)  # noqa: S314 - no declarations: see rule 1
    except (ParseError, ValueError, RecursionError):
        return None


def written(element: Element) -> str:
    """The text of an element, complete in itself."""
    return tostring(element, encoding="unicode")


def named(element: Element, namespace: str, name: str) -> Iterator[Element]:
    """The children of this exact name, in order."""
    return (child for child in element if child.tag == f"{{{namespace}}}{name}")


def first(element: Element | None, namespace: str, name: str) -> Element | None:
    """The first child of this exact name."""
    return None if element is None else next(named(element, namespace, name), None)


def doubled(element: Element, namespace: str, name: str) -> bool:
    """Whether there is more than one child of this name."""
    return sum(1 for _ in named(element, namespace, name)) > 1


def is_message(element: Element | None) -> bool:
    """Whether the element is a message of a client's stream."""
    return element is not None and element.tag == f"{{{CLIENT}}}message"
