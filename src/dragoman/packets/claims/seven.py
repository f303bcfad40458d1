"""The seven things that no packet has, and what a word can be to one of them, in whatever language (spec 3 §5.4).

`SURE` names a capability by itself. `ACT` is an act that is one only with an object (`THING`) of the same field in the
sentence. `SOFT` is an act of daily life that needs an object and the manner of a machine as well. `NAMED` is an act
that needs no object where it is UAIX that is said to do it.
"""

from __future__ import annotations

from enum import StrEnum


class Field(StrEnum):
    """What no packet has."""

    MESSAGES = "messages"
    SYNC = "sync"
    RUN = "run"
    REPO = "repo"
    ADAPTER = "adapter"
    CERT = "cert"
    IMPORT = "import"


class Part(StrEnum):
    """What a word is to its field."""

    SURE = "sure"
    ACT = "act"
    SOFT = "soft"
    THING = "thing"
    NAMED = "named"


Role = tuple[Field, Part]
"""What a word is to which field."""
