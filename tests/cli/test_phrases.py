"""Every sentence that an owner reads stands in two languages, with the same places in both."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.agents.contract import Fault
from dragoman.cli import error_phrases
from dragoman.cli.phrases import LEVELS, PHRASES, STATES
from dragoman.cli.retold import LIFE, retold
from dragoman.errors import CODES, DragomanError
from dragoman.ledger.inbox import InboundState
from dragoman.receiver import sentences
from dragoman.receiver.findings import FINDINGS, NAMES
from dragoman.receiver.findings import STATES as CHECKED
from dragoman.receiver.level import NEEDS, Level
from dragoman.receiver.sentences import STOP
from dragoman.words import (
    Action,
    Audience,
    DraftState,
    NotificationState,
    Outcome,
    ReleaseOutcome,
    SendState,
    StopReason,
)

SOURCE = Path(__file__).parents[2] / "src/dragoman"

FIXED = {name: pair for name, pair in vars(sentences).items() if name.isupper() and isinstance(pair, tuple)}
PLATFORM_SAYS = "channel_says"
"""Its words come in both languages from the platform's own check."""
PAIRS: dict[str, tuple[str, str]] = {
    **{f"phrase {name}": pair for name, pair in PHRASES.items()},
    **{f"state {name}": pair for name, pair in STATES.items()},
    **{f"life {name}": pair for name, pair in LIFE.items()},
    **{f"level {name}": pair for name, pair in LEVELS.items()},
    **{f"stop {name}": pair for name, pair in STOP.items()},
    **{f"sentence {name}": pair for name, pair in FIXED.items()},
    **{f"finding {name}": words[:2] for name, words in FINDINGS.items() if name != PLATFORM_SAYS},
    **{f"remedy {name}": words[2:] for name, words in FINDINGS.items() if any(words[2:]) and name != PLATFORM_SAYS},
    **{f"check {name}": pair for name, pair in NAMES.items()},
    **{f"checked {name}": pair for name, pair in CHECKED.items()},
    **{f"error {code}": (CODES[code][1], zh) for code, zh in error_phrases.SAFE.items()},
    **{f"fix {en[:40]}": (en, zh) for en, zh in error_phrases.FIXES.items()},
    **{f"pattern {en}": (en, zh) for en, zh in error_phrases.PATTERNS},
}
CHINESE = re.compile(r"[\u3400-\u9fff]")
SAME = {"finding config_read", "check https", "finding notifier_ready", "phrase draft_is"}
"""What is only facts, or a name that both languages have."""


def places(text: str) -> list[str]:
    """What is filled in, in any order."""
    if "{...}" in text:
        return []
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


@pytest.mark.parametrize("name", PAIRS)
def test_both_languages_say_it(name: str) -> None:
    """Neither is missing, English is plain, Chinese is Chinese (but for a command alone), the places agree."""
    english, chinese = PAIRS[name]

    assert english
    assert chinese
    assert not CHINESE.search(english)
    assert places(english) == places(chinese)
    if name not in SAME and not english.startswith(("see `", "pip ", "run `", "chmod")):
        assert CHINESE.search(chinese), chinese


def test_every_code_has_its_sentence() -> None:
    """No error is safe in one language only."""
    assert set(CODES) == set(error_phrases.SAFE)


@pytest.mark.parametrize(
    "vocabulary", [InboundState, SendState, DraftState, NotificationState, Outcome, ReleaseOutcome, Audience]
)
def test_every_state_has_its_word(vocabulary: type[StopReason]) -> None:
    """What a row can stand in is never shown as a code alone."""
    assert [] == [word for word in vocabulary if str(word) not in STATES]


def test_every_stop_check_and_level_has_its_words() -> None:
    """Stop reasons, levels, and what a level lacks."""
    assert set(StopReason) == set(STOP)
    assert {*map(str, Level), "none"} == set(LEVELS)  # the hub knows of receivers that never reported
    assert {name for _, names in NEEDS for name in names} <= FINDINGS.keys()


