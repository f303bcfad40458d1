"""The reports about turns: what a bot that embeds the gate can say, and what the platform then shows.

A real process of a bot (`a_bot.py`) reads what people wrote, says what the test tells it to, and ends; the test looks
at what arrived on the platform and at the journal of its state. `EXT` and `DM1` are external, `INT` is ours.
"""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.cases.doors import SAFE, WORLD, Bot
from tests.cases.reports import Report, case

pytestmark = pytest.mark.slow

PRICE = "Our rate is 12 euros per unit."
FOREIGN = "They also supply the Northwind depot."
PATH = "It lies in /srv/desk/list.yaml."
PLAIN = "Good morning."
TERM = "Kestrel-7"
PICTURE = {
    "name": "picture.png",
    "content": base64.b64encode(b"\x89PNG\r\n\x1a\n\x00\x01").decode(),
    "media_type": "image/png",
}
SITE = "https://desk.example.com/"


def note(**changed: str) -> dict[str, Any]:
    """A small text file."""
    content = base64.b64encode(changed.pop("content", "Please see below.\n").encode()).decode()
    return {"files": [{"name": "note.txt", "content": content, "media_type": "text/plain"} | changed]}


PLACES: dict[str, dict[str, Any]] = {
    "file name": note(name=f"{TERM}.txt"),
    "caption": note(caption=TERM),
    "alt text": note(alt=TERM),
    "content": note(content=f"See {TERM}.\n"),
    "host path as a name": note(name="/srv/desk/list.txt"),
    "host path in a caption": note(caption=PATH),
    "poll question": {"polls": [{"question": f"{TERM}?", "options": ["yes", "no"]}]},
    "poll option": {"polls": [{"question": "Open?", "options": ["yes", TERM]}]},
    "button label": {"buttons": [{"label": TERM}]},
    "button link": {"buttons": [{"label": "Open", "link": SITE + TERM}]},
    "card title": {"cards": [{"title": TERM}]},
    "card text": {"cards": [{"title": "Note", "text": TERM}]},
    "card field name": {"cards": [{"title": "Note", "fields": [{"name": TERM, "value": "yes"}]}]},
    "card field value": {"cards": [{"title": "Note", "fields": [{"name": "What", "value": TERM}]}]},
    "card button": {"cards": [{"title": "Note", "buttons": [{"label": TERM}]}]},
    "subject": {"subject": TERM},
    "link title": {"links": [{"target": SITE, "title": TERM}]},
}
"""Every place in which a part of a message can show words, with a term of another counterparty in it."""


