"""The kinds of words that a claim is read from, and how a table of them is written (spec 3 §3, §5.4).

1. A table maps a kind to words. English verbs are written once (`verbs`), nouns in the singular (`nouns`).
2. A word may be of several kinds; the longest match at a place wins, so a phrase in `FILL` or `EASE` takes the
   negation inside it out of sight ("not only", "no need to").
3. White space and hyphens within a phrase are the same; letter case does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """What a word does in a sentence about capabilities. `*_IS` is a capability by itself, `*_DO` an act, `*_OF` its
    object; an act with its object (and at times a place or a manner) is a capability too."""

    UAIX = "uaix"
    PACKET = "packet"
    WE = "we"
    IT = "it"
    OTHER = "other"
    YOU = "you"
    GIVE = "give"
    NOT = "not"
    LACK = "lack"
    NO_ONE = "no_one"
    DEFINED = "defined"
    WRONG = "wrong"
    BACK = "back"
    EASE = "ease"
    FILL = "fill"
    BY = "by"
    BE = "be"
    SAY = "say"
    ASK = "ask"
    TOPIC = "topic"
    IF = "if"
    CONTRAST = "contrast"
    PLACE = "place"
    AUTO = "auto"
    FOR_YOU = "for_you"
    TELL = "tell"
    OFFICIAL = "official"
    HOST_IS = "host_is"
    AUTO_SURE = "auto_sure"
    MSG_BOX = "msg_box"
    MSG_IS = "msg_is"
    AT_UAIX = "at_uaix"
    MSG_TO = "msg_to"
    MSG_SAID = "msg_said"
    MSG_DO = "msg_do"
    MSG_OF = "msg_of"
    SYNC_IS = "sync_is"
    SYNC_DO = "sync_do"
    SYNC_MAY = "sync_may"
    SYNC_OF = "sync_of"
    SYNC_SAME = "sync_same"
    SYNC_MANY = "sync_many"
    SYNC_EVER = "sync_ever"
    SYNC_SURE = "sync_sure"
    SYNC_FLOW = "sync_flow"
    RUN_IS = "run_is"
    RUN_SURE = "run_sure"
    RUN_NOUN = "run_noun"
    RUN_DO = "run_do"
    RUN_MAY = "run_may"
    RUN_WHO = "run_who"
    RUN_OF = "run_of"
    REPO_IS = "repo_is"
    REPO_SURE = "repo_sure"
    REPO_DO = "repo_do"
    REPO_MAY = "repo_may"
    REPO_OF = "repo_of"
    REPO_FIX = "repo_fix"
    ACCESS = "access"
    ADAPTER_IS = "adapter_is"
    ADAPTER = "adapter"
    CERT_ANY = "cert_any"
    CERT_IS = "cert_is"
    CERT_DO = "cert_do"
    CERT_OF = "cert_of"
    CERT_PROOF = "cert_proof"
    CERT_STATE = "cert_state"
    CERT_WHO = "cert_who"
    IMPORT_IS = "import_is"
    IMPORT_DO = "import_do"


Table = Mapping[Kind, Iterable[str]]

_VOWELS: Final = "aeiou"


def words(text: str) -> list[str]:
    """The words of a table: separated by commas, spaces of a phrase kept."""
    return [word.strip() for word in text.replace("\n", ",").split(",") if word.strip()]


def verbs(text: str) -> list[str]:
    """All regular forms of verbs; only the first word of a phrase is bent; `commit+` doubles its last letter."""
    return [form for verb in words(text) for form in _forms(verb)]


def nouns(text: str) -> list[str]:
    """Singular and plural."""
    found = []
    for noun in words(text):
        if noun.endswith("y") and noun[-2] not in _VOWELS:
            found += [noun, noun[:-1] + "ies"]
        else:
            found += [noun, noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")]
    return found


def lower(text: str) -> str:
    """Lower case of the same length, straight apostrophes."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(each.lower() if len(each.lower()) == 1 else each for each in text)
    return low.replace("’", "'")


def plain(text: str) -> str:
    """A match as the tables write it: lower case, one space for white space and hyphens, straight apostrophes."""
    return re.sub(r"[\s-]+", " ", text.lower()).replace("’", "'")


def _forms(verb: str) -> list[str]:
    head, gap, rest = verb.partition(" ")
    doubled = head.endswith("+")
    head = head.rstrip("+")
    stem = head + head[-1] if doubled else head
    if head.endswith("e"):
        forms = [head, head + "s", head + "d", head[:-1] + "ing"]
    elif head.endswith("y") and head[-2] not in _VOWELS:
        forms = [head, head[:-1] + "ies", head[:-1] + "ied", head + "ing"]
    else:
        forms = [head, head + ("es" if head.endswith(("s", "x", "ch", "sh")) else "s"), stem + "ed", stem + "ing"]
    return [form + gap + rest for form in forms]
