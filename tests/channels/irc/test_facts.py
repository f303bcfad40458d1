"""What an IRC line says, as a table: each fact as it is, missing, malformed and forged. No server here."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.channels.irc.facts import facts
from dragoman.channels.irc.line import Line, folded, parsed
from dragoman.channels.irc.live import live_text
from dragoman.channels.irc.outgoing import MOST_LINES, TEXT_BYTES, lines, unsayable
from dragoman.channels.irc.state import IrcAgent, IrcPlace, Member
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.testing.judged import judged
from dragoman.words import Fact, Outcome

ME: Final = IrcAgent(network="HomeTest", account="desk", bots=frozenset({"crier"}), colleagues=frozenset({"oper"}))
PEOPLE: Final = (
    Member(nick="desk[1]", account="desk"),
    Member(nick="Kim", account="kim"),
    Member(nick="jo", account="jo"),
)
PLACE: Final = IrcPlace(nick="desk[1]", members=PEOPLE, authors={"ours": "desk", "jos": "jo"}, serial="s1")
OURS: Final = tuple(msgspec.structs.replace(each, account="oper") for each in PEOPLE)


def line(
    text: str = "closing list B", *, tags: str = "msgid=m1;account=kim", target: str = "#Hall", **more: str
) -> dict[str, Any]:
    """A message of Kim's in the channel."""
    told = {"source": "Kim!u@h", "command": "PRIVMSG", **more}
    return {"line": f"@{tags} :{told['source']} {told['command']} {target} :{text}"}


def read(raw: Any, place: IrcPlace | None = PLACE, agent: IrcAgent = ME) -> Event:
    """The facts of one line."""
    return facts(raw, agent, place, received_at=1_790_000_000_000, authenticated=Fact.YES)


ASKS: Final = {"mentions_agent": Fact.YES, "mentions_other": Fact.NO}
NOT: Final = {"mentions_agent": Fact.NO}
TABLE: Final[list[tuple[str, dict[str, Any], dict[str, Any]]]] = [
    # a mention is our nick at the very start, by the network's own comparison
    ("by nick", line("desk[1]: hello"), ASKS | {"text": "hello"}),
    ("with a comma", line("desk[1], hello"), ASKS),
    ("alone", line("desk[1]:"), ASKS | {"text": ""}),
    ("in another case", line("DESK{1}: hello"), ASKS),
    ("in bold", line("\x02desk[1]\x02: hello"), ASKS | {"text": "hello"}),
    ("in the middle", line("hello desk[1]: you"), NOT),
    ("a longer name", line("desk[1]s: hello"), NOT),
    ("without a space", line("desk[1]:hello"), NOT),
    ("a look-alike", line("dеsk[1]: hello"), NOT),
    ("quoted", line("> desk[1]: hello"), NOT | {"text": ""}),
    ("at-sign", line("@desk[1] hello"), NOT),
    ("in code", line("`desk[1]: hello`"), NOT),
    ("of another", line("jo: hello"), NOT | {"mentions_other": Fact.YES}),
    ("of nobody who is here", line("pat: hello"), NOT | {"mentions_other": Fact.NO}),
    ("in an action", line("\x01ACTION desk[1]: waves\x01"), NOT | {"text": "desk[1]: waves"}),
    # a command is directed when it follows our nick
    ("to us", line("desk[1]: /stop now"), {"command": Command("stop", "now", Fact.YES)}),
    ("to nobody", line("!stop"), {"command": None}),
    # who wrote it: the server's tag alone
    ("no account", line(tags="msgid=m1"), {"author_kind": AuthorKind.UNKNOWN}),
    ("an account that a client claims", line(tags="msgid=m1;+account=oper"), {"author_kind": AuthorKind.UNKNOWN}),
    ("a service", line(tags="msgid=m1;account=!service"), {"author_kind": AuthorKind.UNKNOWN}),
    ("no login", line(tags="msgid=m1;account=*"), {"author_kind": AuthorKind.UNKNOWN}),
    ("a server", line(source="irc.home.test"), {"kind": EventKind.OTHER, "author_kind": AuthorKind.UNKNOWN}),
    ("padded", line(tags="msgid=m1;account=\\skim"), {"malformed": ("account",)}),
    ("ourselves", line(tags="msgid=m1;account=desk", source="desk[1]!u@h"), {"author_kind": AuthorKind.SELF}),
    ("our account elsewhere", line(tags="msgid=m1;account=desk"), {"author_kind": AuthorKind.SELF}),
    ("a bot by its tag", line(tags="bot;msgid=m1;account=kim"), {"author_kind": AuthorKind.BOT}),
    ("a bot by our list", line(tags="msgid=m1;account=crier"), {"author_kind": AuthorKind.BOT}),
    ("a bot by its own word", line(tags="+bot;msgid=m1;account=kim"), {"author_kind": AuthorKind.HUMAN}),
    # where
    ("a channel", line(), {"chat": ChatKind.GROUP, "shared": Fact.YES, "other_bots": Fact.NO}),
    ("to us alone", line(target="DESK[1]"), {"chat": ChatKind.DIRECT, "shared": Fact.YES}),
    ("by a colleague", line(tags="msgid=m1;account=oper", target="desk[1]"), {"shared": Fact.NO}),
    ("to us by nobody", line(tags="msgid=m1", target="desk[1]"), {"chat": ChatKind.UNKNOWN}),
    ("to operators", line(target="@#hall"), {"kind": EventKind.OTHER, "chat": ChatKind.UNKNOWN}),
    ("to somebody else", line(target="jo"), {"kind": EventKind.OTHER}),
    # kinds
    ("a notice", line("desk[1]: hello", command="NOTICE"), {"kind": EventKind.OTHER}),
    ("ctcp", line("\x01VERSION\x01"), {"kind": EventKind.OTHER}),
    ("a tag message", line(command="TAGMSG"), {"kind": EventKind.OTHER}),
    ("no text", line(""), {"kind": EventKind.OTHER}),
    # replies and ids
    ("reply to us", line(tags="msgid=m1;account=kim;+reply=ours"), {"reply_to": ReplyTo.AGENT}),
    ("reply to another", line(tags="msgid=m1;account=kim;+draft/reply=jos"), {"reply_to": ReplyTo.OTHER}),
    ("reply to who knows", line(tags="msgid=m1;account=kim;+reply=x"), {"reply_to": ReplyTo.UNKNOWN}),
    ("reply without a sign", line(tags="msgid=m1;account=kim;reply=ours"), {"reply_to": ReplyTo.NOBODY}),
    ("no id", line(tags="account=kim"), {"event_id": "s1", "dedupe_key": "#hall\nline s1"}),
    ("an id that a client claims", line(tags="+msgid=x;account=kim"), {"event_id": "s1"}),
    # time only makes older
    ("older", line(tags="time=2026-09-21T08:00:00.000Z;msgid=m1;account=kim"), {"sent_at": 1_789_977_600_000}),
    ("to come", line(tags="time=2099-01-01T00:00:00.000Z;msgid=m1;account=kim"), {"sent_at": 1_790_000_000_000}),
    ("no time", line(tags="time=soon;msgid=m1;account=kim"), {"malformed": ("time",)}),
]


