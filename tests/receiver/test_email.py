"""The same life by e-mail: the receiver as a process, between a real Postfix and a real Dovecot."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from email.message import EmailMessage

import pytest

from tests.channels.email.servers import PASSWORD, Servers, servers
from tests.receiver.world import World, until

pytestmark = [pytest.mark.slow, pytest.mark.platforms, pytest.mark.timeout(120)]

POLICY = """
version = 1

[[targets]]
platform = "email"
workspace = "{desk}"
channel = "{channel}"
audience = "external"
"""
LATER = "+60"
"""Seconds by which the clock of a second run is ahead: a copy that is not there by then will never be."""


@pytest.fixture(scope="module")
def mail() -> Iterator[Servers]:
    """One Postfix and one Dovecot for the module."""
    with servers() as running:
        yield running


class Desk:
    """A receiver with one mailbox, and a buyer who writes to it with a colleague in copy."""

    def __init__(self, world: World, mail: Servers, name: str) -> None:
        self.world, self.mail = world, mail
        self.desk, self.buyer = f"desk-{name}@desk.example", f"buyer-{name}@shop.example"
        self.colleague = f"jordan-{name}@other.example"
        policy = POLICY.format(desk=self.desk, channel=f"{self.buyer},{self.colleague}")
        (world.folder / "policy.toml").write_text(policy)
        account = mail.section(self.desk, world.folder)
        world.write(hub=None, autonomy=None, policy="policy.toml", channels={"email": account})

    def writes(self, text: str, *, to_us: bool = True, signed: str = "shop.example") -> None:
        """The buyer writes."""
        wrote = EmailMessage()
        wrote["From"], wrote["Subject"] = f"Buyer <{self.buyer}>", "Monday"
        wrote["Message-ID"] = f"<{abs(hash((text, self.buyer)))}@shop.example>"
        wrote["To"], wrote["Cc"] = (self.desk, self.colleague) if to_us else (self.colleague, self.desk)
        wrote.set_content(f"{text}\n\n-- \nBuyer\n")
        self.mail.people_send(wrote, self.desk, self.colleague, sender=self.buyer, signed=signed)

    def answers(self) -> list[EmailMessage]:
        """The mails of ours in the buyer's mailbox."""
        return [each for each in self.mail.mails(self.buyer) if each["From"] == self.desk]

    def said(self) -> list[str]:
        """Their texts."""
        return [str(each.get_content()).strip() for each in self.answers()]

    def reads(self) -> bool:
        """Whether the receiver knows from where on it reads."""
        if not (self.world.folder / "state" / "ledger.db").exists():
            return False
        books = self.world.books()
        try:
            return books.cycles.position(f"email:{self.desk}") is not None
        finally:
            books.close()

    def ends(self, running: subprocess.Popen[str]) -> None:
        """The receiver ends when it is asked to."""
        running.terminate()
        out, err = running.communicate(timeout=60)
        assert running.returncode == 0, out + err


def test_who_writes_to_us_is_answered_and_copies_are_not(world: World, mail: Servers) -> None:
    """What came before is history; a copy, and a mail that nobody proves, are left alone; a mail to us is answered once
    and to exactly its people, in its thread, as a machine's. The secrets stand in their own files and nowhere else."""
    desk = Desk(world, mail, "plain")
    desk.writes("Are you there already?")
    mail.settle()
    running = world.running()
    assert until(desk.reads, 30)
    desk.writes("Did you see the game?", to_us=False)
    desk.writes("Send me your prices", signed="")
    desk.writes("Can you come on Monday?")

    assert until(lambda: desk.said() == ["Yes, we can meet."], 30)
    assert until(lambda: world.stands()["messages"].get("done") == 1, 30)
    desk.ends(running)
    (answer,) = desk.answers()
    expected = {"To": desk.buyer, "Cc": desk.colleague, "Subject": "Re: Monday", "Auto-Submitted": "auto-replied"}
    expected |= {"X-Auto-Response-Suppress": "All", "X-Dragoman": "send"}
    assert expected == {name: str(answer[name]) for name in expected}
    assert answer["In-Reply-To"] == answer["References"] != ""
    (call,) = world.calls()
    assert "Can you come on Monday?\n\n--\nBuyer" == call["messages"][-1]["text"].replace("-- \n", "--\n")
    assert 1 == mail.submissions(desk.desk)
    secrets = [PASSWORD.encode(), json.dumps(PASSWORD).encode(), b"0123456789abcdef-of-the-tests"]
    kept = [path for path in world.folder.rglob("*") if path.is_file() and path.suffix not in (".password", ".key")]
    assert [] == [path.name for path in kept if any(secret in path.read_bytes() for secret in secrets)]


