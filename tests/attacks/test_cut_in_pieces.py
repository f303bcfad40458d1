"""A secret or a term that is cut in two: by chunks, sends, edits, parts, files, subjects. The halves never both leave.

The handler here is a liar: it knows the rules and cuts its words so that each piece is harmless.
"""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.cases.doors import Bot, Daemon, Desk, wait
from tests.cli.desk import told

slow = pytest.mark.slow
KEY = "ghp_" + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ"
TERM = "Northwind depot"
SECRETS = {
    "a key": (KEY[:14], KEY[14:]),
    "a term": ("Northwind", "depot"),
    "a name": ("Kestrel", "-7"),
    "in a word": ("Kes", "trel-7"),
}


def whole(bot: Bot) -> str:
    """Everything that stands on the platform, read in order; an edit stands in the place of what it replaced."""
    stands: dict[str, str] = {}
    for each in bot.platform.arrived:
        parts = each.get("parts", {})
        words = [each["text"], parts.get("subject", "")]
        words += [file["name"] + file.get("caption", "") + file.get("alt", "") for file in parts.get("files", [])]
        stands[each["edits"] or each["id"]] = "".join(words)
    return "".join(stands.values()).lower().replace(" ", "").replace("\n", "")


def note(name: str = "note.txt", content: str = "See.\n", **more: str) -> dict[str, Any]:
    """A small file."""
    body = base64.b64encode(content.encode()).decode()
    return {"name": name, "content": body, "media_type": "text/plain", **more}


def steps(first: str, second: str) -> dict[str, list[list[Any]]]:
    """Ways to say two halves one after the other."""
    return {
        "two replies": [["reply", first], ["reply", second]],
        "three replies": [["reply", first[:-2]], ["reply", first[-2:]], ["reply", second]],
        "a reply and a stream": [["reply", first], ["stream", [second]]],
        "a stream of letters": [["stream", list(first + second)]],
        "a stream of two": [["stream", [first, second]]],
        "a stream of two sentences": [["stream", [f"So. {first}", second + ". That is all. "]]],
        "two streams": [["stream", [first]], ["stream", [second]]],
        "an edit that adds": [["reply", first], ["edit", first + second]],
        "an edit of the second": [["reply", first], ["reply", "Good morning."], ["edit", second]],
        "an edit of the second, twice": [["reply", first], ["reply", "One."], ["edit", "Two."], ["edit", second]],
        "text and file": [["reply", first, {"files": [note(name=f"{second}.txt")]}]],
        "text and caption": [["reply", first, {"files": [note(caption=second)]}]],
        "subject and text": [["reply", second, {"subject": first}]],
        "two file names": [["reply", "Here.", {"files": [note(name=first), note(name=second)]}]],
        "two options": [["reply", "Which?", {"polls": [{"question": "Q?", "options": [first, second]}]}]],
        "two buttons": [["reply", "Which?", {"buttons": [{"label": first}, {"label": second}]}]],
        "two fields": [
            ["reply", "So.", {"cards": [{"fields": [{"name": "a", "value": first}, {"name": "b", "value": second}]}]}]
        ],
        "name and value": [["reply", "So.", {"cards": [{"fields": [{"name": first, "value": second}]}]}]],
        "two messages' files": [["reply", "a", {"files": [note(caption=first)]}], ["reply", second]],
        "two subjects": [["reply", "a", {"subject": first}], ["reply", "b", {"subject": second}]],
    }


@slow
@pytest.mark.parametrize("what", SECRETS)
@pytest.mark.parametrize("way", steps("", ""))
def test_two_halves_do_not_both_leave(bot: Bot, way: str, what: str) -> None:
    """However the halves are said, the platform never shows the whole."""
    first, second = SECRETS[what]
    bot.platform.ask(channel="EXT")
    bot.run(steps(first, second)[way])

    assert (first + second).lower().replace(" ", "") not in whole(bot)


@slow
def test_a_key_cut_by_the_length_of_a_message_is_found(bot: Bot) -> None:
    """A text too long for one message is checked whole before it is cut."""
    bot.platform.ask(channel="EXT")
    bot.run([["reply", "good morning " * 306 + KEY + " and so on" * 40]])

    assert [] == bot.platform.arrived


@pytest.mark.parametrize("joint", ["", "\u200b", "\u00ad", "\u2060", " ", "\n", "-", "."])
@pytest.mark.parametrize("letters", [TERM, "Kestrel-7"])
def test_letters_with_something_between_are_found(desk: Desk, letters: str, joint: str) -> None:
    """Letter by letter, with what cannot be seen or hardly matters between."""
    done = told(desk.release(f"See {joint.join(letters)} there.", "--admitted"))

    assert ("hold", []) == (done["release"], done["sent"])


@pytest.mark.parametrize(
    "text",
    [
        "Ｎｏｒｔｈｗｉｎｄ ｄｅｐｏｔ",
        "Nоrthwind dеpot",
        "NORTHWIND  DEPOT",
        "Northwind\u00a0depot",
        "North\u00adwind depot",
        "N\u0336o\u0336r\u0336t\u0336h\u0336w\u0336i\u0336n\u0336d\u0336 d\u0336e\u0336p\u0336o\u0336t",
        "𝐍𝐨𝐫𝐭𝐡𝐰𝐢𝐧𝐝 𝐝𝐞𝐩𝐨𝐭",
        "Ⓝⓞⓡⓣⓗⓦⓘⓝⓓ ⓓⓔⓟⓞⓣ",
        "Northwind_depot",
        "[Northwind](https://desk.example.com/) depot",
        "**Northwind** _depot_",
        "<b>Northwind</b> depot",
        "Northwind&nbsp;depot",
        "https://desk.example.com/northwind-depot",
        "https://desk.example.com/?q=Northwind%20depot",
        "northwind+depot@desk.example.com",
        "\u202dNorthwind depot\u202c",
        "Northw1nd dep0t",
    ],
)
def test_a_term_in_disguise_is_found(desk: Desk, text: str) -> None:
    """Look-alikes, markup, encodings and directions are seen through; consent is not (`test_confusables`)."""
    done = told(desk.release(f"See {text} there.", "--admitted"))

    assert ("hold", []) == (done["release"], done["sent"])


@slow
@pytest.mark.parametrize("what", SECRETS)
def test_two_turns_do_not_say_two_halves(bot: Bot, what: str) -> None:
    """A half in the answer to one question, a half in the answer to the next: nothing at that target is forgotten."""
    first, second = SECRETS[what]
    bot.platform.ask()
    bot.platform.ask()
    bot.run([["reply", first]], [["reply", second]])

    assert [first] == bot.platform.texts()


@slow
def test_two_turns_of_a_running_receiver_do_not_say_two_halves(daemon: Daemon) -> None:
    """The same of a handler that is a process."""
    with daemon.running():
        for half in SECRETS["a key"]:
            daemon.answers(half)
            daemon.platform.ask()
            wait(lambda half=half: daemon.journal("output")[-1:] not in ([], [("sending", "released")]))
            wait(lambda: not daemon.status()["messages"].get("in_turn"))

    assert [SECRETS["a key"][0]] == daemon.platform.texts("EXT")