def reasons(done: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """What became of each step."""
    return [(each["outcome"], each["reason"]) for each in done if "outcome" in each]


def outputs(bot: Bot) -> list[str]:
    """How every output of the journal ended."""
    return [each["outcome"] for each in bot.journal("output") if each["outcome"] != "sending"]


# --- class and failure -----------------------------------------------------------------------------------------------


@case("A06", "only fragments of class final reach edit; no transport edit ever carries progress")
def test_a06_progress_between_the_pieces_of_an_answer(bot: Bot) -> None:
    """Tool calls are shown before, between and after an answer that streams: none of them reaches an outsider."""
    bot.platform.ask(channel="DM1", direct=True)

    bot.run(
        [
            ["progress", "Calling the calendar tool."],
            ["stream", ["Good ", "morning. ", "All is ", "well."]],
            ["progress", "Tool calendar.read done."],
            ["typing"],
            ["react", "⏳"],
        ]
    )

    assert [] == [each for each in bot.platform.arrived if each["operation"] in ("typing", "react")]
    assert [] == [text for text in bot.platform.texts() if "tool" in text.lower()]
    assert "Good morning. All is well." == bot.platform.texts()[-1]


@case("A15", "SEND-SAFE; neither type name nor message in the payload")
@case("A11", "SEND-DENY/class_not_allowed* on every audience")
@pytest.mark.parametrize("channel", ["EXT", "DM1", "INT", "OPS"])
def test_a15_an_exception_is_no_text(bot: Bot, channel: str) -> None:
    """Neither the type nor the words of an error reach a chat, be it our own: the fixed sentence does."""
    bot.platform.ask(channel=channel)

    bot.run([["raise", "token sk-live-abcdefghijklmnop1234 refused"]])

    assert [SAFE] == bot.platform.texts()


@case("C039", "External text is one constant safe sentence", "no part of str(exception)")
@pytest.mark.parametrize("index", range(3))
def test_c039_a_failure_is_one_constant_sentence(bot: Bot, cases: dict[str, Report], index: int) -> None:
    """Whatever the agent raised, the counterparty reads the safe sentence, and the journal holds no word of it."""
    words = cases["C039"].at(f"exceptions/{index}")
    bot.platform.ask()

    bot.run([["raise", words]])

    assert [SAFE] == bot.platform.texts()
    assert [] == [each for each in bot.journal() if words[:20] in repr(each)]


@case("A16", "still silent: no safe_error for a muted turn")
def test_a16_a_muted_turn_stays_silent(bot: Bot) -> None:
    """Nobody asked; an agent that would fail is not even begun, and nothing is said in its place."""
    bot.platform.write("closing list B")

    assert [] == bot.run([["raise", "after the gate"]])
    assert ([], []) == (bot.platform.arrived, outputs(bot))


@case("A17", "SEND-SAFE text only; zero media uploads")
@pytest.mark.parametrize("channel", ["EXT", "INT"])
def test_a17_a_safe_error_takes_no_media_along(bot: Bot, channel: str) -> None:
    """The result failed with a picture attached: the fixed sentence leaves alone, the picture never."""
    bot.platform.ask(channel=channel)

    bot.run([["reply", PATH, {"files": [PICTURE]}], ["raise", "the picture is in /srv/desk/out.png"]])

    assert [("send", SAFE, {})] == [(each["operation"], each["text"], each["parts"]) for each in bot.platform.arrived]


@case("A17", "zero media uploads")
def test_a17_what_stood_beside_the_progress_goes_with_it(bot: Bot) -> None:
    """Among ourselves a message of progress stood there with a card: the sentence takes its place, without the card."""
    bot.platform.ask(channel="INT")

    bot.run([["progress", "Checking.", {"cards": [{"title": "Half done"}]}], ["raise", "no"]])

    assert [("send", "Checking."), ("edit", SAFE)] == [
        (each["operation"], each["text"]) for each in bot.platform.arrived
    ]
    assert {} == bot.platform.arrived[-1]["parts"]


@case("A20", "SEND-DENY, terminal; zero public sends")
@pytest.mark.parametrize("fault", ["refused", "vanished"])
def test_a20_what_is_private_is_never_said_in_public(bot: Bot, fault: str) -> None:
    """The platform refuses the private message, or does not answer: nothing is posted instead, no apology either."""
    bot.platform.ask("what waits for me?", channel="INT", author="oper")

    done = bot.run([["private", "Draft 12 waits for you."], ["raise", "no"]], faults=[fault])

    assert {"refused": "no", "vanished": "unknown"}[fault] == done[0]["delivered"]
    assert [] == [each for each in bot.platform.arrived if each["only_for"] is None]


@case("A20", "zero public sends")
def test_a20_an_apology_for_something_private_is_private(bot: Bot) -> None:
    """What was to be private is held, and then the agent fails: the fixed sentence is for the one who asked, too."""
    bot.platform.ask("what waits for me?", channel="INT", author="oper")

    bot.run([["private", PATH], ["raise", "no"]])

    assert [("private", SAFE)] == [(each["operation"], each["text"]) for each in bot.platform.arrived]


@case("A20", "zero public sends")
def test_a20_what_is_private_is_seen_by_who_asked(bot: Bot) -> None:
    """And when the platform can, one account alone sees it."""
    bot.platform.ask("what waits for me?", channel="INT", author="oper")
    bot.run([["private", "Draft 12 waits for you."]])

    assert [("private", "oper")] == [(each["operation"], each["only_for"]["id"]) for each in bot.platform.arrived]


@case("A22", "caption, file name, alt text, poll options, button labels and card fields are all classified")
def test_a22_every_text_of_a_part_is_checked(bot: Bot) -> None:
    """Another counterparty's term, or a path of ours, in any place of any part: nothing of the message leaves."""
    for _ in PLACES:
        bot.platform.ask()

    done = bot.run(*([["reply", PLAIN, parts]] for parts in PLACES.values()))

    assert set() == {place for place, each in zip(PLACES, done, strict=True) if each["outcome"] == "send"}
    assert {"leak_suspected"} == {each["reason"] for each in done} - {"part_invalid"}
    assert [] == bot.platform.arrived


@case("A22", "are all classified")
def test_a22_harmless_parts_leave(bot: Bot) -> None:
    """The same parts with nothing in them that is guarded do leave: the check is not a wall."""
    bot.platform.ask()
    parts = {**note(), "buttons": [{"label": "Open", "link": SITE}], "cards": [{"title": "Note"}]}

    bot.run([["reply", PLAIN, parts]])

    assert [["note.txt"]] == [[file["name"] for file in each["parts"]["files"]] for each in bot.platform.arrived]


# --- silence and streams ---------------------------------------------------------------------------------------------


@case("B01", "zero sends, zero edits, zero drafts")
@case("C042", "no fragment may have been shown before the class of the output was known")
def test_b01_silence_after_a_preview_shows_nothing(bot: Bot) -> None:
    """A stream that turns out to be the silence token leaves no fragment."""
    bot.platform.ask()
    bot.run([["stream", ["NO", "_RE", "PLY"]]])

    assert [] == bot.platform.arrived


@case("B02", "zero output on abort")
@pytest.mark.parametrize("end", ["!abort", "!raise"])
def test_b02_an_aborted_stream_flushes_nothing(bot: Bot, end: str) -> None:
    """The held beginning of the token is dropped when the run ends early, not sent after all."""
    bot.platform.ask()
    bot.run([["stream", ["NO_", end]]])

    assert {"!abort": [], "!raise": [SAFE]}[end] == bot.platform.texts()


@case("B07", "recommended: no send on ext")
def test_b07_the_marker_with_a_file_is_silence(bot: Bot) -> None:
    """A final that is the marker and one generated file: nothing leaves, neither the marker nor the file."""
    tries = [(step, text) for step in ("reply", "private") for text in ("NO_REPLY", " NO_REPLY\n")]
    for _ in tries:
        bot.platform.ask()

    bot.run(*([[step, text, {"files": [PICTURE]}]] for step, text in tries))

    assert [] == bot.platform.arrived


@case("G01", "gate called on every edit; SEND-DENY")
def test_g01_every_edit_passes_the_gate(bot: Bot) -> None:
    """A text that could not be sent cannot be edited in; each try is in the journal."""
    bot.platform.ask()
    done = bot.run([["reply", PLAIN], *(["edit", text] for text in (PATH, PRICE, FOREIGN))])

    assert ["leak_suspected", "draft_only_topic", "leak_suspected"] == [each["reason"] for each in done[1:]]
    assert [PLAIN] == bot.platform.texts()
    assert ["delivered", "hold", "hold", "hold"] == outputs(bot)


@case("G05", "final assembled text + blocks classified before stopStream")
@pytest.mark.parametrize("late", [FOREIGN, PRICE, f" [{PATH}]"])
def test_g05_what_is_added_at_the_end_of_a_stream_is_judged_with_it(bot: Bot, late: str) -> None:
    """A footer or a prefix that comes with the last piece is part of the text: it does not slip out at the end."""
    bot.platform.ask()
    done = bot.run([["stream", [PLAIN, " ", late]]])

    assert "hold" == done[-1]["outcome"]
    assert [] == [text for text in bot.platform.texts() if text.strip() != PLAIN]


@case("G07", "stop stream; HOLD; already sent text is recorded as delivered; corrective edit only by operator")
def test_g07_a_leak_in_the_middle_of_a_stream(bot: Bot) -> None:
    """What left before stands and is written down as delivered; the rest waits; the agent is not asked to mend it."""
    bot.platform.ask()
    bot.run([["stream", [PLAIN, " ", "It is at the North", "wind depot. ", "Bye."]]])

    assert [PLAIN] == [text.strip() for text in bot.platform.texts()]
    assert ["delivered", "hold"] == outputs(bot)


@case("G11", "not mirrored as assistant message; not retried")
def test_g11_a_denial_is_no_delivery(bot: Bot) -> None:
    """What was filtered is not performed, not written down as delivered, and not tried again by the next run."""
    bot.platform.ask()
    done = bot.run([["reply", "We have paid the deposit."]])
    bot.run()

    assert [("deny", "hard_stop")] == reasons(done)
    assert (["deny"], []) == (outputs(bot), bot.platform.arrived)


@case("A19", "footer without path; or split; class of the assembled text is still final")
def test_a19_a_long_answer_is_split_and_nothing_is_added(bot: Bot) -> None:
    """Longer than the platform takes: several messages that are the text, one decision, and no word of a file."""
    bot.platform.ask()
    text = "\n\n".join("We are glad to help. " * 60 for _ in range(5))
    done = bot.run([["reply", text]])

    assert [("send", "released")] == reasons(done)
    assert 1 < len(bot.platform.texts()) == len(done[0]["pieces"])
    assert text == "".join(bot.platform.texts())


@case("A19", "footer without path")
def test_a19_a_footer_with_a_path_keeps_the_whole_back(bot: Bot) -> None:
    """A footer that names the file with the rest is in the last piece: no piece leaves."""
    bot.platform.ask()
    done = bot.run([["reply", "We are glad to help. " * 300 + "Full answer: /srv/desk/spill/9f.txt"]])

    assert [("hold", "leak_suspected")] == reasons(done)
    assert [] == bot.platform.arrived


# --- every way out, once ---------------------------------------------------------------------------------------------

EVERY_WAY: list[list[Any]] = [
    ["typing"],
    ["react", "👍"],
    ["progress", "Checking."],
    ["progress", "Checking the list."],
    ["reply", PLAIN],
    ["reply", PLAIN, note()],
    ["reply", "See the card.", {"cards": [{"title": "Dates"}]}],
    ["reply", "Which one?", {"polls": [{"question": "Which one?", "options": ["6", "13"]}]}],
    ["edit", "Good evening."],
    ["private", "For you alone."],
    ["stream", ["Good ", "day. ", "It is ", "fine. ", "Bye."]],
    ["reply", PATH],
]


@case("G02", "a spy gate counts one call per path; a path without a call fails the build")
@case("G03", "as G02")
def test_g02_every_way_out_passes_the_door_once(bot: Bot) -> None:
    """As many operations as reached the platform stand in the journal, of each kind, each with its own evidence."""
    bot.platform.ask(channel="INT")
    bot.policy(WORLD.replace("version = 1", "version = 1\nadmission_sends = 20"))

    bot.run(EVERY_WAY)

    performed = sorted((f"memory.{each['operation']}", each["id"]) for each in bot.platform.arrived)
    recorded = sorted((each["consumer"], each["evidence"]) for each in bot.journal() if each["outcome"] == "delivered")
    assert performed == recorded
    assert {"memory.send", "memory.edit", "memory.typing", "memory.react", "memory.private"} <= {
        consumer for consumer, _ in performed
    }


TOOLS = """
[[grants]]
id = "tools"
purpose = "schedule"
targets = [{ platform = "memory", workspace = "desk", channel = "CHANNEL" }]
given_by = "oper"
expires_at = "2099-10-21T14:13:20Z"
max_total = 100
"""
OURS, THEIRS = {"edits": "memory-1"}, {"reply_to": "m1"}
OPERATIONS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("send", {}, {}),
    ("edit", {}, OURS),
    ("stream_start", {}, {}),
    ("stream_append", {}, OURS),
    ("stream_stop", {"cards": [{"title": "Note"}]}, OURS),
    ("upload", note(), {}),
    ("typing", {}, {}),
    ("react", {}, THEIRS),
    ("read_receipt", {}, THEIRS),
    ("thread", {}, {}),
    ("unfurl", {"cards": [{"title": "Note"}]}, THEIRS),
    ("webhook_response", {}, THEIRS),
    ("private", {}, {}),
]
"""Every operation of the fake platform's table, what it carries, and which message it points at."""
WITHOUT_WORDS = ("typing", "read_receipt", "upload", "unfurl")


