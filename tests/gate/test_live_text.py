"""What the live text of a message shows. Text may silence, never open (spec 1 §3, §11.8)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.gate.event import Command
from dragoman.gate.live_text import (
    _ENOUGH,
    _acknowledged,
    _without_marks,
    _words,
    command_of,
    leading_name,
    open_question,
    substantive,
)
from dragoman.words import Fact

OWN = frozenset({"Desk", "desk_bot", "前台助手"})
PREFIXES = ("/", "!")

SUBSTANTIVE = """
Which start dates are free?
stop
price
ok, but the second pallet is damaged
thanks, when does it ship?
@desk is dock 4 free
<@U123> is dock 4 free
> old line
Is the new line fine?
I ran `ls` and it failed
42
write to foo@a_bot.example
no, the other one
库存还有吗
好的，那第二批呢
收到货了，少了两箱
@前台助手 在吗，发货了没
谢谢，什么时候发货
"""

EMPTY = [
    "",
    "   \n ",
    "ok",
    "OK!",
    "Ok, thanks 👍",
    "okay. got it, thank you so much!!",
    "Thanks a lot",
    "👍👍",
    "1️⃣",
    ":thumbsup: :+1:",
    "<:party:1234567890>",
    "...",
    "?",
    "@desk",
    "@desk ok",
    "<@U123> <@!9>  thanks",
    "`code only`",
    "``a `b` c``",
    "```\nprint(1)\n```",
    "```unclosed fence\nprint(1)",
    "> quoted line\n> another",
    "> quoted line\nok",
    "hi",
    "hello!",
    "lol",
    "收到",
    "收到！",
    "好的，谢谢",
    "好的好的 🙏",
    "嗯嗯",
    "没问题，辛苦了",
    "ＯＫ",
    "\u200b",
    "you're welcome",
]


@pytest.mark.parametrize("text", [line for line in SUBSTANTIVE.strip().split("\n") if not line.startswith(">")])
def test_substantive_text(text: str) -> None:
    """Anything beyond marks and acknowledgements is substance."""
    assert substantive(text) is True


@pytest.mark.parametrize("text", EMPTY)
def test_no_substance(text: str) -> None:
    """Mentions, quotes, code, emoji and acknowledgements say nothing."""
    assert substantive(text) is False


QUESTIONS = [
    "Which dates are free?",
    "Is dock 4 free? 🙂",
    'He asked "is it free?"',
    "(still open?)",
    "**ready?**",
    "available ?  ",
    "有货吗？",
    "几点到？」",
    "can you confirm the shelf count",
    "Could anyone check dock 4",
    "What's the lead time",
    "How many pallets fit",
    "any idea when it lands",
    "请问还有货",
    "什么时候发货",
    "有没有人知道仓库地址",
    "> old\nwhen is it due",
]
STATEMENTS = [
    "",
    "?",
    "？？",
    "🙂?",
    "The dock is free.",
    "What a day",
    "When we arrive we call you",
    "Which is why we moved it",
    "see https://example.com/?",
    "`ready?`",
    "> ready?",
    "how",
    "货到了。",
    "多谢",
    "I wonder what is next",
    "Canyon road 4",
    "ready?!",
]


@pytest.mark.parametrize("text", QUESTIONS)
def test_open_question(text: str) -> None:
    """A closing question mark or a listed opener makes a question."""
    assert open_question(text) is True


@pytest.mark.parametrize("text", STATEMENTS)
def test_not_a_question(text: str) -> None:
    """Everything else does not: a mark alone, in code, in a quote or in a link asks nothing."""
    assert open_question(text) is False


TO_SOMEBODY = [
    "Jordan, can you confirm the shelf count?",
    "Jordan,can you confirm?",
    "Jordan: can you confirm?",
    "Jordan - can you confirm?",
    "Jordan — can you confirm?",
    "Jordan，你能确认一下吗",
    "@jordan can you confirm?",
    "@Jordan",
    "<@U2> can you confirm?",
    "hi Jordan, can you confirm?",
    "Hi Jordan can you confirm?",
    "Hello, Jordan!",
    "hey jordan, can you confirm?",
    "Dear Ms. Novak, the boxes are here",
    "Good morning Jordan, any news?",
    "Jordan and Sam, please check dock 4",
    "Jordan & Sam: please check dock 4",
    "Jordan, Sam, could you check?",
    "Jordan Lee, are you there?",
    "Dr. Smith, is it ready?",
    "jordan, could you check?",
    "José, puedes?",
    "O'Brien, is it there?",
    "Jean-Luc, is it there?",
    "Thanks Jordan, can you also check dock 5?",
    "👋 Jordan, can you check?",
    "**Jordan**, can you check?",
    "desk, can you check?",
    "Desк, can you check?",
    "@desk_b0t stop",
    "小王，货架数量确认一下",
    "小王、小李，你们看一下",
    "王总，合适吗？",
    "李经理：什么时候发货？",
    "张伟，今天能发吗",
    "你好小王，今天能发吗",
    "陈老师您好，请问几点开始",
    "@小王 今天能发吗",
]
TO_NOBODY = [
    "",
    "Hello, which dates are free?",
    "Hi, which dates are free?",
    "Hi there, which dates are free?",
    "Hi all, which dates are free?",
    "Hello everyone: dock 4 is free",
    "Thanks, that works",
    "Thanks a lot, that works",
    "Ok, see you then",
    "However, dock 4 is closed",
    "Today, dock 4 is closed",
    "Monday, 6 October works",
    "October, please",
    "Unfortunately, no",
    "Yes, please",
    "Yes, Monday works",
    "Sorry, could you repeat?",
    "Also, could you check dock 5?",
    "please, can you check?",
    "Quantity: 40",
    "Note: dock 4 is closed",
    "FYI, dock 4 is closed",
    "Which dates are free?",
    "Dock 4 is free",
    "we checked, can you confirm?",
    "I, for one, agree",
    "Desk, can you check?",
    "Desk: which dates are free?",
    "@desk_bot which dates are free?",
    "Hi Desk, which dates are free?",
    "Hello Desk which dates are free?",
    "Desk and Jordan, which dates are free?",
    "Jordan and Desk, which dates are free?",
    "@here which dates are free?",
    "@所有人 开会",
    "Hi, I need two docks",
    "Hello I need two docks",
    "请问，还有货吗",
    "你好，还有货吗",
    "谢谢，收到了",
    "今天，仓库休息",
    "周一，仓库休息",
    "马上，我去看",
    "方便的话，发我一下",
    "高峰期，车比较慢",
    "不过，时间有点紧",
    "前台助手，还有货吗",
    "前台助手你好，还有货吗",
    "小心，地上滑",
    "价格方面，请稍等",
    "加工，包装，发货都可以",
]


@pytest.mark.parametrize("text", TO_SOMEBODY)
def test_addressed_to_somebody_else(text: str) -> None:
    """A clear vocative of another name at the start is addressed to that person; a look-alike of ours is another."""
    assert leading_name(text, OWN) is True


@pytest.mark.parametrize("text", TO_NOBODY)
def test_addressed_to_nobody_else(text: str) -> None:
    """Openers, labels, days, broadcasts, plain sentences and our own exact name are not another's name."""
    assert leading_name(text, OWN) is False


