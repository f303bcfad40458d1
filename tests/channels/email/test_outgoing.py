"""The mail of an output: exactly its people, a subject of one line, a text as it was said, whatever they are."""

from __future__ import annotations

from email import message_from_bytes, policy
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.channels.email.addresses import People, canonical
from dragoman.channels.email.mime import decoded
from dragoman.channels.email.outgoing import Answered, again, message
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output
from dragoman.identity import Target
from dragoman.testing.by_hand import START
from tests.channels.email.mails import ME

LOCAL: Final = st.from_regex(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,12}(\.[a-z=?_]{1,6}){0,2}", fullmatch=True)
ADDRESSES: Final = LOCAL.map(lambda local: canonical(f"{local}@x.example")).filter(bool)
TEXTS: Final = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
)


def mail_of(people: People, answered: Answered, text: str = "yes") -> Any:
    """The mail as it arrives."""
    output = Output(operation=Operation.SEND, target=Target("email", ME.mailbox, "x"), key="k", text=text)
    made = message(output, people, answered, ME, subject="A message", now=START)
    return message_from_bytes(made.as_bytes(), policy=policy.default)


@settings(max_examples=150, deadline=None)
@given(st.lists(ADDRESSES, min_size=1, max_size=4, unique=True), st.integers(0, 3))
def test_exactly_its_people(addresses: list[str], author: int) -> None:
    """In the headers stand exactly the people of the channel, each once, the author first."""
    wrote = addresses[author % len(addresses)]
    mail = mail_of(People(tuple(addresses), ("trap@x.example",)), Answered(id="<1@x>", author=wrote))
    found = [each.addr_spec for name in ("To", "Cc") if mail[name] for each in mail[name].addresses]
    assert (wrote, sorted(addresses)) == (found[0], sorted(found))


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300))
def test_a_subject_adds_no_header(subject: str) -> None:
    """Whatever the subject was: one line with `Re:` once, and no header that was not ours."""
    words = decoded(subject)
    mail = mail_of(People(("a@x.example",)), Answered(id="<1@x>", author="a@x.example", subject=words))
    ours = {"From", "To", "Subject", "Date", "Message-ID", "In-Reply-To", "References", "Auto-Submitted"}
    ours |= {"X-Auto-Response-Suppress", "X-Dragoman", "Content-Type", "Content-Transfer-Encoding", "MIME-Version"}
    assert ours == set(mail.keys())
    assert again(words).lower().startswith("re:")
    assert again(again(words)) == again(words)


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_a_text_is_itself(text: str) -> None:
    """Any text arrives as it was said; a line ends as lines of mails do."""
    mail = mail_of(People(("a@x.example",)), Answered(), text or "x")
    assert (text or "x") == mail.get_content().replace("\r\n", "\n").removesuffix("\n") or text.endswith("\n")


@pytest.mark.parametrize("references", [0, 1, 12, 100])
def test_a_thread_stays_short(references: int) -> None:
    """The root, the newest, and what is answered."""
    ids = tuple(f"<{number}@x.example>" for number in range(references))
    mail = mail_of(People(("a@x.example",)), Answered(id="<last@x.example>", references=ids))
    found = mail["References"].split()
    assert ([*ids[:1], "<last@x.example>"][0], "<last@x.example>") == (found[0], found[-1])
    assert len(found) <= 12