def test_killed_when_it_was_taken(world: World, mail: Servers) -> None:
    """Killed between the server's answer and the ledger: its own copy proves the send, and nothing is sent again."""
    desk = Desk(world, mail, "posted")
    killed = world.start("posted", "run", entry="tests.crash.receiver_at")
    assert until(desk.reads, 30)
    desk.writes("Can you come on Monday?")
    killed.communicate(timeout=60)
    assert killed.returncode == -9

    again = world.running()
    assert until(lambda: world.stands()["messages"].get("done") == 1, 40)
    desk.ends(again)
    assert (["Yes, we can meet."], 1, 1) == (desk.said(), len(world.calls()), mail.submissions(desk.desk))


def test_killed_before_it_left(world: World, mail: Servers) -> None:
    """Killed before the server was asked: nothing proves what became of it; it is not said, and the owner is told."""
    desk = Desk(world, mail, "sending")
    killed = world.start("sending", "run", entry="tests.crash.receiver_at")
    assert until(desk.reads, 30)
    desk.writes("Can you come on Monday?")
    killed.communicate(timeout=60)
    assert killed.returncode == -9

    again = world.start(f"sent{LATER}", "run", entry="tests.crash.receiver_at")
    assert until(lambda: [told["milestone"] for told in world.told()] == ["decision_needed"], 40)
    assert "It cannot be proven" in world.told()[0]["summary"]
    desk.ends(again)
    assert ([], 1, 0) == (desk.said(), len(world.calls()), mail.submissions(desk.desk))


OFFICE = """
[[targets]]
platform = "email"
workspace = "{desk}"
channel = "{owner}"
audience = "operator"

[[operators]]
platform = "email"
workspace = "{desk}"
id = "{owner}"
"""


def test_the_owner_is_told_and_approves_by_mail(world: World, mail: Servers) -> None:
    """A price waits; the owner reads of it in a mailbox, and one word from there, proven by our own server, lets it go.
    The same word in a mail that nobody proves, or from the buyer, does nothing."""
    desk = Desk(world, mail, "office")
    owner = "oper-office@desk.example"
    policy = (world.folder / "policy.toml").read_text().replace("version = 1", 'version = 1\ncommand_prefixes = ["/"]')
    (world.folder / "policy.toml").write_text(policy + OFFICE.format(desk=desk.desk, owner=owner))
    account = mail.section(desk.desk, world.folder)
    notifier = {"channel": {"target": f"email/{desk.desk}/{owner}"}, "timeout_seconds": 20}
    world.write(hub=None, autonomy=None, policy="policy.toml", channels={"email": account}, notifier=notifier)
    world.answers("It costs 40 EUR.")

    def says(text: str, sender: str, signed: str) -> None:
        wrote = EmailMessage()
        wrote["From"], wrote["To"], wrote["Subject"] = sender, desk.desk, "Re: A message"
        wrote["Message-ID"] = f"<{abs(hash((text, sender, signed)))}@people.example>"
        wrote.set_content(f"{text}\n\nOn Monday, Desk <{desk.desk}> wrote:\n> Your decision is needed\n")
        mail.people_send(wrote, desk.desk, sender=sender, signed=signed)

    running = world.running()
    assert until(desk.reads, 30)
    desk.writes("What does it cost?")
    assert until(lambda: any("decision" in str(each.get_content()) for each in mail.mails(owner)), 30)
    books = world.books()
    (draft,) = books.approvals.listed()
    books.close()
    says(f"/approve {draft.id}", owner, "")
    says(f"/approve {draft.id}", desk.buyer, "shop.example")
    mail.settle()
    assert [] == desk.said()
    says(f"/approve {draft.id}", owner, "desk.example")

    assert until(lambda: desk.said() == ["It costs 40 EUR."], 30)
    desk.ends(running)
    assert {desk.desk} == {str(each["From"]) for each in mail.mails(owner)}
