"""What must be known beside a WhatsApp webhook: our number. Nothing is looked up.

Decoded strictly: exactly these keys. It is what `dragoman gate check` takes as `--agent`.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

NUMBER: Final = re.compile(r"[0-9]{5,20}")
"""A `wa_id`: the digits of a phone number, without `+`; also the form of Meta's own numeric ids."""
SCOPED: Final = re.compile(r"[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}")
"""A business-scoped user id, for who shows no number."""
GROUP: Final = re.compile(r"[A-Za-z0-9_=+-]{21,255}")
"""The opaque id of a group, longer than any number."""


def is_person(id: str) -> bool:
    """Whether an id has one of the two forms that a person's has."""
    return bool(NUMBER.fullmatch(id) or SCOPED.fullmatch(id))


class WhatsAppAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Our number. Without `app_secret` no event is authenticated.

    Raises:
        ValueError: the id is none of a number (a `ValidationError` while decoding).
    """

    phone_number_id: str
    business_id: str = ""
    """The WhatsApp business account; empty takes any that Meta signed for."""
    app_secret: str = ""

    def __post_init__(self) -> None:
        if not NUMBER.fullmatch(self.phone_number_id):
            raise ValueError(f"`{self.phone_number_id}` is no phone number id; write its digits")


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The look-up: a webhook says all that can be known."""
