"""What may leave by XMPP, and the stanza of what does. Pure.

1. A text is the body as it is, marked as plain (XEP-0393 `unstyled`), without references: nobody is pinged, and nothing
   is read as markup. What XML cannot hold or keep does not leave.
2. Every message carries the output's key as its id and its `origin-id`, by which the room's echo and the archive are
   recognised. XMPP does not de-duplicate: no key is native.
3. A reply points (XEP-0461) only at a message whose name the other side knows too; a correction (XEP-0308) at ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from xml.etree.ElementTree import Element, SubElement

from dragoman.channels.xmpp import stanza as x
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.ports import Output
from dragoman.words import SendKey

OPERATIONS: Final[Mapping[Operation, OperationSpec]] = {
    # Servers bound a stanza: ejabberd's and Prosody's shipped settings are 64 KiB and more. A character takes up to 6
    # bytes (`&quot;`), the envelope up to 4,000.
    Operation.SEND: OperationSpec(SendKey.NONE, 10_000, pieces=4),
    Operation.EDIT: OperationSpec(SendKey.NONE, 10_000),
}


def unsayable(text: str) -> bool:
    """Whether a text holds what an XML stream cannot carry unchanged."""
    return not text or x.UNSAYABLE.search(text) is not None


def message(output: Output, *, room: bool, reply: bool, corrects: str = "") -> Element:
    """The stanza of one output to a room, or to a person; `reply` if `reply_to` is a name that stands there, `corrects`
    the key of the message of ours that is replaced."""
    to, kind = output.target.channel, "groupchat" if room else "chat"
    made = Element(f"{{{x.CLIENT}}}message", {"to": to, "type": kind, "id": output.key})
    SubElement(made, f"{{{x.CLIENT}}}body").text = output.text
    SubElement(made, f"{{{x.STYLING}}}unstyled")
    SubElement(made, f"{{{x.SID}}}origin-id", {"id": output.key})
    if corrects:
        SubElement(made, f"{{{x.CORRECTS}}}replace", {"id": corrects})
    elif reply and output.reply_to:
        SubElement(made, f"{{{x.REPLY}}}reply", {"id": output.reply_to})
    return made
