"""The account at its edges, on a real Postfix and Dovecot: log-ins, TLS, restarts, who gets an answer, lost answers."""

from __future__ import annotations

import asyncio
import itertools
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from dragoman.channels.account import Place, Proof
from dragoman.channels.email.account import SETTLES, EmailAccount
from dragoman.channels.email.section import EmailSection
from dragoman.channels.email.state import message_id
from dragoman.clock import HOUR, SystemClock
from dragoman.errors import DragomanError
from dragoman.gate.event import Event, EventKind, ReplyTo
from dragoman.gate.operations import Operation
from dragoman.gate.parts import Button, File, Parts
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Party, Target
from dragoman.words import Fact
from tests.channels.email.road import Road
from tests.channels.email.servers import Servers, place

pytestmark = [pytest.mark.platforms, pytest.mark.slow]
_NUMBER: Final = itertools.count(1)


class Desk:
    """A mailbox of ours, and mails of a buyer to it."""

    def __init__(self, mail: Servers, folder: Path, given: Place | None = None, **changed: Any) -> None:
        number = next(_NUMBER)
        self.mail, self.desk, self.buyer = mail, f"edge{number}@desk.example", f"kim{number}@shop.example"
        self.given = mail.section(self.desk, folder, **changed)
        self.account = EmailAccount(msgspec.convert(self.given, EmailSection), given or place(folder), timeout=2.0)

    def gets(self, text: str = "the list?", *, signed: str = "shop.example", **headers: str) -> str:
        """A mail comes; its message id."""
        came = EmailMessage()
        said = {"From": self.buyer, "To": self.desk, "Subject": "List", "Message-ID": f"<{next(_NUMBER)}@shop.example>"}
        for name, value in (said | {name.replace("_", "-"): value for name, value in headers.items()}).items():
            came[name] = value
        came.set_content(text)
        self.mail.people_send(came, self.desk, sender=self.buyer, signed=signed)
        self.mail.settle()
        return str(came["Message-ID"])

    def target(self, *people: str) -> Target:
        """The channel of these people, or of the buyer."""
        return Target("email", self.desk, ",".join(sorted(people or (self.buyer,))))

    async def says(self, key: str, reply_to: str | None = None, target: Target | None = None, **more: Any) -> Receipt:
        """We say something."""
        output = Output(
            operation=Operation.SEND, target=target or self.target(), key=key, text="Yes.", reply_to=reply_to
        )
        return await self.account.perform(msgspec.structs.replace(output, **more))

    async def read(self, since: str | None, most: int = 1) -> tuple[list[Event], str]:
        """The events after a position, and the position after them."""
        found: list[Event] = []
        position = since or ""
        async with asyncio.timeout(45), aclosing(self.account.events(since)) as stream:
            async for batch in stream:
                position = batch.position
                found += [self.account.event(each.raw, each.received_at) for each in batch.arrivals]
                if since is None or len(found) >= most:
                    break
        return found, position