COMMANDS = [
    ("/stop", Command("stop")),
    ("!stop", Command("stop")),
    ("/STOP", Command("stop")),
    ("/stop@Desk", Command("stop", "", Fact.YES)),
    ("/stop@desk_bot now please ", Command("stop", "now please", Fact.YES)),
    ("/stop@desk", Command("stop", "", Fact.NO)),
    ("/stop@Other_bot", Command("stop", "", Fact.NO)),
    ("/stop@Desk,", Command("stop", "", Fact.NO)),
    ("/stop@Desк", Command("stop", "", Fact.NO)),
    ("/approve d-17", Command("approve", "d-17")),
    ("/approve\nd-17", Command("approve", "d-17")),
    ("/ｓｔｏｐ", Command("ｓｔｏｐ")),
    (" /stop", None),
    ("please /stop", None),
    ("//stop", None),
    ("/", None),
    ("/ stop", None),
    ("/usr/bin", None),
    ("/stop@", None),
    ("/stop@ Desk", None),
    ("#stop", None),
    ("stop", None),
    ("> /stop", None),
    ("/4", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "expected"), COMMANDS)
def test_command_of(text: str, expected: Command | None) -> None:
    """A command stands at the very start behind a configured prefix, and is ours only by our exact name."""
    assert command_of(text, PREFIXES, OWN) == expected


