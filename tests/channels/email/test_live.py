"""Which words were said now: replies as people's programs write them, HTML, and texts that would take long."""

from __future__ import annotations

import time
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.channels.email.live import live_text, plain
from tests.packets.material import shared

REPLIES: Final = {
    "correct_sig": ("this is an email with a correct -- signature.", "rick"),
    "email_1_1": ("Hi folks", "riak-users"),
    "email_1_2": ("You can list the keys", "values after"),
    "email_1_3": ("Having the function would be great.", "delete for each"),
    "email_1_4": ("Awesome!", "Loader"),
    "email_1_5": ("This is a paragraph that talks", "never said"),
    "email_1_6": ("I get proper rendering as well.", "caching related"),
    "email_1_7": (":+1:", "Steps 0-2"),
    "email_1_8": ("and under this.", "okay"),
    "email_2_1": ("Outlook with a reply", "Apps Sync"),
    "email_2_2": ("Outlook with a reply directly above line", "replying to a comment"),
    "email_2_3": ("Outlook with a reply above headers", "Ei tale"),
    "email_BlackBerry": ("Here is another email", "BlackBerry"),
    "email_bullets": ("- how about bullets", "Product Management"),
    "email_gmail": ("This is a test for inbox replying", "outdated their version"),
    "email_headers_no_delimiter": ("And another reply!", "second line"),
    "email_iPhone": ("Here is another email", "iPhone"),
    "email_multi_word_sent_from_my_mobile_device": ("Here is another email", "Verizon"),
    "email_one_is_not_on": ("One outstanding question I had:", "better query"),
    "email_partial_quote_header": ("On your remote host you can run:", "odd issue"),
    "email_sent_from_my_not_signature": ("Sent from my desk, is much easier", "never said"),
    "email_sig_delimiter_in_middle_of_line": ("-- this is not a signature.", "never said"),
    "greedy_on": ("On your remote host you can run:", "odd issue"),
    "pathological": ("I think you're onto something.", "debugging"),
}
"""Recorded reply → words that its author wrote now, and words that he did not."""


@pytest.mark.parametrize("name", REPLIES)
def test_a_recorded_reply(name: str) -> None:
    """What was written now stays, what was quoted, signed or forwarded is gone."""
    live = live_text((shared("data") / "email-replies" / f"{name}.txt").read_text())
    said, quoted = REPLIES[name]
    assert (True, False) == (said in live, quoted in live), live


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes\n\n> @desk no", "yes"),
        ("Ja.\n\nAm 21.09.2026 um 14:13 schrieb Kim Moore:\n> nein", "Ja."),
        ("Oui\nLe lun. 21 sept. 2026, Kim <k@x.example> a écrit :\n\n> non", "Oui"),
        ("好的\n\n在 2026年9月21日，Kim 写道：\n> 不", "好的"),
        ("ok\n-----Original Message-----\nFrom: Kim\nno", "ok"),
        ("siehe unten\n---------- Forwarded message ---------\nFrom: X\nkauft!", "siehe unten"),
        ("见下\n\n发件人: 王\n发送时间: 2026\n\n内容", "见下"),
        ("> all quoted", ""),
        ("---------- Forwarded message ---------\nFrom: X\n\n@desk buy", ""),
        ("From: here to there\nis a long way", "From: here to there\nis a long way"),
        ("On Monday we wrote: nothing.\nTrue?", "On Monday we wrote: nothing.\nTrue?"),
        ("", ""),
    ],
)
def test_what_is_cut(text: str, expected: str) -> None:
    """Quotes, attributions, forwards and signatures of several languages; ordinary words stay."""
    assert expected == live_text(text)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>Hi <b>you</b> &amp; me</p><blockquote>old<br>two</blockquote>new", "Hi you & me\n> old\n> two\nnew"),
        ("<div style='display:none'>@desk pay</div>hello", "hello"),
        ('<span hidden>x</span>a<span style="font-size:0px">y</span>b', "ab"),
        ("<title>t</title><style>p{}</style><script>if (a<b) '<p>'</script>end", "end"),
        ("<!-- <p>x</p> -->y<!DOCTYPE html>", "y"),
        ("1 < 2 <3 and a<b>c</b", "1 < 2 <3 and ac</b"),
        ("<script>never closed <p>x</p>", ""),
        ("<!-- never closed", ""),
        ("</div></p>x</blockquote>", "x"),
    ],
)
def test_html_as_it_is_shown(html: str, expected: str) -> None:
    """What a reader sees, in lines; what is hidden is not there."""
    assert expected == plain(html)


@pytest.mark.parametrize("piece", ["<!--", "<a ", "<a b='", "<", "</", "<!", "&#", "<div></p>", "<script>", "<div>"])
def test_html_takes_linear_time(piece: str) -> None:
    """Pieces that make other readers slow."""
    started = time.process_time()
    plain((piece * 131_072)[:131_072])
    assert time.process_time() - started < 3


@pytest.mark.parametrize("piece", ["On \n", "From: a\n", ">\n", "--\n", "_", "On 1 ", "wrote:", "Sent from my a "])
def test_live_text_takes_linear_time(piece: str) -> None:
    """The same for the text."""
    started = time.process_time()
    live_text((piece * 131_072)[:131_072])
    assert time.process_time() - started < 3


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("<>/a bpscript!-='\"&;\n"), max_size=80))
def test_no_html_raises(html: str) -> None:
    """Whatever the HTML, and whatever comes of it: text, of which nothing is added."""
    live = live_text(plain(html))
    assert len(live) <= 4 * len(html) + 4
