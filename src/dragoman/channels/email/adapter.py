"""The way out by e-mail, on aiosmtplib: one mail per output, through one submission server.

1. Connect, TLS, log in, MAIL, RCPT for everybody, DATA. If one recipient is refused, nothing is sent: the channel is
   all of them or another one.
2. Delivered is YES only with the server's 250 for the whole mail; it has taken it over, and whether it reaches anybody
   is not known (a bounce comes into the mailbox, as no message). NO only when the mail had not begun to leave, or when
   the server answered 4xx or 5xx. All else is UNKNOWN.
3. Nothing is sent twice: no retries here, and a server does not know mails by their ids.
4. What is answered is read in our own mailbox, by its id: its author, subject and thread, if its people are exactly
   those of the target and our own server proved it. A forger who takes its id changes nothing.
5. To one address at most `most_an_hour` answers are tried within an hour of one run: two machines that do not know each
   other as such stop there (RFC 3834 §2). Nobody's null return path is ever answered: such a mail is no message.
6. Mails of one channel go one after the other.

Output operations are called from `gate/gate.py` only.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections import deque
from collections.abc import Mapping, Sequence
from email.errors import MessageError
from typing import Any, Final
from weakref import WeakValueDictionary

import msgspec

from dragoman.channels.email.addresses import People, domain_of, of_another, people_of
from dragoman.channels.email.facts import PLATFORM, encoded, facts
from dragoman.channels.email.mailbox import Found, Mailbox
from dragoman.channels.email.mime import decoded, read
from dragoman.channels.email.outgoing import OPERATIONS, Answered, message
from dragoman.channels.email.section import SMTP_PORTS, EmailSection
from dragoman.channels.email.state import EmailAgent
from dragoman.clock import HOUR, MINUTE, Clock
from dragoman.errors import DragomanError
from dragoman.gate.event import EventKind
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target, party
from dragoman.words import Fact

_LATER: Final = MINUTE
"""When to come back after a 4xx that names no time (RFC 5321 §4.5.4.1 wants more; the queue behind it has its own)."""
_REMEMBERED: Final = 1_000
"""Threads of which the last answered mail is remembered."""


class EmailChannel:
    """The mailbox of `section`; implements `gate.ports.Channel`.

    Args:
        section: the account.
        agent: who we are.
        password: of both servers.
        trusted: whose certificates are believed; None where both servers are on the loopback in the clear.
        clock: for dates and `retry_at`.
        timeout: seconds that the sending of one mail may take.
    """

    platform: Final = PLATFORM
    operations: Final[Mapping[Operation, OperationSpec]] = OPERATIONS

    def __init__(
        self,
        section: EmailSection,
        agent: EmailAgent,
        password: str,
        trusted: ssl.SSLContext | None,
        *,
        clock: Clock,
        timeout: float = 60.0,
    ) -> None:
        self._section, self._agent, self._clock = section, agent, clock
        self._password, self._trusted, self._timeout = password, trusted, timeout
        self._order: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._written: dict[str, deque[int]] = {}
        self._threads: dict[tuple[str, str | None], Answered] = {}

    async def presence(self, target: Target) -> Presence:
        """Who hears what is said there: the target says it itself."""
        people = self._people(target)
        if people is None:
            return Presence(Fact.UNKNOWN)
        parties = frozenset(party(PLATFORM, self._agent.mailbox, address) for address in people.all)
        return Presence(Fact.YES if of_another(people.all, self._agent.domains) else Fact.NO, parties)

    async def perform(self, output: Output) -> Receipt:
        """Send one mail (spec 1 §6, §7)."""
        people = self._people(output.target)
        if people is None or (refusal := self._refusal(output)):
            return Receipt(delivered=Fact.NO, detail=refusal if people else "not a channel of this mailbox")
        async with self._order.setdefault(output.target.channel, asyncio.Lock()):
            if output.reply_to and (free := self._free_at(people)) > self._clock.now():
                return Receipt(delivered=Fact.NO, detail="too many answers to one address", retry_at=free)
            try:
                answered = await self._answered(output)
            except DragomanError as failed:
                return Receipt(delivered=Fact.NO, detail=f"the mail that is answered cannot be read: {failed.code}")
            if answered is None:
                return Receipt(delivered=Fact.NO, detail="what is answered wants no answer")
            try:
                mail = message(
                    output, people, answered, self._agent, subject=self._section.subject, now=self._clock.now()
                )
                raw = mail.as_bytes()
            except (ValueError, MessageError) as failed:  # half a character, say
                return Receipt(delivered=Fact.NO, detail=f"no mail can say this: {type(failed).__name__}")
            if output.reply_to:
                self._count(people)
            return await self._sent(raw, people, str(mail["Message-ID"]))

    def _people(self, target: Target) -> People | None:
        ours = target.platform == PLATFORM and target.workspace == self._agent.mailbox
        return people_of(target.channel) if ours else None

    def _refusal(self, output: Output) -> str:
        """Why an output cannot be carried out at all, or the empty string."""
        spec = OPERATIONS.get(output.operation)
        if spec is None:
            return "operation not declared"
        if any(count > spec.carries.get(kind, 0) for kind, count in output.parts.counts().items()):
            return "not declared with these parts"
        if not output.parts.files and (output.operation is Operation.UPLOAD or not output.text.strip()):
            return "nothing to send"
        return ""

    # --- what is answered ---------------------------------------------------------------------------------------------

    async def _answered(self, output: Output) -> Answered | None:
        """What is known of the mail that is answered, or None if it wants no answer. What goes on in a thread without
        an answered mail of its own (the later pieces of an answer) goes on where the last answer there stood.

        Raises:
            DragomanError: the mailbox cannot be read now.
        """
        thread = (output.target.channel, output.thread)
        id = next((each for each in (output.reply_to, output.thread) if each and _ids((each,))), "")
        if id != output.reply_to and thread in self._threads:
            return self._threads[thread]
        found = await self._looked_up(id, output) if id else Answered()
        if found is not None and output.thread:
            self._threads[thread] = found
            while len(self._threads) > _REMEMBERED:
                del self._threads[next(iter(self._threads))]
        return found

    async def _looked_up(self, id: str, output: Output) -> Answered | None:
        for found in await asyncio.to_thread(self._heads, id):
            event = self._event_of(found)
            if event.authenticated is not Fact.YES or event.target != output.target or event.event_id != id:
                continue
            if event.kind is not EventKind.MESSAGE:
                return None
            mail = read(found.raw)
            references = mail.one("references").split()[:100] or mail.one("in-reply-to").split()[:1]
            subject = decoded(mail.one("subject")) or self._section.subject
            return Answered(id=id, author=event.author.id, subject=subject, references=_ids(references))
        return Answered(id=id, subject=self._section.subject, references=_ids((output.thread or "",)))

    def _event_of(self, found: Found) -> Any:
        raw = msgspec.json.decode(encoded(found.raw, uid=found.uid, arrived_at=found.arrived_at))
        return facts(raw, self._agent, received_at=found.arrived_at, authenticated=Fact.YES)

    def _heads(self, id: str) -> list[Found]:
        box = Mailbox(self._section, self._password, self._trusted)
        try:
            return box.of_id(id)
        finally:
            box.close()

    # --- the submission server ----------------------------------------------------------------------------------------

    async def _sent(self, mail: bytes, people: People, id: str) -> Receipt:
        begun: list[bool] = []
        held: list[Any] = []
        try:
            async with asyncio.timeout(self._timeout):
                receipt = await self._submitted(mail, people, id, begun, held)
        except TimeoutError:
            receipt = Receipt(delivered=Fact.UNKNOWN if begun else Fact.NO, detail="timeout")
        for client in held:
            if receipt.delivered is Fact.UNKNOWN:
                client.close()
            else:
                await leave(client)
        return receipt

    async def _submitted(self, mail: bytes, people: People, id: str, begun: list[bool], held: list[Any]) -> Receipt:
        smtp = aiosmtplib()
        try:
            client = await self.logged_in()
            held.append(client)
            await client.mail(self._agent.mailbox)
            for address in people.written_to:
                await client.rcpt(address)
            begun.append(True)
            answer = await client.data(mail)
        except smtp.SMTPResponseException as refused:  # an answer in so many words
            later = self._clock.now() + _LATER if 400 <= refused.code < 500 else None
            delivered = Fact.NO if refused.code >= 400 else Fact.UNKNOWN
            return Receipt(delivered=delivered, detail=f"answered {refused.code}", retry_at=later)
        except (smtp.SMTPException, OSError, ValueError) as failed:
            return Receipt(delivered=Fact.UNKNOWN if begun else Fact.NO, detail=type(failed).__name__)
        return Receipt(delivered=Fact.YES, evidence=id, detail=f"{answer.code} {answer.message}"[:200])

    async def logged_in(self) -> Any:
        """A connection on which a mail may be begun; raises what aiosmtplib raises."""
        section = self._section
        client = aiosmtplib().SMTP(
            hostname=section.smtp_host,
            port=section.smtp_port or SMTP_PORTS[section.smtp_security],
            local_hostname=domain_of(self._agent.mailbox),
            use_tls=section.smtp_security == "tls",
            start_tls=section.smtp_security == "starttls",
            tls_context=None if section.smtp_security == "none" else self._trusted,
            timeout=self._timeout,
        )
        try:
            await client.connect()
            await client.login(section.login, self._password)
        except BaseException:
            client.close()
            raise
        return client

    def _free_at(self, people: People) -> int:
        """When the next answer may go to each of these, epoch ms."""
        most, now, free = self._section.most_an_hour, self._clock.now(), 0
        for address in people.written_to:
            times = self._written.get(address, deque())
            while times and times[0] <= now - HOUR:
                times.popleft()
            if not times:
                self._written.pop(address, None)
            elif len(times) >= most:
                free = max(free, times[len(times) - most] + HOUR)
        return free

    def _count(self, people: People) -> None:
        for address in people.written_to:
            self._written.setdefault(address, deque()).append(self._clock.now())


def _ids(words: Sequence[str]) -> tuple[str, ...]:
    """The message ids among these words that may stand in a header of ours."""
    return tuple(word for word in words if word[:1] == "<" and word[-1:] == ">" and word.isascii() and len(word) <= 400)


async def leave(client: Any) -> None:
    """Say good-bye, briefly; what was answered before stands."""
    with contextlib.suppress(aiosmtplib().SMTPException, OSError, TimeoutError):
        async with asyncio.timeout(1):
            await client.quit()
    client.close()


def aiosmtplib() -> Any:
    """The SDK.

    Raises:
        DragomanError: `extra_missing`.
    """
    try:
        import aiosmtplib as found
    except ImportError as missing:
        raise DragomanError(
            "extra_missing", str(missing), where="email", fix="install it with `pip install 'dragoman[mail]'`"
        ) from missing
    return found