def test_no_prefix_no_command() -> None:
    """Without a configured prefix nothing is a command, and an empty prefix is no prefix."""
    assert command_of("/stop", (), OWN) is None
    assert command_of("stop", ("",), OWN) is None


def test_longest_prefix_first() -> None:
    """Of two prefixes that fit, the longer one is taken off."""
    assert command_of("!!stop", ("!", "!!"), OWN) == Command("stop")


@given(st.text(max_size=400))
def test_any_text_is_answered(text: str) -> None:
    """No text makes a rule fail, and a text cut down to nothing is never substance or a question."""
    assert {substantive(text), open_question(text), leading_name(text, OWN)} <= {True, False}
    assert substantive(f"```{text.replace('`', '')}```") is False
    if not substantive(text) and not any(char.isalnum() for char in text):
        assert open_question(text) is False


@pytest.mark.parametrize(
    "part", ["`", "``", "@a", "<@", "> ", ":a", "A ", "Jordan and ", "Jordan, ", "小", "? ", "ok "]
)
def test_long_text_is_answered_soon(part: str) -> None:
    """A hundred thousand repeated characters take no more than the time of a plain scan (the test's own timeout)."""
    text = part * (100_000 // len(part))
    assert isinstance(substantive(text), bool)
    assert isinstance(open_question(text), bool)
    assert isinstance(leading_name(text, OWN), bool)


@pytest.mark.parametrize(
    "text",
    [
        "- Jordan, can you confirm?",
        "1. Jordan, can you confirm?",
        '"Jordan", can you confirm?',
        "[Jordan]: can you confirm?",
        "> see below\nJordan, can you confirm?",
        "To Jordan: is it open?",
        "Question for Jordan: is it open?",
        "Jordan... can you confirm?",
        "Jordan? Are you there?",
    ],
)
def test_a_dressed_up_name_is_a_name(text: str) -> None:
    """List marks, quotes, brackets, quoted lines and `To ...:` before somebody's name do not hide who is called."""
    assert leading_name(text, frozenset({"Desk"}))
    assert not leading_name(text.replace("Jordan", "Desk"), frozenset({"Desk"}))


@pytest.mark.parametrize(
    "text", ["- When is it open?", "1. Is it open?", "(Is it open?)", "To be clear: is it open?", "For us: is it open?"]
)
def test_dressed_up_questions_call_nobody(text: str) -> None:
    """The same marks before a plain question call nobody."""
    assert not leading_name(text, frozenset({"Desk"}))


@pytest.mark.parametrize("text", ["\u3164", "\u115f\u1160", "noted with thanks", "well received, thanks", "tks", "xD"])
def test_what_nobody_sees_or_only_acknowledges_says_nothing(text: str) -> None:
    """Invisible letters and longer acknowledgements have no substance."""
    assert not substantive(text)


PIECES = ("ok", "thank you", "thanks", "got it", "收到", "好的", "price", "明天", "which", "can you", "🙂", "`x`", "?")


@given(st.lists(st.sampled_from(PIECES), max_size=120), st.text(max_size=8))
def test_a_long_text_is_judged_by_its_beginning_alike(pieces: list[str], rest: str) -> None:
    """Reading no further than the first words comes to the same as reading all of them."""
    text = " ".join([*pieces, rest])
    words = _words(_without_marks(text))

    assert substantive(text) == (_acknowledged(words) < len(words))
    assert _words(_without_marks(text), _ENOUGH) == words[:_ENOUGH]


def test_many_acknowledgements_say_nothing_and_one_word_more_does() -> None:
    """However far behind the word stands."""
    assert (False, True) == (substantive("ok thank you " * 500), substantive("ok thank you " * 500 + "price"))
