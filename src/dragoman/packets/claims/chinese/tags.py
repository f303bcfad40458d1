"""What a Chinese word does for the judgement of a claim (see `reading`), and how a table of such words is written."""

from __future__ import annotations

from enum import StrEnum


class Tag(StrEnum):
    """What a word does for the judgement; the tags of the fields are of `fields`."""

    UAIX = "uaix"
    PACKET = "packet"
    WE = "we"
    OUR = "our"
    IT = "it"
    OTHER = "other"
    NAME = "name"
    YOU = "you"
    BENEFIT = "benefit"
    BY = "by"
    TO = "to"
    PLACE = "place"
    NOT = "not"
    NOT_ALL = "not_all"
    REFUSE = "refuse"
    BAD = "bad"
    EASE = "ease"
    FILL = "fill"
    WRONG = "wrong"
    BACK = "back"
    SAY = "say"
    ASK = "ask"
    TASK = "task"
    PLAN = "plan"
    IF = "if"
    EVEN = "even"
    LIST = "list"
    TELL = "tell"
    RHETORIC = "rhetoric"
    CONTRAST = "contrast"
    AUTO = "auto"
    VOICE = "voice"
    MAY = "may"
    DONE = "done"
    MANUAL = "manual"
    DOMAIN = "domain"
    WHO = "who"
    AND = "and"
    OF = "of"
    BE = "be"
    FORM = "form"
    SURELY = "surely"
    PROD = "prod"
    PAST = "past"
    THIRD = "third"
    ONLY = "only"
    MAYBE = "maybe"
    DOES = "does"
    LIMIT = "limit"
    JOB = "job"
    REPORT = "report"
    DEPUTY = "deputy"
    AGENT = "agent"
    MUST = "must"
    SELF = "self"


def each(*parts: str) -> list[str]:
    """Every word that is made of one piece of each part."""
    made = [""]
    for part in parts:
        made = [one + two.replace("_", "") for one in made for two in part.split()]
    return made
