"""What may leave by WhatsApp, and the request that carries it. Pure.

Every target is external, so that typing, read receipts and reactions (all class `progress`) could never pass the door:
they are not declared, and a read mark never shows by accident. There is no edit. Templates are not declared either:
outside of the 24 hours nothing leaves.

`biz_opaque_callback_data` carries the output's key, which Meta gives back with every status: a send is not
de-duplicated by it, but what became of it can be read. No preview is made of a link. Clients draw `*bold*`, `_italic_`,
`~struck~` and backticks of any text; the API has no way to say that they must not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dragoman.channels.whatsapp.state import GROUP, SCOPED, is_person
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.parts import PartKind
from dragoman.gate.ports import Output
from dragoman.words import SendKey

OPERATIONS: Final[Mapping[Operation, OperationSpec]] = {
    # A text may have 4,096 and a caption 1,024 "characters"; in whichever way Meta counts them, half always fits.
    Operation.SEND: OperationSpec(SendKey.NONE, 2_048, pieces=4),
    Operation.UPLOAD: OperationSpec(SendKey.NONE, 512, carries_text=False, carries={PartKind.FILE: 1}),
}
IMAGES: Final = frozenset({"image/png", "image/jpeg"})
"""What is shown as a picture, without its name; everything else is a document to open."""
_WAMID_LIMIT: Final = 128


def place_of(channel: str) -> str:
    """`individual` or `group` by the form of a channel id, or an empty text."""
    if is_person(channel):
        return "individual"
    return "group" if GROUP.fullmatch(channel) else ""


def request(output: Output, media: str = "") -> dict[str, Any]:
    """The body of `POST /messages`: a text, or the file that was put at `media`."""
    said: dict[str, Any] = {"type": "text", "text": {"preview_url": False, "body": output.text}}
    if output.operation is Operation.UPLOAD:
        said = _file(output, media)
    if output.reply_to and output.reply_to.startswith("wamid.") and len(output.reply_to) <= _WAMID_LIMIT:
        said["context"] = {"message_id": output.reply_to}
    return {
        "messaging_product": "whatsapp",
        "recipient_type": place_of(output.target.channel),
        "recipient" if SCOPED.fullmatch(output.target.channel) else "to": output.target.channel,
        "biz_opaque_callback_data": output.key,
        **said,
    }


def _file(output: Output, media: str) -> dict[str, Any]:
    file = output.parts.files[0]
    caption = file.caption or file.alt
    told = {"id": media} | ({"caption": caption} if caption else {})
    if file.media_type in IMAGES:
        return {"type": "image", "image": told}
    return {"type": "document", "document": told | {"filename": file.name}}
