"""What is explained is what is decided: every event is put to `admit`, and the reasons are those that were told."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import msgspec
import pytest

from dragoman.clock import parse_rfc3339
from dragoman.gate.admit import admit
from dragoman.gate.asked import Standing
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.gate.policy import Policy
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.policy_keys import PolicyFile
from dragoman.gate.workbench.explain import explain_all, explain_target, grounds
from dragoman.gate.workbench.sentences import PAGE, SENTENCES
from dragoman.identity import Party, Target
from dragoman.words import Fact, Outcome, Reason

NOW = parse_rfc3339("2026-09-21T14:13:20Z")
KIM, MAL, OLGA = (Party("memory", "desk", name) for name in ("kim", "mal", "olga"))

TEXT = """
version = 1
{top}
denied_senders = ["memory/desk/mal"]

[[targets]]
platform = "memory"
workspace = "desk"
channel = "PLAIN"
audience = "external"
counterparty = "acme"

[[targets]]
platform = "memory"
workspace = "desk"
channel = "OPEN"
audience = "external"
require_mention = false
open_question_responses = true

[[targets]]
platform = "memory"
workspace = "desk"
channel = "TEAM"
audience = "internal"
operator_messages_are_requests = true
takeover_seconds = 60
never_silent_ack = true

[[targets]]
platform = "memory"
workspace = "desk"
channel = "SOME"
audience = "external"
open_question_responses = true
allowed_senders = ["memory/desk/kim", "memory/desk/mal"]

[[targets]]
platform = "memory"
workspace = "desk"
channel = "NONE"
audience = "external"
allowed_senders = []

[[targets]]
platform = "memory"
workspace = "desk"
channel = "SHUT"
audience = "external"
access = "deny"

[[operators]]
platform = "memory"
workspace = "desk"
id = "olga"

[[counterparties]]
id = "acme"
terms = ["Project Falcon"]

[[records]]
counterparty = "acme"
facts = ["Open on 6 October 2026.", "Closed on 7 October 2026."]