@case("G02", "a spy gate counts one call per path; a path without a call fails the build")
def test_g02_every_operation_of_the_table(bot: Bot) -> None:
    """Reply, edit, stream, upload, thread, card, private ...: each performed once is recorded once, none besides."""
    bot.policy(WORLD + TOOLS.replace("CHANNEL", "INT"))
    words = [[name, "" if name in WITHOUT_WORDS else "👍", parts, at] for name, parts, at in OPERATIONS]

    done = bot.run(tools=words)

    assert {name: "yes" for name, _, _ in OPERATIONS} == {each["step"]: each["delivered"] for each in done}
    performed = [(f"memory.{each['operation']}", each["id"]) for each in bot.platform.arrived]
    recorded = [(each["consumer"], each["evidence"]) for each in bot.journal() if each["outcome"] == "delivered"]
    assert (performed, len(OPERATIONS)) == (recorded, len(performed))


@case("G02", "a path without a call fails the build")
@case("G03", "as G02")
def test_g02_no_operation_carries_what_is_guarded(bot: Bot) -> None:
    """The same table with another counterparty's term in its text or in its part, to an outsider: nothing arrives."""
    bot.policy(WORLD + TOOLS.replace("CHANNEL", "EXT"))
    named = {"upload": note(name=f"{TERM}.txt"), "unfurl": {"cards": [{"title": TERM}]}}
    words = [[name, "" if name in WITHOUT_WORDS else TERM, named.get(name, {}), at] for name, _, at in OPERATIONS]

    done = bot.run(tools=words)

    assert ([], []) == (bot.platform.arrived, [each for each in done if each["outcome"] == "send"])
    assert len(OPERATIONS) == len(bot.journal("output"))