@contextmanager
def files() -> Iterator[Path]:
    """A folder for private files."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@asynccontextmanager
async def at_desk(mail: Servers, **changed: Any) -> AsyncIterator[Desk]:
    """A desk of its own."""
    with files() as folder:
        found = Desk(mail, folder, **changed)
        yield found
        await found.account.close()


# --- log-ins ----------------------------------------------------------------------------------------------------------


@pytest.mark.anyio
@pytest.mark.parametrize("security", ["tls", "starttls"])
async def test_tls_is_checked(mail: Servers, security: str) -> None:
    """With the server's certificate trusted both log-ins work; with the system's certificates neither is tried."""
    imap = "imaps" if security == "tls" else "imap"
    secure = {"imap_host": "localhost", "smtp_host": "localhost", "smtp_security": "starttls"}
    secure |= {"imap_security": security, "imap_port": mail.ports[imap]}
    async with at_desk(mail, **secure, ca_file=str(mail.ca_file)) as trusting:
        await trusting.account.open()
        sent = await trusting.says("tls")
        assert Fact.YES is sent.delivered
    async with at_desk(mail, **secure) as doubting:
        with pytest.raises(DragomanError) as refused:
            await doubting.account.open()
        unsent = await doubting.says("doubt")
    assert ("channel_unreachable", Fact.NO) == (refused.value.code, unsent.delivered)


@pytest.mark.anyio
async def test_a_wrong_password_is_refused(mail: Servers) -> None:
    """At the log-in, and by a stream that has run; a server that is not there is only unreachable."""
    with files() as folder:
        desk = Desk(mail, folder)
        (folder / "mail.password").write_text("another-password")
        wrong = EmailAccount(msgspec.convert(desk.given, EmailSection), place(folder))
        nowhere = EmailAccount(msgspec.convert({**desk.given, "imap_port": 9}, EmailSection), place(folder))
        codes = []
        for each in (wrong.open(), anext(wrong.events("1:1")), nowhere.open()):
            with pytest.raises(DragomanError) as failed:
                await each
            codes.append(failed.value.code)
    assert ["channel_refused", "channel_refused", "channel_unreachable"] == codes


def test_secrets_are_private_and_long(mail: Servers) -> None:
    """A key that is short, and a file that others may read, are refused before anything is said."""
    with files() as folder:
        given = msgspec.convert(mail.section("a@desk.example", folder), EmailSection)
        codes = []
        (folder / "mail.key").write_text("short")
        with pytest.raises(DragomanError) as short:
            EmailAccount(given, place(folder))
        (folder / "mail.password").chmod(0o644)
        (folder / "mail.key").write_text("x" * 32)
        with pytest.raises(DragomanError) as readable:
            EmailAccount(given, place(folder))
        codes = [short.value.code, readable.value.code]
    assert ["config_invalid", "config_not_private"] == codes


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"imap_host": "mail.example"}, "clear"),
        ({"smtp_host": "mail.example"}, "clear"),
        ({"mailbox": "desk@Desk.example"}, "lower case"),
        ({"mailbox": "desk"}, "name@domain"),
        ({"aliases": ["x"]}, "address"),
        ({"own_domains": ["not a domain"]}, "domain"),
        ({"authserv_id": "a;b"}, "authserv_id"),
        ({"imap_port": 0}, "imap_port"),
        ({"password": "x"}, "password"),
    ],
)
def test_a_section_says_what_is_wrong(changed: dict[str, Any], word: str) -> None:
    """Nothing travels in the clear beyond the loopback, and every address is exact."""
    plain = {
        "mailbox": "desk@desk.example",
        "imap_host": "127.0.0.1",
        "imap_security": "none",
        "smtp_host": "127.0.0.1",
        "smtp_security": "none",
        "password_file": "p",
        "key_file": "k",
        "authserv_id": "mx",
    }
    assert msgspec.convert(plain, EmailSection).serves("desk@desk.example")
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.convert(plain | changed, EmailSection)
    assert word in str(refused.value)


# --- in ---------------------------------------------------------------------------------------------------------------


@pytest.mark.anyio
async def test_reading_goes_on_where_it_stood(mail: Servers) -> None:
    """The first time what is there is history; later everything since comes, once, in order; nothing is marked seen."""
    async with at_desk(mail) as desk:
        desk.gets("before")
        _, begun = await desk.read(None)
        for text in ("one", "two", "three"):
            desk.gets(text)
        first, position = await desk.read(begun, 3)
        desk.gets("four")
        second, _ = await desk.read(position)
        flags = mail.doveadm("fetch", "-u", desk.desk, "flags", "mailbox", "INBOX", "all")
    assert (["one", "two", "three"], ["four"]) == ([e.text for e in first], [e.text for e in second])
    assert "Seen" not in flags


@pytest.mark.anyio
async def test_a_mailbox_made_anew_is_read_again(mail: Servers) -> None:
    """Another validity: what came lately is read again, under the same keys, and the owner is told."""
    told: list[DragomanError] = []
    with files() as folder:
        desk = Desk(mail, folder, given=msgspec.structs.replace(place(folder), report=told.append))
        _, begun = await desk.read(None)
        desk.gets("one")
        before, position = await desk.read(begun)
        again, new = await desk.read(f"1:{position.partition(':')[2]}")
        assert [each.dedupe_key for each in before] == [each.dedupe_key for each in again]
        assert (position, 1) == (new, len(told))


@pytest.mark.anyio
async def test_an_outage_is_waited_out(mail: Servers) -> None:
    """The server cuts the connection while we wait for news: the next mail comes all the same."""
    async with at_desk(mail) as desk:
        _, begun = await desk.read(None)
        reading = asyncio.ensure_future(desk.read(begun))
        await asyncio.sleep(0.7)
        await asyncio.to_thread(mail.doveadm, "kick", desk.desk)
        await asyncio.to_thread(desk.gets, "after")
        found, _ = await reading
    assert ["after"] == [each.text for each in found]


@pytest.mark.anyio
async def test_news_behind_an_answer_is_news(mail: Servers) -> None:
    """A mail of which the server tells only behind its answer to our question: it does not tell again, so nobody
    waits for that."""
    async with at_desk(mail) as desk:
        box = desk.account._opened()
        assert ([], 0) == box.after(0, 5)
        desk.gets("while we ask")
        assert ([], 0) == box.after(0, 5), "this server tells it before; the case is not there any more"
        box.wait(lambda: pytest.fail("it was waited for"))
        found, uid = box.after(0, 5)
        box.close()
    assert (1, 1) == (len(found), uid)


@pytest.mark.anyio
async def test_a_bounce_is_no_message(mail: Servers) -> None:
    """What the server sends back itself, with its empty return path, is never answered."""
    async with at_desk(mail) as desk:
        _, begun = await desk.read(None)
        report = EmailMessage()
        report["From"], report["To"], report["Subject"] = "MAILER-DAEMON@shop.example", desk.desk, "Undelivered"
        report.set_content("It could not be delivered.")
        report["Auto-Submitted"] = "auto-replied"
        mail.people_send(report, desk.desk, sender="", signed="shop.example")
        (found,), _ = await desk.read(begun)
    assert (EventKind.OTHER, Fact.YES) == (found.kind, found.authenticated)


# --- out --------------------------------------------------------------------------------------------------------------


@pytest.mark.anyio
async def test_an_answer_goes_to_exactly_its_people(mail: Servers) -> None:
    """To who wrote, in copy to the others, in the thread; a different Reply-To is another channel and gets nothing."""
    async with at_desk(mail) as desk:
        jordan, trap = f"jordan.{desk.desk[:6]}@other.example", f"trap.{desk.desk[:6]}@partner.example"
        id = desk.gets(
            Cc=jordan, References="<root@shop.example> <mid@shop.example>", Subject="=?utf-8?q?Gr=C3=BC=C3=9Fe?="
        )
        receipt = await desk.says("k1", id, desk.target(desk.buyer, jordan), thread="<root@shop.example>")
        (answer,) = mail.mails(jordan)
        moved = desk.gets(Reply_To=trap)
        channel = f"{desk.buyer},reply-to:{trap}"
        elsewhere = await desk.says("k2", moved, Target("email", desk.desk, channel))
        assert (Fact.YES, []) == (elsewhere.delivered, mail.mails(trap))
    told = {name: " ".join(str(answer[name]).split()) for name in ("To", "Cc", "Subject", "In-Reply-To", "References")}
    assert told == {
        "To": desk.buyer,
        "Cc": jordan,
        "Subject": "Re: Grüße",
        "In-Reply-To": id,
        "References": f"<root@shop.example> <mid@shop.example> {id}",
    }
    assert message_id("k1", desk.account._agent) == receipt.evidence == str(answer["Message-ID"]).strip()
    said = {name: answer[name] for name in ("Auto-Submitted", "X-Auto-Response-Suppress", "X-Dragoman", "From")}
    assert said == {
        "Auto-Submitted": "auto-replied",
        "X-Auto-Response-Suppress": "All",
        "X-Dragoman": "send",
        "From": desk.desk,
    }


@pytest.mark.anyio
async def test_an_answer_to_our_answer_is_known(mail: Servers) -> None:
    """The buyer answers our mail in a group: a reply to the agent, whatever `To` says."""
    async with at_desk(mail) as desk:
        jordan = f"j.{desk.desk[:6]}@other.example"
        first = await desk.says("k1", target=desk.target(desk.buyer, jordan))
        _, begun = await desk.read(None)
        desk.gets(To=jordan, Cc=desk.desk, In_Reply_To=first.evidence)
        (found,), _ = await desk.read(begun)
    assert (ReplyTo.AGENT, Fact.NO) == (found.reply_to, found.mentions_agent)


@pytest.mark.anyio
async def test_an_answer_in_pieces_stays_in_its_thread(mail: Servers) -> None:
    """Later pieces answer no mail of their own: they stand where the first stood; in a thread of which nothing was
    answered yet, under its first mail; and outside of one, alone."""
    async with at_desk(mail) as desk:
        root = desk.gets(Subject="Dates")
        id = desk.gets(Subject="More dates", References=root, In_Reply_To=root)
        for key, reply_to, thread in (("k0", None, root), ("k1", id, root), ("k2", None, root), ("k3", None, None)):
            await desk.says(key, reply_to, thread=thread)
        found = [(each["Subject"], each["In-Reply-To"], each["Auto-Submitted"]) for each in mail.mails(desk.buyer)]
    first, more = ("Re: Dates", root, "auto-replied"), ("Re: More dates", id, "auto-replied")
    assert [first, more, more, ("A message", None, "auto-generated")] == found


@pytest.mark.anyio
async def test_a_forger_changes_nothing(mail: Servers) -> None:
    """A later mail under the same message id, unproven or of other people, gives an answer neither its subject nor
    its people; and a mail that is gone is answered under the plain subject."""
    async with at_desk(mail) as desk:
        id = desk.gets(Subject="Dates")
        desk.gets(Message_ID=id, Subject="Pay here", signed="")
        desk.gets(Message_ID=id, Subject="Pay there", Cc="x@partner.example")
        first = await desk.says("k1", id)
        mail.doveadm("expunge", "-u", desk.desk, "mailbox", "INBOX", "all")
        second = await desk.says("k2", id)
        subjects = [each["Subject"] for each in mail.mails(desk.buyer)]
    assert ([Fact.YES] * 2, ["Re: Dates", "Re: A message"]) == ([first.delivered, second.delivered], subjects)


@pytest.mark.anyio
async def test_what_wants_no_answer_gets_none(mail: Servers) -> None:
    """Even asked to, nothing answers a null return path."""
    async with at_desk(mail) as desk:
        came = EmailMessage()
        came["From"], came["To"], came["Message-ID"] = desk.buyer, desk.desk, "<null@shop.example>"
        came.set_content("out of office")
        mail.people_send(came, desk.desk, sender="", signed="shop.example")
        mail.settle()
        receipt = await desk.says("k1", "<null@shop.example>")
    assert (Fact.NO, []) == (receipt.delivered, mail.mails(desk.buyer))


@pytest.mark.anyio
async def test_a_loop_ends(mail: Servers) -> None:
    """After so many answers to one address within an hour none goes there, and it is said when it will; what answers
    nothing, such as a notice to the owner, has its own grant and goes."""
    async with at_desk(mail, most_an_hour=2) as desk:
        now, id = SystemClock().now(), desk.gets()
        receipts = [await desk.says(f"k{number}", id) for number in range(3)]
        other = await desk.says("k9")
        assert [Fact.YES, Fact.YES, Fact.NO] == [each.delivered for each in receipts]
        assert HOUR - 1 <= (receipts[2].retry_at or 0) - now <= HOUR + 10_000
        assert (Fact.YES, 3) == (other.delivered, len(mail.mails(desk.buyer)))


@pytest.mark.anyio
async def test_all_or_nobody(mail: Servers) -> None:
    """One recipient is refused: the others get nothing either."""
    async with at_desk(mail) as desk:
        receipt = await desk.says("k1", target=desk.target(desk.buyer, "x@nowhere.test"))
        assert (Fact.NO, None, []) == (receipt.delivered, receipt.retry_at, mail.mails(desk.buyer))


@pytest.mark.anyio
async def test_what_is_refused_before_it_leaves(mail: Servers) -> None:
    """Nothing to say, too many kinds of parts, no file, no channel: a no, and nobody is asked."""
    file = File(name="a.txt", content=b"a")
    async with at_desk(mail) as desk:
        refused = [
            await desk.says("k1", text=" "),
            await desk.says("k2", parts=Parts(buttons=(Button(label="x"),))),
            await desk.says("k3", operation=Operation.UPLOAD),
            await desk.says("k4", parts=Parts(files=(file,) * 11)),
            await desk.says("k5", target=Target("email", desk.desk, "Kim@SHOP.example")),
            await desk.says("k6", target=Target("email", desk.desk, f"reply-to:{desk.buyer}")),
            await desk.says("k7", text="half a character: \ud83d"),
        ]
        assert [Fact.NO] * 7 == [each.delivered for each in refused]
        assert 0 == mail.submissions(desk.desk)


@pytest.mark.anyio
async def test_a_file_says_what_it_is(mail: Servers) -> None:
    """Names of any script, kinds that mail keeps for itself, and captions arrive."""
    sent = (
        File(name="Größe 尺寸.csv", content=b"a;b\r\n", media_type="text/csv", caption="Sizes"),
        File(name="m.eml", content=b"Subject: x\r\n\r\ny", media_type="message/rfc822", alt="a mail"),
    )
    async with at_desk(mail) as desk:
        await desk.says("k1", operation=Operation.UPLOAD, text="", parts=Parts(files=sent))
        (came,) = mail.mails(desk.buyer)
    body = came.get_body(("plain",))
    parts = [
        (part.get_filename(), part.get_payload(decode=True), part.get_content_type())
        for part in came.iter_attachments()
    ]
    assert body is not None
    assert "Sizes\na mail" == str(body.get_content()).replace("\r\n", "\n").strip()
    assert parts == [
        ("Größe 尺寸.csv", b"a;b\r\n", "text/csv"),
        ("m.eml", b"Subject: x\r\n\r\ny", "application/octet-stream"),
    ]


@pytest.mark.anyio
async def test_a_lost_answer_is_looked_up(mail: Servers) -> None:
    """The server's own copy proves it; another key's absence proves nothing, at first not yet, then for ever; without
    such a folder, or with one that is not there, nothing ever will."""
    road = Road(mail.ports["submission"])
    async with at_desk(mail, smtp_port=road.port) as desk:
        road.trouble, now = "deaf", SystemClock().now()
        lost = await desk.says("k1")
        mail.settle()
        proofs = [await desk.account.look_up(desk.target(), key, at) for key, at in (("k1", 0), ("k2", now), ("k2", 0))]
    async with at_desk(mail, copies_folder=None) as without, at_desk(mail, copies_folder="None such") as wrong:
        proofs += [await each.account.look_up(each.target(), "k1", now) for each in (without, wrong)]
    road.end()
    own = message_id("k1", desk.account._agent)
    assert Fact.UNKNOWN is lost.delivered
    unknown, gone = Proof(Fact.UNKNOWN), Proof(Fact.UNKNOWN, gone=True)
    assert [Proof(Fact.YES, own), unknown, gone, gone, gone] == proofs
    assert SETTLES < 60_000


@pytest.mark.anyio
async def test_who_is_there(mail: Servers) -> None:
    """A channel says itself who hears it; a channel that is none is unknown."""
    async with at_desk(mail) as desk:
        found = [
            await desk.account.presence(Target("email", desk.desk, channel))
            for channel in ("lee@desk.example", "kim@shop.example,reply-to:x@other.example", "nobody")
        ]
    named = [frozenset(Party("email", desk.desk, id) for id in ids) for ids in (["lee@desk.example"],)]
    both = frozenset(Party("email", desk.desk, id) for id in ("kim@shop.example", "x@other.example"))
    assert [Presence(Fact.NO, named[0]), Presence(Fact.YES, both), Presence(Fact.UNKNOWN)] == found