@pytest.mark.parametrize(("name", "raw", "expected"), TABLE, ids=[name for name, _, _ in TABLE])
def test_a_line_says(name: str, raw: dict[str, Any], expected: dict[str, Any]) -> None:
    """Each row gives exactly its facts; a malformed one, and whoever is not logged in, is not answered."""
    event = read(raw)

    assert expected == {key: getattr(event, key) for key in expected}
    unproven = event.malformed or event.author_kind is not AuthorKind.HUMAN
    assert not (unproven and judged(event).outcome is Outcome.RESPOND)


@pytest.mark.parametrize(
    ("members", "shared"),
    [
        (OURS, Fact.NO),
        (PEOPLE, Fact.YES),
        ((*OURS, Member(nick="x", account="")), Fact.YES),
        ((*OURS, Member(nick="x")), Fact.UNKNOWN),
        ((), Fact.UNKNOWN),
        (None, Fact.UNKNOWN),
    ],
)
def test_who_is_in_a_channel(members: tuple[Member, ...] | None, shared: Fact) -> None:
    """Internal only where everybody is logged in to an account of ours."""
    assert shared is read(line(), msgspec.structs.replace(PLACE, members=members)).shared


def test_nothing_known_is_nothing_believed() -> None:
    """Without a place, nobody is addressed and no private message is one."""
    event = read(line("desk[1]: hello"), None)

    assert (Fact.NO, Fact.UNKNOWN) == (event.mentions_agent, event.shared)
    assert not read(line(target="desk[1]"), None).target.known


@pytest.mark.parametrize(
    ("name", "mapping", "expected"),
    [
        ("Desk[1]~^", "rfc1459", "desk{1}~~"),
        ("Desk[1]^", "rfc1459-strict", "desk{1}^"),
        ("Desk[1]", "ascii", "desk[1]"),
        ("ÄDesk", "rfc1459", "Ädesk"),
        ("Desk[1]", "utf8-of-tomorrow", "desk[1]"),
    ],
)
def test_names_are_compared_as_the_network_does(name: str, mapping: str, expected: str) -> None:
    """By its case mapping, and no letter more."""
    assert expected == folded(name, mapping)


@pytest.mark.parametrize(
    "text",
    ["", "@", "@a=b", ":x", ":x!y@z", "PRIVMSG\r\nQUIT", "PRIVMSG \x00", "\ud800", "a" * 20_000, "@a " + " " * 50],
)
def test_what_is_no_line(text: str) -> None:
    """Nothing raises, nothing is answered."""
    assert parsed(text) is None
    assert read({"line": text}).malformed


def test_tags_are_unescaped() -> None:
    """As the specification of message tags says, an unfinished escape included."""
    assert Line("A", (), "", {"k": "a; b\\c", "x": "", "y": "z"}) == parsed("@k=a\\:\\sb\\\\c;x;y=\\z\\ A")


@given(st.text(max_size=600))
@settings(max_examples=150, deadline=None)
def test_lines_put_together_are_the_text(text: str) -> None:
    """Whatever the text, its lines fit, hold no line of their own, and are the text again."""
    if unsayable(text):
        return
    parts = lines(text)
    joined = "".join(("" if joins or not number else "\n") + part for number, (part, joins) in enumerate(parts))

    assert [each or " " for each in text.split("\n")] == joined.split("\n")
    assert all(0 < len(part.encode()) <= TEXT_BYTES for part, _ in parts)
    assert not any(char in part for part, _ in parts for char in "\r\n\0\x01")


def test_what_does_not_leave() -> None:
    """Commands, CTCP, formatting, nothing, and a flood."""
    assert all(unsayable(text) for text in ("", " \n ", "a\rQUIT", "a\0", "\x01VERSION\x01", "\x02bold", "x\ud800"))
    assert unsayable("x\n" * MOST_LINES)
    assert "" == unsayable("a\tb\nc")


@given(st.text(max_size=100))
@settings(max_examples=100, deadline=None)
def test_live_text_only_leaves_out(text: str) -> None:
    """What is live stands in the text, character by character, in order."""
    rest = iter(text)

    assert all(char in rest for char in live_text(text))