@case("G03", "as G02")
def test_g03_whoever_makes_a_text_it_passes_the_door(bot: Bot) -> None:
    """Reply, schedule, sub-agent and failure say a forbidden text, or their own: each is judged, each is recorded."""
    bot.platform.ask()
    bot.platform.fire("weekly")
    bot.platform.fire(None)
    bot.platform.ask()

    bot.run([["reply", FOREIGN]], [["reply", FOREIGN]], [["raise", FOREIGN]])

    assert [SAFE] == bot.platform.texts()
    assert ["hold", "hold", "delivered"] == outputs(bot)


# --- targets, grants, outcomes ---------------------------------------------------------------------------------------


@case("H11", "reply goes to the origin of the request")
@case("H18", "request bound to its own target; cross-target send SEND-DENY")
@case("C018", "Zero sends of it to 5100000002")
@case("C045", "at send time a mismatch blocks")
def test_a_reply_goes_to_its_origin(bot: Bot) -> None:
    """Two chats at once, the first slower, and a schedule between them: every answer lands where it was asked."""
    bot.platform.ask("first?", channel="DM1", direct=True)
    bot.platform.ask("second?", channel="DM2", direct=True)
    bot.platform.fire("weekly")

    bot.run(
        [["sleep", 0.3], ["reply", "To the first."]],
        [["reply", "To the second."]],
        [["reply", "The digest."]],
        at_once=True,
    )

    assert {"DM1": ["To the first."], "DM2": ["To the second."], "EXT": ["The digest."]} == {
        channel: bot.platform.texts(channel) for channel in ("DM1", "DM2", "EXT")
    }


