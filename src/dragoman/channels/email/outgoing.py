"""What may leave by e-mail, and the message that does. Pure.

1. Nothing can be changed or taken back, and nothing shows that we read or write: a mail is sent, or a file is.
2. A mail goes to everybody of its channel and nobody else: to the author of what is answered, in copy to the others.
   What stands only in Reply-To is never written to.
3. The subject is `Re:` and that of the mail which is answered, or the configured one: never a word of an agent.
4. The text arrives as it was said: as plain text in UTF-8, base64. No history is quoted.
5. It says that a machine wrote it (RFC 3834, and what Exchange and others look for), so that no other machine answers.
6. Its message id is made of the send key (`state.message_id`): the same send again has the same id.

A server that takes a mail does not know mails by their ids, so no send key is native.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Final

import msgspec

from dragoman.channels.email.addresses import People
from dragoman.channels.email.state import EmailAgent, message_id
from dragoman.clock import SECOND
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.parts import File, PartKind
from dragoman.gate.ports import Output
from dragoman.words import SendKey

FILES: Final = 10
OPERATIONS: Final[Mapping[Operation, OperationSpec]] = {
    Operation.SEND: OperationSpec(SendKey.NONE, 20_000, carries={PartKind.FILE: FILES}),
    Operation.UPLOAD: OperationSpec(SendKey.NONE, 4_000, carries_text=False, carries={PartKind.FILE: FILES}),
}
MARK: Final = "X-Dragoman"
"""Our own header: by which operation a mail left."""
_SUBJECT: Final = 200
_REFERENCES: Final = 10


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the mail that is answered; empty for a mail that answers none."""

    id: str = ""
    author: str = ""
    subject: str = ""
    references: tuple[str, ...] = ()
    """The message ids of its thread, oldest first, its own left out."""


def message(
    output: Output, people: People, answered: Answered, agent: EmailAgent, *, subject: str, now: int
) -> EmailMessage:
    """The mail of one output; `subject` is for a mail that answers none, `now` is epoch ms."""
    mail = EmailMessage(policy=SMTP)
    first = [address for address in people.written_to if address == answered.author] or list(people.written_to)
    others = [address for address in people.written_to if address not in first]
    mail["From"] = Address(addr_spec=agent.mailbox)
    mail["To"] = [Address(addr_spec=address) for address in first]
    if others:
        mail["Cc"] = [Address(addr_spec=address) for address in others]
    mail["Subject"] = again(answered.subject) if answered.id else subject
    mail["Date"] = format_datetime(datetime.fromtimestamp(now // SECOND, UTC))
    mail["Message-ID"] = message_id(output.key, agent)
    if answered.id:
        mail["In-Reply-To"] = answered.id
        mail["References"] = " ".join(_thread(answered))
    mail["Auto-Submitted"] = "auto-replied" if answered.id else "auto-generated"
    mail["X-Auto-Response-Suppress"] = "All"
    mail[MARK] = str(output.operation)
    mail.set_content(output.text or _captions(output), cte="base64")
    for file in output.parts.files:
        _attach(mail, file)
    return mail


def again(subject: str) -> str:
    """The subject of an answer."""
    bare = " ".join("".join(char if char.isprintable() else " " for char in subject).split())
    return (bare if bare[:3].lower() == "re:" else f"Re: {bare}").strip()[:_SUBJECT]


def _thread(answered: Answered) -> list[str]:
    """The root, the newest, and the mail itself."""
    found = [id for id in dict.fromkeys(answered.references) if id != answered.id]
    return [*found[:1], *found[1:][-_REFERENCES:], answered.id]


def _captions(output: Output) -> str:
    return "\n".join(file.caption or file.alt or file.name for file in output.parts.files)


def _attach(mail: EmailMessage, file: File) -> None:
    kind, _, of = file.media_type.partition("/")
    if not (kind.isalnum() and of and kind not in ("multipart", "message")):
        kind, of = "application", "octet-stream"
    mail.add_attachment(file.content, maintype=kind, subtype=of, filename=file.name)
    (*_, part) = mail.iter_attachments()
    if output_words := file.caption or file.alt:
        part["Content-Description"] = " ".join(output_words.split())
