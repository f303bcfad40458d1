"""What an English word does for the judgement of a claim (see `reading`), and how a table of such words is written.

1. Verbs are written once, in their base form; every form of a verb carries the sign of its form (`S`, `ED`, `ING`,
   `BASE`), because the form says whether the word is an order, an act or something that is done.
2. Nouns are written in the singular. A verb with a particle may have a pronoun in between (pass it on).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Final

from dragoman.packets.claims.english.kinds import nouns, words


class Sign(StrEnum):
    """What a word does for the judgement; the parts of the fields are of `fields`."""

    UAIX = "uaix"
    PACKET = "packet"
    WE = "we"
    OUR = "our"
    IT = "it"
    YOU = "you"
    YOUR = "your"
    OTHER = "other"
    NAME = "name"
    AGENT = "agent"
    NOT = "not"
    NO = "no"
    DENY = "deny"
    EASE = "ease"
    FILL = "fill"
    WRONG = "wrong"
    LESS = "less"
    SAY = "say"
    TASK = "task"
    PLEASE = "please"
    MENTION = "mention"
    WISH = "wish"
    IF = "if"
    MUST = "must"
    CONTRAST = "contrast"
    WHERE = "where"
    AUTO = "auto"
    FOR_YOU = "for_you"
    OFFER = "offer"
    GIVE = "give"
    BY = "by"
    PREP = "prep"
    BE = "be"
    MAY = "may"
    DET = "det"
    PLACE = "place"
    SITE = "site"
    THERE = "there"
    DONE = "done"
    PASSED = "passed"
    TELL = "tell"
    SOON = "soon"
    RHETORIC = "rhetoric"
    DOES = "does"
    BID = "bid"
    OURJOB = "ourjob"
    WANT = "want"
    SELF = "self"
    DEFINE = "define"
    STALE = "stale"
    HERE = "here"
    FAR = "far"
    EDIT = "edit"
    DEST = "dest"
    BAD = "bad"
    BASE = "base"
    S = "s"
    ED = "ed"
    ING = "ing"


Signs = frozenset[Sign]

_IRREGULAR: Final[Mapping[str, str]] = {
    "hold": "held",
    "keep": "kept",
    "send": "sent",
    "bring": "brought",
    "write": "wrote,written",
    "run": "ran,run",
    "put": "put",
    "take": "took,taken",
    "give": "gave,given",
    "wake": "woke,woken,waked",
    "spin": "spun",
    "build": "built",
    "get": "got,gotten",
    "hang": "hung",
    "lie": "lay,lain",
    "sit": "sat",
    "see": "saw,seen",
    "know": "knew,known",
    "read": "read",
    "drive": "drove,driven",
    "find": "found",
    "set": "set",
    "tell": "told",
    "make": "made",
    "go": "went,gone",
    "come": "came,come",
    "throw": "threw,thrown",
    "fall": "fell,fallen",
    "let": "let",
    "begin": "began,begun",
    "speak": "spoke,spoken",
    "pay": "paid",
    "do": "did,done",
    "leave": "left",
    "feed": "fed",
    "show": "showed,shown",
    "choose": "chose,chosen",
    "stand": "stood",
    "learn": "learned,learnt",
    "catch": "caught",
    "undertake": "undertook,undertaken",
}
_BETWEEN: Final = ("", "it", "them", "him", "this", "that", "everything", "your files", "us")
_DOUBLED: Final = frozenset(
    words("""run,put,get,set,let,begin,sit,commit,ship,dispatch,kit,pop,drop,step,spin,plug,tag,stop,map,kill,submit""")
) - frozenset({"dispatch", "kill"})


def acts(text: str) -> Iterator[tuple[str, Sign]]:
    """All forms of each verb with the sign of the form; a pronoun may stand before a particle."""
    for verb in words(text):
        head, _, rest = verb.partition(" ")
        for form, sign in _forms(head):
            for between in _BETWEEN if rest else ("",):
                yield " ".join(filter(None, (form, between, rest))), sign


def _forms(head: str) -> Iterator[tuple[str, Sign]]:
    stem = head + head[-1] if head in _DOUBLED else head.removesuffix("e") if head.endswith("e") else head
    ends = ("s", "x", "ch", "sh", "o")
    soft = head.endswith("y") and head[-2] not in "aeiou"
    yield head, Sign.BASE
    yield (head[:-1] + "ies" if soft else head + ("es" if head.endswith(ends) else "s")), Sign.S
    yield ("lying" if head == "lie" else stem + "ing"), Sign.ING
    past = _IRREGULAR.get(head)
    for form in past.split(",") if past else (head[:-1] + "ied" if soft else stem + "ed",):
        yield form, Sign.ED


def each(*parts: str) -> list[str]:
    """Every phrase that is made of one piece of each part; `_` stands for nothing."""
    made = [""]
    for part in parts:
        made = [f"{one} {two}".strip() if two != "_" else one for one in made for two in words(part)]
    return made


def things(*parts: str) -> list[str]:
    """The same, the last word in the singular and the plural."""
    return [each for one in each_of(parts) for each in nouns(one)]


def each_of(parts: Iterable[str]) -> list[str]:
    """`each` of parts that are in a list."""
    return each(*parts)