@case("C018", "if that decision or target is no longer valid the result is held for the owner")
def test_c018_an_outlived_decision_delivers_nothing(bot: Bot) -> None:
    """A background result that comes after its admission ended, or after its turn, is not sent, to nobody."""
    bot.policy(WORLD.replace("version = 1", "version = 1\nadmission_seconds = 1"))
    bot.platform.ask(channel="DM1", direct=True)
    bot.platform.ask(channel="DM2", direct=True)

    done = bot.run([["sleep", 1.2], ["reply", "It is on its way."]], [["late", "It is on its way."]])

    assert [("deny", "admission_expired")] * 2 == reasons(done)
    assert [] == bot.platform.arrived


@case("C053", "An uncertain failure (timeout) is likewise not rerouted")
@case("L02", "one owner of the outcome: either failed and removed, or queued and reported queued")
@pytest.mark.parametrize(("fault", "delivered"), [("refused", "no"), ("rate_limited", "no"), ("vanished", "unknown")])
def test_a_failed_send_is_neither_rerouted_nor_repeated(bot: Bot, fault: str, delivered: str) -> None:
    """The caller is told what is known; one call was made, and no later run makes another."""
    bot.platform.fire("weekly")
    done = bot.run([["reply", PLAIN]], faults=[fault])
    bot.run(approved=True)
    bot.run(approved=True)

    assert [delivered] == [each["delivered"] for each in done]
    assert [] == bot.platform.arrived
    assert [{"no": "not_delivered", "unknown": "uncertain"}[delivered]] == outputs(bot)