[[grants]]
id = "weekly"
purpose = "schedule"
targets = [{{ platform = "memory", workspace = "desk", channel = "PLAIN" }}]
given_by = "olga"
expires_at = "2026-12-31T00:00:00Z"
max_total = 3
"""
CHANNELS = ("PLAIN", "OPEN", "TEAM", "SOME", "NONE", "SHUT", "ELSEWHERE")
TOPS = ("", 'unknown_targets = "explicit_requests"', 'commands = ["help"]\ncommand_prefixes = ["/"]')


def both(top: str = "") -> tuple[PolicyFile, Policy]:
    """The policy as it stands in the file, and compiled."""
    raw = TEXT.format(top=top).encode()
    return msgspec.toml.decode(raw, type=PolicyFile), parse_policy(raw)


def at(channel: str) -> Target:
    """A target of the examples."""
    return Target("memory", "desk", channel)


def messages(target: Target, sender: Party) -> Iterator[Event]:
    """Every kind of message that a person can write."""
    commands = (None, *(Command(name, directed=Fact.YES) for name in ("stop", "status", "help")))
    for chat, mentioned, other, reply, command, text, files in product(
        (ChatKind.DIRECT, ChatKind.GROUP),
        (Fact.YES, Fact.NO),
        (Fact.YES, Fact.NO),
        (ReplyTo.NOBODY, ReplyTo.AGENT, ReplyTo.OTHER),
        commands,
        ("", "which dates are open?", "the dates are open", "Kim: which dates are open?"),
        (0, 1),
    ):
        yield Event(
            kind=EventKind.MESSAGE,
            target=target,
            event_id="m1",
            dedupe_key="m1",
            received_at=NOW,
            authenticated=Fact.YES,
            author=sender,
            author_kind=AuthorKind.HUMAN,
            chat=chat,
            shared=Fact.NO,
            other_bots=Fact.NO,
            mentions_agent=mentioned,
            mentions_other=other,
            reply_to=reply,
            command=command,
            text=text,
            body=text,
            attachments=files,
        )


@pytest.mark.parametrize("top", TOPS)
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("sender", [KIM, MAL, OLGA], ids=lambda party: party.id)
def test_the_grounds_are_those_that_admit_gives(top: str, channel: str, sender: Party) -> None:
    """Every message that a person can write there is decided; the reasons to respond are exactly the told ones."""
    _, policy = both(top)
    decided = {
        admission.reason
        for event in messages(at(channel), sender)
        if (admission := admit(event, policy, Standing(now=NOW), "c1")).outcome is Outcome.RESPOND
    }

    assert decided == set(grounds(policy, at(channel), sender))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("channel", CHANNELS)
def test_every_key_that_is_named_stands_in_the_file(language: str, channel: str) -> None:
    """A sentence names keys of the very row, or of the top of the file."""
    file, policy = both()
    rows = {entry.channel: f"targets[{index}]" for index, entry in enumerate(file.targets)}
    explained = explain_target(file, policy, at(channel), NOW, language)
    keys = [key for said in explained.said for key in said.keys]

    assert explained.said
    for key in keys:
        row, _, name = key.rpartition(".")
        assert row in ("", rows.get(channel, ""))
        assert name in (file if row == "" else file.targets[0]).__struct_fields__


def told(channel: str, sender: Party | None = None, language: str = "en", top: str = "") -> str:
    """The sentences of one target as one text."""
    file, policy = both(top)
    return "\n".join(said.text for said in explain_target(file, policy, at(channel), NOW, language, sender).said)


@pytest.mark.parametrize(
    ("channel", "sender", "sentences"),
    [
        (
            "PLAIN",
            None,
            ["It belongs to acme.", "Recorded facts that it may state: 2;", "weekly (schedule) may deliver here"],
        ),
        ("TEAM", OLGA, ["memory/desk/olga is an operator", "stays out for 60 seconds", "A short acknowledgement"]),
        ("SOME", KIM, ["Only 2 named senders may ask.", "is heard as a person"]),
        ("SOME", OLGA, ["is not among the allowed senders", "No message is answered."]),
        ("SOME", MAL, ["is denied everywhere", "No message is answered."]),
        ("SHUT", None, ["Denied: nothing is answered", "No message is answered."]),
        ("NONE", None, ["Nobody may ask", "No message is answered."]),
        ("ELSEWHERE", None, ["This target is not listed", "Closed: messages from places"]),
    ],
)
def test_what_is_said(channel: str, sender: Party | None, sentences: list[str]) -> None:
    """The sentences an operator looks for."""
    text = told(channel, sender)

    assert [] == [each for each in sentences if each not in text]


def test_nothing_guarded_is_said() -> None:
    """Neither a protected term nor a fact stands in an explanation."""
    file, policy = both()
    text = "\n".join(
        said.text
        for language in ("en", "zh")
        for part in explain_all(file, policy, NOW, language)
        for said in part.said
    )

    assert "Falcon" not in text
    assert "October" not in text


def test_the_whole_policy_has_every_target() -> None:
    """One part for what holds everywhere, one per listed target, one for the rest."""
    file, policy = both()
    parts = explain_all(file, policy, NOW)

    assert len(file.targets) + 2 == len(parts)
    assert ["The whole policy", "At memory/desk/PLAIN"] == [part.heading for part in parts[:2]]
    assert "Every target that is not listed" == parts[-1].heading
    assert () == parts[-1].grounds


def test_shadow_and_drafts_are_said_first_and_loud() -> None:
    """What takes the guard off, or holds everything, is not left to be inferred."""
    assert told("PLAIN", top='mode = "shadow"').startswith("Shadow mode")
    assert "Every answer to an outsider is filed" in told("PLAIN", top='autonomy = "draft_only"')
    assert "No topic is filed" in told("PLAIN", top="draft_only = []")


def test_both_languages_have_every_sentence() -> None:
    """Each sentence has two forms with the same fillings."""
    for english, chinese in (*SENTENCES.values(), *PAGE.values()):
        assert english != chinese
        assert {part.split("}")[0] for part in english.split("{")[1:]} == {
            part.split("}")[0] for part in chinese.split("{")[1:]
        }
    assert "此处属于 acme。" in told("PLAIN", language="zh")


def test_a_ground_of_a_named_sender_is_told_without_naming_one() -> None:
    """Where only some may ask, what they may ask on is told; a denied one among them adds nothing."""
    file, policy = both()
    explained = explain_target(file, policy, at("SOME"), NOW)

    assert Reason.OPEN_QUESTION in explained.grounds
    assert set(grounds(policy, at("SOME"), KIM)) == set(explained.grounds)