def outcomes() -> Iterator[str]:
    """What the receiver and the owner's commands write down as having happened, where it stands as a word."""
    for path in (*(SOURCE / "receiver").glob("*.py"), *(SOURCE / "cli").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            at = {"log": 2, "_log": 2, "note_operator": 2, "_record": 1, "_note_policy": 0}.get(name)
            found = [each.value for each in node.keywords if each.arg == "outcome" and name != "Report"]
            found += node.args[at : at + 1] if at is not None else []
            for value in found:
                for each in (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,):
                    if isinstance(each, ast.Constant):
                        yield str(each.value)


def test_what_happened_has_its_words() -> None:
    """Every outcome of a life or an operator, every fault of a handler, every stop and action."""
    happened = set(outcomes())

    assert {"decided", "parked", "draft_approved", "policy_refused", "resolved"} <= happened
    assert [] == sorted(happened - LIFE.keys() - STATES.keys())
    assert [] == [word for words in (Fault, StopReason, Action) for word in words if str(word) not in LIFE]


@pytest.mark.parametrize(
    ("kept", "english", "chinese"),
    [
        ("This conversation waits for your decision.\nOffer the 6th?", None, "该会话等待您的决定。\nOffer the 6th?"),
        ("该会话等待您的决定。", "This conversation waits for your decision.", None),
        ("A reply is held for your approval.", None, "一条答复等待您的批准。"),
        ("Offer the 6th?\nA reply was sent.", None, None),
        ("", None, None),
    ],
)
def test_what_was_told_is_told_again(kept: str, english: str | None, chinese: str | None) -> None:
    """A first line of ours in the reader's language; a handler's words, and what it quotes of ours, as they are."""
    assert (english or kept, chinese or kept) == (retold(kept, "en"), retold(kept, "zh"))


def _named(module: str, function: str) -> Iterator[str]:
    """The fixed first words of every call of a function in one file."""
    for node in ast.walk(ast.parse((SOURCE / module).read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
            first = node.args[0]
            for argument in (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,):
                if isinstance(argument, ast.Constant):
                    yield str(argument.value)


@pytest.mark.parametrize("path", sorted((SOURCE / "cli").glob("*.py")), ids=lambda path: path.name)
def test_what_is_told_stands_in_the_table(path: Path) -> None:
    """Every phrase that a command asks for is there."""
    assert [] == [name for name in _named(f"cli/{path.name}", "told") if name not in PHRASES]


def test_every_phrase_is_used() -> None:
    """A sentence that nobody says is not kept."""
    told = "".join(path.read_text() for path in (SOURCE / "cli").glob("*.py") if path.name != "phrases.py")

    assert [] == [name for name in PHRASES if f'"{name}"' not in told and f"'{name}'" not in told]


SEEN_BY_OWNERS = (
    *(
        f"cli/{name}.py"
        for name in ("backup", "checks", "drafts", "main", "output", "owner", "receiver", "schedule", "why")
    ),
    *(f"ledger/{name}.py" for name in ("highwater", "store", "chain")),
    *(
        f"receiver/{name}.py"
        for name in ("backup", "books", "config", "cycle", "doctor", "lock", "policy", "resolve", "schedule")
    ),
    *("channels/hub/address.py", "channels/hub/keys.py"),
)


def fixes(module: str) -> Iterator[str]:
    """Every fix that stands in a file, with `{}` for what is filled in."""
    for node in ast.walk(ast.parse((SOURCE / module).read_text())):
        found: list[ast.expr] = []
        if isinstance(node, ast.Call):
            found += [keyword.value for keyword in node.keywords if keyword.arg == "fix"]
            found += node.args[3:4] if getattr(node.func, "id", "") == "Problem" else []
        elif isinstance(node, ast.Assign):
            found += [node.value for name in node.targets if getattr(name, "id", "") in ("fix", "_FIX", "private")]
        for value in found:
            yield from _texts(value)


def _texts(value: ast.expr) -> Iterator[str]:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in value.values)  # type: ignore[misc]
    elif isinstance(value, ast.IfExp):
        yield from (*_texts(value.body), *_texts(value.orelse))
    elif isinstance(value, ast.BoolOp):
        yield from (text for part in value.values for text in _texts(part))


@pytest.mark.parametrize("module", SEEN_BY_OWNERS)
def test_every_fix_stands_in_a_table(module: str) -> None:
    """What an owner is told to do about an error of these files, he is told in Chinese too."""
    assert [] == sorted(
        text
        for text in set(fixes(module))
        if text
        and not text.startswith("pip ")
        and text == error_phrases.fix(text, "zh") != error_phrases.FIXES.get(text)
    )


@pytest.mark.parametrize(
    ("fix", "chinese"),
    [
        ("pipe the input in", "请通过管道输入"),
        ("accepted keys: hub, policy", "可用的键：hub, policy"),
        ("what no table has", "what no table has"),
        ("", ""),
    ],
)
def test_a_fix_in_chinese(fix: str, chinese: str) -> None:
    """Whole, by its pattern, or as it is; English stays as it is."""
    assert (chinese, fix) == (error_phrases.fix(fix, "zh"), error_phrases.fix(fix, "en"))


def test_an_unknown_code_is_an_internal_error_in_both() -> None:
    """Nothing is made up for a code that nobody declared."""
    error = DragomanError("made_up")

    assert ("internal error", "内部错误") == (error_phrases.safe(error, "en"), error_phrases.safe(error, "zh"))