@case("L01", "outcome_unknown*; not re-sent")
def test_l01_an_unknown_outcome_is_not_repeated(bot: Bot) -> None:
    """It arrived, the answer did not: written down as uncertain, and no start sends it again."""
    bot.platform.ask()
    done = bot.run([["reply", PLAIN]], faults=["answer_lost"])
    bot.run(approved=True)

    assert ["unknown"] == [each["delivered"] for each in done]
    assert ([PLAIN], ["uncertain"]) == (bot.platform.texts(), outputs(bot))


@case("L05", "exactly one decision, one send")
@case("L06", "REJECT/duplicate*")
def test_l05_the_same_event_twice_at_once(bot: Bot) -> None:
    """Both copies are handed over at the same time: one is answered, the other is a duplicate, after a restart too."""
    bot.platform.ask(id="same")
    bot.platform.ask(id="same")
    bot.run([["reply", PLAIN]], [["reply", PLAIN]], at_once=True)
    bot.platform.ask(id="same")
    bot.run([["reply", PLAIN]])

    assert [PLAIN] == bot.platform.texts()
    assert [("respond", "agent_mentioned"), ("rejected", "duplicate"), ("rejected", "duplicate")] == [
        (each["outcome"], each["reason"]) for each in bot.journal("event")
    ]


@case("H24", "SEND-DENY/no_grant*")
def test_h24_a_spent_grant_sends_nothing(bot: Bot) -> None:
    """A grant of two pays for two sends in all, whatever became of them."""
    bot.platform.fire("weekly")
    done = bot.run([["reply", PLAIN], ["reply", PLAIN], ["reply", PLAIN]], faults=[None, "vanished"])

    assert ["released", "released", "grant_spent"] == [each["reason"] for each in done]
    assert [PLAIN] == bot.platform.texts()


@case("C056", "d1 suppressed, d2 delivered (platform message id kept)", "d5 nothing_to_send")
def test_c056_only_evidence_is_delivery(bot: Bot) -> None:
    """Suppressed, delivered, unknown and nothing to send are four different records."""
    bot.platform.ask()
    done = bot.run(
        [["progress", "Thinking."], ["reply", PLAIN], ["reply", "Good evening."], ["reply", ""]],
        faults=[None, "vanished"],
    )

    assert ["no", "yes", "unknown", "no"] == [each["delivered"] for each in done]
    assert ["deny", "delivered", "uncertain"] == outputs(bot)
    assert (["memory-1"], "empty_text") == (done[1]["pieces"], done[3]["reason"])
