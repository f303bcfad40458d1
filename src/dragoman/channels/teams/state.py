"""What must be known beside a Teams activity: our bot, and who is in the conversation.

Both are decoded strictly: exactly these keys. They are what `dragoman gate check` takes as `--agent` and `--state`.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from dragoman.identity import well_formed
from dragoman.words import Fact

GUEST: Final = "#ext#"
"""What marks the user principal name of a guest."""


class TeamsAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Our bot. `keys` are Microsoft's JSON web keys of the moment; without `app_id` and keys nothing is authenticated.

    Raises:
        ValueError: the recipient id is none (a `ValidationError` while decoding).
    """

    recipient_id: str
    """Our account in activities, such as `28:<app id>`."""
    app_id: str = ""
    tenant_id: str = ""
    """Our own organisation; empty takes that of the conversation."""
    keys: tuple[dict[str, Any], ...] = ()
    service_urls: tuple[str, ...] = ()
    """Addresses that may be answered besides Microsoft's own."""

    def __post_init__(self) -> None:
        if not well_formed(self.recipient_id):
            raise ValueError("`recipient_id` is no id; write it as activities do, such as `28:<app id>`")


class Member(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One person of the roster; what Teams does not say is empty."""

    id: str
    aad_object_id: str = ""
    tenant_id: str = ""
    user_role: str = ""
    user_principal_name: str = ""

    def outside(self, own: str) -> Fact:
        """Whether this is a guest, an anonymous person, or somebody of another organisation than `own`."""
        if self.user_role.lower() in ("guest", "anonymous") or GUEST in self.user_principal_name.lower():
            return Fact.YES
        if not self.tenant_id or not own or not self.user_role:
            return Fact.UNKNOWN
        return Fact.NO if self.tenant_id == own else Fact.YES


class TeamsLookup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the roster said when the activity came; None when it was not asked for, or did not answer."""

    members: tuple[Member, ...] | None = None


def shared_by(members: tuple[Member, ...] | None, own: str) -> Fact:
    """Whether anybody who is not of our organisation is among `members`; unknown unless everybody is told."""
    if not members:
        return Fact.UNKNOWN
    found = {member.outside(own) for member in members}
    return Fact.YES if Fact.YES in found else Fact.UNKNOWN if Fact.UNKNOWN in found else Fact.NO
